package geom

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func square(half float64) Polygon {
	return Polygon{{half, half}, {-half, half}, {-half, -half}, {half, -half}}
}

// star is a random polygon around the origin, in general not convex, never self-intersecting.
func star(r *rand.Rand) Polygon {
	n := 3 + r.IntN(9)
	p := make(Polygon, n)
	for i := range p {
		a := 2 * math.Pi * (float64(i) + 0.8*r.Float64()) / float64(n)
		s, c := math.Sincos(a)
		l := 0.5 + r.Float64()
		p[i] = Vec2{l * c, l * s}
	}
	return p
}

func TestPolygonValidate(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name string
		p    Polygon
		want string // part of the message; empty: valid
	}{
		{"square", square(1), ""},
		{"clockwise", Polygon{{0, 0}, {0, 1}, {1, 1}, {1, 0}}, ""},
		{"concave", Polygon{{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}, ""},
		{"corner on a straight side", Polygon{{0, 0}, {1, 0}, {2, 0}, {2, 2}}, ""},
		{"empty", nil, "0 points"},
		{"two points", Polygon{{0, 0}, {1, 0}}, "2 points"},
		{"nan", Polygon{{0, 0}, {1, 0}, {nan, 1}}, "point 3"},
		{"infinite", Polygon{{0, 0}, {math.Inf(1), 0}, {1, 1}}, "point 2"},
		{"closed by hand", Polygon{{0, 0}, {1, 0}, {1, 1}, {0, 0}}, "points 4 and 1 are the same"},
		{"bow tie", Polygon{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, "cross"},
		{"touches itself", Polygon{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}, "cross"},
		{"line there and back", Polygon{{0, 0}, {2, 0}, {1, 0}}, "area"},
		{"spike", Polygon{{0, 0}, {2, 0}, {1, 0}, {1, 1}}, "cross"},
		{"long spike", Polygon{{0, 0}, {2, 0}, {-1, 0}, {0, 1}}, "cross"},
		{"thin", Polygon{{0, 0}, {1e-3, 0}, {0, 1e-4}}, "area"},
		{"overflow", Polygon{{0, 0}, {1e200, 0}, {0, 1e200}}, "area"},
	}
	for _, tt := range tests {
		err := tt.p.Validate()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, ErrPolygon)):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestPolygonMeasures(t *testing.T) {
	p := Polygon{{0.3, 0.2}, {-0.3, 0.2}, {-0.3, -0.2}, {0.3, -0.2}}
	if got := p.Area(); !near(got, 0.24) {
		t.Errorf("area %g, want 0.24", got)
	}
	if got := p.Circumradius(); !near(got, math.Hypot(0.3, 0.2)) {
		t.Errorf("circumradius %g", got)
	}
	if got := p.Inradius(); !near(got, 0.2) {
		t.Errorf("inradius %g, want 0.2", got)
	}
	if got := p.Transform(Pose2{X: 5}).Inradius(); got != 0 {
		t.Errorf("inradius %g of a polygon that excludes the origin, want 0", got)
	}
	if got, want := p.Bounds(), (Rect{Vec2{-0.3, -0.2}, Vec2{0.3, 0.2}}); got != want {
		t.Errorf("bounds %v, want %v", got, want)
	}
	if !p.IsConvex() || (Polygon{{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}).IsConvex() {
		t.Error("IsConvex is wrong")
	}
	reversed := slices.Clone(p)
	slices.Reverse(reversed)
	if !reversed.IsConvex() || !near(reversed.Area(), -0.24) {
		t.Error("clockwise winding changes more than the sign of the area")
	}
}

func TestPolygonDistances(t *testing.T) {
	p := square(1)
	tests := []struct {
		v    Vec2
		want float64
	}{
		{Vec2{0, 0}, 0}, {Vec2{0.99, -0.99}, 0}, {Vec2{2, 0}, 1}, {Vec2{0, -3}, 2}, {Vec2{4, 5}, 5},
	}
	for _, tt := range tests {
		if got := p.DistanceToPoint(tt.v); !near(got, tt.want) {
			t.Errorf("distance to %v is %g, want %g", tt.v, got, tt.want)
		}
	}
	segments := []struct {
		s    Segment
		want float64
	}{
		{Segment{Vec2{-5, 0}, Vec2{5, 0}}, 0},
		{Segment{Vec2{0.1, 0}, Vec2{0.2, 0}}, 0},
		{Segment{Vec2{0, 0}, Vec2{9, 9}}, 0},
		{Segment{Vec2{2, -9}, Vec2{2, 9}}, 1},
		{Segment{Vec2{3, 0}, Vec2{3, 0}}, 2},
		{Segment{Vec2{4, 5}, Vec2{9, 9}}, 5},
	}
	for _, tt := range segments {
		if got := p.DistanceToSegment(tt.s); !near(got, tt.want) {
			t.Errorf("distance to %v is %g, want %g", tt.s, got, tt.want)
		}
		if got := p.IntersectsSegment(tt.s); got != (tt.want == 0) {
			t.Errorf("IntersectsSegment(%v) = %t at distance %g", tt.s, got, tt.want)
		}
	}
}

func TestPolygonProperties(t *testing.T) {
	r := rng(t)
	var room Polygon
	for range rounds {
		p, pose := star(r), randPose2(r)
		if err := p.Validate(); err != nil {
			t.Fatalf("star %v: %v", p, err)
		}
		q := p.Transform(pose)
		if !near(q.Area(), p.Area()) {
			t.Fatalf("moving %v changes its area", p)
		}
		room = p.AppendTransform(room[:0], pose)
		if !slices.Equal(room, q) {
			t.Fatal("AppendTransform and Transform disagree")
		}
		v := Vec2{uniform(r, 2), uniform(r, 2)}
		if !near(p.DistanceToPoint(v), q.DistanceToPoint(pose.Apply(v))) {
			t.Fatalf("moving %v changes its distance to %v", p, v)
		}
		switch d := v.Norm(); {
		case d < p.Inradius() && !p.Contains(v):
			t.Fatalf("%v is within the inradius of %v, yet not inside", v, p)
		case d > p.Circumradius() && p.Contains(v):
			t.Fatalf("%v is beyond the circumradius of %v, yet inside", v, p)
		}
		s := Segment{v, Vec2{uniform(r, 2), uniform(r, 2)}}
		if got, want := p.DistanceToSegment(s), sampledDistance(p, s); got > want+tol || got < want-0.02 {
			t.Fatalf("distance of %v to %v is %g, by samples %g", p, s, got, want)
		}
	}
}

// sampledDistance is the smallest distance of 200 points of s to p.
func sampledDistance(p Polygon, s Segment) float64 {
	d := math.Inf(1)
	for i := range 201 {
		d = min(d, p.DistanceToPoint(s.A.Lerp(s.B, float64(i)/200)))
	}
	return d
}

func TestSegmentIntersects(t *testing.T) {
	tests := []struct {
		name string
		a, b Segment
		want bool
	}{
		{"cross", Segment{Vec2{-1, 0}, Vec2{1, 0}}, Segment{Vec2{0, -1}, Vec2{0, 1}}, true},
		{"touch in a T", Segment{Vec2{-1, 0}, Vec2{1, 0}}, Segment{Vec2{0, 0}, Vec2{0, 1}}, true},
		{"share an end", Segment{Vec2{0, 0}, Vec2{1, 0}}, Segment{Vec2{1, 0}, Vec2{2, 5}}, true},
		{"overlap", Segment{Vec2{0, 0}, Vec2{2, 0}}, Segment{Vec2{1, 0}, Vec2{3, 0}}, true},
		{"in line, apart", Segment{Vec2{0, 0}, Vec2{1, 0}}, Segment{Vec2{2, 0}, Vec2{3, 0}}, false},
		{"parallel", Segment{Vec2{0, 0}, Vec2{1, 0}}, Segment{Vec2{0, 1}, Vec2{1, 1}}, false},
		{"lines cross outside", Segment{Vec2{0, 0}, Vec2{1, 0}}, Segment{Vec2{3, -1}, Vec2{3, 1}}, false},
		{"point on it", Segment{Vec2{0, 0}, Vec2{2, 0}}, Segment{Vec2{1, 0}, Vec2{1, 0}}, true},
		{"point off it", Segment{Vec2{0, 0}, Vec2{2, 0}}, Segment{Vec2{1, 1}, Vec2{1, 1}}, false},
	}
	for _, tt := range tests {
		for _, c := range [][2]Segment{{tt.a, tt.b}, {tt.b, tt.a}, {{tt.a.B, tt.a.A}, tt.b}} {
			if got := c[0].Intersects(c[1]); got != tt.want {
				t.Errorf("%s: %v and %v: %t, want %t", tt.name, c[0], c[1], got, tt.want)
			}
		}
	}
}

func TestRect(t *testing.T) {
	r := Rect{Vec2{0, 0}, Vec2{2, 1}}
	if !r.Contains(Vec2{2, 1}) || r.Contains(Vec2{2.1, 1}) || !r.Expand(0.2).Contains(Vec2{2.1, 1}) {
		t.Error("Contains or Expand is wrong")
	}
	if got, want := r.Union(Rect{Vec2{-1, 0.5}, Vec2{1, 3}}), (Rect{Vec2{-1, 0}, Vec2{2, 3}}); got != want {
		t.Errorf("union %v, want %v", got, want)
	}
}

func TestVecBasics(t *testing.T) {
	r := rng(t)
	for range rounds {
		a, b := randVec2(r), randVec2(r)
		// Lagrange: (a·b)² + (a×b)² = |a|²|b|².
		if got, want := a.Dot(b)*a.Dot(b)+a.Cross(b)*a.Cross(b), a.Dot(a)*b.Dot(b); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("dot and cross of %v, %v give %g, want %g", a, b, got, want)
		}
		th := uniform(r, 3)
		if got := NormalizeAngle(a.Rotate(th).Angle() - a.Angle() - th); !near(got, 0) && !near(math.Abs(got), 2*math.Pi) {
			t.Fatalf("Rotate(%g) turned by something else: off by %g", th, got)
		}
		u, v := randVec3(r), randVec3(r)
		if c := u.Cross(v); math.Abs(c.Dot(u)) > 1e-6 || math.Abs(c.Dot(v)) > 1e-6 {
			t.Fatalf("%v is not perpendicular to %v and %v", c, u, v)
		}
		if u.XY() != (Vec2{u.X, u.Y}) || !u.IsFinite() || !a.IsFinite() {
			t.Fatal("XY or IsFinite is wrong")
		}
	}
}
