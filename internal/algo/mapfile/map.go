package mapfile

import (
	"fmt"
	"math"

	"sarathi/internal/geom"
)

// Values of a cell; between Free and Occupied lie the probabilities in percent of scale and raw maps.
const (
	Unknown  int8 = -1
	Free     int8 = 0
	Occupied int8 = 100
)

// MaxCells is the largest map that is read: 8192 × 8192 cells, 410 m square at 5 cm.
const MaxCells = 1 << 26

// Map is an occupancy grid in the layout of nav_msgs/OccupancyGrid.
type Map struct {
	Meta          Meta
	Width, Height int    // cells
	Cells         []int8 // row by row from the bottom (smallest y of the grid frame), each row from the left
}

// Counts are numbers of cells by meaning. Between are the cells of scale and raw maps that are neither free nor occupied.
type Counts struct{ Free, Occupied, Unknown, Between int }

// Total is the number of all cells.
func (c Counts) Total() int { return c.Free + c.Occupied + c.Unknown + c.Between }

// At is the value of a cell; Unknown outside the map.
func (m *Map) At(col, row int) int8 {
	if col < 0 || row < 0 || col >= m.Width || row >= m.Height {
		return Unknown
	}
	return m.Cells[row*m.Width+col]
}

// Cell is the cell that holds a point of the map frame [m]; it may lie outside the map. The yaw of the origin is honoured.
func (m *Map) Cell(p geom.Vec2) (col, row int) {
	q := m.Meta.Origin.Inverse().Apply(p)
	return int(math.Floor(q.X / m.Meta.Resolution)), int(math.Floor(q.Y / m.Meta.Resolution))
}

// Center is the middle of a cell in the map frame [m].
func (m *Map) Center(col, row int) geom.Vec2 {
	return m.Meta.Origin.Apply(geom.Vec2{
		X: (float64(col) + 0.5) * m.Meta.Resolution,
		Y: (float64(row) + 0.5) * m.Meta.Resolution,
	})
}

// Count counts the cells by value. [Source.Count] counts by what the pixels mean, before they are rounded.
func (m *Map) Count() Counts {
	var c Counts
	for _, v := range m.Cells {
		switch v {
		case Free:
			c.Free++
		case Occupied:
			c.Occupied++
		case Unknown:
			c.Unknown++
		default:
			c.Between++
		}
	}
	return c
}

// Error is a fault of a map file: where, what, and what to do about it.
type Error struct {
	File    string // as it was opened
	Line    int    // 1-based; 0 when the fault has no line
	Problem string
	Remedy  string
	Err     error // the cause, when another package reported it
}

// Error gives `file:line: problem; remedy`.
func (e *Error) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	text := where + ": " + e.Problem
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text + "; " + e.Remedy
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
