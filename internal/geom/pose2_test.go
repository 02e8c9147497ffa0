package geom

import (
	"math"
	"testing"
)

func TestPose2Group(t *testing.T) {
	r := rng(t)
	for range rounds {
		a, b, c := randPose2(r), randPose2(r), randPose2(r)
		if got, want := a.Mul(b).Mul(c), a.Mul(b.Mul(c)); !nearPose(got, want) {
			t.Fatalf("not associative: %v and %v", got, want)
		}
		if got := a.Mul(a.Inverse()); !nearPose(got, Pose2{}) {
			t.Fatalf("%v times its inverse is %v", a, got)
		}
		if got := a.Mul(a.Between(b)); !nearPose(got, b) {
			t.Fatalf("a·(a between b) = %v, want %v", got, b)
		}
		v := randVec2(r)
		if got, want := a.Mul(b).Apply(v), a.Apply(b.Apply(v)); got.Distance(want) > tol {
			t.Fatalf("Apply of the product gives %v, in turn %v", got, want)
		}
		if got := a.Transform().Mul(b.Transform()).Pose2(); !nearPose(got, a.Mul(b)) {
			t.Fatalf("SE(3) gives %v, SE(2) %v", got, a.Mul(b))
		}
	}
}

func TestPose2Interpolate(t *testing.T) {
	a, b := Pose2{0, 0, 3}, Pose2{2, 4, -3}
	if got, want := a.Interpolate(b, 0.5), (Pose2{1, 2, math.Pi}); !nearPose(got, want) {
		t.Errorf("half way is %v, want %v: the short way leads over π", got, want)
	}
	if got := a.Interpolate(b, 0); !nearPose(got, a) {
		t.Errorf("start is %v, want %v", got, a)
	}
	if got := a.Interpolate(b, 1); !nearPose(got, b) {
		t.Errorf("end is %v, want %v", got, b)
	}
}

func TestIntegrateKnownArcs(t *testing.T) {
	tests := []struct {
		name string
		v    Velocity
		dt   float64
		want Pose2
	}{
		{"straight", Velocity{VX: 1}, 2, Pose2{2, 0, 0}},
		{"sideways", Velocity{VY: -0.5}, 2, Pose2{0, -1, 0}},
		{"on the spot", Velocity{WZ: math.Pi / 2}, 1, Pose2{0, 0, math.Pi / 2}},
		{"quarter circle of radius 1", Velocity{VX: math.Pi / 2, WZ: math.Pi / 2}, 1, Pose2{1, 1, math.Pi / 2}},
		{"full circle", Velocity{VX: 1, WZ: 2 * math.Pi}, 1, Pose2{}},
		{"backwards in time", Velocity{VX: 1}, -1, Pose2{-1, 0, 0}},
	}
	for _, tt := range tests {
		if got := tt.v.Integrate(tt.dt); !nearPose(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestIntegrateProperties(t *testing.T) {
	r := rng(t)
	for i := range rounds {
		v := Velocity{uniform(r, 3), uniform(r, 3), uniform(r, 3)}
		if i%2 == 0 { // exercise the series near zero, on both sides of its border
			v.WZ = uniform(r, 4e-4)
		}
		dt := r.Float64()
		whole := v.Integrate(dt)
		if got := v.Integrate(dt / 3).Mul(v.Integrate(2 * dt / 3)); !nearPose(got, whole) {
			t.Fatalf("%v over %g s: two steps give %v, one gives %v", v, dt, got, whole)
		}
		if got := whole.Log(); got.Sub(v.Scale(dt)).Speed() > tol || !near(got.WZ, v.WZ*dt) {
			t.Fatalf("Log of the motion by %v over %g s is %v", v, dt, got)
		}
	}
}

func TestVelocity(t *testing.T) {
	v := Velocity{1, -2, 3}
	if got, want := v.Clamp(Velocity{0.5, 0.5, 5}), (Velocity{0.5, -0.5, 3}); got != want {
		t.Errorf("Clamp gives %v, want %v", got, want)
	}
	if got := (Velocity{VX: math.NaN()}).Clamp(Velocity{1, 1, 1}); got.IsFinite() {
		t.Errorf("Clamp hides NaN: %v", got)
	}
	if got, want := v.Scale(2).Sub(v).Add(v), (Velocity{2, -4, 6}); got != want {
		t.Errorf("arithmetic gives %v, want %v", got, want)
	}
	if !(Velocity{}).IsZero() || v.IsZero() {
		t.Error("IsZero is wrong")
	}
	if got, want := (Velocity{VX: 1, WZ: 2}).At(Vec2{0.5, 0.25}), (Vec2{0.5, 1}); got.Distance(want) > tol {
		t.Errorf("velocity of the point is %v, want %v", got, want)
	}
}

func TestVelocityAtMatchesMotion(t *testing.T) {
	r := rng(t)
	const dt = 1e-6
	for range rounds {
		v := Velocity{uniform(r, 2), uniform(r, 2), uniform(r, 2)}
		p := Vec2{uniform(r, 1), uniform(r, 1)}
		moved := v.Integrate(dt).Apply(p).Sub(p).Scale(1 / dt)
		if moved.Distance(v.At(p)) > 1e-4 {
			t.Fatalf("point %v of a body moving %v goes %v, At says %v", p, v, moved, v.At(p))
		}
	}
}
