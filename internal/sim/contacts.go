package sim

import (
	"time"

	"sarathi/internal/geom"
)

// Contact is the beginning of a touch.
type Contact struct {
	Seq     uint64        // 1, 2, 3 … in this world
	At      time.Duration // since the first Step
	Robot   string        // name of the robot
	Thing   Thing         // what it touches
	Point   geom.Vec2     // where, in the map frame
	Speed   float64       // of the robot's base_link just before [m/s]
	ByRobot bool          // the robot moved into the thing; otherwise a person walked into the robot
}

// maxContacts bounds the log; the oldest are forgotten first.
const maxContacts = 1024

// contactLog keeps the latest contacts and counts all.
type contactLog struct {
	list       []Contact
	seq        uint64
	collisions int
}

func (l *contactLog) add(c Contact) {
	l.seq++
	c.Seq = l.seq
	if c.ByRobot {
		l.collisions++
	}
	if len(l.list) == maxContacts {
		l.list = append(l.list[:0], l.list[1:]...)
	}
	l.list = append(l.list, c)
}

// Contacts are those after the one numbered seq, oldest first: Contacts(0) are all that are remembered.
func (w *World) Contacts(seq uint64) []Contact {
	var out []Contact
	for _, c := range w.log.list {
		if c.Seq > seq {
			out = append(out, c)
		}
	}
	return out
}

// Collisions is the number of contacts that robots caused since the beginning.
func (w *World) Collisions() int { return w.log.collisions }

// separation is how long a robot must have been free of a thing before touching it again counts as a new contact.
const separation = 500 * time.Millisecond

// touch suppresses the repetition of one contact while it lasts.
type touch struct {
	thing Thing
	until time.Duration
}

// fresh reports whether touching t at time now begins a contact.
func (c *touch) fresh(t Thing, now time.Duration) bool {
	is := c.thing != t || now > c.until
	c.thing, c.until = t, now+separation
	return is
}
