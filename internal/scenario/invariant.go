package scenario

import (
	"fmt"
	"math"
	"sort"
	"time"

	"sarathi/internal/geom"
)

// Time-outs of the layers, as the documents fix them, with one control period of grace.
const (
	remoteTimeout     = 300 * time.Millisecond
	navigationTimeout = 500 * time.Millisecond
	bodyTimeout       = 500 * time.Millisecond
	grace             = 40 * time.Millisecond
)

// neutral is the magnitude below which a velocity counts as zero.
const neutral = 1e-3

func isZero(v geom.Velocity) bool {
	return math.Abs(v.VX) < neutral && math.Abs(v.VY) < neutral && math.Abs(v.WZ) < neutral
}

// invariants returns the safety rules that the run broke, at most one message for each.
func (r *Record) invariants() []string {
	var out []string
	for _, check := range []func() string{
		r.noCollision, r.commandsInLimits, r.zeroInEStop, r.zeroAfterSilence, r.bodyStopsByItself,
	} {
		if s := check(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func (r *Record) noCollision() string {
	if len(r.Contacts) == 0 || r.Scenario.Allows(AllowCollision) {
		return ""
	}
	c := r.Contacts[0]
	return fmt.Sprintf("collision with %s at %v (%d in all)", c.With, c.At, len(r.Contacts))
}

func (r *Record) commandsInLimits() string {
	const slack = 1e-6
	for _, c := range r.Commands {
		v := c.Velocity
		ok := v.IsFinite() && math.Abs(v.VX) <= r.Limits.VX+slack && math.Abs(v.VY) <= r.Limits.VY+slack &&
			math.Abs(v.WZ) <= r.Limits.WZ+slack
		if !ok {
			return fmt.Sprintf("command %+v at %v is not within the limits %+v", v, c.At, r.Limits)
		}
	}
	return ""
}

// zeroInEStop wants zero from the moment the status says engaged until it says released.
func (r *Record) zeroInEStop() string {
	i, engaged := 0, false
	for _, c := range r.Commands {
		for i < len(r.Statuses) && r.Statuses[i].Order < c.Order {
			engaged = r.Statuses[i].EStop
			i++
		}
		if engaged && !isZero(c.Velocity) {
			return fmt.Sprintf("command %+v at %v with the e-stop engaged", c.Velocity, c.At)
		}
	}
	return ""
}

// zeroAfterSilence wants zero once no source has sent a valid command for its time-out.
func (r *Record) zeroAfterSilence() string {
	for _, c := range r.Commands {
		if isZero(c.Velocity) || r.asked(c.At) {
			continue
		}
		return fmt.Sprintf("command %+v at %v although no source has asked for motion within its time-out", c.Velocity, c.At)
	}
	return ""
}

// asked reports whether any source asked for motion recently enough to explain a command at a moment.
func (r *Record) asked(at time.Duration) bool {
	i := sort.Search(len(r.Asks), func(i int) bool { return r.Asks[i].At > at })
	for i--; i >= 0 && at-r.Asks[i].At <= navigationTimeout+grace; i-- {
		a := r.Asks[i]
		limit := remoteTimeout
		if a.Source == "navigation" {
			limit = navigationTimeout
		}
		if a.Velocity.IsFinite() && at-a.At <= limit+grace {
			return true
		}
	}
	return false
}

// bodyStopsByItself wants a stand after the mux has been silent for the body's
// watchdog and the time that braking takes.
func (r *Record) bodyStopsByItself() string {
	const braking = time.Second
	i := 0
	last := time.Duration(-1)
	for _, t := range r.Truths {
		for i < len(r.Commands) && r.Commands[i].At <= t.At {
			last = r.Commands[i].At
			i++
		}
		if t.At-last > bodyTimeout+braking+grace && t.speed() > stillSpeed {
			return fmt.Sprintf("the body moves at %.3f at %v although the last command was at %v", t.speed(), t.At, last)
		}
	}
	return ""
}
