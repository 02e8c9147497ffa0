package sim

import (
	"math"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
	"sarathi/internal/sim/raycast"
)

// obstacle is what a footprint would touch, and where.
type obstacle struct {
	thing Thing
	point geom.Vec2
}

// touches finds something that the footprint of r at pose would touch. Everything in the world is asked, the static part through
// its grid; static says whether that part can be left out because it is known to be out of reach.
func (w *World) touches(r *Robot, pose geom.Pose2, skipStatic bool) (obstacle, bool) {
	w.corners = r.spec.Footprint.AppendTransform(w.corners[:0], pose)
	center := pose.Position()
	if !skipStatic {
		if o, hit := w.touchesStatic(w.corners, center, r.spec.Height); hit {
			return o, true
		}
	}
	for _, c := range w.pillars {
		if c.bottom < r.spec.Height && w.reaches(r, center, c.center, c.radius) {
			return obstacle{c.Thing, rim(c.center, c.radius, center)}, true
		}
	}
	for _, d := range w.doors {
		if leaf, ok := d.leaf(); ok && w.corners.IntersectsSegment(leaf) {
			return obstacle{d.Thing, leaf.Nearest(center)}, true
		}
	}
	for _, p := range w.people {
		if w.reaches(r, center, p.pos, p.radius) {
			return obstacle{p.Thing, rim(p.pos, p.radius, center)}, true
		}
	}
	for _, o := range w.robots {
		if o == r || o.reach+r.reach < o.pose.Position().Distance(center) {
			continue
		}
		for i := range o.outline {
			if w.corners.IntersectsSegment(o.outline.Edge(i)) {
				return obstacle{Thing{KindRobot, o.spec.Name}, o.outline.Edge(i).Nearest(center)}, true
			}
		}
	}
	return obstacle{}, false
}

func (w *World) touchesStatic(corners geom.Polygon, center geom.Vec2, height float64) (found obstacle, hit bool) {
	w.static.Near(corners.Bounds(), func(i int) bool {
		wall := w.static.Wall(i)
		if wall.Bottom < height && corners.IntersectsSegment(wall.Segment) {
			found, hit = obstacle{w.things[wall.Owner], wall.Nearest(center)}, true
		}
		return !hit
	})
	return found, hit
}

// reaches reports whether a disc touches the footprint of r, whose corners w holds.
func (w *World) reaches(r *Robot, center, disc geom.Vec2, radius float64) bool {
	return center.Distance(disc) <= r.reach+radius && w.corners.DistanceToPoint(disc) <= radius
}

// rim is the point of a circle that is nearest to p.
func rim(center geom.Vec2, radius float64, p geom.Vec2) geom.Vec2 {
	d := p.Sub(center)
	if n := d.Norm(); n > 0 {
		return center.Add(d.Scale(radius / n))
	}
	return center
}

// buried reports whether p lies inside something solid, where no outline is near enough to be touched.
func (w *World) buried(p geom.Vec2) (Thing, bool) {
	for i, s := range w.solids {
		if s.Contains(p) {
			return w.boxThing(i), true
		}
	}
	if w.grid != nil {
		if w.grid.At(w.grid.Cell(p)) == mapfile.Occupied {
			return Thing{KindMap, w.grid.Meta.Image}, true
		}
	}
	return Thing{}, false
}

// boxThing is the i-th box.
func (w *World) boxThing(i int) Thing {
	for _, t := range w.things {
		if t.Kind != KindBox {
			continue
		}
		if i == 0 {
			return t
		}
		i--
	}
	return Thing{Kind: KindBox}
}

// clearanceReach is how far Clearance looks [m].
const clearanceReach = 20

// Clearance is the distance from the robot's footprint to the nearest thing that could touch it, people included, and what that
// is [m]; at most 20 m are looked at. It is a ground truth for tests and displays, not a sensor.
func (r *Robot) Clearance() (float64, Thing) {
	best, thing := float64(clearanceReach), Thing{}
	take := func(d float64, t Thing) {
		if d < best {
			best, thing = d, t
		}
	}
	w, corners := r.world, r.outline
	w.static.Near(corners.Bounds().Expand(clearanceReach), func(i int) bool {
		if wall := w.static.Wall(i); wall.Bottom < r.spec.Height {
			take(corners.DistanceToSegment(wall.Segment), w.things[wall.Owner])
		}
		return true
	})
	for _, c := range w.pillars {
		if c.bottom < r.spec.Height {
			take(max(corners.DistanceToPoint(c.center)-c.radius, 0), c.Thing)
		}
	}
	for _, d := range w.doors {
		if leaf, ok := d.leaf(); ok {
			take(corners.DistanceToSegment(leaf), d.Thing)
		}
	}
	for _, p := range w.people {
		take(max(corners.DistanceToPoint(p.pos)-p.radius, 0), p.Thing)
	}
	for _, o := range w.robots {
		for i := range o.outline {
			if o != r {
				take(corners.DistanceToSegment(o.outline.Edge(i)), Thing{KindRobot, o.spec.Name})
			}
		}
	}
	return best, thing
}

