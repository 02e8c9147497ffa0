package teleop

import (
	"time"

	"sarathi/internal/wire"
)

// zerosAfterInput is how many neutral messages follow the last input: one may be lost, and silence would leave the robot to its
// watchdogs.
const zerosAfterInput = 3

// A stick is the operator's input.
type stick struct {
	v      Velocity
	at     time.Duration // of the last valid input
	held   bool          // there is input that has not timed out
	zeros  int           // neutral messages still to be sent
	sent   Velocity      // last
	next   time.Duration // when the next message may leave
	locked bool          // the session was lost: nothing but zero until the stick was centred or let go
}

func (s *stick) active() bool { return s.held || s.zeros > 0 }

// Drive takes the operator's input. Call it regularly while there is input, zero included: the mux arms on neutral messages. Input
// that is older than InputTimeout counts as released. A velocity that is not finite is zero and keeps nothing alive.
func (c *ClientSession) Drive(now time.Time, v Velocity) ClientOutput {
	c.begin(now)
	if !v.IsFinite() {
		c.release()
		return c.end()
	}
	if v.IsZero() {
		c.stick.locked = false
	}
	if !c.stick.active() || v.IsZero() && !c.stick.sent.IsZero() {
		c.stick.next = c.now() // the first message and a stop do not wait
	}
	c.stick.v, c.stick.at, c.stick.held = v, c.now(), true
	return c.end()
}

// Release says that there is no input any more: the operator let go, the window lost the focus, the gamepad was unplugged.
func (c *ClientSession) Release(now time.Time) ClientOutput {
	c.begin(now)
	c.release()
	return c.end()
}

func (c *ClientSession) release() {
	if c.stick.held {
		c.stick.held, c.stick.zeros, c.stick.next = false, zerosAfterInput, c.now()
	}
	c.stick.locked = false
}

// steer sends the joystick message that is due.
func (c *ClientSession) steer() {
	s := &c.stick
	if s.held && c.now()-s.at >= c.cfg.InputTimeout {
		c.release()
	}
	if !c.connected || !s.active() || c.now() < s.next {
		return
	}
	s.next = c.now() + time.Duration(float64(time.Second)/c.cfg.JoyHz)
	if !s.held {
		s.zeros--
		c.sendJoy(Velocity{})
		return
	}
	if s.locked {
		c.sendJoy(Velocity{})
		return
	}
	c.sendJoy(s.v)
}

func (c *ClientSession) sendJoy(v Velocity) {
	c.stick.sent = v
	dst := appendMember(c.head("joy"), "vx", wire.JSONFloat64, v.VX)
	dst = appendMember(dst, "vy", wire.JSONFloat64, v.VY)
	c.send(append(appendMember(dst, "wz", wire.JSONFloat64, v.WZ), '}'))
}
