package bus

import (
	"fmt"
	"sync/atomic"
	"time"

	"sarathi/internal/idl"
)

// core is the typed part of a topic: its subscriptions and its latched message.
type core[T any] struct {
	*topic
	typeName string // the topic's, readable without the lock
	latches  bool
	list     atomic.Pointer[[]*subscription[T]] // copy on write under bus.mu
	latched  atomic.Pointer[entry[T]]
	erased   atomic.Pointer[Sample] // the latched message's erased form, once somebody wanted it
}

// coreOf finds or creates the typed part of a declared topic. A topic that already
// has another type is an error of whoever wired the program, and panics: declared
// names are reserved (see [Bus.Declare]), so that a network client cannot cause it.
func coreOf[T any](b *Bus, t *Topic[T]) *core[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	top := b.topicLocked(t.decl.Name)
	if err := top.declareLocked(t.decl.Type.ROS1Name(), t.decl.Type, t.decl.QoS, t.decl.Doc); err != nil {
		panic(err)
	}
	if typed := top.typed.Load(); typed != nil {
		c, ok := (*typed).(*core[T])
		if !ok {
			panic(fmt.Sprintf("bus: topic %s is declared with two Go types", top.name))
		}
		return c
	}
	c := &core[T]{topic: top, typeName: top.typeName, latches: top.qos == Latched}
	c.list.Store(&[]*subscription[T]{})
	var typed typedTopic = c
	top.typed.Store(&typed)
	// After the store: whoever publishes on the raw side looks for the typed one after it has latched.
	if s := top.lastRaw.Load(); s != nil {
		c.adopt(s)
	}
	return c
}

// publish delivers v to everybody.
func (c *core[T]) publish(v T, from *pubEnd) {
	e := entry[T]{at: c.bus.clock.Now(), latched: c.latches, from: from, value: v}
	e.seq = c.count(e.at)
	c.deliver(&e)
	if c.needsSample() {
		c.deliverRaw(c.sample(e))
	}
}

// deliver latches e if the topic does, and hands it to the typed subscribers.
func (c *core[T]) deliver(e *entry[T]) {
	if c.latches {
		c.latch(*e)
	}
	for _, s := range *c.list.Load() {
		s.offer(e)
	}
}

// latch keeps e unless a newer message was latched meanwhile. It is apart from
// deliver so that only latched topics pay for an allocation.
func (c *core[T]) latch(e entry[T]) {
	for {
		old := c.latched.Load()
		if old != nil && old.seq >= e.seq || c.latched.CompareAndSwap(old, &e) {
			return
		}
	}
}

// sample returns the erased form of e. That of a latched message is made once.
func (c *core[T]) sample(e entry[T]) *Sample {
	if s := c.erased.Load(); s != nil && s.seq == e.seq {
		return s
	}
	m, ok := any(&e.value).(idl.Message)
	if !ok {
		panic("bus: NewTopic has checked that T is a message")
	}
	s := &Sample{Topic: c.name, TypeName: c.typeName, At: e.at, msg: m, from: e.from, seq: e.seq, latched: c.latches}
	if c.latches {
		c.erased.Store(s)
	}
	return s
}

func (c *core[T]) idlType() *idl.Type {
	m, ok := any(new(T)).(idl.Message)
	if !ok {
		panic("bus: NewTopic has checked that T is a message")
	}
	return m.Type()
}

func (c *core[T]) publishMessage(m idl.Message, from *pubEnd) {
	if v, ok := any(m).(*T); ok {
		c.publish(*v, from)
	}
}

func (c *core[T]) adopt(s *Sample) {
	e := entry[T]{at: s.At, seq: s.seq, latched: c.latches, from: s.from}
	if v, ok := any(s.msg).(*T); ok {
		e.value = *v
	} else if m, ok := any(&e.value).(idl.Message); !ok || m.ParseJSON(s.JSON()) != nil {
		return // it came from outside, as JSON under the name of our type, and is not of our type
	}
	c.deliver(&e)
}

func (c *core[T]) last() *Sample {
	if e := c.latched.Load(); e != nil {
		return c.sample(*e)
	}
	return nil
}

// Publisher publishes on one topic. Any goroutine may use it.
type Publisher[T any] struct {
	core *core[T]
	end  *pubEnd
}

// NewPublisher advertises a topic for the life of the client.
func NewPublisher[T any](c Client, t *Topic[T]) *Publisher[T] {
	p := &Publisher[T]{core: coreOf(c.Bus(), t), end: &pubEnd{node: c.Name()}}
	p.core.addPub(p.end)
	c.Own(func() { p.core.removePub(p.end) })
	return p
}

// Publish gives v to every subscriber. It never blocks. From here on nobody may
// change what v's slices and pointers lead to. After the publisher's client has
// ended it does nothing: what a dead node left running has no voice.
func (p *Publisher[T]) Publish(v T) {
	if p.end.ended.Load() {
		return
	}
	p.end.published.Add(1)
	p.core.publish(v, p.end)
}

// Wanted reports whether anybody subscribes: expensive messages are computed only then.
func (p *Publisher[T]) Wanted() bool { return p.core.wanted.Load() > 0 }

// Meter tells how often a topic is published, without subscribing to it. Any goroutine may use it.
type Meter struct{ topic *topic }

// NewMeter returns a meter of a declared topic.
func NewMeter[T any](c Client, t *Topic[T]) Meter { return Meter{coreOf(c.Bus(), t).topic} }

// Count returns how many messages have been published so far, and when the last one
// was (zero before the first). The difference to [Bus.Now] is its age, whatever the
// wall clock did meanwhile.
func (m Meter) Count() (n uint64, last time.Time) {
	return m.topic.published.Load(), m.topic.lastTime()
}

// Wanted reports whether anybody subscribes to the topic.
func (m Meter) Wanted() bool { return m.topic.wanted.Load() > 0 }
