package raycast

import (
	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

// Outline is the boundary of the occupied cells of a map, in the map frame: each edge between an occupied cell and one that
// is not, with collinear neighbours merged. All walls are one-sided, reach from the floor to top and carry owner.
func Outline(m *mapfile.Map, top float64, owner int) []Wall {
	o := outliner{m: m, top: top, owner: owner}
	for row := 0; row <= m.Height; row++ { // edges between row-1 and row
		o.line(m.Width, func(col int) (right, left bool) { return o.solid(col, row-1), o.solid(col, row) },
			func(col int) geom.Vec2 { return o.corner(col, row) })
	}
	for col := 0; col <= m.Width; col++ { // edges between col-1 and col
		o.line(m.Height, func(row int) (right, left bool) { return o.solid(col, row), o.solid(col-1, row) },
			func(row int) geom.Vec2 { return o.corner(col, row) })
	}
	return o.walls
}

type outliner struct {
	m     *mapfile.Map
	top   float64
	owner int
	walls []Wall
}

// line walks the n edges of one grid line upwards and emits a wall for each run of edges with the same solid side.
func (o *outliner) line(n int, sides func(i int) (right, left bool), corner func(i int) geom.Vec2) {
	begin, solidRight := -1, false
	for i := 0; i <= n; i++ {
		right, left := false, false
		if i < n {
			right, left = sides(i)
		}
		edge := right != left
		if begin >= 0 && (!edge || right != solidRight) {
			s := geom.Segment{A: corner(begin), B: corner(i)}
			if !solidRight {
				s.A, s.B = s.B, s.A
			}
			o.walls = append(o.walls, Wall{Segment: s, Top: o.top, Owner: o.owner, OneSided: true})
			begin = -1
		}
		if edge && begin < 0 {
			begin, solidRight = i, right
		}
	}
}

func (o *outliner) solid(col, row int) bool { return o.m.At(col, row) == mapfile.Occupied }

// corner is the lower left corner of a cell in the map frame.
func (o *outliner) corner(col, row int) geom.Vec2 {
	r := o.m.Meta.Resolution
	return o.m.Meta.Origin.Apply(geom.Vec2{X: float64(col) * r, Y: float64(row) * r})
}
