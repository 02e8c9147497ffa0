package simulated_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/driver/drivertest"
	"sarathi/internal/body/simulated"
	"sarathi/msg/sensor"
)

func newArm(tb testing.TB) *simulated.Arm {
	tb.Helper()
	a, err := simulated.NewArm(simulated.SixAxisArm())
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestArmContract(t *testing.T) {
	drivertest.Test(t, func(tb testing.TB) drivertest.Harness {
		a := newArm(tb)
		return drivertest.Harness{Driver: a, Button: a.Press}
	})
}

// armBench is an arm that a test steps. refresh tells that somebody is there, as a controller does.
type armBench struct {
	*testing.T
	arm     *simulated.Arm
	sink    *sink
	now     time.Time
	refresh bool
}

func newArmBench(t *testing.T) *armBench {
	b := &armBench{T: t, arm: newArm(t), sink: &sink{}, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), refresh: true}
	b.sink.forget()
	if err := b.arm.Start(b.now, b.sink); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *armBench) run(d time.Duration) {
	b.Helper()
	for end := b.now.Add(d); b.now.Before(end); {
		b.now = b.now.Add(simulated.ArmPeriod)
		if b.refresh {
			if err := b.arm.Command(b.now, driver.Velocity{}); err != nil {
				b.Fatal(err)
			}
		}
		b.arm.Step(b.now)
	}
}

func (b *armBench) ask(name, reqID string, args driver.SkillArgs) {
	b.Helper()
	if err := b.arm.Skill(b.now, driver.SkillRequest{Name: name, ReqID: reqID, Args: args}); err != nil {
		b.Fatal(err)
	}
}

func (b *armBench) joints() []float64 {
	return b.sink.last(driver.StreamJoints).(*sensor.JointState).Position
}

func (b *armBench) moves() bool {
	return slices.ContainsFunc(b.sink.last(driver.StreamJoints).(*sensor.JointState).Velocity, func(v float64) bool { return v != 0 })
}

// final is how a request ended.
func (b *armBench) final(reqID string) (out driver.SkillResult) {
	for _, r := range b.sink.results {
		if r.ReqID == reqID && r.Status.Final() {
			out = r
		}
	}
	return out
}

func TestArmGoesWhereItIsTold(t *testing.T) {
	b := newArmBench(t)
	want := []float64{1, -0.5, -1.5, 0.5, 1, -1}
	open := 0.75
	b.ask(driver.SkillSetJoints, "a", driver.SkillArgs{Joints: want, Gripper: &open})
	b.run(3 * time.Second)
	if r := b.final("a"); r.Status != driver.SkillDone {
		t.Errorf("%+v", r)
	}
	for i, v := range append(want, open) {
		if got := b.joints()[i]; math.Abs(got-v) > 2e-3 {
			t.Errorf("joint %d at %v, want %v", i, got, v)
		}
	}
	b.ask("home", "b", driver.SkillArgs{})
	b.run(3 * time.Second)
	if r := b.final("b"); r.Status != driver.SkillDone || math.Abs(b.joints()[0]) > 2e-3 || math.Abs(b.joints()[6]-open) > 2e-3 {
		t.Errorf("%+v, joints %v", r, b.joints())
	}
	b.ask("close_gripper", "c", driver.SkillArgs{})
	if err := b.arm.Skill(b.now, driver.SkillRequest{Name: "home", ReqID: "d"}); !errors.Is(err, driver.ErrBusy) {
		t.Errorf("home while the gripper closes: %v", err)
	}
	b.run(time.Second)
	if b.final("c").Status != driver.SkillDone || math.Abs(b.joints()[6]) > 2e-3 {
		t.Errorf("the gripper is at %v", b.joints()[6])
	}
	const far = 1e9 // no clamp in the driver: the motors keep their range
	b.ask(driver.SkillSetJoints, "e", driver.SkillArgs{Joints: []float64{far, far, far, far, far, far}})
	b.run(6 * time.Second)
	for i, j := range simulated.SixAxisArm().Spec.Joints {
		if got := b.joints()[i]; math.Abs(got-j.Max) > 2e-3 {
			t.Errorf("joint %d at %v, the end of its range is %v", i, got, j.Max)
		}
	}
}

