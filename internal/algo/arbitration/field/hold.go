package field

import (
	"math"
	"time"

	"sarathi/internal/geom"
)

// hold is what remains of a stop until the way has been clear for long enough.
type hold struct {
	active  bool
	motion  geom.Velocity // what was stopped; zero after a stale scan
	towards geom.Vec2     // velocity of the footprint where it would have met the blocker, in body axes
	blocker geom.Vec2     // position of the blocker when the hold began

	clear bool      // since when holds a time
	since time.Time // the way has been clear

	moving time.Time // when the body was last faster than creep speed
}

// begin starts the hold, or starts it again.
func (h *hold) begin(motion geom.Velocity, blocker geom.Vec2) {
	*h = hold{active: true, motion: motion, blocker: blocker, towards: motion.At(blocker), moving: h.moving}
}

// released counts the time during which the way was clear and reports whether it suffices. What must be clear is the way that is
// asked for, and while nothing is asked for, the way that was stopped. To be called only when want itself is not blocked.
func (f *Field) released(now time.Time, want geom.Velocity) bool {
	h := &f.hold
	if want.IsZero() && !h.motion.IsZero() {
		if v := f.judge(h.motion, f.model.margin, f.model.period); v.state == Stop || v.state == Blind {
			h.clear = false
			return false
		}
	}
	if !h.clear {
		h.clear, h.since = true, now
	}
	if now.Sub(h.since) < f.cfg.ReleaseAfter {
		return false
	}
	h.active = false
	return true
}

// whileHeld lets the robot creep away from what stopped it and nothing else, and that only once it has come to rest: another
// command would bend the path on which it brakes.
func (f *Field) whileHeld(now time.Time, want geom.Velocity, wanted verdict) Decision {
	h := &f.hold
	rests := now.Sub(h.moving) > f.cfg.Latency
	if rests && !want.IsZero() && !h.motion.IsZero() && want.At(h.blocker).Dot(h.towards) <= 0 {
		f.report = Report{State: Limited, Distance: wanted.distance}
		return Decision{Velocity: want.Scale(min(wanted.scale, f.creepScale(want)))}
	}
	f.report = Report{State: Stop, Distance: math.NaN(), Waiting: h.clear}
	return Decision{Halt: true}
}
