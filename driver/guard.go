package driver

import (
	"fmt"
	"time"
)

// Guard is the self-protection that every body owes: the motion watchdog and the
// e-stop latch. It decides only; a driver asks it before it moves. The zero value
// stands still and is ready for use.
type Guard struct {
	// Timeout is the watchdog's; 0 means WatchdogTimeout.
	Timeout time.Duration

	command  Velocity
	last     time.Time // of the last valid command, zero when there is none
	estopped bool
	held     bool
	reason   string
}

// Command takes a command, or says why it does not.
func (g *Guard) Command(now time.Time, v Velocity) error {
	if !v.IsFinite() {
		g.stop()
		return fmt.Errorf("%w: vx %v, vy %v, wz %v", ErrNotFinite, v.VX, v.VY, v.WZ)
	}
	if g.estopped {
		return fmt.Errorf("%w: %s", ErrEStopped, g.reason)
	}
	g.command, g.last = v, now
	return nil
}

// Velocity returns what the body may do at now: the last command while it is fresh
// and no e-stop is latched, else zero. A clock that went back counts as silence.
func (g *Guard) Velocity(now time.Time) Velocity {
	if g.estopped || g.last.IsZero() {
		return Velocity{}
	}
	limit := g.Timeout
	if limit == 0 {
		limit = WatchdogTimeout
	}
	if age := now.Sub(g.last); age < 0 || age >= limit {
		g.stop()
		return Velocity{}
	}
	return g.command
}

func (g *Guard) stop() { g.command, g.last = Velocity{}, time.Time{} }

// EStop latches and reports whether that changed anything.
func (g *Guard) EStop(reason string) (changed bool) {
	g.stop()
	if g.estopped {
		return false
	}
	g.estopped, g.reason = true, reason
	return true
}

// Hold tells of a cause in the body itself, such as a pressed button, that latches
// and refuses a release while it is held. It reports whether that changed anything.
func (g *Guard) Hold(held bool, reason string) (changed bool) {
	changed = held != g.held
	g.held = held
	if held {
		changed = g.EStop(reason) || changed
	}
	return changed
}

// Release clears the latch, or says what holds it. It reports whether that changed anything.
func (g *Guard) Release() (changed bool, err error) {
	if g.held {
		return false, fmt.Errorf("%w: %s", ErrHeld, g.reason)
	}
	changed = g.estopped
	g.stop()
	g.estopped, g.reason = false, ""
	return changed, nil
}

// State returns the latch for Sink.EStop.
func (g *Guard) State() EStopState {
	return EStopState{Engaged: g.estopped, Held: g.held, Reason: g.reason}
}