// A policy streams targets: each takes the place of the one before.
func TestArmFollowsAStream(t *testing.T) {
	b := newArmBench(t)
	b.refresh = false // the stream itself keeps the watchdog content
	joints := slices.Clone(simulated.SixAxisArm().Spec.Home)
	for i := range 100 {
		joints[0] += 0.01
		b.ask(driver.SkillSetJoints, string(rune('A'+i)), driver.SkillArgs{Joints: slices.Clone(joints)})
		b.run(20 * time.Millisecond)
	}
	if got := b.joints()[0]; math.Abs(got-1) > 0.2 {
		t.Errorf("after a stream to 1 rad the joint is at %v", got)
	}
	if r := b.final("A"); r.Status != driver.SkillFailed && r.Status != driver.SkillDone {
		t.Errorf("%+v", r)
	}
	b.run(400 * time.Millisecond)
	if r := b.final(string(rune('A' + 99))); r.Status != driver.SkillDone {
		t.Errorf("the last: %+v", r)
	}
}

// Joints stop 500 ms after the last control frame, and the skill says why.
func TestArmWatchdog(t *testing.T) {
	b := newArmBench(t)
	b.refresh = false
	b.ask(driver.SkillSetJoints, "a", driver.SkillArgs{Joints: []float64{6, 0, 0, 0, 0, 0}})
	b.run(driver.WatchdogTimeout - 10*time.Millisecond)
	if !b.moves() || b.final("a").Status != "" {
		t.Errorf("it stops early: %+v", b.final("a"))
	}
	b.run(20 * time.Millisecond)
	if r := b.final("a"); r.Status != driver.SkillFailed || !strings.Contains(r.Err, "watchdog") {
		t.Errorf("%+v", r)
	}
	b.run(600 * time.Millisecond) // braking
	at := b.joints()[0]
	b.run(time.Second)
	if b.moves() || b.joints()[0] != at {
		t.Error("it does not stand")
	}
}

func TestArmStopsHarderInAnEmergency(t *testing.T) {
	way := map[string]float64{}
	for name, stop := range map[string]func(*armBench){
		"cancel": func(b *armBench) { b.arm.Cancel(b.now, "test") },
		"e-stop": func(b *armBench) { b.refresh = false; b.arm.EStop(b.now, "test") },
		"button": func(b *armBench) { b.refresh = false; b.arm.Press(true) },
	} {
		b := newArmBench(t)
		b.ask(driver.SkillSetJoints, "a", driver.SkillArgs{Joints: []float64{6, 0, 0, 0, 0, 0}})
		b.run(time.Second)
		from := b.joints()[0]
		stop(b)
		if b.final("a").Status != driver.SkillFailed {
			t.Errorf("%s: %+v", name, b.final("a"))
		}
		b.run(time.Second)
		if b.moves() {
			t.Errorf("%s: it moves", name)
		}
		way[name] = b.joints()[0] - from
	}
	if !(way["e-stop"] < way["cancel"]/2 && way["button"] == way["e-stop"]) {
		t.Errorf("ways of braking [rad]: %v", way)
	}
}

func TestArmConfigIsValidated(t *testing.T) {
	for want, change := range map[string]func(*simulated.ArmConfig){
		"rate":  func(c *simulated.ArmConfig) { c.Rate = 501 },
		"home":  func(c *simulated.ArmConfig) { c.Spec.Home = nil },
		"kind":  func(c *simulated.ArmConfig) { c.Kind = "" },
		"joint": func(c *simulated.ArmConfig) { c.Spec.Joints[2].Name = "" },
	} {
		c := simulated.SixAxisArm()
		change(&c)
		if _, err := simulated.NewArm(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
