package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sarathi/internal/config"
	"sarathi/internal/sim/scenes"
	"sarathi/profiles"
)

// SitesVariable is the environment variable that overrides sites.dir of the file. --set overrides it in turn.
const SitesVariable = "SITES_DIR"

// builtinFolder is where the built-in profiles are in the repository; they are named by it in messages.
const builtinFolder = "profiles/"

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

// Builtin reports whether name is one of [Names].
func Builtin(name string) bool { return slices.Contains(Names(), name) }

// Load reads a profile: a built-in name or the path of a file, with overrides of the form path=value. Every fault is
// reported at once, each with its place; the error matches config.ErrInvalid.
func Load(nameOrPath string, sets []string) (*Profile, error) {
	path, data, err := read(nameOrPath)
	if err != nil {
		return nil, err
	}
	return decode(path, data, sets, os.Getenv(SitesVariable))
}

func read(nameOrPath string) (path string, data []byte, err error) {
	if Builtin(nameOrPath) {
		data, err = fs.ReadFile(profiles.Files, nameOrPath+".yaml")
		return builtinFolder + nameOrPath + ".yaml", data, err
	}
	data, err = os.ReadFile(nameOrPath)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%w: there is no profile %s: give the path of a file or one of: %s",
			config.ErrInvalid, nameOrPath, strings.Join(Names(), ", "))
	}
	if err != nil {
		return "", nil, fmt.Errorf("%w: profile: %w: give a file that can be read", config.ErrInvalid, err)
	}
	return nameOrPath, data, nil
}

// Decode reads the profile in data. path is where it lies, for messages and for relative paths in it. The environment is
// not asked.
func Decode(path string, data []byte, sets []string) (*Profile, error) {
	return decode(path, data, sets, "")
}

func decode(path string, data []byte, sets []string, sitesDir string) (*Profile, error) {
	p := Default()
	if err := config.Decode(path, data, &p, sets...); err != nil {
		return nil, err
	}
	given := overridden(sets)
	if sitesDir != "" && given.Sites.Dir == "" {
		p.Sites.Dir, given.Sites.Dir = sitesDir, sitesDir
		if err := p.Sites.Validate(); err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", SitesVariable, err)
		}
	}
	byUser := given.paths()
	for i, place := range p.paths() {
		if *byUser[i] != "" {
			continue // starts at the working directory, as on every command line
		}
		var err error
		if *place, err = anchored(filepath.Dir(path), *place); err != nil {
			return nil, err
		}
	}
	return &p, nil
}

// paths are the places in the file system that a profile names.
func (p *Profile) paths() []*string { return []*string{&p.Simulated.World, &p.State.Dir, &p.Sites.Dir} }

// overridden returns a profile whose paths are empty unless --set gives them. Faults are not its matter: they were
// reported when the same overrides were laid over the profile.
func overridden(sets []string) Profile {
	p := Default()
	for _, path := range p.paths() {
		*path = ""
	}
	if len(sets) == 0 {
		return p
	}
	_ = config.Decode("", nil, &p, sets...) // empty paths alone make it fail
	return p
}

// anchored makes a relative path start at base, for good: the result does not depend on the working directory. Names of
// built-in worlds and places below the home of the user stay as they are.
func anchored(base, path string) (string, error) {
	if _, builtin := scenes.Builtin(path); builtin || strings.HasPrefix(path, "~/") || filepath.IsAbs(path) {
		return path, nil
	}
	abs, err := filepath.Abs(filepath.Join(base, path))
	if err != nil {
		return "", fmt.Errorf("path %s: %w", path, err)
	}
	return abs, nil
}
