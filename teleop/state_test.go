package teleop

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The fields of the documents' tables, letter for letter and in order.
const (
	mollyState = "seq mode estop estop_reasons field nav nav_msg pause localization recording pose battery driver cmd health tags speed " +
		"site mapping planner tour speech visitors greeter docking map_rev"
	pashupatiState = "seq mode estop field nav nav_msg mission localization recording pose battery driver cmd health tags inspection " +
		"people speed trip net"
)

func TestStateHasEveryFieldOfItsDialectAndNoOther(t *testing.T) {
	for _, tc := range []struct {
		d      *Dialect
		fields string
	}{{Molly(), mollyState}, {Pashupati(), pashupatiState}} {
		want(t, tc.d.Name, strings.Join(tc.d.StateFields(), " "), tc.fields)
		full := fullState()
		for name, st := range map[string]*State{"empty": {}, "full": &full} {
			var got map[string]any
			if err := json.Unmarshal(tc.d.AppendState(nil, st), &got); err != nil {
				t.Fatalf("%s %s: %v", tc.d.Name, name, err)
			}
			want(t, name+" fields", len(got), 1+len(strings.Fields(tc.fields)))
			for f := range strings.FieldsSeq(tc.fields) {
				v, ok := got[f]
				if !ok {
					t.Errorf("%s has no %s", tc.d.Name, f)
				}
				if isNull := v == nil; isNull != (name == "empty" && f != "seq") {
					t.Errorf("%s %s: %s is %v", tc.d.Name, name, f, v)
				}
			}
		}
	}
}

// fullState sets every field of both dialects.
func fullState() State {
	return State{
		Seq: 42, Mode: Some("remote"), EStop: Some(true), EStopReasons: []string{"handheld phone", "lidar lost"},
		Field: Some("limited"), Nav: Some("FOLLOWING"), NavMsg: Some("on its way"), Pause: []string{}, Waypoint: Some(Waypoint{12, 240}),
		Mission: Some("waypoint 12/240"), Localization: Some("tag:base_map"), Recording: Some(false), Pose: Some(Pose{1.5, -2.25, 0.785}),
		Battery: Some(Battery{82, 51.2, -3.5, 31}), Driver: Some(DriverStatus{1, "motor warm"}), Cmd: Some(Velocity{VX: 0.5, VY: 0, WZ: -0.25}),
		Health: Some(Health{
			OK: false, Issues: []string{"camera: no images"}, SpeedScale: 0.5,
			CPU: 41.5, GPU: 12, RAM: 55.5, RAMUsed: 8.7, RAMTotal: 15.6, Temp: 61.5,
		}),
		Tags: []Tag{{7, [8]float64{0.1, 0.2, 0.3, 0.2, 0.3, 0.4, 0.1, 0.4}}}, Speed: Some(Speed{0.6, 0.2, 1.2}),
		Site:     Some(SiteStatus{"lobby", true, 4, 2, 3, 5, 99}),
		Mapping:  Some(Mapping{true, "lobby", 120, 88.5}),
		Planner:  Some(Planner{"following", "desk", 4.5, ""}),
		Tour:     Some(TourStatus{"running", "welcome", "Welcome", 2, 5, "desk", "Desk", "NARRATING", ""}),
		Speech:   Some(Speech{"speaking", "good morning", 1}),
		Visitors: Some(Visitors{3, 2, 1, 1.25}), Greeter: Some(Greeter{true, "watching"}),
		Docking: Some(Docking{"docked", "dock_1", true, ""}), MapRev: Some(uint32(7)),
		Inspection: Some(Inspection{
			On: true, State: "running", Model: "m", Interval: 30, Count: 9, Reports: 2, Queue: 1, QueueMax: 4,
			Last: Some(Finding{"leak", true, 850, 3.5, 0.25, "water", "periodic"}),
		}),
		People: Some(People{
			On: true, State: "running", Count: Some(1), Millis: 40, Age: 0.5, Boxes: []Box{{0.1, 0.2, 0.3, 0.9, 0.8}}, Backend: "cpu",
		}),
		Trip: Some(Trip{1234.5, 900, 0.5, 0.75, 1.1, 1767322800}), Net: Some(Net{true, 12.5, 0, "1.1.1.1", 2.5}),
	}
}

func TestStateReadsBack(t *testing.T) {
	full := fullState()
	m, err := Molly().ParseState(Molly().AppendState(nil, &full))
	if err != nil {
		t.Fatal(err)
	}
	expected := full
	expected.Waypoint, expected.Mission = Opt[Waypoint]{}, Opt[string]{}
	expected.Inspection, expected.People, expected.Trip, expected.Net = Opt[Inspection]{}, Opt[People]{}, Opt[Trip]{}, Opt[Net]{}
	if diff := cmp.Diff(&expected, m); diff != "" {
		t.Error(diff)
	}
	p, err := Pashupati().ParseState(Pashupati().AppendState(nil, &full))
	if err != nil {
		t.Fatal(err)
	}
	if p.Inspection != full.Inspection || p.Trip != full.Trip || p.Net != full.Net || !cmp.Equal(p.People, full.People) || p.MapRev.OK {
		t.Errorf("%+v", p)
	}
}

