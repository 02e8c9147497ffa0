package node_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// The contract of both executors: what runs, when, and on whose loop.

func TestHandlersRunOneAtATime(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var inside bool
		var runs int
		handle := func(c *node.Context) {
			if inside {
				t.Error("a handler runs inside another")
			}
			inside = true
			c.Post(func() { runs++ })
			x.spend(ms)
			inside = false
		}
		var specs []node.Spec
		for _, name := range []string{"a", "b"} {
			specs = append(specs, setup(name, func(c *node.Context) {
				p, q := bus.NewPublisher(c, words), bus.NewPublisher(c, numbers)
				c.Every(10*ms, func(time.Time) { p.Publish(text(name)); q.Publish(std.Float64{Data: 1}) })
			}))
		}
		specs = append(specs, setup("listener", func(c *node.Context) {
			p := bus.NewPublisher(c, halt)
			bus.Subscribe(c, words, func(std.String) { handle(c); p.Publish(std.Empty{}) })
			bus.Subscribe(c, numbers, func(std.Float64) { handle(c) })
			bus.Subscribe(c, halt, func(std.Empty) { handle(c) }, bus.Urgent())
			c.Every(20*ms, func(time.Time) { handle(c) })
		}))
		must(t, x.start(specs...))
		x.advance(101 * ms)
		must(t, x.stop())
		if runs < 45 { // 20 words, 20 halts, 5 ticks, and at least some numbers
			t.Errorf("%d handlers ran", runs)
		}
	})
}

func TestTimers(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		must(t, x.start(setup("clockwork", func(c *node.Context) {
			began := c.Now()
			note := func(what string) func(time.Time) {
				return func(now time.Time) {
					if !now.Equal(c.Now()) {
						t.Errorf("%s was given %v at %v", what, now, c.Now())
					}
					j.add("%s at %v", what, now.Sub(began))
				}
			}
			c.Every(20*ms, note("tick"))
			c.After(30*ms, note("once"))
			c.After(0, note("soon"))
			c.After(-time.Hour, note("at once"))
			c.After(10*ms, note("never")).Stop()
			cancel := c.AfterFunc(10*ms, func() { j.add("cancelled") })
			var short *node.Timer
			n := 0
			short = c.Every(5*ms, func(now time.Time) {
				note("short")(now)
				if n++; n == 2 {
					short.Stop()
					short.Stop()
					c.After(33*ms, note("nested"))
				}
				cancel()
			})
		})))
		x.advance(50 * ms)
		want := []string{
			"soon at 0s", "at once at 0s", "short at 5ms", "short at 10ms", "tick at 20ms", "once at 30ms", "tick at 40ms", "nested at 43ms",
		}
		if diff := cmp.Diff(want, j.all()); diff != "" {
			t.Errorf("fired (-want +got):\n%s", diff)
		}
	})
}

func TestANearTimerIsArmedWhileAFarOneWaits(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		must(t, x.start(
			setup("talker", func(c *node.Context) {
				p := bus.NewPublisher(c, words)
				c.After(10*ms, func(time.Time) { p.Publish(text("go")) })
			}),
			setup("listener", func(c *node.Context) {
				began := c.Now()
				note := func(now time.Time) { j.add("%v", now.Sub(began)) }
				c.Every(time.Hour, note)
				bus.Subscribe(c, words, func(std.String) { c.After(5*ms, note) })
			}),
		))
		x.advance(time.Hour)
		if diff := cmp.Diff([]string{"15ms", "1h0m0s"}, j.all()); diff != "" {
			t.Errorf("fired (-want +got):\n%s", diff)
		}
	})
}

func TestEveryNeedsAPeriod(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		err := x.start(setup("hasty", func(c *node.Context) { c.Every(0, func(time.Time) {}) }))
		if err == nil || err.Error() != "hasty: panic: node: Every needs a positive period" {
			t.Errorf("error %v", err)
		}
	})
}

func TestPostKeepsItsOrder(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		must(t, x.start(setup("poster", func(c *node.Context) {
			c.Post(func() {
				j.add("first")
				c.Post(func() { j.add("third") })
			})
			c.Post(func() { j.add("second") })
			j.add("setup")
		})))
		x.advance(0)
		if diff := cmp.Diff([]string{"setup", "first", "second", "third"}, j.all()); diff != "" {
			t.Errorf("ran (-want +got):\n%s", diff)
		}
	})
}

