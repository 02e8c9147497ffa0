package sim

import (
	"math"
	"time"

	"sarathi/internal/geom"
)

// maxPending bounds the commands that wait for their latency to pass: a thousand a second for half a second.
const maxPending = 512

// command is a velocity and the time from which it holds.
type command struct {
	at time.Duration
	v  geom.Velocity
}

// drive turns commands into the velocity of the body.
type drive struct {
	kind         Drive
	limit        geom.Velocity
	accel, decel geom.Velocity // per tick
	latency      time.Duration
	blend        float64 // part of the way to the target that the motors make in a tick
	pending      []command
	target       geom.Velocity
}

func newDrive(s RobotSpec) drive {
	d := drive{
		kind: s.Drive, limit: s.MaxSpeed, accel: s.Accel.Scale(tickSeconds), decel: s.Decel.Scale(tickSeconds),
		latency: s.Latency, blend: 1,
	}
	if s.Lag > 0 {
		d.blend = 1 - math.Exp(-float64(Tick)/float64(s.Lag))
	}
	return d
}

// command takes effect after the latency. What is not finite means standing still.
func (d *drive) command(now time.Duration, v geom.Velocity) {
	if !v.IsFinite() {
		v = geom.Velocity{}
	}
	if len(d.pending) == maxPending {
		d.pending = append(d.pending[:0], d.pending[1:]...)
	}
	d.pending = append(d.pending, command{now + d.latency, d.possible(v)})
}

// possible is the motion nearest to v that the body can make.
func (d *drive) possible(v geom.Velocity) geom.Velocity {
	switch d.kind {
	case Diff:
		v.VY = 0
	case Omni:
		limit := d.limit
		limit.VX, limit.VY = math.Inf(1), math.Inf(1)
		if s := v.Speed(); s > d.limit.VX {
			v.VX, v.VY = v.VX*d.limit.VX/s, v.VY*d.limit.VX/s
		}
		return v.Clamp(limit)
	case Holonomic:
	}
	return v.Clamp(d.limit)
}

// step is the velocity after a tick that ends at now, given the one before it.
func (d *drive) step(now time.Duration, v geom.Velocity) geom.Velocity {
	done := 0
	for done < len(d.pending) && d.pending[done].at <= now {
		d.target = d.pending[done].v
		done++
	}
	d.pending = append(d.pending[:0], d.pending[done:]...)
	return geom.Velocity{
		VX: d.ramp(v.VX, d.target.VX, d.accel.VX, d.decel.VX),
		VY: d.ramp(v.VY, d.target.VY, d.sideways(d.accel), d.sideways(d.decel)),
		WZ: d.ramp(v.WZ, d.target.WZ, d.accel.WZ, d.decel.WZ),
	}
}

// sideways is the acceleration along y; wheels at an angle have one for both.
func (d *drive) sideways(a geom.Velocity) float64 {
	if d.kind == Omni {
		return a.VX
	}
	return a.VY
}

// still is the difference to the target below which the motors have arrived [m/s, rad/s].
const still = 1e-3

// ramp is one component: a first-order response within limits that differ for speeding up and slowing down.
func (d *drive) ramp(v, target, accel, decel float64) float64 {
	if math.Abs(target-v) < still {
		return target
	}
	change := (target - v) * d.blend
	limit := accel
	if change*v < 0 { // towards zero
		limit = decel
		// The part of the change beyond zero is speeding up again; it begins with the next tick.
		if math.Abs(change) > math.Abs(v) && target != 0 {
			change = -v
		}
	}
	return v + min(max(change, -limit), limit)
}
