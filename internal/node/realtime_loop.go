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
// A loop that found nothing to do sets parked and waits; whoever has something for it
// then sends one token on wake. While the loop is busy, pushing costs no channel
// operation. It waits on as few channels as it can: each one more costs every message
// that wakes it.
type realtimeLoop struct {
	record *realtimeNode
	node   Node
	ctx    *Context
	life   context.Context //nolint:containedctx // it is the life of the instance
	cancel context.CancelFunc

	queue  mailbox.Queue
	parked atomic.Bool
	wake   chan struct{}

	failed atomic.Pointer[error]

	workers sync.WaitGroup // Run and the work of Go

	// owned by the loop
	take    *mailbox.Loop
	timers  timerHeap
	seq     uint64
	alarm   *time.Timer
	alarmAt time.Time // when the alarm rings, zero when it does not
}

func newRealtimeLoop(ctx context.Context, n *realtimeNode, made Node) *realtimeLoop {
	l := &realtimeLoop{record: n, node: made, wake: make(chan struct{}, 1)}
	l.life, l.cancel = context.WithCancel(ctx)
	l.take = mailbox.NewLoop(&l.queue)
	l.ctx = newContext(n.spec.Name, n.exec.opts, l)
	return l
}

func (l *realtimeLoop) now() time.Time { return time.Now() }

func (l *realtimeLoop) ready(item *mailbox.Item) {
	l.queue.Push(item)
	l.rouse()
}

// rouse makes a parked loop look around. It never blocks. Any goroutine may call it.
func (l *realtimeLoop) rouse() {
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

func (l *realtimeLoop) fail(err error) {
	l.failed.CompareAndSwap(nil, &err) // the first one counts
	l.rouse()
}

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
func (l *realtimeLoop) run() error {
	l.alarm = time.NewTimer(time.Hour)
	defer l.alarm.Stop()
	defer context.AfterFunc(l.life, l.rouse)()
	if p := guard(l.spin); p != nil {
		return p
	}
	if l.life.Err() == nil {
		return *l.failed.Load()
	}
	return errors.Join(guard(l.drain), lastWord(l.node, l.now()))
}

// toEnd reports whether the instance is to end.
func (l *realtimeLoop) toEnd() bool { return l.failed.Load() != nil || l.life.Err() != nil }

// spin runs what is ready and waits for more until the instance is to end.
func (l *realtimeLoop) spin() {
	for !l.toEnd() {
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
}

// park waits until there may be something to do.
func (l *realtimeLoop) park() {
	l.parked.Store(true)
	if !l.queue.Empty() || l.toEnd() { // it came before parked was set
		l.unpark()
		return
	}
	if len(l.timers.timers) == 0 {
		<-l.wake
		return
	}
	l.setAlarm()
	select {
	case <-l.wake:
	case <-l.alarm.C:
		l.alarmAt = time.Time{}
		l.unpark()
	}
}

// unpark leaves without a token; when somebody has just decided to send one, it takes it.
func (l *realtimeLoop) unpark() {
	if !l.parked.CompareAndSwap(true, false) {
		<-l.wake
	}
}

// setAlarm makes the alarm ring when the next timer is due. One that rings too early does no harm.
func (l *realtimeLoop) setAlarm() {
	if t := l.timers.first(); !t.at.Equal(l.alarmAt) {
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
