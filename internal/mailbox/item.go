package mailbox

import (
	"sync/atomic"
	"time"
)

// Item is one piece of work that can be made ready again and again. It must not
// be copied. The zero value is not usable; see [NewItem].
type Item struct {
	run    func()
	label  string
	urgent bool

	queued atomic.Bool
	next   *Item // owned by whoever claimed the item until it is pushed, then by the queue, then by the loop

	runs  atomic.Uint64
	total atomic.Int64 // ns
	worst atomic.Int64 // ns
}

// NewItem returns an item that runs run on its loop. The label names it in
// introspection ("/scan", "every 20ms"). Urgent items overtake all others that
// wait: stopping the robot never queues behind anything.
func NewItem(label string, urgent bool, run func()) *Item {
	return &Item{run: run, label: label, urgent: urgent}
}

// Label returns the name given to the item.
func (i *Item) Label() string { return i.label }

// Urgent reports whether the item overtakes others.
func (i *Item) Urgent() bool { return i.urgent }

// Claim marks the item as queued and reports whether the caller is the one who
// must push it. It is the only door to [Queue.Push].
func (i *Item) Claim() bool { return !i.queued.Load() && !i.queued.Swap(true) }

// Run runs the item. From the moment it begins, the item can be claimed again.
// Only the loop that took the item may call it.
func (i *Item) Run() {
	i.queued.Store(false)
	i.run()
}

// Record adds one run that took d to the item's statistics.
func (i *Item) Record(d time.Duration) {
	i.runs.Add(1)
	i.total.Add(int64(d))
	if int64(d) > i.worst.Load() {
		i.worst.Store(int64(d)) // one loop runs an item: no competing writer
	}
}

// Stats tells how often an item ran and how long it took.
type Stats struct {
	Label string
	Runs  uint64
	Total time.Duration
	Worst time.Duration
}

// Stats returns the statistics gathered by Record.
func (i *Item) Stats() Stats {
	return Stats{
		Label: i.label,
		Runs:  i.runs.Load(),
		Total: time.Duration(i.total.Load()),
		Worst: time.Duration(i.worst.Load()),
	}
}
