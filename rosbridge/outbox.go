package rosbridge

import (
	"slices"
	"sync"
	"time"

	"sarathi/rosbridge/internal/ws"
)

// outbox is what waits to be sent to one client: answers and requests, which must arrive, in order; and the messages of its
// subscriptions, which may be lost, oldest first. All of it together is bounded in bytes.
//
// Subscriptions take turns, one message each, so that a topic of many or big messages does not starve another. When the bytes
// run out, the subscription that holds most of them loses its oldest message. Answers are never dropped: a client that lets more
// of them wait than its budget holds is closed.
type outbox struct {
	budget int
	signal chan struct{} // of one: the writer may go on

	mu       sync.Mutex
	closed   bool
	direct   bool // writes that do not wait are possible; set before use
	busy     bool // somebody takes what waits and writes it
	handed   bool // to the writer, which has not begun
	control  []outFrame
	ready    []*subscription // with messages, in turn; may hold some that ended or were emptied
	delayed  []*subscription // with messages that the throttle holds back
	final    []byte          // the close frame: nothing follows it
	bytes    int             // of all that waits or is being written
	dropped  uint64
	overflow bool // answers alone exceed the budget
}

// outFrame is a frame that must arrive.
type outFrame struct {
	kind ws.Kind
	data []byte
}

// item is one thing to write: a whole frame, or a message for a subscription.
type item struct {
	frame    outFrame
	sub      *subscription
	msg      *message
	fragment int // of the subscription
	cost     int
}

func newOutbox(budget int) *outbox {
	return &outbox{budget: budget, signal: make(chan struct{}, 1)}
}

// claimLocked makes the caller the one who writes, unless somebody does already. handLocked then makes it the writer, which the
// caller wakes after unlocking.
func (o *outbox) claimLocked() bool {
	claimed := !o.busy
	o.busy = true
	return claimed
}

func (o *outbox) handLocked() bool {
	handed := o.claimLocked()
	o.handed = o.handed || handed
	return handed
}

// handOver gives a claimed outbox to the writer.
func (o *outbox) handOver() {
	o.mu.Lock()
	o.handed = true
	o.mu.Unlock()
	o.wake()
}

// own reports whether the writer may write: it was handed the outbox, or nobody writes and something waits for its time.
func (o *outbox) own() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.handed || len(o.delayed) > 0 && o.claimLocked() {
		o.handed = false
		return true
	}
	return false
}

func (o *outbox) wake() {
	select {
	case o.signal <- struct{}{}:
	default:
	}
}

// send queues a frame that must arrive. It reports false when the client is gone, or is closed because too many wait.
func (o *outbox) send(kind ws.Kind, data []byte) bool {
	o.mu.Lock()
	cost := len(data) + messageOverhead
	if o.bytes+cost > o.budget {
		o.dropLocked(o.bytes+cost-o.budget, 0)
	}
	if o.closed || o.final != nil || o.bytes+cost > o.budget && len(o.control) > 0 {
		o.overflow = o.overflow || !o.closed && o.final == nil
		o.mu.Unlock()
		return false
	}
	o.control = append(o.control, outFrame{kind, data})
	o.bytes += cost
	handed := o.handLocked()
	o.mu.Unlock()
	if handed {
		o.wake()
	}
	return true
}

// finish lets the writer end after the answers that wait, with a close frame. Messages are dropped.
func (o *outbox) finish(closeFrame []byte) {
	o.mu.Lock()
	if o.final == nil {
		o.final = closeFrame
	}
	o.handLocked()
	o.mu.Unlock()
	o.wake()
}

// close drops everything and lets the writer end.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.handLocked()
	o.control, o.ready, o.delayed = nil, nil, nil
	o.mu.Unlock()
	o.wake()
}

func (o *outbox) pushLocked(s *subscription, m *message) {
	if s.length > 0 && s.queue.n >= s.length {
		o.dropOldestLocked(s)
	}
	s.queue.push(m)
	s.bytes += m.size
	o.bytes += m.size
	if !s.listed {
		s.listed = true
		o.ready = append(o.ready, s)
	}
	if o.bytes > o.budget {
		o.dropLocked(o.bytes-o.budget, 1)
	}
}

// dropLocked frees at least n bytes if it can, and leaves at least so many messages.
func (o *outbox) dropLocked(n, least int) {
	for n > 0 {
		var biggest *subscription
		for _, list := range [][]*subscription{o.ready, o.delayed} {
			for _, s := range list {
				if s.queue.n > 0 && (biggest == nil || s.bytes > biggest.bytes) {
					biggest = s
				}
			}
		}
		if biggest == nil || biggest.queue.n <= least && len(o.ready)+len(o.delayed) == 1 {
			return
		}
		n -= o.dropOldestLocked(biggest)
	}
}

