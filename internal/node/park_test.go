package node

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/mailbox"
)

type empty struct{}

func (empty) Setup(*Context) error { return nil }

// TestAlarmAndWakeAtOnce puts the loop between the two steps of a publisher that wakes
// it, and has its alarm ring there. A token that stayed behind would block a publisher
// later, which must never happen.
func TestAlarmAndWakeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exec := NewRealtime(Options{Bus: bus.New(bus.Options{Clock: clock.Real{}})})
		l := newRealtimeLoop(context.Background(), &realtimeNode{exec: exec, spec: Spec{Name: "mux"}}, empty{})
		defer l.cancel()
		l.alarm = time.NewTimer(2 * time.Hour)
		l.ctx.After(time.Hour, func(time.Time) {})
		back := false
		go func() { l.park(); back = true }()
		synctest.Wait()

		item := mailbox.NewItem("/scan", false, func() {})
		item.Claim()
		l.queue.Push(item)
		if !l.parked.CompareAndSwap(true, false) {
			t.Fatal("the loop is not parked")
		}
		time.Sleep(time.Hour) // of the bubble's clock: the alarm rings
		if synctest.Wait(); back {
			t.Fatal("the loop did not wait for the token")
		}
		l.wake <- struct{}{}
		if synctest.Wait(); !back || len(l.wake) != 0 || l.parked.Load() {
			t.Errorf("back %v, %d tokens left, parked %v", back, len(l.wake), l.parked.Load())
		}
	})
}
