package arbitration

import (
	"math"
	"time"

	"sarathi/internal/geom"
)

// input is the last word of one source, and the watchdog on it.
type input struct {
	limits  geom.Velocity
	timeout time.Duration // one period less than configured, so that the zero is out within it

	talking bool // at and value count
	at      time.Time
	value   geom.Velocity
}

// take accepts a finite command. An equal one refreshes the watchdog too.
func (in *input) take(now time.Time, v geom.Velocity) {
	in.talking, in.at, in.value = true, now, v.Clamp(in.limits)
}

// drop forgets the source until its next command.
func (in *input) drop() { in.talking, in.value = false, geom.Velocity{} }

// expire drops a source that has been silent for too long and reports whether it did.
func (in *input) expire(now time.Time) bool {
	if !in.talking || now.Sub(in.at) <= in.timeout {
		return false
	}
	in.drop()
	return true
}

// arming counts neutral commands of the selected remote source.
type arming struct{ seen int }

func (a *arming) armed() bool { return a.seen >= ArmingCommands }

func (a *arming) disarm() { a.seen = 0 }

// left is how many neutral commands are still needed.
func (a *arming) left() int { return ArmingCommands - a.seen }

// see counts a command. Before it is armed, one that is not neutral starts the count again.
func (a *arming) see(v geom.Velocity) {
	switch {
	case a.armed():
	case neutral(v):
		a.seen++
	default:
		a.seen = 0
	}
}

func neutral(v geom.Velocity) bool {
	return math.Abs(v.VX) < Neutral && math.Abs(v.VY) < Neutral && math.Abs(v.WZ) < Neutral
}
