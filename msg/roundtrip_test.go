package msg_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/idl"
	"sarathi/internal/idl/idltest"
	"sarathi/msg"
	"sarathi/msg/builtin"
	"sarathi/msg/geometry"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
)

func TestRoundTrip(t *testing.T) {
	for _, typ := range msg.All() {
		t.Run(typ.ROS2Name(), func(t *testing.T) {
			t.Parallel()
			idltest.RoundTrip(t, typ, 3)
		})
	}
}

// FuzzParsers feeds one input to all parsers of one type, chosen by a number.
func FuzzParsers(f *testing.F) {
	types := msg.All()
	for i, typ := range types {
		m := typ.New()
		idltest.Fill(m, uint64(i))
		for _, data := range [][]byte{m.AppendJSON(nil), m.AppendCDR(nil), m.AppendROS1(nil)} {
			if len(data) < 2000 {
				f.Add(uint16(i), data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, i uint16, data []byte) {
		idltest.CheckParsers(t, types[int(i)%len(types)], data)
	})
}

// TestHugeLengths replaces every four bytes of each encoding by the largest length: a parser that believed one would
// run out of memory.
func TestHugeLengths(t *testing.T) {
	for _, typ := range msg.All() {
		m := typ.New()
		idltest.Fill(m, 1)
		cdr, ros1 := m.AppendCDR(nil), m.AppendROS1(nil)
		for _, huge := range []string{"\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\x00\x00\x10\x00"} {
			for i := 4; i+4 <= min(len(cdr), 400); i++ {
				_ = typ.New().ParseCDR(slices.Concat(cdr[:i], []byte(huge), cdr[i+4:]))
			}
			for i := 0; i+4 <= min(len(ros1), 400); i++ {
				_ = typ.New().ParseROS1(slices.Concat(ros1[:i], []byte(huge), ros1[i+4:]))
			}
		}
	}
}

// The vectors are laid out by hand from the definitions.
func TestKnownBytes(t *testing.T) {
	tests := []struct {
		m               idl.Message
		json, cdr, ros1 string // cdr and ros1 in hex
	}{
		{&std.String{Data: "hello"}, `{"data":"hello"}`, "00010000 06000000 68656c6c6f00", "05000000 68656c6c6f"},
		{&std.Empty{}, `{}`, "00010000 00", ""},
		{
			&std.Header{Stamp: builtin.Time{Sec: 1, Nanosec: 2}, FrameID: "map"},
			`{"stamp":{"sec":1,"nanosec":2},"frame_id":"map"}`,
			"00010000 01000000 02000000 04000000 6d617000",
			"00000000 01000000 02000000 03000000 6d6170",
		},
		{
			&geometry.Twist{Linear: geometry.Vector3{X: 1}, Angular: geometry.Vector3{Z: -2}},
			`{"linear":{"x":1,"y":0,"z":0},"angular":{"x":0,"y":0,"z":-2}}`,
			"00010000" + "000000000000f03f" + strings.Repeat("00", 32) + "00000000000000c0",
			"000000000000f03f" + strings.Repeat("00", 32) + "00000000000000c0",
		},
		{ // strings, bytes and numbers of several sizes
			&sensor.PointField{Name: "x", Offset: 4, Datatype: sensor.PointFieldFloat32, Count: 1},
			`{"name":"x","offset":4,"datatype":7,"count":1}`,
			"00010000 02000000 7800 0000 04000000 07 000000 01000000",
			"01000000 78 04000000 07 01000000",
		},
		{
			&geometry.PoseArray{Header: std.Header{FrameID: "m"}, Poses: []geometry.Pose{*geometry.NewPose()}},
			`{"header":{"stamp":{"sec":0,"nanosec":0},"frame_id":"m"},"poses":[{"position":{"x":0,"y":0,"z":0},"orientation":{"x":0,"y":0,"z":0,"w":1}}]}`,
			"00010000" + "00000000 00000000 02000000 6d00 0000" + "01000000" + "00000000" + // pad to 24 for the doubles
				strings.Repeat("00", 48) + "000000000000f03f",
			"00000000 00000000 00000000 01000000 6d 01000000" + strings.Repeat("00", 48) + "000000000000f03f",
		},
		{
			&sensor.Range{Range: 1.5, Variance: 2}, // ROS 1 has no variance
			`{"header":{"stamp":{"sec":0,"nanosec":0},"frame_id":""},"radiation_type":0,"field_of_view":0,"min_range":0,"max_range":0,"range":1.5,"variance":2}`,
			"00010000 00000000 00000000 01000000 00 00 0000" + strings.Repeat("00", 12) + "0000c03f 00000040",
			strings.Repeat("00", 16) + "00" + strings.Repeat("00", 12) + "0000c03f",
		},
	}
	for _, test := range tests {
		name := test.m.Type().ROS2Name()
		if got := string(test.m.AppendJSON(nil)); got != test.json {
			t.Errorf("%s JSON\n got %s\nwant %s", name, got, test.json)
		}
		if got, want := hex.EncodeToString(test.m.AppendCDR(nil)), strings.ReplaceAll(test.cdr, " ", ""); got != want {
			t.Errorf("%s CDR\n got %s\nwant %s", name, got, want)
		}
		if got, want := hex.EncodeToString(test.m.AppendROS1(nil)), strings.ReplaceAll(test.ros1, " ", ""); got != want {
			t.Errorf("%s ROS 1\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestJSONForms(t *testing.T) {
	image := &sensor.CompressedImage{Format: "jpeg", Data: []byte{0xff, 0xd8}}
	want := `{"header":{"stamp":{"sec":0,"nanosec":0},"frame_id":""},"format":"jpeg","data":"/9g="}`
	if got := string(image.AppendJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	scan := &sensor.LaserScan{Ranges: []float32{0.1, float32(math.Inf(1)), float32(math.NaN())}}
	if got := string(scan.AppendJSON(nil)); !strings.Contains(got, `"ranges":[0.1,null,null]`) {
		t.Error(got)
	}
	var twist geometry.Twist
	err := twist.ParseJSON([]byte(`{"linear":{"x":"fast"}}`))
	if err == nil || err.Error() != "parse geometry_msgs/Twist JSON: at byte 15: linear.x: expected a number or null, found a string" {
		t.Error(err)
	}
}

// TestNoAllocation holds the promise of the Append methods for all types.
func TestNoAllocation(t *testing.T) {
	messages := []idl.Message{benchmarkGrid(), benchmarkScan()}
	for _, typ := range msg.All() {
		m := typ.New()
		idltest.Fill(m, 2)
		messages = append(messages, m)
	}
	for _, m := range messages {
		for name, appendTo := range map[string]func([]byte) []byte{"JSON": m.AppendJSON, "CDR": m.AppendCDR, "ROS 1": m.AppendROS1} {
			buf := make([]byte, 0, len(appendTo(nil)))
			if n := testing.AllocsPerRun(2, func() { buf = appendTo(buf[:0]) }); n != 0 {
				t.Errorf("%s %s: %v allocations into a slice of the right size", m.Type().ROS2Name(), name, n)
			}
		}
	}
}

func TestRegistry(t *testing.T) {
	sum := regexp.MustCompile(`^[0-9a-f]{32}$`)
	var names []string
	for _, typ := range msg.All() {
		names = append(names, typ.ROS2Name())
		for _, name := range []string{typ.ROS1Name(), typ.ROS2Name()} {
			if got, ok := msg.Lookup(name); !ok || got != typ {
				t.Errorf("Lookup(%q) = %v, %v", name, got, ok)
			}
		}
		if !sum.MatchString(typ.MD5) {
			t.Errorf("%s has md5 %q", typ.ROS2Name(), typ.MD5)
		}
		if typ.New().Type() != typ {
			t.Errorf("%s: New makes a %s", typ.ROS2Name(), typ.New().Type().ROS2Name())
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("All is not sorted, or names repeat")
	}
	for _, s := range msg.AllServices() {
		for _, name := range []string{s.ROS1Name(), s.ROS2Name()} {
			if got, ok := msg.LookupService(name); !ok || got != s {
				t.Errorf("LookupService(%q) = %v, %v", name, got, ok)
			}
		}
	}
	if _, ok := msg.Lookup("no_msgs/Such"); ok {
		t.Error("found a type that does not exist")
	}
}

// TestDefinitionsAgree parses the full text of every type and compares md5, fields and JSON names with the struct.
func TestDefinitionsAgree(t *testing.T) {
	for _, typ := range msg.All() {
		set, d, err := idl.ParseFullText(idl.ROS1, typ.ROS1Name(), typ.DefinitionROS1)
		if err != nil {
			t.Errorf("%s: %v", typ.ROS1Name(), err)
			continue
		}
		if got := set.MD5(d); got != typ.MD5 {
			t.Errorf("%s: md5 of the ROS 1 text is %s, not %s", typ.ROS1Name(), got, typ.MD5)
		}
		_, d, err = idl.ParseFullText(idl.ROS2, typ.ROS2Name(), typ.Definition)
		if err != nil {
			t.Errorf("%s: %v", typ.ROS2Name(), err)
			continue
		}
		var want, got []string
		for _, f := range d.Fields {
			want = append(want, f.Name)
		}
		fields := reflect.TypeOf(typ.New()).Elem()
		for field := range fields.Fields() {
			got = append(got, field.Tag.Get("json"))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-definition +struct):\n%s", typ.ROS2Name(), diff)
		}
	}
}

// TestBigEndian reads a message whose bytes were swapped by hand.
func TestBigEndian(t *testing.T) {
	data, err := hex.DecodeString("00000000" + "00000001" + "00000002" + "00000004" + "6d617000")
	if err != nil {
		t.Fatal(err)
	}
	var h std.Header
	if err := h.ParseCDR(data); err != nil || fmt.Sprint(h) != "{{1 2} map}" {
		t.Errorf("%+v, %v", h, err)
	}
	if bytes.Equal(h.AppendCDR(nil), data) {
		t.Error("wrote big-endian")
	}
}
