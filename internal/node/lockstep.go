package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sarathi/internal/clock"
	"sarathi/internal/mailbox"
)

// maxInstant bounds the events of one instant of virtual time: handlers that wake
// each other for ever would hang the simulation.
const maxInstant = 100_000

// Lockstep runs all nodes in the caller's goroutine in virtual time. What happens is
// ordered by (time, sequence) alone; urgent items go first. Handlers take no virtual
// time. No other goroutine may touch it, its bus or its nodes.
//
// Nodes that are Runners need real time and are refused.
type Lockstep struct {
	opts       Options
	clock      *clock.Manual
	nodes      []*lockstepNode
	supervisor *lockstepLoop
	timers     timerHeap
	ready      fifo
	urgent     fifo
	began      time.Time     // time at the start
	time       time.Time     // orders events; never goes back
	offset     time.Duration // of the clock that nodes see, see Jump
	seq        uint64
	instant    int // events since time last passed
	onHalt     func(name string, err error)
	stopped    bool
}

// NewLockstep returns an executor without nodes. clk is the clock that the bus was
// made with; it shows the starting time and is driven by the executor from now on.
func NewLockstep(o Options, clk *clock.Manual) *Lockstep {
	l := &Lockstep{opts: o, clock: clk, began: clk.Now(), time: clk.Now()}
	l.supervisor = l.newLoop(&lockstepNode{exec: l, spec: Spec{Name: "supervisor"}}, nil)
	return l
}

// OnHalt sets what is told when a node with policy Halt failed. The others go on.
func (l *Lockstep) OnHalt(fn func(name string, err error)) { l.onHalt = fn }

// lockstepNode is the supervisor's record of one node.
type lockstepNode struct {
	exec     *Lockstep
	spec     Spec
	loop     *lockstepLoop // present instance
	state    State
	backoff  backoff
	restarts int
	lastErr  string
}

// lockstepLoop is one instance of a node. When it has ended, what it left in the queues is passed over.
type lockstepLoop struct {
	exec    *Lockstep
	record  *lockstepNode
	node    Node
	ctx     *Context
	since   time.Time
	ended   bool
	failure error // set by fail, handled after the current event
}

type event struct {
	loop *lockstepLoop
	item *mailbox.Item
	seq  uint64
}

// fifo is a queue of ready items that reuses its memory.
type fifo struct {
	events []event
	head   int
}

func (f *fifo) push(e event) { f.events = append(f.events, e) }

func (f *fifo) peek() (event, bool) {
	if f.head == len(f.events) {
		return event{}, false
	}
	return f.events[f.head], true
}

func (f *fifo) pop() {
	f.events[f.head] = event{}
	f.head++
	if f.head == len(f.events) {
		f.events, f.head = f.events[:0], 0
	}
}

// Start makes and prepares all nodes, and when none refused sets them up, stage by
// stage. On an error (all refusals at once, or the first set-up that failed) nothing
// of these nodes is left. It may be called again with further nodes, which then stop
// before the earlier ones.
func (l *Lockstep) Start(specs ...Spec) error {
	var (
		errs  []error
		nodes []*lockstepNode
		made  []Node
	)
	for _, s := range byStage(specs) {
		m, err := buildForLockstep(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Name, err))
			continue
		}
		nodes, made = append(nodes, &lockstepNode{exec: l, spec: s}), append(made, m)
	}
	ready := 0
	for ready < len(nodes) && len(errs) == 0 {
		if err := nodes[ready].launch(made[ready]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", nodes[ready].spec.Name, err))
			made[ready] = nil // launch has given it back
			break
		}
		ready++
	}
	if len(errs) > 0 {
		for _, m := range slices.Backward(made[ready:]) {
			errs = append(errs, giveBack(m))
		}
		errs = append(errs, l.stop(nodes[:ready]))
		return errors.Join(errs...)
	}
	l.nodes = append(l.nodes, nodes...)
	return nil
}

