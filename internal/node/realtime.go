package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const stopLimit = 300 * time.Millisecond // for one stage

// Realtime runs each node on a goroutine of its own, on the operating system's clock.
type Realtime struct {
	opts   Options
	nodes  []*realtimeNode // in starting order
	halted chan error      // the first failure of a node with policy Halt

	stopOnce sync.Once
	stopErr  error
}

// realtimeNode is the supervisor's record of one node.
type realtimeNode struct {
	exec   *Realtime
	spec   Spec
	log    *slog.Logger
	first  Node // made by Start, used by the first instance
	cancel context.CancelFunc
	done   chan struct{} // closed when the supervisor of the node has ended
	last   error         // what went wrong while it was stopped in order; read after done

	state    atomic.Int32
	restarts atomic.Int32
	skipped  atomic.Uint64
	lastErr  atomic.Pointer[string]
}

// NewRealtime returns an executor without nodes.
func NewRealtime(o Options) *Realtime { return &Realtime{opts: o, halted: make(chan error, 1)} }

// Halted yields the failure of a node with policy Halt. Whoever runs the program then calls Stop.
func (r *Realtime) Halted() <-chan error { return r.halted }

// Start makes and prepares all nodes, and when none refused sets them up and runs
// them, stage by stage. On an error (all refusals at once, or the first set-up that
// failed) nothing is left running. It is called once.
func (r *Realtime) Start(ctx context.Context, specs ...Spec) error {
	if err := r.prepare(ctx, byStage(specs)); err != nil {
		return err
	}
	for i, n := range r.nodes {
		if err := n.launch(); err != nil {
			r.abandon(r.nodes[i+1:])
			return errors.Join(fmt.Errorf("%s: %w", n.spec.Name, err), r.Stop())
		}
	}
	return nil
}

// prepare makes all nodes and takes what they need from outside.
func (r *Realtime) prepare(ctx context.Context, ordered []Spec) error {
	var errs []error
	for _, s := range ordered {
		made, err := s.build(ctx)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Name, err))
			continue
		}
		n := &realtimeNode{exec: r, spec: s, log: newLogger(s.Name, r.opts, time.Now), first: made, done: make(chan struct{})}
		r.nodes = append(r.nodes, n)
	}
	if len(errs) > 0 {
		r.abandon(r.nodes)
	}
	return errors.Join(errs...)
}

// abandon gives back what nodes took that were never launched, in reverse order.
func (r *Realtime) abandon(nodes []*realtimeNode) {
	for _, n := range slices.Backward(nodes) {
		if err := giveBack(n.first); err != nil {
			n.fail(err)
			n.log.Error("node failed while it was given up", reason(err)...)
		}
		n.state.Store(int32(Ended))
		close(n.done)
	}
}

// launch starts the node's supervisor and waits until its first instance is set up.
func (n *realtimeNode) launch() error {
	ctx, cancel := context.WithCancel(context.Background())
	n.cancel = cancel
	ready := make(chan error, 1)
	go n.supervise(ctx, ready)
	select {
	case err := <-ready:
		return err
	case <-time.After(setupLimit):
		return fmt.Errorf("set-up takes longer than %v; it must not block", setupLimit)
	}
}

// supervise runs instance after instance until ctx ends or the policy says otherwise.
func (n *realtimeNode) supervise(ctx context.Context, ready chan<- error) {
	defer close(n.done)
	var wait backoff
	made := n.first
	for {
		n.state.Store(int32(Starting))
		began := time.Now()
		var err error
		if made == nil {
			if made, err = n.spec.build(ctx); err != nil && ctx.Err() == nil {
				n.failed(err)
			}
		}
		if err == nil {
			err = n.runInstance(ctx, made, ready)
			ready = nil
		}
		made = nil
		if ctx.Err() != nil {
			n.state.Store(int32(Ended))
			return
		}
		if _, never := errors.AsType[*setupError](err); never || n.spec.Policy == Halt {
			n.halt(err)
			return
		}
		select {
		case <-ctx.Done():
			n.state.Store(int32(Ended))
			return
		case <-time.After(wait.after(time.Since(began))):
			n.restarts.Add(1)
		}
	}
}

