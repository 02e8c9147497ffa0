package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"sarathi/driver"
)

// halStatusCommand is `sarathi hal control URL status`.
type halStatusCommand struct{}

// halStatus is what the robot is and how it does.
type halStatus struct {
	URL    string    `json:"url"`
	Kind   string    `json:"robot_kind"`
	Drive  string    `json:"drive"`
	DOF    int       `json:"dof"`
	Skills []string  `json:"skills"`
	VMax   float64   `json:"v_max"` // m/s
	WMax   float64   `json:"w_max"` // rad/s
	RateHz float64   `json:"rate_hz"`
	RTT    float64   `json:"rtt_ms"`
	State  halReport `json:"state"`
}

// Run prints one status.
func (*halStatusCommand) Run(ctx context.Context, e *env, on *halControlCommands) error {
	return on.URL.with(ctx, e, func(ctx context.Context, r *halRobot) error {
		var state halReport
		err := r.until(ctx, halConnectLimit, func(s halReport, _ []halNews) bool {
			state = s
			return s.count > 1 && r.Stats().RTT > 0
		})
		if err != nil {
			return err
		}
		c := r.caps
		s := halStatus{
			URL: on.URL.URL, Kind: c.Kind, Drive: string(c.Drive), DOF: c.DOF, Skills: append([]string{}, c.Skills...), VMax: c.Limits.VX, WMax: c.Limits.WZ,
			RateHz: c.RateHz, RTT: math.Round(float64(r.Stats().RTT.Microseconds())) / 1e3, State: state,
		}
		if e.json {
			return e.printJSON(s)
		}
		rows := [][]string{
			{"robot", printable(s.Kind)},
			{"drive", fmt.Sprintf("%s, up to %g m/s and %.3g rad/s", s.Drive, s.VMax, s.WMax)},
			{"joints", strconv.Itoa(s.DOF)},
			{"skills", strings.Join(s.Skills, ", ")},
			{"telemetry", fmt.Sprintf("%g Hz, round trip %.1f ms", s.RateHz, s.RTT)},
			{"state", state.text(c)},
		}
		return e.printTable(rows)
	})
}

// text is the state on one line.
func (s halReport) text(c driver.Capabilities) string {
	var parts []string
	if c.Has(driver.StreamOdometry) {
		parts = append(parts, fmt.Sprintf("x %.2f y %.2f m, %.1f°, %.2f m/s, %.2f rad/s", s.X, s.Y, s.Theta*180/math.Pi, s.VX, s.W))
	}
	if len(s.Joints) > 0 {
		var angles []string
		for _, v := range s.Joints {
			angles = append(angles, fmt.Sprintf("%.3f", v))
		}
		parts = append(parts, "joints "+strings.Join(angles, " ")+" rad")
	}
	if s.Battery != nil {
		parts = append(parts, fmt.Sprintf("battery %.0f %%", *s.Battery))
	}
	if s.EStop {
		parts = append(parts, "E-STOP: "+printable(s.Reason))
	}
	return strings.Join(parts, ", ")
}

// halDriveCommand is `sarathi hal control URL drive`.
type halDriveCommand struct {
	V   float64       `arg:"" name:"V" help:"Speed forward in m/s; write -- before a negative number."`
	W   float64       `arg:"" name:"W" help:"Turning speed in rad/s, counter-clockwise positive."`
	For time.Duration `default:"1s" help:"How long (${default})."`
}

// halPeriod is how often commands are sent: the robot's watchdog needs two a second.
const halPeriod = 50 * time.Millisecond

// Run drives.
func (c *halDriveCommand) Run(ctx context.Context, e *env, on *halControlCommands) error {
	v := driver.Velocity{VX: c.V, WZ: c.W}
	if !v.IsFinite() {
		return usage("drive by %g m/s and %g rad/s: write finite numbers", c.V, c.W)
	}
	return on.URL.with(ctx, e, func(ctx context.Context, r *halRobot) error {
		err := r.command(ctx, v, c.For)
		stopping := r.Command(time.Now(), driver.Velocity{})
		if err == nil {
			err = stopping
		}
		if err == nil || errors.Is(err, context.Canceled) {
			err = errors.Join(err, r.stand())
		}
		report, _ := r.take()
		if e.json {
			return errors.Join(err, e.printJSON(report))
		}
		fmt.Fprintln(e.stdout, report.text(r.caps))
		return err
	})
}

