package node

import (
	"container/heap"
	"time"

	"sarathi/internal/mailbox"
)

// Timer calls a function of its node at given times.
type Timer struct {
	at     time.Time // in the executor's own time
	seq    uint64    // orders timers of the same instant
	period time.Duration
	item   *mailbox.Item
	loop   *lockstepLoop // owner, in virtual time only

	heap  *timerHeap // in which it waits, nil when it does not
	index int
}

// Stop keeps the timer from firing again. It may be called again, and in the timer's
// own function. Only the loop may call it.
func (t *Timer) Stop() {
	if t.heap != nil {
		heap.Remove(t.heap, t.index)
	}
}

// Every runs fn every period, for the first time after one period. A loop that is
// late skips ticks; they are counted. The rhythm stays that of the first tick.
func (c *Context) Every(period time.Duration, fn func(now time.Time)) *Timer {
	if period <= 0 {
		panic("node: Every needs a positive period")
	}
	return c.timer(period, period, "every "+period.String(), fn)
}

// After runs fn once after d, or soon when d is not positive.
func (c *Context) After(d time.Duration, fn func(now time.Time)) *Timer {
	return c.timer(max(d, 0), 0, "after "+d.String(), fn)
}

// AfterFunc implements bus.Client.
func (c *Context) AfterFunc(d time.Duration, fn func()) (cancel func()) {
	return c.After(d, func(time.Time) { fn() }).Stop
}

func (c *Context) timer(first, period time.Duration, label string, fn func(time.Time)) *Timer {
	t := &Timer{period: period, item: mailbox.NewItem(label, false, func() { fn(c.loop.now()) })}
	c.loop.start(t, first)
	return t
}

// advance sets the next time of a periodic timer that fires now, leaving out what is past.
func (t *Timer) advance(now time.Time) (skipped uint64) {
	t.at = t.at.Add(t.period)
	if late := now.Sub(t.at); late >= 0 {
		skipped = uint64(late/t.period) + 1
		t.at = t.at.Add(time.Duration(skipped) * t.period)
	}
	return skipped
}

// timerHeap orders timers by (time, sequence). Each timer knows its place, so that
// stopping one frees it at once.
type timerHeap struct{ timers []*Timer }

// first returns the timer that is due next, or nil.
func (h *timerHeap) first() *Timer {
	if len(h.timers) == 0 {
		return nil
	}
	return h.timers[0]
}

func (h *timerHeap) add(t *Timer) { heap.Push(h, t) }

// Len implements heap.Interface.
func (h *timerHeap) Len() int { return len(h.timers) }

// Less implements heap.Interface.
func (h *timerHeap) Less(i, j int) bool {
	if c := h.timers[i].at.Compare(h.timers[j].at); c != 0 {
		return c < 0
	}
	return h.timers[i].seq < h.timers[j].seq
}

// Swap implements heap.Interface.
func (h *timerHeap) Swap(i, j int) {
	h.timers[i], h.timers[j] = h.timers[j], h.timers[i]
	h.timers[i].index, h.timers[j].index = i, j
}

// Push implements heap.Interface.
func (h *timerHeap) Push(x any) {
	if t, ok := x.(*Timer); ok {
		t.heap, t.index = h, len(h.timers)
		h.timers = append(h.timers, t)
	}
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	last := len(h.timers) - 1
	t := h.timers[last]
	h.timers[last] = nil
	h.timers = h.timers[:last]
	t.heap = nil
	return t
}
