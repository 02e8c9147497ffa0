package rosbridge

import (
	"slices"
	"time"
)

// request is what one subscribe frame asked for.
type request struct {
	id       ID
	throttle time.Duration
	length   int
	fragment int
}

// subscription is a topic that one client gets under one name and in one encoding, however many ids asked for it: the client gets
// one copy of each message.
//
// Of its ids, the shortest throttle counts, because its owner needs every message that passes it, and of those the longest queue.
type subscription struct {
	owner *peer
	out   *outbox
	topic *topic
	name  string // as the client wrote it
	enc   encoding
	head  []byte // of a frame, up to the message

	// The fields below are guarded by out.mu.

	requests []request
	throttle time.Duration
	length   int  // messages that may wait; 0: as many as the client's budget holds
	window   bool // what comes within the throttle time is dropped, not kept
	fragment int

	queue   deque
	bytes   int       // of the queue
	listed  bool      // in ready or delayed of the outbox
	due     time.Time // when the throttle lets the next message pass
	ended   bool
	sent    uint64
	dropped uint64
}

func newSubscription(owner *peer, t *topic, name string, enc encoding) *subscription {
	s := &subscription{owner: owner, out: owner.out, topic: t, name: name, enc: enc}
	switch enc {
	case encCBOR, encRawCDR, encRawROS1:
		s.head = cborHeader(name)
	default:
		s.head = append(appendString(append(appendString([]byte(`{"op":`), OpPublish), `,"topic":`...), name), `,"msg":`...)
	}
	return s
}

// add takes a request, in place of an earlier one with the same id, and reports whether its id is new.
func (s *subscription) add(r request) bool {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	i := slices.IndexFunc(s.requests, func(o request) bool { return o.id == r.id })
	if i >= 0 {
		s.requests[i] = r
	} else {
		s.requests = append(s.requests, r)
	}
	s.mergeLocked()
	return i < 0
}

// remove takes back the request with an id and returns how many are left, and whether there was one.
func (s *subscription) remove(id ID) (left int, found bool) {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	before := len(s.requests)
	s.requests = slices.DeleteFunc(s.requests, func(o request) bool { return o.id == id })
	s.mergeLocked()
	return len(s.requests), len(s.requests) < before
}

func (s *subscription) mergeLocked() {
	s.throttle, s.length, s.window, s.fragment = 0, 0, true, 0
	for i, r := range s.requests {
		if i == 0 || r.throttle < s.throttle {
			s.throttle = r.throttle
		}
		if r.fragment > 0 && (s.fragment == 0 || r.fragment < s.fragment) {
			s.fragment = r.fragment
		}
	}
	unbounded := false
	for _, r := range s.requests {
		if r.throttle > s.throttle {
			continue
		}
		s.length = max(s.length, r.length)
		s.window = s.window && r.length == 0
		unbounded = unbounded || r.length == 0
	}
	if unbounded && s.throttle == 0 {
		s.length = 0
	}
	s.window = s.window && s.throttle > 0
}

func (*subscription) belongsTo(*Attachment) bool { return false }

// deliver does nothing: enqueue wakes the client's writer, or gives the client to the flusher.
func (*subscription) deliver() {}

// enqueue gives the subscription a message. It never waits: what does not fit makes an older message go.
func (s *subscription) enqueue(m *message, by *flusher) {
	o := s.out
	o.mu.Lock()
	if o.closed || s.ended {
		o.mu.Unlock()
		return
	}
	if s.window {
		now := time.Now()
		if now.Before(s.due) {
			o.mu.Unlock()
			return
		}
		s.due = now.Add(s.throttle)
	}
	o.pushLocked(s, m)
	now := by != nil && o.direct && m.size < copyBelow // longer ones leave in parallel, without a copy
	claimed := now && o.claimLocked()
	handed := !now && o.handLocked()
	o.mu.Unlock()
	switch {
	case claimed:
		by.add(s.owner)
	case handed:
		o.wake()
	}
}

// end empties the subscription for ever.
func (s *subscription) end() {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.ended = true
	s.out.bytes -= s.bytes
	s.queue, s.bytes = deque{}, 0
}
