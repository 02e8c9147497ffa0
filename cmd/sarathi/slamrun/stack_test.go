package slamrun_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sarathi/cmd/sarathi/slamrun"
	"sarathi/internal/geom"
	"sarathi/internal/nodes/slam"
	"sarathi/internal/sim/slamworld"
)

// deadReckoner is an engine that believes fusion and looks at no scan.
type deadReckoner struct {
	pose  geom.Pose2
	scans int
}

func (d *deadReckoner) AddOdometry(_ float64, p geom.Pose2) { d.pose = p }

func (d *deadReckoner) AddScan(float64, *slam.Reading) slam.Match {
	d.scans++
	return slam.Match{Pose: d.pose, Cov: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, OK: true}
}

func (d *deadReckoner) Job() slam.Job { return nil }
func (d *deadReckoner) Due() bool     { return false }
func (d *deadReckoner) Map() slam.Grid {
	return slam.Grid{Resolution: 0.05, Width: 1, Height: 1, Cells: []int8{0}}
}
func (d *deadReckoner) Values() []slam.Value { return nil }

func start(t *testing.T, building string, e slam.Engine) *slamrun.Stack {
	t.Helper()
	s, err := slamrun.New(slamworld.Config{Building: building, Seed: 3, Laps: 1}, e, slog.DiscardHandler)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheStackRuns(t *testing.T) {
	e := &deadReckoner{}
	s := start(t, "office", e)
	var steps []slamrun.Progress
	got, err := s.Run(t.Context(), 0, func(p slamrun.Progress) { steps = append(steps, p) })
	if err != nil {
		t.Fatal(err)
	}
	// Dead reckoning errs by a part of the way, which is 66 m: more than nothing and less than everything.
	if got.Poses < 5000 || got.RMS < 0.02 || got.RMS > 3 || got.Worst < got.RMS || e.scans < 1000 {
		t.Errorf("%+v, %d scans", got, e.scans)
	}
	if len(steps) < 8 || steps[1].Elapsed != 20*time.Second || steps[1].Errors.Poses < 900 {
		t.Errorf("%d reports, %+v", len(steps), steps)
	}
	if m, ok := s.Map(); !ok || m.Info.Width != 1 {
		t.Errorf("no map: %+v", m.Info)
	}
}

// tenSeconds runs a stack until its first report.
func tenSeconds(t *testing.T, s *slamrun.Stack, speed float64) slamworld.Errors {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	got, err := s.Run(ctx, speed, func(slamrun.Progress) { cancel() })
	if !errors.Is(err, context.Canceled) || got.Poses < 400 {
		t.Errorf("%v, %+v", err, got)
	}
	return got
}

func TestSameSeedSameResult(t *testing.T) {
	fast := tenSeconds(t, start(t, "ring", &deadReckoner{}), 0)
	if paced := tenSeconds(t, start(t, "ring", &deadReckoner{}), 200); paced != fast {
		t.Errorf("%+v at two hundred times real time, %+v as fast as possible", paced, fast)
	}
}

func TestUnknownBuilding(t *testing.T) {
	if _, err := slamrun.New(slamworld.Config{Building: "tent"}, &deadReckoner{}, slog.DiscardHandler); err == nil || !strings.Contains(err.Error(), "tent") {
		t.Error(err)
	}
}
