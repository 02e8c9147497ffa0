package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"sarathi/internal/app"
	"sarathi/internal/sim/slamworld"
)

// slamLaunch is `sarathi slam launch`.
type slamLaunch struct {
	building

	Speed   string `enum:"1,max" default:"1" help:"1: real time, with a broker to look at it; max: as fast as possible, without (${default})."`
	Listen  string `default:"127.0.0.1:9091" placeholder:"ADDRESS:PORT" help:"Where the broker listens (${default})."`
	Token   string `env:"SARATHI_ROSBRIDGE_TOKEN" placeholder:"TEXT" help:"Every client of the broker must know it."`
	Png     string `placeholder:"FILE" help:"Write the map as a picture."`
	Verbose bool   `short:"v" help:"Log the details too."`
}

// launchReport is the result for programs.
type launchReport struct {
	World      string  `json:"world"`
	Seed       uint64  `json:"seed"`
	Seconds    float64 `json:"seconds"` // in the world
	Arrived    bool    `json:"arrived"`
	RMSM       float64 `json:"rms_m"` // of the fused pose: root of the mean square, worst, at the end
	WorstM     float64 `json:"worst_m"`
	LastM      float64 `json:"last_m"`
	HeadingDeg float64 `json:"heading_rms_deg"`
	AlignedM   float64 `json:"aligned_rms_m"` // with the map laid over the truth where it fits best (ATE)
	MatchedM   float64 `json:"scan_match_rms_m"`
	Scans      int     `json:"scans"`
	Loops      int     `json:"loops"`
	Revisits   int     `json:"revisits"`
	Lost       int     `json:"lost"`
}

// Run drives to the end, or until it is interrupted.
func (c *slamLaunch) Run(ctx context.Context, e *env) error {
	o := app.SlamOptions{
		World: c.config(), Map: true, Lockstep: c.Speed == "max", Log: e.quiet(c.Verbose),
		Progress: func(at time.Duration, errs slamworld.Errors) {
			fmt.Fprintf(e.stderr, "%s: %.1f cm from the truth (RMS), %.1f cm now\n", at.Round(time.Second), errs.RMS*100, errs.Last*100)
		},
	}
	var r *app.SlamResult
	var err error
	if o.Lockstep {
		r, err = app.Slam(ctx, o)
	} else {
		r, err = c.served(ctx, e, o)
	}
	if err != nil {
		return err
	}
	if err := c.print(e, r); err != nil {
		return err
	}
	return writePicture(r.Map, c.Png)
}

// served runs beside a broker.
func (c *slamLaunch) served(ctx context.Context, e *env, o app.SlamOptions) (*app.SlamResult, error) {
	command := brokerCommand{Listen: c.Listen, Ros: "2", Token: c.Token, Verbose: c.Verbose}
	broker, err := command.open(ctx, e)
	if err != nil {
		return nil, err
	}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	var (
		beside sync.WaitGroup
		fault  error
	)
	beside.Go(func() { fault = broker.serve(serving) })
	join := server{URL: "ws://" + broker.Addr().String(), Token: c.Token, Ros: "2"}
	o.Link = join.link(nil, append(sensors(), findings()...))
	o.Started = func() {
		e.tell(map[string]any{"event": "started", "address": broker.Addr().String()},
			fmt.Sprintf("The robot drives through the %s; rosbridge at %s, Ctrl-C stops it.", c.Building, broker.Addr()))
	}
	r, err := app.Slam(ctx, o)
	end()
	beside.Wait()
	return r, errors.Join(err, fault)
}

func (c *slamLaunch) print(e *env, r *app.SlamResult) error {
	out := launchReport{
		World: c.Building, Seed: c.Seed, Seconds: r.Simulated.Seconds(), Arrived: r.Arrived,
		RMSM: r.Fused.RMS, WorstM: r.Fused.Worst, LastM: r.Fused.Last, HeadingDeg: r.Fused.HeadingRMS * 180 / math.Pi,
		AlignedM: r.Fused.AlignedRMS, MatchedM: r.Matched.RMS,
		Scans: r.Stats.Scans, Loops: r.Stats.Closures, Revisits: r.Stats.Proximity, Lost: r.Stats.Lost,
	}
	if e.json {
		return e.printJSON(out)
	}
	end := "arrived"
	if !r.Arrived {
		end = "interrupted"
	}
	fmt.Fprintf(e.stdout, "%s, seed %d: %s after %.0f s, %s\n", out.World, out.Seed, end, out.Seconds, plural(out.Scans, "scan"))
	fmt.Fprintf(e.stdout, "  fused pose: %.2f cm and %.2f° from the truth (RMS), worst %.2f cm, at the end %.2f cm\n",
		out.RMSM*100, out.HeadingDeg, out.WorstM*100, out.LastM*100)
	fmt.Fprintf(e.stdout, "  %.2f cm when the map is laid over the truth where it fits best; scan matches alone %.2f cm as they are\n",
		out.AlignedM*100, out.MatchedM*100)
	fmt.Fprintf(e.stdout, "  %s closed, %s, %s lost\n", plural(out.Loops, "loop"), plural(out.Revisits, "revisit"), plural(out.Lost, "scan"))
	return nil
}
