package odometrymonitor

import "time"

// source is where odometry comes from, the better one first.
type source int

const (
	lidar source = iota
	body
)

// selector chooses the best source that is alive.
type selector struct {
	patience time.Duration // silence after which a source is not alive
	current  source
	heard    time.Time           // from the current source; zero before the first
	stamps   [body + 1]time.Time // of the last news from each source
}

// accept reports whether news from s with that stamp is to be used, and whether s is another source than before. News whose stamp
// stands still are no sign of life.
func (c *selector) accept(now time.Time, s source, stamp time.Time) (use, changed bool) {
	if stamp.Equal(c.stamps[s]) {
		return false, false
	}
	c.stamps[s] = stamp
	if s > c.current && !c.heard.IsZero() && now.Sub(c.heard) <= c.patience {
		return false, false
	}
	changed = s != c.current && !c.heard.IsZero()
	c.current, c.heard = s, now
	return true, changed
}
