package slam

import "sarathi/internal/geom"

const (
	gyroKept  = 4096
	gyroGap   = 0.2  // [s] between readings, beyond which they say nothing
	biasTime  = 50.0 // [s] that the bias is a mean over, once so much has passed
	biasRange = 0.2  // [rad/s]
)

// gyro integrates turn rates and learns their bias from the turns that scan matching sees.
type gyro struct {
	samples []Sample // Theta is the integral of the rate, X the length of the gap before
	last    float64  // rate
	bias    float64  // [rad/s]
	learnt  float64  // [s] that the bias is a mean over
	sum     float64  // not wrapped
	sums    []float64
}

func (g *gyro) add(time, rate float64) {
	n := len(g.samples)
	if !geom.Finite(time, rate) || n > 0 && time <= g.samples[n-1].Time {
		return
	}
	s := Sample{Time: time}
	if n > 0 {
		dt := time - g.samples[n-1].Time
		g.sum += (rate + g.last) / 2 * dt // trapezium
		s.Pose.X = dt
	}
	g.last = rate
	g.samples, g.sums = append(g.samples, s), append(g.sums, g.sum)
	if len(g.samples) > gyroKept {
		g.samples = append(g.samples[:0], g.samples[gyroKept/2:]...)
		g.sums = append(g.sums[:0], g.sums[gyroKept/2:]...)
	}
}

// raw is the turn between two times [rad], with the bias. It is false where readings are missing.
func (g *gyro) raw(from, to float64) (float64, bool) {
	a, ok := g.at(from)
	if !ok {
		return 0, false
	}
	b, ok := g.at(to)
	return b - a, ok
}

func (g *gyro) at(time float64) (float64, bool) {
	n := len(g.samples)
	for i := n - 1; i >= 0; i-- {
		s := g.samples[i]
		if s.Time > time {
			continue
		}
		if i == n-1 {
			return g.sums[i] + g.last*(time-s.Time), time-s.Time <= gyroGap
		}
		next := g.samples[i+1]
		f := (time - s.Time) / (next.Time - s.Time)
		return g.sums[i] + f*(g.sums[i+1]-g.sums[i]), next.Pose.X <= gyroGap
	}
	return 0, false
}

// turn is the turn between two times [rad], without the bias as far as it is known.
func (g *gyro) turn(from, to float64) (float64, bool) {
	a, ok := g.raw(from, to)
	return a - g.bias*(to-from), ok
}

// learn compares the turn between two scans with the one that matching found.
func (g *gyro) learn(from, to, turn float64) {
	a, ok := g.raw(from, to)
	if !ok {
		return
	}
	dt := to - from
	seen := geom.AngleDiff(a, turn) / dt
	g.learnt = min(g.learnt+dt, biasTime)
	g.bias += min(dt/g.learnt, 1) * (seen - g.bias)
	g.bias = min(max(g.bias, -biasRange), biasRange)
}
