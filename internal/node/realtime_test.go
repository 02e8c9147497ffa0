package node_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

func TestRunnerThatReturnsIsRestarted(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		var runs atomic.Int32
		var c *node.Context
		must(t, x.start(spec("body", node.StageBody, running{
			plain: plain{func(ctx *node.Context) error { c = ctx; return nil }},
			run: func(ctx context.Context) error {
				switch runs.Add(1) {
				case 1:
					return errors.New("connection lost")
				case 2:
					return nil
				case 3:
					panic("bad frame")
				}
				<-ctx.Done()
				return ctx.Err()
			},
		})))
		for _, want := range []string{"connection lost", "run returned although nobody asked it to", "panic: bad frame"} {
			for began := time.Now(); stats(t, x, "body").LastError != want; x.advance(10 * ms) {
				if time.Since(began) > time.Second {
					t.Fatalf("never failed by %q", want)
				}
			}
		}
		x.advance(time.Second)
		if s := stats(t, x, "body"); s.State != node.Running || s.Restarts != 3 {
			t.Errorf("%+v", s)
		}
		must(t, x.stop())
		c.Post(func() { t.Error("a post ran after the end") })
	})
}

func TestPostFromOtherGoroutines(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		const senders, rounds = 4, 500
		var last [senders]int // owned by the loop
		var c *node.Context
		must(t, x.start(spec("gateway", node.StageGateway, running{
			plain: plain{func(ctx *node.Context) error { c = ctx; return nil }},
			run: func(ctx context.Context) error {
				var wg sync.WaitGroup
				for s := range senders {
					wg.Go(func() {
						for n := 1; n <= rounds; n++ {
							c.Post(func() {
								if n != last[s]+1 {
									t.Errorf("sender %d: %d came after %d", s, n, last[s])
								}
								last[s] = n
							})
						}
					})
				}
				wg.Wait()
				<-ctx.Done()
				return nil
			},
		})))
		x.advance(ms)
		must(t, x.stop())
		for s, n := range last {
			if n != rounds {
				t.Errorf("sender %d: %d of %d posts ran", s, n, rounds)
			}
		}
	})
}

func TestALoopThatIsHopelesslyBehindFails(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		must(t, x.start(setup("slow", func(c *node.Context) {
			c.Post(func() {
				for range 70_000 {
					c.Post(func() {})
				}
			})
		})))
		x.advance(10 * ms)
		if s := stats(t, x, "slow"); s.LastError != "the loop is hopelessly behind: 65536 posts wait" {
			t.Errorf("%+v", s)
		}
	})
}

func TestLateTicksAreSkippedAndCounted(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		var j journal
		must(t, x.start(setup("controller", func(c *node.Context) {
			began := c.Now()
			c.Every(20*ms, func(now time.Time) {
				at := now.Sub(began)
				j.add("%v", at)
				if at == 40*ms {
					time.Sleep(50 * ms) // of the bubble's clock: a handler that takes too long
				}
			})
		})))
		x.advance(140 * ms)
		// The tick of 60 ms fires late, that of 80 ms is left out, and the rhythm stays.
		if diff := cmp.Diff([]string{"20ms", "40ms", "90ms", "100ms", "120ms", "140ms"}, j.all()); diff != "" {
			t.Errorf("ticks (-want +got):\n%s", diff)
		}
		if s := stats(t, x, "controller"); s.Skipped != 1 {
			t.Errorf("%d skipped, want 1", s.Skipped)
		}
	})
}

