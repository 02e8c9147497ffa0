package ekf_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"sarathi/internal/algo/ekf"
	"sarathi/internal/geom"
	"sarathi/internal/sim/slamworld"
)

// The default configuration fits the robot of specification 004, whose wheels slip by 3 % in every motion and whose gyro has a bias: the
// errors of the pose are those that the filter expects, with absolute poses ten times a second and once in three seconds.
func TestHonestInTheWorldOfSpecification004(t *testing.T) {
	for _, every := range []int{1, 30} {
		sum, bias, n := 0.0, 0.0, 0
		for seed := range uint64(4) {
			w, err := slamworld.New(slamworld.Config{Building: "office", Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			f, err := ekf.New(ekf.DefaultConfig(), ekf.Start{PositionSD: 0.01, HeadingSD: 0.01})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(seed, 99))
			var truth geom.Pose2
			for scans := 0; ; {
				s, ok := w.Next()
				if !ok || s.At > 15*time.Second {
					break
				}
				at := time.Unix(0, 0).Add(s.At)
				switch s.Kind {
				case slamworld.Truth:
					truth = w.Start().Between(s.Truth.Pose)
				case slamworld.IMU:
					f.AddIMU(at, s.IMU.Rate.Z)
				case slamworld.Odometry:
					f.AddOdometry(at, s.Odometry.Pose, s.Odometry.Velocity)
				case slamworld.Scan:
					scans++
					if scans%10 == 0 && s.At > 3*time.Second {
						e := f.Estimate()
						sum += poseNEES(t, &e, truth)
						bias += (e.Bias - w.GyroBias()) * (e.Bias - w.GyroBias()) / e.BiasVar
						n++
					}
					if scans%every == 0 {
						z := geom.Pose2{X: truth.X + 0.01*r.NormFloat64(), Y: truth.Y + 0.01*r.NormFloat64(), Theta: truth.Theta + 0.003*r.NormFloat64()}
						f.AddCorrection(at, z, [3][3]float64{{1e-4, 0, 0}, {0, 1e-4, 0}, {0, 0, 9e-6}})
					}
				}
			}
		}
		if mean := sum / float64(n); mean < 1.5 || mean > 4 {
			t.Errorf("a pose every %d scans: NEES %.2f, want about 3", every, mean)
		}
		if mean := bias / float64(n); mean < 0.2 || mean > 2 {
			t.Errorf("a pose every %d scans: NEES of the bias %.2f, want about 1", every, mean)
		}
	}
}

func poseNEES(t *testing.T, e *ekf.Estimate, truth geom.Pose2) float64 {
	t.Helper()
	p := mat.NewSymDense(3, nil)
	for i := range 3 {
		for j := range 3 {
			p.SetSym(i, j, e.Cov[i][j])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(p) {
		t.Fatalf("covariance %v is not positive definite", e.Cov)
	}
	v := mat.NewVecDense(3, []float64{truth.X - e.Pose.X, truth.Y - e.Pose.Y, geom.AngleDiff(truth.Theta, e.Pose.Theta)})
	var x mat.VecDense
	if err := chol.SolveVecTo(&x, v); err != nil {
		t.Fatal(err)
	}
	return mat.Dot(v, &x)
}
