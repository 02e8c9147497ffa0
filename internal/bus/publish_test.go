package bus_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

func TestWhatWaitsForASlowSubscriber(t *testing.T) {
	tests := []struct {
		name    string
		topic   *bus.Topic[std.Float64]
		say     []float64
		want    []float64
		dropped uint64
	}{
		{"latest keeps the newest", latest, []float64{1, 2, 3}, []float64{3}, 2},
		{"latest keeps the only one", latest, []float64{1}, []float64{1}, 0},
		{"latched keeps the newest", latched, []float64{1, 2, 3}, []float64{3}, 2},
		{"a queue that is not full keeps all", queued, []float64{1, 2, 3}, []float64{1, 2, 3}, 0},
		{"a full queue keeps the last three", queued, []float64{1, 2, 3, 4, 5}, []float64{3, 4, 5}, 2},
		{"nothing was said", queued, nil, []float64{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			c := w.client("listener")
			handle, got := keep()
			bus.Subscribe(c, tt.topic, handle)
			say(bus.NewPublisher(w.client("talker"), tt.topic), tt.say...)
			c.Drain()
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("handled (-want +got):\n%s", diff)
			}
			s := w.Graph().Topics[0].Subscribers[0]
			if s.Dropped != tt.dropped || s.Received != uint64(len(tt.want)) {
				t.Errorf("received %d and dropped %d, want %d and %d", s.Received, s.Dropped, len(tt.want), tt.dropped)
			}
		})
	}
}

func TestOneSubscribersSlownessIsItsOwn(t *testing.T) {
	w := newWorld(t)
	slow, fast := w.client("slow"), w.client("fast")
	fromSlow, slowGot := keep()
	fromFast, fastGot := keep()
	bus.Subscribe(slow, latest, fromSlow)
	bus.Subscribe(fast, latest, fromFast)
	p := bus.NewPublisher(w.client("talker"), latest)
	for v := range 3 {
		say(p, float64(v))
		fast.Drain()
	}
	slow.Drain()
	if diff := cmp.Diff([]float64{0, 1, 2}, *fastGot); diff != "" {
		t.Errorf("fast (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{2}, *slowGot); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
}

func TestLatecomersGetTheLatchedMessageOnce(t *testing.T) {
	w := newWorld(t)
	p := bus.NewPublisher(w.client("talker"), latched)
	say(p, 1, 2)
	c := w.client("late")
	handle, got := keep()
	bus.Subscribe(c, latched, handle)
	reader := bus.NewReader(c, latched)
	c.Drain()
	c.Drain()
	if diff := cmp.Diff([]float64{2}, *got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
	if v, at, ok := reader.Get(); !ok || v.Data != 2 || !at.Equal(epoch()) {
		t.Errorf("read %v at %v (%v), want 2", v.Data, at, ok)
	}
	say(p, 3)
	c.Drain()
	if diff := cmp.Diff([]float64{2, 3}, *got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

// TestLatchedAndNewMessageWaitTogether has a message come before the latched one was handled: neither is lost or repeated.
func TestLatchedAndNewMessageWaitTogether(t *testing.T) {
	w := newWorld(t)
	p := bus.NewPublisher(w.client("talker"), latched)
	say(p, 1)
	c := w.client("late")
	handle, got := keep()
	bus.Subscribe(c, latched, handle)
	reader := bus.NewReader(c, latched)
	say(p, 2)
	c.Drain()
	if diff := cmp.Diff([]float64{1, 2}, *got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
	if v, _, ok := reader.Get(); !ok || v.Data != 2 {
		t.Errorf("read %v (%v), want 2", v.Data, ok)
	}
}

func TestOtherTopicsKeepNothingForLatecomers(t *testing.T) {
	w := newWorld(t)
	say(bus.NewPublisher(w.client("talker"), queued), 1)
	c := w.client("late")
	handle, got := keep()
	bus.Subscribe(c, queued, handle)
	if c.Drain(); len(*got) > 0 {
		t.Errorf("handled %v", *got)
	}
}

func TestCancelInTheHandler(t *testing.T) {
	w := newWorld(t)
	c := w.client("listener")
	var sub *bus.Subscription
	var got []float64
	sub = bus.Subscribe(c, queued, func(m std.Float64) {
		got = append(got, m.Data)
		sub.Cancel()
	})
	p := bus.NewPublisher(w.client("talker"), queued)
	say(p, 1, 2, 3) // 2 and 3 wait already when the handler cancels
	c.Drain()
	say(p, 4)
	c.Drain()
	sub.Cancel()
	if diff := cmp.Diff([]float64{1}, got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
	if p.Wanted() {
		t.Error("a cancelled subscription still counts")
	}
}

// TestSubscriptionsOnDemandLeaveNothing is a gateway over days: clients come and go.
func TestSubscriptionsOnDemandLeaveNothing(t *testing.T) {
	w := newWorld(t)
	c := w.client("gateway")
	for range 100 {
		bus.Subscribe(c, latest, func(std.Float64) {}).Cancel()
		bus.SubscribeRaw(c, "/somewhere", 4, func(*bus.Sample) {}).Cancel()
		p, err := bus.AdvertiseRaw(c, "/elsewhere", "foo_msgs/Bar", nil, bus.Latched)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.PublishJSON([]byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		p.Close()
	}
	if n := c.Owned(); n != 0 {
		t.Errorf("%d things are still registered with the client", n)
	}
	if g := w.Graph(); len(g.Topics) != 0 {
		t.Errorf("topics are left: %+v", g.Topics)
	}
}

func TestHandlersTakeTurns(t *testing.T) {
	w := newWorld(t)
	c := w.client("listener")
	var got []string
	note := func(s string) func(std.Float64) { return func(std.Float64) { got = append(got, s) } }
	bus.Subscribe(c, queued, note("queued"))
	bus.Subscribe(c, latest, note("latest"))
	bus.Subscribe(c, latched, note("urgent"), bus.Urgent())
	p := w.client("talker")
	say(bus.NewPublisher(p, queued), 1, 2, 3)
	say(bus.NewPublisher(p, latest), 1)
	say(bus.NewPublisher(p, latched), 1)
	c.Drain()
	if diff := cmp.Diff([]string{"urgent", "queued", "latest", "queued", "queued"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestReaderGivesTheNewestAtItsOwnPace(t *testing.T) {
	w := newWorld(t)
	c := w.client("controller")
	r := bus.NewReader(c, queued)
	if _, _, ok := r.Get(); ok {
		t.Error("there is a value before the first message")
	}
	p := bus.NewPublisher(w.client("talker"), queued)
	say(p, 1, 2, 3, 4, 5, 6)
	w.clock.Advance(time.Second)
	say(p, 7)
	for range 2 { // the second time nothing new has come
		if v, at, ok := r.Get(); !ok || v.Data != 7 || !at.Equal(epoch().Add(time.Second)) {
			t.Errorf("read %v at %v (%v), want 7 after 1 s", v.Data, at, ok)
		}
	}
	if c.Step() {
		t.Error("a sampled topic woke the loop")
	}
	s := w.Graph().Topics[0].Subscribers[0]
	if !s.Sampled || s.Dropped != 0 || s.Depth != 1 || s.Received != 1 {
		t.Errorf("%+v, want a sampled one that lost nothing", s)
	}
}

func TestMeterCountsWithoutSubscribing(t *testing.T) {
	w := newWorld(t)
	m := bus.NewMeter(w.client("monitor"), latest)
	if n, last := m.Count(); n != 0 || !last.IsZero() {
		t.Errorf("%d messages at %v before the first", n, last)
	}
	p := bus.NewPublisher(w.client("talker"), latest)
	say(p, 1) // at the very origin of the bus
	if n, last := m.Count(); n != 1 || !last.Equal(epoch()) {
		t.Errorf("%d messages, the last at %v", n, last)
	}
	w.clock.Advance(20 * ms)
	say(p, 2)
	if n, last := m.Count(); n != 2 || !last.Equal(epoch().Add(20*ms)) {
		t.Errorf("%d messages, the last at %v", n, last)
	}
	if m.Wanted() || p.Wanted() {
		t.Error("a meter counts as a subscriber")
	}
	bus.NewReader(w.client("listener"), latest)
	if !m.Wanted() || !p.Wanted() {
		t.Error("a reader does not count as a subscriber")
	}
}

func TestTheEndOfAClient(t *testing.T) {
	w := newWorld(t)
	c, other := w.client("node"), w.client("other")
	handle, got := keep()
	bus.Subscribe(c, latest, handle)
	p := bus.NewPublisher(c, latched)
	heard, otherGot := keep()
	bus.Subscribe(other, latched, heard)
	q := bus.NewPublisher(other, latest)
	say(p, 1)
	c.End()
	say(p, 2) // something that the dead node left running
	say(q, 1)
	c.Drain()
	other.Drain()
	if len(*got) > 0 {
		t.Errorf("a dead node handled %v", *got)
	}
	if diff := cmp.Diff([]float64{1}, *otherGot); diff != "" {
		t.Errorf("heard of the dead node (-want +got):\n%s", diff)
	}
	if q.Wanted() {
		t.Error("a dead node still wants messages")
	}
	late, lateGot := keep()
	bus.Subscribe(other, latched, late)
	other.Drain()
	if diff := cmp.Diff([]float64{1}, *lateGot); diff != "" {
		t.Errorf("what was latched outlives its publisher (-want +got):\n%s", diff)
	}
}

func TestPublishInTheHandler(t *testing.T) {
	w := newWorld(t)
	c := w.client("counter")
	p := bus.NewPublisher(c, latest)
	var got []float64
	bus.Subscribe(c, latest, func(m std.Float64) {
		if got = append(got, m.Data); m.Data < 3 {
			say(p, m.Data+1) // to itself
		}
	})
	say(p, 1)
	c.Drain()
	if diff := cmp.Diff([]float64{1, 2, 3}, got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

func TestPublishingAllocatesNothing(t *testing.T) {
	w := newWorld(t)
	c := w.client("listener")
	p := bus.NewPublisher(w.client("talker"), twists)
	var sum float64
	bus.Subscribe(c, twists, func(m geometry.Twist) { sum += m.Linear.X })
	r := bus.NewReader(c, twists)
	v := geometry.Twist{Linear: geometry.Vector3{X: 1}}
	allocs := testing.AllocsPerRun(1000, func() {
		p.Publish(v)
		c.Step()
		r.Get()
	})
	if allocs != 0 {
		t.Errorf("%v allocations per message, want 0", allocs)
	}
	if sum == 0 {
		t.Error("nothing was handled")
	}
}

func TestTapSeesEverythingAndIsNoSubscriber(t *testing.T) {
	var seen []string
	w := newTappedWorld(t, func(s *bus.Sample) { seen = append(seen, s.Topic+" "+s.TypeName+" "+string(s.JSON())) })
	c := w.client("talker")
	p := bus.NewPublisher(c, latest)
	say(p, 1.5)
	raw, err := bus.AdvertiseRaw(c, "/zoo", "foo_msgs/Bar", nil, bus.Latest)
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.PublishJSON([]byte(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	want := []string{`/latest std_msgs/Float64 {"data":1.5}`, `/zoo foo_msgs/Bar {"a":1}`}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("tapped (-want +got):\n%s", diff)
	}
	if p.Wanted() {
		t.Error("the tap counts as a subscriber")
	}
}

func TestDeclareReservesNames(t *testing.T) {
	w := newWorld(t)
	if err := w.Declare([]bus.TopicInfo{twists.Info()}, []bus.ServiceInfo{enable.Info()}); err != nil {
		t.Fatal(err)
	}
	_, err := bus.AdvertiseRaw(w.client("intruder"), "/molly/cmd_vel", "std_msgs/msg/String", std.StringType, bus.Latest)
	if _, ok := errors.AsType[*bus.TypeError](err); !ok || err.Error() != "/molly/cmd_vel has type geometry_msgs/Twist, not std_msgs/String" {
		t.Errorf("error %v, want a type error", err)
	}
	if err := w.Declare([]bus.TopicInfo{twists.Info()}, []bus.ServiceInfo{enable.Info()}); err != nil {
		t.Errorf("declared again: %v", err)
	}
	other := bus.NewTopic[std.String](twists.Info().Name, bus.Latest, "something else")
	service := bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse](enable.Info().Name, stdsrvs.TriggerService, "something else")
	err = w.Declare([]bus.TopicInfo{other.Info()}, []bus.ServiceInfo{service.Info()})
	if err == nil || !strings.Contains(err.Error(), "/molly/cmd_vel has type") || !strings.Contains(err.Error(), "/molly/enable has type") {
		t.Errorf("error %v, want one for the topic and one for the service", err)
	}
	mustPanic(t, func() { bus.NewPublisher(w.client("wrong"), other) })
	mustPanic(t, func() { bus.NewCaller(w.client("wrong"), service) })
}

func TestWrongDeclarationsPanic(t *testing.T) {
	tests := []struct {
		name string
		fn   func()
	}{
		{"not a message", func() { bus.NewTopic[int]("/n", bus.Latest, "") }},
		{"topic without slash", func() { bus.NewTopic[std.Float64]("n", bus.Latest, "") }},
		{"queue of none", func() { bus.Queue(0) }},
		{"queue too long", func() { bus.Queue(4097) }},
		{"service without slash", func() {
			bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("n", stdsrvs.TriggerService, "")
		}},
		{"wrong request", func() {
			bus.NewService[stdsrvs.SetBoolRequest, stdsrvs.TriggerResponse]("/n", stdsrvs.TriggerService, "")
		}},
		{"wrong response", func() {
			bus.NewService[stdsrvs.TriggerRequest, stdsrvs.SetBoolResponse]("/n", stdsrvs.TriggerService, "")
		}},
		{"no clock", func() { bus.New(bus.Options{}) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { mustPanic(t, tt.fn) })
	}
}

func TestQoSInWords(t *testing.T) {
	for q, want := range map[bus.QoS]string{bus.Latest: "latest", bus.Latched: "latched", bus.Queue(8): "queue(8)"} {
		if got := q.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
