package tagpose

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/geom"
)

var camera = Camera{FX: 600, FY: 590, CX: 320, CY: 240}

const size = 0.16

// see returns where a camera sees the corners.
func see(c Camera, p geom.Transform) (out Corners) {
	for i, m := range model(size) {
		out[i] = c.Project(p.Apply(geom.Vec3{X: m.X, Y: m.Y}))
	}
	return out
}

// somewhere returns a tag ahead of the camera that shows its front at up to 60° from the line of sight.
func somewhere(rng *rand.Rand) geom.Transform {
	z := 0.5 + 3.5*rng.Float64()
	at := geom.Vec3{X: (rng.Float64() - 0.5) * 0.8 * z, Y: (rng.Float64() - 0.5) * 0.6 * z, Z: z}
	tilt := func() float64 { return (rng.Float64() - 0.5) * math.Pi / 2 }
	return geom.Transform{T: at, R: geom.FromRPY(tilt(), tilt(), 4*tilt())}
}

func distance(a, b geom.Transform) (m, rad float64) {
	return a.T.Sub(b.T).Norm(), a.R.Inverse().Mul(b.R).Angle()
}

func TestExactCornersGiveThePose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		want := somewhere(rng)
		got, err := Solve(camera, see(camera, want), size)
		if err != nil {
			t.Fatalf("%+v: %v", want, err)
		}
		if m, rad := distance(got[0].Pose, want); m > 1e-6 || rad > 1e-6 || got[0].Error > 1e-6 {
			t.Fatalf("%+v: got %+v, which is %g m and %g rad away", want, got[0], m, rad)
		}
	}
}

// With noise one of both poses is near the truth, although it need not be the first; and the second pose is no copy of the first.
func TestTheTruthIsAmongBoth(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	flips, copies := 0, 0
	const cases = 600
	for range cases {
		truth := somewhere(rng)
		corners := see(camera, truth)
		for i := range corners {
			corners[i] = corners[i].Add(geom.Vec2{X: 0.15 * rng.NormFloat64(), Y: 0.15 * rng.NormFloat64()})
		}
		got, err := Solve(camera, corners, size)
		if err != nil {
			t.Fatalf("%+v: %v", truth, err)
		}
		_, first := distance(got[0].Pose, truth)
		_, second := distance(got[1].Pose, truth)
		if second < first {
			flips++
		}
		if _, apart := distance(got[0].Pose, got[1].Pose); apart < 1e-3 {
			copies++
		}
		if m, _ := distance(got[0].Pose, truth); m > 0.02*truth.T.Norm() || min(first, second) > 0.35 {
			t.Errorf("%+v: %g m away, %g and %g rad", truth, m, first, second)
		}
	}
	if flips == 0 || flips > cases/5 {
		t.Errorf("the flipped pose fits better in %d of %d cases", flips, cases)
	}
	if copies > cases/10 {
		t.Errorf("both poses are one in %d of %d cases", copies, cases)
	}
}

// The covariance says how far off the pose is: the normalized squared error has a mean of 6.
func TestTheCovarianceIsHonest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const sigma, cases = 0.05, 600 // px
	var sum float64
	for range cases {
		truth := geom.Transform{T: geom.Vec3{X: 0.1, Y: -0.05, Z: 0.8 + rng.Float64()}, R: geom.FromRPY(0.7, 0.2, 3*rng.Float64())}
		corners := see(camera, truth)
		for i := range corners {
			corners[i] = corners[i].Add(geom.Vec2{X: sigma * rng.NormFloat64(), Y: sigma * rng.NormFloat64()})
		}
		got, err := Solve(camera, corners, size)
		if err != nil {
			t.Fatal(err)
		}
		s := got[0]
		if _, rad := distance(got[1].Pose, truth); rad < 0.1 {
			s = got[1]
		}
		q := truth.R.Mul(s.Pose.R.Inverse())
		if q.W < 0 {
			q = geom.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
		}
		d := truth.T.Sub(s.Pose.T)
		sum += mahalanobis(s.Covariance, [6]float64{d.X, d.Y, d.Z, 2 * q.X, 2 * q.Y, 2 * q.Z}) / (sigma * sigma)
	}
	// Six degrees of freedom: the mean of 600 cases has a deviation of 0.14.
	if mean := sum / cases; math.Abs(mean-6) > 0.5 {
		t.Errorf("the normalized error is %.2f, want 6", mean)
	}
}

// mahalanobis returns eᵀ C⁻¹ e by elimination.
func mahalanobis(c [6][6]float64, e [6]float64) float64 {
	b := e
	for i := range 6 {
		for k := i + 1; k < 6; k++ {
			f := c[k][i] / c[i][i]
			for j := range 6 {
				c[k][j] -= f * c[i][j]
			}
			b[k] -= f * b[i]
		}
	}
	var sum float64
	for i := 5; i >= 0; i-- {
		for j := i + 1; j < 6; j++ {
			b[i] -= c[i][j] * b[j]
		}
		b[i] /= c[i][i]
		sum += b[i] * e[i]
	}
	return sum
}

func TestWhatIsNoTagIsRefused(t *testing.T) {
	good := see(camera, geom.Transform{T: geom.Vec3{Z: 1}, R: geom.FromRPY(0.3, 0, 0)})
	mirrored := Corners{good[3], good[2], good[1], good[0]}
	line := Corners{{X: 1, Y: 1}, {X: 2, Y: 2}, {X: 3, Y: 3}, {X: 4, Y: 4}}
	nan := good
	nan[2].X = math.NaN()
	dented := good
	dented[2] = good[0].Lerp(good[2], 0.2)
	for name, tc := range map[string]struct {
		camera  Camera
		corners Corners
		size    float64
		want    error
	}{
		"size":     {camera, good, 0, ErrSize},
		"nan size": {camera, good, math.NaN(), ErrSize},
		"focal":    {Camera{FX: 0, FY: 1}, good, size, ErrCamera},
		"nan":      {camera, nan, size, ErrCorners},
		"mirrored": {camera, mirrored, size, ErrCorners},
		"line":     {camera, line, size, ErrCorners},
		"point":    {camera, Corners{}, size, ErrCorners},
		"dented":   {camera, dented, size, ErrCorners},
	} {
		if _, err := Solve(tc.camera, tc.corners, tc.size); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, err, tc.want)
		}
	}
}

func FuzzSolve(f *testing.F) {
	f.Add(300.0, 260.0, 340.0, 260.0, 340.0, 220.0, 300.0, 220.0)
	f.Add(0.0, 0.0, 1e300, 0.0, -1e300, 1.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i float64) {
		got, err := Solve(camera, Corners{{X: a, Y: b}, {X: c, Y: d}, {X: e, Y: g}, {X: h, Y: i}}, size)
		if err != nil {
			return
		}
		for _, s := range got {
			if !s.Pose.IsFinite() || !(s.Pose.T.Z > 0) || math.IsNaN(s.Error) || s.Error < got[0].Error {
				t.Errorf("%+v", s)
			}
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	corners := see(camera, geom.Transform{T: geom.Vec3{X: 0.2, Z: 2}, R: geom.FromRPY(0.4, 0.1, 0.2)})
	for b.Loop() {
		if _, err := Solve(camera, corners, size); err != nil {
			b.Fatal(err)
		}
	}
}
