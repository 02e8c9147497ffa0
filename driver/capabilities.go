package driver

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Drive is the way a body moves.
type Drive string

// Drives, in HAL's words.
const (
	Diff      Drive = "diff"      // turns and drives along x
	Omni      Drive = "omni"      // wheels that also roll sideways
	Holonomic Drive = "holonomic" // walks in any direction
	Arm       Drive = "arm"       // a manipulator that stands still
)

// Lateral reports whether the body can move sideways.
func (d Drive) Lateral() bool { return d == Omni || d == Holonomic }

// Units are the units that the body itself uses on its wire. Everything that passes
// through Driver and Sink is SI; a driver converts.
type Units struct {
	Len string // "m", "mm"
	Ang string // "rad", "deg"
}

// Limits are the highest speeds of a body, all ≥ 0.
type Limits struct {
	VX float64 // m/s
	VY float64 // m/s; 0 when the body cannot move sideways
	WZ float64 // rad/s
}

// Clamp returns v with each component cut to the limits.
func (l Limits) Clamp(v Velocity) Velocity {
	return Velocity{
		VX: min(max(v.VX, -l.VX), l.VX),
		VY: min(max(v.VY, -l.VY), l.VY),
		WZ: min(max(v.WZ, -l.WZ), l.WZ),
	}
}

// Capabilities tells what a body is and can do. HAL's Capabilities is the model.
type Capabilities struct {
	Kind    string // free label, such as "go2" or "xarm6"
	Drive   Drive
	DOF     int      // joints that setJoints moves; 0 for a pure mobile base
	Skills  []string // names that Skill accepts, in the order to show them
	Streams []Stream // what the body reports
	Units   Units
	Frame   string  // odometry frame, such as "odom"
	Limits  Limits  // highest speeds
	RateHz  float64 // how often telemetry is reported
}

// Has reports whether the body reports a stream.
func (c Capabilities) Has(s Stream) bool { return slices.Contains(c.Streams, s) }

// Validate reports everything that is wrong with the capabilities.
func (c Capabilities) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("capabilities: "+format, args...)) }
	if c.Kind == "" {
		bad("kind is empty")
	}
	switch c.Drive {
	case Diff, Omni, Holonomic, Arm:
	default:
		bad("drive %q is none of diff, omni, holonomic, arm", c.Drive)
	}
	if c.DOF < 0 || c.DOF > 64 {
		bad("dof %d is out of range 0..64", c.DOF)
	}
	for name, v := range map[string]float64{"vx": c.Limits.VX, "vy": c.Limits.VY, "wz": c.Limits.WZ} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			bad("limit %s is %v, it must be finite and not negative", name, v)
		}
	}
	if c.Drive == Diff && c.Limits.VY != 0 {
		bad("a diff drive cannot move sideways, limit vy must be 0")
	}
	if !(c.RateHz > 0 && c.RateHz <= 1000) {
		bad("rate %v Hz is out of range 0..1000", c.RateHz)
	}
	slices.SortFunc(errs, func(a, b error) int { return len(a.Error()) - len(b.Error()) })
	return errors.Join(errs...)
}