func TestStopNamesWhoIsLate(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		lag := func(d time.Duration) node.Node {
			return running{run: func(ctx context.Context) error { <-ctx.Done(); time.Sleep(d); return nil }}
		}
		said := false
		must(t, x.start(
			spec("slow", node.StageGateway, lag(time.Second)),
			spec("slower", node.StageGateway, lag(2*time.Second)),
			spec("quick", node.StageGateway, lag(200*ms)),
			spec("mux", node.StageControl, stopping{last: func(time.Time) { said = true }}),
		))
		began := time.Now()
		err := x.stop()
		if err == nil || err.Error() != "stage gateway: slow, slower did not stop within 300ms" {
			t.Errorf("error %v", err)
		}
		if d := time.Since(began); d != 300*ms || !said {
			t.Errorf("stopped after %v, the mux has said its last word: %v", d, said)
		}
		x.advance(2 * time.Second) // those who are late end after all
	})
}

func TestSetupThatBlocksIsNamed(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		began := time.Now()
		err := x.start(
			setup("blocked", func(*node.Context) { time.Sleep(6 * time.Second) }),
			spec("later", node.StageGateway, plain{func(*node.Context) error { t.Error("was set up"); return nil }}),
		)
		if err == nil || !strings.HasPrefix(err.Error(), "blocked: set-up takes longer than 5s") {
			t.Errorf("error %v", err)
		}
		if d := time.Since(began); d != 5*time.Second+300*ms {
			t.Errorf("refused after %v", d)
		}
		x.advance(time.Second)
	})
}

func TestWorkEndsWithItsNode(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		ended := false
		must(t, x.start(setup("planner", func(c *node.Context) {
			node.Go(c, 0, func(ctx context.Context) (int, error) {
				<-ctx.Done()
				ended = true
				return 0, nil
			}, func(int, error) { t.Error("done ran after the end") })
		})))
		x.advance(10 * ms)
		if must(t, x.stop()); !ended {
			t.Error("the stop did not wait for the work")
		}
	})
}

func TestShutdownAnswersWhatIsInFlight(t *testing.T) {
	inBubble(t, node.Options{}, func(t *testing.T, x *realtime) {
		must(t, x.start(setup("server", func(c *node.Context) {
			bus.ServeAsync(c, ask, func(stdsrvs.TriggerRequest, func(stdsrvs.TriggerResponse, error)) {})
		})))
		answer := make(chan error, 1)
		go func() {
			_, err := bus.Call(t.Context(), x.b, ask, stdsrvs.TriggerRequest{})
			answer <- err
		}()
		synctest.Wait()
		must(t, x.stop())
		if err := <-answer; bus.CodeOf(err) != bus.Stopped {
			t.Errorf("answered %v, want stopped", err)
		}
	})
}

func TestFailuresAreLoggedOnceWithTheExecutorsTime(t *testing.T) {
	var log bytes.Buffer
	options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "stack" {
			a.Value = slog.BoolValue(strings.Contains(a.Value.String(), "realtime_test.go"))
		}
		return a
	}}
	inBubble(t, node.Options{Log: slog.NewTextHandler(&log, options)}, func(t *testing.T, x *realtime) {
		mux := setup("mux", func(c *node.Context) {
			c.Log().WithGroup("g").With("k", 1).Info("up")
			c.Log().Debug("too detailed")
			c.After(time.Second, func(time.Time) { panic("lost") })
		})
		mux.Policy = node.Halt
		must(t, x.start(mux, setup("lidar", func(c *node.Context) {
			c.After(2*time.Second, func(time.Time) { c.Fail(errors.New("no light")) })
		})))
		x.advance(2050 * ms)
		must(t, x.stop())
	})
	want := `time=2000-01-01T00:00:00.000Z level=INFO msg=up node=mux g.k=1
time=2000-01-01T00:00:01.000Z level=ERROR msg="node failed, the robot is stopped" node=mux error="panic: lost" stack=true
time=2000-01-01T00:00:02.000Z level=ERROR msg="node failed, it will be restarted" node=lidar error="no light"
`
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// TestABusyLoopStopsAndFails has a node that never parks. It runs on the real clock:
// in a bubble time would stand still while it is busy.
func TestABusyLoopStopsAndFails(t *testing.T) {
	x := &realtime{exec: node.NewRealtime(node.Options{Bus: bus.New(bus.Options{Clock: clock.Real{}})})}
	busy := func(c *node.Context, each func()) {
		var again func()
		again = func() { each(); c.Post(again) }
		c.Post(again)
	}
	failing := setup("failing", func(c *node.Context) {
		n := 0
		busy(c, func() {
			if n++; n == 100 {
				c.Fail(errors.New("enough"))
			}
		})
	})
	failing.Policy = node.Halt
	ticked := make(chan struct{}, 1)
	must(t, x.start(failing, setup("busy", func(c *node.Context) {
		busy(c, func() {})
		c.Every(ms, func(time.Time) { // a timer gets its turn
			select {
			case ticked <- struct{}{}:
			default:
			}
		})
	})))
	if err := <-x.exec.Halted(); err.Error() != "failing: enough" {
		t.Errorf("halted by %v", err)
	}
	<-ticked
	must(t, x.stop())
}

