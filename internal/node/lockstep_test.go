package node_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// fleetTrace runs 25 nodes at 50 Hz that talk to each other, think, call, fail and
// restart, and returns a hash of every message with its time.
func fleetTrace(t *testing.T, seed uint64) string {
	t.Helper()
	hash := sha256.New()
	messages := 0
	x := newTapped(node.Options{Seed: seed}, func(s *bus.Sample) {
		messages++
		fmt.Fprintln(hash, s.At.UnixNano(), s.Topic, string(s.JSON()))
	})
	var specs []node.Spec
	for i := range 25 {
		specs = append(specs, spec(fmt.Sprint("node ", i), node.Stage(i%6), plain{func(c *node.Context) error {
			p, own := bus.NewPublisher(c, words), bus.NewPublisher(c, topicOf(i))
			r := bus.NewReader(c, topicOf((i+1)%25))
			rng := c.Rand("behaviour")
			caller := bus.NewCaller(c, ask)
			if i == 7 {
				bus.Serve(c, ask, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
					return stdsrvs.TriggerResponse{Message: fmt.Sprint(rng.IntN(1000))}, nil
				})
			}
			bus.Subscribe(c, topicOf((i+5)%25), func(m std.Float64) {
				if m.Data > 0.85 {
					c.Fail(errors.New("too much"))
				}
				if m.Data < 0.05 {
					p.Publish(text(fmt.Sprint(c.Name(), " heard ", m.Data)))
				}
			})
			c.Every(20*ms, func(time.Time) {
				v, _, _ := r.Get()
				own.Publish(std.Float64{Data: (v.Data + rng.Float64()) / 2})
				switch rng.IntN(10) {
				case 0:
					node.Go(c, 7*ms, func(context.Context) (float64, error) { return v.Data, nil },
						func(v float64, _ error) { own.Publish(std.Float64{Data: v}) })
				case 1:
					caller.Call(stdsrvs.TriggerRequest{}, 50*ms, func(resp stdsrvs.TriggerResponse, err error) {
						p.Publish(text(fmt.Sprint(c.Name(), " was told ", resp.Message, " ", err)))
					})
				}
			})
			return nil
		}}))
	}
	must(t, x.start(specs...))
	x.advance(4 * time.Second)
	must(t, x.stop())
	restarts := 0
	for _, s := range x.nodes() {
		restarts += s.Restarts
	}
	if messages < 5000 || restarts == 0 {
		t.Fatalf("%d messages and %d restarts are no test", messages, restarts)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func topicOf(i int) *bus.Topic[std.Float64] {
	return bus.NewTopic[std.Float64](fmt.Sprintf("/n%02d", i), bus.Queue(4), "a number")
}

func TestSameSeedSameTrace(t *testing.T) {
	first := fleetTrace(t, 7)
	if other := fleetTrace(t, 8); other == first {
		t.Error("another seed gives the same trace")
	}
	for _, procs := range []int{1, 2, 16} {
		before := runtime.GOMAXPROCS(procs)
		for range 2 {
			if again := fleetTrace(t, 7); again != first {
				t.Errorf("another trace at GOMAXPROCS=%d", procs)
			}
		}
		runtime.GOMAXPROCS(before)
	}
}

func TestRunForIsExact(t *testing.T) {
	x := newLockstep(node.Options{})
	ticks := 0
	began := x.exec.Now()
	must(t, x.start(setup("clockwork", func(c *node.Context) { c.Every(20*ms, func(time.Time) { ticks++ }) })))
	for _, step := range []struct {
		d    time.Duration
		want int
	}{
		{20*ms - 1, 0}, {1, 1}, {0, 1}, {20 * ms, 2}, {40 * ms, 4}, {19 * ms, 4}, {ms, 5},
	} {
		if x.advance(step.d); ticks != step.want {
			t.Errorf("at %v: %d ticks, want %d", x.exec.Now().Sub(began), ticks, step.want)
		}
	}
	if d := x.exec.Now().Sub(began); d != 100*ms || !x.b.Now().Equal(x.exec.Now()) {
		t.Errorf("it is %v on the executor and %v on the bus, want 100ms", d, x.b.Now().Sub(began))
	}
}

// TestOneInstantIsOrderedBySequence has what becomes ready and what is due take turns in the order in which they were made.
func TestOneInstantIsOrderedBySequence(t *testing.T) {
	x := newLockstep(node.Options{})
	var j journal
	must(t, x.start(setup("a", func(c *node.Context) {
		c.After(10*ms, func(time.Time) {
			j.add("timer 1")
			c.Post(func() { j.add("post of timer 1") })
			c.After(0, func(time.Time) { j.add("timer of timer 1") })
		})
		c.After(10*ms, func(time.Time) { j.add("timer 2") })
	}), setup("b", func(c *node.Context) { c.After(10*ms, func(time.Time) { j.add("timer of b") }) })))
	x.advance(10 * ms)
	want := []string{"timer 1", "timer 2", "timer of b", "post of timer 1", "timer of timer 1"}
	if diff := cmp.Diff(want, j.all()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestRunUntil(t *testing.T) {
	x := newLockstep(node.Options{})
	began := x.exec.Now()
	ticks := 0
	must(t, x.start(setup("clockwork", func(c *node.Context) { c.Every(20*ms, func(time.Time) { ticks++ }) })))
	if !x.exec.RunUntil(func() bool { return ticks == 3 }, time.Second) || x.exec.Now().Sub(began) != 60*ms {
		t.Errorf("%d ticks after %v, want 3 after 60ms", ticks, x.exec.Now().Sub(began))
	}
	if x.exec.RunUntil(func() bool { return ticks == 100 }, 50*ms) || x.exec.Now().Sub(began) != 110*ms {
		t.Errorf("%d ticks after %v, want 5 after 110ms", ticks, x.exec.Now().Sub(began))
	}
	if !x.exec.RunUntil(func() bool { return true }, time.Second) || x.exec.Now().Sub(began) != 110*ms {
		t.Error("time passed although it was done")
	}
}

func TestJumpMovesTheClockAndNotTheTimers(t *testing.T) {
	x := newLockstep(node.Options{})
	began := x.exec.Now()
	var seen []time.Duration
	must(t, x.start(setup("clockwork", func(c *node.Context) {
		c.Every(20*ms, func(now time.Time) {
			seen = append(seen, now.Sub(began))
			if !now.Equal(c.Bus().Now()) {
				t.Errorf("the bus says %v at %v", c.Bus().Now(), now)
			}
			if len(seen) == 3 {
				c.After(5*ms, func(now time.Time) { seen = append(seen, now.Sub(began)) })
			}
		})
	})))
	x.advance(30 * ms)
	x.exec.Jump(-time.Hour)
	x.advance(30 * ms)
	x.exec.Jump(2 * time.Hour)
	x.advance(30 * ms)
	want := []time.Duration{20 * ms, 40*ms - time.Hour, 60*ms - time.Hour, 65*ms + time.Hour, 80*ms + time.Hour}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("ticks (-want +got):\n%s", diff)
	}
}

func TestRunnersAreRefused(t *testing.T) {
	x := newLockstep(node.Options{})
	err := x.start(spec("gateway", node.StageGateway, running{}))
	if err == nil || err.Error() != "gateway: needs real time and cannot run in lockstep" {
		t.Errorf("error %v", err)
	}
}

func TestNodesThatStopTimeFail(t *testing.T) {
	x := newLockstep(node.Options{})
	spin := setup("spin", func(c *node.Context) {
		var again func()
		again = func() { c.Post(again) }
		c.After(10*ms, func(time.Time) { again() })
	})
	spin.Policy = node.Halt
	ticks := 0
	must(t, x.start(spin, setup("other", func(c *node.Context) { c.Every(20*ms, func(time.Time) { ticks++ }) })))
	x.advance(100 * ms)
	if got := x.halted(); len(got) != 1 || !strings.HasPrefix(got[0], "spin: 100000 events happened at one instant; post ") {
		t.Errorf("halted: %q", got)
	}
	if ticks != 5 {
		t.Errorf("the other node ticked %d times, want 5", ticks)
	}
}

func TestNodesMayComeLater(t *testing.T) {
	x := newLockstep(node.Options{})
	var j journal
	must(t, x.start(spec("first", node.StageBody, stopping{last: func(time.Time) { j.add("first stops") }})))
	x.advance(10 * ms)
	must(t, x.start(spec("second", node.StageBody, stopping{last: func(time.Time) { j.add("second stops") }})))
	if err := x.start(setup("bad", func(*node.Context) { panic("no") })); err == nil {
		t.Error("the bad one was started")
	}
	x.advance(10 * ms)
	must(t, x.stop())
	if diff := cmp.Diff([]string{"second stops", "first stops"}, j.all()); diff != "" || len(x.nodes()) != 2 {
		t.Errorf("%d nodes, stopped (-want +got):\n%s", len(x.nodes()), diff)
	}
	x.advance(time.Second)
	if diff := cmp.Diff(2, len(j.all())); diff != "" {
		t.Errorf("something ran after the stop: %q", j.all())
	}
}

func TestStoppedTimersAreFreed(t *testing.T) {
	x := newLockstep(node.Options{})
	answered := 0
	must(t, x.start(setup("server", func(c *node.Context) {
		bus.Serve(c, ask, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) { return stdsrvs.TriggerResponse{}, nil })
		caller := bus.NewCaller(c, ask)
		c.Every(ms, func(time.Time) { // each call arms a deadline that is far away
			caller.Call(stdsrvs.TriggerRequest{}, time.Hour, func(stdsrvs.TriggerResponse, error) { answered++ })
		})
	})))
	x.advance(time.Second)
	if n := x.exec.Timers(); n != 1 || answered != 1000 {
		t.Errorf("%d timers are armed after %d calls, want the one of the node", n, answered)
	}
}

func TestTimersOfADeadInstanceAreFreed(t *testing.T) {
	x := newLockstep(node.Options{})
	must(t, x.start(setup("lidar", func(c *node.Context) {
		for range 10 {
			c.After(time.Hour, func(time.Time) { t.Error("a timer of the dead") })
		}
		c.Post(func() { panic("no light") })
	})))
	x.advance(time.Minute)
	if n := x.exec.Timers(); n != 1 {
		t.Errorf("%d timers are armed, want the one of the restart", n)
	}
}

func TestHandlersAreCountedInVirtualTime(t *testing.T) {
	x := newLockstep(node.Options{})
	must(t, x.start(setup("talker", func(c *node.Context) {
		p := bus.NewPublisher(c, words)
		bus.Subscribe(c, words, func(std.String) {})
		c.Every(20*ms, func(time.Time) { p.Publish(text("tick")) })
	})))
	x.advance(100 * ms)
	if s := x.b.Graph().Topics[0].Subscribers[0]; s.Handler.Runs != 5 || s.Handler.Total != 0 {
		t.Errorf("%+v, want 5 runs in no time", s.Handler)
	}
}
