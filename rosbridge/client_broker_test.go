package rosbridge_test

import (
	"context"
	"errors"
	"math"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
	"sarathi/rosbridge"
)

// client returns a client of the broker.
func (r *rig) client(change func(*rosbridge.ClientConfig)) *rosbridge.Client {
	r.t.Helper()
	cfg := rosbridge.ClientConfig{URL: r.url, Backoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond}
	if change != nil {
		change(&cfg)
	}
	c, err := rosbridge.Dial(r.context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

func (r *rig) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r.t.Cleanup(cancel)
	return ctx
}

// await returns what comes from a channel.
func await[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		t.Fatal("nothing comes")
		panic("unreachable")
	}
}

// subscribed waits until the broker has taken what a client has sent: it answers in order.
func subscribed(r *rig, c *rosbridge.Client) {
	r.t.Helper()
	if _, err := c.TopicType(r.context(), "/x"); err != nil {
		r.t.Fatal(err)
	}
}

// TestClientAndBrokerInEveryEncoding sends a message of a known type to subscribers of all kinds.
func TestClientAndBrokerInEveryEncoding(t *testing.T) {
	want := &sensor.LaserScan{
		AngleMin: -1, RangeMax: 30, Ranges: []float32{1.5, float32(math.Inf(1)), float32(math.NaN())}, Intensities: []float32{7},
	}
	want.Header.FrameID, want.Header.Stamp.Sec, want.Header.Stamp.Nanosec = "laser", 1_700_000_000, 999_999_999
	text := *want
	text.Ranges = []float32{1.5, float32(math.NaN()), float32(math.NaN())} // JSON knows neither
	for _, d := range []rosbridge.Dialect{rosbridge.ROS1, rosbridge.ROS2} {
		cfg := config()
		cfg.Dialect = d
		r := start(t, cfg)
		talker := r.client(func(cc *rosbridge.ClientConfig) { cc.Dialect = d })
		p, err := rosbridge.AdvertiseAs[sensor.LaserScan](talker, "/scan", rosbridge.AdvertiseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		type listener struct {
			name string
			o    rosbridge.SubscribeOptions
			want *sensor.LaserScan
			got  chan *sensor.LaserScan
		}
		listeners := []*listener{
			{"none", rosbridge.SubscribeOptions{}, &text, nil},
			{"png", rosbridge.SubscribeOptions{Compression: rosbridge.CompressionPNG}, &text, nil},
			{"fragments", rosbridge.SubscribeOptions{FragmentSize: 64}, &text, nil},
			{"png in fragments", rosbridge.SubscribeOptions{Compression: rosbridge.CompressionPNG, FragmentSize: 64}, &text, nil},
			{"cbor", rosbridge.SubscribeOptions{Compression: rosbridge.CompressionCBOR}, &text, nil},
			{"cbor-raw", rosbridge.SubscribeOptions{Compression: rosbridge.CompressionCBORRaw}, want, nil},
		}
		for _, l := range listeners {
			l.got = make(chan *sensor.LaserScan, 1)
			c := r.client(func(cc *rosbridge.ClientConfig) { cc.Dialect = d })
			if _, err := rosbridge.SubscribeAs(c, "/scan", l.o, func(m *sensor.LaserScan) { l.got <- m }); err != nil {
				t.Fatal(err)
			}
			subscribed(r, c)
		}
		// JSON would lose the infinity on its way in.
		local, err := r.Attach("robot").Advertise("/scan", "sensor_msgs/LaserScan", rosbridge.TopicOptions{})
		if err != nil {
			t.Fatal(err)
		}
		local.PublishMessage(want)
		for _, l := range listeners {
			got, want := *await(t, l.got), *l.want
			if diff := cmp.Diff(want.AppendCDR(nil), got.AppendCDR(nil)); diff != "" {
				t.Errorf("dialect %d, %s: got %+v, want %+v", d, l.name, got, want)
			}
		}
		if err := p.Publish(want); err != nil {
			t.Fatal(err)
		}
		for _, l := range listeners {
			got := *await(t, l.got)
			if diff := cmp.Diff(text.AppendCDR(nil), got.AppendCDR(nil)); diff != "" {
				t.Errorf("dialect %d, %s through a client: got %+v", d, l.name, got)
			}
		}
		r.stop()
	}
}

func TestClientAndBrokerKeepUnknownTypes(t *testing.T) {
	r := start(t, config())
	const digits = `{"id":18446744073709551615,"x":0.10000000000000000055}`
	listener, talker := r.client(nil), r.client(nil)
	got := make(chan string, 1)
	_, err := listener.Subscribe("zoo", rosbridge.SubscribeOptions{Last: true}, func(d rosbridge.Delivery) { got <- string(d.Body) })
	if err != nil {
		t.Fatal(err)
	}
	subscribed(r, listener)
	p, err := talker.Advertise("/zoo", "foo_msgs/Bar", rosbridge.AdvertiseOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Publish([]byte(digits)); err != nil {
		t.Fatal(err)
	}
	if text := await(t, got); text != digits {
		t.Errorf("got %s", text)
	}
	late := r.client(nil)
	if _, err := late.Subscribe("/zoo", rosbridge.SubscribeOptions{}, func(d rosbridge.Delivery) { got <- string(d.Body) }); err != nil {
		t.Fatal(err)
	}
	if text := await(t, got); text != digits {
		t.Errorf("the late one got %s", text)
	}
}

func TestClientAndBrokerServices(t *testing.T) {
	r := start(t, config())
	server, caller := r.client(nil), r.client(nil)
	s, err := rosbridge.ServeAs(server, "enable", stdsrvs.SetBoolService,
		func(_ context.Context, req stdsrvs.SetBoolRequest) (stdsrvs.SetBoolResponse, error) {
			if !req.Data {
				return stdsrvs.SetBoolResponse{}, errors.New("cannot be switched off")
			}
			return stdsrvs.SetBoolResponse{Success: true, Message: "on"}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	subscribed(r, server)
	call := func(on bool) (stdsrvs.SetBoolResponse, error) {
		return rosbridge.CallAs[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse](r.context(), caller, "/enable", stdsrvs.SetBoolRequest{Data: on})
	}
	if resp, err := call(true); err != nil || resp.Message != "on" {
		t.Errorf("%+v, %v", resp, err)
	}
	if _, err := call(false); err == nil || !strings.Contains(err.Error(), "cannot be switched off") {
		t.Errorf("error %v", err)
	}
	if values, err := caller.Call(r.context(), "/enable", []byte("[true]")); err != nil || !strings.Contains(string(values), `"on"`) {
		t.Errorf("positional: %s, %v", values, err)
	}
	s.Close()
	subscribed(r, server)
	if _, err := call(true); err == nil {
		t.Error("a withdrawn service answered")
	}
}

func TestClientAndBrokerActions(t *testing.T) {
	r := start(t, config())
	server, caller := r.client(nil), r.client(nil)
	_, err := server.ServeAction("/go", "foo_msgs/Go", func(ctx context.Context, g *rosbridge.ActionGoal) ([]byte, error) {
		if err := g.Feedback([]byte(`{"at":1}`)); err != nil {
			return nil, err
		}
		if string(g.Args) == `{"far":true}` {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		return []byte(`{"there":true}`), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	subscribed(r, server)
	feedback := make(chan string, 4)
	send := func(args string) *rosbridge.Goal {
		t.Helper()
		g, err := caller.SendGoal("/go", "foo_msgs/Go", []byte(args), rosbridge.GoalOptions{Feedback: func(v []byte) { feedback <- string(v) }})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := send(`{}`)
	if res, err := g.Result(r.context()); err != nil || res.Status != rosbridge.GoalSucceeded || string(res.Values) != `{"there":true}` {
		t.Errorf("%+v, %v", res, err)
	}
	if f := await(t, feedback); f != `{"at":1}` {
		t.Errorf("feedback %s", f)
	}
	g = send(`{"far":true}`)
	await(t, feedback)
	if err := g.Cancel(); err != nil {
		t.Fatal(err)
	}
	if res, err := g.Result(r.context()); err != nil || res.Status != rosbridge.GoalCanceled {
		t.Errorf("canceled: %+v, %v", res, err)
	}
	g = send(`{"far":true}`)
	await(t, feedback)
	server.Close()
	if _, err := g.Result(r.context()); err == nil {
		t.Error("the goal of a server that is gone succeeded")
	}
	g, err = caller.SendGoal("/nobody", "foo_msgs/Go", nil, rosbridge.GoalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Result(r.context()); err == nil || !strings.Contains(err.Error(), "/nobody") {
		t.Errorf("goal of nobody: %v", err)
	}
}

func TestClientAsksRosapi(t *testing.T) {
	r := start(t, config())
	c := r.client(func(cc *rosbridge.ClientConfig) { cc.Name = "/tester" })
	if _, err := c.Advertise("/zoo", "foo_msgs/Bar", rosbridge.AdvertiseOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := rosbridge.SubscribeAs(c, "/text", rosbridge.SubscribeOptions{}, func(*std.String) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Serve("/feed", "std_srvs/Trigger", func(context.Context, []byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ServeAction("/go", "foo_msgs/Go", func(context.Context, *rosbridge.ActionGoal) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	ctx := r.context()
	must := func(v any, err error) any {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		return v
	}
	topics, err := c.Topics(ctx)
	if err != nil || !slices.Contains(topics, rosbridge.NameType{Name: "/zoo", Type: "foo_msgs/msg/Bar"}) {
		t.Errorf("topics %v, %v", topics, err)
	}
	details, err := c.NodeDetails(ctx, "/tester")
	if err != nil {
		t.Error(err)
	}
	services, _ := c.Services(ctx)
	for what, got := range map[string]any{
		"topic type":     must(c.TopicType(ctx, "/text")),
		"no topic type":  must(c.TopicType(ctx, "/nobody")),
		"topics of type": must(c.TopicsOfType(ctx, "foo_msgs/msg/Bar")),
		"publishers":     must(c.PublishersOf(ctx, "/zoo")),
		"subscribers":    must(c.SubscribersOf(ctx, "/text")),
		"service type":   must(c.ServiceType(ctx, "/feed")),
		"service node":   must(c.ServiceNode(ctx, "/feed")),
		"actions":        must(c.ActionServers(ctx)),
		"details":        details,
		"has service":    slices.Contains(services, "/feed"),
	} {
		want := map[string]any{
			"topic type": "std_msgs/msg/String", "no topic type": "", "topics of type": []string{"/zoo"}, "publishers": []string{"/tester"},
			"subscribers": []string{"/tester"}, "service type": "std_srvs/srv/Trigger", "service node": "/tester", "actions": []string{"/go"},
			"details":     rosbridge.NodeInfo{Subscribing: []string{"/text"}, Publishing: []string{"/zoo"}, Services: []string{"/feed"}},
			"has service": true,
		}[what]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	nodes, err := c.Nodes(ctx)
	if err != nil || !slices.Contains(nodes, "/tester") {
		t.Errorf("nodes %v, %v", nodes, err)
	}
}

func TestClientKeepsParameters(t *testing.T) {
	r := start(t, config())
	c, ctx := r.client(nil), r.context()
	if err := c.SetParam(ctx, "/speed", []byte("{")); err == nil {
		t.Error("a value that is not JSON was taken")
	}
	if err := c.SetParam(ctx, "/speed", []byte(`{"max":[1,"fast"]}`)); err != nil {
		t.Fatal(err)
	}
	if v, err := c.Param(ctx, "/speed"); err != nil || string(v) != `{"max":[1,"fast"]}` {
		t.Errorf("%s, %v", v, err)
	}
	if names, err := c.ParamNames(ctx); err != nil || !slices.Contains(names, "/speed") {
		t.Errorf("names %v, %v", names, err)
	}
	if err := c.DeleteParam(ctx, "/speed"); err != nil {
		t.Error(err)
	}
	if v, err := c.Param(ctx, "/speed"); err != nil || string(v) != "null" {
		t.Errorf("after it was deleted: %s, %v", v, err)
	}
}

// TestClientSurvivesARestartOfTheBroker on the same port: roslibpy#108, roslibrust#14.
func TestClientSurvivesARestartOfTheBroker(t *testing.T) {
	r := start(t, config())
	links := make(chan bool, 8)
	c := r.client(func(cc *rosbridge.ClientConfig) { cc.OnLink = func(up bool, _ error) { links <- up } })
	got := make(chan string, 8)
	if _, err := rosbridge.SubscribeAs(c, "/text", rosbridge.SubscribeOptions{}, func(m *std.String) { got <- m.Data }); err != nil {
		t.Fatal(err)
	}
	p, err := rosbridge.AdvertiseAs[std.String](c, "/text", rosbridge.AdvertiseOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Publish(&std.String{Data: "kept"}); err != nil {
		t.Fatal(err)
	}
	await(t, got)
	r.stop()
	l, err := net.Listen("tcp", strings.TrimPrefix(r.url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	serve(t, config(), l, (&net.Dialer{}).DialContext)
	if text := await(t, got); text != "kept" {
		t.Errorf("got %s", text)
	}
	if up := []bool{await(t, links), await(t, links), await(t, links)}; !slices.Equal(up, []bool{true, false, true}) {
		t.Errorf("links %v", up)
	}
}
