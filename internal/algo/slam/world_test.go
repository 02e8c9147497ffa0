package slam

import (
	"math"
	"math/rand/v2"

	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

// walls is a building that rays are cast in.
type walls []geom.Segment

func (w walls) box(x0, y0, x1, y1 float64) walls {
	a, b, c, d := geom.Vec2{X: x0, Y: y0}, geom.Vec2{X: x1, Y: y0}, geom.Vec2{X: x1, Y: y1}, geom.Vec2{X: x0, Y: y1}
	return append(w, geom.Segment{A: a, B: b}, geom.Segment{A: b, B: c}, geom.Segment{A: c, B: d}, geom.Segment{A: d, B: a})
}

// ring is a corridor of 2 m around a block of 10 m by 6 m, with things along its sides.
func ring() walls {
	w := walls(nil).box(-2, -2, 12, 8).box(0, 0, 10, 6)
	return w.box(3, -2, 3.4, -1.5).box(7.2, -0.3, 7.6, 0).box(11.5, 2, 12, 2.8).box(10, 4.5, 10.3, 5).box(5, 7.6, 6.1, 8).box(-2, 3, -1.6, 3.3)
}

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

// drive is a log of a robot that drives round and round.
type drive struct {
	times    []float64
	truth    []geom.Pose2 // seen from the first
	odometry []geom.Pose2 // 3 % short, and turning 1° a metre
	readings []scanmatch.Reading
}

// lap drives the given way round the ring, at 0.5 m/s with a scan each 0.2 s.
func lap(seed uint64, metres float64) *drive {
	r := rand.New(rand.NewPCG(seed, 1))
	w := ring()
	d := new(drive)
	pose := geom.Pose2{X: -1, Y: -1}
	first := pose
	odometry := geom.Pose2{}
	corners := []geom.Vec2{{X: 11, Y: -1}, {X: 11, Y: 7}, {X: -1, Y: 7}, {X: -1, Y: -1}}
	next, driven := 0, 0.0
	for i := 0; driven < metres; i++ {
		d.times = append(d.times, 0.2*float64(i))
		d.truth, d.odometry = append(d.truth, first.Between(pose)), append(d.odometry, odometry)
		s := scanmatch.Reading{AngleMin: -math.Pi / 2, AngleIncrement: math.Pi / 179, Ranges: make([]float32, 180)}
		for k := range s.Ranges {
			s.Ranges[k] = float32(w.cast(pose.Position(), pose.Theta+s.AngleMin+float64(k)*s.AngleIncrement) + 0.01*r.NormFloat64())
		}
		d.readings = append(d.readings, s)

		to := corners[next].Sub(pose.Position())
		if to.Norm() < 0.15 {
			next = (next + 1) % len(corners)
			continue
		}
		step := geom.Pose2{Theta: min(max(geom.AngleDiff(to.Angle(), pose.Theta), -0.2), 0.2)}
		if math.Abs(step.Theta) < 0.1 {
			step.X = 0.1
		}
		pose = pose.Mul(step)
		driven += step.X
		odometry = odometry.Mul(geom.Pose2{
			X:     step.X * (0.97 + 0.02*r.NormFloat64()),
			Theta: step.Theta*(1+0.02*r.NormFloat64()) + step.X*math.Pi/180,
		})
	}
	return d
}

// feed gives the log to an engine, scans from up to to.
func (d *drive) feed(e *Engine, from, to int) {
	for i := from; i < min(to, len(d.times)); i++ {
		e.AddOdometry(d.times[i], d.odometry[i])
		e.AddScan(d.times[i], &d.readings[i])
	}
}

// errors compares a trajectory with the truth: root of the mean square, and the worst [m].
func (d *drive) errors(trajectory []Sample) (rms, worst float64) {
	for i, s := range trajectory {
		off := s.Pose.Position().Distance(d.truth[i].Position())
		rms += off * off / float64(len(trajectory))
		worst = max(worst, off)
	}
	return math.Sqrt(rms), worst
}
