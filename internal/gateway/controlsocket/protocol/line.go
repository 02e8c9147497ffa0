package protocol

import (
	"bufio"
	"errors"
	"fmt"
)

// ErrTooLong reports a line longer than [MaxRequest]. The line has been passed over; the next one can be read.
var ErrTooLong = fmt.Errorf("the line is longer than %d bytes", MaxRequest)

// ReadLine returns the next line without its newline, in memory that the caller may keep. Blank lines are passed over. What comes after the
// last newline of a connection that ended is no line.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	for {
		line, err := readRaw(r)
		if err != nil || len(line) > 0 {
			return line, err
		}
	}
}

func readRaw(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long && len(line)+len(part) > MaxRequest {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		case long:
			return nil, ErrTooLong
		}
		line = line[:len(line)-1]
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		return line, nil
	}
}