// command repeats a velocity for a while.
func (r *halRobot) command(ctx context.Context, v driver.Velocity, d time.Duration) error {
	tick := time.NewTicker(halPeriod)
	defer tick.Stop()
	end := time.NewTimer(d)
	defer end.Stop()
	for {
		if err := r.Command(time.Now(), v); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-end.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stand waits until the robot reports that it stands, and has been told so even if nobody wants to wait any more.
func (r *halRobot) stand() error {
	const still = 0.02 // m/s and rad/s
	return r.until(context.Background(), 2*time.Second, func(s halReport, _ []halNews) bool {
		return math.Abs(s.VX) < still && math.Abs(s.W) < still
	})
}

// halSkillCommand is `sarathi hal control URL skill`.
type halSkillCommand struct {
	Name    string        `arg:"" help:"Skill, such as stand_up or setJoints."`
	Args    []string      `arg:"" optional:"" name:"key=value" help:"Arguments: joints=0,0.5,… (rad), gripper=0.5, or any number by name."`
	Timeout time.Duration `default:"30s" help:"How long it may take (${default})."`
}

// Run runs the skill and prints how it goes on. Commands of zero keep the robot's watchdog content meanwhile.
func (c *halSkillCommand) Run(ctx context.Context, e *env, on *halControlCommands) error {
	args, err := parseSkillArgs(c.Args)
	if err != nil {
		return err
	}
	return on.URL.with(ctx, e, func(ctx context.Context, r *halRobot) error {
		const reqID = "cli"
		err := r.Skill(time.Now(), driver.SkillRequest{Name: c.Name, Args: args, ReqID: reqID})
		if errors.Is(err, driver.ErrUnknownSkill) {
			return usage("the robot has no skill %s: it has %s", c.Name, joined(r.caps.Skills))
		}
		if err != nil {
			return err
		}
		busy, done := context.WithCancel(ctx)
		idle := make(chan struct{})
		go func() {
			defer close(idle)
			_ = r.command(busy, driver.Velocity{}, c.Timeout) // an e-stop fails the skill, which says so
		}()
		defer func() { done(); <-idle }()
		var last driver.SkillResult
		var printing error
		err = r.until(ctx, c.Timeout, func(_ halReport, news []halNews) bool {
			for _, n := range news {
				if n.result != nil && n.result.ReqID == reqID {
					last = *n.result
					printing = errors.Join(printing, e.printSkill(c.Name, last))
				}
			}
			return last.Status.Final()
		})
		if err != nil || printing != nil {
			return errors.Join(err, printing)
		}
		if last.Status == driver.SkillFailed {
			return &verdictError{"the skill failed"}
		}
		return nil
	})
}

func (e *env) printSkill(name string, s driver.SkillResult) error {
	if e.json {
		return e.printLine(map[string]any{"skill": name, "status": s.Status, "progress": s.Progress, "error": s.Err})
	}
	text := fmt.Sprintf("%s %s", name, s.Status)
	switch s.Status {
	case driver.SkillRunning:
		text += fmt.Sprintf(" %.0f %%", 100*s.Progress)
	case driver.SkillFailed:
		text += ": " + printable(s.Err)
	default:
	}
	_, err := fmt.Fprintln(e.stdout, text)
	return err
}

// parseSkillArgs reads key=value arguments.
func parseSkillArgs(words []string) (driver.SkillArgs, error) {
	var out driver.SkillArgs
	for _, w := range words {
		key, text, ok := strings.Cut(w, "=")
		var values []float64
		for part := range strings.SplitSeq(text, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			ok = ok && err == nil && v-v == 0
			values = append(values, v)
		}
		switch {
		case !ok || key == "" || key != "joints" && len(values) != 1:
			return out, usage("argument %s: write joints=0,0.5,… or NAME=NUMBER", w)
		case key == "joints":
			out.Joints = values
		case key == "gripper":
			out.Gripper = &values[0]
		default:
			if out.Values == nil {
				out.Values = map[string]float64{}
			}
			out.Values[key] = values[0]
		}
	}
	return out, nil
}

// halEStopCommand is `sarathi hal control URL estop`.
type halEStopCommand struct {
	Reason string `arg:"" optional:"" default:"asked for by sarathi hal control" help:"Why, for people."`
}

// Run latches the e-stop and waits until the robot reports it.
func (c *halEStopCommand) Run(ctx context.Context, e *env, on *halControlCommands) error {
	return on.URL.with(ctx, e, func(ctx context.Context, r *halRobot) error {
		r.Controller.EStop(time.Now(), c.Reason)
		err := r.until(ctx, halConnectLimit, func(s halReport, _ []halNews) bool { return s.EStop && r.Confirmed() })
		if err != nil {
			return fmt.Errorf("the e-stop was not confirmed: %w", err)
		}
		return e.printLatch(r)
	})
}

// halReleaseCommand is `sarathi hal control URL release`.
type halReleaseCommand struct{}

// Run releases the e-stop and waits until the robot reports it.
func (*halReleaseCommand) Run(ctx context.Context, e *env, on *halControlCommands) error {
	return on.URL.with(ctx, e, func(ctx context.Context, r *halRobot) error {
		if err := r.Release(time.Now()); err != nil {
			return err
		}
		var refused string
		err := r.until(ctx, halConnectLimit, func(s halReport, news []halNews) bool {
			for _, n := range news {
				if n.fault != nil && strings.Contains(n.fault.Code, "estop_held") {
					refused = n.fault.Message
				}
			}
			return refused != "" || !s.EStop && r.Confirmed()
		})
		if refused != "" {
			return fmt.Errorf("the robot refuses: %s", refused)
		}
		if err != nil {
			return fmt.Errorf("the release was not confirmed: %w", err)
		}
		return e.printLatch(r)
	})
}

// printLatch says how the latch is.
func (e *env) printLatch(r *halRobot) error {
	s, _ := r.take()
	if e.json {
		return e.printJSON(map[string]any{"estop": s.EStop, "estop_reason": s.Reason})
	}
	text := "released"
	if s.EStop {
		text = "e-stop engaged: " + printable(s.Reason)
	}
	_, err := fmt.Fprintln(e.stdout, text)
	return err
}

// halWatchCommand is `sarathi hal control URL watch`.
type halWatchCommand struct {
	Count int     `short:"n" range:"1.." placeholder:"N" help:"End after N states (default: with Ctrl-C)."`
	Rate  float64 `default:"2" range:"0.01..100" placeholder:"HZ" help:"States printed in a second at most (${default})."`
}

// Run prints states, and faults as they come.
func (c *halWatchCommand) Run(ctx context.Context, e *env, on *halControlCommands) error {
	return on.URL.with(ctx, e, func(ctx context.Context, r *halRobot) error {
		printed, seen := 0, 0
		due := time.Now()
		var failed error
		err := r.until(ctx, math.MaxInt64, func(s halReport, news []halNews) bool {
			for _, n := range news {
				if n.fault != nil {
					failed = errors.Join(failed, e.printFault(*n.fault))
				}
			}
			if now := time.Now(); s.count > seen && !now.Before(due) {
				seen, due = s.count, now.Add(time.Duration(float64(time.Second)/c.Rate))
				printed++
				failed = errors.Join(failed, e.printState(s, r.caps))
			}
			return failed != nil || c.Count > 0 && printed >= c.Count
		})
		return errors.Join(err, failed)
	})
}

func (e *env) printState(s halReport, c driver.Capabilities) error {
	if e.json {
		return e.printLine(s)
	}
	_, err := fmt.Fprintln(e.stdout, s.text(c))
	return err
}

func (e *env) printFault(f driver.Fault) error {
	if e.json {
		return e.printLine(map[string]any{"fault": f.Code, "message": f.Message, "severity": f.Severity.String()})
	}
	_, err := fmt.Fprintf(e.stdout, "%s %s: %s\n", f.Severity, printable(f.Code), printable(f.Message))
	return err
}
