package driver

import (
	"cmp"
	"fmt"
	"time"
)

// Guard is the self-protection that every body owes: the motion watchdog and the
// e-stop latch. It decides only; a driver asks it before it moves. The zero value
// stands still and is ready for use. A driver that is called from several goroutines
// locks around it.
type Guard struct {
	// Timeout is the watchdog's; 0 means WatchdogTimeout, and nothing longer is allowed.
	Timeout time.Duration

	command  Velocity
	moving   bool          // there is a command that has not timed out
	age      time.Duration // of the command
	seen     time.Time     // of the last call
	estopped bool
	reason   string // of the first cause
	held     bool
	hold     string // what holds
}

// Command takes a command, or says why it does not.
func (g *Guard) Command(now time.Time, v Velocity) error {
	if !v.IsFinite() {
		g.Stop()
		return fmt.Errorf("%w: vx %v, vy %v, wz %v", ErrNotFinite, v.VX, v.VY, v.WZ)
	}
	if g.estopped {
		return fmt.Errorf("%w: %s", ErrEStopped, g.reason)
	}
	g.look(now)
	g.command, g.age, g.moving = v, 0, true
	return nil
}

// Velocity returns what the body may do at now: the last command while it is fresh
// and no e-stop is latched, else zero. A clock that went back counts as silence.
func (g *Guard) Velocity(now time.Time) Velocity {
	if g.estopped || !g.moving {
		return Velocity{}
	}
	limit := WatchdogTimeout
	if g.Timeout > 0 {
		limit = min(g.Timeout, limit)
	}
	if g.look(now); g.age >= limit {
		g.Stop()
	}
	return g.command
}

// Refresh counts as a valid command that keeps the velocity of the last one, or zero when that has timed out. Joint targets are such
// commands: they keep the body's motion alive as a velocity does.
func (g *Guard) Refresh(now time.Time) error { return g.Command(now, g.Velocity(now)) }

// Fresh reports whether the last valid command, whatever its velocity, has not timed out and no e-stop is latched. Motion that is not a
// velocity, such as that of joints, goes on only while it is true.
func (g *Guard) Fresh(now time.Time) bool {
	g.Velocity(now)
	return g.moving
}

// clockSlack is how much earlier than another a time may be that a goroutine took before it waited for the driver's lock.
const clockSlack = 20 * time.Millisecond

// look follows the clock. Only steps ahead make a command older, so that small steps back add up to nothing.
func (g *Guard) look(now time.Time) {
	switch d := now.Sub(g.seen); {
	case d < -clockSlack:
		g.Stop()
	case d > 0:
		g.age += d
	}
	g.seen = now
}

// Stop forgets the command: the body stands still until the next one.
func (g *Guard) Stop() { g.command, g.moving = Velocity{}, false }

// EStop latches and reports whether that changed anything. The first reason stays.
func (g *Guard) EStop(reason string) (changed bool) {
	g.Stop()
	if g.estopped {
		return false
	}
	g.estopped, g.reason = true, cmp.Or(reason, "no reason given")
	return true
}

// Hold tells of a cause in the body itself, such as a pressed button, that latches
// and refuses a release while it is held. It reports whether that changed anything.
func (g *Guard) Hold(held bool, reason string) (changed bool) {
	changed = held != g.held
	g.held, g.hold = held, reason
	if held {
		changed = g.EStop(reason) || changed
	}
	return changed
}

// Release clears the latch, or says what holds it. It reports whether that changed anything.
func (g *Guard) Release() (changed bool, err error) {
	if g.held {
		return false, fmt.Errorf("%w: %s", ErrHeld, g.hold)
	}
	changed = g.estopped
	g.Stop()
	g.estopped, g.reason = false, ""
	return changed, nil
}

// State returns the latch for Sink.EStop.
func (g *Guard) State() EStopState {
	return EStopState{Engaged: g.estopped, Held: g.held, Reason: g.reason}
}
