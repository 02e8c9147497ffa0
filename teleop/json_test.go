package teleop

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

var jsonTexts = []struct {
	text string
	ok   bool
}{
	{`{}`, true},
	{` { "t" : "joy" , "vx" : -0.5e-1 } `, true},
	{`{"a":[1,[2,{"b":null}],true,false],"c":"\u00e9\ud83d\ude00\n"}`, true},
	{`{"vx":NaN,"vy":Infinity,"wz":-Infinity}`, true},
	{`{"a":"half \ud83d pair"}`, true},
	{``, false},
	{`[]`, false},
	{`"t"`, false},
	{`{"a":1}{"b":2}`, false},
	{`{"a":1,}`, false},
	{`{"a"}`, false},
	{`{a:1}`, false},
	{`{"a":01}`, false},
	{`{"a":+1}`, false},
	{`{"a":1.}`, false},
	{`{"a":.5}`, false},
	{`{"a":1e}`, false},
	{`{"a":-}`, false},
	{`{"a":-NaN}`, false},
	{`{"a":nul}`, false},
	{`{"a":"\x"}`, false},
	{`{"a":"\u12g4"}`, false},
	{"{\"a\":\"\n\"}", false},
	{"{\"a\":\"\xff\"}", false},
	{`{"a":"`, false},
	{`{"a":[1,2}`, false},
}

func TestJSONIsReadStrictly(t *testing.T) {
	for _, tc := range jsonTexts {
		var d document
		if _, err := d.parse([]byte(tc.text)); (err == nil) != tc.ok {
			t.Errorf("%q: %v", tc.text, err)
		}
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	var d document
	if _, err := d.parse([]byte(deep(maxDepth - 1))); err != nil {
		t.Error(err)
	}
	for _, n := range []int{maxDepth, 30000} {
		if _, err := d.parse([]byte(deep(n))); err == nil {
			t.Errorf("nesting of %d was read", n)
		}
	}
}

func TestLongDatagramsLeaveNoMemoryBehind(t *testing.T) {
	var d document
	if _, err := d.parse([]byte(`{"a":[` + strings.Repeat("1,", 32000) + `1]}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.parse([]byte(`{}`)); err != nil || cap(d.nodes) > keptNodes {
		t.Errorf("%v, %d nodes kept", err, cap(d.nodes))
	}
}

func TestLastOfEqualNamesCounts(t *testing.T) {
	var d document
	root, err := d.parse([]byte(`{"vx":1,"v\u0078":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := root.get("vx").finite(); !ok || f != 2 {
		t.Errorf("%v %v", f, ok)
	}
}

func TestNumbersReadBackExactly(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "1", "-1.5", "0.1", "0.123456789012345", "123456789012345.6", "9007199254740993", "1e308", "1e400", "-1E-400",
		"0.48312345678901234", "4.35", "100000000000000000000", "0.000000000000001", "9.007199254740993",
	} {
		var d document
		root, err := d.parse([]byte(`{"n":` + text + `}`))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := root.get("n").number()
		var want float64
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			want = math.Inf(1) // out of range
		}
		if got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	for text, want := range map[string]int64{"5": 5, "-7": -7, "9223372036854775807": math.MaxInt64, "3.0": 3, "1e3": 1000} {
		var d document
		root, _ := d.parse([]byte(`{"n":` + text + `}`))
		if got, ok := root.get("n").integer(); !ok || got != want {
			t.Errorf("%s: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"1.5", "9223372036854775808", `"5"`, "true", "null", "NaN"} {
		var d document
		root, _ := d.parse([]byte(`{"n":` + text + `}`))
		if got, ok := root.get("n").integer(); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzDocument compares with encoding/json: what one reads the other reads, and strings and numbers are the same.
func FuzzDocument(f *testing.F) {
	for _, tc := range jsonTexts {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d document
		root, err := d.parse(data)
		text := string(data)
		if strings.Contains(text, "NaN") || strings.Contains(text, "Infinity") || !utf8.Valid(data) {
			return
		}
		var std map[string]any
		stdErr := json.Unmarshal(data, &std)
		switch {
		case err == nil && stdErr != nil && !strings.Contains(stdErr.Error(), "cannot unmarshal number"):
			t.Fatalf("%q was read, but %v", data, stdErr)
		case err != nil && stdErr == nil && std != nil && strings.Count(text, "[")+strings.Count(text, "{") <= maxDepth:
			t.Fatalf("%q was refused", data)
		case err != nil || stdErr != nil:
			return
		}
		for name, want := range std {
			switch v := root.get(name); w := want.(type) {
			case string:
				if v.text() != w {
					t.Fatalf("%q: %q is not %q", data, v.text(), w)
				}
			case float64:
				if got, ok := v.number(); !ok || got != w {
					t.Fatalf("%q: %v is not %v", data, got, w)
				}
			}
		}
	})
}
