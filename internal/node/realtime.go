package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	setupLimit = 5 * time.Second        // for one node's Prepare and for its Setup
	stopLimit  = 300 * time.Millisecond // for one stage
)

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
	first  Node // made by Start, used by the first instance
	cancel context.CancelFunc
	done   chan struct{} // closed when the supervisor of the node has ended

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
// them, stage by stage. On an error, all of which it returns at once, nothing is
// left running.
func (r *Realtime) Start(ctx context.Context, specs ...Spec) error {
	ordered := slices.Clone(specs)
	slices.SortStableFunc(ordered, func(a, b Spec) int { return cmp.Compare(a.Stage, b.Stage) })
	if err := r.prepare(ctx, ordered); err != nil {
		return err
	}
	for i, n := range r.nodes {
		if err := n.launch(); err != nil {
			for _, rest := range r.nodes[i+1:] {
				rest.abandon()
			}
			return errors.Join(fmt.Errorf("%s: %w", n.spec.Name, err), r.Stop())
		}
	}
	return nil
}

// prepare makes all nodes and takes what they need from outside.
func (r *Realtime) prepare(ctx context.Context, ordered []Spec) error {
	var errs []error
	for _, s := range ordered {
		made, err := s.New()
		if err == nil {
			err = prepare(ctx, made)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Name, err))
			continue
		}
		r.nodes = append(r.nodes, &realtimeNode{exec: r, spec: s, first: made, done: make(chan struct{})})
	}
	if len(errs) > 0 {
		for _, n := range r.nodes {
			n.abandon()
		}
	}
	return errors.Join(errs...)
}

func prepare(ctx context.Context, n Node) error {
	p, ok := n.(Preparer)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	return p.Prepare(ctx)
}

// abandon gives back what a node took that was never launched.
func (n *realtimeNode) abandon() {
	if p, ok := n.first.(Preparer); ok {
		if err := p.Close(); err != nil {
			n.fail(err)
		}
	}
	n.state.Store(int32(Ended))
	close(n.done)
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
			made, err = n.remake(ctx)
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
		n.fail(err)
		if n.spec.Policy == Halt || errors.As(err, new(*setupError)) {
			n.state.Store(int32(Halted))
			select {
			case n.exec.halted <- fmt.Errorf("%s: %w", n.spec.Name, err):
			default:
			}
			return
		}
		n.state.Store(int32(BackingOff))
		select {
		case <-ctx.Done():
			n.state.Store(int32(Ended))
			return
		case <-time.After(wait.after(time.Since(began))):
			n.restarts.Add(1)
		}
	}
}

func (n *realtimeNode) remake(ctx context.Context) (Node, error) {
	made, err := n.spec.New()
	if err != nil {
		return nil, err
	}
	return made, prepare(ctx, made)
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
	if ready != nil {
		ready <- err
	}
	switch {
	case err == nil:
		n.state.Store(int32(Running))
		err = l.run()
	case ready != nil:
		err = &setupError{err}
	}
	closeErr := l.end()
	if err != nil && ctx.Err() == nil {
		logFailure(l.ctx.log, err, n.spec.Policy)
	}
	return errors.Join(err, closeErr)
}

// Stop stops the nodes stage by stage in reverse order. A stage that takes longer
// than 300 ms is named in the error and left behind.
func (r *Realtime) Stop() error {
	r.stopOnce.Do(func() {
		var errs []error
		for stage := stages - 1; stage >= 0; stage-- {
			if late := r.stopStage(stage); len(late) > 0 {
				errs = append(errs, fmt.Errorf("stage %s: %s did not stop within %v", stage, strings.Join(late, ", "), stopLimit))
			}
		}
		r.stopErr = errors.Join(errs...)
	})
	return r.stopErr
}

func (r *Realtime) stopStage(stage Stage) (late []string) {
	var waiting []*realtimeNode
	for _, n := range r.nodes {
		if n.spec.Stage == stage && n.cancel != nil {
			n.cancel()
			waiting = append(waiting, n)
		}
	}
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	expired := false
	for _, n := range waiting {
		if !expired {
			select {
			case <-n.done:
				continue
			case <-limit.C:
				expired = true
			}
		}
		select {
		case <-n.done:
		default:
			late = append(late, n.spec.Name)
		}
	}
	return late
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
