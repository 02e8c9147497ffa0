package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"sarathi/internal/app"
	"sarathi/internal/scenario"
)

// scenariosCommands is `sarathi scenarios`.
type scenariosCommands struct {
	Run scenariosRun `cmd:"" help:"Run scenarios over many seeds, on all cores."`
}

// scenariosRun is `sarathi scenarios run`.
type scenariosRun struct {
	Paths []string `arg:"" name:"dir|file" help:"Scenario files, or folders of them."`
	Seeds uint64   `default:"1" range:"1.." placeholder:"N" help:"Run each with the seeds 1 to N (${default})."`
	Jobs  int      `range:"1.." placeholder:"N" help:"How many at the same time (default: one for each core)."`
}

// sweepSummary is what came of all runs together.
type sweepSummary struct {
	Passed       bool    `json:"passed"`
	Scenarios    int     `json:"scenarios"`
	Runs         int     `json:"runs"`
	Failed       int     `json:"failed"`
	SimulatedSec float64 `json:"simulated_sec"`
	WallSec      float64 `json:"wall_sec"`
}

// Run runs every scenario with every seed. One that does not get what it expects ends with exit code 1.
func (c *scenariosRun) Run(ctx context.Context, e *env) error {
	files, err := scenarioFiles(c.Paths)
	if err != nil {
		return err
	}
	if err := loadAll(files); err != nil {
		return err
	}
	began := e.now()
	s := sweep{simulate: e.simulate, files: files, seeds: c.Seeds, jobs: c.Jobs}
	if s.jobs == 0 {
		s.jobs = runtime.GOMAXPROCS(0)
	}
	p := sweepPrinter{env: e, seeds: c.Seeds}
	if err := s.run(ctx, p.add); err != nil {
		return noVerdict(ctx, err)
	}
	p.summary.Scenarios, p.summary.WallSec = len(files), e.now().Sub(began).Seconds()
	p.summary.Passed = p.summary.Failed == 0
	if err := p.finish(); err != nil {
		return err
	}
	if !p.summary.Passed {
		return &verdictError{"a scenario failed"}
	}
	return nil
}

// scenarioFiles lists the files that paths name, those of a folder by name.
func scenarioFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, usage("scenarios in %s: %w: name a scenario file or a folder of them", path, cause(err))
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := filepath.Glob(filepath.Join(path, "*.yaml"))
		if err != nil {
			return nil, usage("scenarios in %s: %w", path, err)
		}
		if len(found) == 0 {
			return nil, usage("there is no scenario (*.yaml) in %s", path)
		}
		slices.Sort(found)
		files = append(files, found...)
	}
	return files, nil
}

// loadAll reports what is wrong with any of the files, before the first one runs.
func loadAll(files []string) error {
	var faults []error
	for _, f := range files {
		if _, err := scenario.Load(f); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) > 0 {
		return &usageError{errors.Join(faults...)}
	}
	return nil
}

// sweepPrinter prints runs as they come, in order: a line for each scenario, and for each seed that failed.
type sweepPrinter struct {
	env     *env
	seeds   uint64
	summary sweepSummary

	// of the scenario under way
	failed    int
	simulated float64
	wall      float64
}

func (p *sweepPrinter) add(r *app.Report) error {
	p.summary.Runs++
	p.summary.SimulatedSec += r.SimulatedSec
	p.simulated += r.SimulatedSec
	p.wall += r.WallSec
	if !r.Passed {
		p.summary.Failed++
		p.failed++
	}
	if p.env.json {
		return p.env.printLine(r)
	}
	if !r.Passed {
		p.explain(r)
	}
	if r.Seed == p.seeds {
		p.endScenario(r)
	}
	return nil
}

// explain prints why a run failed and how to see it again.
func (p *sweepPrinter) explain(r *app.Report) {
	fmt.Fprintf(p.env.stdout, "FAIL  %s  seed %d\n", r.File, r.Seed)
	for _, f := range r.Failures {
		fmt.Fprintf(p.env.stdout, "      %s\n", f)
	}
	fmt.Fprintf(p.env.stdout, "      again: sarathi sim --scenario %s --seed %d\n", r.File, r.Seed)
}

// endScenario prints the line of a scenario after its last seed.
func (p *sweepPrinter) endScenario(r *app.Report) {
	if p.failed == 0 {
		fmt.Fprintf(p.env.stdout, "ok    %s  %s, %.0f times real time\n", r.File, plural(int(p.seeds), "seed"), p.simulated/p.wall)
	} else {
		fmt.Fprintf(p.env.stdout, "FAIL  %s  %d of %s\n", r.File, p.failed, plural(int(p.seeds), "seed"))
	}
	p.failed, p.simulated, p.wall = 0, 0, 0
}

func (p *sweepPrinter) finish() error {
	s := p.summary
	if p.env.json {
		return p.env.printLine(s)
	}
	verdict := "all passed"
	if s.Failed > 0 {
		verdict = fmt.Sprintf("%d FAILED", s.Failed)
	}
	_, err := fmt.Fprintf(p.env.stdout, "%s, %s, %.0f s simulated in %.1f s: %s\n",
		plural(s.Scenarios, "scenario"), plural(s.Runs, "run"), s.SimulatedSec, s.WallSec, verdict)
	return err
}
