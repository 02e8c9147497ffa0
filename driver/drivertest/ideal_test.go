package drivertest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"sarathi/driver"
	"sarathi/internal/clock"
	"sarathi/msg/builtin"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

const (
	idealPeriod  = 20 * time.Millisecond
	idealBraking = 200 * time.Millisecond // from any speed
	idealSkill   = 300 * time.Millisecond
)

// ideal is a body that keeps every promise but the one its flaw names.
type ideal struct {
	flaw    string
	caps    driver.Capabilities
	guard   driver.Guard
	sink    driver.Sink
	last    time.Time
	v       driver.Velocity
	x, y    float64
	theta   float64
	running *idealTask
	sitting bool
	steps   int
}

type idealTask struct {
	req   driver.SkillRequest
	since time.Time
}

func newIdeal(drive driver.Drive, flaw string) *ideal {
	d := &ideal{flaw: flaw, caps: driver.Capabilities{
		Kind: "ideal", Drive: drive, DOF: 2,
		Skills:  []string{driver.SkillStandUp, driver.SkillSitDown, "wave", driver.SkillEmergencyStop, driver.SkillSetJoints},
		Streams: []driver.Stream{driver.StreamOdometry, driver.StreamBattery, driver.StreamImage},
		Units:   driver.Units{Len: "m", Ang: "rad"}, Frame: "odom",
		Limits: driver.Limits{VX: 1, WZ: 1.5}, RateHz: 50,
	}}
	if drive.Lateral() {
		d.caps.Limits.VY = 0.5
	}
	if flaw == "no kind" {
		d.caps.Kind = ""
	}
	return d
}

func (d *ideal) is(flaw string) bool { return d.flaw == flaw }

func (d *ideal) Capabilities() driver.Capabilities { return d.caps }
func (d *ideal) Period() time.Duration             { return idealPeriod }

func (d *ideal) Start(now time.Time, out driver.Sink) error {
	if !d.is("keeps moving for a new host") {
		d.guard.Stop()
		d.v = driver.Velocity{}
	}
	if d.is("keeps the old sink") && d.sink != nil {
		return nil
	}
	d.sink, d.last = out, now
	if d.is("forgets its latch") {
		d.guard.Release() // the flaw
	}
	if d.guard.State().Engaged {
		d.sink.EStop(d.guard.State())
	}
	if d.is("creeps at first") {
		return d.guard.Command(now, driver.Velocity{VX: 0.1})
	}
	return nil
}

func (d *ideal) Command(now time.Time, v driver.Velocity) error {
	switch {
	case d.is("ignores what is not finite") && !v.IsFinite():
		return driver.ErrNotFinite
	case d.is("clamps what is not finite") && !v.IsFinite():
		_ = d.guard.Command(now, driver.Velocity{VX: 0.3})
		return driver.ErrNotFinite
	case d.is("silent about what is not finite") && !v.IsFinite():
		_ = d.guard.Command(now, v)
		return nil
	case d.is("deaf"):
		return nil
	case d.is("moves while latched") && d.guard.State().Engaged:
		d.v = driver.Velocity{VX: 0.5}
		return driver.ErrEStopped
	case d.is("takes commands while latched") && d.guard.State().Engaged:
		return nil
	}
	return d.guard.Command(now, v)
}

func (d *ideal) Skill(now time.Time, req driver.SkillRequest) error {
	switch {
	case !slices.Contains(d.caps.Skills, req.Name):
		if d.is("takes unknown skills") {
			return nil
		}
		return driver.ErrUnknownSkill
	case req.Name == driver.SkillEmergencyStop:
		if !d.is("emergency_stop does not latch") {
			d.EStop(now, "emergency_stop")
		}
		d.report(req, driver.SkillAccepted, 0, "")
		d.report(req, driver.SkillDone, 1, "")
		return nil
	case d.guard.State().Engaged && !d.is("skills while latched"):
		return driver.ErrEStopped
	case d.running != nil:
		return driver.ErrBusy
	case req.Name == "wave" && d.sitting:
		return driver.ErrNotReady
	case req.Name == driver.SkillSetJoints && !d.goodJoints(req.Args) && !d.is("any joints"):
		return driver.ErrBadArgs
	}
	d.running = &idealTask{req, now}
	d.report(req, driver.SkillAccepted, 0, "")
	return nil
}

