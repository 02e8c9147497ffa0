package scenes

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sarathi/internal/algo/mapfile"
)

// Decode lays YAML over into and validates it, naming path in its errors. internal/config has it; this package may not.
type Decode func(path string, data []byte, into any) error

// Load reads a world: one of [Names], the path of a scene, or the path of any map_server YAML, which becomes a scene that
// holds nothing but the map. The map that a scene names is read too.
func Load(nameOrPath string, decode Decode) (Scene, error) {
	path, text := nameOrPath, []byte(nil)
	if inside, ok := Builtin(nameOrPath); ok {
		path, text = nameOrPath+".yaml", inside
	} else {
		var err error
		if text, err = os.ReadFile(nameOrPath); err != nil {
			return Scene{}, fmt.Errorf("world: %w; give the path of a scene or of a map, or one of: %s", err, strings.Join(Names(), ", "))
		}
	}
	if isMap(text) {
		grid, err := mapfile.Load(path)
		if err != nil {
			return Scene{}, err
		}
		return FromMap(grid), nil
	}
	s := Default()
	if err := decode(path, text, &s); err != nil {
		return Scene{}, err
	}
	if s.Map == "" {
		return s, nil
	}
	mapPath := s.Map
	if !filepath.IsAbs(mapPath) {
		mapPath = filepath.Join(filepath.Dir(path), filepath.FromSlash(mapPath))
	}
	grid, err := mapfile.Load(mapPath)
	if err != nil {
		return Scene{}, fmt.Errorf("%s: map: %w", path, err)
	}
	s.Grid = grid
	return s, nil
}

// FromMap is a scene that holds nothing but a map.
func FromMap(grid *mapfile.Map) Scene {
	s := Default()
	s.Name, s.Grid = grid.Meta.Image, grid
	return s
}

// isMap tells a map_server description from a scene by the two keys that only the former has.
func isMap(text []byte) bool {
	image, resolution := false, false
	for l := range bytes.Lines(text) {
		image = image || bytes.HasPrefix(l, []byte("image:"))
		resolution = resolution || bytes.HasPrefix(l, []byte("resolution:"))
	}
	return image && resolution
}
