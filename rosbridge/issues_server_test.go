package rosbridge_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"sarathi/internal/idl"
	"sarathi/msg"
	"sarathi/rosbridge"
)

// TestIssue16ChurnLeavesNothing: clients subscribe twice, with bad types, offer everything and vanish in the middle, over and over.
func TestIssue16ChurnLeavesNothing(t *testing.T) {
	cfg := config()
	cfg.Unregister = 0
	r := start(t, cfg)
	steady := r.join()
	steady.say(`{"op":"advertise_action","action":"/steady","type":"a/B"}`, `{"op":"advertise_service","service":"/steady","type":"a/B"}`)
	round := func() {
		for range 8 {
			u := r.join()
			for _, text := range []string{
				subscribe("/t", `"id":"a"`), subscribe("/t", `"id":"a"`), subscribe("/t", `"id":"b"`, `"type":"no/Such"`),
				subscribe("/t", `"id":"c"`, `"compression":"png"`, `"throttle_rate":50`, `"queue_length":3`), advertise("/t", "std_msgs/Int32"), number("/t", 1),
				advertise("/t", "std_msgs/String"), `{"op":"advertise_service","service":"/churn","type":"a/B"}`,
				`{"op":"advertise_action","action":"/churn","type":"a/B"}`, `{"op":"call_service","id":"x","service":"/steady"}`,
				`{"op":"call_service","id":"y","service":"/churn"}`, `{"op":"send_action_goal","id":"g","action":"/churn","action_type":"a/B"}`,
				`{"op":"send_action_goal","id":"h","action":"/steady","action_type":"a/B"}`, `{"op":"cancel_action_goal","id":"h","action":"/steady"}`,
				number("/t", 2),
			} {
				u.send(websocket.MessageText, text)
			}
			u.leave()
		}
		until(t, "they are gone", func() bool { return len(r.Stats().Clients) == 1 })
	}
	round()
	goroutines, heap := runtime.NumGoroutine(), residentHeap()
	for range 10 {
		round()
	}
	if grown := residentHeap() - heap; grown > 500<<10 {
		t.Errorf("%d bytes more", grown)
	}
	until(t, "no goroutine is left over", func() bool { return runtime.NumGoroutine() <= goroutines+8 })
	if values, _ := steady.call("/rosapi/services_for_type", `{"type":"a/B"}`); values != `{"services":["/steady"]}` {
		t.Errorf("services %s", values)
	}
	until(t, "the topics are forgotten", func() bool { return r.topic("/t").Name == "" })
}

