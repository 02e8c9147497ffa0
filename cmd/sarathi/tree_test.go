package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTree(t *testing.T) {
	long := strings.Repeat("x", 200)
	tests := []struct {
		name, json, want string
		full             bool
	}{
		{"empty", `{}`, "{}\n", false},
		{"number", `1.50`, "1.50\n", false},
		{"digits are kept", `{"a":18446744073709551615,"b":1e-7}`, "a: 18446744073709551615\nb: 1e-7\n", false},
		{"order is kept", `{"z":1,"a":2}`, "z: 1\na: 2\n", false},
		{"text", `{"a":"<\"é\n>"}`, "a: \"<\\\"é\\n>\"\n", false},
		{"small object", `{"a":{"x":1,"y":-2.5,"z":"up"}}`, "a: {x: 1, y: -2.5, z: \"up\"}\n", false},
		{"nested", `{"a":{"b":{"c":null}},"d":true}`, "a:\n  b: {c: null}\nd: true\n", false},
		{"wide object", `{"a":{"first":"` + long[:30] + `","second":"` + long[:30] + `"}}`, "a:\n  first: \"" + long[:30] + "\"\n  second: \"" + long[:30] + "\"\n", false},
		{"empty parts", `{"a":{},"b":[]}`, "a: {}\nb: []\n", false},
		{"objects in a list", `{"p":[{"x":1,"y":2},{"x":3}]}`, "p:\n  - {x: 1, y: 2}\n  - {x: 3}\n", false},
		{"deep objects in a list", `{"p":[{"x":{"v":[]},"y":[[]]},{"x":3}]}`, "p:\n  - x:\n      v: []\n    y:\n      - []\n  - {x: 3}\n", false},
		{"lists in a list", `{"m":[[1,2],[3]]}`, "m:\n  - [1, 2]\n  - [3]\n", false},
		{"long list", `[1,2,3,4,5,6,7,8,9,10,11,12,13,14]`, "- 1\n- 2\n- 3\n- 4\n- 5\n- 6\n- 7\n- 8\n- 9\n- 10\n- 11\n- 12\n… 2 more\n", false},
		{"long list of a field", `{"a":[1,2,3,4,5,6,7,8,9,10,11,12,13]}`, "a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, … 1 more]\n", false},
		{"long list in full", `{"a":[1,2,3,4,5,6,7,8,9,10,11,12,13]}`, "a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]\n", true},
		{"long text", `{"a":"` + long + `"}`, "a: \"" + long[:159] + "… 42 letters more\n", false},
		{"long text in full", `{"a":"` + long + `"}`, "a: \"" + long + "\"\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if err := (tree{&b, tt.full}).print([]byte(tt.json)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
		})
	}
	if err := (tree{&strings.Builder{}, false}).print([]byte(`{"a":`)); err == nil {
		t.Error("accepted what is no JSON")
	}
}
