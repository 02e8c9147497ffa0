package bus

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"sarathi/internal/idl"
	"sarathi/internal/mailbox"
)

// core is the typed part of a topic: its subscriptions and its latched message.
type core[T any] struct {
	*topic
	list    atomic.Pointer[[]*subscription[T]] // copy on write under bus.mu
	latched atomic.Pointer[entry[T]]
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
	c := &core[T]{topic: top}
	c.list.Store(&[]*subscription[T]{})
	if s := top.lastRaw.Load(); s != nil {
		if m, ok := s.msg.(any).(*T); ok {
			c.latched.Store(&entry[T]{at: s.At, seq: top.published.Load(), value: *m})
		}
	}
	var typed typedTopic = c
	top.typed.Store(&typed)
	return c
}

// publish delivers v to everybody.
func (c *core[T]) publish(v T) {
	at := c.bus.clock.Now()
	seq := c.count(at)
	if c.qos == Latched {
		c.latch(entry[T]{at: at, seq: seq, value: v})
	}
	for _, s := range *c.list.Load() {
		s.offer(entry[T]{at: at, seq: seq, value: v})
	}
	if c.needsSample() {
		c.deliverRaw(c.sample(v, at))
	}
}

// latch is apart from publish so that only latched topics pay for an allocation.
func (c *core[T]) latch(e entry[T]) { c.latched.Store(&e) }

func (c *core[T]) sample(v T, at time.Time) *Sample {
	m, ok := any(&v).(idl.Message)
	if !ok {
		panic("bus: checked by NewTopic")
	}
	return &Sample{Topic: c.name, TypeName: c.typeName, At: at, msg: m}
}

func (c *core[T]) publishMessage(m idl.Message) bool {
	v, ok := any(m).(*T)
	if ok {
		c.publish(*v)
	}
	return ok
}

func (c *core[T]) last() *Sample {
	if e := c.latched.Load(); e != nil {
		return c.sample(e.value, e.at)
	}
	return nil
}

// Publisher publishes on one topic. It may be used from any goroutine.
type Publisher[T any] struct {
	core *core[T]
	end  *pubEnd
}

// NewPublisher advertises a topic for the life of the client.
func NewPublisher[T any](c Client, t *Topic[T]) *Publisher[T] {
	b := c.Bus()
	p := &Publisher[T]{core: coreOf(b, t), end: &pubEnd{node: c.Name()}}
	b.addPub(p.core.topic, p.end)
	c.Own(func() { b.removePub(p.core.topic, p.end) })
	return p
}

func (b *Bus) addPub(t *topic, end *pubEnd) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.pubs = append(t.pubs, end)
}

func (b *Bus) removePub(t *topic, end *pubEnd) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.pubs = slices.DeleteFunc(t.pubs, func(p *pubEnd) bool { return p == end })
	t.releaseLocked()
}

// Publish gives v to every subscriber. It never blocks. From here on nobody may
// change what v's slices and pointers lead to.
func (p *Publisher[T]) Publish(v T) {
	p.end.published.Add(1)
	p.core.publish(v)
}

// Wanted reports whether anybody subscribes: expensive messages are computed only then.
func (p *Publisher[T]) Wanted() bool { return p.core.wanted.Load() > 0 }

// subscription is one typed subscription: a bounded ring, and for handlers an item of the loop.
type subscription[T any] struct {
	ring  *ring[T]
	end   *subEnd
	loop  Client
	latch bool
}

func (s *subscription[T]) offer(e entry[T]) {
	if dropped := s.ring.push(e); dropped > 0 {
		s.end.dropped.Add(uint64(dropped))
	}
	if s.end.item != nil && s.end.item.Claim() {
		s.loop.Ready(s.end.item)
	}
}

func newSubscription[T any](c Client, t *Topic[T]) (*core[T], *subscription[T]) {
	depth := t.decl.QoS.depth()
	return coreOf(c.Bus(), t), &subscription[T]{
		ring:  newRing[T](depth),
		end:   &subEnd{node: c.Name(), depth: depth},
		loop:  c,
		latch: t.decl.QoS == Latched,
	}
}

