package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"sarathi/internal/config"
	"sarathi/profiles"
)

// SitesVariable is the environment variable that overrides sites.dir.
const SitesVariable = "SITES_DIR"

// Names returns the built-in profiles, sorted.
func Names() []string {
	entries, err := fs.ReadDir(profiles.Files, ".")
	if err != nil {
		panic("profile: the embedded files cannot be listed: " + err.Error()) // they are part of the binary
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(out)
	return out
}

// Load reads a profile: a built-in name or the path of a file, with overrides of the
// form path=value. Every fault is reported at once, each with its place.
func Load(nameOrPath string, sets []string) (*Profile, error) {
	path, data, err := read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return Decode(path, data, sets)
}

func read(nameOrPath string) (path string, data []byte, err error) {
	if data, err = fs.ReadFile(profiles.Files, nameOrPath+".yaml"); err == nil {
		return "profiles/" + nameOrPath + ".yaml", data, nil
	}
	data, err = os.ReadFile(nameOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%w: there is no profile %s: give the path of a file or one of: %s",
			config.ErrInvalid, nameOrPath, strings.Join(Names(), ", "))
	}
	if err != nil {
		return "", nil, fmt.Errorf("profile: %w", err)
	}
	return nameOrPath, data, nil
}

// Decode reads a profile; path is for messages.
func Decode(path string, data []byte, sets []string) (*Profile, error) {
	p := Default()
	if err := config.Decode(path, data, &p, sets...); err != nil {
		return nil, err
	}
	if dir := os.Getenv(SitesVariable); dir != "" {
		p.Sites.Dir = dir
	}
	return &p, nil
}
