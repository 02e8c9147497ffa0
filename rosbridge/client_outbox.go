package rosbridge

import (
	"fmt"
	"slices"
	"sync"
)

// clientOutbox is what waits to be written to one link, in order. Putting never blocks.
type clientOutbox struct {
	budget int
	wake   chan struct{}

	mu      sync.Mutex
	waiting []*outgoing
	dead    int // of waiting, which were dropped
	bytes   int
	topics  map[*Publisher][]*outgoing // messages that wait, oldest first
}

// outgoing is one frame. Its text is nil when it was dropped.
type outgoing struct {
	text  []byte
	topic *Publisher // nil for what is no message
}

func newClientOutbox(budget int) *clientOutbox {
	return &clientOutbox{budget: budget, wake: make(chan struct{}, 1), topics: map[*Publisher][]*outgoing{}}
}

// put queues a frame that must arrive, or says that too much waits.
func (o *clientOutbox) put(f *Frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := f.AppendJSON(nil)
	if o.bytes+len(text) > o.budget && o.bytes > 0 {
		return fmt.Errorf("%w: %d bytes wait to be sent", ErrClientBusy, o.bytes)
	}
	o.addLocked(&outgoing{text: text})
	return nil
}

// restore queues frames with which a link begins, however many they are.
func (o *clientOutbox) restore(frames []Frame) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range frames {
		o.addLocked(&outgoing{text: frames[i].AppendJSON(nil)})
	}
}

// publish queues a message. When too much waits, the oldest messages of the same publisher go, and if that is not enough, the new one;
// it returns how many went.
func (o *clientOutbox) publish(p *Publisher, text []byte) (dropped int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.topics[p]) >= p.queue || len(o.topics[p]) > 0 && o.bytes+len(text) > o.budget {
		oldest := o.topics[p][0]
		o.topics[p] = o.topics[p][1:]
		o.bytes -= len(oldest.text)
		oldest.text = nil
		o.dead++
		dropped++
	}
	if o.bytes+len(text) > o.budget && o.bytes > 0 {
		return dropped + 1
	}
	if o.dead > len(o.waiting)/2 {
		o.waiting = slices.DeleteFunc(o.waiting, func(g *outgoing) bool { return g.text == nil })
		o.dead = 0
	}
	out := &outgoing{text: text, topic: p}
	o.topics[p] = append(o.topics[p], out)
	o.addLocked(out)
	return dropped
}

func (o *clientOutbox) addLocked(out *outgoing) {
	o.waiting = append(o.waiting, out)
	o.bytes += len(out.text)
	select {
	case o.wake <- struct{}{}:
	default: // the writer knows already
	}
}

// take returns the next frame, nil when none waits.
func (o *clientOutbox) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 {
		out := o.waiting[0]
		o.waiting[0] = nil
		o.waiting = o.waiting[1:]
		if out.text == nil {
			o.dead--
			continue
		}
		o.bytes -= len(out.text)
		if out.topic != nil {
			if o.topics[out.topic] = o.topics[out.topic][1:]; len(o.topics[out.topic]) == 0 {
				delete(o.topics, out.topic)
			}
		}
		return out.text
	}
	o.waiting = nil
	return nil
}
