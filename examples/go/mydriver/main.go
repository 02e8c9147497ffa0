// Command mydriver is a driver of one's own, served by a HAL agent: a rover with two wheels. docs/5-extending.md explains each part.
package main

import (
	"context"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"time"

	"sarathi/driver"
	"sarathi/hal"
	"sarathi/msg/builtin"
	"sarathi/msg/nav"
)

const track, period = 0.3, 20 * time.Millisecond // [m] between the wheels; of the control loop, and of telemetry

// motors is the only part that knows the hardware: put the protocol of your motor board here. These reach any speed at once.
type motors struct{ left, right float64 } // speeds of the wheels [m/s]

func (m *motors) set(left, right float64) { m.left, m.right = left, right }

// rover is a driver.Stepper: the agent calls one method at a time, and Step every 20 ms.
type rover struct {
	motors      motors
	guard       driver.Guard // watchdog, e-stop latch, refusal of NaN: all that a body owes
	out         driver.Sink
	last        time.Time
	x, y, theta float64 // odometry [m], [rad]
}

func (r *rover) Capabilities() driver.Capabilities {
	return driver.Capabilities{
		Kind: "rover", Drive: driver.Diff, Streams: []driver.Stream{driver.StreamOdometry},
		Units: driver.Units{Len: "m", Ang: "rad"}, Frame: "odom", Limits: driver.Limits{VX: 1, WZ: 2}, RateHz: float64(time.Second / period),
	}
}

func (r *rover) Period() time.Duration                          { return period }
func (r *rover) Command(now time.Time, v driver.Velocity) error { return r.guard.Command(now, v) }
func (r *rover) EStop(_ time.Time, reason string)               { r.tell(r.guard.EStop(reason)) }
func (r *rover) Release(time.Time) error {
	changed, err := r.guard.Release()
	r.tell(changed)
	return err
}

func (r *rover) tell(changed bool) {
	if changed {
		r.out.EStop(r.guard.State())
	}
}

func (r *rover) Start(now time.Time, out driver.Sink) error {
	r.guard.Stop()
	r.out, r.last = out, now
	r.tell(r.guard.State().Engaged)
	return nil
}

func (r *rover) Skill(time.Time, driver.SkillRequest) error { return driver.ErrUnknownSkill } // it has none

// SetPose is optional: it gives odometry a new origin.
func (r *rover) SetPose(_ time.Time, x, y, theta float64) error {
	if sum := x + y + theta; sum-sum != 0 {
		return driver.ErrNotFinite
	}
	r.x, r.y, r.theta = x, y, theta
	return nil
}

func (r *rover) Step(now time.Time) {
	dt := min(max(now.Sub(r.last).Seconds(), 0), 1)
	r.last = now
	v := (r.motors.left + r.motors.right) / 2 // what the wheels did since the last step
	w := (r.motors.right - r.motors.left) / track
	r.x, r.y, r.theta = r.x+v*math.Cos(r.theta)*dt, r.y+v*math.Sin(r.theta)*dt, math.Remainder(r.theta+w*dt, 2*math.Pi)
	want := r.Capabilities().Limits.Clamp(r.guard.Velocity(now)) // zero after 500 ms of silence, and while latched
	r.motors.set(want.VX-want.WZ*track/2, want.VX+want.WZ*track/2)
	o := nav.NewOdometry()
	o.Header.FrameID, o.ChildFrameID = "odom", "base_link"
	o.Header.Stamp = builtin.Time{Sec: int32(now.Unix()), Nanosec: uint32(now.Nanosecond())}
	o.Pose.Pose.Position.X, o.Pose.Pose.Position.Y = r.x, r.y
	o.Pose.Pose.Orientation.Z, o.Pose.Pose.Orientation.W = math.Sincos(r.theta / 2)
	o.Twist.Twist.Linear.X, o.Twist.Twist.Angular.Z = v, w
	r.out.Publish(driver.StreamOdometry, o)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := hal.ListenAndServe(ctx, &rover{}, "", hal.AgentConfig{Log: log}); err != nil {
		log.ErrorContext(ctx, "mydriver ends", "err", err)
	}
}
