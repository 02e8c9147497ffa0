package geom

import (
	"math"
	"testing"
)

func TestNormalizeAngle(t *testing.T) {
	tests := []struct{ in, want float64 }{
		{0, 0},
		{1, 1},
		{math.Pi, math.Pi},
		{-math.Pi, math.Pi},
		{3 * math.Pi, math.Pi},
		{2 * math.Pi, 0},
		{-math.Pi / 2, -math.Pi / 2},
		{3 * math.Pi / 2, -math.Pi / 2},
		{1000*2*math.Pi + 0.5, 0.5},
	}
	for _, tt := range tests {
		if got := NormalizeAngle(tt.in); math.Abs(got-tt.want) > tol {
			t.Errorf("NormalizeAngle(%g) = %g, want %g", tt.in, got, tt.want)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := NormalizeAngle(bad); !math.IsNaN(got) {
			t.Errorf("NormalizeAngle(%g) = %g, want NaN", bad, got)
		}
	}
}

func TestNormalizeAngleProperties(t *testing.T) {
	r := rng(t)
	for range rounds {
		a := uniform(r, 100)
		n := NormalizeAngle(a)
		if n <= -math.Pi || n > math.Pi {
			t.Fatalf("NormalizeAngle(%g) = %g is outside (-π, π]", a, n)
		}
		if math.Abs(math.Sin(a)-math.Sin(n)) > tol || math.Abs(math.Cos(a)-math.Cos(n)) > tol {
			t.Fatalf("NormalizeAngle(%g) = %g points elsewhere", a, n)
		}
		b := uniform(r, 100)
		if got := NormalizeAngle(b + AngleDiff(a, b)); !near(AngleDiff(got, a), 0) {
			t.Fatalf("turning from %g by AngleDiff ends at %g, want %g", b, got, a)
		}
	}
}

func TestFinite(t *testing.T) {
	if !Finite() || !Finite(0, -1, math.MaxFloat64) {
		t.Error("finite numbers were refused")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Finite(1, bad, 2) {
			t.Errorf("Finite accepts %g", bad)
		}
	}
}
