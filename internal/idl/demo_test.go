package idl_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/idl/idltest"
	msg "sarathi/internal/idl/testdata/golden"
	"sarathi/internal/idl/testdata/golden/builtin"
	"sarathi/internal/idl/testdata/golden/demo"
)

// TestDemoRoundTrip runs the generated golden packages: they hold constructs that no standard message uses.
func TestDemoRoundTrip(t *testing.T) {
	for _, typ := range msg.All() {
		idltest.RoundTrip(t, typ, 20)
	}
}

func FuzzDemoParsers(f *testing.F) {
	m := demo.NewEverything()
	for seed := range uint64(4) {
		idltest.Fill(m, seed)
		f.Add(m.AppendJSON(nil))
		f.Add(m.AppendCDR(nil))
		f.Add(m.AppendROS1(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		idltest.CheckParsers(t, demo.EverythingType, data)
		idltest.CheckParsers(t, demo.FlavouredType, data)
	})
}

func TestDemoDefaults(t *testing.T) {
	var m demo.Everything
	if err := m.ParseJSON([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(demo.NewEverything(), &m, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("empty object (-defaults +parsed):\n%s", diff)
	}
	if !math.IsNaN(float64(m.F32)) || m.I32s[1] != -2 || m.Inners[1].W != 1 {
		t.Errorf("defaults %+v", m)
	}
	if err := m.ParseJSON([]byte(`{"inner_list":[{},{"w":2}],"inner":{"w":5},"inner":{"range":[1,2]}}`)); err != nil {
		t.Fatal(err)
	}
	if m.InnerList[0].W != 1 || m.InnerList[1].W != 2 {
		t.Errorf("elements do not begin with defaults: %+v", m.InnerList)
	}
	if m.Inner.W != 1 {
		t.Errorf("the last of two members must win as a whole: %+v", m.Inner)
	}
}

func TestDemoBounds(t *testing.T) {
	tests := []struct{ json, want string }{
		{`{"short_text":"123456"}`, "short_text: string of 6 bytes where the definition allows 5"},
		{`{"bounded_pair":["","12345"]}`, "bounded_pair[1]: string of 5 bytes"},
		{`{"few":[1,2,3,4]}`, "few[3]: more than the 3 elements"},
		{`{"few_bytes":"AAAAAAA="}`, "few_bytes: 5 bytes where the definition allows 4"},
		{`{"flags":[true,true]}`, "flags: 2 elements where the definition has 3"},
		{`{"flags":[true,true,true,true]}`, "flags[3]: more than 3 elements"},
		{`{"octets":"AAAA"}`, "octets: 3 bytes where the definition has 4"},
		{`{"few_inners":[{},{},{}]}`, "few_inners[2]: more than the 2"},
		{`{"stamps":[{},{"secs":1,"nsecs":-1}]}`, "stamps[1].nsecs: -1 is negative"},
		{`{"u8":null}`, "u8: expected an integer, found null"},
		{`{"nested":1}`, "nested: unknown field"},
	}
	for _, test := range tests {
		if err := new(demo.Everything).ParseJSON([]byte(test.json)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.json, err, test.want)
		}
	}
	long := &demo.Everything{Few: make([]int32, 4)}
	if err := new(demo.Everything).ParseCDR(long.AppendCDR(nil)); err == nil || !strings.Contains(err.Error(), "allows 3") {
		t.Errorf("CDR with too many elements: %v", err)
	}
	long = &demo.Everything{ShortText: "123456"}
	if err := new(demo.Everything).ParseROS1(long.AppendROS1(nil)); err == nil || !strings.Contains(err.Error(), "allows 5") {
		t.Errorf("ROS 1 with too long a string: %v", err)
	}
}

func TestDemoROS1Flavour(t *testing.T) {
	in := demo.Flavoured{Added: 9, D: []float64{1}, Level: -2}
	data := in.AppendROS1(nil)
	want := "\xfe" + // level
		"\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00" + // header: seq, stamp, frame_id
		"\x01\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\xf0\x3f" + // D
		strings.Repeat("\x00", 24) + // gone
		"\x00\x00\x00\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00" + // also_gone, words, more
		strings.Repeat("\x00", 8) // at
	if string(data) != want {
		t.Errorf("got\n%q, want\n%q", data, want)
	}
	var out demo.Flavoured
	if err := out.ParseROS1(data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(demo.Flavoured{Added: 7, D: []float64{1}, Level: -2}, out); diff != "" {
		t.Errorf("fields that only ROS 2 has get their defaults:\n%s", diff)
	}
}

func TestDemoTimes(t *testing.T) {
	for _, text := range []string{`{"sec":-3,"nanosec":7}`, `{"secs":-3,"nsecs":7}`, `{"secs":-3.0,"nanosec":7}`} {
		var m builtin.Time
		if err := m.ParseJSON([]byte(text)); err != nil || m != (builtin.Time{Sec: -3, Nanosec: 7}) {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
	}
	var m demo.Everything
	if err := m.ParseJSON([]byte(`{"stamp":"now"}`)); err == nil || !strings.Contains(err.Error(), "stamp: expected an object, found a string") {
		t.Errorf("now: %v", err)
	}
}

func TestDemoRegistry(t *testing.T) {
	for _, name := range []string{"demo_msgs/Everything", "demo_msgs/msg/Everything"} {
		if typ, ok := msg.Lookup(name); !ok || typ != demo.EverythingType {
			t.Errorf("Lookup(%q) = %v, %v", name, typ, ok)
		}
	}
	if _, ok := msg.Lookup("demo_msgs/srv/Everything"); ok {
		t.Error("found a service called as a message")
	}
	if service, ok := msg.LookupService("demo_msgs/Ask"); !ok || service.Request != demo.AskRequestType || service.ROS2Name() != "demo_msgs/srv/Ask" {
		t.Errorf("LookupService: %v, %v", service, ok)
	}
	if action, ok := msg.LookupAction("demo_msgs/action/Go"); !ok || action.Feedback != demo.GoFeedbackType || action.ROS1Name() != "demo_msgs/Go" {
		t.Errorf("LookupAction: %v, %v", action, ok)
	}
}
