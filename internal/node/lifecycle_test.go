package node_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/msg/std"
)

// The contract of both executors: start, failure, restart, stop.

// stats returns the stats of one node.
func stats(t *testing.T, x executor, name string) node.Stats {
	t.Helper()
	for _, s := range x.nodes() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no node is called %s", name)
	return node.Stats{}
}

func TestRestartBacksOff(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		began := x.bus().Now()
		var starts []time.Duration
		must(t, x.start(setup("lidar", func(c *node.Context) {
			starts = append(starts, c.Now().Sub(began))
			c.Post(func() { panic("no light") })
		})))
		x.advance(22 * time.Second)
		want := []time.Duration{0, 100 * ms, 300 * ms, 700 * ms, 1500 * ms, 3100 * ms, 6300 * ms, 11300 * ms, 16300 * ms, 21300 * ms}
		if diff := cmp.Diff(want, starts); diff != "" {
			t.Errorf("started (-want +got):\n%s", diff)
		}
		s := stats(t, x, "lidar")
		if s.State != node.BackingOff || s.Restarts != 9 || s.LastError != "panic: no light" {
			t.Errorf("%+v", s)
		}
		must(t, x.stop())
		if s := stats(t, x, "lidar"); s.State != node.Ended {
			t.Errorf("after the stop it is %s", s.State)
		}
		x.advance(10 * time.Second)
		if len(starts) != len(want) {
			t.Error("it was restarted after the stop")
		}
	})
}

func TestBackOffBeginsAnewAfterAGoodTime(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		began := x.bus().Now()
		var starts []time.Duration
		must(t, x.start(setup("lidar", func(c *node.Context) {
			starts = append(starts, c.Now().Sub(began))
			life := ms
			if len(starts) == 4 {
				life = 10 * time.Second
			}
			c.After(life, func(time.Time) { c.Fail(errors.New("no light")) })
		})))
		x.advance(12 * time.Second)
		want := []time.Duration{0, 101 * ms, 302 * ms, 703 * ms, 10803 * ms, 11004 * ms, 11405 * ms}
		if diff := cmp.Diff(want, starts); diff != "" {
			t.Errorf("started (-want +got):\n%s", diff)
		}
	})
}

func TestRestartGoesOnWhenMakingFails(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var made atomic.Int32
		must(t, x.start(node.Spec{Name: "camera", New: func() (node.Node, error) {
			n := made.Add(1)
			switch n {
			case 2:
				return nil, errors.New("no device")
			case 3:
				panic("no bus")
			case 4:
				return preparing{take: func(context.Context) error { return errors.New("in use") }}, nil
			}
			return plain{func(c *node.Context) error {
				switch n {
				case 1:
					c.Post(func() { panic("unplugged") })
				case 5:
					return errors.New("bad mode")
				}
				return nil
			}}, nil
		}}))
		for _, want := range []string{"panic: unplugged", "no device", "panic: no bus", "in use", "bad mode"} {
			x.advance(0)
			for stats(t, x, "camera").LastError != want {
				if x.advance(100 * ms); made.Load() > 6 {
					t.Fatalf("never failed by %q", want)
				}
			}
		}
		x.advance(5 * time.Second)
		if s := stats(t, x, "camera"); s.State != node.Running || made.Load() != 6 || s.Restarts != 5 {
			t.Errorf("%+v after %d attempts", s, made.Load())
		}
	})
}

func TestAFailedInstanceIsGone(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		instance := 0
		must(t, x.start(
			setup("talker", func(c *node.Context) {
				p := bus.NewPublisher(c, words)
				c.After(10*ms, func(time.Time) { p.Publish(text("a")); p.Publish(text("b")); p.Publish(text("c")) })
				c.After(500*ms, func(time.Time) { p.Publish(text("d")) })
			}),
			setup("listener", func(c *node.Context) {
				instance++
				id := instance
				var voice *bus.Publisher[std.String]
				c.Own(func() { // the last to be undone
					c.Own(func() { j.add("%d is undone", id) }) // at once, it has ended
					voice.Publish(text("from the grave"))
					bus.Subscribe(c, state, func(m std.String) { j.add("%d heard %s", id, m.Data) })
				})
				voice = bus.NewPublisher(c, state)
				j.add("%d is up", id)
				bus.Subscribe(c, words, func(m std.String) {
					j.add("%d heard %s", id, m.Data)
					if m.Data == "a" {
						c.Fail(errors.New("first"))
						c.Fail(errors.New("second"))
					}
				})
				c.Every(50*ms, func(time.Time) {
					if id == 1 {
						j.add("a timer of the dead")
					}
				})
			}),
		))
		x.advance(time.Second)
		if diff := cmp.Diff([]string{"1 is up", "1 heard a", "1 is undone", "2 is up", "2 heard d"}, j.all()); diff != "" {
			t.Errorf("happened (-want +got):\n%s", diff)
		}
		if s := stats(t, x, "listener"); s.LastError != "first" {
			t.Errorf("failed by %q", s.LastError)
		}
		for _, topic := range x.bus().Graph().Topics {
			if topic.Name == "/state" && (topic.Published != 0 || len(topic.Subscribers) != 0) {
				t.Errorf("of the dead instance there is left: %+v", topic)
			}
		}
	})
}

