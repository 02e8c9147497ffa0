package velramp

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

// tol is a few ulps of a velocity below 10.
const tol = 1e-12

func limits() Limits {
	return Limits{Acceleration: [3]float64{0.5, 0.5, 1.5}, Deceleration: [3]float64{1, 1, 3}}
}

func TestStep(t *testing.T) {
	type v = geom.Velocity
	tests := []struct {
		name     string
		from, to v
		dt       float64
		want     v
	}{
		{"speeds up", v{}, v{VX: 1}, 0.1, v{VX: 0.05}},
		{"slows down", v{VX: 1}, v{}, 0.1, v{VX: 0.9}},
		{"arrives exactly", v{VX: 0.02}, v{}, 0.1, v{}},
		{"arrives exactly upwards", v{VX: 0.9999}, v{VX: 1}, 0.1, v{VX: 1}},
		{"backwards the same", v{VX: -1}, v{VX: -0.5}, 0.1, v{VX: -0.9}},
		{"stops at zero before it reverses", v{VX: 0.05}, v{VX: -1}, 0.1, v{}},
		{"brakes at full rate towards reverse", v{VX: 0.5}, v{VX: -1}, 0.1, v{VX: 0.4}},
		{"turn keeps the curvature while braking", v{VX: 1, WZ: 1}, v{}, 0.1, v{VX: 0.9, WZ: 0.9}},
		{"gaining axes are in proportion", v{}, v{VX: 1, WZ: 1}, 0.1, v{VX: 0.05, WZ: 0.05}},
		{"braking does not wait for an axis that gains", v{VX: 1}, v{WZ: 15}, 0.1, v{VX: 0.9, WZ: 0.15}},
		{"no time, no change", v{VX: 1}, v{}, 0, v{VX: 1}},
		{"time that runs backwards", v{VX: 1}, v{}, -1, v{VX: 1}},
		{"time that is no number", v{VX: 1}, v{}, math.NaN(), v{VX: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := limits().Step(tt.from, tt.to, tt.dt)
			if d := got.Sub(tt.want); math.Abs(d.VX)+math.Abs(d.VY)+math.Abs(d.WZ) > tol {
				t.Errorf("Step(%v, %v, %g) = %v, want %v", tt.from, tt.to, tt.dt, got, tt.want)
			}
		})
	}
}

// No axis may ever change faster than its limit, leave the interval between its ends, or fail to arrive.
func TestStepProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	uni := func(span float64) float64 { return (2*r.Float64() - 1) * span }
	l := limits()
	for range 5000 {
		from := geom.Velocity{VX: uni(1), VY: uni(1), WZ: uni(2)}
		to := geom.Velocity{VX: uni(1), VY: uni(1), WZ: uni(2)}
		dt := r.Float64() * 0.1
		got := l.Step(from, to, dt)
		a, b, g := axes(from), axes(to), axes(got)
		for i := range a {
			rate := l.Acceleration[i]
			if math.Abs(g[i]) < math.Abs(a[i]) {
				rate = l.Deceleration[i]
			}
			if math.Abs(g[i]-a[i]) > rate*dt+tol {
				t.Fatalf("axis %d went from %g to %g in %g s, limit %g", i, a[i], g[i], dt, rate)
			}
			if g[i] < min(a[i], b[i])-tol || g[i] > max(a[i], b[i])+tol {
				t.Fatalf("axis %d: %g is not between %g and %g", i, g[i], a[i], b[i])
			}
		}
		steps := 0
		for v := from; v != to; steps++ {
			if v = l.Step(v, to, 0.1); steps > 100 {
				t.Fatalf("from %v to %v never arrives", from, to)
			}
		}
	}
}

// A burst of short steps changes no more than one long step: the ramp integrates time, not calls.
func TestStepCountsTimeNotCalls(t *testing.T) {
	v := geom.Velocity{}
	for range 1000 {
		v = limits().Step(v, geom.Velocity{VX: 1}, 1e-4)
	}
	if math.Abs(v.VX-0.05) > 1e-9 {
		t.Errorf("1000 steps of 0.1 ms reach %g m/s, want 0.05", v.VX)
	}
}

func TestValidate(t *testing.T) {
	if err := limits().Validate(); err != nil {
		t.Fatal(err)
	}
	l := limits()
	l.Acceleration[1] = 0
	l.Deceleration[0] = math.NaN()
	l.Deceleration[2] = math.Inf(1)
	var keys []string
	for line := range strings.SplitSeq(l.Validate().Error(), "\n") {
		key, _, _ := strings.Cut(line, ": ")
		keys = append(keys, key)
	}
	if d := cmp.Diff([]string{"acceleration[1]", "deceleration[0]", "deceleration[2]"}, keys); d != "" {
		t.Error(d)
	}
}

func axes(v geom.Velocity) [3]float64 { return [3]float64{v.VX, v.VY, v.WZ} }
