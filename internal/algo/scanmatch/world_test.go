package scanmatch

import (
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/geom"
)

func rng(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(6, 4))
}

// walls is a world that rays are cast in.
type walls []geom.Segment

func box(x0, y0, x1, y1 float64) walls {
	a, b, c, d := geom.Vec2{X: x0, Y: y0}, geom.Vec2{X: x1, Y: y0}, geom.Vec2{X: x1, Y: y1}, geom.Vec2{X: x0, Y: y1}
	return walls{{A: a, B: b}, {A: b, B: c}, {A: c, B: d}, {A: d, B: a}}
}

// room has no two sides alike.
func room() walls {
	return append(append(box(-3, -2, 4, 3), box(1.5, 1, 2.2, 2)...), box(-2, -1.2, -1.6, -0.4)...)
}

// cast is the length of a ray.
func (w walls) cast(o geom.Vec2, angle float64) float64 {
	sin, cos := math.Sincos(angle)
	dir, best := geom.Vec2{X: cos, Y: sin}, math.Inf(1)
	for _, s := range w {
		e := s.B.Sub(s.A)
		den := dir.Cross(e)
		if den == 0 {
			continue
		}
		f := s.A.Sub(o)
		if t, u := f.Cross(e)/den, f.Cross(dir)/den; t > 0 && u >= 0 && u <= 1 {
			best = min(best, t)
		}
	}
	return best
}

// reading is what a lidar at pose sees, with noise [m].
func (w walls) reading(pose geom.Pose2, beams int, noise float64, r *rand.Rand) *Reading {
	out := &Reading{AngleMin: -math.Pi, AngleIncrement: 2 * math.Pi / float64(beams), Ranges: make([]float32, beams)}
	for i := range out.Ranges {
		d := w.cast(pose.Position(), pose.Theta+out.AngleMin+float64(i)*out.AngleIncrement)
		out.Ranges[i] = float32(d + noise*r.NormFloat64())
	}
	return out
}

func limits() Limits { return Limits{Near: 0.05, Far: 30, Clear: 10, NoEcho: 49} }

func (w walls) scan(pose geom.Pose2, noise float64, r *rand.Rand) *Scan {
	s := new(Scan)
	s.Set(w.reading(pose, 180, noise, r), geom.Velocity{}, limits())
	return s
}

// mapped is a map of the world, made from several places.
func (w walls) mapped(r *rand.Rand, places ...geom.Pose2) *Grid {
	g := NewGrid(0.05, 0.5)
	for _, p := range places {
		for range 3 {
			g.Insert(p, w.scan(p, 0.005, r))
		}
	}
	return g
}
