package hal

import (
	"errors"
	"fmt"
	"strings"

	"sarathi/driver"
)

// MaxFrame is the longest frame that either end reads [bytes].
const MaxFrame = 64 << 10

// Bounds of what a frame may hold.
const (
	maxName   = 256  // bytes of an id or a name
	maxText   = 4096 // bytes of a message for people
	maxJoints = 64
	maxSkills = 256
	maxFaults = 64
)

// FrameError says why a frame was not understood.
type FrameError struct {
	// Op is the operation when that much could be read, else "". Who receives a cmd that is malformed stops, and who receives an
	// estop that is malformed stops for good: hence it is told.
	Op      string
	Version int64 // that the frame names, 0 when it names none
	What    string
}

// Error implements error.
func (e *FrameError) Error() string {
	if e.Op == "" {
		return "malformed frame: " + e.What
	}
	return "malformed frame " + e.Op + ": " + e.What
}

// ErrVersion is matched by the error of a frame of another version of the protocol.
var ErrVersion = errors.New("another version of the protocol")

// Is reports whether the frame is one of another version.
func (e *FrameError) Is(target error) bool {
	return target == ErrVersion && e.Version != Version && e.Version != 0
}

// Decode reads one frame and checks all of it: its version, its operation, and that each member is there and is what it must be, in
// bounds. Members that HAL does not know pass; null counts as absent. It never panics; the error is a *FrameError. The frame keeps
// nothing of data.
func Decode(data []byte) (Frame, error) {
	if len(data) > MaxFrame {
		return nil, &FrameError{What: fmt.Sprintf("%d bytes are more than %d", len(data), MaxFrame)}
	}
	var r reader
	if err := r.parse(data); err != nil {
		return nil, &FrameError{What: err.Error()}
	}
	op, ok := asText(r.get("op"), maxName)
	if !ok {
		return nil, &FrameError{What: "op is no string"}
	}
	version, ok := asInteger(r.get("v"))
	switch {
	case !ok:
		return nil, &FrameError{Op: op, What: "v is no number"}
	case version != Version:
		return nil, &FrameError{Op: op, Version: version, What: fmt.Sprintf("v is %d, this end speaks %d", version, Version)}
	}
	f := r.frame(op)
	if r.wrong != "" {
		return nil, &FrameError{Op: op, Version: version, What: r.wrong}
	}
	return f, nil
}

// reader takes members out of an object and remembers the first that is wrong.
type reader struct {
	object
	wrong string
}

func (r *reader) fail(format string, args ...any) {
	if r.wrong == "" {
		r.wrong = fmt.Sprintf(format, args...)
	}
}

// frame reads the members of an operation.
func (r *reader) frame(op string) Frame {
	switch op {
	case OpHello:
		return Hello{Caps: r.caps()}
	case OpWelcome:
		return Welcome{Accept: r.boolean("accept"), Controller: r.maybeText("controller", maxName), Reason: r.maybeText("reason", maxText)}
	case OpPose:
		return Pose{ID: r.text("id"), X: r.number("x"), Y: r.number("y"), Theta: r.number("theta")}
	case OpCmd:
		return Cmd{ID: r.text("id"), V: r.number("V"), W: r.number("w"), Seq: r.integer("seq")}
	case OpSkill:
		return r.skill()
	case OpEStop:
		return EStop{Reason: r.maybeText("reason", maxText)}
	case OpRelease:
		return Release{}
	case OpPing:
		return Ping{T: r.number("t")}
	case OpPong:
		return Pong{T: r.number("t")}
	case OpTelemetry:
		return r.telemetry()
	case OpSkillResult:
		return r.skillResult()
	case OpFault:
		return Fault{ID: r.text("id"), Fault: driver.Fault{
			Code: r.text("code"), Message: r.maybeText("message", maxText), Severity: r.severity(),
		}}
	default:
		r.fail("the operation is not known")
		return nil
	}
}

func (r *reader) number(name string) float64 {
	v, ok := asNumber(r.get(name))
	if !ok {
		r.fail("%s is no finite number", name)
	}
	return v
}

func (r *reader) maybeNumber(name string) *float64 {
	if r.get(name) == nil {
		return nil
	}
	v := r.number(name)
	return &v
}

func (r *reader) integer(name string) int64 {
	v, ok := asInteger(r.get(name))
	if !ok {
		r.fail("%s is no whole number", name)
	}
	return v
}

func (r *reader) boolean(name string) bool {
	v, ok := asBool(r.get(name))
	if !ok {
		r.fail("%s is neither true nor false", name)
	}
	return v
}

// text reads a string that must be there.
func (r *reader) text(name string) string {
	v, ok := asText(r.get(name), maxName)
	if !ok {
		r.fail("%s is no string of at most %d bytes", name, maxName)
	}
	return v
}

func (r *reader) maybeText(name string, limit int) string {
	raw := r.get(name)
	if raw == nil {
		return ""
	}
	v, ok := asText(raw, limit)
	if !ok {
		r.fail("%s is no string of at most %d bytes", name, limit)
	}
	return v
}

