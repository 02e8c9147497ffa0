package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/app"
)

// reportOf is what a simulation without a fault gives.
func reportOf(o app.SimOptions) *app.Report {
	return &app.Report{File: o.Path, Seed: o.Seed, Passed: true}
}

func TestSweepHandsOnInOrder(t *testing.T) {
	gate := make(chan struct{})
	var running, most atomic.Int32
	s := sweep{files: []string{"a", "b", "c"}, seeds: 5, jobs: 4, simulate: func(_ context.Context, o app.SimOptions) (*app.Report, error) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		switch {
		case o.Path == "a" && o.Seed == 1: // the first one ends last of those that may begin before it has ended
			<-gate
		case o.Path == "b" && o.Seed == 3:
			close(gate)
		}
		return reportOf(o), nil
	}}
	var got, want []string
	err := s.run(context.Background(), func(r *app.Report) error {
		got = append(got, fmt.Sprint(r.File, r.Seed))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.files {
		for seed := 1; seed <= 5; seed++ {
			want = append(want, fmt.Sprint(f, seed))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if most.Load() > 4 {
		t.Errorf("%d ran at the same time, want at most 4", most.Load())
	}
}

func TestSweepEndsWithTheFirstFault(t *testing.T) {
	fault := errors.New("no such scene")
	s := sweep{files: []string{"a", "b"}, seeds: 100, jobs: 3, simulate: func(ctx context.Context, o app.SimOptions) (*app.Report, error) {
		if o.Path == "a" && o.Seed == 7 {
			return nil, fault
		}
		return reportOf(o), nil
	}}
	n := 0
	err := s.run(context.Background(), func(*app.Report) error { n++; return nil })
	if !errors.Is(err, fault) || !strings.Contains(err.Error(), "a, seed 7") || n > 6 {
		t.Errorf("error %v after %d reports, want the fault of seed 7 after at most 6", err, n)
	}
	full := errors.New("no space left")
	if err := s.run(context.Background(), func(*app.Report) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

func TestSweepThatIsInterruptedWaitsForWhatItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var once sync.Once
	var running atomic.Int32
	s := sweep{files: []string{"a"}, seeds: 100, jobs: 3, simulate: func(ctx context.Context, _ app.SimOptions) (*app.Report, error) {
		running.Add(1)
		defer running.Add(-1)
		once.Do(cancel)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	err := s.run(ctx, func(*app.Report) error { return nil })
	if !errors.Is(err, context.Canceled) || running.Load() != 0 {
		t.Errorf("error %v with %d still running", err, running.Load())
	}
}

func TestAnInterruptedSimulationHasNotPassed(t *testing.T) {
	for _, command := range []string{
		"sim --scenario testdata/scenarios/passes.yaml",
		"scenarios run testdata/scenarios/passes.yaml",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var stdout, stderr bytes.Buffer
		e := testEnv(t)
		e.stdout, e.stderr = &stdout, &stderr
		e.simulate = func(ctx context.Context, _ app.SimOptions) (*app.Report, error) {
			cancel()
			<-ctx.Done()
			return nil, fmt.Errorf("simulation stopped at %v: %w", 3*time.Second, ctx.Err())
		}
		const want = "sarathi: interrupted, no verdict" // with where it was, or without
		code, said := run(ctx, e, strings.Fields(command)), strings.TrimSpace(stderr.String())
		if code != exitFailed || !strings.HasPrefix(said, want) || strings.Contains(said, "context") || strings.HasSuffix(said, ":") {
			t.Errorf("%s: exit code %d, stderr %q; want 1 and no verdict", command, code, said)
		}
	}
}

// A trace fails while it is written, or when its last part is: the user is told once.
func TestATraceThatCannotBeWrittenIsReportedOnce(t *testing.T) {
	for _, size := range []int{1, 4 << 20} {
		var stderr bytes.Buffer
		e := testEnv(t)
		e.stdout, e.stderr = io.Discard, &stderr
		e.simulate = func(_ context.Context, o app.SimOptions) (*app.Report, error) {
			if _, err := o.Trace.Write(make([]byte, size)); err != nil {
				return nil, fmt.Errorf("write trace: %w", err)
			}
			return reportOf(o), nil
		}
		code := run(t.Context(), e, strings.Fields("sim --scenario testdata/scenarios/passes.yaml --trace /dev/full"))
		const want = "sarathi: write trace: write /dev/full: no space left on device: name a --trace file where there is room\n"
		if code == exitDone || stderr.String() != want {
			t.Errorf("%d bytes: exit code %d, stderr:\n%s\nwant:\n%s", size, code, stderr.String(), want)
		}
	}
}
