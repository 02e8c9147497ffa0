package scenario

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/script"
)

const ms = time.Millisecond

// drive is a sound run of four seconds: the handheld is armed, drives at 0.5 m/s from 1 s to 2 s, and lets go.
func drive() *Record {
	s := &Scenario{Duration: 4 * time.Second}
	r := &Record{Scenario: s, Limits: geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5}, Braking: 500 * ms}
	order, x := 0, 0.0
	for at := time.Duration(0); at <= s.Duration; at += 20 * ms {
		v := geom.Velocity{}
		if at >= time.Second && at < 2*time.Second {
			v.VX = 0.5
		}
		x += v.VX * 0.02
		r.Truths = append(r.Truths, Truth{At: at, Pose: geom.Pose2{X: x}, Velocity: v})
		r.Asks = append(r.Asks, Ask{At: at, Source: script.Handheld, Velocity: v})
		order += 2
		r.Commands = append(r.Commands, Command{At: at, Order: order - 1, Velocity: v})
		r.Statuses = append(r.Statuses, Control{
			At: at, Order: order, Mode: "remote", ActiveSource: script.Handheld, Armed: true, Field: "clear",
		})
	}
	r.Nodes = []Node{{Name: "control_mux_node", State: "running"}}
	return r
}

// at returns the index of the sample at a time.
func at(t time.Duration) int { return int(t / (20 * ms)) }

// statuses changes all statuses of an interval.
func (r *Record) statuses(from, until time.Duration, change func(*Control)) {
	for i := range r.Statuses {
		if s := &r.Statuses[i]; s.At >= from && s.At <= until {
			change(s)
		}
	}
}

func TestASoundRunBreaksNothing(t *testing.T) {
	if got := drive().Judge(); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

// Every invariant can fail, and says when and why.
func TestInvariantsCanFail(t *testing.T) {
	tests := []struct {
		name   string
		damage func(*Record)
		want   string
	}{
		{"collision", func(r *Record) { r.Contacts = []Contact{{At: time.Second, With: `wall "x"`}, {At: 2 * time.Second}} }, `collision with wall "x" at 1s (2 in all)`},
		{"command above the limits", func(r *Record) { r.Commands[at(1500*ms)].Velocity.VX = 1.1 }, "at 1.5s is not within the limits"},
		{"command that is not a number", func(r *Record) { r.Commands[at(1500*ms)].Velocity.WZ = math.NaN() }, "at 1.5s is not within the limits"},
		{"sideways beyond the limit", func(r *Record) { r.Commands[at(1500*ms)].Velocity.VY = -0.6 }, "at 1.5s is not within the limits"},
		{
			"motion in the e-stop",
			func(r *Record) { r.statuses(1400*ms, 3*time.Second, func(s *Control) { s.EStop = true }) },
			"at 1.42s with the e-stop engaged",
		},
		{
			"request that nobody obeys",
			func(r *Record) {
				r.Requests = []Request{{At: 1400 * ms, Order: r.Commands[at(1400*ms)].Order, Reason: "shout"}}
			},
			"at 1.42s although the e-stop was requested at 1.4s (shout)",
		},
		{
			"motion before arming",
			func(r *Record) { r.statuses(0, 1300*ms, func(s *Control) { s.Armed = false }) },
			"at 1s although no source is armed",
		},
		{
			"motion in the stop field",
			func(r *Record) { r.statuses(1200*ms, 1400*ms, func(s *Control) { s.Field = "stop" }) },
			"at 1.22s although the protective field is stop",
		},
		{
			"motion with a stale scan",
			func(r *Record) { r.statuses(1200*ms, 1400*ms, func(s *Control) { s.Field = "stale" }) },
			"although the protective field is stale",
		},
		{
			"motion into the unseen",
			func(r *Record) { r.statuses(1200*ms, 1400*ms, func(s *Control) { s.Field = "blind" }) },
			"although the protective field is blind",
		},
		{
			"mode change without a zero",
			func(r *Record) { r.statuses(0, 1480*ms, func(s *Control) { s.Mode = "auto" }) },
			"no zero was sent at 1.5s, when the mode became remote",
		},
		{
			"motion after silence",
			func(r *Record) { r.Asks = r.Asks[:at(1200*ms)+1] },
			"at 1.5s although the active source has asked for nothing within its time-out",
		},
		{
			"motion for a source that is not followed",
			func(r *Record) { r.statuses(0, 4*time.Second, func(s *Control) { s.ActiveSource = script.Dashboard }) },
			"at 1s although the active source has asked for nothing",
		},
		{
			"motion after nothing but NaN",
			func(r *Record) {
				for i := at(1200 * ms); i < len(r.Asks); i++ {
					r.Asks[i].Velocity.VX = math.NaN()
				}
			},
			"at 1.48s although the active source has asked for nothing",
		},
		{
			"body that runs on without commands",
			func(r *Record) {
				r.Commands = r.Commands[:at(1500*ms)+1]
				for i := at(1500 * ms); i < len(r.Truths); i++ {
					r.Truths[i].Velocity.VX = 0.5
				}
			},
			"the body moves at 0.500 at 2.52s although the last command was at 1.5s",
		},
		{
			"body that moves before any command",
			func(r *Record) {
				r.Commands, r.Truths[at(1100*ms)].Velocity.WZ = nil, 0.3
			},
			"the body moves at 0.500 at 1.02s although the last command was at 0s",
		},
		{"node that failed", func(r *Record) { r.Nodes[0].LastError = "panic: index out of range" }, "node control_mux_node failed unasked: panic: index"},
		{"node that was restarted", func(r *Record) { r.Nodes[0].Restarts = 1 }, "node control_mux_node failed unasked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := drive()
			tt.damage(r)
			got := r.Judge()
			if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, tt.want) }) {
				t.Errorf("got %q\nwant one with %q", got, tt.want)
			}
		})
	}
}

