package slameval

import (
	"errors"
	"math"
	"slices"
	"sort"

	"sarathi/internal/geom"
)

// Tolerance is how far in time a pose may be from the time it is taken for [s], as in the tool of the paper.
const Tolerance = 0.1

// loopGap tells relations that close a loop from local ones [s].
const loopGap = 60

// margin is how far outside the trajectory a relation may lie [s]; the others are skipped.
const margin = 1

// ErrEmpty says that there is nothing to measure.
var ErrEmpty = errors.New("no relation lies inside the trajectory")

// Spread is a mean with its standard deviation; of fewer than two values the deviation is 0.
type Spread struct{ Mean, Std float64 }

// Report is how far a trajectory is from the truth.
type Report struct {
	Relations, Skipped int

	Translation, SquaredTranslation Spread  // [m], [m²]
	Rotation, SquaredRotation       Spread  // [deg], [deg²]
	Median, P95, Max                float64 // of the translation [m]

	CartographerTranslation, CartographerRotation Spread // [m], [deg] with its definition of the error and linear interpolation

	Local, Loop Part // relations of up to a minute, and of more
}

// Part is the mean over some of the relations.
type Part struct {
	Relations             int
	Translation, Rotation float64 // [m], [deg]
}

// Evaluate measures a trajectory, which is in order of time. odometry, in order of time, may be empty; it only carries poses to times that
// the trajectory has none for. The error is [ErrEmpty].
func Evaluate(trajectory, odometry []Sample, relations []Relation) (Report, error) {
	var rep Report
	if len(trajectory) == 0 {
		return rep, ErrEmpty
	}
	var (
		trans, rot, carTrans, carRot []float64
		first, last                  = trajectory[0].Time - margin, trajectory[len(trajectory)-1].Time + margin
	)
	for _, r := range relations {
		if r.From < first || r.From > last || r.To < first || r.To > last {
			rep.Skipped++
			continue
		}
		d := at(trajectory, odometry, r.From).Between(at(trajectory, odometry, r.To))
		t := math.Hypot(d.X-r.Motion.X, d.Y-r.Motion.Y)
		a := degrees(geom.AngleDiff(d.Theta, r.Motion.Theta))
		trans, rot = append(trans, t), append(rot, a)
		part := &rep.Local
		if math.Abs(r.To-r.From) > loopGap {
			part = &rep.Loop
		}
		part.Relations++
		part.Translation += t
		part.Rotation += a

		c := interpolated(trajectory, r.From).Between(interpolated(trajectory, r.To)).Mul(r.Motion.Inverse())
		carTrans, carRot = append(carTrans, math.Hypot(c.X, c.Y)), append(carRot, degrees(c.Theta))
	}
	if len(trans) == 0 {
		return rep, ErrEmpty
	}
	rep.Relations = len(trans)
	rep.Translation, rep.SquaredTranslation = spread(trans), spread(squares(trans))
	rep.Rotation, rep.SquaredRotation = spread(rot), spread(squares(rot))
	rep.CartographerTranslation, rep.CartographerRotation = spread(carTrans), spread(carRot)
	for _, p := range []*Part{&rep.Local, &rep.Loop} {
		if p.Relations > 0 {
			p.Translation /= float64(p.Relations)
			p.Rotation /= float64(p.Relations)
		}
	}
	slices.Sort(trans)
	rep.Median, rep.P95, rep.Max = trans[len(trans)/2], trans[int(0.95*float64(len(trans)))], trans[len(trans)-1]
	return rep, nil
}

// degrees is the size of an angle.
func degrees(rad float64) float64 { return math.Abs(rad) * 180 / math.Pi }

// at is the pose of a trajectory at a time; see the package comment.
func at(trajectory, odometry []Sample, t float64) geom.Pose2 {
	s := trajectory[nearest(trajectory, t)]
	switch {
	case math.Abs(s.Time-t) <= Tolerance:
		return s.Pose
	case len(odometry) > 0:
		from, to := odometry[nearest(odometry, s.Time)].Pose, odometry[nearest(odometry, t)].Pose
		return s.Pose.Mul(from.Between(to))
	default:
		return interpolated(trajectory, t)
	}
}

// after is the index of the first sample after t.
func after(samples []Sample, t float64) int {
	return sort.Search(len(samples), func(i int) bool { return samples[i].Time > t })
}

// nearest is the index of the sample nearest to t, of two equally near ones the earlier.
func nearest(samples []Sample, t float64) int {
	i := after(samples, t)
	if i == 0 {
		return 0
	}
	if i == len(samples) || math.Abs(samples[i-1].Time-t) <= math.Abs(samples[i].Time-t) {
		return i - 1
	}
	return i
}

// interpolated is the pose at t on the straight line between its neighbours; before the first and after the last it is theirs.
func interpolated(samples []Sample, t float64) geom.Pose2 {
	i := after(samples, t)
	if i == 0 {
		return samples[0].Pose
	}
	if i == len(samples) {
		return samples[i-1].Pose
	}
	a, b := samples[i-1], samples[i]
	f := (t - a.Time) / (b.Time - a.Time)
	d := a.Pose.Between(b.Pose)
	return a.Pose.Mul(geom.Pose2{X: f * d.X, Y: f * d.Y, Theta: f * d.Theta})
}

func squares(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x * x
	}
	return out
}

func spread(v []float64) Spread {
	var s Spread
	for _, x := range v {
		s.Mean += x
	}
	s.Mean /= float64(len(v))
	if len(v) < 2 {
		return s
	}
	for _, x := range v {
		s.Std += (x - s.Mean) * (x - s.Mean)
	}
	s.Std = math.Sqrt(s.Std / float64(len(v)-1))
	return s
}
