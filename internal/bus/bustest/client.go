// Package bustest has what tests of the bus need in place of a node: a client whose
// loop is the test.
//
//	clk := clock.NewManual(start)
//	b := bus.New(bus.Options{Clock: clk})
//	c := bustest.NewClient(t, b, "listener")
//	bus.Subscribe(c, topic, func(m geometry.Twist) { got = append(got, m) })
//	…publish…
//	c.Drain() // runs the handlers that are ready
//
// Tests of nodes use package nodetest instead.
package bustest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/mailbox"
)

// Client is a bus client whose handlers run inside [Client.Drain] and [Client.Advance].
// Others may publish to it from any goroutine.
type Client struct {
	tb    testing.TB
	name  string
	bus   *bus.Bus
	queue mailbox.Queue

	// owned by the goroutine that drains
	loop   *mailbox.Loop
	timers []*timer
	now    time.Duration

	mu    sync.Mutex
	undo  []*func()
	ended bool
}

type timer struct {
	at time.Duration
	fn func()
}

var _ bus.Client = (*Client)(nil)

// NewClient returns a client that ends with the test at the latest.
func NewClient(tb testing.TB, b *bus.Bus, name string) *Client {
	c := &Client{tb: tb, name: name, bus: b}
	c.loop = mailbox.NewLoop(&c.queue)
	tb.Cleanup(c.End)
	return c
}

// Name implements bus.Client.
func (c *Client) Name() string { return c.name }

// Bus implements bus.Client.
func (c *Client) Bus() *bus.Bus { return c.bus }

// Ready implements bus.Client.
func (c *Client) Ready(item *mailbox.Item) { c.queue.Push(item) }

// AfterFunc implements bus.Client. The time is that of [Client.Advance].
func (c *Client) AfterFunc(d time.Duration, fn func()) (cancel func()) {
	t := &timer{at: c.now + d, fn: fn}
	c.timers = append(c.timers, t)
	return func() { c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == t }) }
}

// Own implements bus.Client.
func (c *Client) Own(undo func()) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		c.tb.Errorf("%s: something was registered after the client had ended", c.name)
	}
	c.undo = append(c.undo, &undo)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.undo = slices.DeleteFunc(c.undo, func(o *func()) bool { return o == &undo })
	}
}

// Owned returns how many things wait to be undone when the client ends.
func (c *Client) Owned() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.undo)
}

// Timers returns how many timers are armed.
func (c *Client) Timers() int { return len(c.timers) }

// Step runs one handler that is ready, and reports whether there was one.
func (c *Client) Step() bool {
	item := c.loop.Next()
	if item != nil {
		item.Run()
		item.Record(0)
	}
	return item != nil
}

// Drain runs handlers until none is ready, and returns how many ran. More than a
// million are taken for handlers that wake each other for ever, and fail the test.
func (c *Client) Drain() (ran int) {
	c.tb.Helper()
	for c.Step() {
		if ran++; ran > 1_000_000 {
			c.tb.Fatalf("%s: a million handlers ran and more are ready", c.name)
		}
	}
	return ran
}

// Advance drains, and then fires one after the other the timers that are due within d.
func (c *Client) Advance(d time.Duration) {
	c.tb.Helper()
	end := c.now + d
	for c.Drain(); ; c.Drain() {
		i := c.next(end)
		if i < 0 {
			break
		}
		t := c.timers[i]
		c.timers = slices.Delete(c.timers, i, i+1)
		c.now = t.at
		t.fn()
	}
	c.now = end
}

// next returns the place of the timer that is due first, not after end, or -1.
func (c *Client) next(end time.Duration) int {
	first := -1
	for i, t := range c.timers {
		if t.at <= end && (first < 0 || t.at < c.timers[first].at) {
			first = i
		}
	}
	return first
}

// End undoes everything that the client registered, as the end of a node does. It may be called again.
func (c *Client) End() {
	c.mu.Lock()
	undo := c.undo
	c.undo, c.ended = nil, true
	c.mu.Unlock()
	for _, fn := range slices.Backward(undo) {
		(*fn)()
	}
}