// What looks like a broken invariant and is none.
func TestInvariantsThatHold(t *testing.T) {
	for name, change := range map[string]func(*Record){
		"allowed collision": func(r *Record) {
			r.Scenario.Allow = []string{AllowCollision}
			r.Contacts = []Contact{{At: time.Second}}
		},
		"killed node": func(r *Record) {
			r.Scenario.Events = []Event{{PanicNode: "control_mux_node"}}
			r.Nodes[0].LastError, r.Nodes[0].Restarts = "panic: scenario", 1
		},
		"request that is obeyed, and released": func(r *Record) {
			r.Requests = []Request{{At: 0, Order: 0, Reason: "x"}}
			r.statuses(20*ms, 500*ms, func(s *Control) { s.EStop = true })
		},
		"command just before the source expires": func(r *Record) {
			r.Asks = append(r.Asks[:at(1700*ms)+1], Ask{At: 3 * time.Second, Source: script.Handheld})
		},
		"navigation may be silent for longer": func(r *Record) {
			for i := range r.Asks {
				r.Asks[i].Source = script.Navigation
			}
			r.statuses(0, 4*time.Second, func(s *Control) { s.Mode, s.ActiveSource = "auto", script.Navigation })
			r.Asks = r.Asks[:at(1500*ms)+1]
		},
		"the status of a decision comes after its command": func(r *Record) {
			r.statuses(0, 980*ms, func(s *Control) { s.Armed, s.ActiveSource, s.Field = false, "", "stop" })
		},
		"a mux that died": func(r *Record) {
			r.Commands, r.Statuses = r.Commands[:at(1500*ms)+1], r.Statuses[:at(1500*ms)+1]
		},
	} {
		r := drive()
		change(r)
		if got := r.Judge(); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func yes() *bool { b := true; return &b }

// Every expectation holds where it should and fails where it should.
func TestExpectations(t *testing.T) {
	sec := time.Second
	tests := []struct {
		name string
		e    Expectation
		want string // "" when it holds
	}{
		{"moves", Expectation{Moves: &Moves{From: sec, Until: 2 * sec, MinSpeed: 0.5, MaxSpeed: 0.5}}, ""},
		{"moves too slowly", Expectation{Moves: &Moves{From: sec, Until: 2 * sec, MinSpeed: 0.6, MaxSpeed: 1}}, "moves: top speed 0.500 between 1s and 2s, wanted 0.600; the mux gives no reason"},
		{"moves too fast", Expectation{Moves: &Moves{From: sec, Until: 2 * sec, MaxSpeed: 0.4}}, "moves: top speed 0.500 between 1s and 2s, allowed 0.400"},
		{"moves unseen", Expectation{Moves: &Moves{From: 3 * sec, Until: 5 * sec, MaxSpeed: 1}}, "moves: nothing is known of the robot between 4s and 5s"},
		{"still", Expectation{Still: &Interval{2 * sec, 4 * sec}}, ""},
		{"not still", Expectation{Still: &Interval{sec / 2, 3 * sec}}, "still: speed 0.500 at 1s, wanted a stand between 500ms and 3s"},
		{"still unseen", Expectation{Still: &Interval{3 * sec, 5 * sec}}, "still: nothing is known of the robot between 4s and 5s"},
		{"zero", Expectation{Zero: &Interval{2 * sec, 4 * sec}}, ""},
		{"not zero", Expectation{Zero: &Interval{1900 * ms, 3 * sec}}, "at 1.9s, wanted zero from 1.9s to 3s"},
		{"nothing sent", Expectation{Zero: &Interval{2001 * ms, 2019 * ms}}, "zero: nothing was sent between 2.001s and 2.019s"},
		{"stops", Expectation{Stops: &Stops{After: 1900 * ms, Within: 100 * ms, Distance: 0.06}}, ""},
		{"stops late", Expectation{Stops: &Stops{After: 1500 * ms, Within: 400 * ms, Distance: 1}}, "stops: stood 500ms after 1.5s, wanted within 400ms"},
		{"stops far away", Expectation{Stops: &Stops{After: 1500 * ms, Within: 600 * ms, Distance: 0.1}}, "stops: took 0.240 m after 1.5s, allowed 0.100 m"},
		{"stood already", Expectation{Stops: &Stops{After: 3 * sec, Within: sec, Distance: 1}}, "stops: stood already at 3s"},
		{"stops unseen", Expectation{Stops: &Stops{After: 3 * sec, Within: 2 * sec, Distance: 1}}, "stops: nothing is known of the robot"},
		{"travels", Expectation{Travels: &Range{0.49, 0.51}}, ""},
		{"travels too little", Expectation{Travels: &Range{0.6, math.MaxFloat64}}, "travels: 0.50 m, wanted at least 0.60 m"},
		{"travels too far", Expectation{Travels: &Range{0, 0.4}}, "travels: 0.50 m, wanted 0.00 to 0.40 m"},
		{"ends", Expectation{Ends: &Near{0.5, 0, 0.01}}, ""},
		{"ends elsewhere", Expectation{Ends: &Near{0, 0, 0.1}}, "ends: at (0.50, 0.00), wanted within 0.10 m of (0.00, 0.00)"},
		{"status", Expectation{Status: &Status{At: sec, Mode: "remote", Source: "handheld", Armed: yes(), Field: []string{"stop", "clear"}}}, ""},
		{"mode", Expectation{Status: &Status{At: sec, Mode: "auto"}}, "status at 1s: mode remote, wanted auto"},
		{"source", Expectation{Status: &Status{At: sec, Source: "dashboard"}}, `status at 1s: active source "handheld", wanted "dashboard"`},
		{"estop", Expectation{Status: &Status{At: sec, EStop: yes()}}, "status at 1s: estop false, wanted true"},
		{"armed", Expectation{Status: &Status{At: sec, Armed: new(bool)}}, "status at 1s: armed true, wanted false"},
		{"field", Expectation{Status: &Status{At: sec, Field: []string{"stop", "stale"}}}, "status at 1s: field clear, wanted stop or stale"},
		{"reason", Expectation{Status: &Status{At: sec, Reason: "button"}}, `status at 1s: reasons [], wanted one with "button"`},
		{"message", Expectation{Status: &Status{At: sec, Message: "let go"}}, `status at 1s: message "", wanted "let go" in it`},
		{"node", Expectation{Node: &NodeState{Name: "control_mux_node", State: "running"}}, ""},
		{"node state", Expectation{Node: &NodeState{Name: "control_mux_node", State: "halted"}}, "node control_mux_node: running, wanted halted"},
		{"node restarts", Expectation{Node: &NodeState{Name: "control_mux_node", MinRestarts: 1}}, "node control_mux_node: restarted 0 times, wanted 1"},
		{"no node", Expectation{Node: &NodeState{Name: "mux"}}, "node mux: does not exist"},
		{"field says", Expectation{FieldSays: &FieldSays{sec, 2 * sec, "clear"}}, ""},
		{"field never says", Expectation{FieldSays: &FieldSays{sec, 2 * sec, "stale"}}, "field: was never stale between 1s and 2s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := drive()
			r.Scenario.Expect = []Expectation{tt.e}
			got := strings.Join(r.Judge(), "\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
	empty := &Record{Scenario: &Scenario{Expect: []Expectation{{Status: &Status{At: sec, Mode: "auto"}}, {Ends: &Near{1, 0, 0.5}}}}}
	want := []string{"status: none before 1s", "ends: at (0.00, 0.00), wanted within 0.50 m of (1.00, 0.00)"}
	if got := empty.Judge(); !slices.Equal(got, want) {
		t.Errorf("of nothing: %q", got)
	}
}

func TestTheMuxExplains(t *testing.T) {
	r := drive()
	r.statuses(0, 4*time.Second, func(s *Control) { s.Message = "Let go of the stick." })
	r.Scenario.Expect = []Expectation{{Moves: &Moves{From: 0, Until: time.Second / 2, MinSpeed: 1, MaxSpeed: 2}}}
	if got := r.Judge(); len(got) != 1 || !strings.HasSuffix(got[0], "; the mux says: Let go of the stick.") {
		t.Errorf("got %q", got)
	}
}

func TestAnotherBodyIsJudgedBySafety(t *testing.T) {
	r := drive()
	r.Scenario.Expect = []Expectation{
		{Moves: &Moves{From: 0, Until: time.Second, MinSpeed: 5, MaxSpeed: 9}},
		{Travels: &Range{Min: 100, Max: 200}},
		{Ends: &Near{100, 0, 1}},
		{Stops: &Stops{After: 1500 * ms, Within: ms, Distance: 1}},
	}
	if got := r.JudgeAnyBody(); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	r.Scenario.Expect = append(r.Scenario.Expect, Expectation{Zero: &Interval{time.Second, 2 * time.Second}})
	r.Contacts = []Contact{{At: time.Second, With: "wall"}}
	if got := r.JudgeAnyBody(); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}
