package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/algo/slam"
	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/gateway/slamlink"
	"sarathi/internal/node"
	"sarathi/internal/nodes/fusion"
	slamnode "sarathi/internal/nodes/slam"
	worldnode "sarathi/internal/nodes/slamworld"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
)

// SlamOptions says what of specification 004 runs: a world, fusion and slam, and a link to a rosbridge server.
type SlamOptions struct {
	World *slamworld.Config // nil: the sensors are at the other end of the link
	Map   bool              // run fusion and slam
	Link  *slamlink.Config  // nil: nobody hears of it

	// BaseFrame and MapFrame are what the robot calls them; empty: base_link and map.
	BaseFrame, MapFrame string

	// Lockstep runs in virtual time as fast as possible, without a link. It needs a world.
	Lockstep bool
	Started  func()                                     // everything is up; may be nil
	Progress func(at time.Duration, e slamworld.Errors) // of a world with a map, every ProgressPeriod; may be nil
	Log      slog.Handler                               // nil discards
}

// ProgressPeriod is how often SlamOptions.Progress is told, in the time of the world.
const ProgressPeriod = 10 * time.Second

// SlamResult is what came of it.
type SlamResult struct {
	Arrived   bool             // the robot of the world has driven all its way
	Simulated time.Duration    // in the world
	Fused     slamworld.Errors // of /fused_pose against the truth, with a world and a map
	Matched   slamworld.Errors // the same of /scan_match_pose
	Stats     slam.Stats
	Map       *mapfile.Map // nil before the first scan
}

// Slam runs until the robot of the world has arrived, or ctx ends. It returns an error that matches config.ErrInvalid when it could not
// start for a reason the user can mend.
func Slam(ctx context.Context, o SlamOptions) (*SlamResult, error) {
	if o.Lockstep && (o.World == nil || o.Link != nil) {
		return nil, errors.New("slam in lockstep needs a world, and has no link")
	}
	r := &slamRun{o: o, engine: slam.New(slam.DefaultConfig()), arrived: make(chan struct{})}
	r.jobs.Engine = slamnode.Drive(r.engine)
	var err error
	if o.Lockstep {
		err = r.lockstep(ctx)
	} else {
		err = r.realtime(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r.result(), nil
}

// slamRun is one run.
type slamRun struct {
	o       SlamOptions
	engine  *slam.Engine
	jobs    jobs // of the engine
	judge   judge
	arrived chan struct{} // closed by the world
}

// settling is how long fusion and slam go on after the arrival: the last scans are matched, the last words heard.
const settling = time.Second

func (r *slamRun) newBus(c clock.Clock) (*bus.Bus, error) {
	b := bus.New(bus.Options{Clock: c})
	if err := b.Declare(topics.Topics(), topics.Services()); err != nil {
		return nil, fmt.Errorf("topics: %w", err)
	}
	return b, nil
}

func (r *slamRun) lockstep(ctx context.Context) error {
	clk := clock.NewManual(epoch())
	b, err := r.newBus(clk)
	if err != nil {
		return err
	}
	exec := node.NewLockstep(node.Options{Bus: b, Seed: r.o.World.Seed, Log: r.o.Log}, clk)
	var halted error
	exec.OnHalt(func(name string, err error) { halted = cmp.Or(halted, fmt.Errorf("%s: %w", name, err)) })
	if err := exec.Start(r.specs()...); err != nil {
		return notStarted(err)
	}
	for halted == nil && ctx.Err() == nil && !r.hasArrived() {
		exec.RunFor(slice)
	}
	exec.RunFor(settling)
	return cmp.Or(halted, exec.Stop())
}

func (r *slamRun) realtime(ctx context.Context) error {
	b, err := r.newBus(clock.Real{})
	if err != nil {
		return err
	}
	exec := node.NewRealtime(node.Options{Bus: b, Log: r.o.Log})
	if err := exec.Start(ctx, r.specs()...); err != nil {
		return notStarted(err)
	}
	if r.o.Started != nil {
		r.o.Started()
	}
	var halted error
	select {
	case <-ctx.Done():
	case halted = <-exec.Halted():
	case <-r.arrived:
		select {
		case <-ctx.Done():
		case <-r.judge.settled:
		}
	}
	r.jobs.close()
	return cmp.Or(halted, exec.Stop())
}

func (r *slamRun) hasArrived() bool {
	select {
	case <-r.arrived:
		return true
	default:
		return false
	}
}

// specs is what runs. Its state must not be guessed after a failure, so that nothing is started again.
func (r *slamRun) specs() []node.Spec {
	var out []node.Spec
	add := func(name string, stage node.Stage, build func() (node.Node, error)) {
		out = append(out, node.Spec{Name: name, Stage: stage, Policy: node.Halt, New: build})
	}
	if r.o.Map {
		base, world := cmp.Or(r.o.BaseFrame, "base_link"), cmp.Or(r.o.MapFrame, "map")
		add(fusion.Name, node.StagePerception, func() (node.Node, error) {
			c := fusion.DefaultConfig()
			c.BaseFrame, c.MapFrame = base, world
			return fusion.New(c)
		})
		add(slamnode.Name, node.StagePerception, func() (node.Node, error) {
			c := slamnode.DefaultConfig()
			c.BaseFrame, c.MapFrame = base, world
			return slamnode.New(c, &r.jobs)
		})
	}
	if r.o.World != nil {
		r.judge.progress, r.judge.settled = r.o.Progress, make(chan struct{})
		add(judgeName, node.StagePerception, func() (node.Node, error) { return &r.judge, nil })
		add(worldnode.Name, node.StageBehaviour, func() (node.Node, error) {
			return worldnode.New(*r.o.World, func() { close(r.arrived) })
		})
	}
	if r.o.Link != nil {
		add(slamlink.Name, node.StageGateway, func() (node.Node, error) {
			return slamlink.New(*r.o.Link, slog.New(cmp.Or[slog.Handler](r.o.Log, slog.DiscardHandler)))
		})
	}
	return out
}

// result is asked for when everything has stopped.
func (r *slamRun) result() *SlamResult {
	out := &SlamResult{Arrived: r.hasArrived(), Stats: r.engine.Stats(), Simulated: r.judge.at}
	if r.o.World != nil && r.o.Map {
		out.Fused, out.Matched = r.judge.fused.Errors(), r.judge.matched.Errors()
	}
	if out.Stats.Scans > 0 {
		r.engine.Finish()
		out.Stats = r.engine.Stats()
		out.Map = slam.MapFile(r.engine.Map())
	}
	return out
}
