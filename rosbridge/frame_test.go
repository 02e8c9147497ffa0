package rosbridge

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func second(n float64) *time.Duration {
	d := time.Duration(n * float64(time.Second))
	return &d
}

// frames are one or more of every op: what is written for them, and what is read from that.
var frames = []struct {
	text  string
	frame Frame
}{
	{
		`{"op":"advertise","id":"a","topic":"/t","type":"std_msgs/String","latch":true,"queue_size":100,"definition":"string data","qos":{"depth":1}}`,
		Frame{
			Op: OpAdvertise, ID: `"a"`, Topic: "/t", Type: "std_msgs/String", Latch: true, QueueSize: 100, Definition: "string data",
			QoS: []byte(`{"depth":1}`),
		},
	},
	{`{"op":"unadvertise","topic":"/t"}`, Frame{Op: OpUnadvertise, Topic: "/t"}},
	{`{"op":"publish","topic":"rel","msg":{"data":"h\u00e9","n":18446744073709551615}}`, Frame{
		Op: OpPublish, Topic: "rel", Body: []byte(`{"data":"h\u00e9","n":18446744073709551615}`),
	}},
	{
		`{"op":"subscribe","id":7,"topic":"/t","type":"a/B","throttle_rate":200,"queue_length":1,"fragment_size":1000,"compression":"cbor"}`,
		Frame{
			Op: OpSubscribe, ID: "7", Topic: "/t", Type: "a/B", Throttle: 200 * time.Millisecond, QueueLength: 1, FragmentSize: 1000,
			Compression: CompressionCBOR,
		},
	},
	{`{"op":"unsubscribe","id":7,"topic":"/t"}`, Frame{Op: OpUnsubscribe, ID: "7", Topic: "/t"}},
	{`{"op":"call_service","id":"c","service":"/s","args":[1,"x"],"timeout":0.5}`, Frame{
		Op: OpCallService, ID: `"c"`, Service: "/s", Body: []byte(`[1,"x"]`), Timeout: second(0.5),
	}},
	{`{"op":"service_response","id":"c","service":"/s","values":{"ok":true},"result":true}`, Frame{
		Op: OpServiceResponse, ID: `"c"`, Service: "/s", Body: []byte(`{"ok":true}`), Result: true,
	}},
	{`{"op":"service_response","service":"/s","values":"no","result":false}`, Frame{Op: OpServiceResponse, Service: "/s", Body: []byte(`"no"`)}},
	{`{"op":"advertise_service","service":"/s","type":"std_srvs/srv/Trigger"}`, Frame{Op: OpAdvertiseService, Service: "/s", Type: "std_srvs/srv/Trigger"}},
	{`{"op":"unadvertise_service","service":"/s"}`, Frame{Op: OpUnadvertiseService, Service: "/s"}},
	{`{"op":"advertise_action","action":"/a","type":"p/action/A"}`, Frame{Op: OpAdvertiseAction, Action: "/a", Type: "p/action/A"}},
	{`{"op":"unadvertise_action","action":"/a"}`, Frame{Op: OpUnadvertiseAction, Action: "/a"}},
	{`{"op":"send_action_goal","id":"g","action":"/a","action_type":"p/A","args":{"order":5},"feedback":true}`, Frame{
		Op: OpSendActionGoal, ID: `"g"`, Action: "/a", Type: "p/A", Body: []byte(`{"order":5}`), Feedback: true,
	}},
	{`{"op":"cancel_action_goal","id":"g","action":"/a"}`, Frame{Op: OpCancelActionGoal, ID: `"g"`, Action: "/a"}},
	{`{"op":"action_feedback","id":"g","action":"/a","values":{"x":[]}}`, Frame{Op: OpActionFeedback, ID: `"g"`, Action: "/a", Body: []byte(`{"x":[]}`)}},
	{`{"op":"action_result","id":"g","action":"/a","values":{},"status":4,"result":true}`, Frame{
		Op: OpActionResult, ID: `"g"`, Action: "/a", Body: []byte(`{}`), Status: GoalSucceeded, Result: true,
	}},
	{`{"op":"fragment","id":"f","data":"{\"op\"","num":0,"total":3}`, Frame{Op: OpFragment, ID: `"f"`, Data: `{"op"`, Total: 3}},
	{`{"op":"png","data":"AAAA"}`, Frame{Op: OpPNG, Data: "AAAA"}},
	{`{"op":"set_level","level":"none"}`, Frame{Op: OpSetLevel, Level: "none"}},
	{`{"op":"status","id":"x","level":"error","msg":"text"}`, Frame{Op: OpStatus, ID: `"x"`, Level: "error", Body: []byte(`"text"`)}},
	{`{"op":"hello","node":"slam"}`, Frame{Op: OpHello, Node: "slam"}},
}

