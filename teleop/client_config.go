package teleop

import (
	"errors"
	"time"
)

// Errors of a command on the handheld's side.
var (
	ErrNotConnected = errors.New("not connected to the robot")
	ErrSessionLost  = errors.New("the session ended before the robot answered; whether the command ran is unknown")
	ErrNoAnswer     = errors.New("the robot did not answer")
	ErrTooMany      = errors.New("too many commands wait for an answer")
)

// ClientConfig is a handheld's name and its timers.
type ClientConfig struct {
	Name    string
	Token   string
	Streams Streams
	// FirstID is the id of the first command. It should be random, so that a restarted program does not get old acks.
	FirstID int64

	JoyHz        float64       // joystick messages a second while there is input
	HelloPeriod  time.Duration // of the keep-alive, which is sent while driving too: it carries a changed port to the robot
	LostAfter    time.Duration // silence of the robot after which the session is lost
	InputTimeout time.Duration // age at which input counts as released
	Retry        time.Duration // of a command until its first ack
	PendingRetry time.Duration // of a command that the robot said it is carrying out
	CommandTTL   time.Duration // wait for the first ack
	PendingTTL   time.Duration // wait for the result of a pending command
}

// DefaultClientConfig returns the documents' timers.
func DefaultClientConfig() ClientConfig {
	return ClientConfig{
		Name: "sarathi", FirstID: 1, JoyHz: 25, HelloPeriod: time.Second, LostAfter: 2 * time.Second, InputTimeout: 600 * time.Millisecond,
		Retry: 200 * time.Millisecond, PendingRetry: time.Second, CommandTTL: 5 * time.Second, PendingTTL: 2 * time.Minute,
	}
}

// An EventKind says what an [Event] tells.
type EventKind uint8

// The kinds of event.
const (
	EventConnected EventKind = iota // Welcome
	EventLost                       // Reason
	EventRefused                    // busy or denied: Reason
	EventState                      // State
	EventPending                    // Ack: the robot carries out the command
	EventResult                     // Ack, or Err if there will be none
	EventCamera                     // JPEG, valid until the next call
	EventLidar                      // Points, valid until the next call
	EventRoute                      // Route
	EventMap                        // Map
	EventSite                       // Site
)

// An Event is something that happened on the handheld's side.
type Event struct {
	Kind    EventKind
	Reason  string
	Welcome *Welcome
	State   *State
	Command string // name
	Ack     Ack
	Err     error
	JPEG    []byte
	Points  []LidarPoint
	Route   []RoutePoint
	Map     *Map
	Site    *Site
}

// A ClientOutput is what a call asks for: datagrams to the robot, and events. It is valid until the next call.
type ClientOutput struct {
	Datagrams [][]byte
	Events    []Event
}

// Link is the quality of the connection.
type Link struct {
	RTT        time.Duration // of the last answered ping; 0: none yet
	StateLoss  float64       // 0 to 1, over about the last 50 state messages
	StreamLoss float64       // frames that were begun and not finished, 0 to 1, since the session began
	Malformed  uint64        // datagrams not understood
}
