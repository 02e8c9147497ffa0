package scanmatch

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/geom"
)

func TestSetSortsReadings(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	r := &Reading{
		AngleIncrement: math.Pi / 2, RangeMin: 0.2, RangeMax: 20,
		Ranges: []float32{nan, 0, -1, 0.1, inf, 20, 25, float32(math.Inf(-1)), 2, 15},
	}
	var s Scan
	s.Set(r, geom.Velocity{}, Limits{Near: 0.05, Far: 12, Clear: 5, NoEcho: 49})
	want := Scan{
		Hits:  []geom.Vec2{{X: 2}},                          // the ninth beam, two turns on
		Clear: []geom.Vec2{{X: 5}, {Y: 5}, {X: -5}, {Y: 5}}, // no echo: infinite, at and beyond the range; and too far to match
	}
	if diff := cmp.Diff(want, s, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Error(diff)
	}
}

func TestSetOfOddLidars(t *testing.T) {
	// One wall hit straight to the left of the robot, at (0.5, 2), by sensors of all kinds.
	for _, tt := range []struct {
		name string
		r    Reading
	}{
		{"upright, ahead of the centre", Reading{
			AngleMin: math.Pi / 2, AngleIncrement: 0.1, Ranges: []float32{2}, Mount: geom.Transform{T: geom.Vec3{X: 0.5, Z: 1}},
		}},
		{"clockwise", Reading{
			AngleMin: math.Pi, AngleIncrement: -math.Pi / 2, Ranges: []float32{0, 2}, Mount: geom.Transform{T: geom.Vec3{X: 0.5}},
		}},
		{"upside down", Reading{
			AngleMin: -math.Pi / 2, AngleIncrement: 0.1, Ranges: []float32{2},
			Mount: geom.Transform{T: geom.Vec3{X: 0.5}, R: geom.FromRPY(math.Pi, 0, 0)},
		}},
		{"turned round", Reading{
			AngleMin: -math.Pi / 2, AngleIncrement: 0.1, Ranges: []float32{2},
			Mount: geom.Transform{T: geom.Vec3{X: 0.5}, R: geom.FromYaw(math.Pi)},
		}},
	} {
		var s Scan
		s.Set(&tt.r, geom.Velocity{}, limits())
		if len(s.Hits) != 1 || s.Hits[0].Distance(geom.Vec2{X: 0.5, Y: 2}) > 1e-6 || s.Origin.Distance(geom.Vec2{X: 0.5}) > 1e-9 {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

// A robot that spins at 3 rad/s sees a square room sheared; with its motion taken out it is square again.
func TestSetTakesMotionOut(t *testing.T) {
	w, v := box(-2, -2, 2, 2), geom.Velocity{VX: 0.5, WZ: 3}
	r := &Reading{AngleMin: -math.Pi, AngleIncrement: math.Pi / 100, Ranges: make([]float32, 200), Duration: 0.1}
	for i := range r.Ranges {
		at := v.Integrate(r.Duration * float64(i) / 199)
		r.Ranges[i] = float32(w.cast(at.Position(), at.Theta+r.AngleMin+float64(i)*r.AngleIncrement))
	}
	off := func(motion geom.Velocity) (worst float64) {
		var s Scan
		s.Set(r, motion, limits())
		for _, p := range s.Hits {
			worst = max(worst, math.Abs(max(math.Abs(p.X), math.Abs(p.Y))-2))
		}
		return worst
	}
	if before, after := off(geom.Velocity{}), off(v); before < 0.2 || after > 1e-4 {
		t.Errorf("%.3f m off as measured, %.5f m with the motion taken out", before, after)
	}
}
