package slam

import (
	"math"
	"sort"

	"sarathi/internal/geom"
)

const (
	odometryKept = 4096 // readings
	odometryAge  = 1.0  // [s] a reading may be from the time it is asked for
	maxSpeed     = 5.0  // [m/s] faster odometry has jumped
	jumpSlack    = 1.0  // [m] of a motion that is no jump, however short the time: stamps of real logs are off by some tenths of a second
)

// track is the latest odometry, in order of time.
type track struct{ samples []Sample }

// add adds a reading. One with a time that was there before, or that is not finite, is left out.
func (t *track) add(s Sample) bool {
	if !geom.Finite(s.Time) || !s.Pose.IsFinite() {
		return false
	}
	i := sort.Search(len(t.samples), func(i int) bool { return t.samples[i].Time >= s.Time })
	if i < len(t.samples) && t.samples[i].Time == s.Time {
		return false
	}
	t.samples = append(t.samples, Sample{})
	copy(t.samples[i+1:], t.samples[i:])
	t.samples[i] = s
	if len(t.samples) > odometryKept {
		t.samples = append(t.samples[:0], t.samples[odometryKept/2:]...)
	}
	return true
}

// at is the odometry at a time: between readings by interpolation, after the last one as far as the robot went on as before. It is false
// when the readings say nothing about that time.
func (t *track) at(time float64) (geom.Pose2, bool) {
	n := len(t.samples)
	i := sort.Search(n, func(i int) bool { return t.samples[i].Time >= time })
	switch {
	case i < n && t.samples[i].Time == time:
		return t.samples[i].Pose, true
	case n == 0, i == 0 && t.samples[0].Time-time > odometryAge, i == n && time-t.samples[n-1].Time > odometryAge:
		return geom.Pose2{}, false
	case i == 0:
		return t.samples[0].Pose, true
	case i == n && n == 1:
		return t.samples[0].Pose, true
	case i == n:
		a, b := t.samples[n-2], t.samples[n-1]
		v := a.Pose.Between(b.Pose).Log().Scale(1 / (b.Time - a.Time))
		if b.Time-a.Time > odometryAge {
			return b.Pose, true
		}
		return b.Pose.Mul(v.Integrate(time - b.Time)), true
	}
	a, b := t.samples[i-1], t.samples[i]
	if min(time-a.Time, b.Time-time) > odometryAge {
		return geom.Pose2{}, false
	}
	v := a.Pose.Between(b.Pose).Log().Scale(1 / (b.Time - a.Time))
	return a.Pose.Mul(v.Integrate(time - a.Time)), true
}

// motion is what odometry says about the way between two times. It is false where it says nothing, or has jumped.
func (t *track) motion(from, to float64) (geom.Pose2, bool) {
	a, ok := t.at(from)
	if !ok {
		return geom.Pose2{}, false
	}
	b, ok := t.at(to)
	if !ok {
		return geom.Pose2{}, false
	}
	d := a.Between(b)
	return d, math.Hypot(d.X, d.Y) <= jumpSlack+maxSpeed*(to-from)
}
