package idl

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parseMessage parses a message p/Msg.
func parseMessage(d Dialect, text string) (*Definition, error) {
	defs, err := Parse(Source{Dialect: d, Package: "p", Kind: "msg", Name: "Msg", Path: "Msg.msg", Text: text})
	if err != nil {
		return nil, err
	}
	return defs[0], nil
}

func TestParseFields(t *testing.T) {
	prim := func(name string) FieldType { return FieldType{Name: name, Written: name} }
	tests := []struct {
		line    string
		dialect Dialect
		want    Field
	}{
		{line: "bool a", want: Field{Type: prim("bool"), Name: "a"}},
		{line: "  float64\tx  ", want: Field{Type: prim("float64"), Name: "x"}},
		{line: "uint8[] data", want: Field{Type: FieldType{Name: "uint8", Written: "uint8", Array: Unbounded}, Name: "data"}},
		{line: "uint8[16] uuid", want: Field{Type: FieldType{Name: "uint8", Written: "uint8", Array: Fixed, Len: 16}, Name: "uuid"}},
		{line: "int32[<=5] few", want: Field{Type: FieldType{Name: "int32", Written: "int32", Array: Bounded, Len: 5}, Name: "few"}},
		{line: "string<=10 s", want: Field{Type: FieldType{Name: "string", Written: "string", StringBound: 10}, Name: "s"}},
		{
			line: "wstring<=7[<=2] s",
			want: Field{Type: FieldType{Name: "wstring", Written: "wstring", StringBound: 7, Array: Bounded, Len: 2}, Name: "s"},
		},
		{line: "Header header", want: Field{Type: FieldType{Package: "std_msgs", Name: "Header", Written: "Header"}, Name: "header"}},
		{line: "Point[] path", want: Field{Type: FieldType{Package: "p", Name: "Point", Written: "Point", Array: Unbounded}, Name: "path"}},
		{line: "q/Point x", want: Field{Type: FieldType{Package: "q", Name: "Point", Written: "q/Point"}, Name: "x"}},
		{line: "q/msg/Point x", want: Field{Type: FieldType{Package: "q", Name: "Point", Written: "q/msg/Point"}, Name: "x"}},
		{line: "time t", dialect: ROS1, want: Field{Type: prim("time"), Name: "t"}},
		{line: "float64 w 1", want: Field{Type: prim("float64"), Name: "w", Default: []string{"1"}}},
		{line: "float32 v -1.50 # x", want: Field{Type: prim("float32"), Name: "v", Default: []string{"-1.5"}, Comment: Comment{Text: "x"}}},
		{line: "float64 n nan", want: Field{Type: prim("float64"), Name: "n", Default: []string{"NaN"}}},
		{line: `string s "a # \"b\" = c" # d`, want: Field{Type: prim("string"), Name: "s", Default: []string{`a # "b" = c`}, Comment: Comment{Text: "d"}}},
		{line: `string s 'it\'s'`, want: Field{Type: prim("string"), Name: "s", Default: []string{"it's"}}},
		{line: "string s it's bare # c", want: Field{Type: prim("string"), Name: "s", Default: []string{"it's bare"}, Comment: Comment{Text: "c"}}},
		{
			line: "int16[] a [ 1, -2 ,0x10]",
			want: Field{Type: FieldType{Name: "int16", Written: "int16", Array: Unbounded}, Name: "a", Default: []string{"1", "-2", "16"}},
		},
		{
			line: `string[2] a ["x, y", "#"] # c`,
			want: Field{
				Type: FieldType{Name: "string", Written: "string", Array: Fixed, Len: 2}, Name: "a",
				Default: []string{"x, y", "#"}, Comment: Comment{Text: "c"},
			},
		},
		{line: "bool[] a []", want: Field{Type: FieldType{Name: "bool", Written: "bool", Array: Unbounded}, Name: "a", Default: []string{}}},
		{
			line: "float32 v # [m/s] [@frame base_link] [@range 0, 1.5] [@enum MODE] text [more]",
			want: Field{Type: prim("float32"), Name: "v", Comment: Comment{
				Unit: "m/s", Frame: "base_link", Range: "0, 1.5", Enum: "MODE", Text: "text [more]",
			}},
		},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			test.want.Line = 1
			d, err := parseMessage(test.dialect, test.line)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Field{test.want}, d.Fields); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseConstants(t *testing.T) {
	tests := []struct {
		line        string
		dialect     Dialect
		value, text string
	}{
		{"int32 X=123", ROS2, "123", "123"},
		{"int32 X = -0x7F # c", ROS2, "-127", "-0x7F"},
		{"uint8 X = 010", ROS2, "10", "010"},
		{"byte X = 255", ROS2, "255", "255"},
		{"byte X = -1", ROS1, "-1", "-1"},
		{"uint64 X = 18446744073709551615", ROS2, "18446744073709551615", "18446744073709551615"},
		{"float64 X = 3.140", ROS2, "3.14", "3.140"},
		{"bool X = True", ROS2, "true", "True"},
		{`string X = "a#b" # c`, ROS2, "a#b", `"a#b"`},
		{"string X = bare # c", ROS2, "bare", "bare"},
		{"string X=  a # b  ", ROS1, "a # b", "a # b"},
		{"string X=", ROS1, "", ""},
		{`string X="quoted"`, ROS1, `"quoted"`, `"quoted"`},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			d, err := parseMessage(test.dialect, test.line)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Constants) != 1 || d.Constants[0].Value != test.value || d.Constants[0].Text != test.text || d.Constants[0].Name != "X" {
				t.Errorf("got %+v", d.Constants)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text string
		dialect    Dialect
		want       string // part of the message
	}{
		{"unknown primitive", "int32 a\nflaot64 x", ROS2, `Msg.msg:2: unknown type "flaot64"`},
		{"ros1 time in ros2", "time t", ROS2, `Msg.msg:1: unknown type "time"`},
		{"wstring in ros1", "wstring s", ROS1, "unknown type"},
		{"no name", "int32", ROS2, "Msg.msg:1: \"int32\" has no name"},
		{"bad name", "int32 9x", ROS2, "bad name"},
		{"name with dash", "int32 a-b", ROS2, "write a space"},
		{"duplicate", "int32 a\n\nint8 a", ROS2, `Msg.msg:3: name "a" is already used on line 1`},
		{"constant of message type", "Point P = 1", ROS2, "constants are scalar primitives"},
		{"constant array", "int32[] P = 1", ROS2, "constants are scalar primitives"},
		{"constant without value", "int32 P =", ROS2, "has no value"},
		{"constant out of range", "uint8 P = 256", ROS2, `"256" is no uint8`},
		{"negative unsigned", "uint8 P = -1", ROS2, `"-1" is no uint8`},
		{"no float", "float32 P = fast", ROS2, `"fast" is no float32`},
		{"no bool", "bool P = maybe", ROS2, "write true or false"},
		{"open quote", `string S = "abc`, ROS2, "no closing"},
		{"inner quote", `string S = "a"b"`, ROS2, "bare"},
		{"bad escape", `string S = "a\q"`, ROS2, "bad escape"},
		{"default of message", "Point p 1", ROS2, "only primitives have default values"},
		{"default in ros1", "float64 w 1", ROS1, "ROS 1 has no default values"},
		{"default list", "int8[] a 1", ROS2, "write [a, b]"},
		{"default count", "int8[2] a [1]", ROS2, "1 values for 2 places"},
		{"default trailing comma", "int8[] a [1,]", ROS2, "ends in a comma"},
		{"default string too long", `string<=2 s "abc"`, ROS2, "longer than the bound"},
		{"zero array", "int8[0] a", ROS2, "array length"},
		{"huge array", "int8[99999999] a", ROS2, "array length"},
		{"open array", "int8[3 a", ROS2, "missing ]"},
		{"bounded in ros1", "int8[<=3] a", ROS1, "ROS 1 has no bounded arrays"},
		{"bound on int", "int8<=3 a", ROS2, "only string and wstring take a bound"},
		{"three part name", "a/srv/B x", ROS2, "neither a primitive"},
		{"separator in message", "int8 a\n---\nint8 b", ROS2, "Msg.msg:2: too many sections"},
		{"binary", "int8 a\x00", ROS2, "not UTF-8"},
		{"long line", "# " + strings.Repeat("x", maxLine), ROS2, "shorten it"},
		{"long text", strings.Repeat("#\n", maxText), ROS2, "split the definition"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseMessage(test.dialect, test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
			if _, ok := errors.AsType[*ParseError](err); !ok {
				t.Errorf("%T is no ParseError", err)
			}
		})
	}
}

func TestParseReportsAllFaults(t *testing.T) {
	_, err := parseMessage(ROS2, "int33 a\nint8 ok\nint8 ok\n")
	if err == nil || strings.Count(err.Error(), "Msg.msg:") != 2 {
		t.Errorf("want 2 faults: %v", err)
	}
}

func TestParseSections(t *testing.T) {
	defs, err := Parse(Source{Package: "p", Kind: "action", Name: "Go", Path: "Go.action", Text: "# goal doc\n\nint8 a\n---\n---\nint8 a # b\n"})
	if err != nil {
		t.Fatal(err)
	}
	var names, texts []string
	for _, d := range defs {
		names = append(names, d.FullName())
		texts = append(texts, d.Text)
	}
	if diff := cmp.Diff([]string{"p/Go_Goal", "p/Go_Result", "p/Go_Feedback"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"# goal doc\n\nint8 a\n", "", "int8 a # b\n"}, texts); diff != "" {
		t.Error(diff)
	}
	if defs[0].Doc != "goal doc" {
		t.Errorf("doc %q", defs[0].Doc)
	}
	if _, err := Parse(Source{Package: "p", Kind: "srv", Name: "S", Path: "S.srv", Text: "int8 a\n"}); err == nil ||
		!strings.Contains(err.Error(), "1 of 2 sections") {
		t.Errorf("service without separator: %v", err)
	}
}

func TestParseDocAndComments(t *testing.T) {
	d, err := parseMessage(ROS2, "# About the message.\n# Two lines.\n\n# [m] before\nint8 a # after\n\n# lost\n\nint8 b\n")
	if err != nil {
		t.Fatal(err)
	}
	if d.Doc != "About the message.\nTwo lines." {
		t.Errorf("doc %q", d.Doc)
	}
	want := []Comment{{Unit: "m", Text: "before\nafter"}, {}}
	if diff := cmp.Diff(want, []Comment{d.Fields[0].Comment, d.Fields[1].Comment}); diff != "" {
		t.Error(diff)
	}
}
