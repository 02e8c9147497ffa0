package slam

import (
	"math"
	"slices"
	"time"

	"sarathi/internal/geom"
)

// prior turns fused poses into a motion between scans that an engine takes for odometry.
//
// The engine asks for increments, but increments of the fused pose hold the corrections that scan matches made to it: given back, they
// count twice, and the loop runs away. So the prior of a scan is where the fused pose is, not how it moved: the motion leads from where the
// engine put the scan before, to where fusion expects this one.
//
//	motion = engine(k-1)⁻¹ · fused(k)
//
// When the map has just moved, because a loop was closed, fusion does not know yet; when it follows, it jumps. In both cases one of the
// two motions, the one above and fused(k-1)⁻¹·fused(k), is what the robot did: the one more like the motion before.
type prior struct {
	samples   []stamped // of the fused pose, by time
	told, was told      // was: before the last call of odometry
}

// told is what the engine knows.
type told struct {
	pose  geom.Pose2    // of the odometry that is made for it
	last  stamped       // the fused pose at the scan before
	speed geom.Velocity // between the two scans before
	ok    bool          // last is one
}

type stamped struct {
	at   time.Time
	pose geom.Pose2
}

const (
	maxFused = 128                    // samples that are kept
	fusedGap = 250 * time.Millisecond // between two samples, beyond which the way between is not known
	reach    = 60 * time.Millisecond  // after the last sample, until which the robot goes on as before
	agree    = 0.05                   // [m, rad] two motions that differ by less are the same
)

// add takes a fused pose. One that is not after the others replaces those from its time on: fusion went back.
func (p *prior) add(s stamped) {
	for n := len(p.samples); n > 0 && !p.samples[n-1].at.Before(s.at); n-- {
		p.samples = p.samples[:n-1]
	}
	if len(p.samples) == maxFused {
		p.samples = slices.Delete(p.samples, 0, maxFused/2)
	}
	p.samples = append(p.samples, s)
}

// covers reports whether the fused pose at a time is known, not guessed.
func (p *prior) covers(t time.Time) bool {
	n := len(p.samples)
	return n > 0 && !p.samples[n-1].at.Before(t)
}

// heard is when the newest fused pose was true; the zero time before there is one.
func (p *prior) heard() time.Time {
	if n := len(p.samples); n > 0 {
		return p.samples[n-1].at
	}
	return time.Time{}
}

// at is the fused pose at a time: between samples by interpolation, after the last one by going on for a moment.
func (p *prior) at(t time.Time) (geom.Pose2, bool) {
	i, found := slices.BinarySearchFunc(p.samples, t, func(s stamped, t time.Time) int { return s.at.Compare(t) })
	n := len(p.samples)
	switch {
	case found:
		return p.samples[i].pose, true
	case n < 2 || i == 0:
		return geom.Pose2{}, false
	case i == n:
		i = n - 1
		if t.Sub(p.samples[i].at) > reach {
			return geom.Pose2{}, false
		}
	}
	a, b := p.samples[i-1], p.samples[i]
	if b.at.Sub(a.at) > fusedGap {
		return geom.Pose2{}, false
	}
	v := a.pose.Between(b.pose).Log().Scale(1 / b.at.Sub(a.at).Seconds())
	return a.pose.Mul(v.Integrate(t.Sub(a.at).Seconds())), true
}

// odometry is what to tell the engine as odometry at the time of a scan; engine is where it put the scan before. It is false when fusion
// says nothing about that time. Call undo when the engine did not use the scan.
func (p *prior) odometry(t time.Time, engine geom.Pose2) (geom.Pose2, bool) {
	p.was = p.told
	o := &p.told
	fused, known := p.at(t)
	if !known {
		o.ok = false
		return geom.Pose2{}, false
	}
	if o.ok {
		dt := t.Sub(o.last.at).Seconds()
		motion, moved := engine.Between(fused), o.last.pose.Between(fused)
		if apart(motion, moved) > agree {
			if expected := o.speed.Integrate(dt); apart(moved, expected) < apart(motion, expected) {
				motion = moved
			}
		}
		if dt > 0 {
			o.speed = motion.Log().Scale(1 / dt)
		}
		o.pose = o.pose.Mul(motion)
	}
	o.last, o.ok = stamped{t, fused}, true
	return o.pose, true
}

// undo makes the last call of odometry not have been: the next motion begins where that one did.
func (p *prior) undo() { p.told = p.was }

// apart is by how much two motions differ [m or rad, whichever is more].
func apart(a, b geom.Pose2) float64 {
	d := a.Between(b)
	return max(math.Hypot(d.X, d.Y), math.Abs(d.Theta))
}