// TestManyNodesOnTheRealClock is for the race detector: nodes publish to each other,
// call each other, fail and restart as fast as they can, and then are stopped.
func TestManyNodesOnTheRealClock(t *testing.T) {
	const rounds = 3000
	b := bus.New(bus.Options{Clock: clock.Real{}})
	x := &realtime{exec: node.NewRealtime(node.Options{Bus: b}), b: b}
	done := make(chan struct{})
	var count atomic.Int32
	var specs []node.Spec
	for i := range 4 {
		specs = append(specs, setup(fmt.Sprint("chatter ", i), func(c *node.Context) {
			p, q := bus.NewPublisher(c, words), bus.NewPublisher(c, state)
			caller := bus.NewCaller(c, ask)
			r := bus.NewReader(c, numbers)
			bus.Subscribe(c, words, func(m std.String) {
				switch n := count.Add(1); {
				case n == rounds:
					close(done)
				case n == 50 && i == 1:
					panic("once")
				}
				p.Publish(m)
				q.Publish(m)
				r.Get()
			})
			bus.Subscribe(c, state, func(std.String) {
				caller.Call(stdsrvs.TriggerRequest{}, time.Second, func(stdsrvs.TriggerResponse, error) {})
			})
			bus.SubscribeRaw(c, "/words", 4, func(s *bus.Sample) { s.CDR() })
			c.Every(ms, func(time.Time) { p.Publish(text("tick")) })
		}))
	}
	specs = append(specs, setup("server", func(c *node.Context) {
		p := bus.NewPublisher(c, numbers)
		bus.Serve(c, ask, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
			p.Publish(std.Float64{Data: 1})
			return stdsrvs.TriggerResponse{}, nil
		})
	}))
	must(t, x.start(specs...))
	<-done
	b.Graph()
	x.nodes()
	must(t, x.stop())
	if g := b.Graph(); len(g.Topics)+len(g.Services) != 0 {
		t.Errorf("left on the bus: %+v", g)
	}
}

func TestPublishToHandlerAllocatesNothing(t *testing.T) {
	b := bus.New(bus.Options{Clock: clock.Real{}})
	x := &realtime{exec: node.NewRealtime(node.Options{Bus: b})}
	handled := make(chan float64)
	var p *bus.Publisher[geometry.Twist]
	must(t, x.start(
		setup("talker", func(c *node.Context) { p = bus.NewPublisher(c, velocity) }),
		setup("listener", func(c *node.Context) {
			bus.Subscribe(c, velocity, func(m geometry.Twist) { handled <- m.Linear.X })
			c.Every(time.Hour, func(time.Time) {})
		}),
	))
	m := geometry.Twist{Linear: geometry.Vector3{X: 1}}
	allocs := testing.AllocsPerRun(1000, func() {
		p.Publish(m)
		<-handled
	})
	if must(t, x.stop()); allocs != 0 {
		t.Errorf("%v allocations per message, want 0", allocs)
	}
}

var velocity = bus.NewTopic[geometry.Twist]("/cmd_vel", bus.Latest, "velocity")
