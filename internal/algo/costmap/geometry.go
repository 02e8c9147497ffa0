package costmap

import (
	"fmt"
	"math"

	"sarathi/internal/geom"
)

// MaxCells is the largest map: 8192 × 8192 cells, 410 m square at 5 cm.
const MaxCells = 1 << 26

// Cell is a cell of the map: column X from the left and row Y from the bottom, in the map's own frame.
type Cell struct{ X, Y int }

// Geometry is where the cells of a map lie.
type Geometry struct {
	Width, Height int        // cells
	Resolution    float64    // [m] side of a cell
	Origin        geom.Pose2 // [m, rad] of the lower left corner, in the map frame; its heading counts
}

// Validate reports a geometry that cannot be worked with.
func (g Geometry) Validate() error {
	switch {
	case g.Width < 1 || g.Height < 1 || g.Height > MaxCells/g.Width:
		return fmt.Errorf("a map of %d × %d cells: from 1 to %d can be used", g.Width, g.Height, MaxCells)
	case !(g.Resolution >= 0.001 && g.Resolution <= 10):
		return fmt.Errorf("cells of %g m: from 0.001 to 10 m can be used", g.Resolution)
	case !g.Origin.IsFinite():
		return fmt.Errorf("the origin %v is not finite", g.Origin)
	}
	return nil
}

// Cell is the cell that holds a point of the map frame [m]. It may lie outside the map, and does for a point that is not finite.
func (g Geometry) Cell(p geom.Vec2) Cell {
	q := g.Origin.Inverse().Apply(p)
	return Cell{toCell(q.X / g.Resolution), toCell(q.Y / g.Resolution)}
}

func toCell(v float64) int {
	const far = 1 << 30
	if !(math.Abs(v) < far) {
		return -1
	}
	return int(math.Floor(v))
}

// Center is the middle of a cell in the map frame [m].
func (g Geometry) Center(c Cell) geom.Vec2 {
	return g.Origin.Apply(geom.Vec2{X: (float64(c.X) + 0.5) * g.Resolution, Y: (float64(c.Y) + 0.5) * g.Resolution})
}

// Holds reports whether a cell is on the map.
func (g Geometry) Holds(c Cell) bool { return c.X >= 0 && c.Y >= 0 && c.X < g.Width && c.Y < g.Height }

// Index is the place of a cell on the map in lists of all cells, row by row from the bottom.
func (g Geometry) Index(c Cell) int { return c.Y*g.Width + c.X }

// CellAt is the inverse of Index.
func (g Geometry) CellAt(i int) Cell { return Cell{i % g.Width, i / g.Width} }

// window is a rectangle of cells, without those at X1 and Y1.
type window struct{ x0, y0, x1, y1 int }

func (w window) empty() bool { return w.x0 >= w.x1 || w.y0 >= w.y1 }

func (w window) union(o window) window {
	switch {
	case w.empty():
		return o
	case o.empty():
		return w
	}
	return window{min(w.x0, o.x0), min(w.y0, o.y0), max(w.x1, o.x1), max(w.y1, o.y1)}
}

// grow moves every side outwards by n cells, but not off the map.
func (w window) grow(n int, g Geometry) window {
	if w.empty() {
		return w
	}
	return window{max(w.x0-n, 0), max(w.y0-n, 0), min(w.x1+n, g.Width), min(w.y1+n, g.Height)}
}

func (w window) area() int {
	if w.empty() {
		return 0
	}
	return (w.x1 - w.x0) * (w.y1 - w.y0)
}
