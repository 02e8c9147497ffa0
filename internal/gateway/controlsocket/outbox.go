package controlsocket

import (
	"slices"
	"sync"

	"sarathi/internal/bus"
)

// repliesWaiting bounds the replies that wait for a client; more make its reader wait.
const repliesWaiting = 16

// outbox holds what a client has not been sent yet.
type outbox struct {
	replies chan []byte   // whole lines
	wake    chan struct{} // one token when a watch has something

	mu      sync.Mutex
	watches []*watch
	turn    int // the watch to be asked next, so that a busy one does not starve the others
}

func newOutbox() *outbox {
	return &outbox{replies: make(chan []byte, repliesWaiting), wake: make(chan struct{}, 1)}
}

// watch is one watched topic: a ring of the samples that wait.
type watch struct {
	id        int64
	timesOnly bool

	// guarded by outbox.mu
	ring  []*bus.Sample
	head  int // of the oldest
	count int
	lost  uint64 // here
	early uint64 // lost on the bus, before they came here
}

// waiting is a sample taken out of a watch.
type waiting struct {
	watch  *watch
	sample *bus.Sample
	lost   uint64
}

// add opens a watch.
func (o *outbox) add(id int64, depth int, timesOnly bool) *watch {
	w := &watch{id: id, timesOnly: timesOnly, ring: make([]*bus.Sample, depth)}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watches = append(o.watches, w)
	return w
}

// remove closes a watch; what waits in it is forgotten.
func (o *outbox) remove(w *watch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.Index(o.watches, w); i >= 0 {
		o.watches = slices.Delete(o.watches, i, i+1)
	}
}

// offer puts a sample into a watch, and takes note of how many were lost before it came. When the watch is full the oldest sample
// goes. It never blocks.
func (o *outbox) offer(w *watch, s *bus.Sample, early uint64) {
	o.mu.Lock()
	w.early = early
	if w.count == len(w.ring) {
		w.ring[w.head] = nil
		w.head = (w.head + 1) % len(w.ring)
		w.count--
		w.lost++
	}
	w.ring[(w.head+w.count)%len(w.ring)] = s
	w.count++
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next takes the oldest sample of the watch whose turn it is.
func (o *outbox) next() (waiting, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for range o.watches {
		o.turn = (o.turn + 1) % len(o.watches)
		w := o.watches[o.turn]
		if w.count == 0 {
			continue
		}
		s := w.ring[w.head]
		w.ring[w.head] = nil
		w.head = (w.head + 1) % len(w.ring)
		w.count--
		return waiting{watch: w, sample: s, lost: w.lost + w.early}, true
	}
	return waiting{}, false
}
