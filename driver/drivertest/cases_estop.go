package drivertest

import (
	"errors"
	"time"

	"sarathi/driver"
)

// fast is a command that would move any body.
func (r *rig) fast() driver.Velocity { return driver.Velocity(r.caps.Limits) }

// mustLatch fails the case unless the body is latched with the given reason, or any if that is "".
func (r *rig) mustLatch(reason string) {
	r.Helper()
	latched := func() bool {
		s := r.sink.estop()
		return s.Engaged && (reason == "" || s.Reason == reason)
	}
	if _, ok := r.until(r.Settle, latched); !ok {
		r.Fatalf("the latch is reported as %+v, want engaged, reason %q", r.sink.estop(), reason)
	}
	if err := r.Driver.Command(r.now(), r.fast()); !errors.Is(err, driver.ErrEStopped) {
		r.Errorf("a command while latched returns %v, want ErrEStopped", err)
	}
}

// mustRelease releases the latch and fails the case unless the body then stands until it is told to move.
func (r *rig) mustRelease() {
	r.Helper()
	if err := r.Driver.Release(r.now()); err != nil {
		r.Fatalf("release: %v", err)
	}
	if _, ok := r.until(r.Settle, func() bool { return !r.sink.estop().Engaged }); !ok {
		r.Fatalf("after the release the latch is reported as %+v", r.sink.estop())
	}
	from := r.now()
	for r.now().Sub(from) < time.Second {
		r.tick()
		if !r.still() {
			r.Fatalf("after the release it moves by %+v without a new command", r.velocity())
		}
	}
	if r.mobile() {
		r.cruise(r.half())
	}
}

// eStopLatches: it stops at least as fast as a zero command, stays so whatever is asked, keeps the first reason.
func eStopLatches(r *rig) {
	braking := r.Settle
	if r.mobile() {
		braking = r.braking(r.half())
		r.cruise(r.half())
	}
	took := r.stopTime(func() { r.Driver.EStop(r.now(), "first") })
	if limit := braking + r.slack(); took > limit {
		r.Errorf("the e-stop takes %v to stop, a zero command %v", took, braking)
	}
	r.Driver.EStop(r.now(), "second")
	r.mustLatch("first")
	r.mustStay(r.fast(), r.Settle, "while the e-stop is latched")
	r.mustLatch("first")
	for _, bad := range notFinite() {
		if err := r.Driver.Command(r.now(), bad); err == nil {
			r.Errorf("a command of %+v while latched is taken", bad)
		}
	}
	r.mustRelease()
	if err := r.Driver.Release(r.now()); err != nil {
		r.Errorf("a release without a latch: %v", err)
	}
	for _, text := range r.sink.complaints() {
		r.Errorf("%s", text)
	}
}

// eStopSurvivesNewHost: a host that takes over is told of the latch and finds it engaged.
func eStopSurvivesNewHost(r *rig) {
	if r.stepper == nil {
		return // whoever replaces the host of a Runner replaces the Runner
	}
	r.Driver.EStop(r.now(), "before")
	r.wait(r.Settle)
	r.start()
	r.mustLatch("before")
	r.mustStay(r.fast(), r.Settle, "latched, with a new host,")
	r.mustRelease()
}

// heldEStop: the button latches; while it is pressed no release is taken; pulling it out releases nothing by itself.
func heldEStop(r *rig) {
	if r.Button == nil {
		return
	}
	if r.mobile() {
		r.cruise(r.half())
	}
	r.stopTime(func() { r.Button(true) })
	r.mustLatch("")
	if _, ok := r.until(r.Settle, func() bool { return r.sink.estop().Held }); !ok {
		r.Errorf("with the button pressed the latch is reported as %+v", r.sink.estop())
	}
	if err := r.Driver.Release(r.now()); !errors.Is(err, driver.ErrHeld) {
		r.Errorf("a release with the button pressed returns %v, want ErrHeld", err)
	}
	r.mustStay(r.fast(), r.Settle, "with the button pressed")
	r.mustLatch("")
	r.Button(false)
	if _, ok := r.until(r.Settle, func() bool { return !r.sink.estop().Held }); !ok {
		r.Errorf("with the button pulled out the latch is reported as %+v", r.sink.estop())
	}
	r.mustStay(r.fast(), r.Settle, "with the button pulled out but no release")
	r.mustLatch("")
	r.mustRelease()
}
