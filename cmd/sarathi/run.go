package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
	"strconv"
	"syscall"

	"sarathi/internal/app"
	"sarathi/internal/gateway/teleop"
	"sarathi/internal/profile"
	handheld "sarathi/teleop"
)

// runCommand is `sarathi run`.
type runCommand struct {
	overrides

	Profile string `default:"molly" placeholder:"NAME|FILE" help:"Robot to run: a built-in profile or a file (${default})."`
	Map     string `placeholder:"SITE" help:"Map into this site from the start: it goes on with the site's map, or makes the site."`
	Reset   bool   `help:"With --map: begin the map anew; what the site has moves into a backup."`
	Verbose bool   `short:"v" help:"Log every detail."`
}

// Run runs the robot until it is interrupted.
func (c *runCommand) Run(ctx context.Context, e *env) error {
	p, err := profile.Load(c.Profile, c.Set)
	if err != nil {
		return err
	}
	if c.Reset && c.Map == "" {
		return usage("--reset is of --map: name the site with it")
	}
	if c.Map != "" {
		p.SiteManager.Map, p.SiteManager.Reset = c.Map, c.Reset
		if wrong := p.SiteManager.Validate(); wrong != nil {
			return usage("--map %s: %w", c.Map, wrong)
		}
	}
	signal.Ignore(syscall.SIGPIPE) // whoever reads the log may go; the robot stays
	started := func() {
		e.tell(map[string]any{"event": "started", "robot": p.Robot.Name},
			fmt.Sprintf("%s is up. %s%sCtrl-C stops it.", p.Robot.Name, e.driveIt(p), e.lookAt(p)))
	}
	if err := e.runRobot(ctx, p, app.RunOptions{Log: e.logHandler(c.Verbose), Version: e.version, Started: started}); err != nil {
		return err
	}
	e.tell(map[string]any{"event": "stopped", "robot": p.Robot.Name}, p.Robot.Name+" stopped.")
	return nil
}

// tell prints an event for programs or for people. That nobody reads it is no failure of the robot.
func (e *env) tell(event map[string]any, text string) {
	if e.json {
		e.printLine(event) //nolint:errcheck // see above
		return
	}
	fmt.Fprintln(e.stdout, text)
}

// driveIt says how to drive a robot from this computer; nothing when it does not listen for handhelds, or nobody knows where.
func (e *env) driveIt(p *profile.Profile) string {
	for _, d := range []struct {
		*handheld.Dialect
		teleop.Socket
	}{{handheld.Molly(), p.Teleop.Molly}, {handheld.Pashupati(), p.Teleop.Pashupati}} {
		if !d.Enabled || d.Socket.Port == 0 {
			continue
		}
		command := e.program + " drive localhost"
		if d.Socket.Port != int(d.Dialect.Port) {
			command += ":" + strconv.Itoa(d.Socket.Port)
		}
		if d.Name != handheld.MollyName {
			command += " --dialect " + d.Name
		}
		return "`" + command + "` drives it, "
	}
	return ""
}

// lookAt says how to look at a robot from this computer.
func (e *env) lookAt(p *profile.Profile) string {
	c := p.Rosbridge
	if !c.Enabled || c.Port == 0 {
		return ""
	}
	command, scheme, host := e.program+" topic list", "ws://", c.Bind
	if c.Cert != "" {
		scheme = "wss://"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if at := scheme + net.JoinHostPort(host, strconv.Itoa(c.Port)); at != defaultURL {
		command += " --url " + at
	}
	return "`" + command + "` looks at it; "
}

// logHandler returns where logs go: lines of text for people, of JSON for programs.
func (e *env) logHandler(verbose bool) slog.Handler {
	o := &slog.HandlerOptions{}
	if verbose {
		o.Level = slog.LevelDebug
	}
	if e.json {
		return slog.NewJSONHandler(e.stderr, o)
	}
	return slog.NewTextHandler(e.stderr, o)
}
