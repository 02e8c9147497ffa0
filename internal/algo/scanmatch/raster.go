package scanmatch

import (
	"math"

	"sarathi/internal/geom"
)

// Raster is a map as occupancy in percent, row by row from the lower left corner, x first; -1 is what nobody has seen.
type Raster struct {
	Origin        geom.Vec2 // lower left corner of the first cell [m]
	Resolution    float64   // [m]
	Width, Height int
	Cells         []int8
}

// Raster is the smallest picture of all that is known.
func (g *Grid) Raster() Raster {
	lo, hi := spot{math.MaxInt, math.MaxInt}, spot{math.MinInt, math.MinInt}
	g.each(func(x, y int, _ *cell) {
		lo, hi = spot{min(lo.x, x), min(lo.y, y)}, spot{max(hi.x, x), max(hi.y, y)}
	})
	r := Raster{Resolution: g.res}
	if lo.x > hi.x {
		return r
	}
	r.Origin = geom.Vec2{X: float64(lo.x) * g.res, Y: float64(lo.y) * g.res}
	r.Width, r.Height = hi.x-lo.x+1, hi.y-lo.y+1
	r.Cells = make([]int8, r.Width*r.Height)
	for i := range r.Cells {
		r.Cells[i] = -1
	}
	g.each(func(x, y int, c *cell) {
		r.Cells[(y-lo.y)*r.Width+x-lo.x] = int8(math.Round(100 / (1 + math.Exp(-float64(c.odds)/100))))
	})
	return r
}

// each calls visit for all cells that were seen, in a fixed order.
func (g *Grid) each(visit func(x, y int, c *cell)) {
	for i, t := range g.tiles {
		if t == nil {
			continue
		}
		x0, y0 := (g.x0+i%g.w)<<tileBits, (g.y0+i/g.w)<<tileBits
		for k := range t {
			if t[k].state&known != 0 {
				visit(x0+k&tileMask, y0+k>>tileBits, &t[k])
			}
		}
	}
}
