package drivertest

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sarathi/driver"
)

// Harness is a body under test and what the suite may do to it.
type Harness struct {
	// Driver is the body: a driver.Stepper or a driver.Runner, not started.
	Driver driver.Driver
	// Button presses or pulls out the e-stop button of the body. Nil when nobody can: its cases are left out.
	Button func(pressed bool)
	// Velocity is how the body really moves. Nil: what its odometry says.
	Velocity func() driver.Velocity
	// Settle is how long the body takes to reach a velocity or to stand still. 0 means 2 s.
	Settle time.Duration
	// Lateness is how much later than it happens a stop may be seen in real time. 0 means 100 ms.
	Lateness time.Duration
	// Patience is how long the slowest skill takes, and how long any stream may take to show. 0 means 10 s.
	Patience time.Duration
}

// A testCase asserts one promise. Those that a body does not give, such as skills it does not have, are fulfilled.
type testCase struct {
	name string
	run  func(*rig)
}

func cases() []testCase {
	return []testCase{
		{"capabilities", capabilities},
		{"streams are of their types", streamTypes},
		{"telemetry comes at its rate", telemetryRate},
		{"stands still until the first command", standsStill},
		{"moves on command", movesOnCommand},
		{"keeps its limits", keepsLimits},
		{"lateral commands", lateralCommands},
		{"watchdog", watchdog},
		{"not finite stops", notFiniteStops},
		{"not finite does not refresh", notFiniteDoesNotRefresh},
		{"clock going back is silence", clockGoesBack},
		{"a new host finds it standing", newHost},
		{"e-stop latches", eStopLatches},
		{"e-stop survives a new host", eStopSurvivesNewHost},
		{"held e-stop is not released", heldEStop},
		{"unknown skill", unknownSkill},
		{"skills end once", skillsEndOnce},
		{"emergency_stop latches", emergencyStopLatches},
		{"e-stop ends skills", eStopEndsSkills},
		{"skills are cancelled", skillsAreCancelled},
		{"joints", joints},
		{"pose is seeded", poseIsSeeded},
		{"any goroutine may call", anyGoroutine},
	}
}

// Test runs the suite. make returns a new body for each case and registers its own clean-up.
func Test(t *testing.T, newHarness func(testing.TB) Harness) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { c.run(newRig(t, newHarness(t))) })
	}
}

// TestAtOnce is Test with all cases at the same time: for a Runner in real time, whose cases wait far more than they work.
func TestAtOnce(t *testing.T, newHarness func(testing.TB) Harness) {
	t.Helper()
	var all sync.WaitGroup
	for _, c := range cases() {
		all.Go(func() {
			t.Run(c.name, func(t *testing.T) { c.run(newRig(t, newHarness(t))) })
		})
	}
	all.Wait()
}

// TestInBubble is Test with every case in a bubble of testing/synctest, where waiting takes no time. Everything that
// newHarness makes must be made in it and must not use the network: net.Pipe instead of sockets.
func TestInBubble(t *testing.T, newHarness func(testing.TB) Harness) {
	t.Helper()
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.run(newRig(t, newHarness(t))) })
		})
	}
}
