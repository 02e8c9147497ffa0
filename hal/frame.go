package hal

import "sarathi/driver"

// Version is the version of the protocol (HAL: PROTOCOL_VERSION), v in every frame.
const Version = 1

// Operations, op in every frame.
const (
	OpHello       = "hello"
	OpWelcome     = "welcome"
	OpPose        = "pose"
	OpCmd         = "cmd"
	OpSkill       = "skill"
	OpEStop       = "estop"
	OpRelease     = "release"
	OpPing        = "ping"
	OpTelemetry   = "telemetry"
	OpSkillResult = "skillResult"
	OpFault       = "fault"
	OpPong        = "pong"
)

// Frame is one message of the protocol: one of the types below.
type Frame interface {
	// Op returns the operation.
	Op() string
	// append appends the members after v and op, each with its comma in front.
	append(dst []byte) []byte
}

// Handshake.
type (
	// Hello is the robot's first frame, sent at once on connect.
	Hello struct{ Caps Capabilities }

	// Welcome is the controller's answer to Hello.
	Welcome struct {
		Accept     bool
		Controller string // name of the controller, for people
		Reason     string // why it does not accept
	}
)

// Control, from the controller to the robot. ID names the robot; its agent has one and takes any. Lengths and angles are in the units of
// the robot's capabilities.
type (
	// Pose gives odometry a new origin. It never moves the body.
	Pose struct {
		ID          string
		X, Y, Theta float64
	}

	// Cmd asks for a velocity from now on.
	Cmd struct {
		ID  string
		V   float64 // forward
		W   float64 // counter-clockwise
		Seq int64   // greater than that of every earlier Cmd of the link
	}

	// Skill begins a skill.
	Skill struct {
		ID    string
		Skill string
		Args  Args
		ReqID string // correlates the results; chosen by the controller
	}

	// EStop latches the e-stop.
	EStop struct{ Reason string }

	// Release clears the latch.
	Release struct{}

	// Ping asks for a Pong with the same T.
	Ping struct{ T float64 }
)

// Args are the arguments of a skill.
type Args struct {
	Joints  []float64          // setJoints: one target for each degree of freedom
	Gripper *float64           // setJoints: opening 0 to 1; nil leaves it
	Values  map[string]float64 // further numbers by name

	// Err says what is wrong with arguments that were received, nil when nothing is. The frame is well-formed, so that the skill
	// can be answered with a failure that the controller can correlate.
	Err error
}

// Feedback, from the robot to the controller.
type (
	// Telemetry is the live state of the robot.
	Telemetry struct {
		ID          string
		X, Y, Theta float64 // in the odometry frame

		// Optional: a nil pointer, and a nil slice, are absent.
		VX      *float64
		W       *float64
		Battery *float64  // 0 to 100 %
		Joints  []float64 // angles, one for each degree of freedom
		Faults  []string  // codes of what is wrong now
		EStop   *bool

		TS float64 // ms since 1970, of the robot's clock
	}

	// SkillResult tells how a skill goes on.
	SkillResult struct {
		ID       string
		ReqID    string
		Status   driver.SkillStatus
		Progress *float64 // 0 to 1; nil: absent
		Err      string   // why it failed
	}

	// Fault reports something wrong, out of band.
	Fault struct {
		ID string
		driver.Fault
	}

	// Pong answers a Ping.
	Pong struct{ T float64 }
)

// Op implements Frame.
func (Hello) Op() string { return OpHello }

// Op implements Frame.
func (Welcome) Op() string { return OpWelcome }

// Op implements Frame.
func (Pose) Op() string { return OpPose }

// Op implements Frame.
func (Cmd) Op() string { return OpCmd }

// Op implements Frame.
func (Skill) Op() string { return OpSkill }

// Op implements Frame.
func (EStop) Op() string { return OpEStop }

// Op implements Frame.
func (Release) Op() string { return OpRelease }

// Op implements Frame.
func (Ping) Op() string { return OpPing }

// Op implements Frame.
func (Telemetry) Op() string { return OpTelemetry }

// Op implements Frame.
func (SkillResult) Op() string { return OpSkillResult }

// Op implements Frame.
func (Fault) Op() string { return OpFault }

// Op implements Frame.
func (Pong) Op() string { return OpPong }
