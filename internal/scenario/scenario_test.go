package scenario

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sarathi/internal/config"
	"sarathi/internal/script"
)

func TestScenariosOfTheRepositoryLoad(t *testing.T) {
	files, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	names := map[string]string{}
	for _, f := range files {
		s, err := Load(f)
		if err != nil {
			t.Error(err)
			continue
		}
		if other := names[s.Name]; other != "" {
			t.Errorf("%s and %s have the same name", f, other)
		}
		if names[s.Name] = f; len(s.Expect) == 0 {
			t.Errorf("%s expects nothing", f)
		}
	}
}

func TestDecode(t *testing.T) {
	got, err := Decode("s.yaml", []byte(`
name: everything
world: {scene: maps/flat.yaml, start: {x: 1, yaw_deg: 90}}
needs: [scan]
script: [{at: 1s, cmd: estop}]
events:
  - {at: 1s, clock_jump: -2h}
  - {at: 2s, hardware_estop: false}
  - {at: 3s, person: {behind: 0.5, walks: [[1, 2]]}}
  - {at: 3s, garble: {stream: imu, for: 2s}}
expect:
  - stops: {after: 1s, within: 500ms}
  - travels: {min: 2}
  - status: {at: 1s, estop: false}
`))
	if err != nil {
		t.Fatal(err)
	}
	back, behind, no := -2*time.Hour, 0.5, false
	want := &Scenario{
		Name: "everything", Profile: "molly", Duration: 10 * time.Second, Jitter: 20 * ms, Needs: []string{NeedScan},
		World:  World{Scene: "maps/flat.yaml", Start: &Pose{X: 1, YawDeg: 90}},
		Script: []script.Step{{At: time.Second, As: script.Handheld, Rate: 20, Cmd: "estop"}},
		Events: []Event{
			{At: time.Second, ClockJump: &back},
			{At: 2 * time.Second, HardwareEStop: &no},
			{At: 3 * time.Second, Person: &Person{Name: "visitor", Radius: 0.25, Speed: 1, Behind: &behind, Walks: [][2]float64{{1, 2}}}},
			{At: 3 * time.Second, Garble: &Outage{Stream: "imu", For: 2 * time.Second}},
		},
		Expect: []Expectation{
			{Stops: &Stops{After: time.Second, Within: 500 * ms, Distance: 100}},
			{Travels: &Range{Min: 2, Max: got.Expect[1].Travels.Max}},
			{Status: &Status{At: time.Second, EStop: &no}},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Outage{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadScenarios(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"durtion: 3s", "s.yaml:2: durtion: unknown key: did you mean duration?"},
		{"duration: 3", "s.yaml:2: duration: 3 has no unit: write 3ms or 3s"},
		{"duration: 1ms", "s.yaml:2: duration: 1ms is out of range 100ms..24h0m0s"},
		{"needs: [legs]", `s.yaml:2: needs[0]: "legs" is not known: write one of scan, lateral, camera`},
		{"allow: [everything]", `s.yaml:2: allow[0]: "everything" is not known`},
		{"set: [simulated.world=house]", "s.yaml:2: set[0]: the scenario says the world: write it under world.scene"},
		{"set: [seed=3]", "s.yaml:2: set[0]: the seed is that of the run: give it with --seed"},
		{"script: [{at: 11s, cmd: estop}]", "s.yaml:2: script[0].at: 11s is after the end of the scenario at 10s"},
		{"events: [{at: 11s, crash_driver: true}]", "s.yaml:2: events[0].at: 11s is after the end of the scenario at 10s"},
		{"events: [{at: 1s}]", "s.yaml:2: events[0]: an event says exactly one thing that happens, this one says 0"},
		{"events: [{at: 1s, crash_driver: true, navigation_goes: true}]", "this one says 2"},
		{"events: [{at: 1s, silence: {stream: scam, for: 1s}}]", `s.yaml:2: events[0].silence.stream: stream "scam" does not exist: write one of odometry, imu,`},
		{"events: [{at: 1s, garble: {stream: scan}}]", "events[0].garble.for: 0s is out of range"},
		{"events: [{at: 1s, temperature: 500}]", "events[0].temperature: 500 degC is out of range -40..150 degC"},
		{"events: [{at: 1s, person: {ahead: 1, behind: 1}}]", "events[0].person: is placed before 2 sides of the robot"},
		{"events: [{at: 1s, person: {ahead: 1, x: 1}}]", "events[0].person.x: is given together with a side of the robot"},
		{"events: [{at: 1s, person: {ahead: -1}}]", "-1 m is out of range 0.01..100 m"},
		{"events: [{at: 1s, person: {name: ''}}]", "events[0].person.name: is empty"},
		{"events: [{at: 1s, door: {open: true}}]", "events[0].door.name: is empty: write a value"},
		{"expect: [{}]", "s.yaml:2: expect[0]: an expectation says exactly one thing, this one says 0"},
		{"expect: [{still: {from: 2s, until: 1s}}]", "expect[0].still.until: 1s is not after from, 2s"},
		{"expect: [{zero: {from: 2s, until: 2s}}]", "expect[0].zero.until: 2s is not after from, 2s"},
		{"expect: [{still: {from: 2s, until: 11s}}]", "expect[0]: 11s is after the end of the scenario at 10s"},
		{"expect: [{stops: {after: 9500ms, within: 600ms}}]", "expect[0]: 10.1s is after the end"},
		{"expect: [{stops: {after: 1s}}]", "expect[0].stops.within: 0s is out of range"},
		{"expect: [{moves: {from: 0s, until: 1s, min_speed: 2, max_speed: 1}}]", "expect[0].moves.max_speed: is below min_speed: raise it to 2 or more"},
		{"expect: [{travels: {min: 2, max: 1}}]", "expect[0].travels.max: is below min: raise it to 2 or more"},
		{"expect: [{ends: {x: 2}}]", "expect[0].ends.within: 0 m is not positive"},
		{"expect: [{status: {at: 1s}}]", "expect[0].status: says nothing about the status"},
		{"expect: [{status: {at: 1s, mode: manual}}]", `expect[0].status.mode: "manual" is not known: write one of auto, remote`},
		{"expect: [{status: {at: 1s, field: [clean]}}]", `expect[0].status.field[0]: "clean" is not known: did you mean clear?`},
		{"expect: [{node: {name: x, state: dead}}]", `expect[0].node.state: "dead" is not known`},
		{"expect: [{field_says: {from: 0s, until: 1s, state: red}}]", `expect[0].field_says.state: "red" is not known`},
	} {
		_, err := Decode("s.yaml", []byte("name: x\n"+tt.yaml+"\n"))
		if !errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n got %v\nwant %s", tt.yaml, err, tt.want)
		}
	}
	if _, err := Decode("s.yaml", nil); err == nil || !strings.Contains(err.Error(), "s.yaml: name: is empty: write a value") {
		t.Errorf("without a name: %v", err)
	}
	if _, err := Load("nowhere.yaml"); !errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), "nowhere.yaml") {
		t.Errorf("no file: %v", err)
	}
}

