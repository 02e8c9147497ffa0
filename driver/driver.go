package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/idl"
)

// WatchdogTimeout is how long a body goes on after the last valid command (HAL: WATCHDOG_MS).
const WatchdogTimeout = 500 * time.Millisecond

// Driver is a robot body. No method blocks.
type Driver interface {
	// Capabilities tells what the body is and can do. It may change only until Start returns.
	Capabilities() Capabilities
	// Start gives the body its sink, before any other method but Capabilities. Until the first command it stands still.
	// A host that replaces a failed one calls it again, with its own sink: the body stands still, its latch stays.
	Start(now time.Time, out Sink) error
	// Command asks for a velocity from now on. A command that is not finite stops the body and returns
	// ErrNotFinite; one while the e-stop is latched moves nothing and returns ErrEStopped. A body that cannot move as it
	// is, because it sits, says so to a command other than zero with ErrNotReady.
	Command(now time.Time, v Velocity) error
	// Skill begins a skill. An error refuses it; otherwise the sink gets Accepted, perhaps its progress, and exactly one
	// Done or Failed. While the e-stop is latched every skill but SkillEmergencyStop is refused with ErrEStopped, and an
	// e-stop fails the skills that run. Whether several may run at once is the body's matter, see ErrBusy.
	Skill(now time.Time, req SkillRequest) error
	EStopper
}

// EStopper latches and releases the e-stop of a body.
type EStopper interface {
	// EStop stops the body as fast as it can and latches. It may be called again; the first reason stays.
	EStop(now time.Time, reason string)
	// Release clears the latch; the body stays still until a new command. It is refused while a cause in the
	// body itself, such as a pressed button, is active.
	Release(now time.Time) error
}

// Stepper is a driver without goroutines.
type Stepper interface {
	Driver
	// Period is the time between calls of Step, constant.
	Period() time.Duration
	// Step lets the body act and report at now.
	Step(now time.Time)
}

// Runner is a driver with I/O of its own.
type Runner interface {
	Driver
	// Run serves the body until ctx ends or the body is lost. It returns after everything it started has
	// stopped. It is called after Start; a host may call it again after it returned.
	Run(ctx context.Context) error
}

// Sink receives what a body reports. Its methods never block and may be called from any goroutine, also from within the
// driver's methods; they never call the driver.
type Sink interface {
	// Publish reports one message of a stream. m must be of the stream's type (see Stream) and is immutable from here on.
	Publish(s Stream, m idl.Message)
	// SkillResult reports how a skill goes on.
	SkillResult(r SkillResult)
	// Fault reports something wrong with the body.
	Fault(f Fault)
	// EStop reports the e-stop latch of the body whenever it changes, whoever caused it, and on Start when it is engaged.
	EStop(s EStopState)
	// Wanted reports whether anybody uses a stream now: expensive ones are computed only then.
	Wanted(s Stream) bool
}

// Errors of Driver methods, to be tested with errors.Is.
var (
	// ErrNotFinite refuses a command with NaN or infinity in it.
	ErrNotFinite = errors.New("the command is not finite")
	// ErrEStopped refuses motion while the e-stop is latched.
	ErrEStopped = errors.New("the e-stop is engaged")
	// ErrUnknownSkill refuses a skill that the body does not have.
	ErrUnknownSkill = errors.New("unknown skill")
	// ErrBadArgs refuses a skill whose arguments have a wrong shape.
	ErrBadArgs = errors.New("bad arguments")
	// ErrBusy refuses a skill while another one runs.
	ErrBusy = errors.New("another skill is running")
	// ErrNotReady refuses what the body cannot do as it is: walking or waving while it sits.
	ErrNotReady = errors.New("the body is not ready for that")
	// ErrHeld refuses a release while a cause in the body is active.
	ErrHeld = errors.New("a cause of the e-stop is still active")
)

// Velocity is a velocity of the base in its own frame. Differential bodies ignore VY.
type Velocity struct {
	VX float64 // m/s, forward
	VY float64 // m/s, to the left
	WZ float64 // rad/s, counter-clockwise
}

// IsFinite reports whether no component is NaN or infinite.
func (v Velocity) IsFinite() bool {
	return !math.IsNaN(v.VX-v.VX) && !math.IsNaN(v.VY-v.VY) && !math.IsNaN(v.WZ-v.WZ)
}

// SkillRequest asks for a skill.
type SkillRequest struct {
	Name  string
	Args  SkillArgs
	ReqID string // correlates the results; chosen by the caller
}

// SkillArgs are the arguments of a skill. Which ones a skill uses is its own matter.
type SkillArgs struct {
	Joints  []float64          // setJoints: targets in radians, one for each degree of freedom
	Gripper *float64           // setJoints: opening 0 to 1, nil leaves it
	Values  map[string]float64 // further numbers by name
}

// SkillStatus is a stage in the life of a skill.
type SkillStatus string

// Stages in order. HAL uses the same words.
const (
	SkillAccepted SkillStatus = "accepted"
	SkillRunning  SkillStatus = "running"
	SkillDone     SkillStatus = "done"
	SkillFailed   SkillStatus = "failed"
)

// Final reports whether no further result follows.
func (s SkillStatus) Final() bool { return s == SkillDone || s == SkillFailed }

// SkillResult tells how a skill goes on.
type SkillResult struct {
	ReqID    string
	Status   SkillStatus
	Progress float64 // 0 to 1
	Err      string  // why it failed
}

// Severity ranks a fault.
type Severity int

// Severities, least first.
const (
	Info Severity = iota
	Warning
	Error
	Critical
)

// String returns HAL's word for the severity.
func (s Severity) String() string {
	names := [...]string{"info", "warning", "error", "critical"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("severity %d", int(s))
	}
	return names[s]
}

// Fault is something wrong with the body that its user should know.
type Fault struct {
	Code     string // stable word for programs, such as "collision"
	Message  string // one line for a person
	Severity Severity
}

// EStopState is the e-stop latch of a body.
type EStopState struct {
	Engaged bool
	Held    bool   // a cause in the body itself, such as a pressed button, is active: a release would be refused
	Reason  string // of the first cause, "" when released
}
