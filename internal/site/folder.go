package site

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Permissions of what a folder gets: other people may look at maps.
const (
	folderMode = 0o755
	fileMode   = 0o644
)

// Folder is an [FS] in the file system of the computer. Symbolic links that lead out of it are not followed.
type Folder struct {
	root *os.Root
	lock *os.File // nil: not used or claimed
}

var _ FS = (*Folder)(nil)

// OpenFolder opens a folder, and makes it when it is not there.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, fmt.Errorf("make folder %s: %w", dir, cause(err))
	}
	return LookIntoFolder(dir)
}

// LookIntoFolder opens a folder that is there.
func LookIntoFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder %s: %w", dir, cause(err))
	}
	return &Folder{root: root}, nil
}

// cause takes operation and path out of the error of a file: the message names them.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Close gives the folder back.
func (f *Folder) Close() error {
	var err error
	if f.lock != nil {
		err = f.lock.Close()
	}
	return errors.Join(err, f.root.Close())
}

// Read implements FS.
func (f *Folder) Read(name string, limit int64) (data []byte, err error) {
	file, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge(name, limit)
	}
	return data, err
}

func tooLarge(name string, limit int64) error {
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("the file has more than %d bytes", limit)}
}

// List implements FS.
func (f *Folder) List(folder string) ([]Entry, error) {
	list, err := fs.ReadDir(f.root.FS(), filepath.ToSlash(folder))
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(list))
	for _, e := range list {
		info, err := f.root.Stat(filepath.Join(filepath.FromSlash(folder), e.Name()))
		if err != nil {
			continue // a link to nowhere, or it went away meanwhile
		}
		out = append(out, Entry{Name: e.Name(), Folder: info.IsDir(), Size: info.Size()})
	}
	return out, nil
}

// MakeFolder implements FS.
func (f *Folder) MakeFolder(name string) error {
	err := f.root.Mkdir(filepath.FromSlash(name), folderMode)
	if errors.Is(err, fs.ErrExist) {
		if info, statErr := f.root.Stat(filepath.FromSlash(name)); statErr == nil && info.IsDir() {
			return nil
		}
	}
	return err
}

// Create implements FS.
func (f *Folder) Create(name string) (Pending, error) {
	name = filepath.FromSlash(name)
	dir, err := f.root.OpenRoot(filepath.Dir(name)) // so that the temporary file lies beside the final one
	if err != nil {
		return nil, err
	}
	file, err := renameio.NewPendingFile(filepath.Base(name), renameio.WithRoot(dir), renameio.WithPermissions(fileMode))
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &pendingFile{file, dir}, nil
}

type pendingFile struct {
	file *renameio.PendingFile
	dir  *os.Root
}

func (p *pendingFile) Write(data []byte) (int, error) { return p.file.Write(data) }

func (p *pendingFile) Commit() error {
	if err := p.file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return p.dir.Close()
}

func (p *pendingFile) Abort() {
	_ = p.file.Cleanup() // after a commit it does nothing; otherwise there is an error already
	_ = p.dir.Close()
}

// Rename implements FS.
func (f *Folder) Rename(from, to string) error {
	return f.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to))
}

// Remove implements FS.
func (f *Folder) Remove(name string) error { return f.root.Remove(filepath.FromSlash(name)) }

// Sync implements FS.
func (f *Folder) Sync(folder string) (err error) {
	dir, err := f.root.Open(filepath.FromSlash(folder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return dir.Sync()
}
