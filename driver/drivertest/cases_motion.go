package drivertest

import (
	"errors"
	"math"
	"time"

	"sarathi/driver"
)

// standsStill: a body that was told nothing does nothing.
func standsStill(r *rig) {
	for end := r.now().Add(r.Settle); r.now().Before(end); {
		r.tick()
		if !r.still() {
			r.Fatalf("before the first command it moves by %+v", r.velocity())
		}
	}
}

// movesOnCommand: both ways, and stops when told.
func movesOnCommand(r *rig) {
	if !r.mobile() {
		r.mustStay(driver.Velocity{VX: 1, VY: 1, WZ: 1}, r.Settle, "though its limits are 0")
		return
	}
	half := r.half()
	r.braking(half)
	r.braking(driver.Velocity{VX: -half.VX, WZ: -half.WZ})
	if wz := r.caps.Limits.WZ / 2; wz > 0 {
		r.braking(driver.Velocity{WZ: wz})
		r.braking(driver.Velocity{WZ: -wz})
	}
}

// keepsLimits: whatever is asked, the body does not go faster than it says it can.
func keepsLimits(r *rig) {
	const over = 1.05 // for the noise of odometry
	l := r.caps.Limits
	for _, v := range []driver.Velocity{
		{VX: 10*l.VX + 1},
		{VX: -10*l.VX - 1},
		{VY: 10*l.VY + 1},
		{WZ: 10*l.WZ + 1},
		{WZ: -math.MaxFloat64},
		{VX: math.MaxFloat64, VY: -math.MaxFloat64},
	} {
		for end := r.now().Add(time.Second); r.now().Before(end); {
			_ = r.Driver.Command(r.now(), v) // a body may refuse what is out of its limits
			r.tick()
			if got := r.velocity(); math.Abs(got.VX) > over*l.VX+stillLinear || math.Abs(got.VY) > over*l.VY+stillLinear ||
				math.Abs(got.WZ) > over*l.WZ+stillAngular {
				r.Fatalf("asked for %+v it moves by %+v, its limits are %+v", v, got, l)
			}
		}
	}
}

// lateralCommands move those bodies sideways that can, and no others.
func lateralCommands(r *rig) {
	if r.caps.Drive.Lateral() && r.caps.Limits.VY > 0 {
		r.braking(driver.Velocity{VY: r.caps.Limits.VY / 2})
		r.braking(driver.Velocity{VY: -r.caps.Limits.VY / 2})
		return
	}
	r.mustStay(driver.Velocity{VY: 0.5}, r.Settle, "told to go sideways, which it cannot,")
	if !r.mobile() {
		return
	}
	v := r.half()
	want := v
	v.VY = 0.5
	if err := r.drive(v, r.Settle); err != nil {
		r.Fatalf("command %+v: %v", v, err)
	}
	if got := r.velocity(); math.Abs(got.VY) > stillLinear || math.Abs(got.VX-want.VX) > 0.3*math.Abs(want.VX)+0.05 {
		r.Errorf("asked for %+v it moves by %+v, vy should be ignored", v, got)
	}
}

// watchdog: silence stops the body after 500 ms, not much earlier and not later.
func watchdog(r *rig) {
	if !r.mobile() {
		return
	}
	v := r.half()
	braking := r.braking(v)
	r.cruise(v)
	before := r.velocity()
	r.command(v)
	last := r.now()
	slower := func() bool {
		now := r.velocity()
		return math.Hypot(now.VX, now.VY)+math.Abs(now.WZ) < 0.8*(math.Hypot(before.VX, before.VY)+math.Abs(before.WZ))
	}
	r.until(r.Settle+driver.WatchdogTimeout, slower)
	if early := r.now().Sub(last); early < driver.WatchdogTimeout-100*time.Millisecond {
		r.Errorf("it slows down %v after the last command, before the watchdog's %v", early, driver.WatchdogTimeout)
	}
	r.until(r.Settle+driver.WatchdogTimeout, r.still)
	took, limit := r.now().Sub(last), driver.WatchdogTimeout+braking+r.slack()
	if !r.still() || took > limit {
		r.Errorf("%v after the last command it moves by %+v; it brakes in %v, so it should stand still after %v",
			took, r.velocity(), braking, limit)
	}
	for end := r.now().Add(r.Settle); r.now().Before(end); {
		r.tick()
		if !r.still() {
			r.Fatalf("after the watchdog stopped it, it moves again by %+v", r.velocity())
		}
	}
	r.cruise(v) // the next command counts
}

