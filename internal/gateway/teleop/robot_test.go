package teleop_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sarathi/driver"
	"sarathi/internal/algo/arbitration"
	"sarathi/internal/body/host"
	"sarathi/internal/bus"
	"sarathi/internal/clock"
	gateway "sarathi/internal/gateway/teleop"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/nodes/controlmux"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/std"
	"sarathi/teleop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how long a test waits for what should happen at once.
const limit = 10 * time.Second

// body is a robot body that does what it is told and tells the test.
type body struct {
	commands chan driver.Velocity // what it was told, when there is room
	mu       sync.Mutex
	last     driver.Velocity
	at       time.Time // of the last one
	skills   []string
	sink     driver.Sink
}

func (b *body) Capabilities() driver.Capabilities {
	return driver.Capabilities{
		Kind: "go2", Drive: driver.Holonomic, DOF: 3, Skills: []string{driver.SkillStandUp, driver.SkillSitDown, "wave"},
		Streams: []driver.Stream{driver.StreamOdometry}, Units: driver.Units{Len: "m", Ang: "rad"}, Frame: "odom",
		Limits: driver.Limits{VX: 1, VY: 1, WZ: 1.5}, RateHz: 50,
	}
}

func (b *body) Start(_ time.Time, out driver.Sink) error {
	b.sink = out
	return nil
}

func (b *body) Command(now time.Time, v driver.Velocity) error {
	b.mu.Lock()
	b.last, b.at = v, now
	b.mu.Unlock()
	select {
	case b.commands <- v:
	default:
	}
	return nil
}

func (b *body) Skill(_ time.Time, r driver.SkillRequest) error {
	b.mu.Lock()
	b.skills = append(b.skills, r.Name)
	b.mu.Unlock()
	b.sink.SkillResult(driver.SkillResult{ReqID: r.ReqID, Status: driver.SkillAccepted})
	b.sink.SkillResult(driver.SkillResult{ReqID: r.ReqID, Status: driver.SkillDone})
	return nil
}

func (b *body) EStop(time.Time, string)       {}
func (b *body) Release(time.Time) error       { return nil }
func (b *body) Cancel(time.Time, string)      {}
func (b *body) velocity() (v driver.Velocity) { b.mu.Lock(); defer b.mu.Unlock(); return b.last }
func (b *body) toldAt() time.Time             { b.mu.Lock(); defer b.mu.Unlock(); return b.at }

// Run reports that the body is there, until it ends.
func (b *body) Run(ctx context.Context) error {
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			b.sink.Publish(driver.StreamOdometry, nav.NewOdometry())
		case <-ctx.Done():
			return nil
		}
	}
}

// fixture stands for the nodes that are not there: it publishes and serves what a test wants.
type fixture struct {
	setup  func(c *node.Context)
	ctx    *node.Context
	asked  chan geometry.Twist // what the gateway asked for, when there is room; nil: it does not listen
	estops chan string
}

func (f *fixture) Setup(c *node.Context) error {
	f.ctx = c
	if f.asked != nil {
		bus.Subscribe(c, topics.HandheldCmdVel, func(v geometry.Twist) {
			select {
			case f.asked <- v:
			default:
			}
		})
	}
	bus.Subscribe(c, topics.EStopRequest, func(m std.String) { f.estops <- m.Data })
	if f.setup != nil {
		f.setup(c)
	}
	return nil
}

// robot is a running robot with a gateway.
type robot struct {
	t       *testing.T
	bus     *bus.Bus
	exec    *node.Realtime
	gateway *gateway.Node
	body    *body
	fixture *fixture
	stop    func()
}

// config listens on free ports for both dialects.
func config() gateway.Config {
	c := gateway.DefaultConfig()
	c.Bind, c.TokenEnv = "127.0.0.1", ""
	c.Molly, c.Pashupati = gateway.Socket{Enabled: true}, gateway.Socket{Enabled: true}
	c.TelemetryHz = 50
	return c
}

func newRobot(tb testing.TB, cfg gateway.Config, setup func(c *node.Context)) *robot {
	tb.Helper()
	return startRobot(tb, cfg, &fixture{setup: setup, asked: make(chan geometry.Twist, 1024), estops: make(chan string, 16)})
}

