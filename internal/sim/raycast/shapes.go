package raycast

import (
	"math"

	"sarathi/internal/geom"
)

// Circle is the distance at which a ray meets a disc; false when it does not. From inside the disc it is 0.
func Circle(origin, dir, center geom.Vec2, radius float64) (float64, bool) {
	m := center.Sub(origin)
	along := m.Dot(dir)
	gap := m.Dot(m) - radius*radius // negative inside
	if gap <= 0 {
		return 0, true
	}
	if along <= 0 {
		return 0, false
	}
	// The offset from the axis is taken from the cross product: along² - gap would cancel far away.
	off := m.Cross(dir)
	rest := radius*radius - off*off
	if rest < 0 {
		return 0, false
	}
	return along - math.Sqrt(rest), true
}

// Segment is the distance at which a ray meets a segment; +Inf when it does not.
func Segment(origin, dir geom.Vec2, s geom.Segment) float64 {
	f := newFace(Wall{Segment: s})
	return f.crossing(origin, dir)
}

// crossing solves origin + t·dir = a + u·e for t ≥ 0 and 0 ≤ u ≤ 1; +Inf when there is no such t.
func (s *face) crossing(origin, dir geom.Vec2) float64 {
	mx, my := s.ax-origin.X, s.ay-origin.Y
	det := dir.X*s.ey - dir.Y*s.ex
	if det == 0 {
		return s.endOn(mx, my, dir)
	}
	// t and u times det, compared without dividing: most walls of a cell are missed.
	t := mx*s.ey - my*s.ex
	u := mx*dir.Y - my*dir.X
	if det < 0 { // the ray comes from the right
		if s.oneSided {
			return math.Inf(1)
		}
		t, u, det = -t, -u, -det
	}
	slack := s.slack * det
	if t < 0 || u < -slack || u > det+slack {
		return math.Inf(1)
	}
	return t / det
}

// endOn is the crossing with a wall parallel to the ray, m away: it is met at its nearer end when it lies on the ray.
func (s *face) endOn(mx, my float64, dir geom.Vec2) float64 {
	if math.Abs(mx*dir.Y-my*dir.X) > cornerSlack {
		return math.Inf(1)
	}
	a := mx*dir.X + my*dir.Y
	b := a + s.ex*dir.X + s.ey*dir.Y
	switch {
	case a >= 0 && b >= 0:
		return min(a, b)
	case a < 0 && b < 0:
		return math.Inf(1)
	}
	return 0
}
