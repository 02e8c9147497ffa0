package localization

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

const (
	// Candidates that are less than so many deviations away from each other are one hypothesis; the least deviation [m, rad].
	alike                  = 2.5
	samePlace, sameHeading = 0.05, 0.05
	// dominance is how many times as often the right pose must have been seen to be believed against the images.
	dominance = 4
	// voteAge is how long a hypothesis is kept that no image supports.
	voteAge = 3 * time.Second
	// mostHypotheses bounds them.
	mostHypotheses = 16
	// mostEvidence is what a single image can say about both poses of a tag, in logarithms.
	mostEvidence = 1.5
)

// hypothesis is where the robot may be in the map. It moves with odometry; candidates of the right one keep agreeing with it.
type hypothesis struct {
	pose     geom.Pose2 // mean of the candidates, at the last odometry
	cov      Covariance // of the last candidate, at the last odometry
	count    int
	evidence float64 // sum over the images of what they say for this view of their tags, in logarithms
	seen     time.Time
}

// votes are the hypotheses about where the robot is.
type votes struct{ list []hypothesis }

// vote lets a sighting vote, and localizes the robot when the vote is clear.
func (f *Filter) vote(s *Sighting, c [2]candidate, moved geom.Pose2, source string) error {
	if f.lost && !f.started {
		return fmt.Errorf("%w: localization was lost; start it anew", ErrRefused)
	}
	f.votes.forget(s.Stamp)
	says := math.Min(-math.Log(math.Max(s.Ambiguity, 1e-3)), mostEvidence) // for the first view, against the second
	if !(says >= 0) {
		says = 0
	}
	for i, sign := range [2]float64{1, -1} {
		if c[i].level {
			here := c[i].pose.Mul(moved)
			f.votes.add(s.Stamp, here, sandwich(carry(c[i].pose, here), c[i].cov), sign*says)
		}
	}
	best, second := f.votes.leaders()
	switch {
	case best == nil:
		return fmt.Errorf("%w: the robot would not stand level", ErrRefused)
	case best.count < f.cfg.Votes:
		f.message = fmt.Sprintf("%s is in view: %d of %d images", source, best.count, f.cfg.Votes)
		return fmt.Errorf("%w: %s", ErrRefused, f.message)
	case second != nil && dominance*second.count > best.count && best.mean()-second.mean() < f.cfg.Certainty:
		f.message = source + " could be seen from two places: move the robot, or show it from nearer or more from aside"
		return fmt.Errorf("%w: %s", ErrRefused, f.message)
	}
	f.take(s.Stamp, best.pose, best.cov, source)
	return nil
}

// add counts a candidate for the hypothesis it belongs to.
func (v *votes) add(t time.Time, pose geom.Pose2, cov Covariance, evidence float64) {
	nearest, distance := -1, alike
	for i := range v.list {
		h := &v.list[i]
		off := [3]float64{pose.X - h.pose.X, pose.Y - h.pose.Y, geom.AngleDiff(pose.Theta, h.pose.Theta)}
		weight, ok := inverse(sum(sum(cov, diagonal(samePlace, sameHeading)), h.spread()))
		if d := math.Sqrt(quadratic(weight, off)); ok && d < distance {
			nearest, distance = i, d
		}
	}
	if nearest >= 0 {
		h := &v.list[nearest]
		h.count++
		h.evidence += evidence
		h.pose = h.pose.Interpolate(pose, 1/float64(h.count))
		h.cov, h.seen = cov, t
		return
	}
	if len(v.list) < mostHypotheses {
		v.list = append(v.list, hypothesis{pose, cov, 1, evidence, t})
	}
}

// move carries the hypotheses along with odometry.
func (v *votes) move(step geom.Pose2) {
	for i := range v.list {
		h := &v.list[i]
		next := h.pose.Mul(step)
		h.cov = sandwich(carry(h.pose, next), h.cov)
		h.pose = next
	}
}

// forget drops what no image has supported for long.
func (v *votes) forget(now time.Time) {
	kept := v.list[:0]
	for _, h := range v.list {
		if age := now.Sub(h.seen); age <= voteAge && age >= -voteAge {
			kept = append(kept, h)
		}
	}
	v.list = kept
}

// leaders returns the two hypotheses with the most evidence, weighed by how often they were seen; nil where there is none.
func (v *votes) leaders() (best, second *hypothesis) {
	for i := range v.list {
		h := &v.list[i]
		switch {
		case best == nil || h.better(best):
			best, second = h, best
		case second == nil || h.better(second):
			second = h
		}
	}
	return best, second
}

// better reports whether a hypothesis was seen much more often than another one, or as often and fits the images better.
func (h *hypothesis) better(o *hypothesis) bool {
	if h.count > dominance*o.count || o.count > dominance*h.count {
		return h.count > o.count
	}
	return h.mean() > o.mean()
}

// spread is the covariance of the mean.
func (h *hypothesis) spread() (c Covariance) {
	for i := range c {
		for k := range c[i] {
			c[i][k] = h.cov[i][k] / float64(h.count)
		}
	}
	return c
}

// mean is what an image says on average. Images from one place are wrong in the same way: more of them are not more certain.
func (h *hypothesis) mean() float64 { return h.evidence / float64(h.count) }