func TestPlay(t *testing.T) {
	s := &Scenario{
		Jitter: 50 * ms,
		Script: []script.Step{{At: time.Second, Cmd: "estop"}},
		Events: []Event{
			{At: 2 * time.Second, Garble: &Outage{Stream: "scan", For: 300 * ms}},
			{At: time.Second, CrashDriver: true},
		},
	}
	late := map[time.Duration]bool{}
	for seed := range uint64(50) {
		inputs, events := s.Play(rand.New(rand.NewPCG(seed, 2)))
		againInputs, againEvents := s.Play(rand.New(rand.NewPCG(seed, 2)))
		if diff := cmp.Diff(inputs, againInputs) + cmp.Diff(events, againEvents, cmp.AllowUnexported(Outage{})); diff != "" {
			t.Fatalf("seed %d is not repeated:\n%s", seed, diff)
		}
		if len(inputs) != 1 || len(events) != 3 || !events[0].CrashDriver || events[1].Garble.Over() || !events[2].Garble.Over() {
			t.Fatalf("got %+v, %+v", inputs, events)
		}
		if d := events[1].At - 2*time.Second; d < 0 || d >= 50*ms || events[2].At-events[1].At != 300*ms {
			t.Fatalf("garbled from %v to %v", events[1].At, events[2].At)
		}
		late[events[1].At] = true
	}
	if len(late) < 40 {
		t.Errorf("only %d different times", len(late))
	}
	if s.Events[0].At != 2*time.Second || s.Events[0].Garble.Over() {
		t.Error("the scenario itself was changed")
	}
}

// FuzzDecode: whatever is refused is the user's fault with a place.
func FuzzDecode(f *testing.F) {
	f.Add("name: x\nevents: [{at: 1s, person: {ahead: .5}}]\nexpect: [{still: {from: 0s, until: 1s}}]\n")
	f.Add("name: x\nscript: [{at: 1s, joy: [nan, 1, 1], for: 1s}]\nset: ['a=b']\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := Decode("f.yaml", []byte(text)); err != nil && (!errors.Is(err, config.ErrInvalid) || len(config.All(err)) == 0) {
			t.Fatalf("not a located problem: %v", err)
		}
	})
}