func buildForLockstep(s Spec) (Node, error) {
	made, err := s.build(context.Background())
	if _, ok := made.(Runner); ok && err == nil {
		return nil, errors.Join(errors.New("needs real time and cannot run in lockstep"), giveBack(made))
	}
	return made, err
}

// launch sets up a new instance of the node, or leaves nothing of it.
func (n *lockstepNode) launch(made Node) error {
	n.state = Starting
	loop := n.exec.newLoop(n, made)
	err := setUp(made, loop.ctx)
	if err == nil {
		err = loop.failure // by Fail or by the work of Go
	}
	if err != nil {
		return errors.Join(err, loop.end())
	}
	n.loop = loop
	n.state = Running
	return nil
}

func (l *Lockstep) newLoop(record *lockstepNode, made Node) *lockstepLoop {
	loop := &lockstepLoop{exec: l, record: record, node: made, since: l.time}
	loop.ctx = newContext(record.spec.Name, l.opts, loop)
	return loop
}

func (n *lockstepLoop) now() time.Time { return n.exec.time.Add(n.exec.offset) }

func (n *lockstepLoop) ready(item *mailbox.Item) {
	n.exec.seq++
	e := event{loop: n, item: item, seq: n.exec.seq}
	if item.Urgent() {
		n.exec.urgent.push(e)
		return
	}
	n.exec.ready.push(e)
}

func (n *lockstepLoop) start(t *Timer, d time.Duration) {
	t.at, t.loop = n.exec.time.Add(d), n
	n.exec.arm(t)
}

func (l *Lockstep) arm(t *Timer) {
	l.seq++
	t.seq = l.seq
	l.timers.add(t)
}

func (n *lockstepLoop) work(cost time.Duration, fn func(context.Context), done func()) {
	if err := guard(func() { fn(context.Background()) }); err != nil {
		n.fail(err)
		return
	}
	n.ctx.After(cost, func(time.Time) { done() })
}

func (n *lockstepLoop) fail(err error) {
	if n.failure == nil {
		n.failure = err
	}
}

// Elapsed returns the virtual time since the executor was made. Unlike Now it never jumps.
func (l *Lockstep) Elapsed() time.Duration { return l.time.Sub(l.began) }

// Now returns the time that nodes see.
func (l *Lockstep) Now() time.Time { return l.time.Add(l.offset) }

// Jump moves the clock that nodes see by d, as a clock that is corrected does. Timers keep their pace.
func (l *Lockstep) Jump(d time.Duration) {
	l.offset += d
	l.clock.Set(l.Now())
}

// RunFor runs everything that happens within d of virtual time, the end included.
func (l *Lockstep) RunFor(d time.Duration) {
	l.RunUntil(func() bool { return false }, d)
}

// RunUntil runs one event after the other until done reports true, and returns true.
// When everything within limit of virtual time has happened, it returns false.
func (l *Lockstep) RunUntil(done func() bool, limit time.Duration) bool {
	l.instant = 0
	end := l.time.Add(limit)
	for !done() {
		if !l.step(end) {
			l.setTime(end)
			return false
		}
	}
	return true
}

func (l *Lockstep) setTime(t time.Time) {
	if t.After(l.time) {
		l.time, l.instant = t, 0
		l.clock.Set(l.Now())
	}
}

// step runs the next event not after end, and reports whether there was one.
func (l *Lockstep) step(end time.Time) bool {
	if e, ok := l.urgent.peek(); ok {
		l.urgent.pop()
		e.loop.run(e.item)
		return true
	}
	due := l.timers.first()
	if due != nil && due.at.After(end) {
		due = nil
	}
	if e, ok := l.ready.peek(); ok && (due == nil || due.at.After(l.time) || e.seq < due.seq) {
		l.ready.pop()
		e.loop.run(e.item)
		return true
	}
	if due == nil {
		return false
	}
	l.fire(due)
	return true
}

