package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const printed = `name: molly
control:
  mux:
    remote_timeout: 300ms
    max_speed: 1
    enabled: false
    source: handheld
    limits: [1, 0.5, 1.5]
    port: 9001
    retries: 0
    level: low
    gains: [1, 2]
sensors:
  scan:
    min_hz: 5
    topic: scan
world:
  file: house.yaml
  people:
    - name: "007"
      speed: 0.000001
      path: [[0, 1.25]]
    - name: "a: b"
      speed: 1e+21
      path: []
sites: null
labels:
  team: a
params: {"a":[1.50,"x"]}
`

func TestMarshalIsReadable(t *testing.T) {
	in := defaults()
	in.World.People = []person{{Name: "007", pace: pace{1e-6}, Path: [][2]float64{{0, 1.25}}}, {Name: "a: b", pace: pace{1e21}}}
	in.Params = []byte(`{"a":[1.50,"x"]}`)
	got, err := Marshal(&in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(printed, string(got)); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func TestMarshalRefusesWhatCannotBeRead(t *testing.T) {
	in := defaults()
	in.Params = []byte("{")
	if out, err := Marshal(in); err == nil {
		t.Errorf("printed broken JSON: %s", out)
	}
	if out, err := Marshal(7); err == nil {
		t.Errorf("printed a number: %s", out)
	}
}

func TestExplain(t *testing.T) {
	in := defaults()
	got, err := Explain(&in)
	if err != nil {
		t.Fatal(err)
	}
	want := []Key{
		{Path: "name", Type: "text", Default: "molly"},
		{Path: "control", Type: "section"},
		{Path: "control.mux", Type: "section", Doc: "who may drive"},
		{Path: "control.mux.remote_timeout", Type: "duration", Default: "300ms", Doc: "silence after which a remote source is dropped"},
		{Path: "control.mux.max_speed", Type: "number", Default: "1", Unit: "m/s", Doc: "fastest remote speed"},
		{Path: "control.mux.enabled", Type: "true or false", Default: "false"},
		{Path: "control.mux.source", Type: "text", Default: "handheld"},
		{Path: "control.mux.limits", Type: "list of 3 × number", Default: "[1, 0.5, 1.5]"},
		{Path: "control.mux.port", Type: "whole number", Default: "9001"},
		{Path: "control.mux.retries", Type: "whole number", Default: "0"},
		{Path: "control.mux.level", Type: "text", Default: "low"},
		{Path: "control.mux.gains", Type: "list of number", Default: "[1, 2]"},
		{Path: "sensors", Type: "named section"},
		{Path: "sensors.<name>.min_hz", Type: "number", Default: "0", Unit: "Hz"},
		{Path: "sensors.<name>.topic", Type: "text", Default: `""`},
		{Path: "world", Type: "section"},
		{Path: "world.file", Type: "text", Default: "house.yaml"},
		{Path: "world.people", Type: "list of section", Default: "[]"},
		{Path: "world.people[].name", Type: "text", Default: `""`},
		{Path: "world.people[].speed", Type: "number", Default: "1.2"},
		{Path: "world.people[].path", Type: "list of list of 2 × number", Default: "[]"},
		{Path: "sites", Type: "section, optional", Default: "none"},
		{Path: "sites.dir", Type: "text", Default: `""`},
		{Path: "labels", Type: "named text", Default: "{team: a}"},
		{Path: "params", Type: "any value", Default: "null"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("explained (-want +got):\n%s", diff)
	}
}
