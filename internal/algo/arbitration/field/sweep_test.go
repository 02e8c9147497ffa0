package field

import (
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/geom"
)

// The exact sweep must agree with the plain definition: move the body in small steps and look when the point is near enough.
func TestContactAgreesWithSmallSteps(t *testing.T) {
	const clearance, step = 0.03, 2e-3 // [m], [s]
	shapes := []geom.Polygon{box(0.35, 0.35, 0.20), box(0.6, 0.1, 0.15), tee()}
	r := rand.New(rand.NewPCG(3, 1))
	hits := 0
	for range 600 {
		o := newOutline(shapes[r.IntN(len(shapes))], clearance)
		u := randVelocity(r, geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5})
		p := geom.Vec2{X: uniform(r, -0.7, 0.7), Y: uniform(r, -0.5, 0.5)}
		if u.IsZero() || o.distance(p) < clearance+1e-3 {
			continue
		}
		want := math.Inf(1)
		for k := 1; k <= steps; k++ {
			if q := u.Integrate(step * float64(k)).Inverse().Apply(p); o.distance(q) < clearance {
				want = step * float64(k)
				break
			}
		}
		s := newSweep(o, u)
		way, speed := s.contact(p)
		got := way / speed
		if got > steps*step {
			got = math.Inf(1)
		}
		if !math.IsInf(want, 1) {
			hits++
		}
		switch grazes := math.IsInf(want, 1) && closest(o, u, p, step) < clearance+1e-4; {
		case grazes: // small steps jump over a touch that the exact sweep may see
		case math.IsInf(want, 1) != math.IsInf(got, 1), !math.IsInf(want, 1) && (got > want+1e-9 || got < want-step-1e-9) &&
			closest(o, u, p, step) < clearance-1e-3:
			t.Errorf("u %v, point %v: met after %g s, small steps say %g s", u, p, got, want)
		}
	}
	if hits < 60 {
		t.Errorf("only %d of the random points are met: the test shows little", hits)
	}
}

// steps is how many small steps are looked at.
const steps = 600

// closest is the smallest distance that small steps see.
func closest(o *outline, u geom.Velocity, p geom.Vec2, step float64) float64 {
	d := math.Inf(1)
	for k := 1; k <= steps; k++ {
		d = min(d, o.distance(u.Integrate(step*float64(k)).Inverse().Apply(p)))
	}
	return d
}

func TestContact(t *testing.T) {
	o := newOutline(box(0.35, 0.35, 0.20), 0.03)
	tests := []struct {
		name string
		u    geom.Velocity
		p    geom.Vec2
		way  float64
	}{
		{"straight ahead", geom.Velocity{VX: 0.5}, geom.Vec2{X: 1.38, Y: 0}, 1},
		{"backwards", geom.Velocity{VX: -0.5}, geom.Vec2{X: -1.38, Y: 0.1}, 1},
		{"sideways", geom.Velocity{VY: 0.3}, geom.Vec2{X: 0.2, Y: 1.23}, 1},
		{"beside the path", geom.Velocity{VX: 0.5}, geom.Vec2{X: 1, Y: 0.231}, math.Inf(1)},
		{"behind", geom.Velocity{VX: 0.5}, geom.Vec2{X: -1, Y: 0}, math.Inf(1)},
		{"corner, grown by the clearance", geom.Velocity{VX: 0.5}, geom.Vec2{X: 1.35, Y: 0.23}, 1},
		{"beyond every corner on the spot", geom.Velocity{WZ: 1}, geom.Vec2{X: 0.45, Y: 0}, math.Inf(1)},
		{"arc with the centre in a corner", geom.Velocity{VX: -0.2, VY: 0.35, WZ: 1}, geom.Vec2{X: 3, Y: 3}, math.Inf(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSweep(o, tt.u)
			if way, _ := s.contact(tt.p); math.Abs(way-tt.way) > 1e-7 && way != tt.way {
				t.Errorf("way %g, want %g", way, tt.way)
			}
		})
	}
	// A point beside the hull is met by the corner that turns towards it, and only from that side.
	p := geom.Vec2{X: 0, Y: 0.30}
	for _, turn := range []float64{1, -1} {
		s := newSweep(o, geom.Velocity{WZ: turn})
		way, speed := s.contact(p)
		// The front edge, moved out by 3 cm, ends at (0.38, 0.20); the side at (0.35, 0.23). The point moves on a circle of 0.30 m and
		// first comes to the side: y = 0.23 at asin(0.23/0.30).
		want := (math.Pi/2 - math.Asin(0.23/0.30)) * 0.30
		if math.Abs(way-want) > 1e-9 || math.Abs(speed-0.30) > 1e-9 {
			t.Errorf("turning %g: way %g at %g m/s, want %g at 0.3", turn, way, speed, want)
		}
	}
}

func TestOutside(t *testing.T) {
	for _, p := range []geom.Polygon{box(0.35, 0.35, 0.2), tee(), box(0.9, 0.05, 0.05)} {
		o := newOutline(p, 0.03)
		for i := range 720 {
			s, c := math.Sincos(float64(i) * math.Pi / 360)
			dir := geom.Vec2{X: c, Y: s}
			r := o.outside(dir, 0.06)
			if d := o.distance(dir.Scale(r)); d < 0.06-1e-9 || d > 0.06+2e-4 {
				t.Fatalf("bearing %d/2°: range %g is %g from the footprint, want 0.06", i, r, d)
			}
		}
	}
}

func TestOutlineAgreesWithGeom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, p := range []geom.Polygon{box(0.35, 0.35, 0.2), tee(), {{X: 0.3}, {X: -0.2, Y: -0.3}, {X: -0.2, Y: 0.3}}} {
		o := newOutline(p, 0.03)
		if o.polygon.Area() <= 0 {
			t.Errorf("outline is not counter-clockwise")
		}
		for range 1000 {
			q := geom.Vec2{X: uniform(r, -1, 1), Y: uniform(r, -1, 1)}
			got, want := o.distance(q), p.DistanceToPoint(q)
			if p.Contains(q) != (got < 0) || want > 0 && math.Abs(got-want) > 1e-12 {
				t.Fatalf("distance of %v is %g, geom says %g, inside %v", q, got, want, p.Contains(q))
			}
		}
	}
}
