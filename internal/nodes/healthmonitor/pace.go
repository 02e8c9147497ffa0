package healthmonitor

import "time"

// Steps between checks that are longer than this, or negative, are those of a clock that was corrected or of a loop that stood.
const longestStep = 2 * time.Second

// pace makes a time that only goes forward, in small steps, of one that may jump: a clock that is set must not look like silence. The
// zero value is ready.
type pace struct {
	last   time.Time // what the clock said
	steady time.Time // what was made of it
}

// at returns the steady time at the next check.
func (p *pace) at(now time.Time) time.Time {
	if p.steady.IsZero() {
		p.last, p.steady = now, now
		return now
	}
	step := now.Sub(p.last)
	if step < 0 || step > longestStep {
		step = period
	}
	p.last, p.steady = now, p.steady.Add(step)
	return p.steady
}
