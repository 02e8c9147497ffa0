package sim

import (
	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

// openPlace is the centre of the free cell that is farthest from every cell that is not free, by chessboard distance; of several
// the lowest and leftmost one.
func openPlace(m *mapfile.Map) geom.Pose2 {
	w, h := m.Width, m.Height
	room := make([]int32, w*h) // distance to the nearest cell that is not free; the outside of the map is not free
	at := func(x, y int) int32 {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 0
		}
		return room[y*w+x]
	}
	for y := range h {
		for x := range w {
			if m.Cells[y*w+x] == mapfile.Free {
				room[y*w+x] = 1 + min(at(x-1, y), at(x-1, y-1), at(x, y-1), at(x+1, y-1))
			}
		}
	}
	best := 0
	for y := h - 1; y >= 0; y-- {
		for x := w - 1; x >= 0; x-- {
			c := y*w + x
			room[c] = min(room[c], 1+min(at(x+1, y), at(x+1, y+1), at(x, y+1), at(x-1, y+1)))
			if room[c] >= room[best] {
				best = c
			}
		}
	}
	p := m.Center(best%w, best/w)
	return geom.Pose2{X: p.X, Y: p.Y}
}
