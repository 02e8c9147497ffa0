package graph

// Code says why a robot did not do what it was asked for.
type Code string

// Reasons.
const (
	BadRequest   Code = "bad_request"   // the request cannot be understood, or the message or request does not fit the type
	UnknownTopic Code = "unknown_topic" // nobody publishes, subscribes to or has declared the topic
	WrongType    Code = "wrong_type"    // the topic has another type than the one named
	Reserved     Code = "reserved"      // only a node of the robot may publish there
	NoServer     Code = "no_server"     // nobody offers the service
	Timeout      Code = "timeout"       // no answer before the deadline
	Busy         Code = "busy"          // too many clients, calls or watched topics already
	Failed       Code = "failed"        // the server of the service returned an error
	Stopped      Code = "stopped"       // the server of the service, or the robot, ended first
)

// Error is a refusal by the robot. Its text says what to do instead where there is something.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }
