package bus_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/mailbox"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

func TestGraph(t *testing.T) {
	w := newWorld(t)
	zebra, ant := w.client("zebra"), w.client("ant")
	bus.Serve(zebra, trigger, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		return stdsrvs.TriggerResponse{}, nil
	})
	bus.Serve(ant, enable, func(request) (response, error) { return response{}, nil })
	p := bus.NewPublisher(zebra, queued)
	bus.NewPublisher(ant, queued)
	bus.Subscribe(zebra, queued, func(std.Float64) {})
	bus.NewReader(ant, queued)
	bus.NewReader(ant, latched)
	bus.NewMeter(ant, twists) // not a user
	bus.SubscribeRaw(ant, "/zoo", 7, func(*bus.Sample) {})
	say(p, 1, 2, 3, 4, 5)
	zebra.Drain()

	want := bus.Graph{
		Topics: []bus.TopicStats{
			{
				Name: "/latched", Type: "std_msgs/Float64", QoS: bus.Latched, Doc: "the newest, for all times",
				Subscribers: []bus.SubscriberStats{{Node: "ant", Depth: 1, Sampled: true}},
			},
			{
				Name: "/queued", Type: "std_msgs/Float64", QoS: bus.Queue(3), Doc: "the last three", Published: 5, Last: epoch(),
				Publishers: []bus.PublisherStats{{Node: "ant"}, {Node: "zebra", Published: 5}},
				Subscribers: []bus.SubscriberStats{
					{Node: "ant", Depth: 1, Sampled: true},
					{Node: "zebra", Depth: 3, Received: 3, Dropped: 2, Handler: mailbox.Stats{Label: "/queued", Runs: 3}},
				},
			},
			{
				Name: "/zoo", QoS: bus.Latest,
				Subscribers: []bus.SubscriberStats{{Node: "ant", Depth: 7, Handler: mailbox.Stats{Label: "/zoo"}}},
			},
		},
		Services: []bus.ServiceStats{
			{Name: "/molly/enable", Type: "std_srvs/SetBool", Doc: "switch", Node: "ant", Handler: mailbox.Stats{Label: "/molly/enable"}},
			{Name: "/trigger", Type: "std_srvs/Trigger", Doc: "do it", Node: "zebra", Handler: mailbox.Stats{Label: "/trigger"}},
		},
	}
	if diff := cmp.Diff(want, w.Graph()); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	zebra.End()
	ant.End()
	if diff := cmp.Diff(bus.Graph{}, w.Graph()); diff != "" {
		t.Errorf("graph when all are gone (-want +got):\n%s", diff)
	}
}

func TestRate(t *testing.T) {
	w := newWorld(t)
	c := w.client("talker")
	p := bus.NewPublisher(c, latest)
	rate := func() float64 { return w.Graph().Topics[0].Rate }
	beat := func(n int, period time.Duration) {
		for range n {
			w.clock.Advance(period)
			say(p, 1)
		}
	}
	if say(p, 1); rate() != 0 {
		t.Errorf("rate %v after one message", rate())
	}
	near := func(want float64) {
		t.Helper()
		if got := rate(); math.Abs(got-want) > want/50 {
			t.Errorf("rate %v Hz, want %v", got, want)
		}
	}
	beat(1, 20*ms)
	near(50)
	beat(100, 10*ms)
	near(100)
	w.clock.Advance(-time.Hour) // the wall clock is corrected
	beat(100, 20*ms)
	near(50)
	w.clock.Advance(1200 * ms)
	if got := rate(); got != 0 {
		t.Errorf("rate %v Hz after a long silence", got)
	}
}
