package scenario

import (
	"fmt"
	"os"
	"slices"
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
	Profile  string        `doc:"robot profile: a built-in name or a path"`
	Set      []string      `doc:"overrides of the profile, as path=value"`
	World    World         `doc:"where it happens"`
	Needs    []string      `doc:"what the body must have: scan, lateral, camera"`
	Duration time.Duration `doc:"simulated time"`
	Jitter   time.Duration `doc:"each script step is late by a random time below this, different for each seed"`
	Script   []script.Step `doc:"inputs"`
	Events   []Event       `doc:"what happens to the robot and around it"`
	Expect   []Expectation `doc:"what must be true, besides the invariants of safety"`
	Allow    []string      `doc:"invariants that this scenario breaks on purpose: collision"`
}

// World says where a scenario happens.
type World struct {
	Scene string `doc:"scene file, relative to the scenario, or a built-in scene: house, corridor, empty"`
	Start *Pose  `doc:"where the robot starts; the scene's own start otherwise"`
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
	p.DurationInRange("duration", s.Duration, 100*time.Millisecond, 24*time.Hour)
	p.DurationInRange("jitter", s.Jitter, 0, time.Second)
	for i, n := range s.Needs {
		p.OneOf(fmt.Sprintf("needs[%d]", i), n, NeedScan, NeedLateral, NeedCamera)
	}
	for i, a := range s.Allow {
		p.OneOf(fmt.Sprintf("allow[%d]", i), a, AllowCollision)
	}
	for i, st := range s.Script {
		p.Require(st.At <= s.Duration, fmt.Sprintf("script[%d].at", i), "is after the end at %v", s.Duration)
	}
	for i, e := range s.Events {
		p.Require(e.At <= s.Duration, fmt.Sprintf("events[%d].at", i), "is after the end at %v", s.Duration)
	}
	return p.Err()
}

// Allows reports whether the scenario breaks an invariant on purpose.
func (s *Scenario) Allows(invariant string) bool { return slices.Contains(s.Allow, invariant) }

// Load reads a scenario file. Every fault is reported with its line.
func Load(path string) (*Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
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
