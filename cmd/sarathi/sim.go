package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"sarathi/internal/app"
)

// simCommand is `sarathi sim`.
type simCommand struct {
	Scenario string `required:"" placeholder:"FILE" help:"Scenario to run."`
	Seed     uint64 `default:"1" range:"0.." placeholder:"N" help:"Seed of everything random (${default})."`
	Speed    string `default:"max" placeholder:"max|N" help:"Simulated seconds in a real second, or max (${default})."`
	Trace    string `placeholder:"FILE" help:"Write every message on every topic to this file."`
	Verbose  bool   `short:"v" help:"Show the log of the nodes."`
}

// Run runs the scenario and prints the verdict. A scenario that does not get what it expects ends with exit code 1.
func (c *simCommand) Run(ctx context.Context, e *env) error {
	speed, err := parseSpeed(c.Speed)
	if err != nil {
		return err
	}
	o := app.SimOptions{Path: c.Scenario, Seed: c.Seed, Speed: speed}
	if c.Verbose {
		o.Log = e.logHandler(true)
	}
	report, err := c.simulate(ctx, e, o)
	if err != nil {
		return noVerdict(ctx, err)
	}
	if e.json {
		err = e.printJSON(report)
	} else {
		printReport(e, report)
	}
	if err == nil && !report.Passed {
		return &verdictError{"the scenario failed"}
	}
	return err
}

// simulate opens the trace, if there is to be one, and closes it.
func (c *simCommand) simulate(ctx context.Context, e *env, o app.SimOptions) (*app.Report, error) {
	if c.Trace == "" {
		return e.simulate(ctx, o)
	}
	f, err := os.Create(c.Trace)
	if err != nil {
		return nil, usage("--trace %s: %w: name a file that can be written, in a folder that exists", c.Trace, cause(err))
	}
	w := bufio.NewWriterSize(f, 1<<20)
	o.Trace = w
	report, err := e.simulate(ctx, o)
	written := w.Flush()
	if written != nil { // that is what ended the simulation too
		err = fmt.Errorf("write trace: %w: name a --trace file where there is room", written)
	}
	return report, errors.Join(err, f.Close())
}

// cause takes the operation and the path out of the error of a file: what failed, where the message names the file.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func parseSpeed(text string) (float64, error) {
	if text == "max" {
		return 0, nil
	}
	speed, err := strconv.ParseFloat(text, 64)
	if err != nil || !(speed > 0) || math.IsInf(speed, 0) { // not above 0 includes NaN
		return 0, usage("--speed %s: write max or a number above 0, as in --speed 1 for real time", text)
	}
	return speed, nil
}

// noVerdict tells a scenario that could not be run, which the user can mend, from one that was interrupted.
func noVerdict(ctx context.Context, err error) error {
	if ctx.Err() != nil && interrupted(err) {
		where := strings.TrimSuffix(strings.TrimSuffix(err.Error(), context.Canceled.Error()), ": ")
		return errors.New(strings.TrimSuffix("interrupted, no verdict: "+where, ": ")) // a failure now, not an end in order
	}
	return &usageError{err}
}

func printReport(e *env, r *app.Report) {
	verdict := "passed"
	if !r.Passed {
		verdict = "FAILED"
	}
	fmt.Fprintf(e.stdout, "%s: %s with seed %d\n", r.Scenario, verdict, r.Seed)
	for _, f := range r.Failures {
		fmt.Fprintf(e.stdout, "  %s\n", f)
	}
	fmt.Fprintf(e.stdout, "  %.1f s simulated in %.2f s, %.0f times real time; %.2f m travelled, %s\n",
		r.SimulatedSec, r.WallSec, r.RealTime, r.TravelledM, plural(r.Collisions, "collision"))
	fmt.Fprintf(e.stdout, "  %d messages, trace sha256 %s\n", r.Messages, r.TraceSHA256)
}
