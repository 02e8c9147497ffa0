package handheld

import (
	"math"
	"time"

	"sarathi/teleop"
)

// deadzone is the part of a stick's way that counts as its middle: sticks drift.
const deadzone = 0.1

// A Pad is what a gamepad shows. Axes are -1 to 1, to the right and down, as the kernel reports them.
type Pad struct {
	LX, LY, RX float64
	Deadman    bool // held to drive
	Turbo      bool // held to drive at the robot's limits
	Stop       bool // the e-stop button
}

func (p Pad) enabled() bool { return p.Deadman || p.Turbo }

// wish is what the sticks ask for, as parts of the speed: left stick forward and sideways, right stick turns. The deadzone is radial,
// so that a slanted stick loses as much as a straight one, and what is beyond it begins at zero.
func (p Pad) wish() teleop.Velocity {
	x, y := radial(p.LX, p.LY)
	turn, _ := radial(p.RX, 0)
	return teleop.Velocity{VX: -y, VY: -x, WZ: -turn}
}

func radial(x, y float64) (cutX, cutY float64) {
	r := math.Hypot(x, y)
	if !(r > deadzone) {
		return 0, 0
	}
	scale := (min(r, 1) - deadzone) / (1 - deadzone) / r
	return x * scale, y * scale
}

// A gamepad drives once it was seen at rest: centred, and its deadman let go. Until then a held button, a stick that is stuck or a
// device that lies on its sticks moves nothing.
type gamepad struct {
	present bool
	armed   bool
	pad     Pad
}

// set takes what the gamepad shows now, and reports whether its e-stop button was pressed.
func (g *gamepad) set(p Pad) (stop bool) {
	stop = p.Stop && !g.pad.Stop
	g.present, g.pad = true, p
	if !p.enabled() && p.wish().IsZero() {
		g.armed = true
	}
	return stop
}

// lock makes the gamepad prove anew that it is at rest; it may be already.
func (g *gamepad) lock() {
	g.armed = g.present && !g.pad.enabled() && g.pad.wish().IsZero()
}

func (g *gamepad) driving() bool { return g.armed && g.pad.enabled() }

// Gamepad takes what the gamepad shows.
func (m *Model) Gamepad(now time.Time, p Pad) []Effect {
	if m.pad.set(p) {
		return append(m.letGo(), Effect{Kind: EffectCommand, Name: teleop.CommandEStop})
	}
	return m.steer(now)
}

// NoGamepad takes that there is no gamepad any more.
func (m *Model) NoGamepad(now time.Time) []Effect {
	if m.pad.present {
		m.say("the gamepad is gone")
	}
	m.pad = gamepad{}
	return m.steer(now)
}

// padStatus is what the operator must know about the gamepad.
func (m *Model) padStatus() string {
	switch {
	case !m.pad.present:
		return ""
	case !m.pad.armed:
		return paint(roleWarn, "  gamepad: let go of it")
	default:
		return "  gamepad"
	}
}
