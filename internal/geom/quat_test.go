package geom

import (
	"math"
	"testing"
)

func TestQuatRotation(t *testing.T) {
	r := rng(t)
	for range rounds {
		q, p := randQuat(r), randQuat(r)
		v := randVec3(r)
		if !near(q.Rotate(v).Norm(), v.Norm()) {
			t.Fatalf("%v changes the length of %v", q, v)
		}
		if got, want := q.Mul(p).Rotate(v), q.Rotate(p.Rotate(v)); !nearVec3(got, want) {
			t.Fatalf("product rotates to %v, in turn %v", got, want)
		}
		if got := q.Inverse().Rotate(q.Rotate(v)); !nearVec3(got, v) {
			t.Fatalf("inverse gives %v, want %v", got, v)
		}
		roll, pitch, yaw := q.RPY()
		if got := FromRPY(roll, pitch, yaw); !nearQuat(got, q) {
			t.Fatalf("RPY of %v composes to %v", q, got)
		}
		a := uniform(r, 3)
		if !near(AngleDiff(FromYaw(a).Yaw(), a), 0) {
			t.Fatalf("yaw of FromYaw(%g) is %g", a, FromYaw(a).Yaw())
		}
	}
}

func TestFromRPYAxes(t *testing.T) {
	const h = math.Pi / 2
	tests := []struct {
		name             string
		roll, pitch, yaw float64
		in, want         Vec3
	}{
		{"yaw turns x to y", 0, 0, h, Vec3{X: 1}, Vec3{Y: 1}},
		{"pitch turns x down", 0, h, 0, Vec3{X: 1}, Vec3{Z: -1}},
		{"roll turns y up", h, 0, 0, Vec3{Y: 1}, Vec3{Z: 1}},
		{"roll acts before yaw", h, 0, h, Vec3{Y: 1}, Vec3{Z: 1}},
		{"pitch acts before yaw", 0, h, h, Vec3{Z: 1}, Vec3{Y: 1}},
	}
	for _, tt := range tests {
		if got := FromRPY(tt.roll, tt.pitch, tt.yaw).Rotate(tt.in); !nearVec3(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestQuatSlerp(t *testing.T) {
	r := rng(t)
	for range rounds {
		a, b, s := randQuat(r), randQuat(r), r.Float64()
		m := a.Slerp(b, s)
		whole := a.Inverse().Mul(b).Angle()
		if got := a.Inverse().Mul(m).Angle(); math.Abs(got-s*whole) > 1e-7 {
			t.Fatalf("slerp by %g turns %g of %g", s, got, whole)
		}
		if got := m.Inverse().Mul(b).Angle(); math.Abs(got-(1-s)*whole) > 1e-7 {
			t.Fatalf("slerp by %g leaves %g of %g", s, got, whole)
		}
	}
	if got := FromYaw(0.3).Slerp(FromYaw(0.3), 0.5); !nearQuat(got, FromYaw(0.3)) {
		t.Errorf("slerp between equals is %v", got)
	}
}

func TestQuatNormalized(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, bad := range []Quat{{}, {X: nan, W: 1}, {W: inf}, {X: -inf, Y: inf}, {Z: nan}} {
		if got := bad.Normalized(); got != IdentityQuat() {
			t.Errorf("%v normalises to %v, want the identity", bad, got)
		}
	}
	for _, q := range []Quat{{X: 1e-200, W: 1e-200}, {Y: 1e200, Z: -1e200}, {W: -5}} {
		n := q.Normalized()
		if l := n.dot(n); !near(l, 1) {
			t.Errorf("%v normalises to squared length %g", q, l)
		}
	}
}

func TestZeroValuesAreIdentities(t *testing.T) {
	v := Vec3{1, 2, 3}
	q := FromRPY(0.1, 0.2, 0.3)
	if (Quat{}).Rotate(v) != v || !nearQuat(Quat{}.Mul(q), q) || !nearQuat(q.Mul(Quat{}), q) || (Quat{}).Yaw() != 0 {
		t.Error("the zero Quat turns something")
	}
	a := Transform{v, q}
	if (Transform{}).Apply(v) != v || (Transform{}).Mul(a).T != v || !nearVec3(Transform{}.Inverse().T, Vec3{}) {
		t.Error("the zero Transform moves something")
	}
	if IdentityTransform().Mul(a).T != v {
		t.Error("IdentityTransform moves something")
	}
}

func TestTransformGroup(t *testing.T) {
	r := rng(t)
	for range rounds {
		a, b := Transform{randVec3(r), randQuat(r)}, Transform{randVec3(r), randQuat(r)}
		v := randVec3(r)
		if got, want := a.Mul(b).Apply(v), a.Apply(b.Apply(v)); !nearVec3(got, want) {
			t.Fatalf("product maps to %v, in turn %v", got, want)
		}
		if got := a.Inverse().Apply(a.Apply(v)); !nearVec3(got, v) {
			t.Fatalf("inverse gives %v, want %v", got, v)
		}
		if got := a.Interpolate(b, 1); !nearVec3(got.T, b.T) || !nearQuat(got.R, b.R) {
			t.Fatalf("interpolation ends at %v, want %v", got, b)
		}
		if got := a.Interpolate(b, 0); !nearVec3(got.T, a.T) || !nearQuat(got.R, a.R) {
			t.Fatalf("interpolation starts at %v, want %v", got, a)
		}
		if !a.IsFinite() || (Transform{T: Vec3{X: math.NaN()}}).IsFinite() || (Transform{R: Quat{W: math.Inf(1)}}).IsFinite() {
			t.Fatal("IsFinite is wrong")
		}
	}
}
