package handheld

import (
	"math"
	"testing"
	"time"

	"sarathi/teleop"
)

func (r *rig) padAt(p Pad) []Effect { return r.m.Gamepad(r.now, p) }

func TestTheDeadmanDrives(t *testing.T) {
	r := newRig(t)
	r.want("at rest", r.padAt(Pad{}))
	r.want("a stick without the deadman", r.padAt(Pad{LY: -1}))
	r.padAt(Pad{})
	r.rests("deadman alone", r.padAt(Pad{Deadman: true}))
	r.want("forward", r.padAt(Pad{LY: -1, Deadman: true}), drive(0.5, 0, 0))
	r.want("goes on", r.wait(TickPeriod), drive(0.5, 0, 0))
	r.want("turbo", r.padAt(Pad{LY: -1, Turbo: true}), drive(1, 0, 0))
	r.want("left", r.padAt(Pad{LX: -1, RX: -1, Deadman: true}), drive(0, 0.25, 1))
	r.rests("deadman let go", r.padAt(Pad{LX: -1, RX: -1}))
	r.rests("afterwards", r.wait(time.Second))
}

func TestAGamepadMustBeSeenAtRest(t *testing.T) {
	held := Pad{LY: -1, Deadman: true}
	r := newRig(t)
	r.want("plugged in with the deadman held", r.padAt(held))
	r.want("centred, still held", r.padAt(Pad{Deadman: true}))
	r.want("let go, not centred", r.padAt(Pad{LY: -1}))
	r.padAt(Pad{LX: 0.05})
	r.want("after rest", r.padAt(held), drive(0.5, 0, 0))
	for name, end := range map[string]func(){
		"space": func() { r.press("space") },
		"blur":  func() { r.m.Focus(false); r.m.Focus(true) },
		"gone":  func() { r.m.NoGamepad(r.now) },
		"auto": func() {
			r.st.Mode = teleop.Some("auto")
			r.state()
			r.st.Mode = teleop.Some("remote")
			r.state()
			r.wait(time.Second)
		},
	} {
		r.padAt(Pad{})
		r.want(name+": before", r.padAt(held), drive(0.5, 0, 0))
		end()
		r.want(name+": still held", r.padAt(held))
		r.want(name+": silence", r.wait(time.Second))
	}
}

func TestTheStopButtonStopsOnce(t *testing.T) {
	stop := Effect{Kind: EffectCommand, Name: "estop"}
	r := newRig(t)
	r.padAt(Pad{})
	r.padAt(Pad{LY: -1, Deadman: true})
	r.press(":") // the palette is open
	r.want("pressed", r.padAt(Pad{Stop: true}), stop)
	r.want("held", r.padAt(Pad{Stop: true}))
	r.padAt(Pad{})
	r.want("again", r.padAt(Pad{Stop: true}), stop)
}

func TestTheDeadzoneIsRadial(t *testing.T) {
	for _, tt := range []struct{ x, y, length float64 }{
		{0, 0, 0},
		{0.1, 0, 0},
		{0.07, 0.07, 0},
		{0.08, 0.08, 0.01459},
		{1, 0, 1},
		{0.55, 0, 0.5},
		{0, -0.55, 0.5},
		{1, 1, 1},
		{-1, 1, 1},
		{math.NaN(), 1, 0},
	} {
		x, y := radial(tt.x, tt.y)
		if got := math.Hypot(x, y); math.Abs(got-tt.length) > 1e-4 {
			t.Errorf("%g, %g: %g long, want %g", tt.x, tt.y, got, tt.length)
		}
		if tt.length > 0 && math.Abs(math.Atan2(y, x)-math.Atan2(tt.y, tt.x)) > 1e-9 {
			t.Errorf("%g, %g turned to %g, %g", tt.x, tt.y, x, y)
		}
	}
}
