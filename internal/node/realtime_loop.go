package node

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/internal/mailbox"
)

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
	life   context.Context // ends with the instance
	cancel context.CancelFunc

	queue  mailbox.Queue
	parked atomic.Bool
	wake   chan struct{}

	failOnce sync.Once
	failed   chan error

	workers sync.WaitGroup // Run and the work of Go

	// owned by the loop
	take   *mailbox.Loop
	timers timerHeap
	seq    uint64
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

func (l *realtimeLoop) start(t *Timer) {
	l.seq++
	t.seq = l.seq
	heap.Push(&l.timers, t)
}

func (l *realtimeLoop) work(_ time.Duration, fn func(context.Context), done func()) {
	l.workers.Go(func() {
		if err := guard(func() { fn(l.life) }); err != nil {
			l.fail(err)
			return
		}
		l.ctx.Post(done)
	})
}

func (l *realtimeLoop) fail(err error) { l.failOnce.Do(func() { l.failed <- err }) }

// setup sets the node up and starts its Run.
func (l *realtimeLoop) setup() error {
	var err error
	if p := guard(func() { err = l.node.Setup(l.ctx) }); p != nil {
		return p
	}
	if err != nil {
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
func (l *realtimeLoop) run() error {
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		var err error
		if p := guard(func() { err = l.spin(alarm) }); p != nil {
			return p
		}
		switch {
		case errors.Is(err, context.Canceled):
			return l.lastWord()
		case err != nil:
			return err
		}
	}
}

// lastWord lets a node that stops in order say it.
func (l *realtimeLoop) lastWord() error {
	s, ok := l.node.(Stopper)
	if !ok {
		return nil
	}
	return guard(func() { s.Stop(l.now()) })
}

// spin runs what is ready and waits for more until the instance is to end.
func (l *realtimeLoop) spin(alarm *time.Timer) error {
	for {
		wait, fired := l.fireTimer()
		if i := l.take.Next(); i != nil {
			l.runItem(i)
			fired = true
		}
		if l.life.Err() != nil {
			return context.Canceled
		}
		if fired {
			continue
		}
		l.parked.Store(true)
		if !l.queue.Empty() && l.parked.CompareAndSwap(true, false) {
			continue
		}
		alarm.Reset(wait)
		select {
		case <-l.wake:
		case <-alarm.C:
			l.unpark()
		case err := <-l.failed:
			return err
		case <-l.life.Done():
			return context.Canceled
		}
	}
}

// unpark leaves the wait without a token; when somebody has just decided to send one, it is taken.
func (l *realtimeLoop) unpark() {
	if !l.parked.CompareAndSwap(true, false) {
		<-l.wake
	}
}

func (l *realtimeLoop) runItem(i *mailbox.Item) {
	began := time.Now()
	i.Run()
	i.Record(time.Since(began))
}

// fireTimer runs one timer that is due, or returns the wait until the next.
func (l *realtimeLoop) fireTimer() (wait time.Duration, fired bool) {
	const idle = time.Hour
	for len(l.timers) > 0 {
		t := l.timers[0]
		if t.stopped {
			heap.Pop(&l.timers)
			continue
		}
		now := time.Now()
		if wait := t.at.Sub(now); wait > 0 {
			return wait, false
		}
		heap.Pop(&l.timers)
		if t.period > 0 {
			l.record.skipped.Add(t.advance(now))
			l.start(t)
		}
		l.runItem(t.item)
		return 0, true
	}
	return idle, false
}

// end waits for everything that the instance started, and takes it off the bus.
func (l *realtimeLoop) end() error {
	l.cancel()
	l.ctx.undo()
	l.workers.Wait()
	if p, ok := l.node.(Preparer); ok {
		if err := p.Close(); err != nil {
			return fmt.Errorf("close: %w", err)
		}
	}
	return nil
}
