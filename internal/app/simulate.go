package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/nodes/localization"
	"sarathi/internal/profile"
	"sarathi/internal/scenario"
	"sarathi/internal/sim/scenes"
	"sarathi/internal/topics"
	"sarathi/internal/trace"
)

// SimOptions configures Simulate.
type SimOptions struct {
	Path  string    // scenario file
	Seed  uint64    // of everything random
	Speed float64   // simulated seconds in a real second at most; 0 is as fast as possible
	Trace io.Writer // gets every message; nil only sums

	// Profile runs the scenario with another robot than it names: a built-in name or a file. It is then judged by the
	// invariants and by what it expects of the software; what it expects of its own body does not count.
	Profile string

	Log slog.Handler // nil discards
}

// Report is what came of one run.
type Report struct {
	Scenario     string   `json:"scenario"`
	File         string   `json:"file"`
	Seed         uint64   `json:"seed"`
	Passed       bool     `json:"passed"`
	Failures     []string `json:"failures"` // what was expected and did not happen
	SimulatedSec float64  `json:"simulated_sec"`
	WallSec      float64  `json:"wall_sec"`
	RealTime     float64  `json:"times_real_time"`
	Collisions   int      `json:"collisions"`
	TravelledM   float64  `json:"travelled_m"`
	Messages     uint64   `json:"messages"`
	TraceSHA256  string   `json:"trace_sha256"`
}

// begins is what the clock shows when a scenario begins.
func begins(s *scenario.Scenario) time.Time {
	if s.World.Time != nil {
		return s.World.Time.UTC()
	}
	return epoch()
}

// epoch is when every simulation begins whose scenario does not say.
func epoch() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// slice is how much is simulated between two looks at the context and at the pace.
const slice = 20 * time.Millisecond

// Simulate runs one scenario in lockstep. An error means that it could not be run; what it expected and did not get is in
// the report.
func Simulate(ctx context.Context, o SimOptions) (*Report, error) {
	s, err := scenario.Load(o.Path)
	if err != nil {
		return nil, err
	}
	return simulate(ctx, s, o)
}

func simulate(ctx context.Context, s *scenario.Scenario, o SimOptions) (*Report, error) {
	began := time.Now()
	p, err := profile.Load(cmp.Or(o.Profile, profileOf(s, o.Path)), s.Set)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", o.Path, err)
	}
	if err = has(p, s.Needs); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", o.Path, err)
	}
	if p.Body.Driver != profile.DriverSimulated {
		return nil, invalid(fmt.Errorf("scenario %s: the body of %s is at the other end of a link, which has no place in lockstep: "+
			"take a profile with body.driver simulated, such as zelpi", o.Path, p.Robot.Name))
	}
	p.Seed = o.Seed
	p.Simulated.World = sceneOf(s, o.Path)
	r, err := newRun(s, p, o)
	if err != nil {
		return nil, err
	}
	if err := r.play(ctx, o.Speed); err != nil {
		return nil, errors.Join(err, r.trace.Close())
	}
	report := r.report(o.Profile != "")
	report.File, report.Seed = o.Path, o.Seed
	report.WallSec = time.Since(began).Seconds()
	report.RealTime = report.SimulatedSec / report.WallSec
	return report, r.trace.Close()
}

// sceneOf returns the scene of a scenario: a path in it is relative to the scenario's file.
func sceneOf(s *scenario.Scenario, path string) string {
	if _, builtin := scenes.Builtin(s.World.Scene); builtin || filepath.IsAbs(s.World.Scene) {
		return s.World.Scene
	}
	return filepath.Join(filepath.Dir(path), s.World.Scene)
}

// placesOf returns the sites of a scenario.
func placesOf(s *scenario.Scenario, path string) (places, error) {
	dir := s.World.Sites
	if dir == "" {
		return newPlaces(), nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(path), dir)
	}
	return simulatedPlaces(dir, s.World.Site)
}

// NeedError says that a scenario cannot be run by a robot, because its body lacks something.
type NeedError struct{ Robot, Need string }

// Error names what is missing.
func (e *NeedError) Error() string {
	return e.Robot + " has no " + e.Need + ", which the scenario needs"
}

// Is makes it a fault of the user, who chose the robot.
func (e *NeedError) Is(target error) bool { return target == config.ErrInvalid }

// has reports the first of the needs that a robot does not meet.
func has(p *profile.Profile, needs []string) error {
	meets := map[string]bool{
		scenario.NeedScan:    p.Sectors.Scan && p.Simulated.Scan.Rate > 0,
		scenario.NeedLateral: p.Robot.Limits[1] > 0,
		scenario.NeedCamera:  p.Simulated.Camera.Rate > 0,
	}
	for _, n := range needs {
		if !meets[n] {
			return &NeedError{p.Robot.Name, n}
		}
	}
	return nil
}

// profileOf returns the profile of a scenario in the same way.
func profileOf(s *scenario.Scenario, path string) string {
	if profile.Builtin(s.Profile) || filepath.IsAbs(s.Profile) {
		return s.Profile
	}
	return filepath.Join(filepath.Dir(path), s.Profile)
}

