package localization

import (
	"math"
	"strings"
	"testing"

	algo "sarathi/internal/algo/localization"
	"sarathi/internal/geom"
)

// TestAlbum averages a tag whose flipped pose is turned by 0.6 rad; in every third image that one fits better.
func TestAlbum(t *testing.T) {
	right := geom.Transform{T: geom.Vec3{X: 2, Y: 1, Z: 0.4}, R: geom.FromYaw(3.1)}
	flipped := geom.Transform{T: right.T, R: geom.FromYaw(3.7)}
	for name, c := range map[string]struct {
		count     int
		ambiguity float64
		swap      bool
		jitter    float64 // [m] of every other image
		turn      float64 // [rad] the same
		want      string
	}{
		"clear":             {count: 18, ambiguity: 0.1, jitter: 0.002, turn: 0.004},
		"the other one too": {count: 18, ambiguity: 0.1, swap: true},
		"two ways":          {count: 18, ambiguity: 0.8, want: "could hang in two ways"},
		"no ambiguity":      {count: 18, ambiguity: math.NaN(), want: "could hang in two ways"},
		"few images":        {count: 4, ambiguity: 0.1, want: "4 images only"},
		"moving":            {count: 18, ambiguity: 0.1, jitter: 0.2, want: "not steady"},
		"turning":           {count: 18, ambiguity: 0.1, turn: 0.2, want: "not steady"},
	} {
		t.Run(name, func(t *testing.T) {
			var a album
			for i := range c.count {
				off := geom.Transform{R: geom.IdentityQuat()}
				if i%2 == 1 {
					off = geom.Transform{T: geom.Vec3{X: c.jitter}, R: geom.FromYaw(c.turn)}
				}
				pair := [2]geom.Transform{right, flipped}
				for k := range pair {
					pair[k] = geom.Transform{T: pair[k].T.Add(off.T), R: off.R.Mul(pair[k].R)}
				}
				if i%2 == 1 { // a quaternion and its opposite are one rotation
					q := pair[0].R
					pair[0].R = geom.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
				}
				if c.swap && i%3 == 0 {
					pair[0], pair[1] = pair[1], pair[0]
				}
				a.add(pair, c.ambiguity)
			}
			m, err := a.mean(0.9)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%+v, %v, want %q", m, err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := right.Inverse().Mul(m.pose); d.T.Norm() > c.jitter+1e-9 || d.R.Angle() > c.turn+1e-6 || m.count != c.count {
				t.Errorf("%+v is %g m and %g rad away", m, d.T.Norm(), d.R.Angle())
			}
			if math.Abs(m.place-c.jitter/2) > 1e-9 || math.Abs(m.yaw-c.turn/2) > 1e-6 {
				t.Errorf("the spread is %g m and %g rad", m.place, m.yaw)
			}
		})
	}
}

func TestPlausible(t *testing.T) {
	good := algo.Covariance{{0.25, 0.1, 0}, {0.1, 0.25, 0}, {0, 0, 0.07}}
	if plausible(good) != good {
		t.Error("a covariance is not believed")
	}
	for name, c := range map[string]algo.Covariance{
		"more correlated than possible": {{0.25, 0.3, 0}, {0.3, 0.25, 0}, {0, 0, 0.07}},
		"not a number":                  {{0.25, math.NaN(), 0}, {math.NaN(), 0.25, 0}, {0, 0, 0.07}},
		"negative":                      {{-1, 0.1, 0}, {0.1, 0.25, 0}, {0, 0, 0.07}},
	} {
		if plausible(c) != (algo.Covariance{}) {
			t.Errorf("%s is believed", name)
		}
	}
}
