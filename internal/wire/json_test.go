package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSONString(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", `""`},
		{"base_link", `"base_link"`},
		{"a\"b\\c/", `"a\"b\\c/"`},
		{"\n\r\t\x00\x1f\x7f", `"\n\r\t\u0000\u001f` + "\x7f" + `"`},
		{"é€😀", `"é€😀"`},
		{"a\xffb\xc3", "\"a\ufffdb\ufffd\""},
		{"\ufffd", "\"\ufffd\""},
		{"\u2028<>&", "\"\u2028<>&\""},
	}
	for _, test := range tests {
		got := string(JSONString(nil, test.in))
		if got != test.want {
			t.Errorf("JSONString(%q) = %s, want %s", test.in, got, test.want)
		}
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != string([]rune(test.in)) {
			t.Errorf("encoding/json reads %s as %q, %v", got, back, err)
		}
	}
}

func TestJSONArrays(t *testing.T) {
	tests := []struct{ got, want string }{
		{string(JSONInt8s(nil, nil)), "[]"},
		{string(JSONInt8s(nil, []int8{-128})), "[-128]"},
		{string(JSONInt8s([]byte("x"), []int8{0, -1, 127, 100})), "x[0,-1,127,100]"},
		{string(JSONInts(nil, []int64{math.MinInt64, math.MaxInt64})), "[-9223372036854775808,9223372036854775807]"},
		{string(JSONUints(nil, []uint64{math.MaxUint64})), "[18446744073709551615]"},
		{string(JSONFloat32s(nil, []float32{0.1, float32(math.NaN()), 1e30})), "[0.1,null,1e+30]"},
		{string(JSONFloat64s(nil, []float64{0.1, math.Inf(1), 1})), "[0.1,null,1]"},
		{string(JSONBytes(nil, []byte{0, 1, 255, 62})), `"AAH/Pg=="`},
		{string(JSONBytes(nil, nil)), `""`},
		{string(JSONBools(nil, []bool{true, false})), "[true,false]"},
		{string(JSONStrings(nil, []string{"a", ""})), `["a",""]`},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

// All 256 values, at every distance from the end of a slice without spare capacity.
func TestJSONInt8sTable(t *testing.T) {
	var all []int8
	for i := range 256 {
		all = append(all, int8(i))
	}
	want, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for spare := range 2 * len(want) {
		if got := JSONInt8s(make([]byte, 0, spare), all); string(got) != string(want) {
			t.Fatalf("with capacity %d: %s", spare, got)
		}
	}
	exact := make([]byte, 0, len(want))
	if n := testing.AllocsPerRun(10, func() { exact = JSONInt8s(exact[:0], all) }); n != 0 || cap(exact) != len(want) {
		t.Errorf("%v allocations into a slice of exactly the right size", n)
	}
}

// one reads a single member "v".
type one func(r *JSONReader)

func (f one) ReadJSON(r *JSONReader) {
	for r.Object(); r.More(); {
		if string(r.Key()) == "v" {
			f(r)
		} else {
			r.Unknown()
		}
	}
}

// readValue parses {"v": text} with a method of the reader.
func readValue[T any](text string, read func(*JSONReader) T) (v T, err error) {
	err = ParseJSON([]byte(`{"v":`+text+`}`), one(func(r *JSONReader) { v = read(r) }), "t")
	return v, err
}

func TestReadIntegers(t *testing.T) {
	int64s := func(text string) (string, error) {
		v, err := readValue(text, (*JSONReader).Int64)
		return fmt.Sprint(v), err
	}
	uint64s := func(text string) (string, error) {
		v, err := readValue(text, (*JSONReader).Uint64)
		return fmt.Sprint(v), err
	}
	int8s := func(text string) (string, error) {
		v, err := readValue(text, (*JSONReader).Int8)
		return fmt.Sprint(v), err
	}
	uint8s := func(text string) (string, error) {
		v, err := readValue(text, (*JSONReader).Uint8)
		return fmt.Sprint(v), err
	}
	tests := []struct {
		read       func(string) (string, error)
		text, want string // want begins with ! for a part of an error
	}{
		{int64s, "-9223372036854775808", "-9223372036854775808"},
		{int64s, "9223372036854775807", "9223372036854775807"},
		{int64s, "9007199254740993.0", "9007199254740993"},
		{int64s, "9223372036854775808", "!is out of range: expected an integer of int64"},
		{int64s, "1e3", "1000"},
		{int64s, "-1.50e1", "-15"},
		{int64s, "100e-2", "1"},
		{int64s, "0e99999999999999999999", "0"},
		{int64s, "-0", "0"},
		{int64s, "1e99999999999999999999", "!out of range"},
		{int64s, "1e-1", "!has a fraction"},
		{uint64s, "18446744073709551615", "18446744073709551615"},
		{uint64s, "18446744073709551616", "!out of range"},
		{uint64s, "99999999999999999999", "!out of range"},
		{uint64s, "-1", "!-1 is negative: expected an integer of uint64"},
		{int8s, "-128", "-128"},
		{int8s, "128", "!128 is out of range: expected an integer of int8"},
		{int8s, "-129", "!out of range"},
		{int8s, "3.0", "3"},
		{int8s, "3.5", "!v: 3.5 has a fraction"},
		{uint8s, "255", "255"},
		{uint8s, "256", "!out of range"},
		{uint8s, "-0.0", "0"},
		{uint8s, `"1"`, "!v: expected an integer, found a string"},
		{uint8s, "true", "!found true"},
		{uint8s, "01", "!01 is no JSON number"},
		{uint8s, "+1", "!found '+'"},
		{uint8s, "1.", "!no JSON number"},
		{uint8s, "-", "!no JSON number"},
		{uint8s, "1e", "!no JSON number"},
		{uint8s, "[", "!found an array"},
	}
	for _, test := range tests {
		got, err := test.read(test.text)
		if part, isErr := strings.CutPrefix(test.want, "!"); isErr {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %s, error %v, want %q in it", test.text, got, err, part)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%s: %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}

func TestReadFloats(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "-0.5e2": -50, "1e-400": 0, "null": math.NaN(), " 7 ": 7} {
		got, err := readValue(text, (*JSONReader).Float64)
		if err != nil || got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"1e400", "NaN", "Infinity", "nul", "nullx", ".5", "1_0", "0x10", `"1"`, "{}"} {
		if got, err := readValue(text, (*JSONReader).Float64); err == nil {
			t.Errorf("%s: accepted as %v", text, got)
		}
	}
	if _, err := readValue("1e39", (*JSONReader).Float32); err == nil || !strings.Contains(err.Error(), "beyond the range of float32") {
		t.Errorf("float32: %v", err)
	}
}

func TestReadStrings(t *testing.T) {
	tests := []struct{ text, want string }{
		{`""`, ""},
		{`"a\"\\\/\b\f\n\r\t"`, "a\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\ud83d\ude00"`, "Aé😀"},
		{`"\ud83d"`, "\ufffd"},
		{`"\ud83d\u0041"`, "\ufffdA"},
		{`"\ude00\ud83d\ude00"`, "\ufffd😀"},
		{"\"a\xff\xff\"", "a\ufffd\ufffd"},
		{"\"\\n\xff\"", "\n\ufffd"},
	}
	for _, test := range tests {
		if got, err := readValue(test.text, (*JSONReader).String); err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{`"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\\n\n\"", `'a'`, `null`, `"\"`} {
		if got, err := readValue(text, (*JSONReader).String); err == nil {
			t.Errorf("%s: accepted as %q", text, got)
		}
	}
}

func TestReadBytes(t *testing.T) {
	read := func(r *JSONReader) []byte { return r.Bytes(0) }
	for _, text := range []string{`"AAH/"`, `[0,1,255]`, `[ 0 , 1.0 , 255 ]`, `"AA\u0048\/"`} {
		if got, err := readValue(text, read); err != nil || string(got) != "\x00\x01\xff" {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{`"AAH"`, `"AAH_"`, `"*"`, `[256]`, `[1,]`, `[,1]`, `[1 2]`, `7`, `[1`} {
		if got, err := readValue(text, read); err == nil {
			t.Errorf("%s: accepted as %v", text, got)
		}
	}
}

func TestParseJSONStructure(t *testing.T) {
	tests := []struct{ text, want string }{
		{` { "v" : 1 } `, ""},
		{`{"v":1,"v":2}`, ""},
		{`{"\u0076":1}`, ""},
		{``, "at byte 0: expected an object, found the end of the text"},
		{`[]`, "expected an object, found an array"},
		{`{`, "expected a member name, found the end"},
		{`{"v"}`, "expected a colon"},
		{`{"v":}`, "v: expected an integer, found '}'"},
		{`{"v":1`, "expected a comma or }"},
		{`{"v":1,}`, "expected a member name"},
		{`{,"v":1}`, "expected a member name"},
		{`{"v":1 "v":2}`, "expected a comma or }"},
		{`{"w":1}`, "w: unknown field"},
		{`{"":1}`, "unknown field"},
		{`{v:1}`, "expected a member name"},
		{`{"v":1}{}`, "text follows the object"},
		{`{"v":1}x`, "text follows the object"},
	}
	for _, test := range tests {
		err := ParseJSON([]byte(test.text), one(func(r *JSONReader) { r.Int32() }), "t")
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.text, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: error %v, want %q in it", test.text, err, test.want)
		}
	}
}

func TestErrorTextIsBounded(t *testing.T) {
	err := ParseJSON([]byte(`{"`+strings.Repeat("x", 1<<20)+`":1}`), one(func(*JSONReader) {}), "t")
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("error of %d bytes", len(fmt.Sprint(err)))
	}
	_, err = readValue(strings.Repeat("9", 1<<20), (*JSONReader).Int64)
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("error of %d bytes", len(fmt.Sprint(err)))
	}
}

// FuzzJSONValues compares the scanner with encoding/json: both accept the same strings and floats.
func FuzzJSONValues(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00"`, `1.5e3`, `-0`, `01`, `"\u00`, "\"\xff\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		gotString, stringErr := readValue(text, (*JSONReader).String)
		gotInt, intErr := readValue(text, (*JSONReader).Int64)
		_, floatErr := readValue(text, (*JSONReader).Float64)
		if wrapped := []byte(`{"v":` + text + `}`); !json.Valid(wrapped) && (stringErr == nil || intErr == nil || floatErr == nil) {
			t.Errorf("%q is accepted but no JSON", text)
		}
		if !json.Valid([]byte(text)) {
			return
		}
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return // a number beyond float64
		}
		if want, ok := value.(string); ok {
			if diff := cmp.Diff(want, gotString); diff != "" || stringErr != nil {
				t.Errorf("string %q: %v\n%s", text, stringErr, diff)
			}
		}
		if _, ok := value.(float64); ok && floatErr != nil {
			t.Errorf("number %q: %v", text, floatErr)
		}
		var want int64
		if json.Unmarshal([]byte(text), &want) == nil && value != nil && (intErr != nil || gotInt != want) {
			t.Errorf("integer %q: %d, %v", text, gotInt, intErr)
		}
	})
}
