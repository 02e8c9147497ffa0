package slamrun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/internal/nodes/fusion"
	"sarathi/internal/nodes/slam"
	worldnode "sarathi/internal/nodes/slamworld"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
)

// Stack is world, fusion and slam on one bus. Use [New].
type Stack struct {
	exec    *node.Lockstep
	watch   watcher
	arrived bool
	failed  error // of a node
}

// Progress is how far a run is.
type Progress struct {
	Elapsed time.Duration    // simulated
	Errors  slamworld.Errors // of the fused pose until now
}

const (
	watcherName  = "slam_watcher"
	slice        = 100 * time.Millisecond // simulated at once
	reportPeriod = 10 * time.Second       // simulated, between two reports of progress
	settle       = 1500 * time.Millisecond
)

// epoch is when virtual time begins, which no result depends on.
func epoch() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

// New makes a stack that has not begun. The engine must be new. log takes the log of the nodes.
func New(world slamworld.Config, engine slam.Engine, log slog.Handler) (*Stack, error) {
	s := &Stack{watch: watcher{begin: epoch()}}
	drive, err := worldnode.New(world, func() { s.arrived = true })
	if err != nil {
		return nil, err
	}
	fuse, err := fusion.New(fusion.DefaultConfig())
	if err != nil {
		return nil, err
	}
	mapper, err := slam.New(slam.DefaultConfig(), engine)
	if err != nil {
		return nil, err
	}
	clk := clock.NewManual(epoch())
	s.exec = node.NewLockstep(node.Options{Bus: bus.New(bus.Options{Clock: clk}), Seed: world.Seed, Log: log}, clk)
	s.exec.OnHalt(func(name string, err error) { s.failed = errors.Join(s.failed, fmt.Errorf("%s: %w", name, err)) })
	// The watcher first, so that it hears everything; the world last, so that everybody does.
	err = s.exec.Start(once(watcherName, &s.watch), once(slam.Name, mapper), once(fusion.Name, fuse), once(worldnode.Name, drive))
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return s, nil
}

// once is a node that is not made anew when it fails.
func once(name string, n node.Node) node.Spec {
	return node.Spec{Name: name, Policy: node.Halt, New: func() (node.Node, error) { return n, nil }}
}

// Run lets the robot drive to its end, or until ctx ends, at so many simulated seconds in a real one (0: as fast as possible), and tells
// every ten simulated seconds how far it is. It returns the errors of the fused pose. It is called once.
func (s *Stack) Run(ctx context.Context, speed float64, progress func(Progress)) (slamworld.Errors, error) {
	began, next := time.Now(), reportPeriod
	for !s.arrived {
		if err := ctx.Err(); err != nil {
			return s.watch.score.Errors(), errors.Join(fmt.Errorf("stopped at %v: %w", s.exec.Elapsed(), err), s.exec.Stop())
		}
		s.exec.RunFor(slice)
		if s.failed != nil {
			return s.watch.score.Errors(), errors.Join(s.failed, s.exec.Stop())
		}
		if s.exec.Elapsed() >= next {
			progress(Progress{s.exec.Elapsed(), s.watch.score.Errors()})
			next += reportPeriod
		}
		if speed > 0 {
			wait(ctx, time.Duration(float64(s.exec.Elapsed())/speed)-time.Since(began))
		}
	}
	s.exec.RunFor(settle) // the last scans are used, and the map is published
	return s.watch.score.Errors(), s.exec.Stop()
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Map is the newest map; false before there is one.
func (s *Stack) Map() (nav.OccupancyGrid, bool) { return s.watch.grid, len(s.watch.grid.Data) > 0 }

// watcher is a node that compares the fused pose with the truth, and keeps the map.
type watcher struct {
	begin time.Time
	score slamworld.Score
	grid  nav.OccupancyGrid
}

// Setup implements node.Node.
func (w *watcher) Setup(c *node.Context) error {
	bus.Subscribe(c, topics.GroundTruth, func(m nav.Odometry) {
		if pose, err := rosconv.FromPose(m.Pose.Pose); err == nil {
			w.score.AddTruth(rosconv.FromStamp(m.Header.Stamp).Sub(w.begin), pose.Pose2())
		}
	})
	bus.Subscribe(c, topics.FusedPose, func(m geometry.PoseWithCovarianceStamped) {
		if pose, err := rosconv.FromPose(m.Pose.Pose); err == nil {
			w.score.AddEstimate(rosconv.FromStamp(m.Header.Stamp).Sub(w.begin), pose.Pose2())
		}
	})
	bus.Subscribe(c, topics.Map, func(m nav.OccupancyGrid) { w.grid = m })
	return nil
}
