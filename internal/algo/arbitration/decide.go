package arbitration

import (
	"time"

	"sarathi/internal/geom"
)

// advance takes the time of a call and reports whether it jumped: backwards, or by more than MaxStep. Then nothing received before
// counts any more, and whoever wants to move the robot must say so again.
func (a *Arbiter) advance(now time.Time) (jumped bool) {
	step := now.Sub(a.last)
	jumped = a.started && (step < 0 || step > MaxStep)
	if jumped || !a.started {
		a.decided = now
	}
	if jumped {
		for i := range a.inputs {
			a.inputs[i].drop()
		}
		a.arming.disarm()
		a.sent = geom.Velocity{} // and nothing is ramped across the gap
		if a.navStarted {
			a.navStarted, a.pauseDue = false, true
		}
		if !a.scaled.IsZero() {
			a.scaled = now // its age cannot be told
		}
		a.field.Forget(now)
	}
	a.started, a.last = true, now
	return jumped
}

// expire drops the sources that have been silent for too long, and disarms the selected one.
func (a *Arbiter) expire(now time.Time) {
	for i := range a.inputs {
		if a.inputs[i].expire(now) && a.mode == Remote && Source(i) == a.remote {
			a.arming.disarm()
		}
	}
}

// decide runs the whole way of a command and returns what to send.
func (a *Arbiter) decide(now time.Time) Output {
	a.expire(now)
	a.fadeScale(now)
	a.active, a.requested = None, geom.Velocity{}
	if in := &a.inputs[a.selected()]; in.talking && a.mayMove() && !a.estop.engaged {
		a.active, a.requested = a.selected(), in.value
	}
	dt := min(now.Sub(a.decided), longestRamp).Seconds()
	a.decided = now

	allowed := a.field.Limit(now, a.requested)
	next := geom.Velocity{}
	if a.active != None && a.scale > 0 && !allowed.Halt {
		next = a.cfg.Ramp.Step(a.sent, allowed.Velocity.Scale(a.scale), dt)
		if !a.field.Admit(next) {
			next = a.cfg.Ramp.Step(a.sent, geom.Velocity{}, dt)
		}
		next = next.Clamp(a.limits)
		if !next.IsFinite() { // cannot be; if it is, nothing here can be trusted any more
			a.estop.hold(MuxFault)
			a.disable()
			a.active, next = None, geom.Velocity{}
		}
	}
	a.sent = next
	a.field.Sent(next)
	return a.show(Output{Velocity: next, Publish: true})
}

// fadeScale lets the last word of a health monitor that has fallen silent count for less and less.
func (a *Arbiter) fadeScale(now time.Time) {
	if a.scaled.IsZero() {
		return
	}
	switch age := now.Sub(a.scaled); {
	case age > ScaleStop:
		a.scale = 0
	case age > ScaleSlow:
		a.scale = min(a.scale, slowScale)
	}
}

// stopped answers an input of the e-stop.
func (a *Arbiter) stopped(now time.Time) Output {
	a.disable()
	return with(Output{PauseNavigation: true}, a.decide(now))
}

// disable takes the robot from everybody.
func (a *Arbiter) disable() {
	a.arming.disarm()
	for i := range a.inputs {
		a.inputs[i].drop()
	}
	a.navStarted, a.navPaused = false, false
}

// quiet answers a call that sends nothing, unless the clock has jumped: then the zero is due.
func (a *Arbiter) quiet(jumped bool, now time.Time) Output {
	if jumped {
		return a.decide(now)
	}
	return a.show(Output{Velocity: a.sent})
}

// with adds effects to an output.
func with(effects, out Output) Output {
	out.PauseNavigation, out.ResumeNavigation = effects.PauseNavigation, effects.ResumeNavigation
	return out
}

// show notes whether the status has changed.
func (a *Arbiter) show(out Output) Output {
	e := a.essence()
	out.StatusChanged = e != a.shown
	out.PauseNavigation = out.PauseNavigation || a.pauseDue
	a.pauseDue = false
	a.shown = e
	return out
}
