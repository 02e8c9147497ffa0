package hal

import "sync"

// outboxDepth bounds what waits for a slow link. Telemetry and velocities take one place at most.
const outboxDepth = 256

// outbox is the frames that wait to be written to one link, in order. Putting never blocks. Of the frames that the next one makes
// worthless (telemetry at the agent, cmd at the controller) only the latest waits. The zero value is not ready: use newOutbox.
type outbox struct {
	mu      sync.Mutex
	waiting [][]byte
	latest  int // index of the one replaceable frame in waiting, -1 for none
	free    [][]byte
	full    bool // frames were lost that must not be: the link is too slow to go on
	signal  chan struct{}

	replaced uint64 // frames that gave way to a newer one, or to more important ones
}

func newOutbox() *outbox { return &outbox{latest: -1, signal: make(chan struct{}, 1)} }

// put queues a frame that must arrive. When the queue is full the link is lost: see take.
func (o *outbox) put(f Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) >= outboxDepth {
		o.full = true
	} else {
		o.waiting = append(o.waiting, Append(o.bufferLocked(), f))
	}
	o.wake()
}

// offer queues a frame that is lost when the link is slow.
func (o *outbox) offer(f Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) >= outboxDepth/2 {
		o.replaced++
		return
	}
	o.waiting = append(o.waiting, Append(o.bufferLocked(), f))
	o.wake()
}

// replace queues a frame in place of the last one that was queued so. It goes to the end: what was put before it is sent before it.
func (o *outbox) replace(f Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.latest >= 0 {
		o.replaced++
	}
	o.dropLocked()
	o.latest = len(o.waiting)
	o.waiting = append(o.waiting, Append(o.bufferLocked(), f))
	o.wake()
}

// drop forgets the replaceable frame.
func (o *outbox) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dropLocked()
}

func (o *outbox) dropLocked() {
	if o.latest < 0 {
		return
	}
	o.free = append(o.free, o.waiting[o.latest])
	copy(o.waiting[o.latest:], o.waiting[o.latest+1:])
	o.waiting = o.waiting[:len(o.waiting)-1]
	o.latest = -1
}

// lost counts the frames that gave way to others.
func (o *outbox) lost() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.replaced
}

// wake tells the writer that there is something. o.mu is held.
func (o *outbox) wake() {
	select {
	case o.signal <- struct{}{}:
	default: // it knows already
	}
}

// take returns the next frame, nil when none waits. ok is false when the link cannot keep up and must be given up.
func (o *outbox) take() (frame []byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full {
		return nil, false
	}
	if len(o.waiting) == 0 {
		return nil, true
	}
	frame = o.waiting[0]
	copy(o.waiting, o.waiting[1:])
	o.waiting = o.waiting[:len(o.waiting)-1]
	if o.latest >= 0 {
		o.latest--
	}
	return frame, true
}

// maxFree is how many buffers are kept for the next frames.
const maxFree = 8

// done gives back the memory of a frame that was written.
func (o *outbox) done(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.free) < maxFree {
		o.free = append(o.free, frame)
	}
}

// bufferLocked returns an empty buffer. o.mu is held.
func (o *outbox) bufferLocked() []byte {
	if n := len(o.free); n > 0 {
		b := o.free[n-1]
		o.free = o.free[:n-1]
		return b[:0]
	}
	return make([]byte, 0, 512)
}
