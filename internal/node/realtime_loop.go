package node

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/internal/mailbox"
)

// maxLastItems bounds what a loop still runs when it is told to stop.
const maxLastItems = 1000

// realtimeLoop is one instance of a node on its goroutine.
//
//	publishers, calls ──► queue ──┐
//	timers ───────────────────────┼──► loop ──► handlers of the node
//	Run, Go ──► Post ──► queue ───┘
//
// A loop that found its queue empty sets parked and waits; whoever pushes then sends
// one token on wake. While the loop is busy, pushing costs no channel operation.
type realtimeLoop struct {
	record *realtimeNode
	node   Node
	ctx    *Context
	life   context.Context //nolint:containedctx // it is the life of the instance
	cancel context.CancelFunc

	queue  mailbox.Queue
	parked atomic.Bool
	wake   chan struct{}

	failOnce sync.Once
	failed   chan error

	workers sync.WaitGroup // Run and the work of Go

	// owned by the loop
	take    *mailbox.Loop
	timers  timerHeap
	seq     uint64
	alarm   *time.Timer
	alarmAt time.Time // when the alarm rings, zero when it does not
}

func newRealtimeLoop(ctx context.Context, n *realtimeNode, made Node) *realtimeLoop {
	l := &realtimeLoop{record: n, node: made, wake: make(chan struct{}, 1), failed: make(chan error, 1)}
	l.life, l.cancel = context.WithCancel(ctx)
	l.take = mailbox.NewLoop(&l.queue)
	l.ctx = newContext(n.spec.Name, n.exec.opts, l)
	return l
}

func (l *realtimeLoop) now() time.Time { return time.Now() }

func (l *realtimeLoop) ready(item *mailbox.Item) {
	l.queue.Push(item)
	if l.parked.Load() && l.parked.CompareAndSwap(true, false) {
		l.wake <- struct{}{} // buffered; parked lets one in
	}
}

func (l *realtimeLoop) start(t *Timer, d time.Duration) {
	t.at = time.Now().Add(d)
	l.arm(t)
}

func (l *realtimeLoop) arm(t *Timer) {
	l.seq++
	t.seq = l.seq
	l.timers.add(t)
}

func (l *realtimeLoop) work(_ time.Duration, fn func(context.Context), done func()) {
	l.workers.Go(func() {
		if err := guard(func() { fn(l.life) }); err != nil {
			l.fail(err)
			return
		}
		if l.life.Err() == nil { // else fn was called off, and nobody waits for what it has
			l.ctx.Post(done)
		}
	})
}

func (l *realtimeLoop) fail(err error) { l.failOnce.Do(func() { l.failed <- err }) }

// setup sets the node up and starts its Run.
func (l *realtimeLoop) setup() error {
	if err := setUp(l.node, l.ctx); err != nil {
		return err
	}
	if r, ok := l.node.(Runner); ok {
		l.workers.Go(func() { l.supervisedRun(r) })
	}
	return nil
}

func (l *realtimeLoop) supervisedRun(r Runner) {
	var err error
	if p := guard(func() { err = r.Run(l.life) }); p != nil {
		err = p
	}
	if l.life.Err() != nil {
		return
	}
	if err == nil {
		err = errors.New("run returned although nobody asked it to")
	}
	l.fail(err)
}

// run runs the loop until the instance is to end, and returns why: nil when it was stopped.
func (l *realtimeLoop) run() (err error) {
	l.alarm = time.NewTimer(time.Hour)
	defer l.alarm.Stop()
	if p := guard(func() { err = l.spin() }); p != nil {
		return p
	}
	if l.life.Err() == nil {
		return err
	}
	return errors.Join(guard(l.drain), lastWord(l.node, l.now()))
}

// spin runs what is ready and waits for more until the instance is to end.
func (l *realtimeLoop) spin() error {
	for l.life.Err() == nil {
		if len(l.failed) > 0 {
			return <-l.failed
		}
		if i := l.take.NextUrgent(); i != nil {
			l.runItem(i)
			continue
		}
		// Timers and the rest take turns.
		fired := l.fireTimer()
		i := l.take.Next()
		if i != nil {
			l.runItem(i)
		}
		if i == nil && !fired {
			l.park()
		}
	}
	return nil
}

// park waits until something may be ready.
func (l *realtimeLoop) park() {
	l.parked.Store(true)
	if !l.queue.Empty() && l.parked.CompareAndSwap(true, false) {
		return
	}
	l.setAlarm()
	select {
	case <-l.wake:
		return
	case <-l.alarm.C:
		l.alarmAt = time.Time{}
	case err := <-l.failed:
		l.failed <- err // spin takes it
	case <-l.life.Done():
	}
	// Leave without a token; when somebody has just decided to send one, take it.
	if !l.parked.CompareAndSwap(true, false) {
		<-l.wake
	}
}

// setAlarm makes the alarm ring when the next timer is due. One that rings too early does no harm.
func (l *realtimeLoop) setAlarm() {
	if t := l.timers.first(); t != nil && !t.at.Equal(l.alarmAt) {
		l.alarm.Reset(time.Until(t.at))
		l.alarmAt = t.at
	}
}

// drain runs what is ready, so that a node that stops has heard the last words of those before it.
func (l *realtimeLoop) drain() {
	for range maxLastItems {
		i := l.take.Next()
		if i == nil {
			return
		}
		l.runItem(i)
	}
}

func (l *realtimeLoop) runItem(i *mailbox.Item) {
	began := time.Now()
	i.Run()
	i.Record(time.Since(began))
}

// fireTimer runs one timer that is due, and reports whether there was one.
func (l *realtimeLoop) fireTimer() bool {
	t := l.timers.first()
	if t == nil {
		return false
	}
	now := time.Now()
	if t.at.After(now) {
		return false
	}
	t.Stop()
	if t.period > 0 {
		l.record.skipped.Add(t.advance(now))
		l.arm(t)
	}
	l.runItem(t.item)
	return true
}

// end waits for everything that the instance started, takes it off the bus, and gives back what it took.
func (l *realtimeLoop) end() error {
	l.cancel()
	l.ctx.undo()
	l.workers.Wait()
	return giveBack(l.node)
}
