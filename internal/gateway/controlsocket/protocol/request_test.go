package protocol_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/gateway/controlsocket/protocol"
)

// lines serve the table and as fuzz seeds. wrong is part of the error, "" for good lines.
func lines() []struct{ name, line, wrong string } {
	return []struct{ name, line, wrong string }{
		{"graph", `{"id":1,"op":"graph"}`, ""},
		{"watch", `{"id":2,"op":"watch","topic":"/control/status","depth":4,"times_only":true}`, ""},
		{"relative name", `{"id":2,"op":"watch","topic":"control/status"}`, ""},
		{"unwatch", `{"id":2,"op":"unwatch"}`, ""},
		{"publish", `{"id":3,"op":"publish","publication":{"topic":"/chat","type":"std_msgs/String","message":{"data":"x"}}}`, ""},
		{"call", `{"id":4,"op":"call","service":"/a/b","request":{"data":true},"timeout_ms":1500}`, ""},
		{"empty", ``, "not a request"},
		{"no JSON", `hello`, "not a request"},
		{"an array", `[1]`, "not a request"},
		{"cut off", `{"id":1,"op":"gra`, "not a request"},
		{"two values", `{"id":1,"op":"graph"} {}`, "more than one value"},
		{"unknown field", `{"id":1,"op":"graph","topics":true}`, `unknown field "topics"`},
		{"wrong kind", `{"id":1,"op":7}`, "not a request"},
		{"no id", `{"op":"graph"}`, "number requests from 1"},
		{"negative id", `{"id":-3,"op":"graph"}`, "number requests from 1"},
		{"unknown op", `{"id":1,"op":"reboot"}`, "write graph, watch"},
		{"no topic", `{"id":1,"op":"watch"}`, "is not a name"},
		{"two slashes", `{"id":1,"op":"watch","topic":"//molly/cmd_vel"}`, "is not a name"},
		{"slash at the end", `{"id":1,"op":"watch","topic":"/molly/"}`, "is not a name"},
		{"placeholder", `{"id":1,"op":"watch","topic":"/{robot_ns}/cmd_vel"}`, "is not a name"},
		{"long name", `{"id":1,"op":"watch","topic":"/` + strings.Repeat("x", 255) + `"}`, "is not a name"},
		{"deep", `{"id":1,"op":"watch","topic":"/a","depth":1025}`, "write 1 to 1024"},
		{"no message", `{"id":1,"op":"publish","publication":{"topic":"/a"}}`, "publish needs"},
		{"no publication", `{"id":1,"op":"publish"}`, "publish needs"},
		{"no service", `{"id":1,"op":"call"}`, "is not a name"},
		{"long time-out", `{"id":1,"op":"call","service":"/a","timeout_ms":600001}`, "write 1 to 600000"},
		{"endless nesting", strings.Repeat(`{"request":[`, 20000), "not a request"},
	}
}

func TestParseRequestSaysWhatIsWrong(t *testing.T) {
	for _, tt := range lines() {
		t.Run(tt.name, func(t *testing.T) {
			_, err := protocol.ParseRequest([]byte(tt.line))
			switch {
			case tt.wrong == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.wrong != "" && err == nil:
				t.Errorf("accepted, want an error with %q", tt.wrong)
			case tt.wrong != "" && !strings.Contains(err.Error(), tt.wrong):
				t.Errorf("error %q, want one with %q", err, tt.wrong)
			}
		})
	}
}

func TestParseRequestKeepsTheIDOfABadRequest(t *testing.T) {
	for _, line := range []string{`{"id":7,"op":"reboot"}`, `{"id":7,"op":"graph","topics":1}`, `{"id":7,"op":"watch"}`} {
		r, err := protocol.ParseRequest([]byte(line))
		if err == nil || r.ID != 7 {
			t.Errorf("%s: id %d, error %v; want id 7 and an error", line, r.ID, err)
		}
	}
}

func TestParseRequestFillsInDefaults(t *testing.T) {
	r, err := protocol.ParseRequest([]byte(`{"id":1,"op":"watch","topic":"/a"}`))
	if err != nil || r.Depth != 16 {
		t.Errorf("depth %d, error %v; want 16", r.Depth, err)
	}
	if r.Timeout() != 5*time.Second {
		t.Errorf("time-out %v, want 5s", r.Timeout())
	}
	r.TimeoutMS = 1500
	if r.Timeout() != 1500*time.Millisecond {
		t.Errorf("time-out %v, want 1.5s", r.Timeout())
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, tt := range lines() {
		f.Add([]byte(tt.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := protocol.ParseRequest(line)
		if r.ID < 0 {
			t.Errorf("id %d of a reply to %q", r.ID, line)
		}
		if err != nil {
			return
		}
		if r.ID == 0 || r.Timeout() <= 0 || r.Timeout() > protocol.MaxTimeout || r.Depth < 0 || r.Depth > protocol.MaxDepth {
			t.Errorf("%q: accepted %+v", line, r)
		}
		if r.Op == protocol.OpPublish && r.Publication == nil {
			t.Errorf("%q: accepted a publication without one", line)
		}
	})
}

func TestReplies(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.FixedZone("", 3600))
	refused, err := protocol.AppendReply(nil, &protocol.Reply{ID: 3, Error: &graph.Error{Code: graph.Busy, Message: "full"}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, got, want string }{
		{"refusal", string(refused), `{"id":3,"error":{"code":"busy","message":"full"}}` + "\n"},
		{
			"sample", string(protocol.AppendSample(nil, 4, at, 2, []byte(`{"x":1}`))),
			`{"id":4,"sample":{"at":"2026-01-02T02:04:05.6Z","lost":2,"message":{"x":1}}}` + "\n",
		},
		{
			"time only", string(protocol.AppendSample(nil, 4, at, 0, nil)),
			`{"id":4,"sample":{"at":"2026-01-02T02:04:05.6Z","lost":0}}` + "\n",
		},
		{
			"line breaks", string(protocol.AppendSample(nil, 4, at, 0, []byte("{\n\"x\":\n\n1}\n"))),
			`{"id":4,"sample":{"at":"2026-01-02T02:04:05.6Z","lost":0,"message":{ "x":  1} }}` + "\n",
		},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestAppendSampleLeavesTheSharedMessageAlone(t *testing.T) {
	shared := []byte("{\n}")
	protocol.AppendSample(nil, 1, time.Time{}, 0, shared)
	if string(shared) != "{\n}" {
		t.Errorf("the message became %q", shared)
	}
}
