package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode: any input either decodes or is the user's fault with a place; what decodes survives being printed and read again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(printed), "name=x")
	for _, seed := range []string{
		"", "name: x\n", "control:\n  mux:\n    limits: [1, 2, 3]\n", "world: {people: [{name: A}]}", "a: [", "- - -", "? a", "a: &b *b",
		"params: {a: .5, b: 07, c: [null, \"\\u0007\", '']}", "labels: {\"a b\": \"\u2028\"}", "labels: {\"null\": \"~\"}", "%YAML 1.2\n---\n",
		"name: |\n  a\n   b\n", "name: >-\n  folded\n  text\n", "\"name\": x", "1: 2", "null: null", "<<: {a: b}", "name: \"\\ud800\"",
	} {
		f.Add([]byte(seed), "control.mux.limits[0]=1")
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		var got robot
		got.Control.Mux = defaults().Control.Mux
		if err := Decode("f.yaml", data, &got, set); err != nil {
			if !errors.Is(err, ErrInvalid) || len(All(err)) == 0 {
				t.Fatalf("not a located problem: %v", err)
			}
			return
		}
		text, err := Marshal(&got)
		if err != nil {
			t.Fatalf("print: %v", err)
		}
		var again robot
		again.Control.Mux = defaults().Control.Mux
		if err := Decode("again.yaml", text, &again); err != nil {
			t.Fatalf("what was printed does not decode: %v\n%s", err, text)
		}
		if diff := cmp.Diff(canonical(got), canonical(again), cmp.AllowUnexported(person{}, control{})); diff != "" {
			t.Fatalf("printing lost something (-decoded +read again):\n%s\n%s", diff, text)
		}
	})
}

// canonical removes differences that have no meaning: nil against empty.
func canonical(r robot) robot {
	if len(r.Labels) == 0 {
		r.Labels = nil
	}
	if len(r.Sensors) == 0 {
		r.Sensors = nil
	}
	if len(r.World.People) == 0 {
		r.World.People = nil
	}
	for i := range r.World.People {
		if len(r.World.People[i].Path) == 0 {
			r.World.People[i].Path = nil
		}
	}
	if len(r.Control.Mux.Gains) == 0 {
		r.Control.Mux.Gains = nil
	}
	if len(r.Params) == 0 {
		r.Params = []byte("null")
	}
	return r
}
