package schedule

import (
	"fmt"
	"slices"
	"time"
)

// State is what the schedule does, in the words of dharma_interfaces/ScheduleStatus.
type State string

// The states.
const (
	Off       State = "off"
	Idle      State = "idle"
	Waiting   State = "waiting"
	Starting  State = "starting"
	Running   State = "running"
	Finishing State = "finishing"
	Stopping  State = "stopping"
)

// Hindrance is why no run may start now; the zero value is none.
type Hindrance struct {
	Reason string
	Passes bool // by itself, without a person: an entry that may start late waits for it
}

// Navigation is how the following of paths does.
type Navigation struct {
	Active  bool   // a path is being followed, also when that is paused
	Path    string // that is loaded
	Lap     int    // laps finished
	Held    bool   // a person has paused it: by hand, by taking over, by the e-stop
	Outcome string // in words, once it is not active
}

// Facts is what the keeper learns before a step.
type Facts struct {
	Now        time.Time
	Hindrance  Hindrance
	Navigation Navigation
}

// Kind is what an effect asks for or tells.
type Kind string

// What a step leads to.
const (
	Start   Kind = "start"   // load the route and start; then call Started
	Stop    Kind = "stop"    // stop following
	Skipped Kind = "skipped" // the run does not take place
	Waits   Kind = "waits"   // the run may still take place
	Ended   Kind = "ended"   // the run is over
)

// Effect is one thing that a step leads to.
type Effect struct {
	Kind   Kind
	Entry  Entry
	Reason string
}

// Status is what the schedule is at. Times are zero where there is none.
type Status struct {
	State     State
	Message   string
	Running   string // entry
	Route     string
	Until     time.Time
	Next      string // entry
	NextStart time.Time
	Skipped   string // entry
	SkippedAt time.Time
	Reason    string
}

const (
	jump   = time.Minute     // a clock that moves farther between two steps has jumped
	settle = 5 * time.Second // for navigation to begin, or to obey
)

// A run is a window that is used, or may be.
type run struct {
	Window
	entry  *Entry
	state  State
	reason string // why it waits or stops
	seen   bool   // navigation follows its route
	since  time.Time
	lap    int // finished when the window ended
}

// Keeper keeps a schedule. Use [New].
type Keeper struct {
	entries []Entry
	zone    *time.Location

	last    time.Time   // of the last step; zero: there was none
	handled []time.Time // for each entry: the last start that was decided on
	pending []*run      // windows that are open and not decided on, oldest first
	run     *run        // under way
	told    Status      // what was skipped last, and the last message
	effects []Effect
}

// New returns a keeper of entries, whose times are those of a zone.
func New(entries []Entry, zone *time.Location) *Keeper {
	return &Keeper{entries: slices.Clone(entries), zone: zone, handled: make([]time.Time, len(entries))}
}

// Step decides. It is called every second or so.
func (k *Keeper) Step(f Facts) []Effect {
	now := f.Now.Round(0) // the schedule goes by the clock on the wall
	k.effects = nil
	k.watch(now, f.Navigation)
	k.open(now)
	k.begin(now, f.Hindrance)
	k.last = now
	return k.effects
}

// Started tells what became of the last [Start]: err is why it was refused.
func (k *Keeper) Started(now time.Time, err error) []Effect {
	k.effects = nil
	r := k.run
	switch {
	case r == nil || r.state != Starting:
	case err != nil:
		k.run = nil
		k.skip(now.Round(0), r, err.Error())
	default:
		r.state, r.since = Running, now.Round(0)
	}
	return k.effects
}

// Status returns what the schedule is at.
func (k *Keeper) Status() Status {
	s := k.told
	s.State = Idle
	if len(k.entries) == 0 {
		s.State = Off
	}
	r := k.run
	if r == nil && len(k.pending) > 0 {
		r = k.pending[0]
	}
	if r != nil {
		s.State, s.Running, s.Route, s.Until, s.Message = r.state, r.entry.Name, r.entry.Route, r.End, r.reason
	}
	if k.last.IsZero() {
		return s // what is next depends on the time
	}
	for i := range k.entries {
		e := &k.entries[i]
		if w, ok := e.Next(k.last, k.zone); ok && (s.Next == "" || w.Start.Before(s.NextStart)) {
			s.Next, s.NextStart = e.Name, w.Start
		}
	}
	return s
}

