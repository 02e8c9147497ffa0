package simulated

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/sim"
)

// Driver is the driver of a simulated body. It is a driver.Stepper: its host calls one method at a time.
type Driver struct {
	plant   *Plant
	caps    driver.Capabilities
	out     driver.Sink
	posture *posture
	gait    *gait
	names   []string // of the joints
	streams []schedule
	contact uint64        // number of the last contact that was reported
	low     bool          // the battery was reported as low
	at      time.Duration // simulated time of the last step
	origin  geom.Pose2    // of the sensors' odometry in the odometry frame, see SetPose
	driven  float64       // m that odometry has covered
	before  geom.Pose2    // of odometry, at the last message
}

var (
	_ driver.Stepper    = (*Driver)(nil)
	_ driver.Canceler   = (*Driver)(nil)
	_ driver.PoseSetter = (*Driver)(nil)
)

// NewDriver returns the driver of a plant's body.
func NewDriver(p *Plant) *Driver {
	d := &Driver{plant: p, caps: capabilities(p.body, p.cfg), gait: newGait(p.cfg.Joints), names: p.cfg.Joints.names()}
	d.posture = newPosture(p.cfg, func(r driver.SkillResult) { d.out.SkillResult(r) })
	d.streams = d.schedules()
	return d
}

// Capabilities implements driver.Driver.
func (d *Driver) Capabilities() driver.Capabilities { return d.caps }

// Period implements driver.Stepper.
func (d *Driver) Period() time.Duration { return Period }

// Start implements driver.Driver.
func (d *Driver) Start(now time.Time, out driver.Sink) error {
	if d.out != nil {
		d.posture.cancel(d.at, "its host was replaced")
	}
	d.out = out
	p := d.plant
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(now)
	d.at = p.elapsed
	p.guard.Stop()
	p.gate = d.posture.gate()
	p.onEStop = out.EStop
	p.tell(p.guard.State().Engaged)
	return nil
}

// Command implements driver.Driver.
func (d *Driver) Command(now time.Time, v driver.Velocity) error {
	p := d.plant
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.crashed {
		return nil // there is nobody who could refuse
	}
	if err := p.guard.Command(now, v); err != nil {
		return err
	}
	if p.gate.closed != "" && v != (driver.Velocity{}) {
		p.guard.Stop()
		return fmt.Errorf("%w: %s", driver.ErrNotReady, p.gate.closed)
	}
	if v != (driver.Velocity{}) {
		d.posture.joints = nil
	}
	return nil
}

// Skill implements driver.Driver.
func (d *Driver) Skill(now time.Time, req driver.SkillRequest) error {
	latch, moving, crashed := d.look()
	switch {
	case crashed:
		return errNoAnswer()
	case !slices.Contains(d.caps.Skills, req.Name):
		return fmt.Errorf("%w: %q", driver.ErrUnknownSkill, req.Name)
	case req.Name == driver.SkillEmergencyStop:
		d.EStop(now, "emergency_stop was called")
		d.posture.report(req, driver.SkillAccepted, 0, "")
		d.posture.report(req, driver.SkillDone, 1, "")
		return nil
	case latch.Engaged:
		return fmt.Errorf("%w: %s", driver.ErrEStopped, latch.Reason)
	}
	err := d.posture.begin(d.at, req, moving)
	d.regate()
	return err
}

// errNoAnswer is what the host of a crashed driver finds out.
func errNoAnswer() error { return fmt.Errorf("%w: its driver does not answer", driver.ErrNotReady) }

// look returns what a skill depends on.
func (d *Driver) look() (latch driver.EStopState, moving, crashed bool) {
	p := d.plant
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.robot.Truth().Velocity
	const slow = 0.02 // m/s and rad/s
	return p.guard.State(), v.Speed() > slow || math.Abs(v.WZ) > slow, p.crashed
}

// regate tells the hardware what the posture lets through.
func (d *Driver) regate() {
	p := d.plant
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = d.posture.gate()
	if p.gate.closed != "" {
		p.guard.Stop()
	}
}

// EStop implements driver.Driver.
func (d *Driver) EStop(_ time.Time, reason string) {
	if _, _, crashed := d.look(); crashed {
		return
	}
	d.plant.EStop(reason)
	d.posture.cancel(d.at, "e-stop: "+reason)
	d.regate()
}

// Release implements driver.Driver.
func (d *Driver) Release(time.Time) error {
	if _, _, crashed := d.look(); crashed {
		return errNoAnswer()
	}
	return d.plant.release()
}

// Cancel implements driver.Canceler.
func (d *Driver) Cancel(_ time.Time, reason string) {
	d.posture.cancel(d.at, reason)
	d.regate()
}

// SetPose implements driver.PoseSetter.
func (d *Driver) SetPose(_ time.Time, x, y, theta float64) error {
	to := geom.Pose2{X: x, Y: y, Theta: theta}
	if !to.IsFinite() {
		return fmt.Errorf("set odometry to %v: %w", to, driver.ErrNotFinite)
	}
	p := d.plant
	p.mu.Lock()
	defer p.mu.Unlock()
	if o, ok := p.robot.Odometry(); ok {
		d.origin = to.Mul(o.Pose.Inverse())
	}
	return nil
}

// Step implements driver.Stepper.
func (d *Driver) Step(now time.Time) {
	p := d.plant
	p.mu.Lock()
	p.advance(now)
	dt := p.elapsed - d.at
	d.at = p.elapsed
	crashed, latched := p.crashed, p.guard.State().Engaged
	d.gait.step(p.cfg.Joints, p.robot.Truth().Velocity, dt.Seconds())
	p.mu.Unlock()
	if crashed {
		return
	}
	if latched { // the button does not come through EStop
		d.posture.cancel(d.at, "e-stop")
	}
	d.posture.step(d.at)
	d.regate()
	d.faults()
	d.publish(now)
}

// lowBattery is the charge that is reported as low.
const lowBattery = 0.2

// faults reports contacts and the battery.
func (d *Driver) faults() {
	p := d.plant
	p.mu.Lock()
	contacts := p.world.Contacts(d.contact)
	battery, hasBattery := p.robot.Battery()
	p.mu.Unlock()
	for _, c := range contacts {
		d.contact = c.Seq
		if c.ByRobot && c.Robot == d.caps.Kind {
			d.out.Fault(driver.Fault{Code: "collision", Message: fmt.Sprintf("the body ran into %v", c.Thing), Severity: driver.Error})
		}
	}
	if low := hasBattery && battery.Percentage < lowBattery && !battery.Charging; low != d.low {
		d.low = low
		if low {
			d.out.Fault(driver.Fault{
				Code: "battery_low", Message: fmt.Sprintf("the battery is at %.0f %%: bring the robot to its charger", 100*battery.Percentage),
				Severity: driver.Warning,
			})
		}
	}
}

// schedule is when a stream is due.
type schedule struct {
	stream driver.Stream
	period time.Duration
	due    time.Duration                     // simulated
	read   func(now time.Time, r *sim.Robot) // publishes; with the plant's lock held
}

// publish publishes what is due.
func (d *Driver) publish(now time.Time) {
	for i := range d.streams {
		s := &d.streams[i]
		if d.at < s.due {
			continue
		}
		s.due += s.period
		if s.due <= d.at { // it fell behind
			s.due = d.at + s.period
		}
		p := d.plant
		p.mu.Lock()
		if !p.quiet(s.stream) {
			s.read(now, p.robot)
		}
		p.mu.Unlock()
	}
}
