package node_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

const ms = time.Millisecond

var (
	words   = bus.NewTopic[std.String]("/words", bus.Queue(64), "what is said")
	numbers = bus.NewTopic[std.Float64]("/numbers", bus.Latest, "a command")
	state   = bus.NewTopic[std.String]("/state", bus.Latched, "how it is")
	halt    = bus.NewTopic[std.Empty]("/halt", bus.Queue(8), "stop")
	ask     = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/ask", stdsrvs.TriggerService, "question")
)

// executor is what the contract needs of an executor.
type executor interface {
	start(specs ...node.Spec) error
	// advance lets d of time pass and everything happen that happens within.
	advance(d time.Duration)
	// spend is for work that takes d, as modelled by its cost in virtual time.
	spend(d time.Duration)
	stop() error
	nodes() []node.Stats
	halted() []string
	bus() *bus.Bus
}

// underBoth runs body under each executor. Realtime runs in a bubble of synctest, whose
// clock begins anew, and which fails when a goroutine is left.
func underBoth(t *testing.T, body func(t *testing.T, x executor)) {
	t.Run("lockstep", func(t *testing.T) { body(t, newLockstep(node.Options{Seed: 7})) })
	t.Run("realtime", func(t *testing.T) {
		inBubble(t, node.Options{Seed: 7}, func(t *testing.T, x *realtime) { body(t, x) })
	})
}

func inBubble(t *testing.T, o node.Options, body func(t *testing.T, x *realtime)) {
	synctest.Test(t, func(t *testing.T) {
		o.Bus = bus.New(bus.Options{Clock: clock.Real{}})
		x := &realtime{exec: node.NewRealtime(o), b: o.Bus}
		defer x.exec.Stop() // the second time nothing happens
		body(t, x)
	})
}

type lockstep struct {
	exec  *node.Lockstep
	b     *bus.Bus
	fatal []string
}

func newLockstep(o node.Options) *lockstep { return newTapped(o, nil) }

func newTapped(o node.Options, tap func(*bus.Sample)) *lockstep {
	clk := clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	o.Bus = bus.New(bus.Options{Clock: clk, Tap: tap})
	x := &lockstep{exec: node.NewLockstep(o, clk), b: o.Bus}
	x.exec.OnHalt(func(name string, err error) { x.fatal = append(x.fatal, fmt.Sprintf("%s: %v", name, err)) })
	return x
}

func (x *lockstep) start(specs ...node.Spec) error { return x.exec.Start(specs...) }
func (x *lockstep) advance(d time.Duration)        { x.exec.RunFor(d) }
func (x *lockstep) spend(time.Duration)            {}
func (x *lockstep) stop() error                    { return x.exec.Stop() }
func (x *lockstep) nodes() []node.Stats            { return x.exec.Nodes() }
func (x *lockstep) halted() []string               { return x.fatal }
func (x *lockstep) bus() *bus.Bus                  { return x.b }

type realtime struct {
	exec *node.Realtime
	b    *bus.Bus
}

func (x *realtime) start(specs ...node.Spec) error {
	return x.exec.Start(context.Background(), specs...)
}

func (x *realtime) advance(d time.Duration) {
	time.Sleep(d) // of the bubble's clock
	synctest.Wait()
}

func (x *realtime) spend(d time.Duration) { time.Sleep(d) }
func (x *realtime) stop() error           { return x.exec.Stop() }
func (x *realtime) nodes() []node.Stats   { return x.exec.Nodes() }
func (x *realtime) bus() *bus.Bus         { return x.b }

func (x *realtime) halted() []string {
	select {
	case err := <-x.exec.Halted():
		return []string{err.Error()}
	default:
		return nil
	}
}

// plain is a node that is its Setup.
type plain struct{ setup func(*node.Context) error }

func (n plain) Setup(c *node.Context) error {
	if n.setup == nil {
		return nil
	}
	return n.setup(c)
}

type stopping struct {
	plain
	last func(time.Time)
}

func (n stopping) Stop(now time.Time) { n.last(now) }

type preparing struct {
	plain
	take func(context.Context) error
	give func() error
}

func (n preparing) Prepare(ctx context.Context) error { return n.take(ctx) }
func (n preparing) Close() error                      { return n.give() }

type running struct {
	plain
	run func(context.Context) error
}

func (n running) Run(ctx context.Context) error { return n.run(ctx) }

// spec wires a node that is made by the same words each time.
func spec(name string, stage node.Stage, n node.Node) node.Spec {
	return node.Spec{Name: name, Stage: stage, New: func() (node.Node, error) { return n, nil }}
}

// setup wires a plain node.
func setup(name string, fn func(*node.Context)) node.Spec {
	return spec(name, node.StageControl, plain{func(c *node.Context) error { fn(c); return nil }})
}

// journal collects lines from nodes on several loops.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}

func text(s string) std.String { return std.String{Data: s} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