func TestGoComesBackToTheLoop(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		must(t, x.start(setup("thinker", func(c *node.Context) {
			began := c.Now()
			answer := func(v int, err error) { j.add("%d, %v at %v", v, err, c.Now().Sub(began)) }
			think := func(v int, cost time.Duration, err error) {
				node.Go(c, cost, func(ctx context.Context) (int, error) {
					x.spend(cost)
					return v, errors.Join(err, ctx.Err())
				}, answer)
			}
			think(42, 50*ms, nil)
			think(0, 20*ms, errors.New("no path"))
			c.Every(30*ms, func(time.Time) { j.add("tick") }) // goes on meanwhile
		})))
		x.advance(60 * ms)
		if diff := cmp.Diff([]string{"0, no path at 20ms", "tick", "42, <nil> at 50ms", "tick"}, j.all()); diff != "" {
			t.Errorf("came back (-want +got):\n%s", diff)
		}
	})
}

func TestUrgentGoesBeforeAllThatWaits(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		must(t, x.start(setup("mux", func(c *node.Context) {
			p, q := bus.NewPublisher(c, words), bus.NewPublisher(c, halt)
			bus.Subscribe(c, words, func(m std.String) { j.add("word %s", m.Data) })
			bus.Subscribe(c, halt, func(std.Empty) { j.add("halt") }, bus.Urgent())
			c.After(10*ms, func(time.Time) {
				j.add("first timer")
				p.Publish(text("a"))
				p.Publish(text("b"))
				c.Post(func() { j.add("post") })
				q.Publish(std.Empty{})
			})
			c.After(10*ms, func(time.Time) { j.add("second timer") }) // is due when the halt comes
		})))
		x.advance(20 * ms)
		got := j.all()
		if len(got) != 6 || got[0] != "first timer" || got[1] != "halt" {
			t.Errorf("ran %q, want the halt right after the handler that said it", got)
		}
	})
}

func TestRandDependsOnSeedNameAndPurpose(t *testing.T) {
	draws := map[string][]uint64{}
	underBoth(t, func(t *testing.T, x executor) {
		must(t, x.start(setup("sensor", func(c *node.Context) {
			draws[t.Name()] = []uint64{
				c.Rand("noise").Uint64(), c.Rand("noise").Uint64(), c.Rand("slip").Uint64(),
			}
		}), setup("other", func(c *node.Context) { draws[t.Name()+" other"] = []uint64{c.Rand("noise").Uint64()} })))
	})
	l, r := draws[t.Name()+"/lockstep"], draws[t.Name()+"/realtime"]
	if diff := cmp.Diff(l, r); diff != "" {
		t.Errorf("the executors differ (-lockstep +realtime):\n%s", diff)
	}
	if l[0] != l[1] || l[0] == l[2] || l[0] == draws[t.Name()+"/lockstep other"][0] {
		t.Errorf("drawn %v, and %v by another node", l, draws[t.Name()+"/lockstep other"])
	}
	x := newLockstep(node.Options{Seed: 8})
	must(t, x.start(setup("sensor", func(c *node.Context) {
		if c.Rand("noise").Uint64() == l[0] {
			t.Error("another seed gives the same numbers")
		}
	})))
}

func TestCallerIsRestartedWhileItsCallIsInFlight(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		var replies []func(stdsrvs.TriggerResponse, error)
		instance := 0
		must(t, x.start(
			spec("server", node.StageBody, plain{func(c *node.Context) error {
				bus.ServeAsync(c, ask, func(_ stdsrvs.TriggerRequest, reply func(stdsrvs.TriggerResponse, error)) {
					replies = append(replies, reply)
					c.After(200*ms, func(time.Time) { reply(stdsrvs.TriggerResponse{}, nil) })
				})
				return nil
			}}),
			setup("caller", func(c *node.Context) {
				instance++
				id := instance
				bus.NewCaller(c, ask).Call(stdsrvs.TriggerRequest{}, time.Second, func(_ stdsrvs.TriggerResponse, err error) {
					j.add("instance %d: %v", id, err)
				})
				if id == 1 {
					c.After(50*ms, func(time.Time) { c.Fail(errors.New("lost")) })
				}
			}),
		))
		x.advance(time.Second)
		if diff := cmp.Diff([]string{"instance 2: <nil>"}, j.all()); diff != "" || len(replies) != 2 {
			t.Errorf("%d requests, answered (-want +got):\n%s", len(replies), diff)
		}
	})
}

func TestContext(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		must(t, x.start(setup("control_mux_node", func(c *node.Context) {
			if c.Name() != "control_mux_node" || c.Bus() != x.bus() || !c.Now().Equal(x.bus().Now()) || c.Log() == nil {
				t.Errorf("context of %s at %v", c.Name(), c.Now())
			}
		})))
		must(t, x.stop())
	})
}
