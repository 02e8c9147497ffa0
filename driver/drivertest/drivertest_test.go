package drivertest

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"sarathi/driver"
)

func harness(drive driver.Drive, flaw string) func(testing.TB) Harness {
	return func(testing.TB) Harness {
		d := newIdeal(drive, flaw)
		return Harness{Driver: d, Button: d.press}
	}
}

func TestIdealBodiesPass(t *testing.T) {
	for _, drive := range []driver.Drive{driver.Diff, driver.Omni, driver.Holonomic} {
		t.Run(string(drive), func(t *testing.T) { Test(t, harness(drive, "")) })
	}
	t.Run("arm", func(t *testing.T) {
		Test(t, func(testing.TB) Harness {
			d := newIdeal(driver.Arm, "")
			d.caps.Limits = driver.Limits{}
			return Harness{Driver: d, Button: d.press}
		})
	})
	t.Run("runner", func(t *testing.T) {
		TestInBubble(t, func(testing.TB) Harness { return Harness{Driver: &runner{d: newIdeal(driver.Omni, "")}} })
	})
}

// record is a testing.TB that keeps the verdict instead of failing.
type record struct {
	testing.TB
	failures []string
	cleanups []func()
}

func (r *record) Helper()          {}
func (r *record) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *record) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *record) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// verdict runs one case and returns what it finds wrong.
func verdict(t *testing.T, c testCase, newHarness func(testing.TB) Harness) []string {
	r := &record{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		c.run(newRig(r, newHarness(r)))
	}()
	<-done
	return r.failures
}

// flaws are bodies that break one promise each, and a case that must see it.
var flaws = []struct {
	drive driver.Drive
	flaw  string
	seen  string
}{
	{driver.Diff, "no kind", "capabilities"},
	{driver.Diff, "wrong type", "streams are of their types"},
	{driver.Diff, "no battery", "streams are of their types"},
	{driver.Diff, "unlisted stream", "streams are of their types"},
	{driver.Diff, "slow telemetry", "telemetry comes at its rate"},
	{driver.Diff, "creeps at first", "stands still until the first command"},
	{driver.Diff, "deaf", "moves on command"},
	{driver.Omni, "no limits", "keeps its limits"},
	{driver.Diff, "slides", "lateral commands"},
	{driver.Diff, "no watchdog", "watchdog"},
	{driver.Diff, "early watchdog", "watchdog"},
	{driver.Diff, "ignores what is not finite", "not finite stops"},
	{driver.Diff, "silent about what is not finite", "not finite stops"},
	{driver.Diff, "clamps what is not finite", "not finite does not refresh"},
	{driver.Diff, "no watchdog", "clock going back is silence"},
	{driver.Diff, "keeps moving for a new host", "a new host finds it standing"},
	{driver.Diff, "keeps the old sink", "a new host finds it standing"},
	{driver.Diff, "moves while latched", "e-stop latches"},
	{driver.Diff, "takes commands while latched", "e-stop latches"},
	{driver.Diff, "hides its motion", "e-stop latches"},
	{driver.Diff, "slow e-stop", "e-stop latches"},
	{driver.Diff, "the last reason wins", "e-stop latches"},
	{driver.Diff, "goes on after the release", "e-stop latches"},
	{driver.Diff, "forgets its latch", "e-stop survives a new host"},
	{driver.Diff, "releases what is held", "held e-stop is not released"},
	{driver.Diff, "the button releases", "held e-stop is not released"},
	{driver.Diff, "takes unknown skills", "unknown skill"},
	{driver.Diff, "skills never end", "skills end once"},
	{driver.Diff, "skills end twice", "skills end once"},
	{driver.Diff, "progress goes back", "skills end once"},
	{driver.Diff, "emergency_stop does not latch", "emergency_stop latches"},
	{driver.Diff, "skills while latched", "e-stop ends skills"},
	{driver.Diff, "e-stop forgets skills", "e-stop ends skills"},
	{driver.Diff, "cancel does nothing", "skills are cancelled"},
	{driver.Diff, "cancel latches", "skills are cancelled"},
	{driver.Diff, "any joints", "joints"},
	{driver.Diff, "ignores the pose", "pose is seeded"},
}

func TestBrokenBodiesFail(t *testing.T) {
	for _, f := range flaws {
		t.Run(f.flaw, func(t *testing.T) {
			i := slices.IndexFunc(cases(), func(c testCase) bool { return c.name == f.seen })
			if i < 0 {
				t.Fatalf("there is no case %q", f.seen)
			}
			c := cases()[i]
			if got := verdict(t, c, harness(f.drive, f.flaw)); len(got) == 0 {
				t.Errorf("case %q does not see it", c.name)
			} else {
				t.Logf("%s", got[0])
			}
			if got := verdict(t, c, harness(f.drive, "")); len(got) > 0 {
				t.Errorf("case %q sees something in a good body: %q", c.name, got)
			}
		})
	}
}

// Every case can fail. What may be called from any goroutine is the race detector's to judge.
func TestEveryCaseCanFail(t *testing.T) {
	for _, c := range cases() {
		seen := c.name == "any goroutine may call"
		for _, f := range flaws {
			seen = seen || f.seen == c.name
		}
		if !seen {
			t.Errorf("no broken body is seen by case %q", c.name)
		}
	}
}

func TestDriverMustBeOneKind(t *testing.T) {
	never := testCase{"", func(*rig) {}}
	bare := func(testing.TB) Harness {
		return Harness{Driver: struct{ driver.Driver }{newIdeal(driver.Diff, "")}}
	}
	if got := verdict(t, never, bare); len(got) == 0 {
		t.Error("a driver that is neither Stepper nor Runner passes")
	}
}