func (d *ideal) goodJoints(a driver.SkillArgs) bool {
	all := slices.Clone(a.Joints)
	if a.Gripper != nil {
		all = append(all, *a.Gripper)
	}
	return len(a.Joints) == d.caps.DOF && !slices.ContainsFunc(all, func(v float64) bool { return v-v != 0 })
}

func (d *ideal) report(req driver.SkillRequest, s driver.SkillStatus, progress float64, err string) {
	d.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: s, Progress: progress, Err: err})
}

func (d *ideal) EStop(_ time.Time, reason string) {
	if d.is("the last reason wins") {
		d.guard.Release() // the flaw
	}
	if d.guard.EStop(reason) {
		d.sink.EStop(d.guard.State())
	}
	if !d.is("e-stop forgets skills") {
		d.cancel("e-stop")
	}
}

func (d *ideal) cancel(why string) {
	if d.running != nil {
		d.report(d.running.req, driver.SkillFailed, 0.5, why)
		d.running = nil
	}
}

func (d *ideal) Cancel(_ time.Time, why string) {
	switch {
	case d.is("cancel does nothing"):
	case d.is("cancel latches"):
		d.EStop(d.last, why)
	default:
		d.cancel(why)
	}
}

func (d *ideal) Release(now time.Time) error {
	v := d.guard.Velocity(now)
	changed, err := d.guard.Release()
	if err != nil {
		if d.is("releases what is held") {
			return nil
		}
		return err
	}
	if changed {
		d.sink.EStop(d.guard.State())
	}
	if d.is("goes on after the release") {
		v.VX = 0.5
		return d.guard.Command(now, v)
	}
	return nil
}

func (d *ideal) SetPose(_ time.Time, x, y, theta float64) error {
	if d.is("ignores the pose") {
		return nil
	}
	d.x, d.y, d.theta = x, y, theta
	return nil
}

func (d *ideal) press(pressed bool) {
	if d.guard.Hold(pressed, "button") {
		d.sink.EStop(d.guard.State())
	}
	if !pressed && d.is("the button releases") {
		d.guard.Release() // the flaw
		d.sink.EStop(d.guard.State())
	}
}

func (d *ideal) Step(now time.Time) {
	dt := now.Sub(d.last)
	if dt < 0 || dt > time.Second {
		dt = idealPeriod
	}
	d.last = now
	d.move(now, dt.Seconds())
	d.work(now)
	d.publish(now)
	d.steps++
}

// target is what the guard allows, distorted by the flaws about motion.
func (d *ideal) target(now time.Time) driver.Velocity {
	switch {
	case d.is("no watchdog"):
		now = time.Time{}
		d.guard.Timeout = 0
	case d.is("early watchdog"):
		d.guard.Timeout = 200 * time.Millisecond
	}
	v := d.guard.Velocity(now)
	if !d.is("no limits") {
		v = d.caps.Limits.Clamp(v)
	}
	if d.is("slides") {
		v.VY = 0.1 * v.VX
	}
	return v
}

func (d *ideal) move(now time.Time, dt float64) {
	v := d.target(now)
	if d.is("no watchdog") && v == (driver.Velocity{}) && !d.guard.State().Engaged && d.steps%1000 != 0 {
		v = d.v // goes on with what it had
	}
	const most = 2.0 // m/s
	step := most * dt / idealBraking.Seconds()
	if d.is("slow e-stop") && d.guard.State().Engaged {
		step /= 10
	}
	d.v.VX += min(max(v.VX-d.v.VX, -step), step)
	d.v.VY += min(max(v.VY-d.v.VY, -step), step)
	d.v.WZ += min(max(v.WZ-d.v.WZ, -step), step)
	s, c := math.Sincos(d.theta)
	d.x += (c*d.v.VX - s*d.v.VY) * dt
	d.y += (s*d.v.VX + c*d.v.VY) * dt
	d.theta = math.Remainder(d.theta+d.v.WZ*dt, 2*math.Pi)
}

