package bus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/bus/bustest"
	"sarathi/internal/idl"
	"sarathi/msg/std"
)

// digits is a message that no float64 can hold.
const digits = `{"id":18446744073709551615,"x":0.10000000000000000055,"e":1e+400}`

func keepJSON(c *bustest.Client, name string, depth int) (*bus.RawSubscription, *[]string) {
	got := &[]string{}
	return bus.SubscribeRaw(c, name, depth, func(s *bus.Sample) { *got = append(*got, string(s.JSON())) }), got
}

func advertise(t *testing.T, c *bustest.Client, name, typeName string, typ *idl.Type, qos bus.QoS) *bus.RawPublisher {
	t.Helper()
	p, err := bus.AdvertiseRaw(c, name, typeName, typ, qos)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sayJSON(t *testing.T, p *bus.RawPublisher, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := p.PublishJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnknownTypesPassWithEveryDigit(t *testing.T) {
	w := newWorld(t)
	c := w.client("browser")
	_, got := keepJSON(c, "zoo", 4) // a relative name
	p := advertise(t, w.client("robot"), "/zoo", "foo_msgs/msg/Bar", nil, bus.Latest)
	sayJSON(t, p, digits)
	c.Drain()
	if diff := cmp.Diff([]string{digits}, *got); diff != "" {
		t.Errorf("passed (-want +got):\n%s", diff)
	}
	if g := w.Graph().Topics[0]; g.Name != "/zoo" || g.Type != "foo_msgs/Bar" {
		t.Errorf("the topic is %s of %s", g.Name, g.Type)
	}
	err := p.Publish(&std.Float64{})
	if _, ok := errors.AsType[*bus.TypeError](err); !ok {
		t.Errorf("error %v, want a type error", err)
	}
}

func TestUnknownTypesHaveNoBinaryForm(t *testing.T) {
	w := newWorld(t)
	c := w.client("browser")
	var got *bus.Sample
	bus.SubscribeRaw(c, "/zoo", 1, func(s *bus.Sample) { got = s })
	sayJSON(t, advertise(t, c, "/zoo", "foo_msgs/Bar", nil, bus.Latest), `{}`)
	if c.Drain(); got == nil || got.CDR() != nil || got.ROS1() != nil || got.Message() != nil {
		t.Errorf("sample %+v has a binary form", got)
	}
}

func TestKnownTypesCrossBothWays(t *testing.T) {
	w := newWorld(t)
	node, browser := w.client("node"), w.client("browser")
	handle, got := keep()
	bus.Subscribe(node, queued, handle)
	_, texts := keepJSON(browser, "/queued", 8)
	raw := advertise(t, browser, "/queued", "std_msgs/Float64", std.Float64Type, bus.Latest)
	sayJSON(t, raw, `{"data":1.5}`, `{}`) // what is missing gets its default
	if err := raw.Publish(&std.Float64{Data: 2.5}); err != nil {
		t.Fatal(err)
	}
	say(bus.NewPublisher(node, queued), 3.5)
	node.Drain()
	browser.Drain()
	if diff := cmp.Diff([]float64{0, 2.5, 3.5}, *got); diff != "" { // the queue keeps three
		t.Errorf("the node handled (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`{"data":1.5}`, `{"data":0}`, `{"data":2.5}`, `{"data":3.5}`}, *texts); diff != "" {
		t.Errorf("the browser handled (-want +got):\n%s", diff)
	}
	err := raw.PublishJSON([]byte(`{"data":"fast"}`))
	if err == nil || !strings.HasPrefix(err.Error(), "message for /queued (std_msgs/Float64): ") {
		t.Errorf("error %v, want one that names topic and type", err)
	}
	if err := raw.Publish(&std.String{}); err == nil {
		t.Error("a message of another type was published")
	}
}

func TestOneEncodingIsShared(t *testing.T) {
	w := newWorld(t)
	var samples []*bus.Sample
	for _, name := range []string{"a", "b"} {
		c := w.client(name)
		bus.SubscribeRaw(c, "/latched", 1, func(s *bus.Sample) { samples = append(samples, s) })
		defer c.Drain()
	}
	say(bus.NewPublisher(w.client("talker"), latched), 1)
	late := w.client("late")
	bus.SubscribeRaw(late, "/latched", 1, func(s *bus.Sample) { samples = append(samples, s) })
	late.Drain()
	later := w.client("later")
	bus.SubscribeRaw(later, "/latched", 1, func(s *bus.Sample) { samples = append(samples, s) })
	later.Drain()
	if len(samples) != 2 || samples[0] != samples[1] {
		t.Fatalf("%d samples; those who come late have samples of their own", len(samples))
	}
	s := samples[0]
	for name, encode := range map[string]func() []byte{"JSON": s.JSON, "CDR": s.CDR, "ROS1": s.ROS1} {
		if a, b := encode(), encode(); len(a) == 0 || &a[0] != &b[0] {
			t.Errorf("%s was made twice", name)
		}
	}
	if s.Seq() != 1 || !s.At.Equal(epoch()) || s.Message() == nil {
		t.Errorf("sample %+v", s)
	}
}

func TestRawSubscriberLosesItsOldest(t *testing.T) {
	w := newWorld(t)
	c := w.client("browser")
	sub, got := keepJSON(c, "/zoo", 2)
	_, one := keepJSON(c, "/zoo", -5) // brought to 1
	sayJSON(t, advertise(t, c, "/zoo", "foo_msgs/Bar", nil, bus.Latest), "1", "2", "3", "4")
	c.Drain()
	if diff := cmp.Diff([]string{"3", "4"}, *got); diff != "" || sub.Dropped() != 2 {
		t.Errorf("%d dropped, handled (-want +got):\n%s", sub.Dropped(), diff)
	}
	if diff := cmp.Diff([]string{"4"}, *one); diff != "" {
		t.Errorf("depth 1 handled (-want +got):\n%s", diff)
	}
}

func TestRawCancelInTheHandler(t *testing.T) {
	w := newWorld(t)
	c := w.client("browser")
	n := 0
	var sub *bus.RawSubscription
	sub = bus.SubscribeRaw(c, "/zoo", 8, func(*bus.Sample) { n++; sub.Cancel(); sub.Cancel() })
	p := advertise(t, w.client("robot"), "/zoo", "foo_msgs/Bar", nil, bus.Latest)
	sayJSON(t, p, "1", "2")
	c.Drain()
	sayJSON(t, p, "3")
	if c.Drain(); n != 1 {
		t.Errorf("%d messages were handled, want 1", n)
	}
}

func TestRawLatching(t *testing.T) {
	w := newWorld(t)
	c := w.client("browser")
	p := advertise(t, w.client("robot"), "/map_name", "foo_msgs/Bar", nil, bus.Latched)
	sayJSON(t, p, "1", "2")
	_, got := keepJSON(c, "/map_name", 8)
	sayJSON(t, p, "3")
	c.Drain()
	if diff := cmp.Diff([]string{"2", "3"}, *got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
}

// TestTypedNodeComesAfterRawPublisher finds what was latched, and hears what follows, whatever the client knew of the type.
func TestTypedNodeComesAfterRawPublisher(t *testing.T) {
	for _, typ := range []*idl.Type{nil, std.Float64Type} {
		w := newWorld(t)
		p := advertise(t, w.client("robot"), "/latched", "std_msgs/msg/Float64", typ, bus.Latched)
		sayJSON(t, p, `{"data":1}`)
		c := w.client("node")
		handle, got := keep()
		bus.Subscribe(c, latched, handle)
		c.Drain()
		sayJSON(t, p, `{"data":2}`)
		c.Drain()
		if diff := cmp.Diff([]float64{1, 2}, *got); diff != "" {
			t.Errorf("type known %v: handled (-want +got):\n%s", typ != nil, diff)
		}
		if err := p.PublishJSON([]byte(`{"data":[]}`)); err == nil {
			t.Errorf("type known %v: a wrong message was published", typ != nil)
		}
	}
}

// TestLatchedNonsenseUnderOurTypesName is passed over when the first typed node comes.
func TestLatchedNonsenseUnderOurTypesName(t *testing.T) {
	w := newWorld(t)
	sayJSON(t, advertise(t, w.client("robot"), "/latched", "std_msgs/Float64", nil, bus.Latched), `{"data":"fast"}`)
	c := w.client("node")
	handle, got := keep()
	bus.Subscribe(c, latched, handle)
	if c.Drain(); len(*got) > 0 {
		t.Errorf("handled %v", *got)
	}
}

func TestTypeConflicts(t *testing.T) {
	w := newWorld(t)
	a, b := w.client("a"), w.client("b")
	first := advertise(t, a, "/zoo", "foo_msgs/Bar", nil, bus.Latest)
	if _, err := bus.AdvertiseRaw(b, "/zoo", "foo_msgs/Other", nil, bus.Latest); err == nil ||
		err.Error() != "/zoo has type foo_msgs/Bar, not foo_msgs/Other" {
		t.Errorf("error %v, want a type error", err)
	}
	if n := b.Owned(); n != 0 {
		t.Errorf("a refused publisher left %d things behind", n)
	}
	second := advertise(t, b, "/zoo", "foo_msgs/msg/Bar", nil, bus.Latest) // the same in the other spelling
	_, got := keepJSON(b, "/zoo", 8)
	first.Close()
	second.Close()
	third := advertise(t, a, "/zoo", "foo_msgs/Other", nil, bus.Latched) // a subscriber is all that is left
	sayJSON(t, third, "1")
	if b.Drain(); len(*got) != 1 {
		t.Errorf("handled %v, want the message of the new type", *got)
	}
	if g := w.Graph().Topics[0]; g.Type != "foo_msgs/Other" || g.QoS != bus.Latched {
		t.Errorf("the topic is %s (%s)", g.Type, g.QoS)
	}
}

func TestClosedRawPublisher(t *testing.T) {
	w := newWorld(t)
	c := w.client("robot")
	_, got := keepJSON(c, "/zoo", 8)
	known := advertise(t, c, "/latest", "", std.Float64Type, bus.Latest)
	bus.NewReader(c, latest) // makes it a typed topic
	unknown := advertise(t, c, "/zoo", "foo_msgs/Bar", nil, bus.Latest)
	known.Close()
	unknown.Close()
	for _, err := range []error{known.PublishJSON([]byte(`{"data":1}`)), unknown.PublishJSON([]byte(`1`))} {
		if !errors.Is(err, bus.ErrEnded) {
			t.Errorf("error %v, want that the publisher has ended", err)
		}
	}
	if c.Drain(); len(*got) > 0 {
		t.Errorf("handled %v", *got)
	}
}

// TestReleasedTopicTakesNoOtherWithIt closes a publisher twice, when a new topic of the same name exists.
func TestReleasedTopicTakesNoOtherWithIt(t *testing.T) {
	w := newWorld(t)
	c := w.client("robot")
	old := advertise(t, c, "/zoo", "foo_msgs/Bar", nil, bus.Latched)
	sayJSON(t, old, "1")
	old.Close()
	sub, got := keepJSON(c, "/zoo", 8)
	old.Close()
	sayJSON(t, advertise(t, c, "/zoo", "foo_msgs/Bar", nil, bus.Latest), "2")
	c.Drain()
	if diff := cmp.Diff([]string{"2"}, *got); diff != "" {
		t.Errorf("handled (-want +got):\n%s", diff)
	}
	sub.Cancel()
}

// Who mirrors a topic both ways must know its own messages, also those that were latched, whichever side they came from.
func TestASampleNamesItsNode(t *testing.T) {
	w := newWorld(t)
	gateway, mux, late := w.client("gateway"), w.client("mux"), w.client("late")
	topic := bus.NewTopic[std.String]("/words", bus.Latched, "words")
	var nodes []string
	hear := func(s *bus.Sample) { nodes = append(nodes, s.Node()) }
	bus.SubscribeRaw(gateway, "/words", 4, hear)
	raw, err := bus.AdvertiseRaw(gateway, "/words", "std_msgs/String", std.StringType, bus.Latched)
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.PublishJSON([]byte(`{"data":"before there is a typed side"}`)); err != nil {
		t.Fatal(err)
	}
	gateway.Drain()
	typed := bus.NewPublisher(mux, topic)
	bus.SubscribeRaw(late, "/words", 4, hear) // gets what was adopted
	late.Drain()
	typed.Publish(std.String{Data: "of a node"})
	gateway.Drain()
	late.Drain()
	if err := raw.Publish(&std.String{Data: "again"}); err != nil {
		t.Fatal(err)
	}
	gateway.Drain()
	late.Drain()
	bus.SubscribeRaw(mux, "/words", 4, hear)
	mux.Drain()
	want := []string{"gateway", "gateway", "mux", "mux", "gateway", "gateway", "gateway"}
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Error(diff)
	}
}
