package hal

import (
	"math"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/idl"
	"sarathi/msg/builtin"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

const (
	faultMemory = 5 * time.Second // how long a fault stays in telemetry
	firstWait   = 2 * time.Second // how long telemetry waits for all that the body reports
)

// codeHeld is in the faults of telemetry while a cause in the body itself holds the e-stop: a release would be refused.
const codeHeld = "estop_held"

// codeEStop is the fault that tells why the e-stop is engaged, and that it refused a cmd.
const codeEStop = "estop"

// report is the last word of a body about everything that telemetry holds. SI.
type report struct {
	x, y, theta float64
	vx, w       float64
	battery     float64 // %
	joints      []float64
	stamp       time.Time
	seen        [3]bool // odometry, joints, battery
	faults      []seenFault
	ready       bool // everything that the body promises was seen, or it was waited for long enough
}

type seenFault struct {
	code string
	at   time.Time
}

// Which of report.seen belongs to a stream.
const (
	seenOdometry = iota
	seenJoints
	seenBattery
)

// primary returns the stream that gives telemetry its beat; ok is false for a body that has neither.
func primary(c driver.Capabilities) (s driver.Stream, ok bool) {
	for _, s := range []driver.Stream{driver.StreamOdometry, driver.StreamJoints} {
		if c.Has(s) {
			return s, true
		}
	}
	return 0, false
}

// take takes a message and reports whether it is one that telemetry can hold. Numbers that are not finite are not taken: JSON has none.
func (r *report) take(m idl.Message) bool {
	switch m := m.(type) {
	case *nav.Odometry:
		p, q, t := m.Pose.Pose.Position, m.Pose.Pose.Orientation, m.Twist.Twist
		theta := math.Atan2(2*(q.W*q.Z+q.X*q.Y), 1-2*(q.Y*q.Y+q.Z*q.Z))
		if !finite(p.X, p.Y, theta, t.Linear.X, t.Angular.Z) {
			return false
		}
		r.x, r.y, r.theta, r.vx, r.w = p.X, p.Y, theta, t.Linear.X, t.Angular.Z
		r.stamp, r.seen[seenOdometry] = fromStamp(m.Header.Stamp), true
	case *sensor.JointState:
		if !finite(m.Position...) {
			return false
		}
		r.joints = append(r.joints[:0], m.Position...)
		r.stamp, r.seen[seenJoints] = fromStamp(m.Header.Stamp), true
	case *sensor.BatteryState:
		if v := float64(m.Percentage); finite(v) {
			r.battery, r.seen[seenBattery] = 100*v, true
		}
	default:
		return false
	}
	return true
}

// complete reports whether telemetry can begin: the first one shows a controller what this robot reports.
func (r *report) complete(c driver.Capabilities, since time.Duration) bool {
	if r.ready {
		return true
	}
	missing := false
	for i, s := range [...]driver.Stream{driver.StreamOdometry, driver.StreamJoints, driver.StreamBattery} {
		missing = missing || c.Has(s) && !r.seen[i]
	}
	r.ready = !missing || since >= firstWait
	return r.ready
}

// fault remembers a fault for telemetry.
func (r *report) fault(now time.Time, code string) {
	r.faults = slices.DeleteFunc(r.faults, func(f seenFault) bool { return f.code == code })
	if len(r.faults) == maxFaults/2 {
		r.faults = slices.Delete(r.faults, 0, 1)
	}
	r.faults = append(r.faults, seenFault{code, now})
}

// telemetry returns the frame in the units of the wire.
func (r *report) telemetry(now time.Time, id string, dof int, latch driver.EStopState, s scale) Telemetry {
	f := Telemetry{ID: id, Faults: []string{}, EStop: &latch.Engaged, TS: float64(now.UnixMicro()) / 1e3}
	if !r.stamp.IsZero() && r.stamp.Unix() != 0 {
		f.TS = float64(r.stamp.UnixMicro()) / 1e3
	}
	if r.seen[seenOdometry] {
		vx, w := r.vx/s.len, r.w/s.ang
		f.X, f.Y, f.Theta, f.VX, f.W = r.x/s.len, r.y/s.len, r.theta/s.ang, &vx, &w
	}
	if r.seen[seenBattery] {
		f.Battery = &r.battery
	}
	if r.seen[seenJoints] && dof > 0 && len(r.joints) >= dof {
		f.Joints = angles(r.joints[:dof], 1/s.ang)
	}
	r.faults = slices.DeleteFunc(r.faults, func(f seenFault) bool { return now.Sub(f.at) >= faultMemory })
	for _, fault := range r.faults {
		f.Faults = append(f.Faults, fault.code)
	}
	if latch.Held {
		f.Faults = append(f.Faults, codeHeld)
	}
	return f
}

func fromStamp(t builtin.Time) time.Time { return time.Unix(int64(t.Sec), int64(t.Nanosec)) }

// finite reports whether all values are.
func finite(values ...float64) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}
