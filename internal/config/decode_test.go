package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// robot stands for a profile: every shape that a component may use.
type robot struct {
	Name    string
	Control control
	Sensors map[string]sensor
	World   world
	Sites   *sites
	Labels  map[string]string
	Params  json.RawMessage
	Private string `yaml:"-"`
}

type control struct {
	Mux mux `doc:"who may drive"`
}

type mux struct {
	RemoteTimeout time.Duration `doc:"silence after which a remote source is dropped"`
	MaxSpeed      float64       `unit:"m/s" doc:"fastest remote speed"`
	Enabled       bool
	Source        string
	Limits        [3]float64
	Port          uint16
	Retries       int
	Level         level
	Gains         []float64
}

func (m mux) Validate() error {
	var p Problems
	p.DurationInRange("remote_timeout", m.RemoteTimeout, 50*time.Millisecond, 5*time.Second)
	p.InRange("max_speed", m.MaxSpeed, 0, 3, "m/s")
	p.OneOf("source", m.Source, "handheld", "dashboard")
	for i, v := range m.Limits {
		p.InRange(fmt.Sprintf("limits[%d]", i), v, 0, 5, "")
	}
	p.Require(m.MaxSpeed <= m.Limits[0], "max_speed", "is above limits[0]: lower it to %g", m.Limits[0])
	return p.Err()
}

type sensor struct {
	MinHz float64 `unit:"Hz"`
	Topic string
}

// Validate writes plain errors, as a package must that may not import this one.
func (s sensor) Validate() error {
	var errs []error
	if s.MinHz < 0 {
		errs = append(errs, fmt.Errorf("min_hz: %g Hz is negative: write 0 or more", s.MinHz))
	}
	if s.Topic == "" {
		errs = append(errs, errors.New("topic: is empty: name the topic"))
	}
	return errors.Join(errs...)
}

type world struct {
	File   string
	People []person
}

type person struct {
	Name string
	pace
	Path [][2]float64
}

type pace struct{ Speed float64 }

func (p *person) SetDefaults() { p.Speed = 1.2 }

type sites struct{ Dir string }

// level is an enumeration that parses itself.
type level int

func (l *level) UnmarshalText(b []byte) error {
	switch string(b) {
	case "low":
		*l = 1
	case "high":
		*l = 2
	default:
		return fmt.Errorf("%q is not a level: write low or high", b)
	}
	return nil
}

func (l level) MarshalText() ([]byte, error) {
	return []byte([...]string{"none", "low", "high"}[l]), nil
}

func defaults() robot {
	return robot{
		Name: "molly",
		Control: control{mux{
			RemoteTimeout: 300 * time.Millisecond, MaxSpeed: 1, Source: "handheld",
			Limits: [3]float64{1, 0.5, 1.5}, Port: 9001, Level: 1, Gains: []float64{1, 2},
		}},
		Sensors: map[string]sensor{"scan": {MinHz: 5, Topic: "scan"}},
		World:   world{File: "house.yaml"},
		Labels:  map[string]string{"team": "a"},
	}
}

func TestDecodeOverDefaults(t *testing.T) {
	got := defaults()
	base := got
	err := Decode("p.yaml", []byte(`
name: "12"
control:
  mux:
    remote_timeout: 1.5s   # half of what the handheld allows
    max_speed: 8e-1
    enabled: true
    limits: [1, 0, 2.25]
    level: high
    gains:
    - 0.5
sensors:
  scan: {min_hz: 10}
  /points: {min_hz: 2, topic: points}
world:
  people:
    - name: Ann
      path: [[0, 1], [2, -3.5]]
    - {name: Bob, speed: 0.5}
sites:
  dir: |
    /data
labels:
params: {x: 1.50, y: [true, null, text, "7"], z: .5}
`), &got, "control.mux.port=9002", "control.mux.limits[1]=0.25", "world.people[1].speed=2", "sensors.imu={min_hz: 100, topic: imu}", "sensors.scan.topic=laser")
	if err != nil {
		t.Fatal(err)
	}
	want := robot{
		Name: "12",
		Control: control{mux{
			RemoteTimeout: 1500 * time.Millisecond, MaxSpeed: 0.8, Enabled: true, Source: "handheld",
			Limits: [3]float64{1, 0.25, 2.25}, Port: 9002, Level: 2, Gains: []float64{0.5},
		}},
		Sensors: map[string]sensor{
			"scan": {MinHz: 10, Topic: "laser"}, "/points": {MinHz: 2, Topic: "points"}, "imu": {MinHz: 100, Topic: "imu"},
		},
		World: world{File: "house.yaml", People: []person{
			{Name: "Ann", pace: pace{1.2}, Path: [][2]float64{{0, 1}, {2, -3.5}}}, {Name: "Bob", pace: pace{2}},
		}},
		Sites:  &sites{Dir: "/data\n"},
		Labels: map[string]string{},
		Params: json.RawMessage(`{"x":1.50,"y":[true,null,"text","7"],"z":0.5}`),
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(robot{}, control{}, world{}, person{}, pace{}, sites{})); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	if _, leaked := base.Sensors["imu"]; leaked || base.Sensors["scan"].MinHz != 5 {
		t.Errorf("decoding changed the map of the defaults: %v", base.Sensors)
	}
}

