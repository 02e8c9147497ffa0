package bus

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// ring is a bounded queue that keeps the last depth entries. Any number of
// goroutines may push; pushing never waits, and makes room by dropping the oldest.
//
// It is D. Vyukov's bounded MPMC queue: each cell carries a sequence number that
// tells whose turn it is, so that neither side takes a lock.
type ring[T any] struct {
	depth uint64
	mask  uint64
	cells []cell[T]
	_     [40]byte // keep the two counters on cache lines of their own
	head  atomic.Uint64
	_     [56]byte
	tail  atomic.Uint64
	_     [56]byte
}

type cell[T any] struct {
	turn  atomic.Uint64
	entry entry[T]
}

// entry is one message with the time at which it was published.
type entry[T any] struct {
	at    time.Time
	seq   uint64 // of the topic
	value T
}

func newRing[T any](depth int) *ring[T] {
	size := uint64(1) << bits.Len(uint(depth)) // a power of two greater than depth
	r := &ring[T]{depth: uint64(depth), mask: size - 1, cells: make([]cell[T], size)}
	for i := range r.cells {
		r.cells[i].turn.Store(uint64(i))
	}
	return r
}

// push adds e and returns how many older entries were dropped for it.
func (r *ring[T]) push(e entry[T]) (dropped int) {
	pos := r.head.Load()
	for {
		c := &r.cells[pos&r.mask]
		switch turn := c.turn.Load(); {
		case turn == pos:
			if !r.head.CompareAndSwap(pos, pos+1) {
				pos = r.head.Load()
				continue
			}
			c.entry = e
			c.turn.Store(pos + 1)
			for r.head.Load()-r.tail.Load() > r.depth {
				if _, ok := r.pop(); !ok {
					break
				}
				dropped++
			}
			return dropped
		case turn < pos: // full: the oldest has to go
			if _, ok := r.pop(); ok {
				dropped++
			}
			pos = r.head.Load()
		default:
			pos = r.head.Load()
		}
	}
}

// pop takes the oldest entry.
func (r *ring[T]) pop() (entry[T], bool) {
	pos := r.tail.Load()
	for {
		c := &r.cells[pos&r.mask]
		switch turn := c.turn.Load(); {
		case turn == pos+1:
			if !r.tail.CompareAndSwap(pos, pos+1) {
				pos = r.tail.Load()
				continue
			}
			e := c.entry
			c.entry = entry[T]{} // let the collector have what the message points to
			c.turn.Store(pos + r.mask + 1)
			return e, true
		case turn <= pos:
			return entry[T]{}, false
		default:
			pos = r.tail.Load()
		}
	}
}

func (r *ring[T]) empty() bool { return r.head.Load() == r.tail.Load() }
