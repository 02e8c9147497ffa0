package rosbridge

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

func publishCBOR(t testing.TB, msg any) []byte {
	t.Helper()
	data, err := cbor.Marshal(map[string]any{"op": "publish", "topic": "/t", "msg": msg})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCBORReadsAsJSON takes what a CBOR library wrote.
func TestCBORReadsAsJSON(t *testing.T) {
	floats := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5)), math.Float32bits(float32(math.NaN())))
	ints := binary.LittleEndian.AppendUint64(nil, math.MaxUint64)
	tests := []struct {
		name string
		msg  any
		want string
	}{
		{"integers", []any{uint64(math.MaxUint64), int64(math.MinInt64), 0, -1, 23, 24, 256, 65536}, `[18446744073709551615,-9223372036854775808,0,-1,23,24,256,65536]`},
		{"floats", []any{1.5, float32(0.1), math.NaN(), math.Inf(-1), 1e300}, `[1.5,0.1,null,null,1e+300]`},
		{"text", "h\u00e9\n", `"hé\n"`},
		{"bytes", []byte{1, 2, 255}, `"AQL/"`},
		{"words", []any{true, false, nil}, `[true,false,null]`},
		{"nested", map[string]any{"a": map[string]any{"b": []any{}}}, `{"a":{"b":[]}}`},
		{"float32 array", cbor.Tag{Number: tagFloat32, Content: floats}, `[1.5,null]`},
		{"uint64 array", cbor.Tag{Number: tagUint64, Content: ints}, `[18446744073709551615]`},
		{"int8 array", cbor.Tag{Number: tagInt8, Content: []byte{255, 1}}, `[-1,1]`},
		{"uint8 array", cbor.Tag{Number: tagUint8, Content: []byte{255}}, `"/w=="`},
		{"int16 array", cbor.Tag{Number: tagInt16, Content: []byte{254, 255}}, `[-2]`},
		{"uint16 array", cbor.Tag{Number: tagUint16, Content: []byte{1, 2}}, `[513]`},
		{"int32 array", cbor.Tag{Number: tagInt32, Content: []byte{254, 255, 255, 255}}, `[-2]`},
		{"uint32 array", cbor.Tag{Number: tagUint32, Content: []byte{1, 0, 0, 0}}, `[1]`},
		{"int64 array", cbor.Tag{Number: tagInt64, Content: []byte{0, 0, 0, 0, 0, 0, 0, 128}}, `[-9223372036854775808]`},
		{"float64 array", cbor.Tag{Number: tagFloat64, Content: binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.25))}, `[0.25]`},
		{"another tag", cbor.Tag{Number: 1000, Content: "x"}, `"x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := ParseCBOR(publishCBOR(t, test.msg))
			if err != nil {
				t.Fatal(err)
			}
			if string(f.Body) != test.want || f.Op != OpPublish || f.Topic != "/t" {
				t.Errorf("%s on %s: %s, want %s", f.Op, f.Topic, f.Body, test.want)
			}
		})
	}
}

func TestCBORRawReads(t *testing.T) {
	at := time.Unix(1_700_000_000, 123_456_789)
	f, err := ParseCBOR(appendCBORRaw(cborHeader("/t"), at, []byte{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	if string(f.Raw) != "\x01\x02\x03" || !f.Stamp.Equal(at) || f.Body != nil {
		t.Errorf("frame %+v", f)
	}
	other, err := ParseCBOR(publishCBOR(t, map[string]any{"secs": 1, "nsecs": 2, "bytes": "text"}))
	if err != nil || other.Raw != nil || !json.Valid(other.Body) {
		t.Errorf("a message with the same names: %+v, %v", other, err)
	}
}

func TestWhatIsNoCBORFrame(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":             "",
		"no map":              "01",
		"cut off":             "a3626f70",
		"huge text":           "a1627ffffffffffffff0",
		"huge map":            "bbffffffffffffffff",
		"number as a name":    "a10101",
		"bytes behind":        "a1626f70656865 6c6c6f00",
		"odd typed array":     "a1 636d7367 d855 43 010203",
		"big-endian array":    "a1 636d7367 d851 44 01020304",
		"unknown simple":      "a1 636d7367 f0",
		"lonely break":        "a1 636d7367 ff",
		"reserved length":     "a1 636d7367 1c",
		"endless integer":     "a1 636d7367 1f",
		"mixed chunks":        "a1 636d7367 5f6161ff",
		"text is not UTF-8":   "a1 63ff7367 01",
		"deep":                "a1 636d7367" + strings.Repeat("81", 400),
		"deep and indefinite": "a1 636d7367" + strings.Repeat("9f", 400),
	} {
		raw, err := hex.DecodeString(strings.ReplaceAll(data, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if f, err := ParseCBOR(raw); err == nil {
			t.Errorf("%s: read as %+v", name, f)
		}
	}
}

func TestCBOROfIndefiniteLength(t *testing.T) {
	raw, _ := hex.DecodeString("bf626f70677075626c697368" + "65746f706963" + "7f622f616162ff" + "636d7367" + "9f01f93e00ffff")
	f, err := ParseCBOR(raw)
	if err != nil || f.Topic != "/ab" || string(f.Body) != "[1,1.5]" {
		t.Errorf("frame %+v, %v", f, err)
	}
}

// TestJSONAsCBOR compares with what a CBOR library reads.
func TestJSONAsCBOR(t *testing.T) {
	text := `{"a":[1,-2,18446744073709551615,0.1,1e400,true,null],"b":{"c":"h\u00e9"},"d":[],"e":{}}`
	var got map[string]any
	if err := cbor.Unmarshal(appendJSONAsCBOR(nil, []byte(text)), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"a": []any{uint64(1), int64(-2), uint64(math.MaxUint64), 0.1, math.MaxFloat64, true, nil},
		"b": map[any]any{"c": "hé"}, "d": []any{}, "e": map[any]any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
}

// FuzzParseCBOR never gives a body that is no JSON, and agrees with a CBOR library on what is well formed.
func FuzzParseCBOR(f *testing.F) {
	f.Add(publishCBOR(f, map[string]any{"a": []any{1, -1, 1.5, "x", []byte{1}, nil, true}}))
	f.Add(appendCBORRaw(cborHeader("/t"), epoch, []byte{1}))
	f.Add(publishCBOR(f, cbor.Tag{Number: tagFloat64, Content: make([]byte, 16)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ParseCBOR(data)
		if err != nil {
			return
		}
		if got.Body != nil && !json.Valid(got.Body) {
			t.Fatalf("body %q", got.Body)
		}
		if err := cbor.Wellformed(data); err != nil && !strings.Contains(err.Error(), "nested") {
			t.Fatalf("accepted what is not well formed: %v", err)
		}
	})
}

// FuzzJSONAsCBOR reads its own CBOR back as the same values.
func FuzzJSONAsCBOR(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2,0.5,"x",{"b":null}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := scanner{src: text}
		if s.value(); s.err != nil || s.nonFinite != nil || s.peek() != 0 || s.pos < len(text) {
			return
		}
		data := appendJSONAsCBOR(cborHeader("/t"), text)
		if got, err := ParseCBOR(data); err != nil || !json.Valid(got.Body) && string(got.Body) != "" {
			t.Fatalf("%q became %x: %v", text, data, err)
		}
	})
}