func TestDecodeNothingKeepsDefaults(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "control:\n", "\ufeffname: molly\n"} {
		got := defaults()
		if err := Decode("p.yaml", []byte(text), &got); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got.Control.Mux.MaxSpeed != 1 || got.Name != "molly" {
			t.Errorf("%q changed the defaults: %+v", text, got)
		}
	}
}

func TestDecodeReportsWithPlaceAndRemedy(t *testing.T) {
	tests := []struct {
		name string
		yaml string
		want string // the whole error, one problem a line
	}{
		{"misspelt key", "control:\n  mux:\n    remote_timout: 1s\n", "p.yaml:3: control.mux.remote_timout: unknown key: did you mean remote_timeout?"},
		{"key of another section", "max_speed: 1\n", "p.yaml:1: max_speed: unknown key: did you mean control.mux.max_speed?"},
		{"strange key", "sites: {folder: x}\n", "p.yaml:1: sites.folder: unknown key: the keys here are dir"},
		{"hidden field", "private: x\n", "p.yaml:1: private: unknown key: the keys at the top level are name, control, sensors, world, sites, labels, params"},
		{"number for a duration", "control:\n  mux:\n    remote_timeout: 250", "p.yaml:3: control.mux.remote_timeout: 250 has no unit: write 250ms or 250s"},
		{"fraction for a duration", "control: {mux: {remote_timeout: 0.3}}", "p.yaml:1: control.mux.remote_timeout: 0.3 has no unit: write 250ms or 5s (0.3 s would be 300ms)"},
		{"spelt-out unit of time", "control: {mux: {remote_timeout: 2 sec}}", `p.yaml:1: control.mux.remote_timeout: "2 sec" is not a duration: write 2s`},
		{"no duration at all", "control: {mux: {remote_timeout: soon}}", `p.yaml:1: control.mux.remote_timeout: "soon" is not a duration: write one like 250ms, 1.5s or 2m30s`},
		{"number with its unit", "control: {mux: {max_speed: 1.5m/s}}", "p.yaml:1: control.mux.max_speed: 1.5m/s has a unit: write 1.5 (it is in m/s already)"},
		{"number in another unit", "control: {mux: {max_speed: 5 km/h}}", "p.yaml:1: control.mux.max_speed: 5 km/h has the unit km/h: write a plain number in m/s"},
		{"suffix on a bare number", "control: {mux: {retries: 3x}}", "p.yaml:1: control.mux.retries: 3x is not a plain number: write it in SI units without a suffix"},
		{"text for a number", "control: {mux: {max_speed: fast}}", `p.yaml:1: control.mux.max_speed: "fast" is not a number`},
		{"quoted number", `control: {mux: {max_speed: "1"}}`, `p.yaml:1: control.mux.max_speed: "1" is text: write 1 without quotes`},
		{"hexadecimal", `control: {mux: {retries: 0x10}}`, `p.yaml:1: control.mux.retries: 0x10 is not a plain number: write it in SI units without a suffix`},
		{"number for text", "name: 12\n", `p.yaml:1: name: 12 is not text: write "12"`},
		{"truth value for text", "name: true\n", `p.yaml:1: name: true is not text: write "true"`},
		{"yes", "control: {mux: {enabled: yes}}", "p.yaml:1: control.mux.enabled: yes is not a truth value: write true"},
		{"capital False", "control: {mux: {enabled: OFF}}", "p.yaml:1: control.mux.enabled: OFF is not a truth value: write false"},
		{"fraction for a count", "control: {mux: {retries: 2.5}}", "p.yaml:1: control.mux.retries: 2.5 is not a whole number"},
		{"count with a point", "control: {mux: {retries: 3.0}}", "p.yaml:1: control.mux.retries: 3.0 is not written as a whole number: write 3"},
		{"negative port", "control: {mux: {port: -1}}", "p.yaml:1: control.mux.port: -1 is negative: write 0 or more"},
		{"large port", "control: {mux: {port: 70000}}", "p.yaml:1: control.mux.port: 70000 is too large"},
		{"nan", "control: {mux: {max_speed: .nan}}", "p.yaml:1: control.mux.max_speed: .nan is not finite: write a finite number"},
		{"inf", "control: {mux: {limits: [1, -.inf, 1]}}", "p.yaml:1: control.mux.limits[1]: -.inf is not finite: write a finite number"},
		{"overflow", "control: {mux: {max_speed: 1e999}}", "p.yaml:1: control.mux.max_speed: 1e999 does not fit a number"},
		{"no value", "name:\ncontrol:\n", "p.yaml:1: name: has no value: write a text or remove the key"},
		{"section for a value", "name:\n  first: x\n", "p.yaml:2: name: is a section where a text is wanted"},
		{"value for a section", "control: 5\n", "p.yaml:1: control: is a single value where a section is wanted: indent its keys (mux) below it"},
		{"value for a list", "world: {people: Ann}", "p.yaml:1: world.people: is a single value where a list of section is wanted: write [a, b] or lines that begin with '- '"},
		{"value for a map", "sensors: [scan]", "p.yaml:1: sensors: is a list where names and values are wanted: write name: value below it"},
		{"short array", "control: {mux: {limits: [1, 2]}}", "p.yaml:1: control.mux.limits: has 2 values, want 3"},
		{"duplicate key", "name: a\ncontrol:\n  mux:\n    port: 1\n    port: 2\n", "p.yaml:5: control.mux.port: is set twice (line 4): remove one"},
		{"duplicate name", "labels:\n  a: x\n  a: y\n", "p.yaml:3: labels.a: is set twice (line 2): remove one"},
		{"own parser", "control: {mux: {level: medium}}", `p.yaml:1: control.mux.level: "medium" is not a level: write low or high`},
		{"rule", "control:\n  mux:\n    remote_timeout: 0s\n", "p.yaml:3: control.mux.remote_timeout: 0s is out of range 50ms..5s: write a duration between them"},
		{"rule with a unit", "control: {mux: {max_speed: -1}}", "p.yaml:1: control.mux.max_speed: -1 m/s is out of range 0..3 m/s: write a value between them"},
		{"rule with words", "control: {mux: {source: dashbord}}", `p.yaml:1: control.mux.source: "dashbord" is not known: did you mean dashboard? (one of handheld, dashboard)`},
		{"rule about a default", "name: x\ncontrol:\n  mux:\n    limits: [0.5, 0, 0]\n", "p.yaml:3: control.mux.max_speed: is above limits[0]: lower it to 0.5"},
		{"plain error of a part", "sensors:\n  scan:\n    min_hz: -2\n", "p.yaml:3: sensors.scan.min_hz: -2 Hz is negative: write 0 or more"},
		{"element of a list", "world:\n  people:\n  - name: Ann\n  - name: Bob\n    speed: x\n", `p.yaml:5: world.people[1].speed: "x" is not a number`},
		{"top level list", "- a\n- b\n", "p.yaml:1: the file holds a list where keys are wanted: write key: value"},
		{"tab", "control:\n\tmux: 1\n", "p.yaml:2: found character '\t' that cannot start any token"},
		{"open bracket", "control: [1,\n", "p.yaml:1: sequence end token ']' not found"},
		{"anchor", "name: &a x\n", "p.yaml:1: anchors, aliases and merges are not supported: write the value out"},
		{"tag", "name: !!str x\n", "p.yaml:1: tags are not supported: remove !!str"},
		{"two documents", "name: a\n---\nname: b\n", "p.yaml:3: a second document: keep one document in a file"},
		{"not text", "name: a\nlabels: {x: \xff}\n", "p.yaml:2: not UTF-8: save the file as UTF-8"},
		{"deep", "params: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "p.yaml:1: nested more than 32 levels deep: simplify it"},
		{"everything at once", "nam: x\ncontrol:\n  mux:\n    max_speed: 9\n    port: http\n    remote_timeout: 10s\nsensors:\n  imu: {}\n", strings.Join([]string{
			"p.yaml:1: nam: unknown key: did you mean name?",
			"p.yaml:4: control.mux.max_speed: 9 m/s is out of range 0..3 m/s: write a value between them",
			`p.yaml:5: control.mux.port: "http" is not a number`,
			"p.yaml:6: control.mux.remote_timeout: 10s is out of range 50ms..5s: write a duration between them",
			"p.yaml:8: sensors.imu.topic: is empty: name the topic",
		}, "\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			into := defaults()
			err := Decode("p.yaml", []byte(tt.yaml), &into)
			if err == nil {
				t.Fatalf("no error, want %s", tt.want)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if !errors.Is(err, ErrInvalid) {
				t.Error("the error does not match ErrInvalid")
			}
			if n := strings.Count(tt.want, "\n") + 1; len(All(err)) != n {
				t.Errorf("All returns %d problems, want %d", len(All(err)), n)
			}
		})
	}
}

func TestOverridesNameTheFlag(t *testing.T) {
	tests := []struct{ set, want string }{
		{"control.mux.remote_timeout=0s", "--set control.mux.remote_timeout=0s: 0s is out of range 50ms..5s: write a duration between them"},
		{"control.mux.max_sped=1", "--set control.mux.max_sped=1: unknown key: did you mean max_speed?"},
		{"control.mux.max_speed=fast", `--set control.mux.max_speed=fast: "fast" is not a number`},
		{"control.mux.max_speed=", "--set control.mux.max_speed=: has no value: write a number or remove the key"},
		{"control.mux={port: x}", `--set control.mux={port: x}: control.mux.port: "x" is not a number`},
		{"control.mux={port: 1, port: 2}", `--set control.mux={port: 1, port: 2}: control.mux.port: is set twice: remove one`},
		{"control.mux.limits[0]=-1", "p.yaml: control.mux.max_speed: is above limits[0]: lower it to -1\n" +
			"--set control.mux.limits[0]=-1: -1 is out of range 0..5: write a value between them"},
		{"control.mux.limits[3]=1", "--set control.mux.limits[3]=1: there is no such element: the list has 3"},
		{"control.mux.limits.x=1", "--set control.mux.limits.x=1: is not an element: write control.mux.limits[0] for the first"},
		{"name.first=x", "--set name.first=x: has no keys: it is a text"},
		{"control.mux.remote_timeout.ms=5", "--set control.mux.remote_timeout.ms=5: has no keys: it is a duration"},
		{"name", "--set name: want path=value, as in --set control.remote_timeout=250ms"},
		{"=x", "--set =x: want path=value, as in --set control.remote_timeout=250ms"},
		{"a..b=x", `--set a..b=x: "a..b" is not a path: write keys with single dots between them`},
		{"a[x]=x", `--set a[x]=x: "a[x]" is not a path: write an element of a list as name[0]`},
		{"a[0]b=x", `--set a[0]b=x: "a[0]b" is not a path: put a dot after ]`},
		{"name=[", "--set name=[: the value is not YAML: sequence end token ']' not found"},
	}
	for _, tt := range tests {
		t.Run(tt.set, func(t *testing.T) {
			into := defaults()
			err := Decode("p.yaml", nil, &into, tt.set)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v\nwant  %s", err, tt.want)
			}
		})
	}
}

func TestOverridesComeAfterTheFile(t *testing.T) {
	into := defaults()
	err := Decode("p.yaml", []byte("name: a\ncontrol: {mux: {port: x}}\n"), &into, "nme=b", "name=c", "name=d")
	want := "p.yaml:2: control.mux.port: \"x\" is not a number\n--set nme=b: unknown key: did you mean name?"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if into.Name != "d" {
		t.Errorf("name = %q: the last override should win", into.Name)
	}
}

func TestDefaultsAreCheckedToo(t *testing.T) {
	into := defaults()
	into.Control.Mux.Gains = []float64{1, math.Inf(1)}
	want := "p.yaml: control.mux.gains[1]: +Inf is not finite: write a finite number"
	if err := Decode("p.yaml", nil, &into); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestTooLargeAFile(t *testing.T) {
	into := defaults()
	err := Decode("p.yaml", []byte(strings.Repeat("#\n", maxBytes)), &into)
	if err == nil || !strings.Contains(err.Error(), "bytes, more than") {
		t.Errorf("error %v, want one about the size", err)
	}
}

func TestProgramFaultsAreNotTheUsers(t *testing.T) {
	tests := []struct {
		name string
		into any
		want string
	}{
		{"no pointer", robot{}, "want a pointer to a struct"},
		{"nil", (*robot)(nil), "want a pointer to a struct"},
		{"not a struct", new(int), "want a pointer to a struct"},
		{"function", &struct{ Hook func() }{}, "hook has type func()"},
		{"interface", &struct{ Any map[string]any }{}, "any.* has type interface {}"},
		{"numbered map", &struct{ M map[int]string }{}, "m has keys of type int"},
		{"two fields, one key", &struct {
			A string `yaml:"b"`
			B string
		}{}, "two fields for the key b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Decode("p.yaml", nil, tt.into)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
			if errors.Is(err, ErrInvalid) {
				t.Error("the user is blamed")
			}
		})
	}
}

func TestNestedProblemsArePrintedOnce(t *testing.T) {
	var into struct{ Outer outer }
	err := Decode("p.yaml", []byte("outer: {inner: {max: -1}}"), &into)
	if want := "p.yaml:1: outer.inner.max: -1 is too small: write 0 or more"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

type outer struct{ Inner inner }

func (o outer) Validate() error {
	var p Problems
	p.Nested("inner", o.Inner.Validate())
	return p.Err()
}

type inner struct{ Max float64 }

func (i inner) Validate() error {
	var p Problems
	p.AtLeast("max", i.Max, 0, "")
	return p.Err()
}