// failed books and logs a failure that happened while nobody wanted the node to end.
func (n *realtimeNode) failed(err error) {
	n.state.Store(int32(BackingOff))
	n.fail(err)
	logFailure(n.log, err, n.spec.Policy)
}

func (n *realtimeNode) halt(err error) {
	n.state.Store(int32(Halted))
	select {
	case n.exec.halted <- fmt.Errorf("%s: %w", n.spec.Name, err):
	default: // the program is being halted already
	}
}

// setupError marks a failure of the very first set-up, which Start reports.
type setupError struct{ err error }

func (e *setupError) Error() string { return e.err.Error() }
func (e *setupError) Unwrap() error { return e.err }

func (n *realtimeNode) fail(err error) {
	text := err.Error()
	n.lastErr.Store(&text)
}

// runInstance runs one instance to its end. ready, when not nil, is told how the set-up went.
func (n *realtimeNode) runInstance(ctx context.Context, made Node, ready chan<- error) error {
	l := newRealtimeLoop(ctx, n, made)
	err := l.setup()
	switch {
	case err == nil:
		n.state.Store(int32(Running))
		if ready != nil {
			ready <- nil
		}
		err = l.run()
	case ready != nil:
		n.fail(err)
		err = &setupError{err}
		defer func() { ready <- err }() // when nothing of it is left
	}
	stopped := ctx.Err() != nil
	_, reported := errors.AsType[*setupError](err)
	if err != nil && !stopped && !reported {
		n.failed(err)
	}
	closing := l.end()
	if closing != nil {
		n.fail(closing)
		n.log.ErrorContext(ctx, "node failed while it ended", reason(closing)...)
	}
	if stopped {
		n.last = errors.Join(err, closing)
	}
	return errors.Join(err, closing)
}

// Stop stops the nodes stage by stage in reverse order, and waits for each stage at
// most 300 ms. The error names the nodes that took longer, which are left behind, and
// those that failed while they stopped.
func (r *Realtime) Stop() error {
	r.stopOnce.Do(func() {
		var errs []error
		for stage := stages - 1; stage >= 0; stage-- {
			late, failed := r.stopStage(stage)
			errs = append(errs, failed...)
			if len(late) > 0 {
				errs = append(errs, fmt.Errorf("stage %s: %s did not stop within %v", stage, strings.Join(late, ", "), stopLimit))
			}
		}
		r.stopErr = errors.Join(errs...)
	})
	return r.stopErr
}

func (r *Realtime) stopStage(stage Stage) (late []string, failed []error) {
	var waiting []*realtimeNode
	for _, n := range r.nodes {
		if n.spec.Stage == stage && n.cancel != nil {
			n.cancel()
			waiting = append(waiting, n)
		}
	}
	limit, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	for _, n := range waiting {
		select {
		case <-n.done:
		case <-limit.Done():
		}
		select {
		case <-n.done: // also when the limit has passed meanwhile
			if n.last != nil {
				failed = append(failed, fmt.Errorf("%s: %w", n.spec.Name, n.last))
			}
		default:
			late = append(late, n.spec.Name)
		}
	}
	return late, failed
}

// Nodes describes the nodes, in starting order.
func (r *Realtime) Nodes() []Stats {
	out := make([]Stats, len(r.nodes))
	for i, n := range r.nodes {
		out[i] = Stats{
			Name: n.spec.Name, Stage: n.spec.Stage, State: State(n.state.Load()),
			Restarts: int(n.restarts.Load()), Skipped: n.skipped.Load(),
		}
		if e := n.lastErr.Load(); e != nil {
			out[i].LastError = *e
		}
	}
	return out
}