func TestPanicInWorkFailsTheNode(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		must(t, x.start(setup("planner", func(c *node.Context) {
			c.Post(func() {
				node.Go(c, ms, func(context.Context) (int, error) { panic("no map") }, func(int, error) { t.Error("done ran") })
			})
		})))
		x.advance(10 * ms)
		if s := stats(t, x, "planner"); s.LastError != "panic: no map" || s.State != node.BackingOff {
			t.Errorf("%+v", s)
		}
	})
}

func TestFailWithoutReason(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		must(t, x.start(setup("shy", func(c *node.Context) { c.Post(func() { c.Fail(nil) }) })))
		x.advance(10 * ms)
		if s := stats(t, x, "shy"); s.LastError != "failed without saying why" {
			t.Errorf("%+v", s)
		}
	})
}

func TestHaltIsReported(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		mux := setup("mux", func(c *node.Context) { c.After(10*ms, func(time.Time) { panic("impossible state") }) })
		mux.Policy = node.Halt
		ticks := 0
		must(t, x.start(mux, setup("other", func(c *node.Context) { c.Every(10*ms, func(time.Time) { ticks++ }) })))
		x.advance(100 * ms)
		if diff := cmp.Diff([]string{"mux: panic: impossible state"}, x.halted()); diff != "" {
			t.Errorf("halted (-want +got):\n%s", diff)
		}
		if s := stats(t, x, "mux"); s.State != node.Halted || s.Restarts != 0 {
			t.Errorf("%+v", s)
		}
		if ticks != 10 {
			t.Errorf("the other node ticked %d times, want 10", ticks)
		}
		must(t, x.stop())
		if s := stats(t, x, "mux"); s.State != node.Halted {
			t.Errorf("after the stop the mux is %s", s.State)
		}
	})
}

func TestARefusedStartLeavesNothing(t *testing.T) {
	refuse := errors.New("refused")
	tests := []struct {
		name string
		bad  node.Node // nil: New returns refuse
		want string
	}{
		{"new", nil, "bad: refused"},
		{"set-up", plain{func(*node.Context) error { return refuse }}, "bad: refused"},
		{"set-up panics", plain{func(*node.Context) error { panic(refuse) }}, "bad: panic: refused"},
		{"prepare", preparing{take: func(context.Context) error { return refuse }}, "bad: refused"},
		{"prepare panics", preparing{take: func(context.Context) error { panic(refuse) }}, "bad: panic: refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			underBoth(t, func(t *testing.T, x executor) {
				var j journal
				careful := func(name string) node.Node {
					return preparing{
						plain: plain{func(c *node.Context) error {
							bus.NewPublisher(c, words)
							bus.Subscribe(c, words, func(std.String) {})
							c.Every(ms, func(time.Time) { j.add("%s ticks", name) })
							c.Post(func() {})
							return nil
						}},
						take: func(context.Context) error { j.add("%s takes", name); return nil },
						give: func() error { j.add("%s gives", name); return nil },
					}
				}
				err := x.start(
					spec("late", node.StageGateway, careful("late")),
					node.Spec{Name: "bad", Stage: node.StageControl, New: func() (node.Node, error) {
						if tt.bad == nil {
							return nil, refuse
						}
						return tt.bad, nil
					}},
					spec("early", node.StageBody, careful("early")),
				)
				if err == nil || err.Error() != tt.want || !errors.Is(err, refuse) {
					t.Errorf("error %v, want %s", err, tt.want)
				}
				x.advance(time.Second)
				if diff := cmp.Diff([]string{"early takes", "late takes", "late gives", "early gives"}, j.all()); diff != "" {
					t.Errorf("happened (-want +got):\n%s", diff)
				}
				if g := x.bus().Graph(); len(g.Topics) != 0 {
					t.Errorf("left on the bus: %+v", g.Topics)
				}
				must(t, x.stop())
			})
		})
	}
}