// notFinite are commands with one component that is no finite number.
func notFinite() []driver.Velocity {
	var out []driver.Velocity
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		out = append(out, driver.Velocity{VX: bad, WZ: 0.1}, driver.Velocity{VX: 0.1, VY: bad}, driver.Velocity{VX: 0.1, WZ: bad})
	}
	return out
}

// notFiniteStops: such a command is refused and stops at once.
func notFiniteStops(r *rig) {
	if !r.mobile() {
		return
	}
	braking := r.braking(r.half())
	for _, bad := range notFinite() {
		r.cruise(r.half())
		took := r.stopTime(func() {
			if err := r.Driver.Command(r.now(), bad); !errors.Is(err, driver.ErrNotFinite) {
				r.Errorf("command %+v returns %v, want ErrNotFinite", bad, err)
			}
		})
		if limit := braking + r.slack() + 100*time.Millisecond; took > limit {
			r.Errorf("it stops %v after %+v, but in %v when told to", took, bad, braking)
		}
	}
}

// notFiniteDoesNotRefresh: a stream of such commands keeps nothing alive.
func notFiniteDoesNotRefresh(r *rig) {
	if !r.mobile() {
		return
	}
	r.cruise(r.half())
	bad := notFinite()
	for i := 0; i < int(2*r.Settle/commandEvery); i++ {
		_ = r.Driver.Command(r.now(), bad[i%len(bad)]) // asserted in notFiniteStops
		r.wait(commandEvery)
	}
	if !r.still() {
		r.Fatalf("fed with commands that are not finite it moves by %+v", r.velocity())
	}
	r.cruise(r.half())
}

// clockGoesBack: a body whose clock is corrected while it moves does not go on for the time of the correction.
func clockGoesBack(r *rig) {
	if r.stepper == nil || !r.mobile() {
		return
	}
	for _, jump := range []time.Duration{-time.Hour, -time.Second, time.Hour} {
		braking := r.braking(r.half())
		r.cruise(r.half())
		r.virtual.Advance(jump)
		took := r.stopTime(func() {})
		if limit := driver.WatchdogTimeout + braking + r.slack(); took > limit {
			r.Errorf("after the clock jumped by %v it stops %v after the last command, want %v", jump, took, limit)
		}
		r.cruise(r.half())
	}
}

// newHost: a host that takes over finds the body at rest and gets all that it reports.
func newHost(r *rig) {
	if r.stepper == nil {
		return // whoever replaces the host of a Runner replaces the Runner
	}
	braking := time.Duration(0)
	if r.mobile() {
		braking = r.braking(r.half())
		r.cruise(r.half())
	}
	old := r.sink
	r.start()
	before := old.total()
	limit := braking + r.slack() + 100*time.Millisecond
	reports := func() bool { return r.sink.count(driver.StreamOdometry) > 0 || !r.caps.Has(driver.StreamOdometry) }
	if took, ok := r.until(limit, func() bool { return reports() && r.still() }); !ok {
		r.Errorf("%v after the start by a new host it moves by %+v; it brakes in %v", took, r.velocity(), braking)
	}
	r.mustStay(driver.Velocity{}, r.Settle, "started by a new host")
	if old.total() != before {
		r.Errorf("the sink of the former host still gets messages")
	}
	if r.sink.total() == 0 {
		r.Errorf("the sink of the new host gets nothing")
	}
	if r.mobile() {
		r.cruise(r.half())
	}
}
