package carmen

import (
	"errors"
	"fmt"
	"os"
)

// Load reads the log in a file; see [Read].
func Load(path string) (log *Log, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	log, err = Read(file)
	if err != nil {
		return log, fmt.Errorf("read log %s: %w", path, err)
	}
	return log, nil
}
