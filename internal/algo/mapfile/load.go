package mapfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// maxImage bounds the image file [bytes]: a 16-bit PGM of MaxCells pixels has half of it.
const maxImage = 4 * MaxCells

// Load reads the map that a YAML file describes by the rule of Nav2; a relative image path starts at the folder of that file.
func Load(yamlPath string) (*Map, error) { return load(osFiles{}, yamlPath, Nav2) }

// LoadFS is Load inside a file system. An absolute image path is a fault there.
func LoadFS(fsys fs.FS, yamlPath string) (*Map, error) { return load(fsFiles{fsys}, yamlPath, Nav2) }

// LoadSite reads the map of a site, where grey 205 means unknown whatever free_thresh says; see [Site].
func LoadSite(yamlPath string) (*Map, error) { return load(osFiles{}, yamlPath, Site) }

// Open reads the files of a map without deciding what its greys mean.
func Open(yamlPath string) (*Source, error) { return open(osFiles{}, yamlPath) }

// OpenFS is Open inside a file system. An absolute image path is a fault there.
func OpenFS(fsys fs.FS, yamlPath string) (*Source, error) { return open(fsFiles{fsys}, yamlPath) }

func load(f files, yamlPath string, r Rule) (*Map, error) {
	s, err := open(f, yamlPath)
	if err != nil {
		return nil, err
	}
	return s.Map(r), nil
}

func open(f files, yamlPath string) (*Source, error) {
	text, err := readBounded(f, yamlPath, maxMeta+1)
	if err != nil {
		return nil, &Error{File: yamlPath, Problem: "cannot be read", Err: reason(err), Remedy: "give the path of a map's YAML file"}
	}
	meta, err := ParseMeta(yamlPath, text)
	if err != nil {
		return nil, err
	}
	imagePath := f.beside(yamlPath, meta.Image)
	data, err := readBounded(f, imagePath, maxImage)
	if err != nil {
		return nil, &Error{
			File: yamlPath, Line: meta.ImageLine, Problem: fmt.Sprintf("image %s cannot be read", imagePath), Err: reason(err),
			Remedy: "correct `image`; a relative path starts at the folder of the YAML file",
		}
	}
	return NewSource(imagePath, meta, data)
}

// files is where map files come from.
type files interface {
	open(name string) (fs.File, error)
	beside(yamlPath, image string) string
}

type osFiles struct{}

func (osFiles) open(name string) (fs.File, error) { return os.Open(name) }

func (osFiles) beside(yamlPath, image string) string {
	if filepath.IsAbs(image) {
		return image
	}
	return filepath.Join(filepath.Dir(yamlPath), filepath.FromSlash(image))
}

type fsFiles struct{ fs.FS }

func (f fsFiles) open(name string) (fs.File, error) { return f.Open(name) }

func (fsFiles) beside(yamlPath, image string) string {
	if path.IsAbs(image) {
		return image
	}
	return path.Join(path.Dir(yamlPath), image)
}

func readBounded(f files, name string, limit int64) (data []byte, err error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("larger than %d bytes", limit)
	}
	return data, err
}

// reason drops operation and path, which the message around it already has.
func reason(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
