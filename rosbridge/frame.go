package rosbridge

import (
	"encoding/json"
	"fmt"
	"time"
)

// The operations of rosbridge v2. Hello is ZelPi's addition.
const (
	OpAdvertise          = "advertise"
	OpUnadvertise        = "unadvertise"
	OpPublish            = "publish"
	OpSubscribe          = "subscribe"
	OpUnsubscribe        = "unsubscribe"
	OpCallService        = "call_service"
	OpServiceResponse    = "service_response"
	OpAdvertiseService   = "advertise_service"
	OpUnadvertiseService = "unadvertise_service"
	OpAdvertiseAction    = "advertise_action"
	OpUnadvertiseAction  = "unadvertise_action"
	OpSendActionGoal     = "send_action_goal"
	OpCancelActionGoal   = "cancel_action_goal"
	OpActionFeedback     = "action_feedback"
	OpActionResult       = "action_result"
	OpFragment           = "fragment"
	OpPNG                = "png"
	OpSetLevel           = "set_level"
	OpStatus             = "status"
	OpAuth               = "auth"
	OpHello              = "hello"
)

// The values of compression: how the server sends the messages of a subscription.
const (
	CompressionNone    = "none"
	CompressionPNG     = "png"
	CompressionCBOR    = "cbor"
	CompressionCBORRaw = "cbor-raw"
)

// GoalStatus is the status of an action goal, as action_msgs/GoalStatus numbers it.
type GoalStatus int

// The states of a goal.
const (
	GoalUnknown GoalStatus = iota
	GoalAccepted
	GoalExecuting
	GoalCanceling
	GoalSucceeded
	GoalCanceled
	GoalAborted
)

// ID is the id of a frame as JSON text, so that a string stays a string and a number keeps its digits: `"call:1"` or `7`.
// Empty stands for a frame without id. Replies carry the id of what they answer, byte for byte.
type ID string

// StringID returns the ID of the string s.
func StringID(s string) ID { return ID(appendString(nil, s)) }

// String returns the text of a string id without quotes, or the digits of a number.
func (id ID) String() string {
	var s string
	if len(id) > 0 && id[0] == '"' && json.Unmarshal([]byte(id), &s) == nil {
		return s
	}
	return string(id)
}

// Frame is one operation. Which fields count depends on Op:
//
//	advertise            Topic Type [ID Latch QueueSize QoS Definition]   unadvertise  Topic [ID]
//	publish              Topic Body [ID Latch Type]
//	subscribe            Topic [ID Type Throttle QueueLength FragmentSize Compression QoS]   unsubscribe  Topic [ID]
//	call_service         Service [ID Body FragmentSize Compression Timeout Type]
//	service_response     Service Result [ID Body]
//	advertise_service    Service Type     unadvertise_service  Service
//	advertise_action     Action Type      unadvertise_action   Action
//	send_action_goal     Action Type [ID Body Feedback FragmentSize Compression]
//	cancel_action_goal   Action ID
//	action_feedback      Action ID Body
//	action_result        Action ID Status Result [Body]
//	fragment             ID Data Num Total
//	png                  Data [ID Num Total]
//	set_level            Level            status  Level Body
//	hello                Node
//
// The zero value of an optional field is left out by [Frame.AppendJSON].
type Frame struct {
	Op string
	ID ID

	Topic   string // as the sender wrote it, relative or not
	Service string
	Action  string
	Node    string // of hello
	Type    string // of message, service or action, in either ROS spelling

	// Body is raw JSON: msg of publish and status, args of calls and goals, values of answers, feedback and results.
	Body []byte
	// Raw is the serialized message of a cbor-raw publish, in ROS 1 or CDR form as the server is; nil in any other frame.
	Raw []byte
	// Stamp is when the server got the message of a cbor-raw publish.
	Stamp time.Time

	Latch        bool
	QueueSize    int    // of advertise
	QoS          []byte // raw JSON object
	Definition   string // full definition text of Type; our addition to advertise, which other servers pass over
	Throttle     time.Duration
	QueueLength  int
	FragmentSize int // bytes
	Compression  string

	Timeout  *time.Duration // of call_service; nil is the server's default, zero or less is none
	Result   bool           // of answers; an answer without it counts as true
	Status   GoalStatus
	Feedback bool // of send_action_goal: the caller wants feedback

	Data  string // of fragment and png
	Num   int
	Total int
	Level string
}

// FrameError says why a text is no frame.
type FrameError struct {
	Op   string // "" when it was not found
	ID   ID
	What string
}

func (e *FrameError) Error() string {
	if e.Op == "" {
		return "rosbridge frame: " + e.What
	}
	return fmt.Sprintf("rosbridge frame %s: %s", e.Op, e.What)
}
