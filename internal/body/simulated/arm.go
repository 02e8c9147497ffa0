package simulated

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/msg/sensor"
)

// Skills of an arm besides setJoints and emergency_stop.
const (
	skillHome         = "home"
	skillOpenGripper  = "open_gripper"
	skillCloseGripper = "close_gripper"
)

// GripperJoint is the name of the gripper in joint states, behind the joints: 0 closed to 1 open.
const GripperJoint = "gripper"

// ArmConfig is a simulated arm and how it reports.
type ArmConfig struct {
	Kind string
	Spec sim.ArmSpec
	Rate float64 // of joint states [Hz], 1 to 500
}

// SixAxisArm returns an arm with six joints and a gripper, of the size and the limits of small industrial ones.
func SixAxisArm() ArmConfig {
	joint := func(n int, low, high, speed float64) sim.JointSpec {
		return sim.JointSpec{Name: fmt.Sprintf("joint%d", n), Min: low, Max: high, Speed: speed, Accel: 2 * speed, Brake: 8 * speed}
	}
	return ArmConfig{
		Kind: "arm6", Rate: 100,
		Spec: sim.ArmSpec{
			Joints: []sim.JointSpec{
				joint(1, -2*math.Pi, 2*math.Pi, 2), joint(2, -2, 2, 2), joint(3, -3.9, 0.2, 2),
				joint(4, -2*math.Pi, 2*math.Pi, 3), joint(5, -1.7, math.Pi, 3), joint(6, -2*math.Pi, 2*math.Pi, 3),
			},
			Home: []float64{0, -0.6, -0.9, 0, 1.5, 0}, Gripper: 2,
		},
	}
}

// ArmPeriod is the time between two steps of an arm.
const ArmPeriod = 2 * time.Millisecond

// Arm is the driver of a simulated arm. It is a driver.Stepper: its host calls one method at a time.
//
// setJoints is checked for its shape and passed to the simulated motor controller, which keeps range, speed and acceleration. A new one
// takes the place of one that runs, so that a policy can stream targets. Joints move only while control frames (commands of any velocity,
// or setJoints) come: 500 ms after the last they stop and the skill fails.
type Arm struct {
	cfg   ArmConfig
	caps  driver.Capabilities
	names []string
	arm   *sim.Arm
	guard driver.Guard
	out   driver.Sink

	running *driver.SkillRequest
	far     float64 // the way of the skill that runs, for its progress
	last    time.Time
	elapsed time.Duration // by our own steps: a clock that jumps ages nothing
	due     time.Duration // of the next joint state
	told    time.Duration // of the last progress
}

var (
	_ driver.Stepper  = (*Arm)(nil)
	_ driver.Canceler = (*Arm)(nil)
)

// NewArm returns the driver of a simulated arm.
func NewArm(c ArmConfig) (*Arm, error) {
	if !(c.Rate >= 1 && c.Rate <= float64(time.Second/ArmPeriod)) {
		return nil, fmt.Errorf("rate %v Hz is out of range 1..%d", c.Rate, time.Second/ArmPeriod)
	}
	arm, err := sim.NewArm(c.Spec)
	if err != nil {
		return nil, err
	}
	a := &Arm{cfg: c, arm: arm, caps: driver.Capabilities{
		Kind: c.Kind, Drive: driver.Arm, DOF: len(c.Spec.Joints), Units: driver.Units{Len: "m", Ang: "rad"}, RateHz: c.Rate,
		Skills:  []string{driver.SkillSetJoints, skillHome, driver.SkillEmergencyStop},
		Streams: []driver.Stream{driver.StreamJoints},
	}}
	for _, j := range c.Spec.Joints {
		a.names = append(a.names, j.Name)
	}
	if c.Spec.Gripper > 0 {
		a.caps.Skills = append(a.caps.Skills, skillOpenGripper, skillCloseGripper)
		a.names = append(a.names, GripperJoint)
	}
	return a, a.caps.Validate()
}

// Capabilities implements driver.Driver.
func (a *Arm) Capabilities() driver.Capabilities { return a.caps }

// Period implements driver.Stepper.
func (a *Arm) Period() time.Duration { return ArmPeriod }

// Start implements driver.Driver.
func (a *Arm) Start(now time.Time, out driver.Sink) error {
	if a.out != nil {
		a.end(driver.SkillFailed, "its host was replaced")
	}
	a.arm.Hold(false)
	a.guard.Stop()
	a.out, a.last = out, now
	if a.guard.State().Engaged {
		out.EStop(a.guard.State())
	}
	return nil
}

// Command implements driver.Driver. An arm stands still; a command tells that somebody is there.
func (a *Arm) Command(now time.Time, v driver.Velocity) error { return a.guard.Command(now, v) }

// Skill implements driver.Driver.
func (a *Arm) Skill(now time.Time, r driver.SkillRequest) error {
	switch latch := a.guard.State(); {
	case !slices.Contains(a.caps.Skills, r.Name):
		return fmt.Errorf("%w: %q", driver.ErrUnknownSkill, r.Name)
	case r.Name == driver.SkillEmergencyStop:
		a.EStop(now, "emergency_stop was called")
		a.report(r, driver.SkillAccepted, 0, "")
		a.report(r, driver.SkillDone, 1, "")
		return nil
	case latch.Engaged:
		return fmt.Errorf("%w: %s", driver.ErrEStopped, latch.Reason)
	}
	if r.Name == driver.SkillSetJoints {
		if err := a.checkJoints(r.Args); err != nil {
			return err
		}
	}
	if a.running != nil {
		if r.Name != driver.SkillSetJoints || a.running.Name != driver.SkillSetJoints {
			return fmt.Errorf("%w: %s", driver.ErrBusy, a.running.Name)
		}
		a.end(driver.SkillFailed, "superseded by another setJoints")
	}
	if err := a.guard.Refresh(now); err != nil {
		return err
	}
	a.begin(r)
	return nil
}

