package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// JointSpec is one turning joint of an arm with its motor controller, which is the real safety boundary: it never leaves the range, and
// never exceeds speed and acceleration, whatever it is asked for.
type JointSpec struct {
	Name     string
	Min, Max float64 // range [rad]
	Speed    float64 // highest [rad/s]
	Accel    float64 // highest, speeding up and slowing down [rad/s²]
	Brake    float64 // of an emergency stop [rad/s²], at least Accel
}

// ArmSpec is an arm that stands still on the floor.
type ArmSpec struct {
	Joints  []JointSpec
	Home    []float64 // angles at the beginning [rad]
	Gripper float64   // openings that its gripper covers in a second; 0: it has none
}

// Validate reports what no arm can be.
func (s ArmSpec) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(s.Joints) == 0 {
		bad("arm: it has no joints")
	}
	for i, j := range s.Joints {
		switch {
		case j.Name == "" || slices.ContainsFunc(s.Joints[:i], func(o JointSpec) bool { return o.Name == j.Name }):
			bad("arm: joint %d has no name of its own: %q", i+1, j.Name)
		case !(j.Min < j.Max) || math.IsInf(j.Max-j.Min, 0):
			bad("arm: joint %s: range %g..%g rad", j.Name, j.Min, j.Max)
		case !(j.Speed > 0 && j.Accel > 0 && j.Brake >= j.Accel) || math.IsInf(j.Speed+j.Brake, 0):
			bad("arm: joint %s: speed %g rad/s, acceleration %g and brake %g rad/s²: they must be positive, and the brake the hardest", j.Name, j.Speed, j.Accel, j.Brake)
		case len(s.Home) == len(s.Joints) && !(s.Home[i] >= j.Min && s.Home[i] <= j.Max):
			bad("arm: joint %s: home %g rad is out of its range %g..%g", j.Name, s.Home[i], j.Min, j.Max)
		}
	}
	if len(s.Home) != len(s.Joints) {
		bad("arm: home has %d angles for %d joints", len(s.Home), len(s.Joints))
	}
	if !(s.Gripper >= 0) || math.IsInf(s.Gripper, 0) {
		bad("arm: gripper speed %g", s.Gripper)
	}
	return errors.Join(errs...)
}

// Arm is a simulated arm.
type Arm struct {
	spec     ArmSpec
	position []float64
	velocity []float64
	target   []float64
	holding  bool // there is no target: it brakes and stays
	hard     bool // it brakes as in an emergency

	gripper, opening float64 // opening now, and the one asked for
}

// NewArm returns an arm at rest in its home position, its gripper closed.
func NewArm(s ArmSpec) (*Arm, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return &Arm{
		spec: s, position: slices.Clone(s.Home), velocity: make([]float64, len(s.Joints)), target: slices.Clone(s.Home), holding: true,
	}, nil
}

// Spec returns what the arm is.
func (a *Arm) Spec() ArmSpec { return a.spec }

// Aim asks for joint angles, one finite number for each joint, from now on. What is out of range is cut to it.
func (a *Arm) Aim(joints []float64) {
	for i, j := range a.spec.Joints {
		a.target[i] = min(max(joints[i], j.Min), j.Max)
	}
	a.holding = false
}

// Grip asks for an opening of the gripper, cut to 0..1.
func (a *Arm) Grip(opening float64) {
	if a.spec.Gripper > 0 {
		a.opening = min(max(opening, 0), 1)
	}
}

// Hold stops all joints and the gripper where they are: at the acceleration of normal motion, or hard as in an emergency.
func (a *Arm) Hold(hard bool) { a.holding, a.hard, a.opening = true, hard, a.gripper }

// Step lets dt seconds pass.
func (a *Arm) Step(dt float64) {
	if !(dt > 0) {
		return
	}
	for i := range a.position {
		a.stepJoint(i, dt)
	}
	reach := a.spec.Gripper * dt
	a.gripper += min(max(a.opening-a.gripper, -reach), reach)
}

// stepJoint follows the trapezoidal profile: as fast as allowed, but never faster than what can be braked before the target.
func (a *Arm) stepJoint(i int, dt float64) {
	j := a.spec.Joints[i]
	accel, want := j.Accel, 0.0
	if a.holding {
		if a.hard {
			accel = j.Brake
		}
	} else {
		// Braking by accel in steps of dt from v covers v²/(2 accel) + v dt/2.
		way := a.target[i] - a.position[i]
		half := accel * dt / 2
		want = math.Copysign(min(j.Speed, math.Sqrt(half*half+2*accel*math.Abs(way))-half, math.Abs(way)/dt), way)
	}
	change := accel * dt
	a.velocity[i] += min(max(want-a.velocity[i], -change), change)
	a.position[i] += a.velocity[i] * dt
	if a.position[i] < j.Min || a.position[i] > j.Max { // the end stop
		a.position[i], a.velocity[i] = min(max(a.position[i], j.Min), j.Max), 0
	}
}

// Arrival tolerances.
const (
	armNear  = 1e-3 // rad, and parts of the gripper's opening
	armStill = 1e-2 // rad/s
)

// Arrived reports whether the arm rests at what it was asked for.
func (a *Arm) Arrived() bool {
	for i := range a.position {
		if math.Abs(a.velocity[i]) > armStill || !a.holding && math.Abs(a.target[i]-a.position[i]) > armNear {
			return false
		}
	}
	return math.Abs(a.opening-a.gripper) <= armNear
}

// Remaining returns how far the arm is from what it was asked for: the longest way of a joint [rad], or of the gripper [openings].
func (a *Arm) Remaining() float64 {
	far := math.Abs(a.opening - a.gripper)
	for i := range a.position {
		if !a.holding {
			far = max(far, math.Abs(a.target[i]-a.position[i]))
		}
	}
	return far
}

// Still reports whether no joint moves.
func (a *Arm) Still() bool {
	return !slices.ContainsFunc(a.velocity, func(v float64) bool { return math.Abs(v) > armStill }) && math.Abs(a.opening-a.gripper) <= armNear
}

// Position returns the angles of the joints [rad]. It must not be changed.
func (a *Arm) Position() []float64 { return a.position }

// Velocity returns the speeds of the joints [rad/s]. It must not be changed.
func (a *Arm) Velocity() []float64 { return a.velocity }

// Gripper returns how far the gripper is open, 0 to 1.
func (a *Arm) Gripper() float64 { return a.gripper }
