package raycast

import (
	"math"

	"sarathi/internal/geom"
)

// Wall is an upright face above a segment of the floor plan.
type Wall struct {
	geom.Segment
	Bottom, Top float64 // heights between which it stands [m]
	Owner       int     // whatever the caller needs to recognise it
	// OneSided walls bound something solid on their right, seen from A to B: rays from there pass.
	OneSided bool
}

const (
	// cornerSlack lengthens every wall at both ends [m], so that no ray slips between two walls that share a corner.
	cornerSlack = 1e-9
	// cellSlack widens every cell when walls are entered into it [m]: far above rounding, far below any cell.
	cellSlack = 1e-6
	// maxCells bounds the grid; larger worlds get larger cells.
	maxCells = 1 << 20
	// minEdge is the smallest edge of a cell [m]. Empty regions are crossed in leaps, so that small cells cost little there
	// and leave few walls to test in the others.
	minEdge = 0.2
	// maxLeap bounds the leaps, and with them the work of measuring them.
	maxLeap = 1 << 10
)

// Field is an immutable set of walls arranged for ray casting. It may be read by any number of goroutines.
type Field struct {
	walls  []Wall
	faces  []face
	origin geom.Vec2 // lower left corner of the grid
	edge   float64   // of a cell [m]
	nx, ny int
	grid   []cell // row by row
	items  []int32
}

// face is a wall as the inner loop wants it.
type face struct {
	ax, ay, ex, ey float64 // first end and the vector to the second
	slack          float64 // cornerSlack as a fraction of the length
	bottom, top    float64
	oneSided       bool
}

// cell is one square of the grid: its walls are items[first:end].
type cell struct {
	first, end int32
	// leap is how many columns or rows away the nearest cell with walls is: the square of the cells nearer than that is
	// empty. It is at least 1, which stands for the cell itself.
	leap int32
}

// New arranges walls; it keeps the slice.
func New(walls []Wall) *Field {
	f := &Field{walls: walls, faces: make([]face, len(walls))}
	bounds := geom.Rect{}
	for i, w := range walls {
		f.faces[i] = newFace(w)
		box := boxOf(w.Segment)
		if i == 0 {
			bounds = box
		}
		bounds = bounds.Union(box)
	}
	bounds = bounds.Expand(10 * cellSlack)
	size := bounds.Max.Sub(bounds.Min)
	f.edge = max(minEdge, math.Sqrt(size.X*size.Y/maxCells), max(size.X, size.Y)/maxCells)
	f.origin = bounds.Min
	f.nx, f.ny = int(size.X/f.edge)+1, int(size.Y/f.edge)+1
	f.grid = make([]cell, f.nx*f.ny)
	f.fill()
	f.measure()
	return f
}

func newFace(w Wall) face {
	e := w.B.Sub(w.A)
	return face{w.A.X, w.A.Y, e.X, e.Y, cornerSlack / max(e.Norm(), cornerSlack), w.Bottom, w.Top, w.OneSided}
}

// fill enters every wall into the cells it touches: counted first, then stored.
func (f *Field) fill() {
	for i := range f.walls {
		f.eachCell(f.walls[i].Segment, func(c *cell) { c.end++ })
	}
	total := int32(0)
	for c := range f.grid {
		n := f.grid[c].end
		f.grid[c].first, f.grid[c].end = total, total
		total += n
	}
	f.items = make([]int32, total)
	for i := range f.walls {
		f.eachCell(f.walls[i].Segment, func(c *cell) {
			f.items[c.end] = int32(i)
			c.end++
		})
	}
}

// measure fills leap: the chessboard distance transform, a pass from each of two opposite corners.
func (f *Field) measure() {
	for c := range f.grid {
		if g := &f.grid[c]; g.first == g.end {
			g.leap = maxLeap
		}
	}
	lower := func(c, x, y int) {
		if x >= 0 && y >= 0 && x < f.nx && y < f.ny {
			f.grid[c].leap = min(f.grid[c].leap, f.grid[y*f.nx+x].leap+1)
		}
	}
	for y := range f.ny {
		for x := range f.nx {
			c := y*f.nx + x
			lower(c, x-1, y)
			lower(c, x-1, y-1)
			lower(c, x, y-1)
			lower(c, x+1, y-1)
		}
	}
	for y := f.ny - 1; y >= 0; y-- {
		for x := f.nx - 1; x >= 0; x-- {
			c := y*f.nx + x
			lower(c, x+1, y)
			lower(c, x+1, y+1)
			lower(c, x, y+1)
			lower(c, x-1, y+1)
		}
	}
	for c := range f.grid {
		f.grid[c].leap = max(f.grid[c].leap, 1)
	}
}

// eachCell calls visit for each cell that s touches.
func (f *Field) eachCell(s geom.Segment, visit func(c *cell)) {
	x0, y0, x1, y1 := f.span(boxOf(s).Expand(cellSlack))
	d := s.B.Sub(s.A)
	n := geom.Vec2{X: -d.Y, Y: d.X}
	reach := (f.edge/2 + cellSlack) * (math.Abs(n.X) + math.Abs(n.Y)) // of a cell's corners along the normal
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			center := f.origin.Add(geom.Vec2{X: float64(x) + 0.5, Y: float64(y) + 0.5}.Scale(f.edge))
			if math.Abs(center.Sub(s.A).Dot(n)) <= reach {
				visit(&f.grid[y*f.nx+x])
			}
		}
	}
}

// span is the range of columns and rows that box touches, cut to the grid.
func (f *Field) span(box geom.Rect) (x0, y0, x1, y1 int) {
	column := func(x float64) int { return int(min(max((x-f.origin.X)/f.edge, 0), float64(f.nx-1))) }
	row := func(y float64) int { return int(min(max((y-f.origin.Y)/f.edge, 0), float64(f.ny-1))) }
	return column(box.Min.X), row(box.Min.Y), column(box.Max.X), row(box.Max.Y)
}

// Len is the number of walls.
func (f *Field) Len() int { return len(f.walls) }

// Wall is the wall of an index that Cast, Hits or Near gave.
func (f *Field) Wall(i int) Wall { return f.walls[i] }

// Bounds is a box around all walls.
func (f *Field) Bounds() geom.Rect {
	return geom.Rect{Min: f.origin, Max: f.origin.Add(geom.Vec2{X: float64(f.nx), Y: float64(f.ny)}.Scale(f.edge))}
}

// Near calls visit with every wall whose own box touches box, some of them more than once, until visit returns false.
func (f *Field) Near(box geom.Rect, visit func(i int) bool) {
	if len(f.walls) == 0 || !overlap(box, f.Bounds()) {
		return
	}
	x0, y0, x1, y1 := f.span(box)
	for y := y0; y <= y1; y++ {
		first, last := f.grid[y*f.nx+x0], f.grid[y*f.nx+x1] // a row of cells lists its walls in one stretch
		for _, i := range f.items[first.first:last.end] {
			if overlap(boxOf(f.walls[i].Segment), box) && !visit(int(i)) {
				return
			}
		}
	}
}

func boxOf(s geom.Segment) geom.Rect {
	return geom.Rect{
		Min: geom.Vec2{X: min(s.A.X, s.B.X), Y: min(s.A.Y, s.B.Y)},
		Max: geom.Vec2{X: max(s.A.X, s.B.X), Y: max(s.A.Y, s.B.Y)},
	}
}

func overlap(a, b geom.Rect) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}
