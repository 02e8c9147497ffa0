package slamworld

import (
	"cmp"
	"math"
	"slices"
	"time"

	"sarathi/internal/geom"
)

// Score compares estimated poses with the truth. The zero value is ready. It keeps every pose: 48 bytes each.
type Score struct {
	truth     []stampedPose
	estimates []stampedPose
}

type stampedPose struct {
	at   time.Duration
	pose geom.Pose2
}

// AddTruth takes the true pose at a time, in order of time.
func (s *Score) AddTruth(at time.Duration, pose geom.Pose2) {
	if n := len(s.truth); n == 0 || s.truth[n-1].at < at {
		s.truth = append(s.truth, stampedPose{at, pose})
	}
}

// AddEstimate takes an estimated pose at a time, in any frame, in any order.
func (s *Score) AddEstimate(at time.Duration, pose geom.Pose2) {
	s.estimates = append(s.estimates, stampedPose{at, pose})
}

// Errors is how far estimates are from the truth.
type Errors struct {
	Poses int // estimates of times at which the truth is known

	// With the first true pose as the origin of the map, as SLAM has it.
	RMS        float64 // of the position [m]
	Worst      float64 // [m]
	HeadingRMS float64 // [rad]
	Last       float64 // of the position at the end [m]

	// With the map laid over the truth where it fits best: the absolute trajectory error (Sturm et al., "A Benchmark for the
	// Evaluation of RGB-D SLAM Systems", IROS 2012).
	AlignedRMS float64 // [m]
}

// Errors compares what was added.
func (s *Score) Errors() Errors {
	var e Errors
	if len(s.truth) == 0 {
		return e
	}
	origin := s.truth[0].pose
	var last time.Duration
	var got, want []geom.Vec2
	for _, x := range s.estimates {
		truth, ok := s.at(x.at)
		if !ok {
			continue
		}
		truth = origin.Between(truth)
		got, want = append(got, x.pose.Position()), append(want, truth.Position())
		d, turn := x.pose.Position().Distance(truth.Position()), geom.AngleDiff(x.pose.Theta, truth.Theta)
		e.RMS += d * d
		e.HeadingRMS += turn * turn
		e.Worst = max(e.Worst, d)
		if x.at >= last {
			last, e.Last = x.at, d
		}
	}
	if e.Poses = len(got); e.Poses == 0 {
		return e
	}
	n := float64(e.Poses)
	e.RMS, e.HeadingRMS = math.Sqrt(e.RMS/n), math.Sqrt(e.HeadingRMS/n)
	e.AlignedRMS = alignedRMS(got, want)
	return e
}

// at is the truth at a time between two that were added.
func (s *Score) at(t time.Duration) (geom.Pose2, bool) {
	i, found := slices.BinarySearchFunc(s.truth, t, func(p stampedPose, t time.Duration) int { return cmp.Compare(p.at, t) })
	switch {
	case found:
		return s.truth[i].pose, true
	case i == 0 || i == len(s.truth):
		return geom.Pose2{}, false
	}
	a, b := s.truth[i-1], s.truth[i]
	return a.pose.Interpolate(b.pose, float64(t-a.at)/float64(b.at-a.at)), true
}

// alignedRMS is the distance of two sets of points when one is laid over the other as well as a rigid motion can: in the plane the best
// turn has a closed form.
func alignedRMS(got, want []geom.Vec2) float64 {
	n := 1 / float64(len(got))
	var a, b geom.Vec2
	for i := range got {
		a, b = a.Add(got[i].Scale(n)), b.Add(want[i].Scale(n))
	}
	var dot, cross float64
	for i := range got {
		x, y := got[i].Sub(a), want[i].Sub(b)
		dot += x.Dot(y)
		cross += x.Cross(y)
	}
	turn, sum := math.Atan2(cross, dot), 0.0
	for i := range got {
		d := got[i].Sub(a).Rotate(turn).Distance(want[i].Sub(b))
		sum += d * d * n
	}
	return math.Sqrt(sum)
}
