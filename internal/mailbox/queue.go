package mailbox

import "sync/atomic"

// Queue collects ready items from any goroutine for one loop. The zero value is
// an empty queue.
//
// It is a Treiber stack (R. K. Treiber, IBM RJ 5118, 1986) of which the loop
// always takes everything at once and reverses it: pushing is one compare-and-swap,
// order is kept, and since nothing is ever popped singly there is no ABA problem.
type Queue struct {
	normal atomic.Pointer[Item]
	urgent atomic.Pointer[Item]
}

// Push adds an item that the caller has claimed.
func (q *Queue) Push(i *Item) {
	head := &q.normal
	if i.urgent {
		head = &q.urgent
	}
	for {
		old := head.Load()
		i.next = old
		if head.CompareAndSwap(old, i) {
			return
		}
	}
}

// Empty reports whether nothing waits.
func (q *Queue) Empty() bool { return q.normal.Load() == nil && q.urgent.Load() == nil }

// Loop is the taking side of a Queue. Only one goroutine may use it.
type Loop struct {
	queue *Queue
	batch *Item // normal items already taken, oldest first
}

// NewLoop returns the taking side of q.
func NewLoop(q *Queue) *Loop { return &Loop{queue: q} }

// Next returns the item to run now: the oldest urgent one, else the oldest other
// one, else nil.
func (l *Loop) Next() *Item {
	if l.queue.urgent.Load() != nil {
		urgent := reverse(l.queue.urgent.Swap(nil))
		if rest := urgent.next; rest != nil {
			// Rare: several urgent items at once. They go ahead of the batch, in order.
			last := rest
			for last.next != nil {
				last = last.next
			}
			last.next = l.batch
			l.batch = rest
		}
		urgent.next = nil
		return urgent
	}
	if l.batch == nil {
		l.batch = reverse(l.queue.normal.Swap(nil))
	}
	i := l.batch
	if i != nil {
		l.batch = i.next
		i.next = nil
	}
	return i
}

func reverse(i *Item) *Item {
	var out *Item
	for i != nil {
		i, i.next, out = i.next, out, i
	}
	return out
}
