package bus

import (
	"slices"
	"sync/atomic"
	"time"

	"sarathi/internal/mailbox"
)

// subscription is one subscription: a bounded ring, and for handlers an item of the
// loop. T is a message, or *Sample on the erased side.
type subscription[T any] struct {
	ring    ring[T]
	item    *mailbox.Item // nil when sampled
	loop    Client
	end     *subEnd
	initial atomic.Pointer[entry[T]] // the message that was latched when the subscription was made, until it is taken

	// owned by the loop
	seen      uint64 // sequence number of the last message taken
	cancelled bool
}

func newSubscription[T any](c Client, depth int) *subscription[T] {
	s := &subscription[T]{end: &subEnd{node: c.Name(), depth: depth}, loop: c}
	s.ring.init(depth)
	return s
}

// handleWith makes s run handle for every message.
func (s *subscription[T]) handleWith(label string, urgent bool, handle func(T)) {
	s.item = mailbox.NewItem(label, urgent, func() {
		e, ok := s.take()
		if ok && s.waiting() { // without ok, whoever is writing the next message will wake the loop
			s.wake() // before the handler: what becomes ready during it comes after
		}
		if ok && !s.cancelled {
			s.end.received.Add(1)
			handle(e.value)
		}
	})
	s.end.item = s.item
}

// offer adds a message. Any goroutine may call it.
func (s *subscription[T]) offer(e *entry[T]) {
	dropped := s.ring.push(e)
	if s.item == nil {
		return // sampled: passing over messages is no loss
	}
	if dropped > 0 {
		s.end.dropped.Add(uint64(dropped))
	}
	s.wake()
}

// offerInitial adds the message that was latched when the subscription was made. It
// does not go through the ring, where it could push out a newer one.
func (s *subscription[T]) offerInitial(e *entry[T]) {
	s.initial.Store(e)
	if s.item != nil {
		s.wake()
	}
}

func (s *subscription[T]) wake() {
	if s.item.Claim() {
		s.loop.Ready(s.item)
	}
}

func (s *subscription[T]) waiting() bool { return s.initial.Load() != nil || !s.ring.empty() }

// take returns the oldest message that is not known yet.
func (s *subscription[T]) take() (entry[T], bool) {
	if first := s.initial.Load(); first != nil {
		s.initial.Store(nil) // written once, before
		if first.seq > s.seen {
			s.seen = first.seq
			return *first, true
		}
	}
	for {
		e, ok := s.ring.pop()
		if ok && e.latched && e.seq <= s.seen {
			continue
		}
		if ok {
			s.seen = e.seq
		}
		return e, ok
	}
}

// Subscription is a handler's subscription. It ends with its client, or with Cancel.
type Subscription struct {
	cancel func()
}

// Cancel ends the subscription: no handler runs after it. Call it on the client's
// loop, for instance in the handler itself. It may be called again.
func (s *Subscription) Cancel() { s.cancel() }

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
// many may wait is the topic's QoS. A latched topic gives its last message first,
// and then only newer ones.
func Subscribe[T any](c Client, t *Topic[T], handle func(T), opts ...Option) *Subscription {
	core, s := coreOf(c.Bus(), t), newSubscription[T](c, t.decl.QoS.depth())
	s.handleWith(core.name, collect(opts).urgent, handle)
	detach := core.attach(s)
	forget := c.Own(detach)
	return &Subscription{cancel: func() {
		if !s.cancelled {
			s.cancelled = true
			detach()
			forget()
		}
	}}
}

// Reader samples a topic: for loops that run at their own pace and ask for the
// newest value. It causes no wake-up, and lives as long as its client. Only the
// client's loop may use it.
type Reader[T any] struct {
	sub   *subscription[T]
	value T
	at    time.Time
}

// NewReader subscribes to a topic for sampling.
func NewReader[T any](c Client, t *Topic[T]) *Reader[T] {
	core, s := coreOf(c.Bus(), t), newSubscription[T](c, 1)
	c.Own(core.attach(s))
	return &Reader[T]{sub: s}
}

// Get returns the newest message and the time at which it was published; ok is
// false before the first one.
func (r *Reader[T]) Get() (v T, at time.Time, ok bool) {
	// Everything that was there when Get was called, and no more: a publisher in a burst must not hold the loop.
	for range len(r.sub.ring.cells) + 1 {
		e, more := r.sub.take()
		if !more {
			break
		}
		r.value, r.at = e.value, e.at
		r.sub.end.received.Add(1)
	}
	return r.value, r.at, r.sub.seen != 0
}

// attach adds s to the topic and hands it the latched message, if there is one.
func (c *core[T]) attach(s *subscription[T]) (cancel func()) {
	b := c.bus
	b.mu.Lock()
	list := append(slices.Clone(*c.list.Load()), s)
	c.list.Store(&list)
	c.addSubLocked(s.end)
	b.mu.Unlock()
	// After the list: whoever publishes latches first and reads the list then, so that nothing falls between.
	if e := c.latched.Load(); e != nil {
		s.offerInitial(e)
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		rest := slices.DeleteFunc(slices.Clone(*c.list.Load()), func(o *subscription[T]) bool { return o == s })
		c.list.Store(&rest)
		c.removeSubLocked(s.end)
	}
}
