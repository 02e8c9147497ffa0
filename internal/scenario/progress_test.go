package scenario

import (
	"strings"
	"testing"
	"time"
)

func TestNavigationIsExpected(t *testing.T) {
	sec := time.Second
	for _, tt := range []struct {
		name string
		e    Expectation
		want string // "" when it holds
	}{
		{"state", Expectation{Navigation: &Navigation{At: 2 * sec, State: []string{"BLOCKED", "PAUSED"}}}, ""},
		{"before", Expectation{Navigation: &Navigation{At: sec / 2, State: []string{"PAUSED"}}}, "navigation: says nothing before 500ms"},
		{"other state", Expectation{Navigation: &Navigation{At: sec, State: []string{"PAUSED"}}}, "navigation at 1s: FOLLOWING, wanted PAUSED (on its way)"},
		{"reasons", Expectation{Navigation: &Navigation{At: 3 * sec, PausedBy: []string{"operator", "estop"}}}, ""},
		{"fewer reasons", Expectation{Navigation: &Navigation{At: 3 * sec, PausedBy: []string{"estop"}}}, `paused by ["estop" "operator"], wanted ["estop"]`},
		{"laps", Expectation{Navigation: &Navigation{At: 3 * sec, MinLap: 2}}, ""},
		{"too few laps", Expectation{Navigation: &Navigation{At: 3 * sec, MinLap: 3}}, "2 laps are finished, wanted 3"},
		{"passes", Expectation{Passes: &Passes{From: sec, Until: 2 * sec, X: 0.3, Y: 0.05, Within: 0.06}}, ""},
		{"passes elsewhere", Expectation{Passes: &Passes{From: 3 * sec, Until: 4 * sec, X: 0.3, Within: 0.1}}, "passes: 0.20 m from (0.30, 0.00) at best between 3s and 4s"},
		{"passes unseen", Expectation{Passes: &Passes{From: 3 * sec, Until: 5 * sec, Within: 1}}, "passes: nothing is known of the robot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.e.Validate(); err != nil {
				t.Fatal(err)
			}
			r := drive()
			r.Progress = []Progress{
				{At: sec, State: "FOLLOWING", Message: "on its way"},
				{At: 1500 * ms, State: "PAUSED", PauseReasons: []string{"operator", "estop"}, Lap: 2},
			}
			r.Scenario.Expect = []Expectation{tt.e}
			got := strings.Join(r.Judge(), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestWhatNavigationNeverSaysIsRefused(t *testing.T) {
	for want, e := range map[string]interface{ Validate() error }{
		"says nothing about navigation": Navigation{At: time.Second},
		`"paused" is not known`:         Navigation{State: []string{"paused"}},
		"is not after from":             Passes{From: time.Second, Within: 1},
		"within":                        Passes{Until: time.Second},
	} {
		if err := e.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", e, err, want)
		}
	}
}
