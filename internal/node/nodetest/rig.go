package nodetest

import (
	"cmp"
	"log/slog"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
)

// ProbeName is the name of the probe on the bus.
const ProbeName = "probe"

// Options configures a Rig. The zero value serves most tests.
type Options struct {
	Start   time.Time         // of virtual time; default 2026-01-01 00:00:00 UTC
	Seed    uint64            // of the nodes' random sources; default 1
	RobotNS string            // robot namespace, default "robot"
	Tap     func(*bus.Sample) // sees every message
}

// Rig is a bus with a lockstep executor and a probe.
type Rig struct {
	Bus  *bus.Bus
	Exec *node.Lockstep

	tb         testing.TB
	start      time.Time
	probe      *probe
	publishers map[any]any       // of the probe, by topic
	expected   map[string]bool   // nodes that may fail
	reported   map[string]string // last failure that was reported of each node
	stopped    bool
}

// probe is the node through which the test takes part. It is the first to start and
// the last to stop, so that it hears every last word.
type probe struct{ ctx *node.Context }

// Setup implements node.Node.
func (p *probe) Setup(c *node.Context) error {
	p.ctx = c
	return nil
}

// New returns a rig without nodes but the probe. At the end of the test it stops them all.
func New(tb testing.TB, o Options) *Rig {
	tb.Helper()
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	clk := clock.NewManual(o.Start)
	b := bus.New(bus.Options{Clock: clk, RobotNS: o.RobotNS, Tap: o.Tap})
	r := &Rig{
		Bus: b, tb: tb, start: o.Start, probe: &probe{},
		Exec: node.NewLockstep(node.Options{
			Bus: b, Seed: cmp.Or(o.Seed, 1), Log: slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}),
		}, clk),
		publishers: map[any]any{}, expected: map[string]bool{}, reported: map[string]string{},
	}
	r.Run(ProbeName, r.probe)
	tb.Cleanup(r.Stop)
	return r
}

// Start starts nodes, and ends the test when one of them refuses.
func (r *Rig) Start(specs ...node.Spec) {
	r.tb.Helper()
	if err := r.Exec.Start(specs...); err != nil {
		r.tb.Fatalf("start: %v", err)
	}
}

// Run starts one node that is not made anew: its failure is final.
func (r *Rig) Run(name string, n node.Node) {
	r.tb.Helper()
	r.Start(node.Spec{Name: name, Policy: node.Halt, New: func() (node.Node, error) { return n, nil }})
}

// Advance lets d of virtual time pass; what happens at its end is included.
// Advance(0) runs what is ready now.
func (r *Rig) Advance(d time.Duration) {
	r.tb.Helper()
	r.Exec.RunFor(d)
	r.check()
}

// AdvanceUntil lets virtual time pass until done reports true, and ends the test when
// that has not happened after limit. what completes the sentence "waited in vain for".
func (r *Rig) AdvanceUntil(what string, limit time.Duration, done func() bool) {
	r.tb.Helper()
	ok := r.Exec.RunUntil(done, limit)
	r.check()
	if !ok {
		r.tb.Fatalf("at %v: waited %v in vain for %s", r.Elapsed(), limit, what)
	}
}

// Now returns the time that the nodes see.
func (r *Rig) Now() time.Time { return r.Exec.Now() }

// Elapsed returns how far the time that the nodes see is from the rig's start.
func (r *Rig) Elapsed() time.Duration { return r.Exec.Now().Sub(r.start) }

// ExpectFailure allows the named nodes to fail.
func (r *Rig) ExpectFailure(names ...string) {
	for _, name := range names {
		r.expected[name] = true
	}
}

// Node describes one node, and ends the test when there is none of that name.
func (r *Rig) Node(name string) node.Stats {
	r.tb.Helper()
	for _, s := range r.Exec.Nodes() {
		if s.Name == name {
			return s
		}
	}
	r.tb.Fatalf("no node is called %s", name)
	return node.Stats{}
}

// Stop stops the nodes in order, so that their last words can be looked at. It may be
// called again, and is called at the end of the test.
func (r *Rig) Stop() {
	r.tb.Helper()
	if r.stopped {
		return
	}
	r.stopped = true
	if err := r.Exec.Stop(); err != nil {
		r.tb.Errorf("stop: %v", err)
	}
	r.check()
}

// check fails the test when a node failed that was not expected to, once for each failure.
func (r *Rig) check() {
	r.tb.Helper()
	for _, s := range r.Exec.Nodes() {
		if s.LastError == "" || r.expected[s.Name] || r.reported[s.Name] == s.LastError {
			continue
		}
		r.reported[s.Name] = s.LastError
		r.tb.Errorf("at %v: %s failed: %s", r.Elapsed(), s.Name, s.LastError)
	}
}
