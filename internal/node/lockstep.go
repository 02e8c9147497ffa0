package node

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sarathi/internal/clock"
	"sarathi/internal/mailbox"
)

// Lockstep runs all nodes in the caller's goroutine in virtual time. What happens is
// ordered by (time, sequence) alone. Handlers take no virtual time.
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
	time       time.Time     // orders events; never goes back
	offset     time.Duration // of the clock that nodes see, see Jump
	seq        uint64
	onHalt     func(name string, err error)
	stopped    bool
}

// NewLockstep returns an executor without nodes. clk is the clock that the bus was
// made with; it shows the starting time and is driven by the executor from now on.
func NewLockstep(o Options, clk *clock.Manual) *Lockstep {
	l := &Lockstep{opts: o, clock: clk, time: clk.Now()}
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

// Start makes and sets up every node, stage by stage, and returns all errors at once.
func (l *Lockstep) Start(specs ...Spec) error {
	ordered := slices.Clone(specs)
	slices.SortStableFunc(ordered, func(a, b Spec) int { return cmp.Compare(a.Stage, b.Stage) })
	var errs []error
	for _, s := range ordered {
		n := &lockstepNode{exec: l, spec: s}
		l.nodes = append(l.nodes, n)
		if err := n.build(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Name, err))
		}
	}
	return errors.Join(errs...)
}

// build makes a new instance of the node.
func (n *lockstepNode) build() error {
	n.state = Starting
	made, err := n.spec.New()
	if err != nil {
		return err
	}
	if _, ok := made.(Runner); ok {
		return errors.New("needs real time and cannot run in lockstep")
	}
	loop := n.exec.newLoop(n, made)
	var setupErr error
	if err := guard(func() { setupErr = made.Setup(loop.ctx) }); err != nil {
		setupErr = err
	}
	if setupErr != nil {
		loop.end()
		return setupErr
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

func (n *lockstepLoop) start(t *Timer) {
	n.exec.seq++
	t.seq, t.loop = n.exec.seq, n
	t.at = t.at.Add(-n.exec.offset) // the heap is ordered by the executor's own time
	heap.Push(&n.exec.timers, t)
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

// Now returns the time that nodes see.
func (l *Lockstep) Now() time.Time { return l.time.Add(l.offset) }

// Jump moves the clock that nodes see by d, as a clock that is corrected does. Timers keep their pace.
func (l *Lockstep) Jump(d time.Duration) {
	l.offset += d
	l.clock.Set(l.Now())
}

// RunFor runs everything that happens within d of virtual time.
func (l *Lockstep) RunFor(d time.Duration) {
	end := l.time.Add(d)
	for l.step(end) {
	}
	l.time = end
	l.clock.Set(l.Now())
}

// step runs the next event not after end, and reports whether there was one.
func (l *Lockstep) step(end time.Time) bool {
	if e, ok := l.urgent.peek(); ok {
		l.urgent.pop()
		e.loop.run(e.item)
		return true
	}
	var due *Timer
	if len(l.timers) > 0 && !l.timers[0].at.After(end) {
		due = l.timers[0]
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
	if t.at.After(l.time) {
		l.time = t.at
		l.clock.Set(l.Now())
	}
	heap.Pop(&l.timers)
	n := t.loop
	if t.stopped || n.ended {
		return
	}
	if t.period > 0 {
		t.at = t.at.Add(t.period)
		l.seq++
		t.seq = l.seq
		heap.Push(&l.timers, t)
	}
	n.run(t.item)
}

// run runs one item of an instance that is up, and handles its failure.
func (n *lockstepLoop) run(item *mailbox.Item) {
	if n.ended {
		return
	}
	if err := guard(item.Run); err != nil {
		n.fail(err)
	}
	if n.failure != nil {
		n.record.failed(n)
	}
}

// end takes everything of the instance off the bus.
func (n *lockstepLoop) end() {
	n.ended = true
	n.ctx.undo()
}

// failed applies the policy after a failure of the present instance.
func (n *lockstepNode) failed(loop *lockstepLoop) {
	err := loop.failure
	n.lastErr = err.Error()
	logFailure(loop.ctx.log, err, n.spec.Policy)
	loop.end()
	if n.spec.Policy == Halt {
		n.state = Halted
		if n.exec.onHalt != nil {
			n.exec.onHalt(n.spec.Name, err)
		}
		return
	}
	n.again(n.backoff.after(n.exec.time.Sub(loop.since)))
}

// again schedules a restart, on a loop that outlives the instances.
func (n *lockstepNode) again(wait time.Duration) {
	n.state = BackingOff
	n.exec.supervisor.ctx.After(wait, func(time.Time) {
		n.restarts++
		if err := n.build(); err != nil {
			n.lastErr = err.Error()
			n.again(n.backoff.after(0))
		}
	})
}

// Stop stops the nodes stage by stage in reverse order, running what each one's last word causes.
func (l *Lockstep) Stop() {
	if l.stopped {
		return
	}
	l.stopped = true
	for _, n := range slices.Backward(l.nodes) {
		if n.state != Running {
			continue
		}
		if s, ok := n.loop.node.(Stopper); ok {
			if err := guard(func() { s.Stop(l.Now()) }); err != nil {
				n.lastErr = err.Error()
			}
		}
		for l.step(l.time) {
		}
		n.loop.end()
		n.state = Ended
	}
}

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

// timerHeap orders timers by (time, sequence).
type timerHeap []*Timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(*Timer)) }
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return t
}
