package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"sarathi/cmd/sarathi/doctor"
	"sarathi/internal/app"
	"sarathi/internal/gateway/teleop"
	"sarathi/internal/profile"
)

// doctorCommand is `sarathi doctor`.
type doctorCommand struct {
	overrides

	Profile string `default:"molly" placeholder:"NAME|FILE" help:"Profile of the robot that is to run here (${default})."`
}

// Run examines this computer. Something that is broken ends with exit code 1, something that is missing does not.
func (c *doctorCommand) Run(ctx context.Context, e *env) error {
	p, err := profile.Load(c.Profile, c.Set)
	if err != nil {
		return err
	}
	plan, err := c.plan(p)
	if err != nil {
		return err
	}
	results := doctor.Examine(ctx, e.host(), plan)
	if e.json {
		err = e.printJSON(map[string]any{"healthy": doctor.Healthy(results), "checks": results})
	} else {
		err = printResults(e, results)
	}
	if err == nil && !doctor.Healthy(results) {
		return &verdictError{"something is broken"}
	}
	return err
}

// plan tells the doctor what the profile wants.
func (c *doctorCommand) plan(p *profile.Profile) (doctor.Plan, error) {
	state, err := p.State.Path()
	if err != nil {
		return doctor.Plan{}, err
	}
	sites, err := p.Sites.Path()
	if err != nil {
		return doctor.Plan{}, err
	}
	plan := doctor.Plan{Folders: []doctor.Folder{{Name: "state.dir", Path: state}, {Name: "sites.dir", Path: sites}}}
	for _, s := range []struct {
		key string
		teleop.Socket
	}{{"teleop.molly.port", p.Teleop.Molly}, {"teleop.pashupati.port", p.Teleop.Pashupati}} {
		if s.Enabled {
			plan.Ports = append(plan.Ports, doctor.Port{Name: s.key, Network: "udp", Address: net.JoinHostPort(p.Teleop.Bind, strconv.Itoa(s.Port))})
		}
	}
	if p.Rosbridge.Enabled {
		plan.Ports = append(plan.Ports, doctor.Port{Name: "rosbridge.port", Network: "tcp", Address: p.Rosbridge.Address()})
	}
	plan.Running = app.Running(state)
	return plan, nil
}

func printResults(e *env, results []doctor.Result) error {
	rows := make([][]string, 0, len(results))
	for _, r := range results {
		detail := r.Detail
		if r.Remedy != "" {
			detail += " → " + r.Remedy
		}
		rows = append(rows, []string{string(r.Status), r.Name, detail})
	}
	if err := e.printTable(rows); err != nil {
		return err
	}
	if doctor.Healthy(results) {
		return nil
	}
	_, err := fmt.Fprintln(e.stdout, "something is broken: the lines above say what to do")
	return err
}

// thisHost returns the computer that this process runs on.
func thisHost(out any) doctor.Host {
	var written time.Time
	if t, err := time.Parse(time.RFC3339, buildInfo().Time); err == nil {
		written = t
	}
	return doctor.ThisHost(out, written)
}
