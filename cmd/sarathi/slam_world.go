package main

import (
	"context"
	"fmt"
	"time"

	"sarathi/internal/app"
)

// slamWorld is `sarathi slam world`.
type slamWorld struct {
	server
	building

	Verbose bool `short:"v" help:"Log every detail."`
}

// Run drives to the end, or until it is interrupted.
func (c *slamWorld) Run(ctx context.Context, e *env) error {
	r, err := app.Slam(ctx, app.SlamOptions{
		World: c.config(), Link: c.link(nil, sensors()), Log: e.logHandler(c.Verbose),
		Started: func() {
			e.tell(map[string]any{"event": "started", "url": c.URL},
				fmt.Sprintf("The robot drives through the %s, its sensors go to %s; Ctrl-C stops it.", c.Building, c.URL))
		},
	})
	if err != nil {
		return err
	}
	e.tell(map[string]any{"event": "stopped", "arrived": r.Arrived, "seconds": r.Simulated.Seconds()},
		fmt.Sprintf("Driven for %s.", r.Simulated.Round(time.Second)))
	return nil
}