func (l *Lockstep) fire(t *Timer) {
	l.setTime(t.at)
	t.Stop()
	if t.period > 0 {
		t.at = t.at.Add(t.period)
		l.arm(t)
	}
	t.loop.run(t.item)
}

// run runs one item of an instance that is up, and handles its failure.
func (n *lockstepLoop) run(item *mailbox.Item) {
	if n.ended {
		return
	}
	if n.exec.instant++; n.exec.instant > maxInstant {
		n.fail(fmt.Errorf("%d events happened at one instant; %s is among what repeats itself", maxInstant, item.Label()))
		n.exec.instant = 0
	} else if err := guard(item.Run); err != nil {
		n.fail(err)
	}
	item.Record(0)
	if n.failure != nil {
		n.record.failed(n)
	}
}

// end takes everything of the instance off the bus and gives back what it took.
func (n *lockstepLoop) end() error {
	n.ended = true
	n.ctx.undo()
	timers := &n.exec.timers
	for _, t := range slices.Clone(timers.timers) {
		if t.loop == n {
			t.Stop()
		}
	}
	return giveBack(n.node)
}

// failed applies the policy after a failure of the present instance.
func (n *lockstepNode) failed(loop *lockstepLoop) {
	err := errors.Join(loop.failure, loop.end())
	n.note(err)
	if n.spec.Policy == Halt {
		n.state = Halted
		if n.exec.onHalt != nil {
			n.exec.onHalt(n.spec.Name, err)
		}
		return
	}
	n.again(n.backoff.after(n.exec.time.Sub(loop.since)))
}

// note books and logs a failure.
func (n *lockstepNode) note(err error) {
	n.lastErr = err.Error()
	logFailure(newLogger(n.spec.Name, n.exec.opts, n.exec.Now), err, n.spec.Policy)
}

// again schedules a restart, on a loop that outlives the instances.
func (n *lockstepNode) again(wait time.Duration) {
	n.state = BackingOff
	n.exec.supervisor.ctx.After(wait, func(time.Time) {
		if n.state != BackingOff {
			return // stopped meanwhile
		}
		n.restarts++
		made, err := buildForLockstep(n.spec)
		if err == nil {
			err = n.launch(made)
		}
		if err != nil {
			n.note(err)
			n.again(n.backoff.after(0))
		}
	})
}

// Stop stops the nodes in reverse order, running what each one's last word causes at
// the present instant. The error names those that failed while they stopped. It may
// be called again.
func (l *Lockstep) Stop() error {
	if l.stopped {
		return nil
	}
	l.stopped = true
	l.supervisor.end() //nolint:errcheck // it took nothing that could be given back
	return l.stop(l.nodes)
}

func (l *Lockstep) stop(nodes []*lockstepNode) error {
	var errs []error
	for _, n := range slices.Backward(nodes) {
		l.instant = 0
		for l.step(l.time) {
		}
		switch n.state {
		case Running:
		case BackingOff:
			n.state = Ended
			continue
		default:
			continue
		}
		n.state = Ended
		if err := errors.Join(lastWord(n.loop.node, l.Now()), n.loop.end()); err != nil {
			n.lastErr = err.Error()
			errs = append(errs, fmt.Errorf("%s: %w", n.spec.Name, err))
		}
	}
	for l.step(l.time) {
	}
	return errors.Join(errs...)
}

// Timers returns how many timers are armed.
func (l *Lockstep) Timers() int { return l.timers.Len() }

// Nodes describes the nodes, in starting order.
func (l *Lockstep) Nodes() []Stats {
	out := make([]Stats, len(l.nodes))
	for i, n := range l.nodes {
		out[i] = Stats{
			Name: n.spec.Name, Stage: n.spec.Stage, State: n.state, Restarts: n.restarts,
			LastError: n.lastErr,
		}
	}
	return out
}
