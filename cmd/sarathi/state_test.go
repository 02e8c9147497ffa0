package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"sarathi/teleop"
)

func TestStatePrintsWhatTheRobotReports(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	got := runAt(t.Context(), t, r.addr, "state ROBOT --once")
	if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "--- ") || !strings.Contains(got.stdout, "\nfield: \"clear\"\n") {
		t.Errorf("%+v", got)
	}
	got = runAt(t.Context(), t, r.addr, "state ROBOT -n 3 --json")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.code != 0 || len(lines) != 3 {
		t.Fatalf("%+v", got)
	}
	var st map[string]any
	if err := json.Unmarshal([]byte(lines[2]), &st); err != nil {
		t.Fatal(err)
	}
	if st["mode"] != "auto" || st["estop"] != false || st["nav"] != nil || st["inspection"] != nil {
		t.Errorf("%v", st)
	}
}

func TestStateWarnsBeforeItTakesOver(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	r.occupy(t, "")
	got := runAt(t.Context(), t, r.addr, "state ROBOT --once")
	if got.code != 0 || !strings.HasPrefix(got.stderr, "sarathi: phone drives this robot") {
		t.Errorf("%+v", got)
	}
	r.await(t, teleop.EffectEnded, func(e teleop.Effect) bool { return e.Client.Name == "phone" })
}

func TestStateEndsWithTheRobotOrTheUser(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	done := make(chan ran)
	go func() { done <- runAt(t.Context(), t, r.addr, "state ROBOT") }()
	r.await(t, teleop.EffectStarted, anyEffect)
	r.do(r.s.Close)
	if got := <-done; got.code != 1 || !strings.Contains(got.stderr, "ROBOT: the robot shut down") {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { done <- runAt(ctx, t, r.addr, "state ROBOT") }()
	r.await(t, teleop.EffectStarted, anyEffect)
	cancel()
	if got := <-done; got.code != 0 || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if got := runAt(t.Context(), t, r.addr, "state ROBOT -n 2"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	r.await(t, teleop.EffectEnded, func(e teleop.Effect) bool { return e.Reason == "bye" })
	if got := runAt(t.Context(), t, r.addr, "state ROBOT -n -1"); got.code != 2 {
		t.Errorf("%+v", got)
	}
}
