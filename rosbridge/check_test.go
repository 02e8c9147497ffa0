package rosbridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/idl/idltest"
	"sarathi/msg"
)

// TestOwnTextIsPlain: what AppendJSON writes is passed on as it is, the same bytes, and so is text with other white space and order.
func TestOwnTextIsPlain(t *testing.T) {
	types := newTypeTable()
	for _, typ := range msg.All() {
		c := types.codecOf(typ)
		for seed := range uint64(3) {
			m := typ.New()
			idltest.Fill(m, seed)
			text := m.AppendJSON(nil)
			got, parsed, err := c.convert(text, epoch)
			if err != nil {
				t.Fatalf("%s: %v", typ.ROS2Name(), err)
			}
			// Long numbers, numbers with exponents, bounded strings and fixed byte arrays are left to the parser.
			if parsed == nil && unsafe.SliceData(got) != unsafe.SliceData(text) {
				t.Errorf("%s: plain text was copied", typ.ROS2Name())
			}
			if !bytes.Equal(got, text) {
				t.Errorf("%s:\n%s became\n%s", typ.ROS2Name(), text, got)
			}
		}
		if text := typ.New().AppendJSON(nil); typ.Kind == "msg" {
			if _, parsed, _ := c.convert(text, epoch); parsed != nil && !bytes.Contains(text, []byte(`"AAAA`)) {
				t.Errorf("%s: %s is not plain", typ.ROS2Name(), text)
			}
		}
	}
}

func TestConvert(t *testing.T) {
	const stamp = `"stamp":{"sec":1700000000,"nanosec":0}`
	tests := []struct{ typ, in, want string }{ // want "" is an error, "same" the same bytes
		{"std_msgs/Int8", `{"data":-128}`, "same"},
		{"std_msgs/Int8", ` { "data" : 127 } `, "same"},
		{"std_msgs/Int8", `{"data":128}`, ""},
		{"std_msgs/Int8", `{"data":1.0}`, `{"data":1}`},
		{"std_msgs/Int8", `{"data":1e1}`, `{"data":10}`},
		{"std_msgs/Int8", `{"data":0.5}`, ""},
		{"std_msgs/UInt8", `{"data":255}`, "same"},
		{"std_msgs/UInt8", `{"data":-1}`, ""},
		{"std_msgs/UInt64", `{"data":18446744073709551615}`, `{"data":18446744073709551615}`},
		{"std_msgs/UInt64", `{"data":18446744073709551616}`, ""},
		{"std_msgs/Float32", `{"data":null}`, "same"},
		{"std_msgs/Float32", `{"data":3.0}`, "same"},
		{"std_msgs/Float32", `{"data":1e39}`, ""},
		{"std_msgs/Float32", `{"data":1e2}`, `{"data":100}`},
		{"std_msgs/Float32", `{"data":true}`, ""},
		{"std_msgs/Bool", `{"data":false}`, "same"},
		{"std_msgs/Bool", `{"data":0}`, ""},
		{"std_msgs/String", `{"data":"\u00e9"}`, "same"},
		{"std_msgs/String", `{"\u0064ata":"x"}`, "same"},
		{"std_msgs/String", `{"data":"a","data":"b"}`, `{"data":"b"}`},
		{"std_msgs/String", `{}`, `{"data":""}`},
		{"std_msgs/String", `{"other":1}`, ""},
		{"std_msgs/String", `[]`, ""},
		{"std_msgs/String", `"x"`, ""},
		{"std_msgs/Empty", `{}`, "same"},
		{"std_msgs/Empty", `{"x":1}`, ""},
		{"geometry_msgs/Point", `{"z":3,"y":2,"x":1}`, "same"},
		{"geometry_msgs/Point", `{"x":1}`, `{"x":1,"y":0,"z":0}`},
		{"std_msgs/ByteMultiArray", `{"layout":{"dim":[],"data_offset":0},"data":[255,0]}`, `{"layout":{"dim":[],"data_offset":0},"data":"/wA="}`},
		{"sensor_msgs/RegionOfInterest", `{"x_offset":0,"y_offset":0,"height":4294967295,"width":0,"do_rectify":false}`, "same"},
		{"sensor_msgs/Imu", `{"orientation_covariance":[1,2,3]}`, ""},
		{"sensor_msgs/Imu", `{"orientation_covariance":[1,2,3,4,5,6,7,8,9,10]}`, ""},
		{"std_msgs/Header", `{"frame_id":"f"}`, `{` + stamp + `,"frame_id":"f"}`},
		{"std_msgs/Header", `{}`, `{` + stamp + `,"frame_id":""}`},
		{"std_msgs/Header", `{"seq":1}`, `{` + stamp + `,"frame_id":""}`},
		{"std_msgs/Header", `{"seq":1,"seq":2 , "frame_id":"f","seq":3}`, `{` + stamp + `,"frame_id":"f"}`},
		{"std_msgs/Header", `{"frame_id":"f", "seq":1, "seq":2}`, `{` + stamp + `,"frame_id":"f"}`},
		{"std_msgs/Header", `{"stamp":"now","seq":1,"frame_id":"f"}`, `{` + stamp + `,"frame_id":"f"}`},
		{"std_msgs/Header", `{"stamp":"then","frame_id":"f"}`, ""},
		{"std_msgs/Time", `{"data":"now"}`, `{"data":{"sec":1700000000,"nanosec":0}}`},
		{"std_msgs/Time", `{"data":{"secs":1,"nsecs":2}}`, `{"data":{"sec":1,"nanosec":2}}`},
		{"nav_msgs/Path", `{"header":{},"poses":[{"header":{"seq":1,"frame_id":"p"}}]}`, ``},
	}
	types := newTypeTable()
	for _, test := range tests {
		if test.want == "" && test.typ == "nav_msgs/Path" {
			pose := `"pose":{"position":{"x":0,"y":0,"z":0},"orientation":{"x":0,"y":0,"z":0,"w":1}}`
			test.want = `{"header":{` + stamp + `,"frame_id":""},"poses":[{"header":{` + stamp + `,"frame_id":"p"},` + pose + `}]}`
		}
		in := []byte(test.in)
		got, _, err := types.codec(test.typ).convert(in, epoch)
		switch {
		case test.want == "same":
			if err != nil || unsafe.SliceData(got) != unsafe.SliceData(in) {
				t.Errorf("%s %s: became %s, %v", test.typ, test.in, got, err)
			}
		case (err == nil) != (test.want != "") || string(got) != test.want:
			t.Errorf("%s %s:\nbecame %s, %v\nwant   %s", test.typ, test.in, got, err, test.want)
		}
	}
}