func (d *ideal) work(now time.Time) {
	t := d.running
	if t == nil {
		return
	}
	part := min(1, max(0, float64(now.Sub(t.since))/float64(idealSkill)))
	if d.is("progress goes back") {
		part = 0.9 - part/2
	}
	if now.Sub(t.since) < idealSkill || d.is("skills never end") {
		d.report(t.req, driver.SkillRunning, part, "")
		return
	}
	d.running = nil
	d.sitting = t.req.Name == driver.SkillSitDown
	d.report(t.req, driver.SkillDone, 1, "")
	if d.is("skills end twice") {
		d.report(t.req, driver.SkillDone, 1, "")
	}
}

func (d *ideal) publish(now time.Time) {
	stamp := builtin.Time{Sec: int32(now.Unix()), Nanosec: uint32(now.Nanosecond())}
	o := nav.NewOdometry()
	o.Header.Stamp, o.Header.FrameID = stamp, "odom"
	o.Pose.Pose.Position.X, o.Pose.Pose.Position.Y = d.x, d.y
	o.Pose.Pose.Orientation.Z, o.Pose.Pose.Orientation.W = math.Sincos(d.theta / 2)
	o.Twist.Twist.Linear.X, o.Twist.Twist.Linear.Y, o.Twist.Twist.Angular.Z = d.v.VX, d.v.VY, d.v.WZ
	if d.is("hides its motion") && d.guard.State().Engaged {
		o.Pose.Pose.Position.X += 0.1 * float64(d.steps)
	}
	if !d.is("slow telemetry") || d.steps%2 == 0 {
		d.sink.Publish(driver.StreamOdometry, o)
	}
	switch {
	case d.is("wrong type"):
		d.sink.Publish(driver.StreamBattery, o)
	case !d.is("no battery"):
		d.sink.Publish(driver.StreamBattery, &sensor.BatteryState{})
	}
	if d.is("unlisted stream") {
		d.sink.Publish(driver.StreamIMU, &sensor.Imu{})
	}
	if d.sink.Wanted(driver.StreamImage) {
		d.sink.Publish(driver.StreamImage, &sensor.CompressedImage{})
	}
}

// runner makes a Runner of an ideal body: its own goroutine steps it.
type runner struct {
	mu sync.Mutex
	d  *ideal
	ok bool // connected
}

var (
	_ driver.Stepper    = (*ideal)(nil)
	_ driver.Canceler   = (*ideal)(nil)
	_ driver.PoseSetter = (*ideal)(nil)
	_ driver.Runner     = (*runner)(nil)
	_ driver.Connector  = (*runner)(nil)
)

func (r *runner) lock() func() { r.mu.Lock(); return r.mu.Unlock }

func (r *runner) Connect(context.Context) error { r.ok = true; return nil }
func (r *runner) Close() error                  { return nil }

func (r *runner) Capabilities() driver.Capabilities { defer r.lock()(); return r.d.Capabilities() }
func (r *runner) EStop(now time.Time, why string)   { defer r.lock()(); r.d.EStop(now, why) }
func (r *runner) Release(now time.Time) error       { defer r.lock()(); return r.d.Release(now) }

func (r *runner) Start(now time.Time, out driver.Sink) error {
	defer r.lock()()
	if !r.ok {
		return fmt.Errorf("not connected")
	}
	return r.d.Start(now, out)
}

func (r *runner) Command(now time.Time, v driver.Velocity) error {
	defer r.lock()()
	return r.d.Command(now, v)
}

func (r *runner) Skill(now time.Time, req driver.SkillRequest) error {
	defer r.lock()()
	return r.d.Skill(now, req)
}

func (r *runner) Run(ctx context.Context) error {
	tick := time.NewTicker(idealPeriod)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			r.mu.Lock()
			r.d.Step(clock.Real{}.Now())
			r.mu.Unlock()
		}
	}
}
