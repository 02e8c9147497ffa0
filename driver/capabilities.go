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

// Clamp returns v with each component cut to the limits. NaN stays NaN.
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
	RateHz  float64 // how often odometry, the body's telemetry, is reported
}

// Has reports whether the body reports a stream.
func (c Capabilities) Has(s Stream) bool { return slices.Contains(c.Streams, s) }

// maxDOF bounds what a frame of joint targets may hold.
const maxDOF = 64

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
	if c.DOF < 0 || c.DOF > maxDOF {
		bad("dof %d is out of range 0..%d", c.DOF, maxDOF)
	}
	if c.Frame == "" && c.Drive != Arm {
		bad("frame is empty")
	}
	if c.Units.Len == "" || c.Units.Ang == "" {
		bad("units %q and %q: both must be named", c.Units.Len, c.Units.Ang)
	}
	if !(c.RateHz > 0 && c.RateHz <= 1000) {
		bad("rate %v Hz is out of range 0..1000", c.RateHz)
	}
	c.validateLimits(bad)
	c.validateSkills(bad)
	c.validateStreams(bad)
	return errors.Join(errs...)
}

func (c Capabilities) validateLimits(bad func(string, ...any)) {
	names := [...]string{"vx", "vy", "wz"}
	for i, v := range [...]float64{c.Limits.VX, c.Limits.VY, c.Limits.WZ} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			bad("limit %s is %v, it must be finite and not negative", names[i], v)
		}
	}
	if !c.Drive.Lateral() && c.Limits.VY != 0 {
		bad("a %s drive cannot move sideways, limit vy must be 0", c.Drive)
	}
}

func (c Capabilities) validateSkills(bad func(string, ...any)) {
	for i, name := range c.Skills {
		if !isIdentifier(name) {
			bad("skill %q is not a name: letters, digits and underscores, a letter first", name)
		}
		if slices.Contains(c.Skills[:i], name) {
			bad("skill %s is listed twice", name)
		}
	}
	if slices.Contains(c.Skills, SkillSetJoints) && c.DOF == 0 {
		bad("skill %s needs joints, but dof is 0", SkillSetJoints)
	}
}

func (c Capabilities) validateStreams(bad func(string, ...any)) {
	for i, s := range c.Streams {
		if s < 0 || s >= streams {
			bad("%s does not exist", s)
		}
		if slices.Contains(c.Streams[:i], s) {
			bad("stream %s is listed twice", s)
		}
	}
}

// isIdentifier reports whether a name can be the last part of a service name.
func isIdentifier(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}
