package node

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sarathi/internal/bus"
)

// Node is one actor. Setup declares its publishers, subscriptions, timers and
// services; it must not block, do I/O or start goroutines. It runs on the loop.
type Node interface{ Setup(*Context) error }

// Runner is implemented by nodes with I/O of their own: bodies and gateways. Run
// blocks until ctx ends or the edge is lost, and returns only after everything it
// started has stopped. It reaches the node's state solely through Context.Post. A
// return before ctx ended is a failure.
type Runner interface {
	Run(ctx context.Context) error
}

// Preparer is implemented by nodes that need something from outside which may be
// refused: a port, a device, a folder. Prepare takes it before any node is set up, so
// that a refusal leaves nothing half-started; its ctx ends after 5 s. Close gives it
// back; it is called once for each successful Prepare, after Run has returned.
type Preparer interface {
	Prepare(ctx context.Context) error
	Close() error
}

// Stopper is implemented by nodes that must say a last word, such as a zero
// velocity. Stop runs on the loop when the node is stopped in order, after everything
// that was ready (the last words of later stages among it) and before the node's
// subscriptions and publishers end. It does not run after a failure.
type Stopper interface{ Stop(now time.Time) }

// Stage orders start and stop.
type Stage int

// Stages in starting order.
const (
	StageBody Stage = iota
	StageControl
	StagePerception
	StageNavigation
	StageBehaviour
	StageGateway
	stages
)

// String returns the stage's name.
func (s Stage) String() string {
	names := [...]string{"body", "control", "perception", "navigation", "behaviour", "gateway"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("stage %d", int(s))
	}
	return names[s]
}

// Policy says what happens after a node failed.
type Policy int

const (
	// Restart makes the node anew after a back-off of 100 ms that doubles up to 5 s.
	Restart Policy = iota
	// Halt ends the program in order, with the robot stopped: for nodes whose state must not be guessed.
	Halt
)

// Options configures an executor.
type Options struct {
	Bus  *bus.Bus
	Seed uint64       // of the nodes' random sources
	Log  slog.Handler // nil discards
}

// State tells how a node is doing.
type State int

// States of a node.
const (
	Starting State = iota
	Running
	BackingOff // failed, will be restarted
	Halted     // failed, stays down
	Ended      // stopped in order
)

// String returns the state in words.
func (s State) String() string {
	switch s {
	case Starting:
		return "starting"
	case Running:
		return "running"
	case BackingOff:
		return "backing off"
	case Halted:
		return "halted"
	case Ended:
		return "ended"
	default:
		return fmt.Sprintf("state %d", int(s))
	}
}

// Stats describes one node for introspection.
type Stats struct {
	Name      string
	Stage     Stage
	State     State
	Restarts  int
	LastError string // of the last failure, "" before the first
	Skipped   uint64 // timer ticks left out because the loop was late
}

const (
	backoffFirst = 100 * time.Millisecond
	backoffLimit = 5 * time.Second
	healthyAfter = 10 * time.Second // running that long resets the back-off
)

// backoff is the supervisor's memory of one node's failures.
type backoff struct{ next time.Duration }

// after returns how long to wait after a failure that followed ran of running.
func (b *backoff) after(ran time.Duration) time.Duration {
	if b.next == 0 || ran >= healthyAfter {
		b.next = backoffFirst
	}
	wait := b.next
	b.next = min(2*b.next, backoffLimit)
	return wait
}