// checkJoints checks the shape and nothing else: how far and how fast joints go is the motor controller's matter.
func (a *Arm) checkJoints(args driver.SkillArgs) error {
	if len(args.Joints) != a.caps.DOF {
		return fmt.Errorf("%w: %d joints, want %d", driver.ErrBadArgs, len(args.Joints), a.caps.DOF)
	}
	all := slices.Clone(args.Joints)
	if args.Gripper != nil {
		all = append(all, *args.Gripper)
	}
	for _, v := range all {
		if v-v != 0 {
			return fmt.Errorf("%w: %v is not finite", driver.ErrBadArgs, v)
		}
	}
	return nil
}

func (a *Arm) begin(r driver.SkillRequest) {
	a.running, a.told = &r, a.elapsed
	a.report(r, driver.SkillAccepted, 0, "")
	switch r.Name {
	case driver.SkillSetJoints:
		a.arm.Aim(r.Args.Joints)
		if r.Args.Gripper != nil {
			a.arm.Grip(*r.Args.Gripper)
		}
	case skillHome:
		a.arm.Aim(a.cfg.Spec.Home)
	case skillOpenGripper:
		a.arm.Grip(1)
	case skillCloseGripper:
		a.arm.Grip(0)
	}
	a.far = a.arm.Remaining()
}

func (a *Arm) report(r driver.SkillRequest, s driver.SkillStatus, progress float64, why string) {
	a.out.SkillResult(driver.SkillResult{ReqID: r.ReqID, Status: s, Progress: progress, Err: why})
}

// progress is the part of the way that the skill that runs has gone.
func (a *Arm) progress() float64 {
	if a.far <= 0 {
		return 1
	}
	return min(max(1-a.arm.Remaining()/a.far, 0), 1)
}

// end ends the skill that runs, if one does.
func (a *Arm) end(s driver.SkillStatus, why string) {
	if a.running == nil {
		return
	}
	r, progress := *a.running, a.progress()
	if s == driver.SkillDone {
		progress = 1
	}
	a.running = nil
	a.report(r, s, progress, why)
}

// Cancel implements driver.Canceler.
func (a *Arm) Cancel(_ time.Time, reason string) {
	a.end(driver.SkillFailed, reason)
	a.arm.Hold(false)
}

// EStop implements driver.Driver.
func (a *Arm) EStop(_ time.Time, reason string) {
	a.arm.Hold(true)
	if a.guard.EStop(reason) {
		a.out.EStop(a.guard.State())
	}
	a.end(driver.SkillFailed, "e-stop: "+reason)
}

// Release implements driver.Driver.
func (a *Arm) Release(time.Time) error {
	changed, err := a.guard.Release()
	if changed {
		a.out.EStop(a.guard.State())
	}
	return err
}

// Press presses the e-stop button of the arm, or pulls it out. Pulling it out releases nothing.
func (a *Arm) Press(pressed bool) {
	if pressed {
		a.arm.Hold(true)
	}
	if a.guard.Hold(pressed, "the e-stop button of the arm is pressed") {
		a.out.EStop(a.guard.State())
	}
	if pressed {
		a.end(driver.SkillFailed, "e-stop")
	}
}

// Step implements driver.Stepper.
func (a *Arm) Step(now time.Time) {
	dt := now.Sub(a.last)
	if dt < 0 || dt > maxGap {
		dt = ArmPeriod
	}
	a.last = now
	a.elapsed += dt
	if a.running != nil && !a.guard.Fresh(now) {
		a.end(driver.SkillFailed, fmt.Sprintf("watchdog: no control frame for %v", driver.WatchdogTimeout))
		a.arm.Hold(false)
	}
	for dt > 0 {
		step := min(dt, ArmPeriod)
		dt -= step
		a.arm.Step(step.Seconds())
	}
	switch {
	case a.running == nil:
	case a.arm.Arrived():
		a.end(driver.SkillDone, "")
	case a.elapsed-a.told >= progressPeriod:
		a.told = a.elapsed
		a.report(*a.running, driver.SkillRunning, a.progress(), "")
	}
	a.publish(now)
}

// publish publishes the joints when they are due.
func (a *Arm) publish(now time.Time) {
	if a.elapsed < a.due {
		return
	}
	period := time.Duration(float64(time.Second) / a.cfg.Rate)
	if a.due += period; a.due <= a.elapsed { // it fell behind
		a.due = a.elapsed + period
	}
	m := &sensor.JointState{
		Header: rosconv.Header(now, ""), Name: a.names,
		Position: slices.Grow(slices.Clone(a.arm.Position()), 1), Velocity: slices.Clone(a.arm.Velocity()),
	}
	if a.cfg.Spec.Gripper > 0 {
		m.Position, m.Velocity = append(m.Position, a.arm.Gripper()), append(m.Velocity, 0)
	}
	a.out.Publish(driver.StreamJoints, m)
}
