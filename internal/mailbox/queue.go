package mailbox

import "sync/atomic"

// Queue collects ready items from any goroutine for one loop. The zero value is
// an empty queue.
//
// It is a Treiber stack (R. K. Treiber, IBM RJ 5118, 1986) of which the loop
// always takes everything at once and reverses it: pushing is one compare-and-swap,
// order is kept, and since nothing is ever popped singly there is no ABA problem.
//
// What a goroutine wrote before Push is visible to the item's run.
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

// Empty reports whether nothing was pushed since the loop last took from both kinds.
func (q *Queue) Empty() bool { return q.normal.Load() == nil && q.urgent.Load() == nil }

// Loop is the taking side of a Queue. Only one goroutine may use it.
type Loop struct {
	queue  *Queue
	urgent *Item // urgent items already taken, oldest first
	batch  *Item // the others already taken, oldest first
}

// NewLoop returns the taking side of q.
func NewLoop(q *Queue) *Loop { return &Loop{queue: q} }

// Next returns the item to run now: the oldest urgent one, else the oldest other
// one, else nil.
func (l *Loop) Next() *Item {
	if i := l.NextUrgent(); i != nil {
		return i
	}
	return pop(&l.batch, &l.queue.normal)
}

// NextUrgent returns the oldest urgent item, or nil.
func (l *Loop) NextUrgent() *Item { return pop(&l.urgent, &l.queue.urgent) }

// pop takes the first item of taken, which is filled from pushed when it is empty.
func pop(taken **Item, pushed *atomic.Pointer[Item]) *Item {
	if *taken == nil && pushed.Load() != nil {
		*taken = reverse(pushed.Swap(nil))
	}
	i := *taken
	if i != nil {
		*taken, i.next = i.next, nil
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
