package drivertest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/internal/clock"
)

const (
	stillLinear  = 0.02 // m/s, below which a body stands still: its odometry is noisy
	stillAngular = 0.03 // rad/s
	stillPlace   = 0.03 // m, that a standing body may seem to go
	commandEvery = 50 * time.Millisecond
	pollEvery    = 10 * time.Millisecond // of a Runner
)

// rig hosts one body for one case.
type rig struct {
	testing.TB
	Harness
	stepper driver.Stepper // nil for a Runner
	caps    driver.Capabilities
	sink    *recorder
	clock   clock.Clock
	virtual *clock.Manual // of a Stepper
	stood   int           // how often it was told to stand up
}

func newRig(tb testing.TB, h Harness) *rig {
	tb.Helper()
	h.Settle = cmp.Or(h.Settle, 2*time.Second)
	h.Patience = cmp.Or(h.Patience, 10*time.Second)
	h.Lateness = cmp.Or(h.Lateness, 100*time.Millisecond)
	r := &rig{TB: tb, Harness: h}
	if c, ok := h.Driver.(driver.Connector); ok {
		r.connect(c)
	}
	r.caps = h.Driver.Capabilities()
	runner, isRunner := h.Driver.(driver.Runner)
	stepper, isStepper := h.Driver.(driver.Stepper)
	if isRunner == isStepper {
		tb.Fatalf("%T is Runner: %v, is Stepper: %v; a driver is one of them", h.Driver, isRunner, isStepper)
	}
	if isStepper {
		r.stepper = stepper
		r.virtual = clock.NewManual(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
		r.clock = r.virtual
		if p := stepper.Period(); p <= 0 || p > 100*time.Millisecond {
			tb.Fatalf("period %v is not one in which a watchdog of %v can be kept", p, driver.WatchdogTimeout)
		}
	} else {
		r.clock = clock.Real{}
	}
	r.start()
	if isRunner {
		r.run(runner)
	}
	r.wait(0)
	return r
}

func (r *rig) connect(c driver.Connector) {
	ctx, cancel := context.WithTimeout(context.Background(), r.Patience)
	defer cancel()
	if err := c.Connect(ctx); err != nil {
		r.Fatalf("connect: %v", err)
	}
	r.Cleanup(func() {
		if err := c.Close(); err != nil {
			r.Errorf("close: %v", err)
		}
	})
}

// start makes a new sink and starts the driver with it.
func (r *rig) start() {
	r.sink = newRecorder(r.clock, r.caps)
	if err := r.Driver.Start(r.now(), r.sink); err != nil {
		r.Fatalf("start: %v", err)
	}
}

// run serves a Runner until the case ends.
func (r *rig) run(runner driver.Runner) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	r.Cleanup(func() {
		cancel()
		limit, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		select {
		case err := <-done:
			if err != nil && !errors.Is(err, context.Canceled) {
				r.Errorf("run ended with %v", err)
			}
		case <-limit.Done():
			r.Errorf("run does not return after its context has ended")
		}
	})
}

func (r *rig) now() time.Time { return r.clock.Now() }

// tick lets the body go on for one step.
func (r *rig) tick() {
	if r.stepper != nil {
		r.stepper.Step(r.virtual.Advance(r.stepper.Period()))
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pollEvery)
	defer cancel()
	<-ctx.Done()
}

// step is how long a tick takes.
func (r *rig) step() time.Duration {
	if r.stepper != nil {
		return r.stepper.Period()
	}
	return pollEvery
}

// wait lets the body go on for d.
func (r *rig) wait(d time.Duration) {
	for end := r.now().Add(d); r.now().Before(end); {
		r.tick()
	}
}

// until waits until cond holds, at most for limit, and reports how long it took.
func (r *rig) until(limit time.Duration, cond func() bool) (took time.Duration, ok bool) {
	began := r.now()
	for !cond() {
		if took = r.now().Sub(began); took > limit {
			return took, false
		}
		r.tick()
	}
	return r.now().Sub(began), true
}

// drive commands v at 20 Hz for d, as the mux does, and returns what the last command said.
func (r *rig) drive(v driver.Velocity, d time.Duration) (err error) {
	for end := r.now().Add(d); r.now().Before(end); {
		err = r.Driver.Command(r.now(), v)
		r.wait(commandEvery)
	}
	return err
}

// cruise drives until the velocity is reached and fails the case if it is not.
func (r *rig) cruise(v driver.Velocity) {
	r.Helper()
	if err := r.drive(v, r.Settle); err != nil {
		r.Fatalf("command %+v: %v", v, err)
	}
	got := r.velocity()
	for i, want := range [...]float64{v.VX, v.VY, v.WZ} {
		is := [...]float64{got.VX, got.VY, got.WZ}[i]
		if math.Abs(is-want) > 0.3*math.Abs(want)+0.05 {
			r.Fatalf("asked for %+v it moves by %+v after %v", v, got, r.Settle)
		}
	}
}

// velocity is how the body moves now.
func (r *rig) velocity() driver.Velocity {
	if r.Velocity != nil {
		return r.Velocity()
	}
	return r.sink.velocity()
}

func (r *rig) still() bool {
	v := r.velocity()
	return math.Hypot(v.VX, v.VY) < stillLinear && math.Abs(v.WZ) < stillAngular
}

// mustStay fails the case when the body moves within d while it is driven by v.
func (r *rig) mustStay(v driver.Velocity, d time.Duration, why string) {
	r.Helper()
	from := r.sink.place()
	for end := r.now().Add(d); r.now().Before(end); {
		_ = r.Driver.Command(r.now(), v) // whether it is refused is asserted elsewhere
		r.wait(commandEvery)
		if !r.still() {
			r.Fatalf("%s it moves by %+v", why, r.velocity())
		}
	}
	if to := r.sink.place(); math.Hypot(to.x-from.x, to.y-from.y) > stillPlace {
		r.Fatalf("%s it went from (%.2f, %.2f) to (%.2f, %.2f)", why, from.x, from.y, to.x, to.y)
	}
}

// stopTime reports how long the body takes to stand still after act.
func (r *rig) stopTime(act func()) time.Duration {
	r.Helper()
	act()
	took, ok := r.until(r.Settle+2*driver.WatchdogTimeout, r.still)
	if !ok {
		r.Fatalf("it still moves by %+v after %v", r.velocity(), took)
	}
	return took
}

// braking is how long the body takes to stop from v when it is told to.
func (r *rig) braking(v driver.Velocity) time.Duration {
	r.Helper()
	r.cruise(v)
	return r.stopTime(func() { r.command(driver.Velocity{}) })
}

// command sends one command that must be taken.
func (r *rig) command(v driver.Velocity) {
	r.Helper()
	if err := r.Driver.Command(r.now(), v); err != nil {
		r.Fatalf("command %+v: %v", v, err)
	}
}

// slack is how much later than it happens a stop may be seen.
func (r *rig) slack() time.Duration {
	out := 2*r.step() + time.Duration(float64(time.Second)/r.caps.RateHz)
	if r.stepper == nil {
		out += r.Lateness
	}
	return out
}

// mobile reports whether the body can be driven.
func (r *rig) mobile() bool { return r.caps.Limits.VX > 0 || r.caps.Limits.WZ > 0 }

// half is a velocity that the body can keep up: half of its limit, forward if it can.
func (r *rig) half() driver.Velocity {
	if r.caps.Limits.VX > 0 {
		return driver.Velocity{VX: r.caps.Limits.VX / 2}
	}
	return driver.Velocity{WZ: r.caps.Limits.WZ / 2}
}
