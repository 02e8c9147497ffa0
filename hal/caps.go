package hal

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sarathi/driver"
)

// Capabilities are what a robot's hello says of it.
type Capabilities struct {
	Protocol  int    // version that the robot speaks
	RobotKind string // free-form label, such as "go2" or "xarm6"
	Drive     driver.Drive
	DOF       int // 0 for pure mobile bases
	Skills    []string
	Units     driver.Units
	Frame     string  // odometry frame, such as "odom"
	VMax      float64 // ≥ 0, length unit/s
	WMax      float64 // ≥ 0, angle unit/s
	RateHz    float64 // of telemetry
}

// Validate reports everything that no robot can mean. It does not ask whether this end speaks the robot's version or knows its units:
// that is for the controller to refuse with a reason.
func (c Capabilities) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.RobotKind == "" {
		bad("robotKind is empty")
	}
	switch c.Drive {
	case driver.Diff, driver.Omni, driver.Holonomic, driver.Arm:
	default:
		bad("drive %q is none of diff, omni, holonomic, arm", c.Drive)
	}
	if c.DOF < 0 || c.DOF > maxJoints {
		bad("dof %d is out of range 0..%d", c.DOF, maxJoints)
	}
	if !(c.VMax >= 0 && c.WMax >= 0) || math.IsInf(c.VMax+c.WMax, 0) {
		bad("limits %v and %v: they must be finite and not negative", c.VMax, c.WMax)
	}
	if !(c.RateHz > 0 && c.RateHz <= 1000) {
		bad("rateHz %v is out of range 0..1000", c.RateHz)
	}
	return errors.Join(errs...)
}

// scale converts between SI and the units of a wire.
type scale struct{ len, ang float64 } // of one unit in m and rad

// newScale returns the scale of units, or an error that names the unit which is not known.
func newScale(u driver.Units) (scale, error) {
	lengths := map[string]float64{"m": 1, "dm": 0.1, "cm": 0.01, "mm": 0.001, "km": 1000, "in": 0.0254, "ft": 0.3048}
	angles := map[string]float64{"rad": 1, "mrad": 0.001, "deg": math.Pi / 180}
	s := scale{lengths[u.Len], angles[u.Ang]}
	switch {
	case s.len == 0:
		return s, fmt.Errorf("length unit %q is none of m, dm, cm, mm, km, in, ft", u.Len)
	case s.ang == 0:
		return s, fmt.Errorf("angle unit %q is none of rad, mrad, deg", u.Ang)
	}
	return s, nil
}

// angles returns joint angles times by, nil for nil.
func angles(list []float64, by float64) []float64 {
	if by == 1 || list == nil {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i] *= by
	}
	return out
}

// wireCapabilities are what an agent says of a driver's body, in the units of its wire.
func wireCapabilities(c driver.Capabilities, u driver.Units, s scale) Capabilities {
	skills := slices.Clone(c.Skills)
	if skills == nil {
		skills = []string{}
	}
	return Capabilities{
		Protocol: Version, RobotKind: c.Kind, Drive: c.Drive, DOF: c.DOF, Skills: skills, Units: u, Frame: c.Frame,
		VMax: c.Limits.VX / s.len, WMax: c.Limits.WZ / s.ang, RateHz: c.RateHz,
	}
}

// driverCapabilities are what a controller says of a robot. HAL has no lateral motion and no stream but telemetry. What telemetry holds
// besides the pose, its first frame shows.
func driverCapabilities(c Capabilities, s scale, frame string, first Telemetry) driver.Capabilities {
	out := driver.Capabilities{
		Kind: c.RobotKind, Drive: c.Drive, DOF: c.DOF, Units: c.Units, Frame: c.Frame, RateHz: c.RateHz,
		Limits: driver.Limits{VX: c.VMax * s.len, WZ: c.WMax * s.ang},
	}
	for _, name := range c.Skills {
		if isSkillName(name) && !slices.Contains(out.Skills, name) && (name != driver.SkillSetJoints || c.DOF > 0) {
			out.Skills = append(out.Skills, name)
		}
	}
	if frame != "" {
		out.Frame = frame
	}
	if c.Drive != driver.Arm {
		out.Streams = append(out.Streams, driver.StreamOdometry)
	}
	if c.DOF > 0 && len(first.Joints) == c.DOF {
		out.Streams = append(out.Streams, driver.StreamJoints)
	}
	if first.Battery != nil {
		out.Streams = append(out.Streams, driver.StreamBattery)
	}
	return out
}

// isSkillName reports whether a robot's skill can be a skill here, where names become parts of service names.
func isSkillName(s string) bool {
	probe := driver.Capabilities{
		Kind: "probe", Drive: driver.Arm, DOF: 1, Skills: []string{s}, Units: driver.Units{Len: "m", Ang: "rad"}, RateHz: 1,
	}
	return probe.Validate() == nil
}
