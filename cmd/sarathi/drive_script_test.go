package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/script"
	"sarathi/teleop"
)

func TestDrivePlaysAScript(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "secret")
	t.Setenv("SARATHI_TOKEN", "secret")
	got := runAt(t.Context(), t, r.addr, "drive ROBOT --script testdata/drive/short.yaml")
	const acks = "   0.00 s  set_mode done: obeyed\n   0.50 s  stand_up done: obeyed\nFixture: 2 answers, 0 refused; round trip "
	if got.code != 0 || !strings.HasPrefix(got.stdout, acks) || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	// Each change of velocity once, in order: between the two moves the robot is told to stand.
	var moves []teleop.Velocity
	for e := range awaitEnd(t, r) {
		if e.Kind == teleop.EffectVelocity && (len(moves) == 0 || e.Velocity != moves[len(moves)-1]) {
			moves = append(moves, e.Velocity)
		}
	}
	want := []teleop.Velocity{{}, {VX: 0.5, WZ: 0.2}, {}, {VX: -0.25}, {}}
	if diff := cmp.Diff(want, moves); diff != "" {
		t.Error(diff)
	}
}

// awaitEnd yields the effects up to the end of the session.
func awaitEnd(t *testing.T, r *fixtureRobot) func(func(teleop.Effect) bool) {
	return func(yield func(teleop.Effect) bool) {
		ended := false
		for !ended {
			e := r.next(t)
			ended = e.Kind == teleop.EffectEnded
			if !yield(e) {
				return
			}
		}
	}
}

func TestDriveScriptEndsWithARefusal(t *testing.T) {
	r := startFixture(t, teleop.Pashupati(), "")
	got := runAt(t.Context(), t, r.addr, "drive ROBOT --dialect pashupati --script testdata/drive/refused.yaml --json")
	lines := strings.Split(got.stdout, "\n")
	want := []string{
		`{"at_sec":0,"command":"sit_down","ok":false,"msg":"the robot sits already"}`,
		`{"at_sec":0.05,"command":"estop","ok":true,"msg":"obeyed"}`,
	}
	if got.code != 1 || len(lines) != 4 || cmp.Diff(want, lines[:2]) != "" || !strings.HasPrefix(lines[2], `{"robot":"Fixture","acks":2,"refused":1,`) {
		t.Errorf("%+v", got)
	}
}

// A robot that follows nothing of the stick is a failure, and says why.
func TestDriveScriptThatMovesNothing(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	got := runAt(t.Context(), t, r.addr, "drive ROBOT --script testdata/drive/unarmed.yaml")
	if got.code != 1 || got.stderr != "" || !strings.HasSuffix(got.stdout, "100 % of the input that moves the robot did not count: it is in mode auto\n") {
		t.Errorf("%+v", got)
	}
	r.do(func(now time.Time) teleop.Output {
		r.state.Mode, r.state.EStop = teleop.Some("remote"), teleop.Some(true)
		r.s.SetState(r.state)
		return r.s.Tick(now)
	})
	got = runAt(t.Context(), t, r.addr, "drive ROBOT --script testdata/drive/unarmed.yaml --json")
	if got.code != 1 || !strings.Contains(got.stdout, `"ignored":1,"why":"the e-stop is engaged"}`) {
		t.Errorf("%+v", got)
	}
}

func TestDriveScriptEndsWithTheLink(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	done := make(chan ran)
	go func() { done <- runAt(t.Context(), t, r.addr, "drive ROBOT --script testdata/drive/long.yaml") }()
	r.await(t, teleop.EffectVelocity, func(e teleop.Effect) bool { return e.Velocity.VX == 0.3 })
	r.do(r.s.Close)
	if got := <-done; got.code != 1 || got.stderr != "sarathi: the link to Fixture was lost: the robot shut down\n" {
		t.Errorf("%+v", got)
	}
}

func TestDriveScriptStopsTheRobotWhenItIsInterrupted(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan ran)
	go func() { done <- runAt(ctx, t, r.addr, "drive ROBOT --script testdata/drive/long.yaml") }()
	r.await(t, teleop.EffectVelocity, func(e teleop.Effect) bool { return e.Velocity.VX == 0.3 })
	cancel()
	if got := <-done; got.code != 0 {
		t.Errorf("%+v", got)
	}
	e := r.await(t, teleop.EffectEnded, anyEffect)
	if e.Reason != "bye" || !r.state.Cmd.V.IsZero() {
		t.Errorf("%s with %v", e.Reason, r.state.Cmd.V)
	}
}

func TestDriveScriptsAreCheckedBeforeTheyArePlayed(t *testing.T) {
	for file, want := range map[string]string{
		"faulty.yaml":  "script[1].as: is dashboard: `sarathi drive` is the handheld and nobody else, remove it",
		"badargs.yaml": "script[1]: mode must be one of auto, remote",
		"none.yaml":    "no such file",
	} {
		got := runAt(t.Context(), t, "127.0.0.1:9", "drive ROBOT --script testdata/drive/"+file)
		if got.code != 2 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

func TestDriveTakesTheScriptOfAScenario(t *testing.T) {
	steps, err := loadDriveScript("../../scenarios/patrol-square.yaml")
	if err != nil || len(steps) == 0 {
		t.Fatalf("%d steps, %v", len(steps), err)
	}
	inputs, err := driveInputs(teleop.Molly(), steps)
	if err != nil || inputs[0].cmd != "set_mode" || inputs[0].args.Text("mode") != "remote" {
		t.Errorf("%+v %v", inputs[0], err)
	}
}

func TestTheStickIsLetGoAtTheEndOfAStep(t *testing.T) {
	joy := func(at, length time.Duration) script.Step {
		return script.Step{At: at, For: length, Joy: &script.Joy{0.5}, Rate: 10, As: script.Handheld}
	}
	const ms = time.Millisecond
	for _, tt := range []struct {
		name  string
		steps []script.Step
		want  []time.Duration
	}{
		{"one", []script.Step{joy(0, 300*ms)}, []time.Duration{300 * ms}},
		{"followed at once", []script.Step{joy(0, 300*ms), joy(300*ms, 200*ms)}, []time.Duration{500 * ms}},
		{"with a pause", []script.Step{joy(0, 300*ms), joy(400*ms, 200*ms)}, []time.Duration{300 * ms, 600 * ms}},
		{"cut short", []script.Step{joy(0, 900*ms), joy(400*ms, 200*ms)}, []time.Duration{600 * ms}},
	} {
		inputs, err := driveInputs(teleop.Molly(), tt.steps)
		if err != nil {
			t.Fatal(err)
		}
		var got []time.Duration
		for _, in := range inputs {
			if in.release {
				got = append(got, in.at)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
