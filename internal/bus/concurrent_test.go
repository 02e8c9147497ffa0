package bus_test

import (
	"fmt"
	"sync"
	"testing"

	"sarathi/internal/bus"
	"sarathi/msg/std"
)

// TestLatecomersWhilePublishing has nodes come while a latched topic is published:
// each sees values that only grow, none twice, and in the end the last one.
func TestLatecomersWhilePublishing(t *testing.T) {
	const rounds, comers = 1500, 8
	w := newWorld(t)
	p := bus.NewPublisher(w.client("talker"), latched)
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 1; n <= rounds; n++ {
			say(p, float64(n))
		}
	})
	for i := range comers {
		c := w.client(fmt.Sprint("late ", i))
		wg.Go(func() {
			last := map[string]float64{}
			see := func(who string, v float64) {
				if v <= last[who] {
					t.Errorf("%s saw %v after %v", who, v, last[who])
				}
				last[who] = v
			}
			bus.Subscribe(c, latched, func(m std.Float64) { see("handler", m.Data) })
			bus.SubscribeRaw(c, "/latched", 1, func(s *bus.Sample) { see("raw handler", s.Message().(*std.Float64).Data) })
			r := bus.NewReader(c, latched)
			for read := 0.0; last["handler"] < rounds || last["raw handler"] < rounds || read < rounds; {
				c.Drain()
				v, _, ok := r.Get()
				if ok && v.Data < read {
					t.Errorf("read %v after %v", v.Data, read)
				}
				read = v.Data
			}
		})
	}
	wg.Wait() // a comer that missed the last message would hang here
}

// TestLatchedTopicWithSeveralPublishers ends with the same last value everywhere.
func TestLatchedTopicWithSeveralPublishers(t *testing.T) {
	const publishers, rounds = 4, 2000
	w := newWorld(t)
	c := w.client("listener")
	handle, got := keep()
	bus.Subscribe(c, latched, handle)
	var wg sync.WaitGroup
	for i := range publishers {
		p := bus.NewPublisher(w.client(fmt.Sprint("talker ", i)), latched)
		wg.Go(func() {
			for n := range rounds {
				say(p, float64(i*rounds+n))
			}
		})
	}
	wg.Wait()
	c.Drain()
	late := w.client("late")
	lateHandle, lateGot := keep()
	bus.Subscribe(late, latched, lateHandle)
	late.Drain()
	if len(*got) == 0 || len(*lateGot) != 1 {
		t.Fatalf("listener got %v, latecomer %v", *got, *lateGot)
	}
	n, _ := bus.NewMeter(c, latched).Count()
	if n != publishers*rounds {
		t.Errorf("%d messages were counted, want %d", n, publishers*rounds)
	}
}

// TestTypedNodeComesWhileRawPublishes loses no message to the change from the raw to the typed side.
func TestTypedNodeComesWhileRawPublishes(t *testing.T) {
	const rounds = 200
	for range 50 {
		w := newWorld(t)
		p := advertise(t, w.client("browser"), "/latched", "", std.Float64Type, bus.Latched)
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := 1; n <= rounds; n++ {
				if err := p.Publish(&std.Float64{Data: float64(n)}); err != nil {
					t.Error(err)
				}
			}
		})
		c := w.client("node")
		last := 0.0
		bus.Subscribe(c, latched, func(m std.Float64) {
			if m.Data <= last {
				t.Errorf("%v came after %v", m.Data, last)
			}
			last = m.Data
		})
		wg.Wait()
		if c.Drain(); last != rounds {
			t.Fatalf("the last value is %v, want %d", last, rounds)
		}
	}
}

// TestComingAndGoingWhilePublishing is for the race detector, and counts what is left.
func TestComingAndGoingWhilePublishing(t *testing.T) {
	const rounds = 500
	w := newWorld(t)
	stop := make(chan struct{})
	var publishers, others sync.WaitGroup
	for i := range 2 {
		p := bus.NewPublisher(w.client(fmt.Sprint("talker ", i)), queued)
		publishers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					say(p, 1)
				}
			}
		})
	}
	for i := range 2 {
		c := w.client(fmt.Sprint("node ", i))
		others.Go(func() {
			for range rounds {
				a := bus.Subscribe(c, queued, func(std.Float64) {})
				b := bus.SubscribeRaw(c, "/queued", 2, func(s *bus.Sample) { s.JSON() })
				w.Graph()
				c.Drain()
				a.Cancel()
				b.Cancel()
			}
		})
	}
	others.Wait()
	close(stop)
	publishers.Wait()
	if s := w.Graph().Topics[0]; len(s.Subscribers) != 0 || len(s.Publishers) != 2 {
		t.Errorf("%d subscribers and %d publishers are left, want 0 and 2", len(s.Subscribers), len(s.Publishers))
	}
}
