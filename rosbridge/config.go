package rosbridge

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Dialect is the ROS generation that a peer speaks. It decides how type names are spelled in introspection, which definition texts
// are given, and how the bytes of cbor-raw are serialized.
type Dialect int

// The dialects.
const (
	ROS2 Dialect = iota // pkg/msg/Type, CDR
	ROS1                // pkg/Type, ROS 1 serialization
)

// Config configures a [Broker].
type Config struct {
	// Dialect is what clients get that do not ask; a client asks with ?ros=1 or ?ros=2 in the URL.
	Dialect Dialect
	// NodeName is the node that clients without a name of their own appear as.
	NodeName string
	// Version is told to who asks for GET /version.
	Version string

	// Token, if not empty, must come with the handshake, as ?token= or as Authorization: Bearer.
	Token string
	// Origins are globs of the web pages that may connect, such as "https://app.foxglove.dev" or "*". Pages of localhost may always, and
	// those of this host when it was called by its address, or with a token when it was called by a name; programs that are no browsers
	// send no origin and may as well.
	Origins []string
	Access  Access

	MaxClients  int
	MaxMessage  int // bytes of one frame, in or out of fragments
	MaxNames    int // topics, services and actions that one client may use at a time
	MaxCalls    int // service calls and goals that one client may have open as their caller, and as their provider
	Budget      int // bytes of memory that one client may cost that does not read; a quarter of it may wait, see queued
	MaxFaulty   int // malformed frames that a client may send at once; they come back at FaultyRate a second
	FaultyRate  float64
	MaxParams   int           // bytes of all parameters
	MaxLatched  int           // bytes of all messages that clients latched
	Grace       time.Duration // that a write may take before a client counts as dead
	PingEvery   time.Duration // of silence, after which a client is pinged
	PingTimeout time.Duration // after the ping, after which it counts as dead
	CallTimeout time.Duration // of service calls that name none; zero or less is none
	CancelAfter time.Duration // that an action server has to answer a cancellation
	Unregister  time.Duration // that a topic keeps its type and latched message when nobody uses it
	FragmentAge time.Duration // that a frame in fragments may take

	// Params, if not nil, gives parameters that live elsewhere, such as those of a robot's nodes.
	Params ParamSource
	// Graph, if not nil, tells introspection who in this process publishes, subscribes and serves. Attachments are not listed then.
	Graph func() Graph
	// Unheard, if not nil, is told, from any goroutine, what clients said that they may say and that was not passed on: a frame that is
	// broken after it named what it is for, a message that does not fit its topic's type, a call that does not fit its service's or for which too
	// many are open. It must not wait. A robot stops then,
	// if it was a stop.
	Unheard func(op, name, node string)
	// Observer, if not nil, learns what clients offer.
	Observer Observer
	Log      *slog.Logger
}

// queued is how many bytes may wait for one client. The garbage collector lets the heap grow to twice of what is in use, and messages
// that pass while others wait are garbage too: measured, a client that does not read costs about three times of what waits for it.
func (c Config) queued() int { return c.Budget / 4 }

// Access says what clients may do, by globs of resolved names in which * stands for any text and ? for one character. A nil list allows
// everything, an empty one nothing. What the broker offers itself below /rosapi may always be called.
type Access struct {
	Publish, Subscribe      []string // topics
	Call, Serve             []string // services
	SendGoals, ServeActions []string // actions
	ReadParams, WriteParams []string
}

// DefaultConfig returns the settings of a broker for one robot and its users.
func DefaultConfig() Config {
	return Config{
		NodeName: "/rosbridge_websocket",
		Version:  "unversioned",

		MaxClients:  1024,
		MaxMessage:  10 << 20,
		MaxNames:    4096,
		MaxCalls:    1024,
		Budget:      64 << 20,
		MaxFaulty:   50,
		FaultyRate:  10,
		MaxParams:   4 << 20,
		MaxLatched:  256 << 20,
		Grace:       10 * time.Second,
		PingEvery:   10 * time.Second,
		PingTimeout: 20 * time.Second,
		CallTimeout: 5 * time.Second,
		CancelAfter: time.Second,
		Unregister:  10 * time.Second,
		FragmentAge: 10 * time.Minute,
	}
}

// Validate reports all faults at once; each error begins with the field it is about.
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for _, n := range []struct {
		name  string
		value int
		least int
	}{
		{"MaxClients", c.MaxClients, 1},
		{"MaxMessage", c.MaxMessage, 1 << 10},
		{"MaxNames", c.MaxNames, 1},
		{"MaxCalls", c.MaxCalls, 1},
		{"MaxFaulty", c.MaxFaulty, 1},
		{"MaxParams", c.MaxParams, 0},
		{"MaxLatched", c.MaxLatched, 0},
	} {
		check(n.value >= n.least, "%s: %d is below %d", n.name, n.value, n.least)
	}
	const most = 1 << 30
	check(c.MaxMessage <= most, "MaxMessage: %d is above %d", c.MaxMessage, most)
	check(c.queued() >= c.MaxMessage, "Budget: a quarter of %d is below MaxMessage, %d: the largest message would never arrive", c.Budget, c.MaxMessage)
	check(c.FaultyRate > 0, "FaultyRate: %g is not positive", c.FaultyRate)
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"Grace", c.Grace}, {"PingEvery", c.PingEvery}, {"PingTimeout", c.PingTimeout}, {"CancelAfter", c.CancelAfter}, {"FragmentAge", c.FragmentAge},
	} {
		check(d.value >= 10*time.Millisecond, "%s: %v is below 10ms", d.name, d.value)
	}
	check(c.Unregister >= 0, "Unregister: %v is negative", c.Unregister)
	check(c.Dialect == ROS1 || c.Dialect == ROS2, "Dialect: %d is neither ROS1 nor ROS2", c.Dialect)
	check(strings.HasPrefix(c.NodeName, "/"), "NodeName: %q does not begin with a slash", c.NodeName)
	return errors.Join(errs...)
}
