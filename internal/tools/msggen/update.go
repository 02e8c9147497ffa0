package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sarathi/internal/idl"
)

// update makes the generated files below dir equal to files and returns how many it wrote or deleted.
func update(dir string, files []idl.File) (changed int, err error) {
	wanted := make(map[string]bool, len(files))
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		wanted[path] = true
		if old, readErr := os.ReadFile(path); readErr == nil && bytes.Equal(old, f.Data) {
			continue
		}
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return changed, fmt.Errorf("create folder for generated code: %w", err)
		}
		if err = os.WriteFile(path, f.Data, 0o644); err != nil {
			return changed, fmt.Errorf("write generated code: %w", err)
		}
		changed++
	}
	deleted, err := removeStale(dir, wanted)
	return changed + deleted, err
}

// removeStale deletes generated files that are not wanted, and folders that this empties.
func removeStale(dir string, wanted map[string]bool) (deleted int, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || wanted[path] {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(data), idl.GeneratedMark) {
			return err
		}
		deleted++
		if err := os.Remove(path); err != nil {
			return err
		}
		if parent := filepath.Dir(path); parent != filepath.Clean(dir) {
			return removeEmpty(parent)
		}
		return nil
	})
	if err != nil {
		return deleted, fmt.Errorf("delete stale generated code: %w", err)
	}
	return deleted, nil
}

// removeEmpty deletes a folder when nothing is in it.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