func TestPashupatiHasItsOwnWords(t *testing.T) {
	read := func(st State) string { return string(Pashupati().AppendState(nil, &st)) }
	for _, tc := range []struct {
		name string
		st   State
		want string
	}{
		{"inactive", State{Nav: Some("INACTIVE")}, `"nav":"NAV_INACTIVE"`},
		{"other states", State{Nav: Some("DWELLING")}, `"nav":"DWELLING"`},
		{"blind", State{Field: Some("blind")}, `"field":"stop"`},
		{"stale", State{Field: Some("stale")}, `"field":"stale"`},
		{"paused", State{Nav: Some("PAUSED"), Pause: []string{"operator", "estop"}}, `"mission":"paused: operator, estop"`},
		{"paused on the way", State{Nav: Some("PAUSED"), Pause: []string{"estop"}, Waypoint: Some(Waypoint{1, 2})}, `"mission":"paused: estop"`},
		{"quotes", State{Nav: Some("PAUSED"), Pause: []string{`a "b"`}}, `"mission":"paused: a \"b\""`},
		{"under way", State{Nav: Some("FOLLOWING"), Pause: []string{}, Waypoint: Some(Waypoint{12, 240})}, `"mission":"waypoint 12/240"`},
		{"no route", State{Nav: Some("INACTIVE")}, `"mission":""`},
		{"no navigation", State{}, `"mission":null`},
		{"no speed scale", State{Health: Some(Health{SpeedScale: 0.5})}, `"health":{"ok":false,"issues":[],"cpu":0,`},
		{"no people yet", State{People: Some(People{State: "loading"})}, `"count":null`},
		{"old boxes", State{People: Some(People{Age: 2.5, Boxes: []Box{{}}})}, `"boxes":[]`},
		{"no finding", State{Inspection: Some(Inspection{})}, `"last":null`},
		{"offline", State{Net: Some(Net{Millis: math.NaN()})}, `"ms":null`},
	} {
		if got := read(tc.st); !strings.Contains(got, tc.want) {
			t.Errorf("%s: no %s in %s", tc.name, tc.want, got)
		}
	}
	back, err := Pashupati().ParseState([]byte(read(State{Nav: Some("INACTIVE"), Field: Some("stop")})))
	if err != nil || back.Nav.V != "INACTIVE" || back.Field.V != "stop" {
		t.Errorf("%+v %v", back, err)
	}
}

func TestMollyHasItsOwnWords(t *testing.T) {
	for _, tc := range []struct {
		name string
		st   State
		want string
	}{
		{"inactive", State{Nav: Some("INACTIVE")}, `"nav":"INACTIVE"`},
		{"blind", State{Field: Some("blind")}, `"field":"blind"`},
		{"no reasons", State{EStopReasons: []string{}}, `"estop_reasons":[]`},
		{"speed scale", State{Health: Some(Health{SpeedScale: 0.5})}, `"speed_scale":0.5`},
		{"no Jetson", State{Health: Some(Health{GPU: math.NaN()})}, `"gpu":null`},
		{"nobody", State{Visitors: Some(Visitors{Nearest: math.Inf(1)})}, `"nearest":null`},
		{"long speech", State{Speech: Some(Speech{Text: strings.Repeat("ö", 90)})}, `"text":"` + strings.Repeat("ö", 80) + `"`},
		{"broken pose", State{Pose: Some(Pose{math.NaN(), 1, 2})}, `"pose":[null,1,2]`},
		{"no negative zero", State{Cmd: Some(Velocity{VX: math.Copysign(0, -1)})}, `"cmd":[0,0,0]`},
	} {
		if got := string(Molly().AppendState(nil, &tc.st)); !strings.Contains(got, tc.want) {
			t.Errorf("%s: no %s in %s", tc.name, tc.want, got)
		}
	}
}

func FuzzParseState(f *testing.F) {
	full := fullState()
	f.Add(Molly().AppendState(nil, &full))
	f.Add(Pashupati().AppendState(nil, &full))
	f.Add([]byte(`{"t":"state","pose":{},"tags":[[1]],"people":{"boxes":3},"seq":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range Dialects() {
			st, err := d.ParseState(data)
			if err != nil {
				continue
			}
			again, err := d.ParseState(d.AppendState(nil, st))
			if err != nil {
				t.Fatalf("what was written is not read: %v", err)
			}
			if len(again.Tags) != len(st.Tags) {
				t.Fatalf("%d tags became %d", len(st.Tags), len(again.Tags))
			}
		}
	})
}
