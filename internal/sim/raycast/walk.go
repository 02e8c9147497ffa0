package raycast

import (
	"math"

	"sarathi/internal/geom"
)

// walk is the traversal of the grid along one ray, in empty squares where there are any. Columns and rows are counted in
// the direction of the ray, so that they only ever grow. Positions are in cells, distances along the ray in metres.
type walk struct {
	cells            []cell
	nx, ny           int
	column, row      int
	base             int     // index of the cell at column 0, row 0
	strideX, strideY int     // to the next column and row
	ox, oy           float64 // the ray's origin
	dx, dy           float64 // cells per metre of ray, not negative
	ix, iy           float64 // metres of ray per cell; 0 when the ray never changes the column or row
	neverX, neverY   float64 // +Inf when the ray never changes the column or row, else 0
	at               float64 // where the ray enters the current cell
}

// enter begins a traversal at the first cell of the grid that the ray touches within limit; false when there is none.
func (f *Field) enter(origin, dir geom.Vec2, limit float64) (w walk, ok bool) {
	if len(f.walls) == 0 {
		return w, false
	}
	scale := 1 / f.edge
	w = walk{
		cells: f.grid, nx: f.nx, ny: f.ny, strideX: 1, strideY: f.nx,
		ox: (origin.X - f.origin.X) * scale, oy: (origin.Y - f.origin.Y) * scale,
		dx: dir.X * scale, dy: dir.Y * scale,
	}
	nx, ny := float64(f.nx), float64(f.ny)
	if w.dx < 0 {
		w.ox, w.dx = nx-w.ox, -w.dx
		w.base, w.strideX = w.base+f.nx-1, -1
	}
	if w.dy < 0 {
		w.oy, w.dy = ny-w.oy, -w.dy
		w.base, w.strideY = w.base+f.nx*(f.ny-1), -f.nx
	}
	w.ix, w.neverX = inverse(w.dx)
	w.iy, w.neverY = inverse(w.dy)
	if w.ox < 0 || w.oy < 0 || w.ox >= nx || w.oy >= ny {
		x0, x1 := inside(w.ox, w.ix, nx)
		y0, y1 := inside(w.oy, w.iy, ny)
		w.at = max(0, x0, y0)
		if w.at > min(limit, x1, y1) {
			return w, false
		}
	}
	w.column = int(min(max(w.ox+w.at*w.dx, 0), nx-1))
	w.row = int(min(max(w.oy+w.at*w.dy, 0), ny-1))
	return w, true
}

// inverse is 1/d, or 0 and infinity when d is too small to cross a cell in any world.
func inverse(d float64) (inv, never float64) {
	if d < 1e-12 {
		return 0, math.Inf(1)
	}
	return 1 / d, 0
}

// inside is where a ray is between 0 and n on one axis; empty when from > to.
func inside(o, inv, n float64) (from, to float64) {
	if inv == 0 {
		if o >= 0 && o <= n {
			return 0, math.Inf(1)
		}
		return math.Inf(1), 0
	}
	return -o * inv, (n - o) * inv
}

// here is the current cell.
func (w *walk) here() *cell { return &w.cells[w.base+w.column*w.strideX+w.row*w.strideY] }

// advance leaves the empty square of leap cells around the current one; false at the edge of the grid. The walk always ends:
// one of the indices grows, and the other never shrinks, whatever rounding does.
func (w *walk) advance(leap int) bool {
	column, row := w.column+leap, w.row+leap
	tx := (float64(column)-w.ox)*w.ix + w.neverX
	ty := (float64(row)-w.oy)*w.iy + w.neverY
	w.at = min(tx, ty)
	x := max(int(w.ox+w.at*w.dx), w.column)
	y := max(int(w.oy+w.at*w.dy), w.row)
	if tx <= ty {
		x = column
	}
	if ty <= tx {
		y = row
	}
	w.column, w.row = x, y
	return x < w.nx && y < w.ny
}
