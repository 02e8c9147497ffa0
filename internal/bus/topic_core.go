package bus

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"sarathi/internal/idl"
	"sarathi/internal/mailbox"
)

// never stands for the instant of the last message of a topic that has had none.
const never = math.MinInt64

// topic is the part of a topic that does not know its Go type.
//
// It lives as long as somebody uses it; a topic that was declared, or that has had
// a typed user, lives as long as the bus.
type topic struct {
	bus  *Bus
	name string

	// Guarded by bus.mu. Publishers keep a copy of what they need.
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
	lastAt    atomic.Int64 // ns since bus.origin of the last message, or never
	interval  atomic.Int64 // smoothed ns between messages, 0 before the second
}

// typedTopic is implemented by core[T].
type typedTopic interface {
	idlType() *idl.Type
	// publishMessage delivers m, which must be of the topic's type.
	publishMessage(m idl.Message, from *pubEnd)
	// adopt gives a message that the raw side has published to the typed side, which has come meanwhile.
	adopt(s *Sample)
	// last returns the latched message, or nil.
	last() *Sample
}

// pubEnd and subEnd are one publisher and one subscription in introspection.
type pubEnd struct {
	node      string
	ended     atomic.Bool
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
		t.lastAt.Store(never)
		b.topics[name] = t
	}
	return t
}

// declareLocked fixes the type of a topic, or reports that it has another one. A
// topic on which only raw subscribers are left takes a new type.
func (t *topic) declareLocked(typeName string, typ *idl.Type, qos QoS, doc string) error {
	if t.typeName != typeName {
		if t.typeName != "" && (t.declared || len(t.pubs) > 0 || t.typed.Load() != nil) {
			return &TypeError{Topic: t.name, Want: typeName, Have: t.typeName}
		}
		t.typeName, t.typ, t.qos, t.doc = typeName, typ, qos, doc
		t.lastRaw.Store(nil)
	}
	if t.typ == nil {
		t.typ = typ // until now nobody knew more than its name
	}
	return nil
}

// releaseLocked forgets a topic that nobody uses any more, and with it what it latched.
func (t *topic) releaseLocked() {
	used := len(t.pubs) > 0 || len(t.subs) > 0 || t.declared || t.typed.Load() != nil
	if !used && t.bus.topics[t.name] == t {
		delete(t.bus.topics, t.name)
	}
}

// addPub adds a publisher, which is taken off with removePub.
func (t *topic) addPub(end *pubEnd) {
	t.bus.mu.Lock()
	defer t.bus.mu.Unlock()
	t.pubs = append(t.pubs, end)
}

func (t *topic) removePub(end *pubEnd) {
	end.ended.Store(true)
	t.bus.mu.Lock()
	defer t.bus.mu.Unlock()
	t.pubs = slices.DeleteFunc(t.pubs, func(p *pubEnd) bool { return p == end })
	t.releaseLocked()
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
		r.sub.offer(s.entry())
	}
}

// needsSample reports whether anybody wants the erased form of a message.
func (t *topic) needsSample() bool { return t.bus.tap != nil || len(*t.raw.Load()) > 0 }

// lastSample returns the latched message, or nil.
func (t *topic) lastSample() *Sample {
	if typed := t.typed.Load(); typed != nil {
		return (*typed).last()
	}
	return t.lastRaw.Load()
}

// count books one message and returns its sequence number. With several publishers
// the smoothed interval may lose an update, which introspection can bear.
func (t *topic) count(at time.Time) uint64 {
	const smoothing = 8
	now := int64(at.Sub(t.bus.origin))
	last := t.lastAt.Swap(now)
	if step := now - last; last != never && step >= 0 { // a virtual clock may jump back
		if mean := t.interval.Load(); mean != 0 {
			step = mean + (step-mean)/smoothing
		}
		t.interval.Store(step)
	}
	return t.published.Add(1)
}

// lastTime returns when the last message was published, zero before the first.
func (t *topic) lastTime() time.Time {
	if ns := t.lastAt.Load(); ns != never {
		return t.bus.origin.Add(time.Duration(ns))
	}
	return time.Time{}
}

// rate returns the smoothed rate in Hz, 0 when the topic has been silent for long.
func (t *topic) rate(now time.Time) float64 {
	interval, last := t.interval.Load(), t.lastAt.Load()
	if interval <= 0 || int64(now.Sub(t.bus.origin))-last > 5*interval+int64(time.Second) {
		return 0
	}
	return float64(time.Second) / float64(interval)
}
