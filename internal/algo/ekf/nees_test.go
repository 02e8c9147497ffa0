package ekf

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"sarathi/internal/geom"
)

// nees is the normalised estimation error squared of [x, y, θ, b], and of the pose alone.
func (w *world) nees(t *testing.T, f *Filter) (full, pose float64) {
	t.Helper()
	s := f.newest()
	e := []float64{w.truth.X - s.x[ix], w.truth.Y - s.x[iy], geom.AngleDiff(w.truth.Theta, s.x[itheta]), w.bias - s.x[ibias]}
	norm := func(n int) float64 {
		p := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				p.SetSym(i, j, s.p[i][j])
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(p) {
			t.Fatalf("covariance is not positive definite: %v", s.p)
		}
		v := mat.NewVecDense(n, e[:n])
		var x mat.VecDense
		if err := chol.SolveVecTo(&x, v); err != nil {
			t.Fatal(err)
		}
		return mat.Dot(v, &x)
	}
	return norm(4), norm(3)
}

// The mean NEES over 100 seeds lies in its 95 % band, with corrections and without, early and late
// (Bar-Shalom et al., Estimation with Applications to Tracking and Navigation, section 5.4).
func TestCovarianceIsHonest(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*world)
	}{
		{"corrections at 10 Hz", func(*world) {}},
		{"corrections every 1.1 s", func(w *world) { w.fixEvery = 110 }},
		{"dead reckoning", func(w *world) { w.fixEvery = 0 }},
		{"a gyro as noisy as odometry", func(w *world) { w.fixEvery, w.cfg.GyroNoise = 0, 0.02 }},
		{"no gyro", func(w *world) { w.noGyro = true }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const seeds, probes = 100, 5
			var full, pose [probes]float64
			for seed := range uint64(seeds) {
				w := newWorld(seed)
				tt.spoil(w)
				f := w.filter(t)
				for k := range probes {
					w.run(f, 600*time.Millisecond)
					a, b := w.nees(t, f)
					full[k] += a / seeds
					pose[k] += b / seeds
				}
			}
			check := func(what string, mean [probes]float64, dof float64) {
				chi := distuv.ChiSquared{K: dof * seeds}
				lo, hi := chi.Quantile(0.025)/seeds, chi.Quantile(0.975)/seeds
				outside, all := 0, 0.0
				for _, m := range mean {
					if m < lo || m > hi {
						outside++
					}
					all += m / probes
				}
				t.Logf("%s: NEES %.2f (band of one time %.2f..%.2f, %d of %d outside)", what, all, lo, hi, outside, probes)
				if outside > probes/2 || all < lo || all > hi { // the times of one run are not independent
					t.Errorf("%s: NEES %.2f at %.2f, want %.2f..%.2f", what, all, mean, lo, hi)
				}
			}
			if tt.name != "no gyro" {
				check("x, y, θ, b", full, 4)
			}
			check("x, y, θ", pose, 3)
		})
	}
}

// The bias of the gyro shows in the disagreement with odometry: within seconds standing, within half a minute driving, without any
// absolute pose.
func TestBiasIsObserved(t *testing.T) {
	tests := []struct {
		name  string
		drive func(float64) geom.Velocity
		after time.Duration
		most  float64 // [rad/s]
	}{
		{"standing", func(float64) geom.Velocity { return geom.Velocity{} }, 5 * time.Second, 0.003},
		{"straight", func(float64) geom.Velocity { return geom.Velocity{VX: 0.5} }, 30 * time.Second, 0.004},
		{"winding", func(t float64) geom.Velocity { return geom.Velocity{VX: 0.5, WZ: 0.5 * math.Sin(t)} }, 30 * time.Second, 0.008},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(5) {
				w := newWorld(seed)
				w.fixEvery = 0
				w.bias = 0.02 // that of specification 004's world
				w.drive = tt.drive
				f := w.filter(t)
				w.run(f, tt.after)
				e := f.Estimate()
				if diff := math.Abs(e.Bias - w.bias); diff > tt.most || diff > 4*math.Sqrt(e.BiasVar) {
					t.Errorf("seed %d: bias %.4f ± %.4f, truth %.4f", seed, e.Bias, math.Sqrt(e.BiasVar), w.bias)
				}
			}
		})
	}
}

// Absolute poses show by how much odometry overestimates the way; and without them nothing is made up.
func TestSlipIsObserved(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(seed)
		w.slip = 0.03 // that of specification 004's world
		f := w.filter(t)
		w.run(f, 30*time.Second)
		if got := f.Estimate().Slip; math.Abs(got-w.slip) > 0.01 {
			t.Errorf("seed %d: slip %.4f, truth %.4f", seed, got, w.slip)
		}
		alone := newWorld(seed)
		alone.fixEvery = 0
		alone.drive = func(float64) geom.Velocity { return geom.Velocity{VX: 0.5} }
		g := alone.filter(t)
		alone.run(g, 10*time.Second)
		if got := g.Estimate().Slip; math.Abs(got) > 0.01 {
			t.Errorf("seed %d: slip %.4f from nothing", seed, got)
		}
	}
}

// With absolute poses the estimate is better than each of them, and far better than odometry.
func TestFusedPoseIsBetterThanItsSources(t *testing.T) {
	sum, n := 0.0, 0
	for seed := range uint64(6) {
		w := newWorld(seed)
		f := w.filter(t)
		w.run(f, 3*time.Second)
		for range 100 {
			w.run(f, 100*time.Millisecond)
			p := f.Estimate().Pose
			sum += w.truth.Position().Sub(p.Position()).Dot(w.truth.Position().Sub(p.Position()))
			n++
		}
	}
	if rms := math.Sqrt(sum / float64(n)); rms > 0.012 {
		t.Errorf("RMS %.4f m with poses of 0.028 m", rms)
	}
}
