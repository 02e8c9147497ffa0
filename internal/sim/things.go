package sim

import (
	"fmt"

	"sarathi/internal/geom"
	"sarathi/internal/sim/raycast"
	"sarathi/internal/sim/scenes"
)

// Kind says what sort of thing something is.
type Kind string

// Kinds of things that a robot can touch or see.
const (
	KindFence  Kind = "fence" // the bounds of the scene
	KindMap    Kind = "map"
	KindWall   Kind = "wall"
	KindBox    Kind = "box"
	KindCircle Kind = "circle"
	KindDoor   Kind = "door"
	KindPerson Kind = "person"
	KindRobot  Kind = "robot"
)

// Thing is something in the world, by kind and name; things without a name are numbered from 1.
type Thing struct {
	Kind Kind
	Name string
}

// String gives `box "table"`.
func (t Thing) String() string { return fmt.Sprintf("%s %q", t.Kind, t.Name) }

// cylinder is an upright round thing.
type cylinder struct {
	Thing
	center      geom.Vec2
	radius      float64
	bottom, top float64
}

// fenceHeight is the height of the scene's bounds and of walls that reach to the ceiling [m].
const fenceHeight = 2.5

// build arranges all that never moves.
func (w *World) build(s scenes.Scene) {
	b := builder{world: w}
	if r := s.Bounds; r != nil {
		b.outline(b.thing(KindFence, "", 0), geom.Polygon{{X: r[0], Y: r[1]}, {X: r[2], Y: r[1]}, {X: r[2], Y: r[3]}, {X: r[0], Y: r[3]}}, 0, fenceHeight, false)
	}
	for i, v := range s.Walls {
		owner := b.thing(KindWall, v.Name, i)
		for k := range v.Points[1:] {
			b.wall(owner, point(v.Points[k]), point(v.Points[k+1]), v.Bottom, v.Height, false)
		}
		if v.Closed {
			b.wall(owner, point(v.Points[len(v.Points)-1]), point(v.Points[0]), v.Bottom, v.Height, false)
		}
	}
	for i, v := range s.Boxes {
		outline := v.Outline()
		w.solids = append(w.solids, outline)
		b.outline(b.thing(KindBox, v.Name, i), outline, v.Bottom, v.Height, true)
	}
	for i, v := range s.Circles {
		t := named(KindCircle, v.Name, i)
		w.pillars = append(w.pillars, cylinder{t, geom.Vec2{X: v.X, Y: v.Y}, v.Radius, v.Bottom, v.Height})
	}
	if s.Grid != nil {
		b.walls = append(b.walls, raycast.Outline(s.Grid, s.MapHeight, b.thing(KindMap, s.Grid.Meta.Image, 0))...)
	}
	w.static = raycast.New(b.walls)
}

// builder collects the static walls.
type builder struct {
	world *World
	walls []raycast.Wall
}

// thing registers an owner of walls.
func (b *builder) thing(kind Kind, name string, i int) int {
	b.world.things = append(b.world.things, named(kind, name, i))
	return len(b.world.things) - 1
}

func (b *builder) wall(owner int, from, to geom.Vec2, bottom, top float64, oneSided bool) {
	b.walls = append(b.walls, raycast.Wall{
		Segment: geom.Segment{A: from, B: to}, Bottom: bottom, Top: top, Owner: owner, OneSided: oneSided,
	})
}

// outline adds the edges of a counter-clockwise polygon; those of something solid are seen from outside only.
func (b *builder) outline(owner int, p geom.Polygon, bottom, top float64, solid bool) {
	for i := range p {
		e := p.Edge(i)
		b.wall(owner, e.B, e.A, bottom, top, solid) // clockwise, so that the inside lies on the right
	}
}

func named(kind Kind, name string, i int) Thing {
	if name == "" {
		name = fmt.Sprint(i + 1)
	}
	return Thing{kind, name}
}

func point(p [2]float64) geom.Vec2 { return geom.Vec2{X: p[0], Y: p[1]} }
