package scenario

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/script"
)

// Time-outs of the layers, as the documents fix them. Zero is on the wire within them: there is no grace.
const (
	remoteTimeout     = 300 * time.Millisecond
	navigationTimeout = 500 * time.Millisecond
	bodyTimeout       = 500 * time.Millisecond
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
		r.noCollision, r.commandsInLimits, r.zeroInEStop, r.zeroAfterRequest, r.zeroUnlessArmed, r.zeroInStopField,
		r.zeroAfterModeChange, r.zeroAfterSilence, r.bodyStopsByItself, r.noNodeFailsUnasked,
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

// zeroAfterRequest wants every e-stop request obeyed in the instant in which it is made: nothing but zero until the mux,
// which must have engaged, says that it was released.
func (r *Record) zeroAfterRequest() string {
	for _, q := range r.Requests {
		until, engaged := math.MaxInt, false
		for _, s := range r.Statuses {
			if s.Order < q.Order {
				continue
			}
			if engaged && !s.EStop {
				until = s.Order
				break
			}
			engaged = engaged || s.EStop
		}
		for _, c := range r.Commands {
			if c.At > q.At && c.Order < until && !isZero(c.Velocity) {
				return fmt.Sprintf("command %+v at %v although the e-stop was requested at %v (%s)", c.Velocity, c.At, q.At, q.Reason)
			}
		}
	}
	return ""
}

// zeroUnlessArmed wants no motion unless the mux says that the source may move the robot.
func (r *Record) zeroUnlessArmed() string {
	for _, c := range r.Commands {
		armed := func(s Control) bool { return s.Armed }
		if !isZero(c.Velocity) && !slices.ContainsFunc(r.statusAround(c), armed) {
			return fmt.Sprintf("command %+v at %v although no source is armed", c.Velocity, c.At)
		}
	}
	return ""
}

// zeroInStopField wants no motion while the protective field is stop, stale or blind. Getting away from an obstacle at
// creep speed is not one of these: the field is limited then.
func (r *Record) zeroInStopField() string {
	stops := func(s Control) bool { return s.Field == "stop" || s.Field == "stale" || s.Field == "blind" }
	for _, c := range r.Commands {
		around := r.statusAround(c)
		if isZero(c.Velocity) || len(around) == 0 {
			continue
		}
		if i := slices.IndexFunc(around, func(s Control) bool { return !stops(s) }); i < 0 {
			return fmt.Sprintf("command %+v at %v although the protective field is %s", c.Velocity, c.At, around[0].Field)
		}
	}
	return ""
}

// zeroAfterModeChange wants a zero on the wire, in the same instant, whenever another mode is set.
func (r *Record) zeroAfterModeChange() string {
	for i := 1; i < len(r.Statuses); i++ {
		s := r.Statuses[i]
		if s.Mode == r.Statuses[i-1].Mode {
			continue
		}
		from := sort.Search(len(r.Commands), func(i int) bool { return r.Commands[i].At >= s.At })
		until := sort.Search(len(r.Commands), func(i int) bool { return r.Commands[i].At > s.At })
		if !slices.ContainsFunc(r.Commands[from:until], func(c Command) bool { return isZero(c.Velocity) }) {
			return fmt.Sprintf("no zero was sent at %v, when the mode became %s", s.At, s.Mode)
		}
	}
	return ""
}

// zeroAfterSilence wants zero unless the source that the mux says it follows has sent a valid command within its time-out.
func (r *Record) zeroAfterSilence() string {
	for _, c := range r.Commands {
		if isZero(c.Velocity) {
			continue
		}
		asked := func(s Control) bool { return r.asked(s.ActiveSource, c.At) }
		if !slices.ContainsFunc(r.statusAround(c), asked) {
			return fmt.Sprintf("command %+v at %v although the active source has asked for nothing within its time-out", c.Velocity, c.At)
		}
	}
	return ""
}

// asked reports whether a source sent a valid command recently enough to explain a motion at a moment.
func (r *Record) asked(source string, at time.Duration) bool {
	limit := remoteTimeout
	if source == script.Navigation {
		limit = navigationTimeout
	}
	i := sort.Search(len(r.Asks), func(i int) bool { return r.Asks[i].At > at })
	for i--; i >= 0 && at-r.Asks[i].At < limit; i-- {
		if a := r.Asks[i]; a.Source == source && a.Velocity.IsFinite() {
			return true
		}
	}
	return false
}

// bodyStopsByItself wants a stand after the mux has been silent for the body's watchdog and the time that braking takes.
func (r *Record) bodyStopsByItself() string {
	i, last := 0, time.Duration(0)
	for _, t := range r.Truths {
		for i < len(r.Commands) && r.Commands[i].At <= t.At {
			last = r.Commands[i].At
			i++
		}
		if t.At-last > bodyTimeout+r.Braking && t.speed() > stillSpeed {
			return fmt.Sprintf("the body moves at %.3f at %v although the last command was at %v", t.speed(), t.At, last)
		}
	}
	return ""
}

// noNodeFailsUnasked wants every node alive and never restarted that no event has killed.
func (r *Record) noNodeFailsUnasked() string {
	for _, n := range r.Nodes {
		killed := func(e Event) bool { return e.PanicNode == n.Name }
		if (n.Restarts > 0 || n.LastError != "") && !slices.ContainsFunc(r.Scenario.Events, killed) {
			return fmt.Sprintf("node %s failed unasked: %s", n.Name, n.LastError)
		}
	}
	return ""
}
