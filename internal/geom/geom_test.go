package geom

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tol is the numeric tolerance of every property in this package: coordinates stay below 100 m, so it is about 1e4 ulps.
const tol = 1e-9

// rounds is how many random cases a property is checked with.
const rounds = 2000

func rng(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(1, uint64(len(t.Name()))))
}

func uniform(r *rand.Rand, span float64) float64 { return (2*r.Float64() - 1) * span }

func randVec2(r *rand.Rand) Vec2 { return Vec2{uniform(r, 50), uniform(r, 50)} }

func randVec3(r *rand.Rand) Vec3 { return Vec3{uniform(r, 50), uniform(r, 50), uniform(r, 50)} }

func randPose2(r *rand.Rand) Pose2 { return Pose2{uniform(r, 50), uniform(r, 50), uniform(r, 10)} }

func randQuat(r *rand.Rand) Quat {
	return Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalized()
}

func near(a, b float64) bool { return math.Abs(a-b) <= tol }

func nearPose(a, b Pose2) bool {
	return near(a.X, b.X) && near(a.Y, b.Y) && near(AngleDiff(a.Theta, b.Theta), 0)
}

func nearVec3(a, b Vec3) bool { return a.Sub(b).Norm() <= tol }

func nearQuat(a, b Quat) bool { return a.Mul(b.Inverse()).Angle() < 1e-7 }