// run is one scenario under way.
type run struct {
	scenario *scenario.Scenario
	exec     *node.Lockstep
	record   *scenario.Record
	trace    *trace.Writer

	over      bool  // the robot is being stopped, which proves nothing about the scenario
	misplayed error // why the scenario cannot be played as it is written
}

// braking returns how long a simulated body takes at most from the moment it wants to stand to its stand: the latency, braking
// from its top speed, and the motors' lag dying away.
func braking(p *profile.Profile) time.Duration {
	longest := 0.0
	for i, limit := range p.Robot.Limits {
		if d := p.Simulated.Decel[i]; limit > 0 && d > 0 {
			longest = max(longest, limit/d)
		}
	}
	const lags = 5 // e^-5: from 1 m/s to less than 1 cm/s
	return p.Simulated.Latency + time.Duration(longest*float64(time.Second)) + lags*p.Simulated.Lag
}

func newRun(s *scenario.Scenario, p *profile.Profile, o SimOptions) (*run, error) {
	clk := clock.NewManual(begins(s))
	r := &run{
		scenario: s,
		record:   &scenario.Record{Scenario: s, Limits: p.Robot.MaxVelocity(), Braking: braking(p)},
		trace:    trace.NewWriter(o.Trace, begins(s)),
	}
	var observer *scenario.Observer
	b := bus.New(bus.Options{Clock: clk, RobotNS: p.Robot.Namespace, Tap: func(m *bus.Sample) {
		r.trace.Add(m)
		if !r.over {
			observer.Observe(r.exec.Elapsed(), m)
		}
	}})
	observer = scenario.NewObserver(r.record, b.Resolve)
	if err := b.Declare(topics.Topics(), topics.Services()); err != nil {
		return nil, fmt.Errorf("topics: %w", err)
	}
	plant, err := newPlant(p, start(s))
	if err != nil {
		return nil, err
	}
	logNode := &rosout{}
	log := logNode.handler(cmp.Or[slog.Handler](o.Log, slog.DiscardHandler))
	r.exec = node.NewLockstep(node.Options{Bus: b, Seed: p.Seed, Log: log}, clk)
	rng := rand.New(rand.NewPCG(o.Seed, 0x5ca1ab1e))
	inputs, events := s.Play(rng)
	pc := newComputer()
	at, err := placesOf(s, o.Path)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", o.Path, err)
	}
	specs := wiring(p, onPlant(plant), pc, at, logNode)
	if s.World.Localized { // the oracle stands in for localization
		specs = slices.DeleteFunc(specs, func(sp node.Spec) bool { return sp.Name == localization.Name })
		specs = append(specs, node.Spec{Name: scenario.OracleName, Stage: node.StagePerception, New: func() (node.Node, error) {
			return scenario.NewOracle(), nil
		}})
	}
	specs = append(specs, node.Spec{
		Name: scenario.PilotName, Stage: node.StageGateway, Policy: node.Halt,
		New: func() (node.Node, error) {
			return scenario.NewPilot(inputs, events, &faults{exec: r.exec, plant: plant, computer: pc}), nil
		},
	})
	r.exec.OnHalt(func(name string, err error) {
		if name == scenario.PilotName {
			r.misplayed = err
		}
	})
	if err := r.exec.Start(specs...); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return r, nil
}

func start(s *scenario.Scenario) *geom.Pose2 {
	if s.World.Start == nil {
		return nil
	}
	at := scenes.Pose(*s.World.Start).Pose2()
	return &at
}

// play runs the scenario to its end, or until ctx ends.
func (r *run) play(ctx context.Context, speed float64) error {
	began := time.Now()
	for done := time.Duration(0); done < r.scenario.Duration; done += slice {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("simulation stopped at %v: %w", done, err)
		}
		r.exec.RunFor(min(slice, r.scenario.Duration-done))
		if r.misplayed != nil {
			r.over = true
			return fmt.Errorf("scenario %s: %w", r.scenario.Name, invalid(errors.Join(r.misplayed, r.exec.Stop())))
		}
		if speed <= 0 {
			continue
		}
		ahead := time.Duration(float64(done+slice)/speed) - time.Since(began)
		select {
		case <-time.After(ahead):
		case <-ctx.Done():
		}
	}
	for _, n := range r.exec.Nodes() {
		r.record.Nodes = append(r.record.Nodes, scenario.Node{
			Name: n.Name, State: n.State.String(), Restarts: n.Restarts, LastError: n.LastError,
		})
	}
	r.over = true
	return r.exec.Stop()
}

func (r *run) report(otherBody bool) *Report {
	judge := r.record.Judge
	if otherBody {
		judge = r.record.JudgeAnyBody
	}
	failures := append([]string{}, judge()...) // an empty list in JSON, not null
	return &Report{
		Scenario: r.scenario.Name, Passed: len(failures) == 0, Failures: failures,
		SimulatedSec: r.scenario.Duration.Seconds(), Collisions: len(r.record.Contacts),
		TravelledM: r.record.Travelled(), Messages: r.trace.Messages(), TraceSHA256: r.trace.SHA256(),
	}
}