func TestFramesReadAndWrite(t *testing.T) {
	for _, test := range frames {
		t.Run(test.frame.Op, func(t *testing.T) {
			got, err := ParseFrame([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(test.text, `"result"`) {
				test.frame.Result = true // what is not said counts as success
			}
			if diff := cmp.Diff(test.frame, got); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
			if out := string(test.frame.AppendJSON(nil)); out != test.text {
				t.Errorf("written\n%s, want\n%s", out, test.text)
			}
		})
	}
}

func TestFramesOfOtherPrograms(t *testing.T) {
	tests := []struct {
		name, text string
		want       Frame
	}{
		{
			"nulls count as absent, unknown fields pass", `{"op":"subscribe","topic":"t","id":null,"compression":null,"qos":null,"new":{"deep":[1]}}`,
			Frame{Op: OpSubscribe, Topic: "t"},
		},
		{
			"numbers as Python and C++ write them", `{"op":"subscribe","topic":"t","throttle_rate":1e2,"queue_length":-1,"fragment_size":1.5}`,
			Frame{Op: OpSubscribe, Topic: "t", Throttle: 100 * time.Millisecond, FragmentSize: 1},
		},
		{
			"rosbridge_suite divides the total", `{"op":"fragment","id":0,"data":"x","num":2,"total":2.9667}`,
			Frame{Op: OpFragment, ID: "0", Data: "x", Num: 2, Total: 3},
		},
		{
			"no number for Python's numbers", `{"op":"publish","topic":"t","msg":{"a":[NaN,1,-Infinity],"b":Infinity,"c":"NaN"}}`,
			Frame{Op: OpPublish, Topic: "t", Body: []byte(`{"a":[null,1,null],"b":null,"c":"NaN"}`)},
		},
		{
			"escaped names", `{"\u006fp":"\u0070ublish","topic":"\/t","msg":{}}`,
			Frame{Op: OpPublish, Topic: "/t", Body: []byte(`{}`)},
		},
		{
			"space anywhere", " {\n\t\"op\" : \"hello\" ,\r \"node\" : \"n\" } ",
			Frame{Op: OpHello, Node: "n"},
		},
		{"unknown op", `{"op":"dance","id":1}`, Frame{Op: "dance", ID: "1"}},
		{"no time-out", `{"op":"call_service","service":"s","timeout":-1}`, Frame{Op: OpCallService, Service: "s", Timeout: second(0)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseFrame([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			test.want.Result = true
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsNoFrame(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "expected an object"},
		{"array", `[]`, "expected an object"},
		{"no op", `{"x":1}`, "no op"},
		{"op is a number", `{"op":5}`, "op is not a string"},
		{"op is null", `{"op":null}`, "no op"},
		{"cut off", `{"op":"publish","topic":"/t","msg":{"da`, "the text ends inside a string"},
		{"two frames in one message", `{"op":"hello","node":"a"}{"op":"hello","node":"b"}`, "text follows the frame"},
		{"no comma", `{"op":"hello" "node":"a"}`, "expected a comma"},
		{"no topic", `{"op":"publish"}`, "publish: no topic"},
		{"no msg", `{"op":"publish","topic":"/t"}`, "no msg"},
		{"topic is a number", `{"op":"subscribe","topic":5}`, "topic is not a string"},
		{"no type", `{"op":"advertise","topic":"/t"}`, "no type"},
		{"no service", `{"op":"call_service"}`, "no service"},
		{"no goal", `{"op":"cancel_action_goal","action":"/a"}`, "no id"},
		{"id is an object", `{"op":"publish","id":{},"topic":"/t","msg":{}}`, "id is neither"},
		{"long id", `{"op":"publish","id":"` + strings.Repeat("x", maxName) + `","topic":"/t","msg":{}}`, "id is too long"},
		{"long topic", `{"op":"publish","topic":"` + strings.Repeat("x", maxName) + `","msg":{}}`, "topic is longer than 512"},
		{"long op", `{"op":"` + strings.Repeat("x", 2*maxName) + `"}`, "op is too long"},
		{"latch", `{"op":"advertise","topic":"/t","type":"a/B","latch":1}`, "latch is neither"},
		{"queue", `{"op":"subscribe","topic":"/t","queue_length":"1"}`, "queue_length is not a number"},
		{"qos", `{"op":"subscribe","topic":"/t","qos":1}`, "qos is not an object"},
		{"time-out", `{"op":"call_service","service":"/s","timeout":"1"}`, "timeout is not a number"},
		{"fragment beyond the total", `{"op":"fragment","id":"f","data":"x","num":3,"total":3}`, "num 3 of total 3"},
		{"deep", `{"op":"publish","topic":"/t","msg":` + strings.Repeat(`[`, 500), "nested deeper than 128"},
		{"raw control character", "{\"op\":\"a\nb\"}", "raw control character"},
		{"not UTF-8", "{\"op\":\"\xff\"}", "not UTF-8"},
		{"bad escape", `{"op":"\x"}`, "bad escape"},
		{"bad number", `{"op":"a","x":01}`, "bad number"},
		{"bad word", `{"op":"a","x":nul}`, "expected a value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseFrame([]byte(test.text))
			if fault, ok := errors.AsType[*FrameError](err); !ok || !strings.Contains(fault.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestIDKeepsItsKind(t *testing.T) {
	for id, want := range map[ID]string{`"a\u0062"`: "ab", "7": "7", "12345678901234567890": "12345678901234567890", "": ""} {
		if got := id.String(); got != want {
			t.Errorf("%s is %q, want %q", id, got, want)
		}
	}
	if id := StringID(`say "x"`); id.String() != `say "x"` {
		t.Errorf("id %s", id)
	}
}

// FuzzParseFrame holds the scanner to encoding/json, and what was read to what is written for it.
func FuzzParseFrame(f *testing.F) {
	for _, test := range frames {
		f.Add([]byte(test.text))
	}
	f.Add([]byte(`{"op":"publish","topic":"t","msg":[NaN,-Infinity]}`))
	f.Add([]byte("{\"op\":\"\u00e9\\ud83e\",\"x\":[[],{},-0.5e-7,true,false,null]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ParseFrame(data)
		if err != nil {
			return
		}
		if s := (&scanner{src: data}); len(s.value()) > 0 && s.nonFinite == nil && !json.Valid(data) {
			t.Fatalf("accepted what is no JSON: %q", data)
		}
		if got.Body != nil && !json.Valid(got.Body) {
			t.Fatalf("body is no JSON: %q", got.Body)
		}
		text := got.AppendJSON(nil)
		again, err := ParseFrame(text)
		if err != nil {
			t.Fatalf("%q was written as %q: %v", data, text, err)
		}
		if second := again.AppendJSON(nil); string(second) != string(text) {
			t.Fatalf("written %q, then %q", text, second)
		}
	})
}

// FuzzScanner accepts exactly what encoding/json does, but for the depth, bad UTF-8 and Python's numbers.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e+3,"x\\\u12ab"],"b":{}}`, `"` + strings.Repeat("plain ", 9) + `"`, `[1,]`, `-`, `1.`, `tru`, "\"\x1f\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{src: data}
		s.value()
		s.peek()
		ok := s.err == nil && s.pos == len(data)
		special := s.nonFinite != nil || s.err != nil && (strings.Contains(s.err.Error(), "deeper") || strings.Contains(s.err.Error(), "UTF-8"))
		if !special && ok != json.Valid(data) {
			t.Fatalf("accepted %v: %q (%v)", ok, data, s.err)
		}
	})
}
