package node

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/mailbox"
)

// loop is what a Context needs of its executor.
type loop interface {
	now() time.Time
	// ready runs a claimed item soon. Any goroutine may call it.
	ready(*mailbox.Item)
	// start arms a timer that is first due after d. Only the loop may call it.
	start(t *Timer, d time.Duration)
	// work runs fn off the loop and then done on it. In virtual time fn runs at once and done after cost.
	work(cost time.Duration, fn func(context.Context), done func())
	// fail ends the node with a failure. Any goroutine may call it.
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

	posts atomic.Int64 // that wait

	mu    sync.Mutex // Own may be called by any goroutine
	owned []*owned
	ended bool
}

// maxPosts bounds the posts that wait on one loop.
const maxPosts = 1 << 16

type owned struct{ undo func() }

var _ bus.Client = (*Context)(nil)

func newContext(name string, o Options, l loop) *Context {
	return &Context{name: name, bus: o.Bus, log: newLogger(name, o, l.now), seed: o.Seed, loop: l}
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

// Post runs fn on the loop soon, in the order of the calls of one goroutine. Any
// goroutine may call it. After the node has ended it does nothing, so that nobody may
// wait for fn without also waiting for the end. A node that is hopelessly behind
// (65,536 posts wait) fails.
func (c *Context) Post(fn func()) {
	if c.posts.Add(1) > maxPosts {
		c.posts.Add(-1)
		c.loop.fail(fmt.Errorf("the loop is hopelessly behind: %d posts wait", maxPosts))
		return
	}
	item := mailbox.NewItem("post", false, func() {
		c.posts.Add(-1)
		fn()
	})
	item.Claim()
	c.loop.ready(item)
}

// Fail ends the node with a failure, as a panic would: no handler runs after the
// present one. Any goroutine may call it.
func (c *Context) Fail(err error) {
	if err == nil {
		err = errors.New("failed without saying why")
	}
	c.loop.fail(err)
}

// Own implements bus.Client: undo runs when the node ends, in reverse order, or at
// once when it has ended. Any goroutine may call it.
func (c *Context) Own(undo func()) (forget func()) {
	o := &owned{undo}
	if !c.own(o) {
		undo()
		return func() {}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if i := slices.Index(c.owned, o); i >= 0 {
			c.owned = slices.Delete(c.owned, i, i+1)
		}
	}
}

func (c *Context) own(o *owned) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.owned = append(c.owned, o)
	}
	return !c.ended
}

func (c *Context) undo() {
	c.mu.Lock()
	owned := c.owned
	c.owned, c.ended = nil, true
	c.mu.Unlock()
	for _, o := range slices.Backward(owned) {
		o.undo()
	}
}

// Go runs work away from the loop and then done on it. work must touch nothing of
// the node; its context ends with the node, which waits for it, and done does not run
// after that. In virtual time work runs at once and done runs after cost, the time
// that the work is modelled to take. A panic in work fails the node. Only the loop may
// call it.
func Go[T any](c *Context, cost time.Duration, work func(context.Context) (T, error), done func(T, error)) {
	var (
		out T
		err error
	)
	c.loop.work(cost,
		func(ctx context.Context) { out, err = work(ctx) },
		func() { done(out, err) })
}
