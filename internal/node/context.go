package node

import (
	"context"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/mailbox"
)

// loop is what a Context needs of its executor.
type loop interface {
	now() time.Time
	// ready runs a claimed item soon. Any goroutine may call it.
	ready(*mailbox.Item)
	// start arms a timer. Only the loop may call it.
	start(*Timer)
	// work runs fn off the loop and then done on it. In virtual time fn runs at once and done after cost.
	work(cost time.Duration, fn func(context.Context), done func())
	// fail ends the node with a failure.
	fail(error)
}

// Context is a node's access to the world: the bus, time, timers, randomness, the
// log. Except where noted, only the node's loop may use it.
type Context struct {
	name string
	bus  *bus.Bus
	log  *slog.Logger
	seed uint64
	loop loop

	mu    sync.Mutex // Own is called from Setup and from handlers, undone by the supervisor
	owned []*owned
}

type owned struct{ undo func() }

var _ bus.Client = (*Context)(nil)

func newContext(name string, o Options, l loop) *Context {
	log := slog.New(slog.DiscardHandler)
	if o.Log != nil {
		log = slog.New(stampHandler{next: o.Log, now: l.now}).With("node", name)
	}
	return &Context{name: name, bus: o.Bus, log: log, seed: o.Seed, loop: l}
}

// Name returns the node's name on the bus.
func (c *Context) Name() string { return c.name }

// Bus returns the bus.
func (c *Context) Bus() *bus.Bus { return c.bus }

// Log returns the node's logger; its records carry node=<name> and the executor's time. Any goroutine may use it.
func (c *Context) Log() *slog.Logger { return c.log }

// Now returns the executor's time. Any goroutine may use it.
func (c *Context) Now() time.Time { return c.loop.now() }

// Rand returns a random source that depends on the executor's seed, the node's name and purpose only.
func (c *Context) Rand(purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(c.name + "\x00" + purpose))
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// Ready implements bus.Client.
func (c *Context) Ready(item *mailbox.Item) { c.loop.ready(item) }

// Post runs fn on the loop soon. Any goroutine may call it.
func (c *Context) Post(fn func()) {
	item := mailbox.NewItem("post", false, fn)
	item.Claim()
	c.loop.ready(item)
}

// Fail ends the node with a failure, as a panic would. Any goroutine may call it.
func (c *Context) Fail(err error) { c.loop.fail(err) }

// Timer calls a function of its node at given times.
type Timer struct {
	at      time.Time
	seq     uint64
	period  time.Duration // 0 for a single shot
	fn      func(now time.Time)
	item    *mailbox.Item
	loop    *lockstepLoop // owner, in virtual time only
	stopped bool
}

// Stop keeps the timer from firing again. It may be called again.
func (t *Timer) Stop() { t.stopped = true }

// Every runs fn every period, for the first time after one period. A loop that is
// late skips ticks; they are counted.
func (c *Context) Every(period time.Duration, fn func(now time.Time)) *Timer {
	if period <= 0 {
		panic("node: Every needs a positive period")
	}
	return c.timer(c.Now().Add(period), period, "every "+period.String(), fn)
}

// After runs fn once after d.
func (c *Context) After(d time.Duration, fn func(now time.Time)) *Timer {
	return c.timer(c.Now().Add(max(d, 0)), 0, "after "+d.String(), fn)
}

// AfterFunc implements bus.Client.
func (c *Context) AfterFunc(d time.Duration, fn func()) (cancel func()) {
	return c.After(d, func(time.Time) { fn() }).Stop
}

func (c *Context) timer(at time.Time, period time.Duration, label string, fn func(time.Time)) *Timer {
	t := &Timer{at: at, period: period, fn: fn}
	t.item = mailbox.NewItem(label, false, func() {
		if !t.stopped {
			t.fn(c.loop.now())
		}
	})
	c.loop.start(t)
	return t
}

// advance sets the next time of a periodic timer that fires now, leaving out what is past.
func (t *Timer) advance(now time.Time) (skipped uint64) {
	t.at = t.at.Add(t.period)
	if late := now.Sub(t.at); late >= 0 {
		n := late/t.period + 1
		t.at = t.at.Add(n * t.period)
		skipped = uint64(n)
	}
	return skipped
}

// Own implements bus.Client: undo runs when the node ends, in reverse order.
func (c *Context) Own(undo func()) (forget func()) {
	o := &owned{undo}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owned = append(c.owned, o)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.owned, o); i >= 0 {
			c.owned = slices.Delete(c.owned, i, i+1)
		}
	}
}

func (c *Context) undo() {
	c.mu.Lock()
	owned := c.owned
	c.owned = nil
	c.mu.Unlock()
	for _, o := range slices.Backward(owned) {
		o.undo()
	}
}

// Go runs work away from the loop and then done on it. work must touch nothing of
// the node; its context ends with the node, and done does not run after that. In
// virtual time work runs at once and done runs after cost, the time that the work is
// modelled to take. A panic in work fails the node.
func Go[T any](c *Context, cost time.Duration, work func(context.Context) (T, error), done func(T, error)) {
	var (
		out T
		err error
	)
	c.loop.work(cost,
		func(ctx context.Context) { out, err = work(ctx) },
		func() { done(out, err) })
}

// guard runs fn and turns a panic into an error.
func guard(fn func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	fn()
	return nil
}

// stampHandler gives records the executor's time, so that logs of a simulation are repeatable.
type stampHandler struct {
	next slog.Handler
	now  func() time.Time
}

func (h stampHandler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h stampHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Time = h.now()
	return h.next.Handle(ctx, r)
}

func (h stampHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return stampHandler{h.next.WithAttrs(attrs), h.now}
}

func (h stampHandler) WithGroup(name string) slog.Handler {
	return stampHandler{h.next.WithGroup(name), h.now}
}
