package main

import (
	"encoding/json"
	"strings"
	"testing"

	"sarathi/teleop"
)

func TestDiscoverFindsARobot(t *testing.T) {
	r := startFixture(t, teleop.Pashupati(), "secret")
	line := "discover ROBOT --for 400ms --dialect pashupati"
	got := runAt(t.Context(), t, r.addr, line)
	const row = "Fixture  pashupati  ROBOT  needed  -  auto  82 %  -"
	if fields := strings.Join(strings.Fields(got.stdout), " "); got.code != 0 || !strings.Contains(fields, strings.Join(strings.Fields(row), " ")) {
		t.Errorf("%+v", got)
	}
	var robots []foundRobot
	got = runAt(t.Context(), t, r.addr, line+" --json")
	if err := json.Unmarshal([]byte(got.stdout), &robots); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range robots {
		found = found || f.Address == "ROBOT" && f.Name == "Fixture" && f.Secured && f.Battery != nil && *f.Battery == 82 && *f.Mode == "auto"
	}
	if !found {
		t.Errorf("%+v", robots)
	}
}

func TestDiscoverRefusesWhatItCannotAsk(t *testing.T) {
	for _, line := range []string{"discover robot.local", "discover ::1", "discover --for 0s", "discover --dialect dog"} {
		if got := runAt(t.Context(), t, "ROBOT", line); got.code != 2 || got.stdout != "" {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestTextOfOthersDoesNotMoveTheCursor(t *testing.T) {
	for text, want := range map[string]string{"Molly": "Molly", "": "", "Hündin 7": "Hündin 7", "a\x1b[2J": `"a\x1b[2J"`, "a\nb": `"a\nb"`} {
		if got := printable(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}
