package scenario

import (
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
)

func TestLocalizationIsExpected(t *testing.T) {
	sec := time.Second
	for _, tt := range []struct {
		name string
		e    Localization
		want string // "" when it holds
	}{
		{"state and source", Localization{At: 3 * sec, State: "localized", Source: "tag:base_map"}, ""},
		{"before", Localization{At: sec / 2, State: "NONE"}, "localization: says nothing before 500ms"},
		{"other state", Localization{At: sec, State: "localized"}, "localization at 1s: NONE, wanted localized (nothing in view)"},
		{"other source", Localization{At: 3 * sec, Source: "origin"}, "localization at 3s: by tag:base_map, wanted origin"},
		{"true", Localization{At: 3 * sec, Within: 0.06}, ""},
		{"not true enough", Localization{At: 3 * sec, Within: 0.04}, "localization at 3s: at (0.30, 0.00), which is 0.05 m from the truth, allowed 0.04 m"},
		{"no pose", Localization{At: sec, Within: 1}, "localization at 1s: NONE, wanted a pose (nothing in view)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := Expectation{Localization: &tt.e}
			if err := e.Validate(); err != nil {
				t.Fatal(err)
			}
			r := drive()
			r.Beliefs = []Belief{
				{At: sec, State: "NONE", Source: "none", Message: "nothing in view"},
				{At: 1480 * ms, State: "localized", Source: "tag:base_map", Pose: geom.Pose2{X: 0.3}},
			}
			r.Scenario.Expect = []Expectation{e}
			got := strings.Join(r.Judge(), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
			if other := r.JudgeAnyBody(); len(other) != 0 {
				t.Errorf("another body is judged by %q", other)
			}
		})
	}
}

func TestWhatLocalizationNeverSaysIsRefused(t *testing.T) {
	for want, l := range map[string]Localization{
		"says nothing about localization": {At: time.Second},
		`"lost" is not known`:             {State: "lost"},
		"within: -1":                      {Within: -1},
		"belongs to a robot":              {State: "NONE", Within: 1},
	} {
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", l, err, want)
		}
	}
	if err := (Expectation{Localization: &Localization{State: "NONE"}, Still: &Interval{Until: 1}}).Validate(); err == nil {
		t.Error("an expectation says two things")
	}
}
