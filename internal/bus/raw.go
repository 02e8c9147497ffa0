package bus

import (
	"fmt"
	"slices"
	"time"

	"sarathi/internal/idl"
	"sarathi/internal/mailbox"
)

// RawSubscription receives samples of one topic, whatever its type.
type RawSubscription struct {
	ring      *ring[*Sample]
	end       *subEnd
	loop      Client
	topic     *topic
	forget    func()
	cancelled bool // owned by the loop
}

// SubscribeRaw runs handle on the client's loop for every message of the named
// topic, which need not exist yet; the last depth samples may wait. A latched topic
// gives its last message first.
func SubscribeRaw(c Client, name string, depth int, handle func(*Sample)) *RawSubscription {
	depth = min(max(depth, 1), maxDepth)
	b := c.Bus()
	r := &RawSubscription{
		ring: newRing[*Sample](depth),
		end:  &subEnd{node: c.Name(), depth: depth},
		loop: c,
	}
	var seen time.Time // of the latched message; owned by the loop
	b.mu.Lock()
	t := b.topicLocked(name)
	r.topic = t
	r.end.item = mailbox.NewItem(t.name, false, func() {
		e, ok := r.ring.pop()
		if ok && !r.ring.empty() && r.end.item.Claim() {
			c.Ready(r.end.item)
		}
		if !ok || r.cancelled || (t.qos == Latched && e.at.Before(seen)) {
			return
		}
		seen = e.at
		r.end.received.Add(1)
		handle(e.value)
	})
	list := append(slices.Clone(*t.raw.Load()), r)
	t.raw.Store(&list)
	t.addSubLocked(r.end)
	latched := t.qos == Latched
	b.mu.Unlock()
	if latched {
		if s := t.lastSample(); s != nil {
			r.offer(s)
		}
	}
	r.forget = c.Own(r.remove)
	return r
}

func (t *topic) lastSample() *Sample {
	if typed := t.typed.Load(); typed != nil {
		return (*typed).last()
	}
	return t.lastRaw.Load()
}

func (r *RawSubscription) offer(s *Sample) {
	if dropped := r.ring.push(entry[*Sample]{at: s.At, value: s}); dropped > 0 {
		r.end.dropped.Add(uint64(dropped))
	}
	if r.end.item.Claim() {
		r.loop.Ready(r.end.item)
	}
}

// Dropped returns how many samples were lost because the handler was too slow.
func (r *RawSubscription) Dropped() uint64 { return r.end.dropped.Load() }

// Cancel ends the subscription. Call it on the client's loop. It may be called again.
func (r *RawSubscription) Cancel() {
	r.cancelled = true
	r.remove()
	r.forget()
}

func (r *RawSubscription) remove() {
	b := r.topic.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(*r.topic.raw.Load()), func(o *RawSubscription) bool { return o == r })
	r.topic.raw.Store(&rest)
	r.topic.removeSubLocked(r.end)
	r.topic.releaseLocked()
}

// RawPublisher publishes on a topic of which the publisher knows only the type's name.
type RawPublisher struct {
	topic  *topic
	end    *pubEnd
	forget func()
}

// AdvertiseRaw advertises the named topic with a type that may be unknown here
// (typ nil). typeName is the ROS 1 or ROS 2 spelling. qos counts only when the topic
// is new. It fails with a [TypeError] when the topic has another type.
func AdvertiseRaw(c Client, name, typeName string, typ *idl.Type, qos QoS) (*RawPublisher, error) {
	b := c.Bus()
	if typ != nil {
		typeName = typ.ROS1Name()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topicLocked(name)
	if err := t.declareLocked(typeName, typ, qos, ""); err != nil {
		return nil, err
	}
	p := &RawPublisher{topic: t, end: &pubEnd{node: c.Name()}}
	t.pubs = append(t.pubs, p.end)
	p.forget = c.Own(func() { b.removePub(t, p.end) })
	return p, nil
}

// Close ends the advertisement before its client ends. It may be called again.
func (p *RawPublisher) Close() {
	p.topic.bus.removePub(p.topic, p.end)
	p.forget()
}

// Publish gives m to every subscriber. m must be of the topic's type and is immutable from here on.
func (p *RawPublisher) Publish(m idl.Message) error {
	t := p.topic
	if t.typ == nil || m.Type() != t.typ {
		return &TypeError{Topic: t.name, Want: m.Type().ROS1Name(), Have: t.typeName}
	}
	p.end.published.Add(1)
	if typed := t.typed.Load(); typed != nil {
		(*typed).publishMessage(m)
		return nil
	}
	t.publishSample(&Sample{Topic: t.name, TypeName: t.typeName, At: t.bus.clock.Now(), msg: m})
	return nil
}

// PublishJSON publishes a message given as JSON. For a known type it is checked and
// completed with defaults; for an unknown one data is passed on as it is, and must
// not be changed any more.
func (p *RawPublisher) PublishJSON(data []byte) error {
	t := p.topic
	if t.typ != nil {
		m := t.typ.New()
		if err := m.ParseJSON(data); err != nil {
			return fmt.Errorf("message for %s (%s): %w", t.name, t.typeName, err)
		}
		return p.Publish(m)
	}
	p.end.published.Add(1)
	s := &Sample{Topic: t.name, TypeName: t.typeName, At: t.bus.clock.Now()}
	s.json.data = data
	t.publishSample(s)
	return nil
}

// publishSample delivers on a topic that has no typed part.
func (t *topic) publishSample(s *Sample) {
	t.count(s.At)
	if t.qos == Latched {
		t.lastRaw.Store(s)
	}
	t.deliverRaw(s)
}
