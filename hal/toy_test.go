package hal

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/sensor"
)

const (
	toyPeriod = 10 * time.Millisecond
	toyWave   = 300 * time.Millisecond
	toyBrake  = 100 * time.Millisecond // from its top speed
)

// toy is a small body: a differential drive with two joints, a gripper, a battery and a button. What it was told is kept.
type toy struct {
	caps  driver.Capabilities
	guard driver.Guard
	out   driver.Sink
	v     driver.Velocity
	pose  geom.Pose2
	last  time.Time
	since time.Time
	told  time.Time // of telemetry
	wave  *driver.SkillRequest
	joint [2]float64
	mute  bool // it reports nothing
	deaf  bool // it does not answer: skills never end

	mu       sync.Mutex
	commands []driver.Velocity
	times    []time.Time
	moved    func() // called with every command that moves, before it is taken
}

func newToy() *toy {
	return &toy{caps: driver.Capabilities{
		Kind: "toy", Drive: driver.Diff, DOF: 2, Skills: []string{"wave", driver.SkillEmergencyStop, driver.SkillSetJoints},
		Streams: []driver.Stream{driver.StreamOdometry, driver.StreamJoints, driver.StreamBattery},
		Units:   driver.Units{Len: "m", Ang: "rad"}, Frame: "odom", Limits: driver.Limits{VX: 1, WZ: 2}, RateHz: 50,
	}}
}

func (d *toy) Capabilities() driver.Capabilities { return d.caps }
func (d *toy) Period() time.Duration             { return toyPeriod }

func (d *toy) Start(now time.Time, out driver.Sink) error {
	d.guard.Stop()
	d.out, d.last = out, now
	if d.guard.State().Engaged {
		out.EStop(d.guard.State())
	}
	return nil
}

func (d *toy) Command(now time.Time, v driver.Velocity) error {
	d.mu.Lock()
	d.commands, d.times = append(d.commands, v), append(d.times, now)
	if d.moved != nil && v != (driver.Velocity{}) {
		d.moved()
	}
	d.mu.Unlock()
	return d.guard.Command(now, v)
}

// told is the last command, and how many there were.
func (d *toy) heard() (last driver.Velocity, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.commands) == 0 {
		return driver.Velocity{}, 0
	}
	return d.commands[len(d.commands)-1], len(d.commands)
}

func (d *toy) report(r driver.SkillRequest, s driver.SkillStatus, progress float64, why string) {
	d.out.SkillResult(driver.SkillResult{ReqID: r.ReqID, Status: s, Progress: progress, Err: why})
}

func (d *toy) Skill(now time.Time, r driver.SkillRequest) error {
	switch {
	case !slices.Contains(d.caps.Skills, r.Name):
		return fmt.Errorf("%w: %s", driver.ErrUnknownSkill, r.Name)
	case r.Name == driver.SkillEmergencyStop:
		d.EStop(now, "emergency_stop")
		d.report(r, driver.SkillAccepted, 0, "")
		d.report(r, driver.SkillDone, 1, "")
		return nil
	case d.guard.State().Engaged:
		return driver.ErrEStopped
	case d.wave != nil:
		return driver.ErrBusy
	case r.Name == driver.SkillSetJoints:
		if len(r.Args.Joints) != 2 || !finite(r.Args.Joints...) || r.Args.Gripper != nil && !finite(*r.Args.Gripper) {
			return driver.ErrBadArgs
		}
	}
	d.wave, d.since = &r, now
	d.report(r, driver.SkillAccepted, 0, "")
	return nil
}

func (d *toy) Cancel(_ time.Time, why string) {
	if d.wave != nil {
		r := *d.wave
		d.wave = nil
		d.report(r, driver.SkillFailed, 0.5, why)
	}
}

func (d *toy) EStop(now time.Time, reason string) {
	if d.guard.EStop(reason) {
		d.out.EStop(d.guard.State())
	}
	d.Cancel(now, "e-stop")
}

func (d *toy) Release(time.Time) error {
	changed, err := d.guard.Release()
	if changed {
		d.out.EStop(d.guard.State())
	}
	return err
}

func (d *toy) SetPose(_ time.Time, x, y, theta float64) error {
	d.pose = geom.Pose2{X: x, Y: y, Theta: theta}
	return nil
}

func (d *toy) press(pressed bool) {
	if d.guard.Hold(pressed, "button") {
		d.out.EStop(d.guard.State())
	}
}

func (d *toy) Step(now time.Time) {
	dt := min(max(now.Sub(d.last), 0), time.Second).Seconds()
	d.last = now
	want := d.caps.Limits.Clamp(d.guard.Velocity(now))
	part := dt / toyBrake.Seconds()
	d.v.VX += min(max(want.VX-d.v.VX, -part*d.caps.Limits.VX), part*d.caps.Limits.VX)
	d.v.WZ += min(max(want.WZ-d.v.WZ, -part*d.caps.Limits.WZ), part*d.caps.Limits.WZ)
	sin, cos := math.Sincos(d.pose.Theta)
	d.pose.X += d.v.VX * cos * dt
	d.pose.Y += d.v.VX * sin * dt
	d.pose.Theta = geom.NormalizeAngle(d.pose.Theta + d.v.WZ*dt)
	d.work(now)
	if d.mute || now.Sub(d.told) < 20*time.Millisecond-toyPeriod/2 {
		return
	}
	d.told = now
	o := rosconv.Odometry(now, "odom", "base_link", d.pose.Transform(), geom.Velocity{VX: d.v.VX, WZ: d.v.WZ})
	d.out.Publish(driver.StreamOdometry, &o)
	d.out.Publish(driver.StreamJoints, &sensor.JointState{Header: o.Header, Name: []string{"a", "b"}, Position: d.joint[:]})
	d.out.Publish(driver.StreamBattery, &sensor.BatteryState{Header: o.Header, Percentage: 0.75, Present: true})
}

func (d *toy) work(now time.Time) {
	if d.wave == nil || d.deaf {
		return
	}
	r := *d.wave
	if part := now.Sub(d.since).Seconds() / toyWave.Seconds(); part < 1 {
		d.report(r, driver.SkillRunning, max(part, 0), "")
		return
	}
	d.wave = nil
	copy(d.joint[:], r.Args.Joints)
	d.report(r, driver.SkillDone, 1, "")
}

// stand is a toy served by an agent, with the lock that a Stepper needs.
type stand struct {
	toy   *toy
	agent *Agent
}

// do looks at the toy, or changes it, while the agent does not.
func (s stand) do(f func(*toy)) {
	s.agent.body.mu.Lock()
	defer s.agent.body.mu.Unlock()
	f(s.toy)
}

func (s stand) velocity() (v driver.Velocity) {
	s.do(func(d *toy) { v = d.v })
	return v
}