// texts reads a list of strings, nil when it is absent.
func (r *reader) texts(name string, limit int) []string {
	raw := r.get(name)
	if raw == nil {
		return nil
	}
	out := []string{}
	ok := asList(raw, func(value []byte) bool {
		v, ok := asText(value, maxName)
		out = append(out, v)
		return ok && len(out) <= limit
	})
	if !ok {
		r.fail("%s is no list of at most %d strings", name, limit)
	}
	return out
}

// numbers reads a list of finite numbers, nil when it is absent.
func (r *reader) numbers(name string) []float64 {
	raw := r.get(name)
	if raw == nil {
		return nil
	}
	out, ok := asNumbers(raw)
	if !ok {
		r.fail("%s is no list of at most %d finite numbers", name, maxJoints)
	}
	return out
}

func asNumbers(raw []byte) (out []float64, ok bool) {
	out = make([]float64, 0, 8)
	good := asList(raw, func(value []byte) bool {
		v, finite := asNumber(value)
		out = append(out, v)
		return finite && len(out) <= maxJoints
	})
	return out, good
}

// sub reads a member that is an object.
func (r *reader) sub(name string) *reader {
	var o reader
	if raw := r.get(name); raw == nil || o.parse(raw) != nil {
		r.fail("%s is no object", name)
	}
	return &o
}

// take reports what was wrong with a member that is an object.
func (r *reader) take(name string, o *reader) {
	if o.wrong != "" {
		r.fail("%s.%s", name, o.wrong)
	}
}

func (r *reader) caps() Capabilities {
	o := r.sub("caps")
	units, limits := o.sub("units"), o.sub("limits")
	c := Capabilities{
		Protocol: int(o.integer("protocol")), RobotKind: o.text("robotKind"), Drive: driver.Drive(o.text("drive")), DOF: int(o.integer("dof")),
		Skills: o.texts("skills", maxSkills), Units: driver.Units{Len: units.text("len"), Ang: units.text("ang")}, Frame: o.text("frame"),
		VMax: limits.number("vMax"), WMax: limits.number("wMax"), RateHz: o.number("rateHz"),
	}
	if c.Skills == nil {
		o.fail("skills is missing")
	}
	o.take("units", units)
	o.take("limits", limits)
	if o.wrong == "" {
		if err := c.Validate(); err != nil {
			o.fail("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
	r.take("caps", o)
	return c
}

// skill reads the frame; what is wrong with arguments is theirs to say.
func (r *reader) skill() Skill {
	f := Skill{ID: r.text("id"), Skill: r.text("skill"), ReqID: r.text("reqId")}
	if r.get("args") == nil {
		return f
	}
	var o reader
	if o.parse(r.get("args")) != nil {
		r.fail("args is no object")
		return f
	}
	for i := range o.n {
		name := unquote(o.names[i])
		raw := o.get(name)
		switch {
		case raw == nil:
		case name == "joints":
			f.Args.Joints = o.numbers(name)
		case name == "gripper":
			f.Args.Gripper = o.maybeNumber(name)
		default:
			if f.Args.Values == nil {
				f.Args.Values = map[string]float64{}
			}
			f.Args.Values[name] = o.number(name)
		}
	}
	if o.wrong != "" {
		f.Args = Args{Err: fmt.Errorf("%w: args.%s", driver.ErrBadArgs, o.wrong)}
	}
	return f
}

func (r *reader) telemetry() Telemetry {
	f := Telemetry{
		ID: r.text("id"), X: r.number("x"), Y: r.number("y"), Theta: r.number("theta"), VX: r.maybeNumber("vx"), W: r.maybeNumber("w"),
		Battery: r.maybeNumber("battery"), Joints: r.numbers("joints"), Faults: r.texts("faults", maxFaults), TS: r.number("ts"),
	}
	if r.get("estop") != nil {
		v := r.boolean("estop")
		f.EStop = &v
	}
	return f
}

func (r *reader) skillResult() SkillResult {
	f := SkillResult{
		ID: r.text("id"), ReqID: r.text("reqId"), Status: driver.SkillStatus(r.text("status")),
		Progress: r.maybeNumber("progress"), Err: r.maybeText("error", maxText),
	}
	switch f.Status {
	case driver.SkillAccepted, driver.SkillRunning, driver.SkillDone, driver.SkillFailed:
	default:
		r.fail("status %q is none of accepted, running, done, failed", f.Status)
	}
	if p := f.Progress; p != nil && (*p < 0 || *p > 1) {
		r.fail("progress is not between 0 and 1")
	}
	return f
}

func (r *reader) severity() driver.Severity {
	name := r.text("severity")
	for s := driver.Info; s <= driver.Critical; s++ {
		if s.String() == name {
			return s
		}
	}
	r.fail("severity %q is none of info, warning, error, critical", name)
	return driver.Error
}
