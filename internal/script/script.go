// Package script is the schema of a timed list of inputs from a person or a program
// that drives: joysticks held for a while, and commands of the handheld. Scenarios
// and `sarathi drive --script` share it, so that what was tried by hand can be tested
// and the other way round.
//
//	script:
//	  - {at: 0s, cmd: set_mode, args: {mode: remote}}
//	  - {at: 500ms, joy: [0.5, 0, 0.2], for: 3s}          # vx, vy (m/s), wz (rad/s)
//	  - {at: 4s, cmd: estop}
//
// The package decides nothing about how an input reaches the robot.
package script

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/geom"
)

// Sources that a joystick step may stand for, as the control mux names them.
const (
	Handheld   = "handheld"
	Dashboard  = "dashboard"
	Navigation = "navigation"
)

// Step is one input: a joystick held, or a command.
type Step struct {
	At   time.Duration     `doc:"when, from the start"`
	As   string            `doc:"who: handheld, dashboard or navigation"`
	Joy  *Joy              `doc:"velocity held: [vx, vy, wz]; nan and inf are allowed, to see that they stop the robot"`
	For  time.Duration     `doc:"how long the joystick is held; it then falls silent"`
	Rate float64           `unit:"Hz" doc:"how often the held joystick is sent"`
	Cmd  string            `doc:"name of a command, such as estop, estop_release, set_mode or a robot command"`
	Args map[string]string `doc:"arguments of the command"`
}

// Joy is a velocity as a joystick sends it. Unlike other numbers in our files it may
// be written as the texts nan and inf.
type Joy [3]JoyValue

// JoyValue is one axis.
type JoyValue float64

// UnmarshalText reads a decimal number, nan, inf or -inf.
func (v *JoyValue) UnmarshalText(text []byte) error {
	switch s := string(text); s {
	case "nan":
		*v = JoyValue(math.NaN())
	case "inf":
		*v = JoyValue(math.Inf(1))
	case "-inf":
		*v = JoyValue(math.Inf(-1))
	default:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.ContainsAny(s, "xXiInN_") { // what Go reads and YAML does not: hexadecimal, Infinity, NaN
			return fmt.Errorf("%q is not a number: write a velocity, nan, inf or -inf", text)
		}
		*v = JoyValue(f)
	}
	return nil
}

// Velocity returns the joystick's velocity.
func (j Joy) Velocity() geom.Velocity {
	return geom.Velocity{VX: float64(j[0]), VY: float64(j[1]), WZ: float64(j[2])}
}

// SetDefaults implements config.Defaulter.
func (s *Step) SetDefaults() { s.As, s.Rate = Handheld, 20 }

// Validate reports what is wrong with the step.
func (s Step) Validate() error {
	var p config.Problems
	p.DurationInRange("at", s.At, 0, 24*time.Hour)
	p.OneOf("as", s.As, Handheld, Dashboard, Navigation)
	p.InRange("rate", s.Rate, 0.1, 1000, "Hz")
	p.DurationInRange("for", s.For, 0, 24*time.Hour)
	p.Require((s.Joy != nil) != (s.Cmd != ""), "joy", "a step is either a joystick or a command: give one of joy and cmd")
	p.Require(s.Joy == nil || s.For > 0, "for", "is missing: say how long the joystick is held, such as 2s")
	p.Require(s.Cmd == "" || s.For == 0, "for", "belongs to a joystick: a command happens once, remove it")
	p.Require(s.Cmd != "" || len(s.Args) == 0, "args", "belong to a command: remove them")
	return p.Err()
}

// Input is one moment of a script: a velocity or a command.
type Input struct {
	At       time.Duration
	As       string
	Velocity geom.Velocity // when Cmd is empty
	Cmd      string
	Args     map[string]string
}

// Late returns at plus a random time below jitter, as a hand would be.
func Late(at, jitter time.Duration, rng *rand.Rand) time.Duration {
	if jitter <= 0 {
		return at
	}
	return at + time.Duration(rng.Int64N(int64(jitter)))
}

// Inputs expands steps into single inputs in order of time; inputs of one instant keep the order of their steps. Each step
// is late by a random time below jitter. A source has one stick: its next joystick step ends the one before.
func Inputs(steps []Step, jitter time.Duration, rng *rand.Rand) []Input {
	begins := make([]time.Duration, len(steps))
	for i, s := range steps {
		begins[i] = Late(s.At, jitter, rng)
	}
	var out []Input
	for i, s := range steps {
		if s.Joy == nil {
			out = append(out, Input{At: begins[i], As: s.As, Cmd: s.Cmd, Args: s.Args})
			continue
		}
		period := time.Duration(math.Round(float64(time.Second) / s.Rate))
		end := stickEnds(steps, begins, i)
		for at := begins[i]; at < end; at += period {
			out = append(out, Input{At: at, As: s.As, Velocity: s.Joy.Velocity()})
		}
	}
	slices.SortStableFunc(out, func(a, b Input) int { return cmp.Compare(a.At, b.At) })
	return out
}

// stickEnds returns when step i, a joystick, falls silent or is moved on.
func stickEnds(steps []Step, begins []time.Duration, i int) time.Duration {
	end := begins[i] + steps[i].For
	for j, s := range steps {
		later := begins[j] > begins[i] || begins[j] == begins[i] && j > i
		if s.Joy != nil && s.As == steps[i].As && later {
			end = min(end, begins[j])
		}
	}
	return end
}
