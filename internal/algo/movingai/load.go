package movingai

import (
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	maxMapFile      = 2*MaxCells + 1<<10 // [bytes]
	maxScenarioFile = 1 << 28            // [bytes]
)

// Load reads a map and the queries of its scenario.
func Load(mapFile, scenarioFile string) (*Map, []Query, error) {
	data, err := read(mapFile, maxMapFile)
	if err != nil {
		return nil, nil, err
	}
	m, err := ParseMap(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", mapFile, err)
	}
	if data, err = read(scenarioFile, maxScenarioFile); err != nil {
		return nil, nil, err
	}
	queries, err := ParseScenario(data, m.Width, m.Height)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", scenarioFile, err)
	}
	return m, queries, nil
}

func read(name string, limit int64) (data []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%w: %s is larger than %d bytes", ErrFormat, name, limit)
	}
	return data, nil
}