// staticClearance is the distance from the footprint at pose to the nearest static wall, at most reach [m].
func (w *World) staticClearance(r *Robot, pose geom.Pose2, reach float64) float64 {
	w.corners = r.spec.Footprint.AppendTransform(w.corners[:0], pose)
	best := reach
	w.static.Near(w.corners.Bounds().Expand(reach), func(i int) bool {
		if wall := w.static.Wall(i); wall.Bottom < r.spec.Height {
			best = min(best, w.corners.DistanceToSegment(wall.Segment))
		}
		return best > 0
	})
	return best
}

// sees reports whether nothing stands between two points in space. What lies within slack [m] of the end is looked past.
func (w *World) sees(from, to geom.Vec3, self *Robot, slack float64) bool {
	d := to.XY().Sub(from.XY())
	distance := d.Norm()
	if distance <= slack {
		return true
	}
	dir := d.Scale(1 / distance)
	slope := (to.Z - from.Z) / distance
	limit := distance - slack
	free := true
	w.hits = w.lineOfSight(w.hits[:0], from.XY(), dir, limit, raycast.View{Z: from.Z, Low: slope, High: slope}, self,
		func(_ Kind, t, bottom, top float64) {
			if z := from.Z + slope*t; t < limit && z >= bottom && z < top {
				free = false
			}
		})
	return free
}

// lineOfSight calls visit with everything that a line of the floor plan crosses, in no particular order.
func (w *World) lineOfSight(room []raycast.Hit, from, dir geom.Vec2, limit float64, view raycast.View, self *Robot,
	visit func(kind Kind, t, bottom, top float64),
) []raycast.Hit {
	room = w.static.Hits(room, from, dir, limit, view)
	for _, h := range room {
		wall := w.static.Wall(h.Wall)
		visit(w.things[wall.Owner].Kind, h.Distance, wall.Bottom, wall.Top)
	}
	disc := func(kind Kind, c geom.Vec2, radius, bottom, top float64) {
		if t, ok := raycast.Circle(from, dir, c, radius); ok && t < limit {
			visit(kind, t, bottom, top)
		}
	}
	leaf := func(kind Kind, s geom.Segment, top float64) {
		if t := raycast.Segment(from, dir, s); t < limit {
			visit(kind, t, 0, top)
		}
	}
	for _, c := range w.pillars {
		disc(KindCircle, c.center, c.radius, c.bottom, c.top)
	}
	for _, p := range w.people {
		disc(KindPerson, p.pos, p.radius, 0, p.height)
	}
	for _, d := range w.doors {
		if s, ok := d.leaf(); ok {
			leaf(KindDoor, s, d.height)
		}
	}
	for _, o := range w.robots {
		if o == self || from.Distance(o.pose.Position()) > limit+o.reach {
			continue
		}
		for i := range o.outline {
			leaf(KindRobot, o.outline.Edge(i), o.spec.Height)
		}
	}
	return room
}

// roomToMove is the largest travel of any point of the body in one piece of a step [m]: far below the size of a footprint, so
// that nothing slips through it.
const roomToMove = 0.02

// advance moves r by its velocity over dt as far as nothing is touched. It reports what stopped it.
func (w *World) advance(r *Robot, v geom.Velocity, dt float64) (obstacle, bool) {
	travel := (v.Speed() + math.Abs(v.WZ)*r.reach) * dt
	pieces := max(1, math.Ceil(travel/roomToMove))
	for range int(pieces) {
		if o, hit := w.advancePiece(r, v, dt/pieces, travel/pieces); hit {
			return o, true
		}
	}
	return obstacle{}, false
}

func (w *World) advancePiece(r *Robot, v geom.Velocity, dt, travel float64) (obstacle, bool) {
	// As long as the body has travelled less than its distance to the nearest wall, no wall need be looked at.
	if r.open -= travel; r.open <= 0 {
		const reach = 0.6
		r.open = w.staticClearance(r, r.pose, reach) - travel
	}
	skip := r.open > 0
	next := r.pose.Mul(v.Integrate(dt))
	found, hit := w.touches(r, next, skip)
	if !hit {
		r.place(next)
		return obstacle{}, false
	}
	// The largest part of the step that touches nothing, to a thousandth of it.
	free, blocked := 0.0, 1.0
	for range 10 {
		half := (free + blocked) / 2
		if o, hit := w.touches(r, r.pose.Mul(v.Integrate(dt*half)), skip); hit {
			blocked, found = half, o
		} else {
			free = half
		}
	}
	r.place(r.pose.Mul(v.Integrate(dt * free)))
	return found, true
}
