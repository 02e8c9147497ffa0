package posegraph

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile bounds a graph file [bytes].
const maxFile = 1 << 30

// Load reads a graph file, and returns what follows the graph in it; see [Parse].
func Load(path string) (g *Graph, rest []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open graph: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read graph %s: %w", path, err)
	}
	if len(text) > maxFile {
		return nil, nil, fmt.Errorf("read graph %s: %w: it is longer than %d bytes", path, ErrFormat, maxFile)
	}
	if g, rest, err = Parse(text); err != nil {
		return nil, nil, fmt.Errorf("read graph %s: %w", path, err)
	}
	return g, rest, nil
}
