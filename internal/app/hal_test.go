package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sarathi/hal"
	"sarathi/internal/body/simulated"
	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/internal/nodes/healthmonitor"
	"sarathi/internal/profile"
	"sarathi/internal/scenario"
	"sarathi/internal/topics"
)

// A wire is a network in memory: a listener, and a client that reaches it.
type wire struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newWire() *wire { return &wire{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { w.once.Do(func() { close(w.closed) }); return nil }
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire", Net: "pipe"} }

func (w *wire) client() *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		select {
		case w.conns <- far:
			return near, nil
		case <-w.closed:
			return nil, errors.New("connection refused")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}

// thermometer is the computer of a robot in real time: nodes read it while the scenario heats it.
type thermometer struct {
	mu sync.Mutex
	computer
}

func (c *thermometer) Read(ctx context.Context) (healthmonitor.System, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.computer.Read(ctx)
}

// victim is a node that can be made to panic on its own loop.
type victim struct {
	node.Node
	ctx *node.Context
}

func (v *victim) Setup(c *node.Context) error {
	v.ctx = c
	return v.Node.Setup(c)
}

// linked are the faults of a robot whose body is at the other end of a link.
type linked struct {
	faults
	computer *thermometer
	mu       sync.Mutex
	victims  map[string]*victim
}

// Happen implements scenario.Faults.
func (l *linked) Happen(e scenario.Event) error {
	switch {
	case e.PanicNode != "":
		l.mu.Lock()
		v := l.victims[e.PanicNode]
		l.mu.Unlock()
		if v == nil {
			return fmt.Errorf("there is no node %s", e.PanicNode)
		}
		v.ctx.Post(func() { panic("scenario: panic_node") })
		return nil
	case e.Temperature != nil:
		l.computer.mu.Lock()
		defer l.computer.mu.Unlock()
		l.computer.system.Temp = *e.Temperature
		return nil
	}
	return l.faults.Happen(e)
}

// vulnerable makes every node one that can be made to panic. What a node is besides it stays.
func (l *linked) vulnerable(specs []node.Spec) []node.Spec {
	for i, s := range specs {
		specs[i].New = func() (node.Node, error) {
			n, err := s.New()
			if err != nil {
				return nil, err
			}
			v := &victim{Node: n}
			l.mu.Lock()
			l.victims[s.Name] = v
			l.mu.Unlock()
			stopper, stops := n.(node.Stopper)
			runner, runs := n.(node.Runner)
			preparer, prepares := n.(node.Preparer)
			switch {
			case stops && runs && prepares:
				return struct {
					*victim
					node.Stopper
					node.Runner
					node.Preparer
				}{v, stopper, runner, preparer}, nil
			case runs || prepares:
				return n, nil // no scenario kills a gateway
			case stops:
				return struct {
					*victim
					node.Stopper
				}{v, stopper}, nil
			}
			return v, nil
		}
	}
	return specs
}

// playOverHAL plays a scenario with the robot of the hal profile: the body behind an agent, the stack at the other end of the wire, in the
// virtual time of a bubble. It returns what was expected and did not happen.
func playOverHAL(t *testing.T, path string, s *scenario.Scenario) []string {
	p, err := profile.Load("hal", s.Set)
	if err != nil {
		t.Fatal(err)
	}
	p.Simulated.World = sceneOf(s, path)
	plant, err := newPlant(p, start(s))
	if err != nil {
		t.Fatal(err)
	}
	w := newWire()
	agent, err := hal.NewAgent(simulated.NewDriver(plant), hal.AgentConfig{})
	if err != nil {
		t.Fatal(err)
	}
	serving, hangUp := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- agent.Serve(serving, w) }()
	cfg := p.Controller()
	cfg.HTTP = w.client()
	controller, err := hal.NewController(cfg)
	if err != nil {
		t.Fatal(err)
	}
	const linkDelay = 20 * time.Millisecond // a period of telemetry, in which nothing else can be known
	record := &scenario.Record{Scenario: s, Limits: p.Robot.MaxVelocity(), Braking: braking(p) + linkDelay}
	var (
		mu       sync.Mutex
		observer *scenario.Observer
		began    = time.Now().Add(time.Minute)
		over     bool
	)
	b := bus.New(bus.Options{Clock: clock.Real{}, RobotNS: p.Robot.Namespace, Tap: func(m *bus.Sample) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			observer.Observe(max(0, time.Since(began)), m)
		}
	}})
	observer = scenario.NewObserver(record, b.Resolve)
	if err := b.Declare(topics.Topics(), topics.Services()); err != nil {
		t.Fatal(err)
	}
	exec := node.NewRealtime(node.Options{Bus: b, Seed: 1, Log: slog.DiscardHandler})
	heat := &thermometer{computer: *newComputer()}
	events := &linked{faults: faults{plant: plant, computer: &heat.computer}, computer: heat, victims: map[string]*victim{}}
	inputs, happenings := s.Play(rand.New(rand.NewPCG(1, 0x5ca1ab1e)))
	specs := events.vulnerable(wiring(p, hardware{driver: controller, plant: plant}, heat, newPlaces(), &rosout{}))
	specs = append(specs, node.Spec{Name: scenario.PilotName, Stage: node.StageGateway, Policy: node.Halt, New: func() (node.Node, error) {
		return scenario.NewPilot(inputs, happenings, events), nil
	}})
	if err := exec.Start(t.Context(), specs...); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	began = time.Now() // the pilot's time begins when it is set up, which is now: making contact has taken some
	mu.Unlock()
	time.Sleep(s.Duration - time.Since(began))
	mu.Lock()
	over = true
	mu.Unlock()
	for _, n := range exec.Nodes() {
		record.Nodes = append(record.Nodes, scenario.Node{Name: n.Name, State: n.State.String(), Restarts: n.Restarts, LastError: n.LastError})
	}
	_ = exec.Stop() // a halted mux does not stop in order, which the scenario has seen
	hangUp()
	if err := <-served; err != nil {
		t.Error(err)
	}
	return record.JudgeAnyBody()
}

// Every scenario that needs neither scan nor lateral motion passes with the body at the other end of a HAL link. Those whose clock jumps
// need a clock that can.
func TestScenariosOverHAL(t *testing.T) {
	forEachScenario(t, func(t *testing.T, path string, s *scenario.Scenario) {
		for _, n := range s.Needs {
			if n == scenario.NeedScan || n == scenario.NeedLateral || n == scenario.NeedCamera {
				return
			}
		}
		for _, e := range s.Events {
			if e.ClockJump != nil {
				return
			}
		}
		synctest.Test(t, func(t *testing.T) {
			for _, what := range playOverHAL(t, path, s) {
				t.Error(what)
			}
		})
	})
}