func (o *outbox) dropOldestLocked(s *subscription) int {
	size := s.queue.pop().size
	s.bytes -= size
	o.bytes -= size
	s.dropped++
	o.dropped++
	return size
}

// Bounds of what one write takes, so that a batch is not long under way.
const (
	maxBatch      = 128
	maxBatchBytes = 128 << 10
)

// take moves what is next into items. With nothing to do it returns how long to wait for the throttle, 0 for until
// the next signal. final is the close frame when all before it was taken; done says that the outbox was closed.
func (o *outbox) take(items []item) (taken []item, wait time.Duration, final []byte, done bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken, wait, final, done = o.takeLocked(items)
	o.busy = len(taken) > 0 || final != nil || done
	return taken, wait, final, done
}

// takeNow is take for somebody who does not wait. over says that the writer has to go on, after what was taken is written.
func (o *outbox) takeNow(items []item) (taken []item, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken, wait, final, done := o.takeLocked(items)
	over = final != nil || done || wait > 0 && len(taken) == 0
	o.busy = len(taken) > 0 || over
	return taken, over
}

func (o *outbox) takeLocked(items []item) (taken []item, wait time.Duration, final []byte, done bool) {
	if o.closed {
		return items, 0, nil, true
	}
	bytes := 0
	for len(o.control) > 0 && len(items) < maxBatch && bytes < maxBatchBytes {
		f := o.control[0]
		o.control = o.control[1:]
		cost := len(f.data) + messageOverhead
		items = append(items, item{frame: f, cost: cost})
		bytes += cost
	}
	if len(o.control) == 0 {
		o.control = nil
		if o.final != nil {
			return items, 0, o.final, false
		}
	}
	if len(o.delayed) > 0 {
		wait = o.resumeLocked(time.Now())
	}
	for len(o.ready) > 0 && len(items) < maxBatch && bytes < maxBatchBytes {
		s := o.ready[0]
		o.ready = o.ready[1:]
		s.listed = false
		if s.queue.n == 0 {
			continue
		}
		m := s.queue.pop()
		s.bytes -= m.size // but not of the outbox: that is released when it is written
		s.sent++
		items = append(items, item{sub: s, msg: m, fragment: s.fragment, cost: m.size})
		bytes += m.size
		o.passedLocked(s)
	}
	if len(o.ready) == 0 {
		o.ready = nil
	}
	return items, wait, nil, false
}

// passedLocked lists the subscription, whose message was just taken, where its next one will be found.
func (o *outbox) passedLocked(s *subscription) {
	if s.throttle > 0 && !s.window {
		s.due = time.Now().Add(s.throttle)
		s.listed = true
		o.delayed = append(o.delayed, s)
		return
	}
	if s.queue.n > 0 {
		s.listed = true
		o.ready = append(o.ready, s)
	}
}

// resumeLocked moves what is due from delayed to ready. It returns the time until the next is due, 0 when nothing waits for it.
func (o *outbox) resumeLocked(now time.Time) time.Duration {
	var wait time.Duration
	o.delayed = slices.DeleteFunc(o.delayed, func(s *subscription) bool {
		left := s.due.Sub(now)
		switch {
		case left <= 0 && s.queue.n > 0 && !s.ended:
			o.ready = append(o.ready, s)
			return true
		case left <= 0 || s.ended:
			s.listed = false
			return true
		}
		if s.queue.n > 0 && (wait == 0 || left < wait) {
			wait = left
		}
		return false
	})
	return wait
}

// costOf returns what items cost together.
func costOf(items []item) int {
	n := 0
	for i := range items {
		n += items[i].cost
	}
	return n
}

// release gives back what written items cost.
func (o *outbox) release(n int) {
	o.mu.Lock()
	o.bytes -= n
	o.mu.Unlock()
}

// unencoded counts a message that the subscription's encoding cannot hold.
func (o *outbox) unencoded(s *subscription) {
	o.mu.Lock()
	s.sent--
	s.dropped++
	o.dropped++
	o.mu.Unlock()
}

// finished reports whether the close frame was given, or the outbox closed.
func (o *outbox) finished() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.final != nil || o.closed
}

// overflowed reports whether an answer found no room.
func (o *outbox) overflowed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.overflow
}

// lost returns how many messages were dropped.
func (o *outbox) lost() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
}
