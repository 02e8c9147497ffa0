package scanmatch

import (
	"math"

	"sarathi/internal/geom"
)

// Field is a picture of how well a hit fits at each place of a map, from 0 to 255, with its pyramid of maxima: level k holds, for each cell,
// the best value in the square of 2^k cells that starts there. It is what the branch-and-bound search of [Search] looks up.
type Field struct {
	res, inv float64
	x0, y0   int // cell of the lower left corner
	w, h     int
	levels   [][]uint8
	top      int // level that is filled last
}

// fieldLevels is the height of the pyramid: its top looks at squares of 2^(fieldLevels-1) cells.
const fieldLevels = 6

// Fill makes f the picture of the part of a grid inside the rectangle; width is the standard deviation [m] of the Gaussian fit. The memory of
// f is used again. The pyramid is as high as a search in a window of half side linear [m] needs.
func (f *Field) Fill(g *Grid, area geom.Rect, width, linear float64) {
	f.top = topLevel(int(math.Ceil(linear * g.inv)))
	f.res, f.inv = g.res, g.inv
	f.x0, f.y0 = g.index(area.Min.X), g.index(area.Min.Y)
	f.w, f.h = g.index(area.Max.X)-f.x0+1, g.index(area.Max.Y)-f.y0+1
	if f.levels == nil {
		f.levels = make([][]uint8, fieldLevels)
	}
	for k := range f.top + 1 {
		if cap(f.levels[k]) < f.w*f.h {
			f.levels[k] = make([]uint8, f.w*f.h)
		}
		f.levels[k] = f.levels[k][:f.w*f.h]
	}
	fit := make([]uint8, len(g.dist))
	for sq, d := range g.dist {
		fit[sq] = uint8(math.Round(255 * math.Exp(-d*d/(2*width*width))))
	}
	base := f.levels[0]
	for y := range f.h {
		row := base[y*f.w : (y+1)*f.w]
		for x := range row {
			row[x] = 0
			if c := g.at(f.x0+x, f.y0+y); c != nil && c.ox != noWall {
				row[x] = fit[c.square()]
			}
		}
	}
	for k := 1; k <= f.top; k++ {
		f.widen(f.levels[k], f.levels[k-1], 1<<(k-1))
	}
}

// widen takes maxima over squares twice as wide: the four squares of half the size that start at the corners cover it.
func (f *Field) widen(dst, src []uint8, half int) {
	for y := range f.h {
		a := src[y*f.w : (y+1)*f.w]
		b := src[min(y+half, f.h-1)*f.w:][:f.w]
		d := dst[y*f.w : (y+1)*f.w]
		inner := max(f.w-half, 0)
		for x := range inner {
			d[x] = max(a[x], a[x+half], b[x], b[x+half])
		}
		for x := inner; x < f.w; x++ {
			d[x] = max(a[x], b[x])
		}
	}
}

// topLevel is the level at which a search of so many cells to either side begins.
func topLevel(reach int) int {
	top := 0
	for top < fieldLevels-1 && 1<<(top+1) <= reach {
		top++
	}
	return top
}