// attach adds s to the topic and hands it the latched message. A message published
// in between may arrive twice; the receiving side drops what is not newer.
func (c *core[T]) attach(s *subscription[T]) (cancel func()) {
	b := c.bus
	b.mu.Lock()
	list := append(slices.Clone(*c.list.Load()), s)
	c.list.Store(&list)
	c.addSubLocked(s.end)
	b.mu.Unlock()
	if s.latch {
		if e := c.latched.Load(); e != nil {
			s.offer(*e)
		}
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		rest := slices.DeleteFunc(slices.Clone(*c.list.Load()), func(o *subscription[T]) bool { return o == s })
		c.list.Store(&rest)
		c.removeSubLocked(s.end)
	}
}

// Subscription is a handler's subscription. It ends with its client, or with Cancel.
type Subscription struct {
	cancel    func()
	cancelled bool // owned by the loop
}

// Cancel ends the subscription: no handler runs after it. Call it on the client's
// loop. It may be called again.
func (s *Subscription) Cancel() {
	if !s.cancelled {
		s.cancelled = true
		s.cancel()
	}
}

// Option changes how a subscription or a service is run.
type Option func(*options)

type options struct{ urgent bool }

// Urgent makes the handler overtake everything else that waits on the loop. It is
// for stopping, and for nothing else.
func Urgent() Option { return func(o *options) { o.urgent = true } }

func collect(opts []Option) options {
	var o options
	for _, f := range opts {
		f(&o)
	}
	return o
}

// Subscribe runs handle on the client's loop for every message, oldest first. How
// many may wait is the topic's QoS.
func Subscribe[T any](c Client, t *Topic[T], handle func(T), opts ...Option) *Subscription {
	core, s := newSubscription(c, t)
	out := &Subscription{}
	var seen uint64 // last sequence number handled; owned by the loop
	s.end.item = mailbox.NewItem(core.name, collect(opts).urgent, func() {
		e, ok := s.ring.pop()
		if ok && !s.ring.empty() && s.end.item.Claim() {
			c.Ready(s.end.item)
		}
		if !ok || out.cancelled || (s.latch && e.seq <= seen) {
			return
		}
		seen = e.seq
		s.end.received.Add(1)
		handle(e.value)
	})
	detach := core.attach(s)
	forget := c.Own(detach)
	out.cancel = func() { detach(); forget() }
	return out
}

// Reader samples a topic: for loops that run at their own pace and ask for the
// newest value. It causes no wake-up. Only the client's loop may use it.
type Reader[T any] struct {
	sub   *subscription[T]
	value T
	at    time.Time
	seq   uint64
}

// NewReader subscribes to a topic for sampling.
func NewReader[T any](c Client, t *Topic[T]) *Reader[T] {
	core, s := newSubscription(c, t)
	c.Own(core.attach(s))
	return &Reader[T]{sub: s}
}

// Get returns the newest message and the time at which it was published; ok is
// false before the first one.
func (r *Reader[T]) Get() (v T, at time.Time, ok bool) {
	for {
		e, more := r.sub.ring.pop()
		if !more {
			return r.value, r.at, r.seq != 0
		}
		if r.sub.latch && e.seq <= r.seq {
			continue
		}
		r.value, r.at, r.seq = e.value, e.at, e.seq
		r.sub.end.received.Add(1)
	}
}

// Meter tells how often a topic is published, without subscribing to it.
type Meter struct{ topic *topic }

// NewMeter returns a meter of a declared topic.
func NewMeter[T any](c Client, t *Topic[T]) Meter { return Meter{coreOf(c.Bus(), t).topic} }

// Count returns how many messages have been published so far, and when the last one was (zero before the first).
func (m Meter) Count() (n uint64, last time.Time) {
	n = m.topic.published.Load()
	if ns := m.topic.lastAt.Load(); ns != 0 {
		last = time.Unix(0, ns)
	}
	return n, last
}

// Wanted reports whether anybody subscribes to the topic.
func (m Meter) Wanted() bool { return m.topic.wanted.Load() > 0 }
