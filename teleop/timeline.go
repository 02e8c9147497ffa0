package teleop

import "time"

// A timeline turns the clock's readings into time that never goes back. A small step back adds nothing, so that many of them do not
// keep anything alive; a large one is reported, and counts as silence.
type timeline struct {
	last    time.Time
	elapsed time.Duration
	started bool
}

// clockSlack is how much earlier a reading may be that another goroutine took.
const clockSlack = 20 * time.Millisecond

func (t *timeline) advance(now time.Time) (jumpedBack bool) {
	if !t.started {
		t.started, t.last = true, now
		return false
	}
	d := now.Sub(t.last)
	t.last = now
	t.elapsed += max(d, 0)
	return d < -clockSlack
}

// at is the reading of the clock at which elapsed will be e.
func (t *timeline) at(e time.Duration) time.Time { return t.last.Add(e - t.elapsed) }
