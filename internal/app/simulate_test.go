package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sarathi/internal/config"
	"sarathi/internal/scenario"
)

// forEachScenario runs f for every scenario of the repository.
func forEachScenario(t *testing.T, f func(t *testing.T, path string, s *scenario.Scenario)) {
	t.Helper()
	files, err := filepath.Glob("../../scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios found: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			s, err := scenario.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			f(t, path, s)
		})
	}
}

// rendered reports whether a scenario needs images: under the race detector they take minutes. `make scenarios`, which CI runs as well, has
// them all.
func rendered(s *scenario.Scenario) bool { return slices.Contains(s.Needs, scenario.NeedCamera) }

// TestScenarios runs the scenarios of the repository once; `make scenarios` and `make sweep` run more seeds.
func TestScenarios(t *testing.T) {
	forEachScenario(t, func(t *testing.T, path string, s *scenario.Scenario) {
		if rendered(s) {
			return
		}
		r, err := simulate(t.Context(), s, SimOptions{Path: path, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range r.Failures {
			t.Error(what)
		}
	})
}

// TestPoorerBodies runs with the differential robot every scenario whose needs it meets.
func TestPoorerBodies(t *testing.T) {
	forEachScenario(t, func(t *testing.T, path string, s *scenario.Scenario) {
		if s.Profile == "zelpi" || rendered(s) {
			return // TestScenarios or `make scenarios` runs it
		}
		r, err := simulate(t.Context(), s, SimOptions{Path: path, Seed: 3, Profile: "zelpi"})
		if need, lacks := errors.AsType[*NeedError](err); lacks {
			if need.Need != scenario.NeedLateral {
				t.Errorf("zelpi has no %s?", need.Need)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range r.Failures {
			t.Error(what)
		}
	})
}

// write makes a scenario in a temporary folder.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte("name: a test\nduration: 2s\nworld: {scene: empty}\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const drives = `script:
  - {at: 100ms, cmd: set_mode, args: {mode: remote}}
  - {at: 200ms, joy: [0, 0, 0], for: 1s}
  - {at: 500ms, joy: [0.5, 0, 0], for: 1500ms}
`

func TestTheReport(t *testing.T) {
	var file bytes.Buffer
	path := write(t, drives+"expect: [{travels: {min: 0.2}}]\n")
	r, err := Simulate(t.Context(), SimOptions{Path: path, Seed: 5, Trace: &file})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Passed || r.Failures == nil || len(r.Failures) != 0 || r.Scenario != "a test" || r.File != path || r.Seed != 5 || r.SimulatedSec != 2 ||
		r.WallSec <= 0 || r.RealTime <= 1 || r.Collisions != 0 || r.TravelledM < 0.2 || r.Messages < 100 || len(r.TraceSHA256) != 64 {
		t.Errorf("got %+v", r)
	}
	if !strings.HasPrefix(file.String(), "SRTRACE1") {
		t.Error("no trace was written")
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"passed":true`, `"failures":[]`, `"simulated_sec":2,`, `"wall_sec":`, `"collisions":0,`, `"trace_sha256":"` + r.TraceSHA256} {
		if !strings.Contains(string(text), key) {
			t.Errorf("no %s in %s", key, text)
		}
	}
}

func TestFailuresAreReported(t *testing.T) {
	for _, tt := range []struct{ name, scenario, want string }{
		{"expectation", drives + "expect: [{travels: {min: 20}}]\n", "wanted at least 20.00 m"},
		{
			"collision",
			"set: [control.field.enabled=false]\nevents: [{at: 1s, person: {ahead: 0.1}}]\n" + drives,
			"collision with visitor",
		},
		{"node that dies", drives + "events: [{at: 1s, silence: {stream: scan, for: 1s}}]\nexpect: [{node: {name: lidar_sector_node, state: halted}}]\n", "node lidar_sector_node: running, wanted halted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Simulate(t.Context(), SimOptions{Path: write(t, tt.scenario), Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if r.Passed || !strings.Contains(strings.Join(r.Failures, "\n"), tt.want) {
				t.Errorf("passed %v, failures %q", r.Passed, r.Failures)
			}
		})
	}
}

// What cannot be run is an error of the user, also when it shows only under way.
func TestWhatCannotBeSimulated(t *testing.T) {
	for _, tt := range []struct{ name, scenario, want string }{
		{"profile", "profile: nobody\n", "there is no profile"},
		{"profile's key", "set: [robot.nmae=x]\n", "--set robot.nmae=x: unknown key"},
		{"scene", "world: {scene: nowhere.yaml}\n", "nowhere.yaml: no such file or directory"},
		{"start in a wall", "world: {scene: house, start: {x: 5, y: 2}}\n", "start"},
		{"need", "profile: zelpi\nneeds: [lateral]\n", "ZelPi has no lateral, which the scenario needs"},
		{"node", "events: [{at: 1s, panic_node: nobody}]\n", "event at 1.0"},
		{"door", "events: [{at: 1s, door: {name: gate}}]\n", "gate"},
		{"person in the robot", "events: [{at: 1s, person: {x: 0, y: 0}}]\n", `person "visitor" cannot stand at (0, 0): robot "molly" is there`},
		{"stream without numbers", "events: [{at: 1s, garble: {stream: joints, for: 1s}}]\n", "stream joints holds no numbers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.scenario
			path := write(t, text)
			if strings.HasPrefix(text, "world:") {
				if err := os.WriteFile(path, []byte("name: a test\n"+text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Simulate(t.Context(), SimOptions{Path: path, Seed: 1})
			if !errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v\nwant %q", r, err, tt.want)
			}
		})
	}
	if _, err := Simulate(t.Context(), SimOptions{Path: "nowhere.yaml"}); !errors.Is(err, config.ErrInvalid) {
		t.Errorf("no scenario: %v", err)
	}
}

// Profiles and scenes that a scenario names lie beside it.
func TestPathsInAScenario(t *testing.T) {
	path := write(t, "profile: robots/mine.yaml\n")
	dir := filepath.Join(filepath.Dir(path), "robots")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte("robot: {name: Mine}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Simulate(t.Context(), SimOptions{Path: path}); err != nil {
		t.Error(err)
	}
}

func TestASimulationCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Simulate(ctx, SimOptions{Path: write(t, ""), Speed: 1})
	if !errors.Is(err, context.Canceled) || errors.Is(err, config.ErrInvalid) || !strings.Contains(err.Error(), "stopped at 0s") {
		t.Errorf("got %v", err)
	}
}

func TestThePaceIsKept(t *testing.T) {
	r, err := Simulate(t.Context(), SimOptions{Path: write(t, ""), Speed: 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.WallSec < 0.19 { // 2 s at ten times real time, and no more than the last slice early
		t.Errorf("took %.3f s", r.WallSec)
	}
}
