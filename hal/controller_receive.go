package hal

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/sensor"
)

// receive takes a frame of the robot.
func (c *Controller) receive(l *uplink, f Frame) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	l.heard = now
	switch f := f.(type) {
	case Telemetry:
		c.telemetryLocked(now, l, f)
	case SkillResult:
		c.finishLocked(f.ReqID, f)
	case Fault:
		if f.Code == codeEStop {
			c.reason, c.why = f.Message, now
		}
		c.faults[f.Code] = now
		c.reportLocked(f.Fault)
	case Pong:
		if l.fence != 0 && f.T >= l.fence {
			l.fence = 0
		}
		if rtt := now.Sub(l.began) - time.Duration((f.T-1)*float64(time.Millisecond)); rtt >= 0 && rtt < time.Minute {
			l.rtt = max(rtt, time.Microsecond)
		}
	default:
		c.stats.Malformed++ // it is the controller's to send
	}
}

// telemetryLocked publishes what the robot reports, in SI, at the time of arrival: the clocks of two computers differ.
func (c *Controller) telemetryLocked(now time.Time, l *uplink, f Telemetry) {
	c.stats.Telemetry++
	l.telemetryAt, l.stale = now, false
	c.latchLocked(now, l, f)
	c.newFaultsLocked(now, f.Faults)
	if c.caps.Has(driver.StreamOdometry) {
		c.odometryLocked(now, l, f)
	}
	if c.caps.Has(driver.StreamJoints) && len(f.Joints) == c.caps.DOF {
		c.sink.Publish(driver.StreamJoints, &sensor.JointState{
			Header: rosconv.Header(now, ""), Name: jointNames(c.caps.DOF), Position: angles(f.Joints, c.scale.ang),
		})
	}
	if c.caps.Has(driver.StreamBattery) && f.Battery != nil && (*f.Battery != l.battery || now.Sub(l.charged) >= time.Second) {
		l.battery, l.charged = *f.Battery, now
		nan := float32(math.NaN()) // sensor_msgs/BatteryState: not measured
		c.sink.Publish(driver.StreamBattery, &sensor.BatteryState{
			Header: rosconv.Header(now, ""), Percentage: float32(min(max(*f.Battery, 0), 100) / 100), Present: true,
			Voltage: nan, Temperature: nan, Current: nan, Charge: nan, Capacity: nan, DesignCapacity: nan,
		})
	}
}

func (c *Controller) odometryLocked(now time.Time, l *uplink, f Telemetry) {
	s := c.scale
	next := fix{
		pose: geom.Pose2{X: f.X * s.len, Y: f.Y * s.len, Theta: geom.NormalizeAngle(f.Theta * s.ang)},
		at:   time.Duration(f.TS * float64(time.Millisecond)),
	}
	if next.v = l.last.velocity(next); l.jumped {
		next.v = geom.Velocity{}
	}
	if f.VX != nil {
		next.v.VX = *f.VX * s.len
	}
	if f.W != nil {
		next.v.WZ = *f.W * s.ang
	}
	if !next.pose.IsFinite() || !finite(next.v.VX, next.v.WZ) {
		return // too large for SI
	}
	l.last, l.jumped = next, false
	m := rosconv.Odometry(now, c.caps.Frame, c.cfg.Base, next.pose.Transform(), next.v)
	// HAL says nothing of accuracy: wheels of a small robot are about that good.
	const along, turned = 0.05 * 0.05, 0.05 * 0.05 // m² and rad²
	planar := rosconv.Planar{{along}, {0, along}, {0, 0, turned}}
	m.Pose.Covariance, m.Twist.Covariance = rosconv.Covariance(planar), rosconv.Covariance(planar)
	c.sink.Publish(driver.StreamOdometry, &m)
}

// velocity is that of a robot that does not report it: two fixes say it, by the robot's own clock.
func (f fix) velocity(next fix) geom.Velocity {
	dt := (next.at - f.at).Seconds()
	switch {
	case f.at == 0:
		return geom.Velocity{}
	case dt <= 0:
		return f.v // the same sample again
	}
	step := f.pose.Inverse().Mul(next.pose)
	return geom.Velocity{VX: step.X / dt, WZ: geom.NormalizeAngle(step.Theta) / dt}
}

// jointNames are those of a robot whose joints have none on the wire.
func jointNames(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("joint%d", i+1)
	}
	return out
}

// latchLocked follows the robot's latch.
func (c *Controller) latchLocked(now time.Time, l *uplink, f Telemetry) {
	held := slices.Contains(f.Faults, codeHeld)
	if l.fence != 0 || f.EStop == nil {
		return
	}
	defer func() { l.settled = *f.EStop == c.guard.State().Engaged && l.fence == 0 }()
	engaged, state := *f.EStop, c.guard.State()
	changed := false
	switch {
	case engaged && !state.Engaged:
		changed = c.guard.EStop(c.reasonLocked(now))
		c.failSkillsLocked("e-stop: " + c.guard.State().Reason)
	case engaged && !c.opening.IsZero() && now.Sub(c.opening) >= fenceLimit:
		c.opening = time.Time{}
		c.reportLocked(driver.Fault{Code: "hal_release_refused", Message: "the robot keeps its e-stop although it was released", Severity: driver.Warning})
	case !engaged && state.Engaged && c.mine: // the robot has forgotten what the user holds
		l.out.put(EStop{Reason: state.Reason})
		l.fenceLocked(now)
		return
	case !engaged && state.Engaged:
		c.opening = time.Time{}
		_ = c.guard.Hold(false, "")
		changed, _ = c.guard.Release() // it is not held any more
		held = false
	}
	if held != c.guard.State().Held && c.guard.State().Engaged {
		changed = c.guard.Hold(held, "the robot holds its e-stop") || changed
	}
	if changed {
		c.sink.EStop(c.guard.State())
	}
}

// reasonLocked is why the robot latched: what its fault said shortly before.
func (c *Controller) reasonLocked(now time.Time) string {
	if c.reason != "" && now.Sub(c.why) < fenceLimit {
		return c.reason
	}
	return "the robot reports its e-stop"
}

// reportLocked reports a fault.
func (c *Controller) reportLocked(f driver.Fault) {
	if f.Code == "" {
		f.Code = "unnamed"
	}
	if f.Message == "" {
		f.Message = "the robot reports " + f.Code
	}
	c.sink.Fault(f)
}

// newFaultsLocked reports the codes in telemetry that no fault frame has told of.
func (c *Controller) newFaultsLocked(now time.Time, codes []string) {
	for _, code := range codes {
		at, known := c.faults[code]
		if code != codeHeld && (!known || now.Sub(at) >= faultAgain) {
			c.reportLocked(driver.Fault{Code: code, Severity: driver.Error})
			known = false
		}
		if !known || len(c.faults) < maxFaults {
			c.faults[code] = now
		}
	}
	if len(c.faults) > maxFaults {
		maps.DeleteFunc(c.faults, func(_ string, at time.Time) bool { return now.Sub(at) >= faultAgain })
	}
}

// faultAgain is after how long a code in telemetry that was gone is new again.
const faultAgain = 10 * time.Second

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