// watch looks after the run that is under way.
func (k *Keeper) watch(now time.Time, n Navigation) {
	r := k.run
	if r == nil || r.state == Starting {
		return
	}
	mine := n.Active && n.Path == r.entry.Route
	r.seen = r.seen || mine
	switch {
	case n.Active && !mine && (r.seen || now.Sub(r.since) >= settle):
		k.end(fmt.Sprintf("navigation follows %q now", n.Path)) // which is not ours to stop
	case !n.Active && r.state == Stopping:
		k.end(r.reason)
	case !n.Active && r.seen:
		k.end(n.Outcome)
	case !n.Active && now.Sub(r.since) >= settle:
		k.end("navigation did not begin")
	case mine:
		k.finish(now, r, n)
	}
}

// finish ends the run in order, once its window is over.
func (k *Keeper) finish(now time.Time, r *run, n Navigation) {
	if oneRound := r.End.IsZero(); r.state == Running && (oneRound || r.Over(now)) {
		r.state, r.lap, r.reason = Finishing, n.Lap, "finishes its lap"
	}
	switch {
	case r.state == Stopping && now.Sub(r.since) >= settle:
		k.stop(now, r, r.reason) // it was not heard
	case r.state != Finishing:
	case n.Lap > r.lap:
		k.stop(now, r, "the lap is finished")
	case !r.End.IsZero() && n.Held:
		k.stop(now, r, "its window ended while a person held it")
	case !r.End.IsZero() && !now.Before(r.End.Add(r.entry.Finish)):
		k.stop(now, r, "its window has ended")
	}
}

func (k *Keeper) stop(now time.Time, r *run, reason string) {
	r.state, r.reason, r.since = Stopping, reason, now
	k.effects = append(k.effects, Effect{Stop, *r.entry, reason})
}

func (k *Keeper) end(reason string) {
	k.told.Message = fmt.Sprintf("%s ended: %s", k.run.entry.Name, reason)
	k.effects = append(k.effects, Effect{Ended, *k.run.entry, reason})
	k.run = nil
}

func (k *Keeper) skip(now time.Time, r *run, reason string) {
	k.told.Skipped, k.told.SkippedAt, k.told.Reason = r.entry.Name, now, reason
	k.told.Message = fmt.Sprintf("%s skipped: %s", r.entry.Name, reason)
	k.effects = append(k.effects, Effect{Skipped, *r.entry, reason})
}

// open finds the windows that have opened since the last step.
func (k *Keeper) open(now time.Time) {
	first := k.last.IsZero()
	moved := now.Sub(k.last)
	jumped := !first && (moved > jump || moved < -jump)
	for i := range k.entries {
		if jumped && k.handled[i].Sub(now) > 24*time.Hour {
			k.handled[i] = time.Time{} // the clock was wrong by days
		}
		e := &k.entries[i]
		w, ok := e.Latest(now, k.zone)
		if !ok || !w.Start.After(k.handled[i]) {
			continue
		}
		open := !w.End.IsZero() && !w.Over(now)
		r := &run{Window: w, entry: e, state: Waiting}
		switch missed := !first && w.Start.After(k.last); {
		case !missed && !open: // of the past
			continue
		case !missed && !first && !jumped: // seen already, under a clock that crept back
			continue
		case (first || jumped) && !(open && e.Late == LateStart):
			k.skip(now, r, fmt.Sprintf("the robot was not on, or its clock not right, at the start at %s", e.Start))
		default:
			k.pending = append(k.pending, r)
		}
		k.handled[i] = w.Start
	}
	slices.SortStableFunc(k.pending, func(a, b *run) int { return a.Start.Compare(b.Start) })
}

// begin decides on the windows that are open.
func (k *Keeper) begin(now time.Time, h Hindrance) {
	k.pending = slices.DeleteFunc(k.pending, func(r *run) bool {
		busy := k.run != nil
		switch {
		case r.Over(now):
			k.skip(now, r, "its window ended while it waited: "+r.reason)
		case busy && k.run.Over(r.Start): // one after the other: the first ends in order
			k.wait(r, k.run.entry.Name+" finishes first")
			return false
		case busy:
			k.skip(now, r, k.run.entry.Name+" is running")
		case h.Reason == "":
			k.run = r
			r.state, r.reason = Starting, ""
			k.effects = append(k.effects, Effect{Start, *r.entry, ""})
		case h.Passes && r.entry.Late == LateStart && !r.End.IsZero():
			k.wait(r, h.Reason)
			return false
		default:
			k.skip(now, r, h.Reason)
		}
		return true
	})
}

// wait says once why.
func (k *Keeper) wait(r *run, reason string) {
	if r.reason != reason {
		r.reason = reason
		k.effects = append(k.effects, Effect{Waits, *r.entry, reason})
	}
}
