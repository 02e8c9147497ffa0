package healthmonitor

import "time"

// clearAfter is how long a value must be beyond the second limit before an issue is over.
const clearAfter = 3 * time.Second

// alarm is one check with hysteresis. The zero value is quiet.
type alarm struct {
	raised bool
	good   time.Time // since when the value has been good, zero when it is not
}

// update takes whether the value is bad enough to raise the alarm or good enough to end it, and returns whether it is raised. A
// value that is neither, or unknown, changes nothing and begins the wait for the end anew.
func (a *alarm) update(now time.Time, bad, good bool) bool {
	switch {
	case bad:
		*a = alarm{raised: true}
	case !good:
		a.good = time.Time{}
	case a.good.IsZero():
		a.good = now
	case now.Sub(a.good) >= clearAfter:
		*a = alarm{}
	}
	return a.raised
}
