package arbitration

import (
	"math"

	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/geom"
)

// Status is everything an observer may know about the mux. Its lists are snapshots that never change.
type Status struct {
	Mode         Mode
	RemoteSource Source // selected for remote mode, also while the mode is auto
	Active       Source // whose commands are followed now; None when all are silent or may not move the robot
	Armed        bool   // the source of this mode may move the robot: armed by hand, or navigation started
	ArmingLeft   int    // neutral commands a remote source still owes; 0 in auto

	EStop         bool
	HardwareEStop bool     // is pressed now
	Reasons       []string // why the e-stop is engaged, oldest first
	Holds         []string // held causes that refuse a release now

	Field         field.State
	FieldDistance float64 // free way in the direction of travel [m]; +Inf: nothing near; NaN: not moving or not observed
	SpeedScale    float64 // 0..1

	Requested geom.Velocity // what the active source asks for, clamped
	Sent      geom.Velocity // what the body was sent

	// Message says in one sentence why the robot stands still or is slower than asked. It is empty only when it does as asked.
	Message string
}

// Status describes the last decision. It does not allocate.
func (a *Arbiter) Status() Status {
	report := a.field.Report()
	s := Status{
		Mode: a.mode, RemoteSource: a.remote, Active: a.active, Armed: a.mayMove(),
		EStop: a.estop.engaged, HardwareEStop: a.estop.held[HardwareEStop], Reasons: a.estop.reasons, Holds: a.estop.holds,
		Field: report.State, FieldDistance: report.Distance, SpeedScale: a.scale,
		Requested: a.requested, Sent: a.sent,
	}
	if a.mode == Remote {
		s.ArmingLeft = a.arming.left()
	}
	s.Message = a.message(report)
	return s
}

// message is the first thing a person would have to change for the robot to move as asked.
func (a *Arbiter) message(report field.Report) string {
	switch {
	case a.estop.engaged:
		return a.estop.message
	case a.refusal != "":
		return "The body does not move: " + a.refusal
	case a.active == None:
		return a.silence()
	case report.State == field.Stale:
		return "The safety scan is missing or older than its time-out: check the laser and its node."
	case report.State == field.Blind:
		return "The way is not covered by the safety scan: drive where the robot can see."
	case report.State == field.Stop && report.Waiting:
		return "The way is clear again; the robot waits a moment before it moves on."
	case report.State == field.Stop:
		return "Something is too near in the direction of travel: clear the way or drive away from it."
	case a.scale == 0:
		return "The health monitor has set the speed to zero, or is silent: see /health/status."
	case a.requested.IsZero() && a.sent.IsZero():
		return atRest(a.active)
	case a.sent.IsZero():
		return "The robot is about to move."
	case report.State == field.Limited:
		return "Slowed down: something is near in the direction of travel."
	case a.scale < 1:
		return "Slowed down by the health monitor, or because it is silent: see /health/status."
	}
	return ""
}

// silence says why nobody moves the robot.
func (a *Arbiter) silence() string {
	if a.mode == Auto {
		if !a.navStarted {
			return "Navigation has not been started: start or resume it."
		}
		return "Navigation sends no commands."
	}
	in := &a.inputs[a.remote]
	switch {
	case a.remote == Handheld && !in.talking:
		return "The handheld sends no commands: check that it is connected."
	case !in.talking:
		return "The dashboard sends no commands: check that it is connected."
	case a.remote == Handheld:
		return "The handheld is not armed: let go of the stick for a moment."
	}
	return "The dashboard is not armed: let go of the stick for a moment."
}

func atRest(s Source) string {
	if s == Handheld {
		return "The stick of the handheld is at rest."
	}
	if s == Dashboard {
		return "The stick on the dashboard is at rest."
	}
	return "Navigation asks the robot to stand."
}

// essence is what must not change unnoticed; see Output.StatusChanged.
type essence struct {
	mode           Mode
	remote, active Source
	armed, estop   bool
	left           int
	field          field.State
	scale          float64
	moving         bool
	reasons, holds int
	message        string
}

func (a *Arbiter) essence() essence {
	s := a.Status()
	return essence{
		mode: s.Mode, remote: s.RemoteSource, active: s.Active, armed: s.Armed, estop: s.EStop, left: s.ArmingLeft, field: s.Field,
		scale: s.SpeedScale, moving: !s.Sent.IsZero(), reasons: len(s.Reasons), holds: len(s.Holds), message: s.Message,
	}
}

// finiteScale brings a speed scale into 0..1; what is no number stops.
func finiteScale(s float64) float64 {
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return 0
	}
	return min(max(s, 0), 1)
}
