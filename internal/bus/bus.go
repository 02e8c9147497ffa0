package bus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/internal/clock"
	"sarathi/internal/idl"
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
	// AfterFunc runs fn on the client's loop after d, unless cancel is called on the loop before.
	AfterFunc(d time.Duration, fn func()) (cancel func())
	// Own registers what has to be undone when the client ends. Calling forget strikes it off, after it was undone earlier.
	Own(undo func()) (forget func())
}

// Options configures a Bus.
type Options struct {
	// Clock stamps what is published. Required.
	Clock clock.Clock
	// RobotNS replaces {robot_ns} in names, without slashes. Default "robot".
	RobotNS string
	// Tap, if set, sees every message of every topic at the moment it is published, in the publisher's goroutine.
	// A tap is not a subscriber: nobody computes a message for it.
	Tap func(*Sample)
}

// Bus holds the topics and services of one robot. Use [New].
type Bus struct {
	clock   clock.Clock
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

// topic is the part of a topic that does not know its Go type.
type topic struct {
	bus  *Bus
	name string

	// Guarded by bus.mu. Those who publish have seen them set before.
	typeName string // ROS 1 spelling; "" while only raw subscribers exist
	typ      *idl.Type
	qos      QoS
	doc      string
	declared bool // the name is reserved by Declare
	pubs     []*pubEnd
	subs     []*subEnd // for introspection; delivery uses raw and the typed list

	typed   atomic.Pointer[typedTopic]         // nil until a typed client comes
	raw     atomic.Pointer[[]*RawSubscription] // copy on write
	lastRaw atomic.Pointer[Sample]             // last message of a latched topic that has no typed part

	wanted    atomic.Int32 // how many subscriptions there are
	published atomic.Uint64
	lastAt    atomic.Int64 // unix ns of the last message, 0 before the first
	interval  atomic.Int64 // smoothed ns between messages, 0 before the second
}

// typedTopic is implemented by core[T].
type typedTopic interface {
	// publishMessage delivers m, which must be of the topic's type.
	publishMessage(m idl.Message) bool
	// last returns the latched message, or nil.
	last() *Sample
}

// Declare reserves names with their types, so that nobody who comes over the
// network can give them another one first.
func (b *Bus) Declare(topics []TopicInfo, services []ServiceInfo) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, info := range topics {
		t := b.topicLocked(info.Name)
		t.declared = true
		if err := t.declareLocked(info.Type.ROS1Name(), info.Type, info.QoS, info.Doc); err != nil {
			return err
		}
	}
	for _, info := range services {
		s := b.serviceLocked(info.Name)
		if s.typ != nil && s.typ != info.Type {
			return &TypeError{Topic: s.name, Want: info.Type.ROS1Name(), Have: s.typ.ROS1Name()}
		}
		s.typ, s.doc, s.declared = info.Type, info.Doc, true
	}
	return nil
}

// pubEnd and subEnd are one publisher and one subscription in introspection.
type pubEnd struct {
	node      string
	published atomic.Uint64
}

type subEnd struct {
	node     string
	depth    int
	received atomic.Uint64
	dropped  atomic.Uint64
	item     *mailbox.Item // nil for a sampled subscription
}

// topicLocked finds or creates a topic. b.mu is held.
func (b *Bus) topicLocked(name string) *topic {
	name = b.Resolve(name)
	t := b.topics[name]
	if t == nil {
		t = &topic{bus: b, name: name, qos: Latest}
		t.raw.Store(&[]*RawSubscription{})
		b.topics[name] = t
	}
	return t
}

// declareLocked fixes the type of a topic, or reports that it has another one.
func (t *topic) declareLocked(typeName string, typ *idl.Type, qos QoS, doc string) error {
	if t.typeName == "" {
		t.typeName, t.typ, t.qos, t.doc = typeName, typ, qos, doc
		return nil
	}
	if t.typeName != typeName {
		return &TypeError{Topic: t.name, Want: typeName, Have: t.typeName}
	}
	return nil
}

// releaseLocked forgets a topic that nobody uses any more and that holds no last message.
func (t *topic) releaseLocked() {
	if len(t.pubs) == 0 && len(t.subs) == 0 && !t.declared && t.typed.Load() == nil {
		delete(t.bus.topics, t.name)
	}
}

func (t *topic) addSubLocked(s *subEnd) {
	t.subs = append(t.subs, s)
	t.wanted.Add(1)
}

func (t *topic) removeSubLocked(s *subEnd) {
	if i := slices.Index(t.subs, s); i >= 0 {
		t.subs = slices.Delete(t.subs, i, i+1)
		t.wanted.Add(-1)
	}
}

// deliverRaw hands s to the tap and to the raw subscribers.
func (t *topic) deliverRaw(s *Sample) {
	if t.bus.tap != nil {
		t.bus.tap(s)
	}
	for _, r := range *t.raw.Load() {
		r.offer(s)
	}
}

// needsSample reports whether anybody wants the erased form of a message.
func (t *topic) needsSample() bool { return t.bus.tap != nil || len(*t.raw.Load()) > 0 }

// count books one message and returns its sequence number. With several publishers
// the smoothed interval may lose an update, which introspection can bear.
func (t *topic) count(at time.Time) uint64 {
	now := at.UnixNano()
	if last := t.lastAt.Swap(now); last != 0 {
		const smoothing = 8
		if mean := t.interval.Load(); mean == 0 {
			t.interval.Store(now - last)
		} else {
			t.interval.Store(mean + (now-last-mean)/smoothing)
		}
	}
	return t.published.Add(1)
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
