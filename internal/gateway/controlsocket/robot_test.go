package controlsocket_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/gateway/controlsocket"
	"sarathi/internal/gateway/controlsocket/client"
	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is how long a test waits for what should happen at once.
const limit = 10 * time.Second

var (
	chatter = bus.NewTopic[std.String]("/chatter", bus.Queue(64), "what the talker says")
	ask     = bus.NewService[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse]("/ask", stdsrvs.SetBoolService, "answers")
	never   = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/never", stdsrvs.TriggerService, "does not answer")
)

// talker is a node to look at.
type talker struct {
	say    *bus.Publisher[std.String]
	driven chan geometry.Twist // what came on the handheld's topic
	asked  chan struct{}       // one for each call of never
}

func (n *talker) Setup(c *node.Context) error {
	n.say = bus.NewPublisher(c, chatter)
	bus.NewPublisher(c, topics.BodyCmdVel)
	bus.NewPublisher(c, topics.ControlStatus).Publish(dharma.ControlStatus{Mode: "auto"})
	bus.Subscribe(c, topics.HandheldCmdVel, func(v geometry.Twist) { n.driven <- v })
	bus.Serve(c, ask, func(r stdsrvs.SetBoolRequest) (stdsrvs.SetBoolResponse, error) {
		if !r.Data {
			return stdsrvs.SetBoolResponse{}, errors.New("not in the mood")
		}
		return stdsrvs.SetBoolResponse{Success: true, Message: "yes"}, nil
	})
	bus.ServeAsync(c, never, func(stdsrvs.TriggerRequest, func(stdsrvs.TriggerResponse, error)) { n.asked <- struct{}{} })
	return nil
}

// robot is a running robot with a control socket.
type robot struct {
	bus    *bus.Bus
	exec   *node.Realtime
	talker *talker
	socket string
}

func newRobot(t *testing.T, socket string) *robot {
	t.Helper()
	r := &robot{
		bus:    bus.New(bus.Options{Clock: clock.Real{}, RobotNS: "molly"}),
		talker: &talker{driven: make(chan geometry.Twist, 16), asked: make(chan struct{}, 16)},
		socket: socket,
	}
	if err := r.bus.Declare(topics.Topics(), topics.Services()); err != nil {
		t.Fatal(err)
	}
	r.exec = node.NewRealtime(node.Options{Bus: r.bus})
	return r
}

func (r *robot) start() error {
	return r.exec.Start(context.Background(),
		node.Spec{Name: "talker_node", Stage: node.StageBehaviour, New: func() (node.Node, error) { return r.talker, nil }},
		node.Spec{Name: controlsocket.Name, Stage: node.StageGateway, New: func() (node.Node, error) {
			return controlsocket.New(controlsocket.Config{Path: r.socket}, controlsocket.Deps{Nodes: r.exec.Nodes})
		}})
}

// startRobot runs a robot until the test ends.
func startRobot(t *testing.T) *robot {
	t.Helper()
	r := newRobot(t, filepath.Join(t.TempDir(), controlsocket.FileName))
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.exec.Stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// connect returns a client that is closed when the test ends.
func (r *robot) connect(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.Dial(within(t), r.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// wantCode checks that err is a refusal with the given code.
func wantCode(t *testing.T, err error, code graph.Code) *graph.Error {
	t.Helper()
	var refusal *graph.Error
	if !errors.As(err, &refusal) || refusal.Code != code {
		t.Fatalf("error %v, want a refusal with the code %s", err, code)
	}
	return refusal
}

// until asks for the graph again and again until ok likes it.
func until(t *testing.T, c *client.Client, what string, ok func(*graph.Graph) bool) *graph.Graph {
	t.Helper()
	ctx := within(t)
	for {
		g, err := c.Graph(ctx)
		if err != nil {
			t.Fatalf("waiting until %s: %v", what, err)
		}
		if ok(g) {
			return g
		}
	}
}

func topicOf(g *graph.Graph, name string) graph.Topic {
	for _, t := range g.Topics {
		if t.Name == name {
			return t
		}
	}
	return graph.Topic{}
}

func watchers(g *graph.Graph, topic string) int { return len(topicOf(g, topic).Subscribers) }
