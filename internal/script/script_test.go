package script

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/config"
	"sarathi/internal/geom"
)

const ms = time.Millisecond

// file is what a script is part of.
type file struct{ Script []Step }

func decode(t *testing.T, text string) ([]Step, error) {
	t.Helper()
	var f file
	err := config.Decode("s.yaml", []byte(text), &f)
	return f.Script, err
}

func steps(t *testing.T, text string) []Step {
	t.Helper()
	s, err := decode(t, "script:\n"+text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestInputsExpandInOrder(t *testing.T) {
	got := Inputs(steps(t, `
  - {at: 100ms, joy: [0.5, 0, -0.2], for: 120ms}
  - {at: 150ms, cmd: set_mode, args: {mode: remote}}
  - {at: 0s, as: dashboard, cmd: estop}
  - {at: 100ms, as: navigation, joy: [0, 0, 1], for: 100ms, rate: 10}
`), 0, rng(1))
	a, b := geom.Velocity{VX: 0.5, WZ: -0.2}, geom.Velocity{WZ: 1}
	want := []Input{
		{At: 0, As: Dashboard, Cmd: "estop"},
		{At: 100 * ms, As: Handheld, Velocity: a},
		{At: 100 * ms, As: Navigation, Velocity: b}, // of one instant, in the order of the steps
		{At: 150 * ms, As: Handheld, Velocity: a},
		{At: 150 * ms, As: Handheld, Cmd: "set_mode", Args: map[string]string{"mode": "remote"}},
		{At: 200 * ms, As: Handheld, Velocity: a},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// One hand holds one stick: the next step of a source ends the one before, other sources go on.
func TestTheNextStepOfASourceEndsTheOneBefore(t *testing.T) {
	got := Inputs(steps(t, `
  - {at: 0s, joy: [1, 0, 0], for: 1s, rate: 10}
  - {at: 0s, as: dashboard, joy: [2, 0, 0], for: 400ms, rate: 10}
  - {at: 250ms, joy: [0, 0, 0], for: 100ms, rate: 10}
`), 0, rng(1))
	var hand, dash []time.Duration
	for _, in := range got {
		switch {
		case in.As == Dashboard:
			dash = append(dash, in.At)
		case in.Velocity.VX == 1:
			hand = append(hand, in.At)
		}
	}
	if diff := cmp.Diff([]time.Duration{0, 100 * ms, 200 * ms}, hand); diff != "" {
		t.Errorf("handheld (-want +got):\n%s", diff)
	}
	if len(dash) != 4 {
		t.Errorf("dashboard: %v", dash)
	}
	// Two steps at one instant: the later one in the file counts.
	both := Inputs(steps(t, "  - {at: 0s, joy: [1, 0, 0], for: 1s}\n  - {at: 0s, joy: [2, 0, 0], for: 100ms}\n"), 0, rng(1))
	if len(both) != 2 || both[0].Velocity.VX != 2 {
		t.Errorf("got %+v", both)
	}
}

func TestJitter(t *testing.T) {
	const jitter = 30 * ms
	s := steps(t, "  - {at: 1s, joy: [1, 0, 0], for: 100ms}\n  - {at: 2s, cmd: estop}\n")
	seen := map[time.Duration]bool{}
	for seed := range uint64(200) {
		got := Inputs(s, jitter, rng(seed))
		if diff := cmp.Diff(got, Inputs(s, jitter, rng(seed))); diff != "" {
			t.Fatalf("seed %d is not repeated:\n%s", seed, diff)
		}
		if len(got) != 3 || got[1].At-got[0].At != 50*ms {
			t.Fatalf("seed %d: %+v", seed, got)
		}
		for i, at := range []time.Duration{time.Second, 0, 2 * time.Second} {
			if late := got[i].At - at; i != 1 && (late < 0 || late >= jitter) {
				t.Fatalf("seed %d: input %d is late by %v", seed, i, late)
			}
		}
		seen[got[0].At] = true
	}
	if len(seen) < 150 {
		t.Errorf("only %d different times in 200 seeds", len(seen))
	}
	if got := Late(time.Second, 0, nil); got != time.Second {
		t.Errorf("without jitter: %v", got)
	}
}

func TestJoyValues(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-0.5": -0.5, "1e-3": 1e-3, ".5": 0.5, "nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1),
	} {
		var v JoyValue
		if err := v.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := float64(v); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, text := range []string{"", "fast", "1abc", "1 m/s", "0x10", "1_000", "Infinity", "NaN", "1e999", "1,5"} {
		var v JoyValue
		if err := v.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "write a velocity, nan, inf or -inf") {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	}
	joy := *steps(t, "  - {at: 0s, joy: [nan, -inf, 1.5], for: 1s}\n")[0].Joy
	if v := joy.Velocity(); !math.IsNaN(v.VX) || !math.IsInf(v.VY, -1) || v.WZ != 1.5 {
		t.Errorf("got %+v", v)
	}
}

func TestBadSteps(t *testing.T) {
	for step, want := range map[string]string{
		"{at: 0s}": "s.yaml:2: script[0].joy: a step is either a joystick or a command: give one of joy and cmd",
		"{at: 0s, joy: [0, 0, 0], for: 1s, cmd: estop}":   "give one of joy and cmd",
		"{at: 0s, joy: [0, 0, 0]}":                        "script[0].for: is missing: say how long the joystick is held, such as 2s",
		"{at: 0s, cmd: estop, for: 1s}":                   "script[0].for: belongs to a joystick: a command happens once, remove it",
		"{at: 0s, joy: [0, 0, 0], for: 1s, args: {a: b}}": "script[0].args: belong to a command: remove them",
		"{at: -1s, cmd: estop}":                           "script[0].at: -1s is out of range",
		"{at: 0s, as: handhold, cmd: estop}":              `script[0].as: "handhold" is not known: did you mean handheld?`,
		"{at: 0s, joy: [0, 0], for: 1s}":                  "script[0].joy: has 2 values, want 3",
		"{at: 0s, joy: [0, 0, fast], for: 1s}":            `script[0].joy[2]: "fast" is not a number: write a velocity, nan, inf or -inf`,
		"{at: 0s, joy: [0, 0, 0], for: 1s, rate: 0}":      "script[0].rate: 0 Hz is out of range 0.1..1000 Hz",
		"{at: 0s, joy: [0, 0, 0], fro: 1s}":               "script[0].fro: unknown key: did you mean for?",
	} {
		if _, err := decode(t, "script:\n  - "+step+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v\nwant %s", step, err, want)
		}
	}
}

// FuzzSteps: whatever decodes expands into finite many inputs, in order, none after the end of its step.
func FuzzSteps(f *testing.F) {
	f.Add("script:\n  - {at: 1s, joy: [nan, 0, 0], for: 2s}\n  - {at: 1s, cmd: estop}\n", uint64(3))
	f.Add("script:\n  - {at: 24h, joy: [1, 0, 0], for: 1ms, rate: 1000}\n", uint64(1))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		s, err := decode(t, text)
		if err != nil {
			return
		}
		end, work := time.Duration(0), 0.0
		for _, step := range s {
			end = max(end, step.At+step.For)
			work += step.For.Seconds() * step.Rate
		}
		if work > 1e6 || len(s) > 100 {
			return // a day at 1 kHz is legal, and too long for here
		}
		last := time.Duration(0)
		for _, in := range Inputs(s, ms, rng(seed)) {
			if in.At < last || in.At > end+ms {
				t.Fatalf("input at %v after %v, end %v", in.At, last, end)
			}
			last = in.At
		}
	})
}
