package bus

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
)

// ring is a bounded queue that keeps the last depth entries. Any number of
// goroutines may push; pushing makes room by dropping the oldest.
//
// It is D. Vyukov's bounded MPMC queue: each cell carries a sequence number that
// tells whose turn it is, so that neither side takes a lock. There are more cells
// than depth, so that a push seldom meets a cell that another goroutine is copying
// this very moment; when it does, it yields until that copy is done.
//
// Entries of one goroutine keep their order. What it wrote before a push is visible
// to whoever pops the entry.
type ring[T any] struct {
	depth uint64
	mask  uint64
	cells []cell[T]
	head  atomic.Uint64 // on one cache line with all the rest: a push looks at everything
	tail  atomic.Uint64
}

type cell[T any] struct {
	turn  atomic.Uint64 // the position that may be written here, plus one once it is
	entry entry[T]
}

// entry is one message with the time at which it was published.
type entry[T any] struct {
	at      time.Time
	seq     uint64 // of the topic, from 1
	latched bool   // entries of a latched topic are never handled after newer ones
	from    *pubEnd
	value   T
}

// init makes r an empty ring.
func (r *ring[T]) init(depth int) {
	size := uint64(1) << bits.Len(uint(depth)) // a power of two greater than depth
	r.depth, r.mask, r.cells = uint64(depth), size-1, make([]cell[T], size)
	for i := range r.cells {
		r.cells[i].turn.Store(uint64(i))
	}
}

// push adds a copy of e and returns how many older entries were dropped for it.
func (r *ring[T]) push(e *entry[T]) (dropped int) {
	for {
		pos := r.head.Load()
		c := &r.cells[pos&r.mask]
		if c.turn.Load() == pos {
			if r.head.CompareAndSwap(pos, pos+1) {
				c.entry = *e
				c.turn.Store(pos + 1)
				return dropped + r.trim(r.depth)
			}
			continue
		}
		// Either pos is out of date, or this cell still holds the entry of one lap ago.
		n := r.trim(r.depth - 1)
		if dropped += n; n == 0 && r.head.Load() == pos {
			runtime.Gosched() // somebody is copying into or out of the cell
		}
	}
}

// trim drops the oldest entries until no more than keep are left, and returns how
// many it dropped. An entry that is still being written is left to its writer, who
// trims after it.
func (r *ring[T]) trim(keep uint64) (dropped int) {
	for {
		tail := r.tail.Load() // before head, so that the difference is never negative
		if r.head.Load()-tail <= keep {
			return dropped
		}
		// The entry goes only if it is still the oldest, else fewer than keep might be left.
		switch {
		case r.takeAt(tail, nil):
			dropped++
		case r.tail.Load() == tail:
			return dropped
		}
	}
}

// pop takes the oldest entry.
func (r *ring[T]) pop() (e entry[T], ok bool) {
	for {
		tail := r.tail.Load()
		if ok = r.takeAt(tail, &e); ok || r.tail.Load() == tail {
			return e, ok
		}
	}
}

// takeAt takes the entry at pos, into out unless that is nil, if it is there and the oldest.
func (r *ring[T]) takeAt(pos uint64, out *entry[T]) bool {
	c := &r.cells[pos&r.mask]
	if c.turn.Load() != pos+1 || !r.tail.CompareAndSwap(pos, pos+1) {
		return false
	}
	if out != nil {
		*out = c.entry
	}
	c.entry = entry[T]{} // let the collector have what the message points to
	c.turn.Store(pos + r.mask + 1)
	return true
}

// empty reports whether nothing waits. An entry that is being written counts as waiting.
func (r *ring[T]) empty() bool { return r.head.Load() == r.tail.Load() }