// TestFixedArraysHaveTheirLength, also when everything else is plain.
func TestFixedArraysHaveTheirLength(t *testing.T) {
	types := newTypeTable()
	c := types.codec("geometry_msgs/TwistWithCovariance")
	text := c.typ.New().AppendJSON(nil)
	for from, to := range map[string]string{`[0,`: `[`, `[0,0`: `[0,0,0`} {
		if got, _, err := c.convert(bytes.Replace(text, []byte(from), []byte(to), 1), epoch); err == nil {
			t.Errorf("taken: %s", got)
		}
	}
}

func TestListsGetNames(t *testing.T) {
	c := newTypeTable().codec("geometry_msgs/Point")
	for in, want := range map[string]string{
		`[]`: `{}`, `[1, 2]`: `{"x":1,"y":2}`, ` [1,{"a":[]},"z"]`: `{"x":1,"y":{"a":[]},"z":"z"}`, `[1,2,3,4]`: "",
	} {
		got, err := nameArgs(c.shape, []byte(strings.TrimSpace(in)))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}

// FuzzConvert accepts what the type's parser accepts, to the same message; only headers, times of "now" and seq are mended.
func FuzzConvert(f *testing.F) {
	all := msg.All()
	for i, typ := range all {
		m := typ.New()
		idltest.Fill(m, uint64(i))
		if text := m.AppendJSON(nil); len(text) < 1500 {
			f.Add(uint16(i), text)
		}
	}
	f.Add(uint16(3), []byte(`{"header":{"seq":1,"seq":2},"stamp":"now"}`))
	types := newTypeTable()
	f.Fuzz(func(t *testing.T, i uint16, text []byte) {
		s := scanner{src: text}
		if s.value(); s.err != nil || s.nonFinite != nil || s.peek() != 0 || s.pos < len(text) {
			return
		}
		typ := all[int(i)%len(all)]
		got, _, err := types.codecOf(typ).convert(text, epoch)
		want := typ.New()
		parseErr := want.ParseJSON(text)
		if parseErr == nil && err != nil {
			t.Fatalf("%s %s: %v", typ.ROS1Name(), text, err)
		}
		if err != nil {
			return
		}
		have := typ.New()
		if err := have.ParseJSON(got); err != nil || !json.Valid(got) {
			t.Fatalf("%s %s became %s: %v", typ.ROS1Name(), text, got, err)
		}
		mended := strings.Contains(typ.Definition, "Header") || typ.Name == "Header"
		if parseErr == nil && !mended && !bytes.Equal(have.AppendJSON(nil), want.AppendJSON(nil)) {
			t.Fatalf("%s %s became %s", typ.ROS1Name(), text, got)
		}
	})
}

// TestCBOROfEveryType reads the CBOR of filled messages back as JSON, to the same messages.
func TestCBOROfEveryType(t *testing.T) {
	types := newTypeTable()
	for _, typ := range msg.All() {
		for seed := range uint64(3) {
			m := typ.New()
			idltest.Fill(m, seed)
			data := types.codecOf(typ).appendCBOR(cborHeader("/t"), m.AppendCDR(nil))
			f, err := ParseCBOR(data)
			if err != nil {
				t.Fatalf("%s: %v", typ.ROS1Name(), err)
			}
			if typ.Name == "ByteMultiArray" { // byte is a signed number in CBOR, as ROS 1 has it
				continue
			}
			again := typ.New()
			if err := again.ParseJSON(f.Body); err != nil {
				t.Fatalf("%s: %v\n%s", typ.ROS1Name(), err, f.Body)
			}
			if diff := cmp.Diff(string(m.AppendJSON(nil)), string(again.AppendJSON(nil))); diff != "" {
				t.Errorf("%s:\n%s", typ.ROS1Name(), diff)
			}
		}
	}
}

func TestCBOROfBrokenCDR(t *testing.T) {
	types := newTypeTable()
	for _, typ := range msg.All() {
		m := typ.New()
		idltest.Fill(m, 1)
		cdr := m.AppendCDR(nil)
		for n := range min(len(cdr), 40) {
			types.codecOf(typ).appendCBOR(nil, cdr[:n]) // no panic, no large loop
		}
	}
}

// TestEncodingsAreMadeOnce whoever asks.
func TestEncodingsAreMadeOnce(t *testing.T) {
	c := newTypeTable().codec("std_msgs/Float32MultiArray")
	m := newMessage(c, []byte(`{"layout":{"dim":[],"data_offset":0},"data":[1,2]}`), nil, epoch)
	for _, e := range []encoding{encJSON, encCBOR, encRawCDR, encRawROS1} {
		a, b := m.body(e), m.body(e)
		if len(a) == 0 || unsafe.SliceData(a) != unsafe.SliceData(b) {
			t.Errorf("encoding %d was made twice", e)
		}
	}
	a, b, other := m.pngFrame("/t", []byte(`{`)), m.pngFrame("/t", []byte(`{`)), m.pngFrame("t", []byte(`{"`))
	if unsafe.SliceData(a) != unsafe.SliceData(b) || bytes.Equal(a, other) {
		t.Error("png frames are not kept by name")
	}
	unknown := newMessage(nil, []byte(`{"x":1}`), nil, epoch)
	if unknown.body(encRawCDR) != nil || unknown.body(encRawROS1) != nil || unknown.body(encCBOR) == nil {
		t.Error("a type that is not known")
	}
}

func TestTypesAreLearnt(t *testing.T) {
	types := newTypeTable()
	for i := range maxLearnt + 10 {
		if err := types.learn(fmt.Sprintf("zoo/msg/A%d", i), "string name"); err != nil {
			t.Fatal(err)
		}
	}
	if len(types.learnt) != maxLearnt || types.definition("zoo/A0", ROS2) != "" || types.definition("zoo/msg/A200", ROS1) != "string name" {
		t.Errorf("%d types are kept", len(types.learnt))
	}
	for name, err := range map[string]error{
		"bad text": types.learn("zoo/B", "nonsense"), "too long": types.learn("zoo/B", strings.Repeat("#", maxLearntText+1)), "bad name": types.learn("B", "string x"),
	} {
		if err == nil {
			t.Errorf("%s was learnt", name)
		}
	}
	if err := types.learn("std_msgs/String", "int32 other"); err != nil || types.definition("std_msgs/String", ROS2) == "int32 other" {
		t.Error("a known type was taught anew")
	}
}