func startRobot(tb testing.TB, cfg gateway.Config, f *fixture) *robot {
	tb.Helper()
	r := &robot{
		bus:     bus.New(bus.Options{Clock: clock.Real{}, RobotNS: "molly"}),
		body:    &body{commands: make(chan driver.Velocity, 1)},
		fixture: f,
	}
	r.t, _ = tb.(*testing.T)
	if err := r.bus.Declare(topics.Topics(), topics.Services()); err != nil {
		tb.Fatal(err)
	}
	r.exec = node.NewRealtime(node.Options{Bus: r.bus})
	control := controlmux.DefaultConfig()
	control.Field.Enabled = false
	outline := geom.Polygon{{X: 0.35, Y: 0.2}, {X: -0.35, Y: 0.2}, {X: -0.35, Y: -0.2}, {X: 0.35, Y: -0.2}}
	limits := geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5}
	err := r.exec.Start(context.Background(),
		node.Spec{Name: host.Name, Stage: node.StageBody, New: func() (node.Node, error) { return host.New(host.DefaultConfig(), r.body) }},
		node.Spec{Name: controlmux.Name, Stage: node.StageControl, Policy: node.Halt, New: func() (node.Node, error) {
			return controlmux.New(control, arbitration.Body{Limits: limits, Footprint: outline}, "base_link")
		}},
		node.Spec{Name: "fixture", Stage: node.StageBehaviour, New: func() (node.Node, error) { return r.fixture, nil }},
		node.Spec{Name: gateway.Name, Stage: node.StageGateway, New: func() (node.Node, error) {
			n, err := gateway.New(cfg, gateway.Deps{Name: "Molly One", Limits: limits})
			r.gateway = n
			return n, err
		}})
	if err != nil {
		tb.Fatal(err)
	}
	r.stop = sync.OnceFunc(func() {
		if err := r.exec.Stop(); err != nil {
			tb.Error(err)
		}
	})
	tb.Cleanup(r.stop)
	return r
}

// await waits for a channel.
func await[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(limit):
		t.Fatalf("nothing came: %s", what)
		panic("unreachable")
	}
}

// handheld is a connected client.
type handheld struct {
	*teleop.Handheld
	t      *testing.T
	events chan teleop.Event // without what is only valid during the call
	leave  func()
}

// connect runs a handheld until the test ends, and waits until it is welcome.
func (r *robot) connect(d *teleop.Dialect, change ...func(*teleop.ClientConfig)) *handheld {
	r.t.Helper()
	cfg := teleop.DefaultClientConfig()
	cfg.Name = "phone"
	for _, f := range change {
		f(&cfg)
	}
	h := &handheld{t: r.t, events: make(chan teleop.Event, 4096)}
	var err error
	h.Handheld, err = teleop.Dial(r.t.Context(), d, r.gateway.Addr(d.Name).String(), cfg, func(e teleop.Event) {
		select {
		case h.events <- copied(e):
		default:
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() {
		if err := h.Run(ctx); err != nil {
			r.t.Error(err)
		}
	})
	h.leave = sync.OnceFunc(func() {
		cancel()
		run.Wait()
	})
	r.t.Cleanup(h.leave)
	h.until("a state", func(s teleop.Snapshot) bool { return s.Connected && s.State != nil })
	return h
}

// copied keeps what an event lends.
func copied(e teleop.Event) teleop.Event {
	e.JPEG = append([]byte(nil), e.JPEG...)
	e.Points = append([]teleop.LidarPoint(nil), e.Points...)
	return e
}

// until waits until what the handheld knows is as wanted.
func (h *handheld) until(what string, ok func(teleop.Snapshot) bool) teleop.Snapshot {
	h.t.Helper()
	late := time.After(limit)
	for {
		s := h.Snapshot()
		if ok(s) {
			return s
		}
		select {
		case <-h.events:
		case <-late:
			h.t.Fatalf("waiting for %s; state %+v", what, s.State)
		}
	}
}

// do runs a command and returns its ack.
func (h *handheld) do(name string, args teleop.Args) teleop.Ack {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), limit)
	defer cancel()
	a, err := h.Command(ctx, name, args)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// must runs a command that has to succeed.
func (h *handheld) must(name string, args teleop.Args) teleop.Ack {
	h.t.Helper()
	a := h.do(name, args)
	if !a.OK {
		h.t.Fatalf("%s: %s", name, a.Msg)
	}
	return a
}

func remote() teleop.Args { return teleop.Args{{Name: "mode", Value: teleop.Text("remote")}} }

// publish advertises a topic in the fixture's name and publishes a message.
func publish[T any](c *node.Context, t *bus.Topic[T], v T) *bus.Publisher[T] {
	p := bus.NewPublisher(c, t)
	p.Publish(v)
	return p
}
