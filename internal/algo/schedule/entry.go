package schedule

import "time"

// Late is what becomes of a run whose window is open already.
type Late string

// What may become of it.
const (
	LateSkip  Late = "skip"  // nothing, until the next start
	LateStart Late = "start" // it is joined as soon as nothing hinders it
)

// Entry is one line of the schedule.
type Entry struct {
	Name   string
	Route  string // name of the route file in the sites folder
	Days   Days   // on which it starts
	Start  TimeOfDay
	Until  TimeOfDay     // none: one round
	Late   Late          // ignored without Until
	Finish time.Duration // how long the lap may go on after Until; 0: it stops at once
}

// Window is one start of an entry, and the end. End is zero for one round.
type Window struct{ Start, End time.Time }

// Over reports whether a window has ended.
func (w Window) Over(now time.Time) bool { return !w.End.IsZero() && !now.Before(w.End) }

// on returns the window of a date, or false when there is none.
func (e *Entry) on(d date, zone *time.Location) (Window, bool) {
	if !e.Days.Has(d.weekday()) {
		return Window{}, false
	}
	w := Window{Start: d.instant(e.Start, zone)}
	if e.Until.IsZero() {
		return w, true
	}
	last := d
	if !d.reading(e.Until).After(d.reading(e.Start)) {
		last = d.add(1)
	}
	w.End = last.instant(e.Until, zone)
	return w, w.End.After(w.Start)
}

// span is how many days are looked at: a week, and one on which the clocks leave nothing of the window.
const span = 15

// Latest returns the window that opened last, at now or before.
func (e *Entry) Latest(now time.Time, zone *time.Location) (Window, bool) {
	today := dateOf(now, zone)
	for i := range span {
		if w, ok := e.on(today.add(1-i), zone); ok && !w.Start.After(now) {
			return w, true
		}
	}
	return Window{}, false
}

// Next returns the window that opens first after a time.
func (e *Entry) Next(after time.Time, zone *time.Location) (Window, bool) {
	today := dateOf(after, zone)
	for i := range span {
		if w, ok := e.on(today.add(i-1), zone); ok && w.Start.After(after) {
			return w, true
		}
	}
	return Window{}, false
}
