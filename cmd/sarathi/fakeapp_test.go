package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"sarathi/cmd/sarathi/doctor"
	"sarathi/internal/app"
	"sarathi/internal/config"
	"sarathi/internal/profile"
)

// fakeRun is a robot that starts, logs a line and stops, except that one called Broken halts and one called Twin cannot start.
func fakeRun(_ context.Context, p *profile.Profile, o app.RunOptions) error {
	if p.Robot.Name == "Twin" {
		return fmt.Errorf("%w: start: another sarathi runs (pid 12)", config.ErrInvalid)
	}
	o.Started()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		if o.Log.Enabled(context.Background(), level) {
			if err := o.Log.Handle(context.Background(), slog.NewRecord(at, level, "mode set", 0)); err != nil {
				return err
			}
		}
	}
	if p.Robot.Name == "Broken" {
		return errors.New("control_mux_node: panic: lost")
	}
	return nil
}

// fakeSimulate passes, except that scenarios called fails.yaml fail with even seeds, and one called unrunnable.yaml cannot be run.
func fakeSimulate(_ context.Context, o app.SimOptions) (*app.Report, error) {
	r := &app.Report{
		Scenario: "a short way", File: o.Path, Seed: o.Seed, Passed: true, Failures: []string{}, SimulatedSec: 12, WallSec: 0.25, RealTime: 48,
		TravelledM: 3.25, Messages: 1234, TraceSHA256: "0123456789abcdef",
	}
	switch filepath.Base(o.Path) {
	case "unrunnable.yaml":
		return nil, &config.Problem{File: "moon.yaml", Line: 3, Path: "walls", Text: "is missing: write walls: []"}
	case "fails.yaml":
		if r.Passed = o.Seed%2 == 1; !r.Passed {
			r.Failures, r.Collisions = []string{"collision with a wall at 3.2 s", "travels: 3.25 m, at least 20 m expected"}, 1
		}
	}
	if o.Trace != nil {
		if _, err := io.WriteString(o.Trace, "the trace"); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fakeHost is a small computer with some things missing.
func fakeHost() doctor.Host {
	return doctor.Host{
		Root: "testdata/nothing",
		LookPath: func(program string) (string, error) {
			if program == "ffmpeg" {
				return "/usr/bin/ffmpeg", nil
			}
			return "", errors.New("not found")
		},
		Listen:      func(context.Context, string, string) error { return nil },
		Synchronous: func() (bool, error) { return true, nil },
		CPUs:        2, Terminal: true, Term: "xterm",
	}
}
