package bus

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sarathi/internal/clock"
	"sarathi/internal/mailbox"
)

// Client is a user of the bus: a node's context, a gateway, a tool.
type Client interface {
	// Name is the node's name in introspection, such as "control_mux_node".
	Name() string
	// Bus returns the bus that the client is attached to.
	Bus() *Bus
	// Ready makes item run once on the client's loop. It never blocks. The caller has claimed the item.
	Ready(item *mailbox.Item)
	// AfterFunc runs fn on the client's loop after d, unless cancel is called on the loop before. Only the loop may call it.
	AfterFunc(d time.Duration, fn func()) (cancel func())
	// Own registers what has to be undone when the client ends; of a client that has ended it is undone at once.
	// Calling forget strikes it off, after it was undone earlier.
	Own(undo func()) (forget func())
}

// Options configures a Bus.
type Options struct {
	// Clock stamps what is published. Required.
	Clock clock.Clock
	// RobotNS replaces {robot_ns} in names, without slashes. Default "robot".
	RobotNS string
	// Tap, if set, sees every message of every topic at the moment it is published, in the publisher's goroutine,
	// so that it must be safe for concurrent use under the realtime executor. A tap is not a subscriber: nobody
	// computes a message for it.
	Tap func(*Sample)
}

// Bus holds the topics and services of one robot. Use [New].
type Bus struct {
	clock   clock.Clock
	origin  time.Time // instants of messages are kept as ns since, so that they survive a jump of the wall clock
	robotNS string
	tap     func(*Sample)

	mu       sync.Mutex // guards the maps, never held while publishing
	topics   map[string]*topic
	services map[string]*service
}

// New returns an empty bus.
func New(o Options) *Bus {
	if o.Clock == nil {
		panic("bus.New: Options.Clock is required")
	}
	return &Bus{
		clock:    o.Clock,
		origin:   o.Clock.Now(),
		robotNS:  cmp.Or(o.RobotNS, "robot"),
		tap:      o.Tap,
		topics:   map[string]*topic{},
		services: map[string]*service{},
	}
}

// Now returns the bus's time.
func (b *Bus) Now() time.Time { return b.clock.Now() }

// Resolve returns the name as it appears on this bus: absolute, with {robot_ns} replaced.
func (b *Bus) Resolve(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return strings.ReplaceAll(name, "{robot_ns}", b.robotNS)
}

// Declare reserves names with their types, so that nobody who comes over the
// network can give them another one first. It returns a [TypeError] for each name
// that has another type already.
func (b *Bus) Declare(topics []TopicInfo, services []ServiceInfo) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, info := range topics {
		t := b.topicLocked(info.Name)
		err := t.declareLocked(info.Type.ROS1Name(), info.Type, info.QoS, info.Doc)
		errs = append(errs, err)
		t.declared = t.declared || err == nil
	}
	for _, info := range services {
		s := b.serviceLocked(info.Name)
		err := s.declareLocked(info)
		errs = append(errs, err)
		s.declared = s.declared || err == nil
	}
	return errors.Join(errs...)
}

// TypeError reports that a topic or service already has another type.
type TypeError struct {
	Topic string
	Want  string // the type asked for
	Have  string // the type that the topic has
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s has type %s, not %s", e.Topic, e.Have, e.Want)
}