// TestIssue21RestartOnTheSamePort: a broker that was closed frees its port and its clients at once.
func TestIssue21RestartOnTheSamePort(t *testing.T) {
	first := start(t, config())
	u := first.join()
	first.stop()
	if code := u.closed(); code != websocket.StatusGoingAway {
		t.Errorf("closed with %v", code)
	}
	l, err := net.Listen("tcp", strings.TrimPrefix(first.url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	second := serve(t, config(), l, first.dial)
	second.join().say(subscribe("/t"))
}

// A page whose name was made to point here (DNS rebinding) is of "this host", as its browser sees it. Without a token only an address is.
func TestIssue22PagesThatPretendToBeOfThisHost(t *testing.T) {
	for _, test := range []struct {
		token, path, host, origin string
		code                      int
	}{
		{"", "/", "evil.org:9091", "http://evil.org:9091", 403},
		{"", "/", "evil.org", "http://evil.org", 403},
		{"", "/", "localhost.evil.org", "http://localhost.evil.org", 403},
		{"", "/", "10.0.0.7:9091", "http://10.0.0.7:9091", 101},
		{"", "/", "[fe80::1]:9091", "http://[fe80::1]:9091", 101},
		{"", "/", "robot.local", "", 101}, // no page
		{"secret", "/?token=secret", "robot.local", "http://robot.local", 101},
		{"secret", "/", "robot.local", "http://robot.local", 401},
	} {
		cfg := config()
		cfg.Token = test.token
		r := start(t, cfg)
		opt := r.options()
		opt.Host, opt.HTTPHeader = test.host, http.Header{}
		if test.origin != "" {
			opt.HTTPHeader.Set("Origin", test.origin)
		}
		c, resp, err := websocket.Dial(t.Context(), r.url+test.path, opt)
		if resp == nil || resp.StatusCode != test.code {
			t.Errorf("%+v: %v, %v", test, resp, err)
		}
		if c != nil {
			c.CloseNow()
		}
	}
}

func TestIssue22TokenOriginAndAccess(t *testing.T) {
	cfg := config()
	cfg.Token = "secret"
	cfg.Origins = []string{"https://*.example.org"}
	cfg.Access = rosbridge.Access{
		Publish: []string{"/open/*"}, Subscribe: []string{"/o?en/*"}, Call: []string{}, Serve: []string{"/mine"},
		SendGoals: []string{}, ServeActions: []string{}, ReadParams: []string{"/p"}, WriteParams: []string{},
	}
	r := start(t, cfg)
	t.Run("handshake", func(t *testing.T) {
		for _, test := range []struct {
			path, authorization, origin string
			code                        int
		}{
			{"/?token=secret", "", "", 101},
			{"/", "Bearer secret", "", 101},
			{"/", "bearer  secret", "https://app.example.org", 101},
			{"/?token=secret", "", "http://localhost:8000", 101},
			{"/?token=secret", "", "http://[::1]", 101},
			{"/?token=secret", "", "http://" + strings.TrimPrefix(r.url, "ws://"), 101},
			{"/?token=secret", "", "https://evil.org", 403},
			{"/?token=secret", "", "null", 403},
			{"/?token=secrets", "", "", 401},
			{"/", "Basic secret", "", 401},
			{"/", "", "", 401},
			{"/?token=secret&ros=3", "", "", 400},
		} {
			opt := r.options()
			opt.HTTPHeader = http.Header{}
			if test.authorization != "" {
				opt.HTTPHeader.Set("Authorization", test.authorization)
			}
			if test.origin != "" {
				opt.HTTPHeader.Set("Origin", test.origin)
			}
			c, resp, err := websocket.Dial(t.Context(), r.url+test.path, opt)
			if resp == nil || resp.StatusCode != test.code {
				t.Errorf("%+v: %v, %v", test, resp, err)
			}
			if c != nil {
				c.CloseNow()
			}
		}
	})
	a := r.joinAt("/?token=secret")
	a.say(advertise("/closed", "std_msgs/Int32"), number("/closed", 1), advertise("/open/x", "std_msgs/Int32"), subscribe("/closed"), subscribe("/open/x"),
		`{"op":"advertise_service","service":"/other","type":"a/B"}`, `{"op":"advertise_service","service":"/mine","type":"a/B"}`,
		`{"op":"advertise_action","action":"/act","type":"a/B"}`, number("/open/x", 1))
	a.expect(number("/open/x", 1))
	for service, args := range map[string]string{"/mine": `{}`, "/rosapi/set_param": `{"name":"/p","value":"1"}`} {
		if values, ok := a.call(service, args); ok {
			t.Errorf("%s answered %s", service, values)
		}
	}
	if values, _ := a.call("/rosapi/services_for_type", `{"type":"a/B"}`); values != `{"services":["/mine"]}` {
		t.Errorf("services %s", values)
	}
	if values, _ := a.call("/rosapi/topics", `{}`); strings.Contains(values, "/closed") {
		t.Errorf("topics %s", values)
	}
	a.send(websocket.MessageText, `{"op":"send_action_goal","id":"g","action":"/act","action_type":"a/B"}`)
	if g := a.next(); !strings.Contains(g.text, "may not be used") {
		t.Errorf("answer %s", g.text)
	}
	a.quiet()
}

// TestIssue23FoxgloveFindsFullDefinitions parses every definition as Foxglove does: nested types have full names and texts of their own.
func TestIssue23FoxgloveFindsFullDefinitions(t *testing.T) {
	r := start(t, config())
	a := r.join()
	n := 0
	for _, typ := range msg.All() {
		if typ.Kind == "msg" {
			a.say(advertise(fmt.Sprintf("/t%d", n), typ.ROS2Name()))
			n++
		}
	}
	for path, dialect := range map[string]idl.Dialect{"/?ros=1": idl.ROS1, "/?ros=2": idl.ROS2} {
		values, ok := r.joinAt(path).call("/rosapi/topics_and_raw_types", `{}`)
		var got struct {
			Topics, Types []string
			Texts         []string `json:"typedefs_full_text"`
		}
		if err := json.Unmarshal([]byte(values), &got); !ok || err != nil || len(got.Topics) < n || len(got.Types) != len(got.Topics) || len(got.Texts) != len(got.Topics) {
			t.Fatalf("%.200s, %v", values, err)
		}
		rosout := map[idl.Dialect]string{idl.ROS1: "rosgraph_msgs/Log", idl.ROS2: "rcl_interfaces/msg/Log"}[dialect]
		for i, text := range got.Texts {
			if _, _, err := idl.ParseFullText(dialect, got.Types[i], text); err != nil {
				t.Errorf("%s: %v", got.Types[i], err)
			}
			if got.Topics[i] == "/rosout" && got.Types[i] != rosout {
				t.Errorf("/rosout is %s", got.Types[i])
			}
		}
	}
}
