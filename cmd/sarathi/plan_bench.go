package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"syscall"
	"time"

	"sarathi/internal/algo/jps"
	"sarathi/internal/algo/movingai"
)

// planBench is `sarathi plan bench`.
type planBench struct {
	Map  string `required:"" placeholder:"FILE" help:"Map of the MovingAI benchmark (.map)."`
	Scen string `required:"" placeholder:"FILE" help:"Its scenario (.map.scen)."`
}

// benchResult is what came of a scenario. Every query is optimal, unreachable or wrong.
type benchResult struct {
	Map         string  `json:"map"`
	Queries     int     `json:"queries"`
	Optimal     int     `json:"optimal"`     // paths of the known length
	Unreachable int     `json:"unreachable"` // queries that have no path, and got none
	Wrong       int     `json:"wrong"`
	MeanMS      float64 `json:"mean_ms"` // processor time a query, with its share of prepare_ms
	P95MS       float64 `json:"p95_ms"`  // of the queries alone
	PrepareMS   float64 `json:"prepare_ms"`
}

// tolerance is how far a length may be from the one in the scenario [cells], which is rounded there.
const tolerance = 0.01

// Run answers every query. One that is wrong ends with exit code 1.
func (c *planBench) Run(ctx context.Context, e *env) error {
	m, queries, err := movingai.Load(c.Map, c.Scen)
	if err != nil {
		return c.unreadable(err)
	}
	result, err := c.answer(ctx, e, m, queries)
	if err != nil {
		return err
	}
	if e.json {
		err = e.printJSON(result)
	} else {
		_, err = fmt.Fprintf(e.stdout, "%s: %d queries, %d optimal, %d unreachable, %d wrong; %.3f ms mean, %.3f ms p95, %.1f ms to prepare\n",
			result.Map, result.Queries, result.Optimal, result.Unreachable, result.Wrong, result.MeanMS, result.P95MS, result.PrepareMS)
	}
	if err == nil && result.Wrong > 0 {
		return &verdictError{"an answer was wrong"}
	}
	return err
}

func (c *planBench) unreadable(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return usage("%s: %w: name a .map and a .map.scen file of the MovingAI benchmark", e.Path, e.Err)
	}
	return &usageError{err}
}

func (c *planBench) answer(ctx context.Context, e *env, m *movingai.Map, queries []movingai.Query) (*benchResult, error) {
	out := &benchResult{Map: c.Map, Queries: len(queries)}
	began := e.processorTime()
	grid, err := jps.NewGrid(m.Width, m.Height, m.Free)
	if err != nil {
		return nil, usage("%s: %w", c.Map, err)
	}
	search := jps.NewSearch(grid)
	prepared := e.processorTime()
	took := make([]time.Duration, len(queries))
	last := prepared
	for i, q := range queries {
		if ctx.Err() != nil {
			return nil, errors.New("interrupted, no verdict")
		}
		length, found := search.Length(jps.Cell{X: q.StartX, Y: q.StartY}, jps.Cell{X: q.GoalX, Y: q.GoalY})
		now := e.processorTime()
		took[i], last = now-last, now
		switch {
		case found != q.Reachable() || math.Abs(length-q.Optimal) > tolerance:
			out.Wrong++
			c.explain(e, i, q, length, found)
		case found:
			out.Optimal++
		default:
			out.Unreachable++
		}
	}
	slices.Sort(took)
	out.PrepareMS = milliseconds(prepared - began)
	out.MeanMS = milliseconds(last-began) / float64(len(queries))
	out.P95MS = milliseconds(took[(len(took)*95+99)/100-1])
	return out, nil
}

// explain says what is wrong with an answer; programs learn the number only.
func (c *planBench) explain(e *env, i int, q movingai.Query, length float64, found bool) {
	if e.json {
		return
	}
	says, is := "no path", "no path"
	if q.Reachable() {
		says = fmt.Sprintf("%.5f", q.Optimal)
	}
	if found {
		is = fmt.Sprintf("%.5f", length)
	}
	fmt.Fprintf(e.stdout, "query %d from %d,%d to %d,%d: %s, the scenario says %s\n", i+1, q.StartX, q.StartY, q.GoalX, q.GoalY, is, says)
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// ownProcessorTime is what this process has used of the processors. Unlike the wall clock it is not longer on a busy computer.
func ownProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it fails for an invalid address only
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
