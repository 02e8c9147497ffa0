package controlsocket_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/gateway/controlsocket/client"
	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
)

func TestGraphShowsTopicsNodesAndServices(t *testing.T) {
	r := startRobot(t)
	r.talker.say.Publish(std.String{Data: "hello"})
	g, err := r.connect(t).Graph(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := topicOf(g, "/chatter"); got.Type != "std_msgs/String" || got.QoS != "queue(64)" || got.Published != 1 ||
		got.Doc != "what the talker says" || len(got.Publishers) != 1 || got.Publishers[0].Node != "talker_node" {
		t.Errorf("/chatter: %+v", got)
	}
	want := []graph.Node{
		{Name: "control_socket_node", Stage: "gateway", State: "running", Publishes: []string{}, Subscribes: []string{}, Serves: []string{}},
		{
			Name: "talker_node", Stage: "behaviour", State: "running", Publishes: []string{"/chatter", "/control/status", "/molly/cmd_vel"},
			Subscribes: []string{"/control/remote/handheld/cmd_vel"}, Serves: []string{"/ask", "/never"},
		},
	}
	if diff := cmp.Diff(want, g.Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if len(g.Services) != 2 || g.Services[0].Name != "/ask" || g.Services[0].Type != "std_srvs/SetBool" || g.Services[0].Node != "talker_node" {
		t.Errorf("services: %+v", g.Services)
	}
}

func TestWatchDeliversInOrder(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	const n = 20
	var publisher sync.WaitGroup
	defer publisher.Wait()
	publisher.Go(func() {
		until(t, r.connect(t), "somebody watches", func(g *graph.Graph) bool { return watchers(g, "/chatter") == 1 })
		for i := range n {
			r.talker.say.Publish(std.String{Data: fmt.Sprint(i)})
		}
	})
	var got []string
	err := c.Watch(within(t), graph.Watch{Topic: "chatter", Depth: 64}, func(s graph.Sample) bool {
		got = append(got, string(s.Message))
		return len(got) < n
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range got {
		if want := fmt.Sprintf(`{"data":"%d"}`, i); m != want {
			t.Fatalf("message %d is %s, want %s", i, m, want)
		}
	}
	until(t, c, "the watch has ended", func(g *graph.Graph) bool { return watchers(g, "/chatter") == 0 })
}

func TestWatchOfALatchedTopicBeginsWithTheLastMessage(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	err := c.Watch(within(t), graph.Watch{Topic: "/control/status", Depth: 1}, func(s graph.Sample) bool {
		if !strings.Contains(string(s.Message), `"mode":"auto"`) || time.Since(s.At) > limit {
			t.Errorf("sample %s at %v", s.Message, s.At)
		}
		return false
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWatchForTimesOnlyLeavesTheMessagesOut(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	err := c.Watch(within(t), graph.Watch{Topic: "/control/status", Depth: 1, TimesOnly: true}, func(s graph.Sample) bool {
		if s.Message != nil || s.At.IsZero() {
			t.Errorf("sample %s at %v, want a time and no message", s.Message, s.At)
		}
		return false
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWatchRefusesUnknownTopics(t *testing.T) {
	c := startRobot(t).connect(t)
	err := c.Watch(within(t), graph.Watch{Topic: "/chattr", Depth: 1}, func(graph.Sample) bool { return false })
	wantCode(t, err, graph.UnknownTopic)
}

func TestInterruptedWatchLeavesNothingBehind(t *testing.T) {
	r := startRobot(t)
	ctx, cancel := context.WithCancel(within(t))
	var interrupter sync.WaitGroup
	defer interrupter.Wait()
	interrupter.Go(func() {
		until(t, r.connect(t), "somebody watches", func(g *graph.Graph) bool { return watchers(g, "/chatter") == 1 })
		cancel()
	})
	c := r.connect(t)
	err := c.Watch(ctx, graph.Watch{Topic: "/chatter", Depth: 1}, func(graph.Sample) bool { return true })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want %v", err, context.Canceled)
	}
	c.Close()
	until(t, r.connect(t), "the watch has ended", func(g *graph.Graph) bool { return watchers(g, "/chatter") == 0 })
}

func TestPublishCompletesAndChecksMessages(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	const topic = "/control/remote/handheld/cmd_vel"
	if err := c.Publish(within(t), graph.Publication{Topic: topic, Type: "geometry_msgs/msg/Twist", Message: []byte(`{"linear":{"x":0.5}}`)}); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-r.talker.driven:
		if diff := cmp.Diff(geometry.Twist{Linear: geometry.Vector3{X: 0.5}}, got); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	case <-time.After(limit):
		t.Fatal("nothing arrived")
	}
	tests := []struct {
		name        string
		publication graph.Publication
		code        graph.Code
		says        string
	}{
		{"unknown field", graph.Publication{Topic: topic, Message: []byte(`{"linar":{}}`)}, graph.BadRequest, "linar"},
		{"wrong kind", graph.Publication{Topic: topic, Message: []byte(`{"linear":1}`)}, graph.BadRequest, "linear"},
		{"wrong type", graph.Publication{Topic: topic, Type: "std_msgs/String", Message: []byte(`{}`)}, graph.WrongType, "geometry_msgs/Twist"},
		{"wrong type of a new topic", graph.Publication{Topic: "/tour/cmd", Type: "std_msgs/String", Message: []byte(`{}`)}, graph.WrongType, "molly_interfaces/TourCommand"},
		{"no type", graph.Publication{Topic: "/new", Message: []byte(`{}`)}, graph.UnknownTopic, "name the type"},
		{"no name", graph.Publication{Topic: "/a//b", Message: []byte(`{}`)}, graph.BadRequest, "is not a name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := wantCode(t, c.Publish(within(t), tt.publication), tt.code)
			if !strings.Contains(err.Message, tt.says) {
				t.Errorf("says %q, want it to mention %q", err.Message, tt.says)
			}
		})
	}
}

func TestNobodyPublishesTheVelocityOfTheBody(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	for _, name := range []string{"/molly/cmd_vel", "molly/cmd_vel"} {
		err := wantCode(t, c.Publish(within(t), graph.Publication{Topic: name, Message: []byte(`{"linear":{"x":1}}`)}), graph.Reserved)
		if !strings.Contains(err.Message, "/control/remote/handheld/cmd_vel") {
			t.Errorf("says %q, want it to name the way through the mux", err.Message)
		}
	}
	g, err := c.Graph(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := topicOf(g, "/molly/cmd_vel"); got.Published != 0 || len(got.Publishers) != 1 {
		t.Errorf("/molly/cmd_vel: %+v, want nothing published and the talker alone", got)
	}
}

func TestTopicsOfUnknownTypesPassThrough(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	const exact = `{"n":18446744073709551615,"x":1.10}`
	if err := c.Publish(within(t), graph.Publication{Topic: "/zoo", Type: "zoo_msgs/msg/Animal", Message: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	other := r.connect(t)
	var publisher sync.WaitGroup
	defer publisher.Wait()
	publisher.Go(func() {
		until(t, other, "somebody watches", func(g *graph.Graph) bool { return watchers(g, "/zoo") == 1 })
		if err := other.Publish(within(t), graph.Publication{Topic: "/zoo", Message: []byte(exact)}); err != nil {
			t.Error(err)
		}
	})
	err := c.Watch(within(t), graph.Watch{Topic: "/zoo", Depth: 1}, func(s graph.Sample) bool {
		if string(s.Message) != exact {
			t.Errorf("received %s, want %s", s.Message, exact)
		}
		return false
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPublishersLeaveWithTheirClient(t *testing.T) {
	r := startRobot(t)
	c, other := r.connect(t), r.connect(t)
	for range 2 {
		if err := c.Publish(within(t), graph.Publication{Topic: "/new", Type: "std_msgs/String", Message: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	g := until(t, other, "the topic is there", func(g *graph.Graph) bool { return topicOf(g, "/new").Name != "" })
	if got := topicOf(g, "/new"); len(got.Publishers) != 1 || got.Published != 2 {
		t.Errorf("%+v, want one publisher with two messages", got)
	}
	c.Close()
	until(t, other, "the topic is gone", func(g *graph.Graph) bool { return topicOf(g, "/new").Name == "" })
}

func TestCalls(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	response, err := c.Call(within(t), "/ask", []byte(`{"data":true}`), limit)
	if err != nil || string(response) != `{"success":true,"message":"yes"}` {
		t.Errorf("response %s, error %v", response, err)
	}
	tests := []struct {
		name, service, request string
		code                   graph.Code
		says                   string
	}{
		{"refused by its handler", "/ask", "", graph.Failed, "not in the mood"},
		{"wrong field", "/ask", `{"date":true}`, graph.BadRequest, "date"},
		{"nobody there", "/map/save", `{}`, graph.NoServer, "/map/save"},
		{"no answer", "/never", `{}`, graph.Timeout, "time-out"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.Call(within(t), tt.service, []byte(tt.request), 20*time.Millisecond)
			if got := wantCode(t, err, tt.code); !strings.Contains(got.Message, tt.says) {
				t.Errorf("says %q, want it to mention %q", got.Message, tt.says)
			}
		})
	}
}

func TestDialWithoutARobot(t *testing.T) {
	_, err := client.Dial(within(t), t.TempDir()+"/none.sock")
	if !errors.Is(err, client.ErrNoRobot) {
		t.Errorf("error %v, want %v", err, client.ErrNoRobot)
	}
	folder := t.TempDir()
	if _, err := client.Dial(within(t), folder); !errors.Is(err, client.ErrNoSocket) || err.Error() != folder+" is no socket" {
		t.Errorf("a folder: error %v, want %v", err, client.ErrNoSocket)
	}
}

// TestClientsCannotForgeWhatNodesSay goes through the whole table: a forged scan, transform or status could blind the protective field.
func TestClientsCannotForgeWhatNodesSay(t *testing.T) {
	r := startRobot(t)
	c := r.connect(t)
	open := map[string]bool{}
	for _, i := range topics.ForClients() {
		open[i.Name] = true
	}
	for _, i := range topics.Topics() {
		err := c.Publish(within(t), graph.Publication{Topic: r.bus.Resolve(i.Name), Message: []byte(`{}`)})
		if open[i.Name] && err != nil {
			t.Errorf("%s: %v", i.Name, err)
		}
		if !open[i.Name] {
			wantCode(t, err, graph.Reserved)
		}
	}
}
