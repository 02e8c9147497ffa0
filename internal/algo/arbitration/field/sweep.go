package field

import (
	"math"

	"sarathi/internal/geom"
)

// sweep answers when a point fixed to the ground comes within the clearance of the footprint while the body holds a velocity u.
// It is solved in body axes, where the body rests and the point moves: along a straight line when u does not turn, else along a
// circle about the instantaneous centre of rotation. Both are intersected exactly with the pieces of the outline.
type sweep struct {
	o        *outline
	straight bool

	// straight: the body moves along dir at speed; across bounds the lateral band that it covers.
	dir      geom.Vec2
	speed    float64
	across   [2]float64
	foremost float64

	// turning: about centre at rate |wz|; the point turns the other way (sign). band bounds the distances from the centre.
	centre geom.Vec2
	rate   float64
	sign   float64
	band   [2]float64 // squared
}

// straightest is the curvature below which an arc counts as straight [1/m]: over 5 m it strays by 1.3 mm.
const straightest = 1e-4

// newSweep prepares for u, which is not zero.
func newSweep(o *outline, u geom.Velocity) sweep {
	s := sweep{o: o, speed: u.Speed(), rate: math.Abs(u.WZ)}
	c := o.clearance
	if s.rate <= straightest*s.speed {
		s.straight = true
		s.dir = geom.Vec2{X: u.VX / s.speed, Y: u.VY / s.speed}
		s.across = [2]float64{math.Inf(1), math.Inf(-1)}
		s.foremost = math.Inf(-1)
		for _, v := range o.polygon {
			lateral := s.dir.Cross(v)
			s.across[0], s.across[1] = min(s.across[0], lateral-c), max(s.across[1], lateral+c)
			s.foremost = max(s.foremost, s.dir.Dot(v)+c)
		}
		return s
	}
	s.centre = geom.Vec2{X: -u.VY / u.WZ, Y: u.VX / u.WZ}
	s.sign = -math.Copysign(1, u.WZ)
	inner, outer := max(o.distance(s.centre)-c, 0), 0.0
	for _, v := range o.polygon {
		outer = max(outer, v.Distance(s.centre)+c)
	}
	s.band = [2]float64{inner * inner, outer * outer}
	return s
}

// mayMeet is false for points that are certain not to be met within span [m]; r2 is the square of the distance of p from the origin.
func (s *sweep) mayMeet(p geom.Vec2, r2, span float64) bool {
	if far := s.o.reach + s.o.clearance + span; r2 > far*far {
		return false
	}
	return !s.straight || s.dir.Dot(p) <= s.foremost+span
}

// contact is the way that p travels towards the footprint until it is within the clearance [m], and its speed along it [m/s].
// p starts outside the clearance. A p that is never met has an infinite way.
func (s *sweep) contact(p geom.Vec2) (way, speed float64) {
	if s.straight {
		lateral := s.dir.Cross(p)
		if lateral < s.across[0] || lateral > s.across[1] {
			return math.Inf(1), s.speed
		}
		return s.line(p), s.speed
	}
	arm := p.Sub(s.centre)
	r2 := arm.Dot(arm)
	if r2 < s.band[0] || r2 > s.band[1] {
		return math.Inf(1), 0
	}
	r := math.Sqrt(r2)
	return s.arc(arm, r) * r, s.rate * r
}

// line is the shortest way from p against dir to a piece of the outline.
func (s *sweep) line(p geom.Vec2) float64 {
	way := math.Inf(1)
	for i, e := range s.o.edges {
		d := e.B.Sub(e.A)
		// p - t·dir = A + k·d
		if den := s.dir.Cross(d); math.Abs(den) > 1e-12 {
			ap := p.Sub(e.A)
			t, k := ap.Cross(d)/den, s.dir.Cross(ap)/den
			if t >= 0 && k >= 0 && k <= 1 {
				way = min(way, t)
			}
		}
		m := p.Sub(s.o.polygon[i])
		b := m.Dot(s.dir)
		if disc := b*b - m.Dot(m) + s.o.clearance*s.o.clearance; disc >= 0 {
			if t := b - math.Sqrt(disc); t >= 0 {
				way = min(way, t)
			}
		}
	}
	return way
}

// arc is the smallest angle by which a point at arm (length r) from the centre turns until it meets a piece of the outline [rad].
func (s *sweep) arc(arm geom.Vec2, r float64) float64 {
	angle := math.Inf(1)
	meet := func(q geom.Vec2) { // q is from the centre
		a := s.sign * math.Atan2(arm.Cross(q), arm.Dot(q))
		if a < 0 {
			a += 2 * math.Pi
		}
		angle = min(angle, a)
	}
	for i, e := range s.o.edges {
		a, d := e.A.Sub(s.centre), e.B.Sub(e.A)
		// |a + k·d| = r
		dd, ad := d.Dot(d), a.Dot(d)
		if disc := ad*ad - dd*(a.Dot(a)-r*r); disc >= 0 {
			root := math.Sqrt(disc)
			for _, k := range [2]float64{(-ad - root) / dd, (-ad + root) / dd} {
				if k >= 0 && k <= 1 {
					meet(a.Add(d.Scale(k)))
				}
			}
		}
		// Two circles: radius r about the centre, radius c about the corner v.
		v, c := s.o.polygon[i].Sub(s.centre), s.o.clearance
		vv := v.Dot(v)
		if vv == 0 {
			continue // concentric: the corner turns on the spot and meets nothing
		}
		along := (r*r - c*c + vv) / 2 // times 1/|v|
		if half2 := r*r*vv - along*along; half2 >= 0 {
			half := math.Sqrt(half2)
			base, side := v.Scale(along/vv), geom.Vec2{X: -v.Y, Y: v.X}.Scale(half/vv)
			meet(base.Add(side))
			meet(base.Sub(side))
		}
	}
	return angle
}
