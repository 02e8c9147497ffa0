package hal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sarathi/driver"
)

// body calls a driver as its contract demands: a Stepper never from two goroutines at once, and nothing before it has started.
type body struct {
	driver    driver.Driver
	stepper   driver.Stepper   // nil for a Runner
	runner    driver.Runner    // nil for a Stepper
	connector driver.Connector // nil when it needs no contact
	canceler  driver.Canceler  // nil when its skills cannot be given up
	poser     driver.PoseSetter

	mu sync.Mutex // held while a Stepper is called
}

func newBody(d driver.Driver) (*body, error) {
	b := &body{driver: d}
	var isStepper, isRunner bool
	b.stepper, isStepper = d.(driver.Stepper)
	b.runner, isRunner = d.(driver.Runner)
	b.connector, _ = d.(driver.Connector)
	b.canceler, _ = d.(driver.Canceler)
	b.poser, _ = d.(driver.PoseSetter)
	if isStepper == isRunner {
		return nil, fmt.Errorf("%T must be either a driver.Stepper or a driver.Runner", d)
	}
	return b, nil
}

// lock takes the lock that a Stepper needs.
func (b *body) lock() (unlock func()) {
	if b.stepper == nil {
		return func() {}
	}
	b.mu.Lock()
	return b.mu.Unlock
}

func (b *body) start(now time.Time, out driver.Sink) error {
	defer b.lock()()
	return b.driver.Start(now, out)
}

func (b *body) command(now time.Time, v driver.Velocity) error {
	defer b.lock()()
	return b.driver.Command(now, v)
}

func (b *body) skill(now time.Time, r driver.SkillRequest) error {
	defer b.lock()()
	return b.driver.Skill(now, r)
}

func (b *body) eStop(now time.Time, reason string) {
	defer b.lock()()
	b.driver.EStop(now, reason)
}

func (b *body) release(now time.Time) error {
	defer b.lock()()
	return b.driver.Release(now)
}

func (b *body) cancel(now time.Time, reason string) {
	if b.canceler == nil {
		return
	}
	defer b.lock()()
	b.canceler.Cancel(now, reason)
}

// errNoPose is for bodies whose odometry cannot be given a new origin.
var errNoPose = errors.New("the odometry of this body cannot be given a new origin")

func (b *body) setPose(now time.Time, x, y, theta float64) error {
	if b.poser == nil {
		return errNoPose
	}
	defer b.lock()()
	return b.poser.SetPose(now, x, y, theta)
}

func (b *body) step(now time.Time) {
	defer b.lock()()
	b.stepper.Step(now)
}

// run lets a Runner run; a Stepper needs none.
func (b *body) run(ctx context.Context) error {
	if b.runner == nil {
		<-ctx.Done()
		return nil
	}
	err := b.runner.Run(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // it was told to end
	}
	if err == nil {
		err = errors.New("the body is lost")
	}
	return err
}
