package rosbridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	gateway "sarathi/internal/gateway/rosbridge"
	"sarathi/internal/gateway/rosbridge/graph"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
	"sarathi/rosbridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how long a test waits for what should happen at once.
const limit = 20 * time.Second

// robot is a bus with a fixture that stands for its nodes, and the gateway.
type robot struct {
	t       *testing.T
	bus     *bus.Bus
	fixture *node.Context
	gateway *gateway.Node
	log     *lines
	stop    func()
}

// lines is a log that a test reads.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

type fixture struct {
	r     *robot
	setup func(*node.Context)
}

func (f fixture) Setup(c *node.Context) error {
	f.r.fixture = c
	if f.setup != nil {
		f.setup(c)
	}
	return nil
}

func config() gateway.Config {
	c := gateway.DefaultConfig()
	c.Port, c.TokenEnv = 0, ""
	return c
}

func newRobot(t *testing.T, cfg gateway.Config, setup func(*node.Context)) *robot {
	t.Helper()
	r := &robot{t: t, bus: bus.New(bus.Options{Clock: clock.Real{}, RobotNS: "molly"}), log: &lines{}}
	if err := r.bus.Declare(topics.Topics(), topics.Services()); err != nil {
		t.Fatal(err)
	}
	exec := node.NewRealtime(node.Options{Bus: r.bus, Log: slog.NewTextHandler(r.log, nil)})
	err := exec.Start(context.Background(),
		node.Spec{Name: "fixture", Stage: node.StageControl, New: func() (node.Node, error) { return fixture{r, setup}, nil }},
		node.Spec{Name: gateway.Name, Stage: node.StageGateway, New: func() (node.Node, error) {
			n, err := gateway.New(cfg, gateway.Deps{Nodes: exec.Nodes, Version: "test"})
			r.gateway = n
			return n, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	r.stop = sync.OnceFunc(func() {
		if err := exec.Stop(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// say sends the text of a frame on a connection of its own.
func (r *robot) say(text string) {
	r.t.Helper()
	c, _, err := websocket.Dial(r.t.Context(), "ws://"+r.gateway.Addr().String(), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.CloseNow()
	if err := c.Write(r.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

// client connects a rosbridge client until the test ends.
func (r *robot) client(change ...func(*rosbridge.ClientConfig)) *rosbridge.Client {
	r.t.Helper()
	cfg := rosbridge.ClientConfig{URL: "ws://" + r.gateway.Addr().String()}
	for _, f := range change {
		f(&cfg)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	c, err := rosbridge.Dial(ctx, cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

// await waits for a channel.
func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(limit):
		t.Fatalf("nothing came: %s", what)
		panic("unreachable")
	}
}

// until waits until something holds.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waiting for %s", what)
		}
	}
}

// barrier returns when the server has done everything that the client asked for before.
func barrier(t *testing.T, c *rosbridge.Client) *graph.Graph {
	t.Helper()
	data, err := c.Call(t.Context(), "/sarathi/graph", nil)
	if err != nil {
		t.Fatal(err)
	}
	var g graph.Graph
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return &g
}

func TestATopicIsMirroredWhileItIsWanted(t *testing.T) {
	var scan *bus.Publisher[dharma.SectorScan]
	r := newRobot(t, config(), func(c *node.Context) { scan = bus.NewPublisher(c, topics.SafetyScan) })
	c := r.client()
	if scan.Wanted() {
		t.Error("somebody wants what no client has asked for")
	}
	got := make(chan *dharma.SectorScan, 100)
	sub, err := rosbridge.SubscribeAs(c, "/perception/safety_scan", rosbridge.SubscribeOptions{}, func(m *dharma.SectorScan) { got <- m })
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the subscription", scan.Wanted)
	scan.Publish(dharma.SectorScan{AngleMin: -1.5, Ranges: []float32{1, 2}})
	if m := await(t, "the scan", got); m.AngleMin != -1.5 || len(m.Ranges) != 2 {
		t.Errorf("%+v", m)
	}
	sub.Close()
	until(t, "the end of the subscription", func() bool { return !scan.Wanted() })
}

func TestLatchedTopicsReachLateClients(t *testing.T) {
	var status *bus.Publisher[dharma.ControlStatus]
	r := newRobot(t, config(), func(c *node.Context) {
		status = bus.NewPublisher(c, topics.ControlStatus)
		status.Publish(dharma.ControlStatus{Mode: "auto"})
	})
	for _, mode := range []string{"auto", "remote", "auto"} {
		status.Publish(dharma.ControlStatus{Mode: mode})
		got := make(chan string, 100)
		c := r.client()
		if _, err := rosbridge.SubscribeAs(c, "/control/status", rosbridge.SubscribeOptions{}, func(m *dharma.ControlStatus) { got <- m.Mode }); err != nil {
			t.Fatal(err)
		}
		// What the client joins may still be what was before, on its way to the gateway; the newest comes all the same, and last.
		until(t, "the status "+mode, func() bool { return await(t, "a status", got) == mode })
		barrier(t, c)
		for len(got) > 0 {
			if m := <-got; m != mode {
				t.Errorf("%s came after %s", m, mode)
			}
		}
		c.Close()
	}
}

// What a client may publish reaches the bus, and other clients once; what it may not reaches neither.
func TestWhatClientsPublish(t *testing.T) {
	heard := make(chan string, 100)
	r := newRobot(t, config(), func(c *node.Context) {
		bus.Subscribe(c, topics.DashboardCmdVel, func(m geometry.Twist) { heard <- fmt.Sprint("dashboard ", m.Linear.X) })
		bus.Subscribe(c, topics.EStopRequest, func(m std.String) { heard <- "estop " + m.Data })
		bus.Subscribe(c, topics.BodyCmdVel, func(m geometry.Twist) { heard <- "body" })
		bus.Subscribe(c, topics.ControlStatus, func(m dharma.ControlStatus) { heard <- "status" })
	})
	a, b := r.client(), r.client()
	copies := make(chan string, 100)
	_, err := rosbridge.SubscribeAs(b, "/control/estop_request", rosbridge.SubscribeOptions{}, func(m *std.String) { copies <- m.Data })
	if err != nil {
		t.Fatal(err)
	}
	barrier(t, b)
	for _, topic := range []string{"/molly/cmd_vel", "/control/remote/dashboard/cmd_vel"} {
		p, err := rosbridge.AdvertiseAs[geometry.Twist](a, topic, rosbridge.AdvertiseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Publish(&geometry.Twist{Linear: geometry.Vector3{X: 0.25}}); err != nil {
			t.Fatal(err)
		}
	}
	forged, err := rosbridge.AdvertiseAs[dharma.ControlStatus](a, "/control/status", rosbridge.AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := forged.Publish(&dharma.ControlStatus{Mode: "auto"}); err != nil {
		t.Fatal(err)
	}
	stop, err := rosbridge.AdvertiseAs[std.String](a, "/control/estop_request", rosbridge.AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := stop.Publish(&std.String{Data: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	// Topics take turns on a loop; what counts is the order on each.
	got := map[string][]string{}
	for range 5 {
		topic, what, _ := strings.Cut(await(t, "what clients published", heard), " ")
		got[topic] = append(got[topic], what)
	}
	if diff := cmp.Diff(map[string][]string{"dashboard": {"NaN", "0.25"}, "estop": {"0", "1", "2"}}, got); diff != "" {
		t.Error(diff)
	}
	for i := range 3 {
		if got := await(t, "the copy", copies); got != fmt.Sprint(i) {
			t.Errorf("the other client got %s", got)
		}
	}
	barrier(t, b)
	if len(heard)+len(copies) > 0 {
		t.Errorf("%d messages too many on the bus, %d at the other client", len(heard), len(copies))
	}
	free := 0
	for _, topic := range barrier(t, a).Topics {
		switch topic.Name {
		case "/control/estop_request", "/control/remote/dashboard/cmd_vel":
			if free++; topic.Reserved != "" {
				t.Errorf("%s: %s", topic.Name, topic.Reserved)
			}
		case "/control/status", "/molly/cmd_vel":
			if topic.Reserved == "" {
				t.Errorf("%s is for everybody", topic.Name)
			}
		}
	}
	if free != 2 {
		t.Errorf("%d topics are for clients", free)
	}
}

// A stop that cannot be read stops all the same, and so does one that comes while the robot waits for too many calls.
func TestEveryStopStops(t *testing.T) {
	heard := make(chan string, 10_000)
	hold := make(chan struct{})
	r := newRobot(t, config(), func(c *node.Context) {
		bus.Subscribe(c, topics.EStopRequest, func(m std.String) { heard <- m.Data })
		bus.Serve(c, topics.EStopEngage, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
			heard <- "engage"
			return stdsrvs.TriggerResponse{Success: true}, nil
		}, bus.Urgent())
		for i := range 20 {
			service := fmt.Sprintf("/slow/%d", i)
			if _, err := bus.ServeRaw(c, service, "zoo_msgs/Wait", nil, func(_ []byte, reply func([]byte, error)) {
				go func() { <-hold; reply(nil, nil) }()
			}); err != nil {
				t.Error(err)
			}
		}
	})
	defer close(hold)
	c := r.client()
	for _, body := range []string{`{"reason":"fire"}`, `{"data":"fire","x":1}`, `{"Data":"x"}`, `{"data":true}`, `"fire"`, `[1]`} {
		p, err := c.Advertise("/control/estop_request", "std_msgs/String", rosbridge.AdvertiseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Publish([]byte(body)); err != nil {
			t.Fatal(err)
		}
		if got := await(t, body, heard); !strings.Contains(got, "whose stop could not be read") {
			t.Errorf("%s: %s", body, got)
		}
	}
	for _, text := range []string{
		`{"op":"publish","topic":"/control/estop_request","msg":null}`, `{"op":"publish","topic":"/control/estop_request"}`,
		`{"op":"publish","topic":"/control/estop_request","msg":{"data":"fi`, `{"op":"call_service","service":"/control/estop/engage","args":[}`,
	} {
		r.say(text)
		if got := await(t, text, heard); !strings.Contains(got, "whose stop could not be read") {
			t.Errorf("%s: %s", text, got)
		}
	}
	other := r.client()
	wrong, err := other.Advertise("/control/estop_request", "std_msgs/Bool", rosbridge.AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := wrong.Publish([]byte(`{"data":true}`)); err != nil {
		t.Fatal(err)
	}
	await(t, "a stop of another type", heard)
	for _, args := range []string{`{"reason":"fire"}`, `{"data":true}`, `["x"]`} {
		if _, err := c.Call(t.Context(), "/control/estop/engage", []byte(args)); err == nil {
			t.Errorf("%s was understood", args)
		}
		await(t, args, heard)
	}
	// Fill every place that waits for the robot, and stop.
	calling, end := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	for i := range 1200 {
		flood.Go(func() { c.Call(calling, fmt.Sprintf("/slow/%d", i%20), nil) })
	}
	until(t, "a robot that waits for too many calls", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := other.Call(ctx, "/slow/0", nil)
		return err != nil && strings.Contains(err.Error(), "too many calls")
	})
	if _, err := other.Call(t.Context(), "/control/estop/engage", nil); err != nil {
		t.Errorf("the stop was refused: %v", err)
	}
	if got := await(t, "the stop", heard); got != "engage" {
		t.Error(got)
	}
	end()
	flood.Wait()
}

// One client drives at a time: another one's stick at rest arms nobody else, and whoever takes over disarms first.
func TestOneClientDrives(t *testing.T) {
	heard := make(chan geometry.Twist, 1000)
	r := newRobot(t, config(), func(c *node.Context) {
		bus.Subscribe(c, topics.DashboardCmdVel, func(m geometry.Twist) { heard <- m })
	})
	type stick = rosbridge.TypedPublisher[geometry.Twist, *geometry.Twist]
	take := func(c *rosbridge.Client) stick {
		p, err := rosbridge.AdvertiseAs[geometry.Twist](c, "/control/remote/dashboard/cmd_vel", rosbridge.AdvertiseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := r.client(), r.client()
	atRest, pushed := take(a), take(b)
	send := func(c *rosbridge.Client, p stick, wz float64) {
		if err := p.Publish(&geometry.Twist{Angular: geometry.Vector3{Z: wz}}); err != nil {
			t.Fatal(err)
		}
		barrier(t, c)
	}
	send(a, atRest, 0)
	if m := await(t, "the disarming", heard); !math.IsNaN(m.Angular.Z) {
		t.Errorf("%+v", m)
	}
	if m := await(t, "the first stick", heard); m.Angular.Z != 0 {
		t.Errorf("%+v", m)
	}
	send(b, pushed, 0.6) // while the other one drives
	send(a, atRest, 0)
	if m := await(t, "the first stick again", heard); m.Angular.Z != 0 || len(heard) > 0 {
		t.Errorf("%+v, and %d more", m, len(heard))
	}
	a.Close()
	until(t, "the takeover", func() bool { send(b, pushed, 0.6); return len(heard) > 0 })
	if m := <-heard; !math.IsNaN(m.Angular.Z) {
		t.Errorf("the takeover begins with %+v", m)
	}
	if m := await(t, "the second stick", heard); m.Angular.Z != 0.6 {
		t.Errorf("%+v", m)
	}
}

// A topic that the robot does not know passes with every digit, both to the bus and to other clients, and goes with its client.
func TestTopicsOfClients(t *testing.T) {
	r := newRobot(t, config(), nil)
	a, b := r.client(), r.client()
	const digits = `{"id":18446744073709551615,"x":0.10000000000000000055}`
	onBus, atB := make(chan string, 10), make(chan string, 10)
	r.fixture.Post(func() {
		bus.SubscribeRaw(r.fixture, "/zoo/lions", 4, func(s *bus.Sample) { onBus <- string(s.JSON()) })
	})
	if _, err := b.Subscribe("/zoo/lions", rosbridge.SubscribeOptions{}, func(d rosbridge.Delivery) { atB <- string(d.Body) }); err != nil {
		t.Fatal(err)
	}
	barrier(t, b)
	p, err := a.Advertise("/zoo/lions", "zoo_msgs/Lion", rosbridge.AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the topic on the bus", func() bool {
		for _, topic := range r.bus.Graph().Topics {
			if topic.Name == "/zoo/lions" && len(topic.Publishers) == 1 {
				return true
			}
		}
		return false
	})
	if err := p.Publish([]byte(digits)); err != nil {
		t.Fatal(err)
	}
	if got := await(t, "the message on the bus", onBus); got != digits {
		t.Error(got)
	}
	if got := await(t, "the message at the other client", atB); got != digits {
		t.Error(got)
	}
	barrier(t, b)
	if len(onBus)+len(atB) > 0 {
		t.Error("the message came twice")
	}
}

func TestServicesOfTheRobot(t *testing.T) {
	r := newRobot(t, config(), func(c *node.Context) {
		bus.Serve(c, topics.SetMode, func(req dharma.SetModeRequest) (dharma.SetModeResponse, error) {
			if req.Mode == "fly" {
				return dharma.SetModeResponse{}, errors.New("no wings")
			}
			return dharma.SetModeResponse{Success: true, Mode: req.Mode}, nil
		})
	})
	c := r.client()
	resp, err := rosbridge.CallAs[dharma.SetModeRequest, dharma.SetModeResponse](t.Context(), c, "/control/set_mode", dharma.SetModeRequest{Mode: "remote"})
	if err != nil || !resp.Success || resp.Mode != "remote" {
		t.Errorf("%+v, %v", resp, err)
	}
	for call, want := range map[string]string{`{"mode":"fly"}`: "no wings", `{"mode":7}`: "mode"} {
		if _, err := c.Call(t.Context(), "/control/set_mode", []byte(call)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if name, err := c.ServiceType(t.Context(), "/control/set_mode"); err != nil || name != "dharma_interfaces/srv/SetMode" {
		t.Errorf("type %s, %v", name, err)
	}
	if who, err := c.ServiceNode(t.Context(), "/control/set_mode"); err != nil || who != "/fixture" {
		t.Errorf("node %s, %v", who, err)
	}
	// One that comes at run time.
	r.fixture.Post(func() {
		if _, err := bus.ServeRaw(r.fixture, "/molly/wave", "zoo_msgs/Wave", nil, func(_ []byte, reply func([]byte, error)) { reply([]byte(`{"waved":true}`), nil) }); err != nil {
			t.Error(err)
		}
	})
	until(t, "the new service", func() bool {
		data, err := c.Call(t.Context(), "/molly/wave", nil)
		return err == nil && string(data) == `{"waved":true}`
	})
}

// A service of a client is served on the bus until the client goes; one that the robot has declared is not.
func TestServicesOfClients(t *testing.T) {
	r := newRobot(t, config(), nil)
	c := r.client()
	for _, service := range []string{"/zoo/feed", "/control/set_mode"} {
		_, err := c.Serve(service, "zoo_msgs/Feed", func(_ context.Context, args []byte) ([]byte, error) {
			if strings.Contains(string(args), "poison") {
				return nil, errors.New("no poison here")
			}
			return args, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ask := func(service, request string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		data, err := r.bus.CallRaw(ctx, service, []byte(request))
		return string(data), err
	}
	until(t, "the service on the bus", func() bool { _, err := ask("/zoo/feed", "{}"); return err == nil })
	if got, err := ask("/zoo/feed", `{"kg":18446744073709551615}`); err != nil || got != `{"kg":18446744073709551615}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := ask("/zoo/feed", `{"what":"poison"}`); err == nil || !strings.Contains(err.Error(), "no poison here") {
		t.Errorf("error %v", err)
	}
	if _, err := ask("/control/set_mode", `{}`); bus.CodeOf(err) != bus.NoServer {
		t.Errorf("a client serves what the robot has declared: %v", err)
	}
	c.Close()
	until(t, "the end of the service", func() bool { _, err := ask("/zoo/feed", "{}"); return bus.CodeOf(err) == bus.NoServer })
}

func TestIntrospection(t *testing.T) {
	r := newRobot(t, config(), func(c *node.Context) { bus.NewPublisher(c, topics.BodyScan) })
	c := r.client()
	nodes, err := c.Nodes(t.Context())
	if err != nil || !strings.Contains(strings.Join(nodes, " "), "/fixture") {
		t.Errorf("nodes %v, %v", nodes, err)
	}
	if name, err := c.TopicType(t.Context(), "/molly/scan"); err != nil || name != "sensor_msgs/msg/LaserScan" {
		t.Errorf("type %s, %v", name, err)
	}
	if who, err := c.PublishersOf(t.Context(), "/molly/scan"); err != nil || strings.Join(who, " ") != "/fixture" {
		t.Errorf("publishers %v, %v", who, err)
	}
	var fixture *graph.Node
	for _, n := range barrier(t, c).Nodes {
		if n.Name == "fixture" {
			fixture = &n
		}
	}
	if fixture == nil || fixture.State != "running" || strings.Join(fixture.Publishes, " ") != "/molly/scan" {
		t.Errorf("%+v", fixture)
	}
}

func TestTokenAndWarning(t *testing.T) {
	t.Setenv("SARATHI_TEST_TOKEN", "s3cret")
	cfg := config()
	cfg.TokenEnv = "SARATHI_TEST_TOKEN"
	r := newRobot(t, cfg, nil)
	if _, err := rosbridge.Dial(t.Context(), rosbridge.ClientConfig{URL: "ws://" + r.gateway.Addr().String()}); err == nil {
		t.Error("a client without the token was let in")
	}
	r.client(func(c *rosbridge.ClientConfig) { c.Token = "s3cret" })
	const warning = "anyone on the network can use this robot"
	if r.log.has("s3cret") || r.log.has(warning) {
		t.Error("the log tells the token, or warns although there is one")
	}
	open := config()
	open.Bind = "0.0.0.0"
	if r := newRobot(t, open, nil); !r.log.has(warning) {
		t.Error("no warning about a robot that is open to everybody")
	}
	if r := newRobot(t, config(), nil); r.log.has(warning) {
		t.Error("a warning about a robot that only this computer reaches")
	}
}

func TestAPortInUseFailsTheStart(t *testing.T) {
	r := newRobot(t, config(), nil)
	cfg := config()
	cfg.Port = int(r.gateway.Addr().Port())
	n, err := gateway.New(cfg, gateway.Deps{Nodes: func() []node.Stats { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "is in use") || !strings.Contains(err.Error(), "rosbridge.port") {
		t.Errorf("error %v", err)
	}
}

func TestConfig(t *testing.T) {
	for want, spoil := range map[string]func(*gateway.Config){
		"bind": func(c *gateway.Config) { c.Bind = "" }, "port": func(c *gateway.Config) { c.Port = -1 },
		"dialect": func(c *gateway.Config) { c.Dialect = "ros3" }, "budget": func(c *gateway.Config) { c.Budget = c.MaxMessage },
		"cert and key": func(c *gateway.Config) { c.Cert = "a" }, "max_clients": func(c *gateway.Config) { c.MaxClients = 0 },
	} {
		cfg := config()
		spoil(&cfg)
		if _, err := gateway.New(cfg, gateway.Deps{Nodes: func() []node.Stats { return nil }}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
