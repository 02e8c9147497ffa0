package movingai

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// ErrFormat is what every error about the contents of a file wraps.
var ErrFormat = errors.New("not a MovingAI file")

// MaxCells is the largest map that is read: 8192 × 8192 cells.
const MaxCells = 1 << 26

// Map is a grid of cells that are free or blocked.
type Map struct {
	Width, Height int    // cells
	Blocked       []bool // row by row from the top, y·Width + x
}

// Free reports whether a cell can be passed; outside the map none can.
func (m *Map) Free(x, y int) bool {
	return x >= 0 && y >= 0 && x < m.Width && y < m.Height && !m.Blocked[y*m.Width+x]
}

// ParseMap reads a .map file.
func ParseMap(data []byte) (*Map, error) {
	m := &Map{}
	line := 0
	for {
		text, rest, more := bytes.Cut(data, []byte("\n"))
		data = rest
		line++
		word := bytes.Fields(text)
		switch {
		case len(word) == 1 && string(word[0]) == "map":
			return m, m.rows(data, line)
		case len(word) == 0 && !more:
			return nil, fault(line, "the file ends before a line `map`", "is it a .map file?")
		case len(word) != 2:
			return nil, fault(line, fmt.Sprintf("%q is no key and value", clip(text)), "the head is type, height, width and map")
		}
		if err := m.head(line, string(word[0]), string(word[1])); err != nil {
			return nil, err
		}
	}
}

func (m *Map) head(line int, key, value string) error {
	switch key {
	case "type":
		if value != "octile" {
			return fault(line, "the type is "+strconv.Quote(clip([]byte(value))), "only octile maps can be read")
		}
		return nil
	case "height", "width":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > MaxCells {
			return fault(line, fmt.Sprintf("%s is %q", key, clip([]byte(value))), fmt.Sprintf("write a number from 1 to %d", MaxCells))
		}
		if key == "height" {
			m.Height = n
		} else {
			m.Width = n
		}
		return nil
	}
	return fault(line, fmt.Sprintf("unknown key %q", clip([]byte(key))), "the head is type, height, width and map")
}

func (m *Map) rows(data []byte, line int) error {
	switch {
	case m.Width == 0 || m.Height == 0:
		return fault(line, "height or width is missing", "write both before `map`")
	case m.Height > MaxCells/m.Width:
		return fault(line, fmt.Sprintf("%d × %d cells are too many", m.Width, m.Height), fmt.Sprintf("the limit is %d cells", MaxCells))
	case m.Width*m.Height > len(data):
		return fault(line, fmt.Sprintf("%d bytes follow for %d × %d cells", len(data), m.Width, m.Height), "is the file complete?")
	}
	m.Blocked = make([]bool, m.Width*m.Height)
	for y := range m.Height {
		var text []byte
		text, data, _ = bytes.Cut(data, []byte("\n"))
		text = bytes.TrimSuffix(text, []byte("\r"))
		if len(text) != m.Width {
			return fault(line+1+y, fmt.Sprintf("the row has %d cells", len(text)), fmt.Sprintf("width is %d", m.Width))
		}
		row := m.Blocked[y*m.Width:]
		for x, c := range text {
			row[x] = c != '.' && c != 'G'
		}
	}
	return nil
}

// fault names the line, what is wrong there and what to do.
func fault(line int, problem, remedy string) error {
	return fmt.Errorf("%w: line %d: %s: %s", ErrFormat, line, problem, remedy)
}

// clip shortens what is quoted in an error.
func clip(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
