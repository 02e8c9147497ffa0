package scenario

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/script"
)

// Needs that a scenario may have of a body. Bodies that lack one run the others.
const (
	NeedScan    = "scan"
	NeedLateral = "lateral"
	NeedCamera  = "camera"
)

// Scenario is one whole-system test.
type Scenario struct {
	Name     string        `doc:"what is proved, in a few words"`
	Profile  string        `doc:"robot profile: a built-in name, or a file, relative to the scenario"`
	Set      []string      `doc:"overrides of the profile, as path=value"`
	World    World         `doc:"where it happens"`
	Needs    []string      `doc:"what the body must have: scan, lateral, camera"`
	Duration time.Duration `doc:"simulated time"`
	Jitter   time.Duration `doc:"each script step and event is late by a random time below this, different for each seed"`
	Script   []script.Step `doc:"inputs"`
	Events   []Event       `doc:"what happens to the robot and around it"`
	Expect   []Expectation `doc:"what must be true, besides the invariants of safety"`
	Allow    []string      `doc:"invariants that this scenario breaks on purpose: collision"`
}

// World says where a scenario happens.
type World struct {
	Scene string `doc:"scene file, relative to the scenario, or a built-in scene: house, corridor, empty"`
	Start *Pose  `doc:"where the robot starts; the scene's own start otherwise"`

	Time *time.Time `doc:"what the robot's clock shows at the start, such as 2026-03-29T00:59:00Z; midnight of 2026-01-01 (UTC) otherwise"`

	Sites     string `doc:"folder of sites that the robot knows, relative to the scenario; empty: none. Nothing is written into it"`
	Site      string `doc:"site that is active from the start; empty: none"`
	Localized bool   `doc:"the robot is told where it is in place of localizing itself, so that navigation is judged apart from localization"`
}

// Pose is a place in the world.
type Pose struct {
	X      float64 `unit:"m" doc:"east"`
	Y      float64 `unit:"m" doc:"north"`
	YawDeg float64 `unit:"deg" doc:"heading, counter-clockwise from x"`
}

// AllowCollision lets the robot touch walls: for scenarios with the field off.
const AllowCollision = "collision"

// SetDefaults implements config.Defaulter.
func (s *Scenario) SetDefaults() {
	s.Profile, s.Duration, s.Jitter = "molly", 10*time.Second, 20*time.Millisecond
	s.World.Scene = "house"
}

// Validate reports what is wrong with the scenario as a whole.
func (s Scenario) Validate() error {
	var p config.Problems
	p.NotEmpty("name", s.Name)
	p.NotEmpty("profile", s.Profile)
	p.NotEmpty("world.scene", s.World.Scene)
	p.Require(s.World.Site == "" || s.World.Sites != "", "world.site", "needs a folder of sites: write world.sites")
	p.DurationInRange("duration", s.Duration, 100*time.Millisecond, 24*time.Hour)
	p.DurationInRange("jitter", s.Jitter, 0, time.Second)
	for i, n := range s.Needs {
		p.OneOf(fmt.Sprintf("needs[%d]", i), n, NeedScan, NeedLateral, NeedCamera)
	}
	for i, a := range s.Allow {
		p.OneOf(fmt.Sprintf("allow[%d]", i), a, AllowCollision)
	}
	for i, set := range s.Set {
		key, _, _ := strings.Cut(set, "=")
		p.Require(key != "simulated.world", fmt.Sprintf("set[%d]", i), "the scenario says the world: write it under world.scene")
		p.Require(key != "seed", fmt.Sprintf("set[%d]", i), "the seed is that of the run: give it with --seed")
	}
	inTime := func(path string, at time.Duration) {
		p.Require(at <= s.Duration, path, "%v is after the end of the scenario at %v", at, s.Duration)
	}
	for i, st := range s.Script {
		inTime(fmt.Sprintf("script[%d].at", i), st.At)
	}
	for i, e := range s.Events {
		inTime(fmt.Sprintf("events[%d].at", i), e.At)
	}
	for i, e := range s.Expect {
		inTime(fmt.Sprintf("expect[%d]", i), e.until())
	}
	return p.Err()
}

// Allows reports whether the scenario breaks an invariant on purpose.
func (s *Scenario) Allows(invariant string) bool { return slices.Contains(s.Allow, invariant) }

// Play returns what the pilot plays, in order of time. Steps and events are late by random times below Jitter.
func (s *Scenario) Play(rng *rand.Rand) ([]script.Input, []Event) {
	inputs := script.Inputs(s.Script, s.Jitter, rng)
	var events []Event
	for _, e := range s.Events {
		e.At = script.Late(e.At, s.Jitter, rng)
		events = append(events, e)
		if e.Garble != nil {
			end := *e.Garble
			end.over = true
			events = append(events, Event{At: e.At + end.For, Garble: &end})
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return inputs, events
}

// Load reads a scenario file. Every fault is reported with its line; the error matches config.ErrInvalid.
func Load(path string) (*Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: scenario: %w: give the path of a scenario file", config.ErrInvalid, err)
	}
	return Decode(path, data)
}

// Decode reads a scenario; path is for messages.
func Decode(path string, data []byte) (*Scenario, error) {
	s := &Scenario{}
	s.SetDefaults()
	if err := config.Decode(path, data, s); err != nil {
		return nil, err
	}
	return s, nil
}
