package bus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sarathi/internal/idl"
)

// ErrEnded is returned by a raw publisher that was closed, or whose client has ended.
var ErrEnded = errors.New("the publisher has ended")

// RawSubscription receives samples of one topic, whatever its type.
type RawSubscription struct {
	sub    *subscription[*Sample]
	topic  *topic
	forget func()
}

// SubscribeRaw runs handle on the client's loop for every message of the named
// topic, which need not exist yet; the last depth samples may wait (1 to 4096, a
// value outside is brought inside). A latched topic gives its last message first,
// and then only newer ones.
func SubscribeRaw(c Client, name string, depth int, handle func(*Sample)) *RawSubscription {
	b := c.Bus()
	r := &RawSubscription{sub: newSubscription[*Sample](c, min(max(depth, 1), maxDepth))}
	r.sub.handleWith(b.Resolve(name), false, handle)
	b.mu.Lock()
	t := b.topicLocked(name)
	r.topic = t
	list := append(slices.Clone(*t.raw.Load()), r)
	t.raw.Store(&list)
	t.addSubLocked(r.sub.end)
	b.mu.Unlock()
	if s := t.lastSample(); s != nil { // after the list, see core.attach
		r.sub.offerInitial(s.entry())
	}
	r.forget = c.Own(r.remove)
	return r
}

// Dropped returns how many samples were lost because the handler was too slow. Any goroutine may call it.
func (r *RawSubscription) Dropped() uint64 { return r.sub.end.dropped.Load() }

// Cancel ends the subscription: no handler runs after it. Call it on the client's
// loop, for instance in the handler itself. It may be called again.
func (r *RawSubscription) Cancel() {
	if !r.sub.cancelled {
		r.sub.cancelled = true
		r.remove()
		r.forget()
	}
}

func (r *RawSubscription) remove() {
	b := r.topic.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(*r.topic.raw.Load()), func(o *RawSubscription) bool { return o == r })
	r.topic.raw.Store(&rest)
	r.topic.removeSubLocked(r.sub.end)
	r.topic.releaseLocked()
}

// RawPublisher publishes on a topic of which the publisher knows only the type's
// name. Any goroutine may use it.
type RawPublisher struct {
	topic    *topic
	end      *pubEnd
	forget   func()
	typeName string
	typ      *idl.Type // nil when it was not known when the topic was advertised
	latches  bool
}

// AdvertiseRaw advertises the named topic with a type that may be unknown here
// (typ nil). typeName is the ROS 1 or ROS 2 spelling. qos counts only when the topic
// is new. It fails with a [TypeError] when the topic has another type.
func AdvertiseRaw(c Client, name, typeName string, typ *idl.Type, qos QoS) (*RawPublisher, error) {
	p := &RawPublisher{end: &pubEnd{node: c.Name()}}
	if err := p.advertise(c.Bus(), name, typeName, typ, qos); err != nil {
		return nil, err
	}
	p.forget = c.Own(func() { p.topic.removePub(p.end) })
	return p, nil
}

func (p *RawPublisher) advertise(b *Bus, name, typeName string, typ *idl.Type, qos QoS) error {
	if typ != nil {
		typeName = typ.ROS1Name()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topicLocked(name)
	if err := t.declareLocked(ros1Spelling(typeName), typ, qos, ""); err != nil {
		return err
	}
	t.pubs = append(t.pubs, p.end)
	p.topic, p.typeName, p.typ, p.latches = t, t.typeName, t.typ, t.qos == Latched
	return nil
}

// ros1Spelling turns "pkg/msg/Type" into "pkg/Type".
func ros1Spelling(typeName string) string {
	if parts := strings.Split(typeName, "/"); len(parts) == 3 {
		return parts[0] + "/" + parts[2]
	}
	return typeName
}

// Close ends the advertisement before its client ends. It may be called again.
func (p *RawPublisher) Close() {
	p.topic.removePub(p.end)
	p.forget()
}

// Publish gives m to every subscriber. m must be of the topic's type and is
// immutable from here on. It fails with a [TypeError], or with [ErrEnded].
func (p *RawPublisher) Publish(m idl.Message) error {
	typed := p.topic.typed.Load()
	if typ := p.known(typed); typ == nil || m.Type() != typ {
		return &TypeError{Topic: p.topic.name, Want: m.Type().ROS1Name(), Have: p.typeName}
	}
	if typed == nil {
		return p.publishSample(&Sample{msg: m})
	}
	if p.end.ended.Load() {
		return fmt.Errorf("publish on %s: %w", p.topic.name, ErrEnded)
	}
	p.end.published.Add(1)
	(*typed).publishMessage(m, p.end)
	return nil
}

// PublishJSON publishes a message given as JSON. For a known type it is checked and
// completed with defaults; for an unknown one data is passed on as it is, and must
// not be changed any more. It fails when data does not fit the type, or with [ErrEnded].
func (p *RawPublisher) PublishJSON(data []byte) error {
	if typ := p.known(p.topic.typed.Load()); typ != nil {
		m := typ.New()
		if err := m.ParseJSON(data); err != nil {
			return fmt.Errorf("message for %s (%s): %w", p.topic.name, p.typeName, err)
		}
		return p.Publish(m)
	}
	s := &Sample{}
	s.json.data = data
	return p.publishSample(s)
}

// known returns the topic's type, or nil when nobody here knows it.
func (p *RawPublisher) known(typed *typedTopic) *idl.Type {
	if typed != nil {
		return (*typed).idlType()
	}
	return p.typ
}

// publishSample completes s and delivers it on a topic that has no typed part.
func (p *RawPublisher) publishSample(s *Sample) error {
	t := p.topic
	if p.end.ended.Load() {
		return fmt.Errorf("publish on %s: %w", t.name, ErrEnded)
	}
	p.end.published.Add(1)
	s.Topic, s.TypeName, s.At, s.from, s.latched = t.name, p.typeName, t.bus.clock.Now(), p.end, p.latches
	s.seq = t.count(s.At)
	if p.latches {
		t.latchRaw(s)
	}
	t.deliverRaw(s)
	if typed := t.typed.Load(); typed != nil {
		(*typed).adopt(s) // the first typed user came meanwhile; its core may have missed s
	}
	return nil
}

// latchRaw keeps s unless a newer message was latched meanwhile.
func (t *topic) latchRaw(s *Sample) {
	for {
		old := t.lastRaw.Load()
		if old != nil && old.seq >= s.seq || t.lastRaw.CompareAndSwap(old, s) {
			return
		}
	}
}
