package field

import (
	"time"

	"sarathi/internal/geom"
)

const (
	// rememberFor is for how long what a scan saw near the robot counts after later scans no longer see it. A thin thing that stands
	// between two beams, or whose end is turned to the scanner, is gone from one scan and back in the next.
	rememberFor = 400 * time.Millisecond
	// rememberWithin is how far beyond the reach of the footprint things are remembered [m]: those that there is no time to see again.
	rememberWithin = 0.6
	// rememberEvery bounds how many scans are remembered, however fast they come.
	rememberEvery = 25 * time.Millisecond
)

// memory holds the near obstacles of the scans before the last one, each in the frame of its own scan.
type memory struct {
	looks []look // oldest first
	spare [][]geom.Vec2
}

type look struct {
	stamp     time.Time
	obstacles []geom.Vec2
}

// keep remembers what of a world lies within reach [m], and forgets what is too old at now.
func (m *memory) keep(stamp time.Time, w *world, reach float64, now time.Time) {
	m.expire(now)
	if n := len(m.looks); n > 0 && stamp.Sub(m.looks[n-1].stamp) < rememberEvery {
		return
	}
	var points []geom.Vec2
	if n := len(m.spare); n > 0 {
		points, m.spare = m.spare[n-1][:0], m.spare[:n-1]
	}
	for _, p := range w.obstacles {
		if p.X*p.X+p.Y*p.Y < reach*reach {
			points = append(points, p)
		}
	}
	m.looks = append(m.looks, look{stamp, points})
}

// expire forgets what is too old at now, or from a future that a clock that was set back has left.
func (m *memory) expire(now time.Time) {
	kept := m.looks[:0]
	for _, l := range m.looks {
		if age := now.Sub(l.stamp); age >= 0 && age <= rememberFor {
			kept = append(kept, l)
			continue
		}
		m.spare = append(m.spare, l.obstacles)
	}
	m.looks = kept
}
