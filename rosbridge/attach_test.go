package rosbridge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
	"sarathi/rosbridge"
)

// diary is an Observer, and what else a broker tells, in order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) TopicAdvertised(name, typ string)   { d.note("topic %s %s", name, typ) }
func (d *diary) TopicReleased(name string)          { d.note("released %s", name) }
func (d *diary) ServiceAdvertised(name, typ string) { d.note("service %s %s", name, typ) }
func (d *diary) ServiceReleased(name string)        { d.note("service gone %s", name) }

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

func (d *diary) expect(t *testing.T, lines ...string) {
	t.Helper()
	until(t, fmt.Sprintf("%q", lines), func() bool { return len(d.read()) >= len(lines) })
	if diff := cmp.Diff(lines, d.read()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestAttachmentPublishes(t *testing.T) {
	r := start(t, config())
	robot := r.Attach("/robot")
	var demand diary
	pub, err := robot.Advertise("/state", "std_msgs/msg/Int32", rosbridge.TopicOptions{
		Latch: true, Exclusive: true, Demand: func(n int) { demand.note("%d", n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	pub.PublishMessage(&std.Int32{Data: 1})
	a, b := r.join(), r.join()
	a.say(subscribe("/state"), subscribe("/state", `"compression":"cbor"`))
	a.expect(number("/state", 1))
	if g := a.next(); !strings.Contains(string(g.binary), "ddata\x01") {
		t.Errorf("CBOR %x", g.binary)
	}
	b.say(number("/state", 7), advertise("/state", "std_msgs/Int32"), advertise("/state", "std_msgs/String"))
	a.quiet()
	pub.PublishMessage(&std.Int32{Data: 2})
	a.expect(number("/state", 2))
	a.leave()
	demand.expect(t, "1", "0")
	if values, _ := b.call("/rosapi/publishers", `{"topic":"/state"}`); values != `{"publishers":["/robot"]}` {
		t.Errorf("publishers %s", values)
	}
	pub.Close()
	pub.Close()
	pub.PublishMessage(&std.Int32{Data: 3})
	b.say(number("/state", 7)) // nobody keeps it for himself any more
	if values, _ := b.call("/rosapi/publishers", `{"topic":"/state"}`); values != `{"publishers":["/rosbridge_websocket"]}` {
		t.Errorf("publishers %s", values)
	}
}

func TestAttachmentKnowsTheTypeBest(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(advertise("/t", "std_msgs/String"), publish("/t", `{"data":"x"}`))
	b.say(subscribe("/t"))
	robot := r.Attach("/robot")
	pub, err := robot.Advertise("t", "std_msgs/Int32", rosbridge.TopicOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a.say(publish("/t", `{"data":"refused"}`))
	pub.PublishMessage(&std.Int32{Data: 1})
	b.expect(number("/t", 1))
	b.quiet()
	if _, err := robot.Advertise("/t", "std_msgs/Bool", rosbridge.TopicOptions{}); err == nil || err.Error() != "topic /t has type std_msgs/Int32 already, not std_msgs/Bool" {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"", "a b"} {
		if _, err := robot.Advertise(name, "std_msgs/Bool", rosbridge.TopicOptions{}); err == nil {
			t.Errorf("topic %q was advertised", name)
		}
		if _, err := robot.Subscribe(name, "", func(rosbridge.Received) {}); err == nil {
			t.Errorf("topic %q was subscribed", name)
		}
	}
	if _, err := robot.Subscribe("/t", "std_msgs/Bool", nil); err == nil {
		t.Error("subscribed with another type")
	}
}

// TestRobotTakesItsTopicBack from a client that advertised it before.
func TestRobotTakesItsTopicBack(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(advertise("/cmd_vel", "std_msgs/Int32"), number("/cmd_vel", 1))
	b.say(subscribe("/cmd_vel"))
	pub, err := r.Attach("/robot").Advertise("/cmd_vel", "std_msgs/Int32", rosbridge.TopicOptions{Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	a.say(number("/cmd_vel", 2))
	b.quiet()
	pub.Close()
	a.say(number("/cmd_vel", 3))
	b.expect(number("/cmd_vel", 3))
}

func TestAttachmentReceives(t *testing.T) {
	var d diary
	cfg := config()
	cfg.Observer, cfg.Unregister = &d, 0
	r := start(t, cfg)
	robot := r.Attach("/robot")
	a := r.join()
	a.say(`{"op":"advertise","topic":"/goal","type":"std_msgs/String","latch":true}`, publish("/goal", `{"data":"first"}`), advertise("/zoo", "zoo/msg/Zoo"))
	d.expect(t, "topic /goal std_msgs/String", "topic /zoo zoo/Zoo")
	var heard diary
	hear := func(m rosbridge.Received) {
		known, _ := m.Message().(*std.String)
		heard.note("%s %s %s %v", m.Topic, m.Type, m.JSON(), known != nil)
	}
	sub, err := robot.Subscribe("/goal", "", hear)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := robot.Subscribe("/zoo", "zoo/Zoo", hear); err != nil {
		t.Fatal(err)
	}
	a.say(publish("/goal", `{}`), publish("/zoo", `{ "x":18446744073709551615}`), publish("/goal", `{"data":5}`))
	own, err := robot.Advertise("/goal", "std_msgs/String", rosbridge.TopicOptions{})
	if err != nil {
		t.Fatal(err)
	}
	own.PublishMessage(&std.String{Data: "not to ourselves"})
	sub.Close()
	sub.Close()
	a.say(publish("/goal", `{"data":"too late"}`))
	heard.expect(t, `/goal std_msgs/String {"data":"first"} true`, `/goal std_msgs/String {"data":""} true`, `/zoo zoo/Zoo { "x":18446744073709551615} false`)
	if sub.Dropped() != 0 {
		t.Errorf("%d dropped", sub.Dropped())
	}
	a.leave()
	until(t, "released", func() bool { return len(d.read()) == 4 })
	gone := d.read()[2:]
	slices.Sort(gone)
	if diff := cmp.Diff([]string{"released /goal", "released /zoo"}, gone); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestHandlerMayPublish on the topic that it handles, latched or not, without waiting for itself.
func TestHandlerMayPublish(t *testing.T) {
	r := start(t, config())
	one, two := r.Attach("/one"), r.Attach("/two")
	pub, err := one.Advertise("/t", "std_msgs/Int32", rosbridge.TopicOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	back, err := two.Advertise("/t", "std_msgs/Int32", rosbridge.TopicOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int32, 100)
	if _, err := two.Subscribe("/t", "", func(m rosbridge.Received) {
		n, _ := m.Message().(*std.Int32)
		done <- n.Data
		back.PublishMessage(&std.Int32{Data: n.Data + 1})
	}); err != nil {
		t.Fatal(err)
	}
	pub.PublishMessage(&std.Int32{Data: 1})
	if n := <-done; n != 1 {
		t.Errorf("heard %d", n)
	}
	var last []int32
	if _, err := one.Subscribe("/t", "", func(m rosbridge.Received) { n, _ := m.Message().(*std.Int32); last = append(last, n.Data) }); err != nil {
		t.Fatal(err)
	}
	if len(last) != 1 || last[0] != 2 {
		t.Errorf("latched: %v", last)
	}
}

func TestBusyHandlerLosesTheOldest(t *testing.T) {
	r := start(t, config())
	a, b := r.join(), r.join()
	a.say(advertise("/t", "std_msgs/Int32"))
	b.say(advertise("/t", "std_msgs/Int32"))
	entered, leave := make(chan struct{}, 1000), make(chan struct{})
	sub, err := r.Attach("/robot").Subscribe("/t", "", func(rosbridge.Received) {
		entered <- struct{}{}
		<-leave
	})
	if err != nil {
		t.Fatal(err)
	}
	a.send(1, number("/t", 0)) // its goroutine is in the handler now
	<-entered
	for i := range 300 {
		b.send(1, number("/t", i))
	}
	b.sync()
	close(leave)
	a.sync()
	if sub.Dropped() != 300-256 {
		t.Errorf("%d dropped", sub.Dropped())
	}
}

func TestAttachmentServes(t *testing.T) {
	r := start(t, config())
	robot := r.Attach("/robot")
	var late func([]byte, error)
	serve := func(req rosbridge.Request, reply func([]byte, error)) {
		switch string(req.Args) {
		case `{"data":true}`:
			reply([]byte(`{"success":true}`), nil)
			reply([]byte(`{"success":false}`), nil)
		case `{"data":false}`:
			reply(nil, errors.New("no, "+req.Node))
		}
	}
	if err := robot.Serve("switch", "std_srvs/srv/SetBool", serve); err != nil {
		t.Fatal(err)
	}
	if err := robot.Serve("/late", "std_srvs/Trigger", func(_ rosbridge.Request, reply func([]byte, error)) { late = reply }); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []error{
		robot.Serve("/switch", "std_srvs/SetBool", serve), robot.Serve("/rosapi/topics", "x/Y", serve), robot.Serve("", "x/Y", serve), robot.Serve("/x", "", serve),
	} {
		if bad == nil {
			t.Error("served")
		}
	}
	a := r.join()
	a.say(`{"op":"hello","node":"app"}`)
	if values, ok := a.call("/switch", `{"data":true}`); !ok || values != `{"success":true,"message":""}` {
		t.Errorf("answer %s", values)
	}
	if values, ok := a.call("/switch", `[]`); ok || values != `"no, /app"` {
		t.Errorf("answer %s", values)
	}
	a.say(`{"op":"advertise_service","service":"/switch","type":"std_srvs/SetBool"}`) // is refused
	if values, _ := a.call("/switch", `{"data":true}`); values != `{"success":true,"message":""}` {
		t.Errorf("answer %s", values)
	}
	a.say(`{"op":"call_service","id":1,"service":"/late","timeout":0}`)
	robot.Close()
	robot.Close()
	a.expect(`{"op":"service_response","id":1,"service":"/late","values":"Service /late is gone","result":false}`)
	late(nil, nil)
	if values, ok := a.call("/switch", `{}`); ok || !strings.Contains(values, "does not exist") {
		t.Errorf("answer %s", values)
	}
	_, pubErr := robot.Advertise("/t", "std_msgs/Int32", rosbridge.TopicOptions{})
	_, subErr := robot.Subscribe("/t", "", nil)
	for _, err := range []error{pubErr, subErr, robot.Serve("/s", "x/Y", serve)} {
		if !errors.Is(err, rosbridge.ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
}

func TestAttachmentCalls(t *testing.T) {
	var d diary
	cfg := config()
	cfg.Observer = &d
	r := start(t, cfg)
	robot := r.Attach("/robot")
	a := r.join()
	a.say(`{"op":"advertise_service","service":"/ask","type":"std_srvs/SetBool"}`)
	d.expect(t, "service /ask std_srvs/SetBool")
	type answer struct {
		values []byte
		err    error
	}
	answers := make(chan answer, 1)
	done := func(values []byte, err error) { answers <- answer{values, err} }
	robot.CallAsync("ask", (&stdsrvs.SetBoolRequest{Data: true}).AppendJSON(nil), time.Minute, done)
	a.expect(`{"op":"call_service","id":"service_request:/ask:1","service":"/ask","args":{"data":true}}`)
	a.say(`{"op":"service_response","id":"service_request:/ask:1","service":"/ask","values":{"success":true,"message":"yes"},"result":true}`)
	if got := <-answers; got.err != nil || string(got.values) != `{"success":true,"message":"yes"}` {
		t.Errorf("answer %s, %v", got.values, got.err)
	}
	robot.CallAsync("/ask", nil, time.Minute, done)
	a.next()
	a.say(`{"op":"service_response","id":"service_request:/ask:2","service":"/ask","values":"boom","result":false}`)
	if got := <-answers; got.err == nil || got.err.Error() != "service /ask: boom" {
		t.Errorf("answer %s, %v", got.values, got.err)
	}
	for args, want := range map[string]string{`{"data":5}`: "arguments of /ask", `{`: "not JSON", `{} {}`: "not JSON"} {
		if _, err := robot.Call(context.Background(), "/ask", []byte(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", args, err)
		}
	}
	if _, err := robot.Call(context.Background(), "/none", nil); err == nil {
		t.Error("a service that does not exist answered")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := robot.Call(ctx, "/ask", nil); err == nil {
		t.Error("answered after the end")
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	if _, err := robot.Call(ctx, "/ask", nil); err == nil {
		t.Error("answered after the deadline")
	}
	a.say(`{"op":"unadvertise_service","service":"/ask"}`)
	d.expect(t, "service /ask std_srvs/SetBool", "service gone /ask")
}

// source is a ParamSource of one parameter, and one that its owner defends.
type source struct {
	mu    sync.Mutex
	value string
}

func (*source) Names(context.Context) []string { return []string{"/node:speed", "/node:fixed"} }

func (s *source) Get(_ context.Context, name string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name {
	case "/node:speed":
		return []byte(s.value), true
	case "/node:fixed":
		return []byte("1"), true
	}
	return nil, false
}

func (s *source) Set(_ context.Context, name string, value []byte) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name {
	case "/node:speed":
		s.value = string(value)
		return true, nil
	case "/node:fixed":
		return true, errors.New("it is fixed")
	}
	return false, nil
}

func TestParametersOfNodes(t *testing.T) {
	cfg := config()
	params := &source{value: "0.5"}
	cfg.Params = params
	cfg.Access.ReadParams, cfg.Access.WriteParams = []string{"/node:*", "/a"}, []string{"/node:*", "/a"}
	r := start(t, cfg)
	a := r.join()
	for _, step := range []struct{ service, args, want string }{
		{"get_param", `{"name":"/node:speed"}`, `{"value":"0.5","successful":true,"reason":""}`},
		{"set_param", `{"name":"node:speed","value":"0.7"}`, `{"successful":true,"reason":""}`},
		{"get_param", `["/node:speed",""]`, `{"value":"0.7","successful":true,"reason":""}`},
		{"set_param", `{"name":"/node:fixed","value":"2"}`, `"set parameter /node:fixed: it is fixed"`},
		{"delete_param", `{"name":"/node:fixed"}`, `"delete parameter /node:fixed: it belongs to a node"`},
		{"set_param", `{"name":"/b","value":"2"}`, `"set parameter /b: clients may not write it"`},
		{"delete_param", `{"name":"/b"}`, `"delete parameter /b: clients may not write it"`},
		{"set_param", `{"name":"/a","value":"2"}`, `{"successful":true,"reason":""}`},
		{"set_param", `{"name":"","value":"2"}`, `"set parameter : bad name"`},
		{"get_param_names", `{}`, `{"names":["/a","/node:fixed","/node:speed"]}`},
		{"has_param", `{"name":"/node:speed"}`, `{"exists":true}`},
		{"has_param", `{"name":"/b"}`, `{"exists":false}`},
	} {
		if got, _ := a.call("/rosapi/"+step.service, step.args); got != step.want {
			t.Errorf("%s %s: %s, want %s", step.service, step.args, got, step.want)
		}
	}
}

// TestGraphSpeaksForTheProcess: attachments are not listed, the nodes of the process are.
func TestGraphSpeaksForTheProcess(t *testing.T) {
	cfg := config()
	cfg.Graph = func() rosbridge.Graph {
		return rosbridge.Graph{
			Nodes:    []string{"/mux", "/planner"},
			Topics:   []rosbridge.GraphTopic{{Name: "/cmd_vel", Type: "geometry_msgs/msg/Twist", Publishers: []string{"/mux"}, Subscribers: []string{"/body"}}},
			Services: []rosbridge.GraphService{{Name: "/plan", Type: "nav_msgs/srv/GetPlan", Node: "/planner"}},
		}
	}
	r := start(t, cfg)
	robot := r.Attach("/gateway")
	if _, err := robot.Advertise("/cmd_vel", "geometry_msgs/Twist", rosbridge.TopicOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := robot.Serve("/plan", "nav_msgs/GetPlan", func(rosbridge.Request, func([]byte, error)) {}); err != nil {
		t.Fatal(err)
	}
	a := r.join()
	a.say(subscribe("/cmd_vel"))
	for _, step := range []struct{ service, args, want string }{
		{"nodes", `{}`, `{"nodes":["/body","/mux","/planner","/rosapi","/rosbridge_websocket"]}`},
		{"publishers", `{"topic":"/cmd_vel"}`, `{"publishers":["/mux"]}`},
		{"subscribers", `{"topic":"/cmd_vel"}`, `{"subscribers":["/body","/rosbridge_websocket"]}`},
		{"service_node", `{"service":"/plan"}`, `{"node":"/planner"}`},
		{"node_details", `{"node":"/mux"}`, `{"subscribing":[],"publishing":["/cmd_vel"],"services":[]}`},
		{"topic_type", `{"topic":"/cmd_vel"}`, `{"type":"geometry_msgs/msg/Twist"}`},
		{"service_type", `{"service":"/plan"}`, `{"type":"nav_msgs/srv/GetPlan"}`},
	} {
		if got, _ := a.call("/rosapi/"+step.service, step.args); got != step.want {
			t.Errorf("%s: %s, want %s", step.service, got, step.want)
		}
	}
}