func TestAllRefusalsAreReportedAtOnce(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		err := x.start(
			node.Spec{Name: "nothing", New: func() (node.Node, error) { return nil, nil }},
			spec("port", node.StageGateway, preparing{take: func(context.Context) error { return errors.New("in use") }}),
			spec("good", node.StageBody, preparing{
				take: func(context.Context) error { return nil },
				give: func() error { return errors.New("cannot be undone") },
			}),
		)
		for _, want := range []string{"nothing: the wiring made no node", "port: in use"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
	})
}

func TestEachInstanceTakesAndGivesBack(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		open, taken := 0, 0
		must(t, x.start(spec("port", node.StageGateway, preparing{
			plain: plain{func(c *node.Context) error { c.After(10*ms, func(time.Time) { panic("cut") }); return nil }},
			take: func(ctx context.Context) error {
				if _, limited := ctx.Deadline(); !limited {
					t.Error("Prepare has no deadline")
				}
				open++
				taken++
				return nil
			},
			give: func() error { open--; return nil },
		})))
		x.advance(time.Second)
		must(t, x.stop())
		if open != 0 || taken != 4 {
			t.Errorf("taken %d times, %d are open", taken, open)
		}
	})
}

func TestStopSaysLastWordsInReverseOrder(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		var j journal
		listen := func(name string) plain {
			return plain{func(c *node.Context) error {
				bus.Subscribe(c, words, func(m std.String) { j.add("%s heard %s", name, m.Data) })
				return nil
			}}
		}
		speak := func(name string) stopping {
			n := stopping{plain: listen(name)}
			var p *bus.Publisher[std.String]
			inner := n.setup
			n.setup = func(c *node.Context) error { p = bus.NewPublisher(c, words); return inner(c) }
			n.last = func(time.Time) { j.add("%s stops", name); p.Publish(text("bye of " + name)) }
			return n
		}
		must(t, x.start(
			spec("body", node.StageBody, listen("body")),
			spec("gateway", node.StageGateway, speak("gateway")),
			spec("mux", node.StageControl, speak("mux")),
		))
		x.advance(10 * ms)
		must(t, x.stop())
		must(t, x.stop())
		// What a node hears of its own last word is lost with its subscriptions. Who of two hears first is left open.
		var got []string
		for _, line := range j.all() {
			if !strings.HasPrefix(line, "body heard bye of gateway") {
				got = append(got, line)
			}
		}
		if diff := cmp.Diff([]string{"gateway stops", "mux heard bye of gateway", "mux stops", "body heard bye of mux"}, got); diff != "" {
			t.Errorf("happened (-want +got):\n%s", diff)
		}
		for _, s := range x.nodes() {
			if s.State != node.Ended {
				t.Errorf("%s is %s", s.Name, s.State)
			}
		}
		if g := x.bus().Graph(); len(g.Topics)+len(g.Services) != 0 {
			t.Errorf("left on the bus: %+v", g)
		}
	})
}

func TestFailuresWhileStoppingAreReported(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		closed := false
		must(t, x.start(
			spec("mute", node.StageControl, stopping{last: func(time.Time) { panic("no voice") }}),
			spec("port", node.StageGateway, preparing{
				take: func(context.Context) error { return nil },
				give: func() error { closed = true; return errors.New("stuck") },
			}),
		))
		err := x.stop()
		for _, want := range []string{"mute: panic: no voice", "port: close: stuck"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
		if !closed {
			t.Error("the port was not closed")
		}
	})
}

func TestNoLastWordAfterAFailure(t *testing.T) {
	underBoth(t, func(t *testing.T, x executor) {
		must(t, x.start(spec("mux", node.StageControl, stopping{
			plain: plain{func(c *node.Context) error { c.Post(func() { panic("lost") }); return nil }},
			last:  func(time.Time) { t.Error("said a last word in an unknown state") },
		})))
		x.advance(10 * ms)
		must(t, x.stop())
	})
}

func TestStagesAndStatesInWords(t *testing.T) {
	stages := []string{"body", "control", "perception", "navigation", "behaviour", "gateway", "stage 6"}
	for i, want := range stages {
		if got := node.Stage(i).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for i, want := range []string{"starting", "running", "backing off", "halted", "ended", "state 5"} {
		if got := node.State(i).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
