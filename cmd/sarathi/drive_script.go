package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/scenario"
	"sarathi/internal/script"
	"sarathi/teleop"
)

// driveScript is a file with a timed list of inputs.
type driveScript struct {
	Script []script.Step `doc:"inputs"`
}

// Validate implements config's check.
func (s driveScript) Validate() error {
	var p config.Problems
	p.Require(len(s.Script) > 0, "script", "is empty: write steps such as {at: 0s, cmd: estop}")
	for i, step := range s.Script {
		p.Require(step.As == script.Handheld, fmt.Sprintf("script[%d].as", i), "is %s: `sarathi drive` is the handheld and nobody else, remove it", step.As)
	}
	return p.Err()
}

// loadDriveScript reads a script; of a scenario it takes the script.
func loadDriveScript(path string) ([]script.Step, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("script: %w: give the path of a file with the key script, or of a scenario", err)
	}
	var s driveScript
	err = config.Decode(path, data, &s)
	if err == nil {
		return s.Script, nil
	}
	if sc, wrong := scenario.Decode(path, data); wrong == nil {
		s.Script = sc.Script
		return s.Script, s.Validate()
	}
	return nil, err
}

// A driveInput is one thing that the player does: a command, a velocity, or to let go.
type driveInput struct {
	at       time.Duration
	velocity teleop.Velocity
	release  bool
	cmd      string
	args     teleop.Args
}

// driveInputs expands steps, in order of time. At the end of a step that no other follows at once, the stick is let go.
func driveInputs(d *teleop.Dialect, steps []script.Step) ([]driveInput, error) {
	var out []driveInput
	for i, s := range steps {
		end := s.At + s.For
		followed := slices.ContainsFunc(steps, func(next script.Step) bool { return next.Joy != nil && next.At > s.At && next.At <= end })
		if s.Joy != nil && !followed {
			out = append(out, driveInput{at: end, release: true})
		}
		if s.Cmd == "" {
			continue
		}
		args, err := scriptArgs(d, s)
		if err != nil {
			return nil, usage("script[%d]: %w", i, err)
		}
		out = append(out, driveInput{at: s.At, cmd: s.Cmd, args: args})
	}
	for _, in := range script.Inputs(steps, 0, nil) {
		if in.Cmd == "" {
			out = append(out, driveInput{at: in.At, velocity: in.Velocity})
		}
	}
	slices.SortStableFunc(out, func(a, b driveInput) int { return cmp.Compare(a.at, b.at) })
	return out, nil
}

func scriptArgs(d *teleop.Dialect, s script.Step) (teleop.Args, error) {
	var words []string
	for key, text := range s.Args {
		words = append(words, key+"="+text)
	}
	slices.Sort(words)
	args, err := d.ParseArgs(s.Cmd, words)
	if err == nil {
		_, err = d.Check(s.Cmd, args)
	}
	return args, err
}

// scriptAck is the answer to a command of a script.
type scriptAck struct {
	At      float64 `json:"at_sec"` // of the command, from the start
	Command string  `json:"command"`
	OK      bool    `json:"ok"`
	Msg     string  `json:"msg"`
}

// scriptEnd is what a script came to.
type scriptEnd struct {
	Robot      string  `json:"robot"`
	Acks       int     `json:"acks"`
	Refused    int     `json:"refused"`
	RTT        float64 `json:"rtt_ms"`
	StateLoss  float64 `json:"state_loss"`  // 0 to 1
	StreamLoss float64 `json:"stream_loss"` // 0 to 1
	// Ignored is the part of the moving input, 0 to 1, that came while the robot would not follow it, and Why what it said last.
	Ignored float64 `json:"ignored"`
	Why     string  `json:"why,omitempty"`
}

// A scriptPlayer plays inputs and prints the answers.
type scriptPlayer struct {
	e       *env
	h       *teleop.Handheld
	acks    chan scriptAck
	lost    <-chan string
	waiting int // commands without an answer
	moving  int // inputs that ask for motion
	ignored int // of these, at a time when the robot would not follow
	end     scriptEnd
}

// play plays the inputs; a lost link ends it at once, a refusal when everything was played.
func (p *scriptPlayer) play(ctx context.Context, inputs []driveInput) error {
	ctx, cancel := context.WithCancel(ctx)
	defer p.collect()
	defer cancel()
	p.end.Robot = p.h.Snapshot().Welcome.Name
	start := time.Now()
	for len(inputs) > 0 || p.waiting > 0 {
		var due <-chan time.Time
		if len(inputs) > 0 {
			due = time.After(time.Until(start.Add(inputs[0].at)))
		}
		select {
		case <-due:
			p.input(ctx, inputs[0])
			inputs = inputs[1:]
		case a := <-p.acks:
			if err := p.answered(a); err != nil {
				return err
			}
		case reason := <-p.lost:
			return fmt.Errorf("the link to %s was lost: %s", p.end.Robot, reason)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.finish()
}

func (p *scriptPlayer) input(ctx context.Context, in driveInput) {
	switch {
	case in.release:
		p.h.Release()
	case in.cmd == "":
		p.h.Drive(in.velocity)
		p.watch(in.velocity)
	default:
		p.waiting++
		go func() {
			ack, err := p.h.Command(ctx, in.cmd, in.args)
			if err != nil {
				ack = teleop.Ack{Msg: err.Error()}
			}
			p.acks <- scriptAck{in.at.Seconds(), in.cmd, ack.OK, ack.Msg}
		}()
	}
}

// watch notes whether the robot follows the stick now.
func (p *scriptPlayer) watch(v teleop.Velocity) {
	if v.IsZero() {
		return
	}
	p.moving++
	switch st := p.h.Snapshot().State; {
	case st == nil:
		p.ignored, p.end.Why = p.ignored+1, "it sent no state"
	case st.EStop.V:
		p.ignored, p.end.Why = p.ignored+1, "the e-stop is engaged"
	case st.Mode.V != "remote":
		p.ignored, p.end.Why = p.ignored+1, "it is in mode "+printable(st.Mode.V)
	}
}

// collect waits for the commands that are still under way: they end with their context.
func (p *scriptPlayer) collect() {
	for ; p.waiting > 0; p.waiting-- {
		<-p.acks
	}
}

func (p *scriptPlayer) answered(a scriptAck) error {
	p.waiting--
	p.end.Acks++
	verdict := "done"
	if !a.OK {
		p.end.Refused++
		verdict = "refused"
	}
	if p.e.json {
		return p.e.printLine(a)
	}
	if a.Msg != "" {
		verdict += ": " + printable(a.Msg)
	}
	_, err := fmt.Fprintf(p.e.stdout, "%7.2f s  %s %s\n", a.At, a.Command, verdict)
	return err
}

func (p *scriptPlayer) finish() error {
	l := p.h.Snapshot().Link
	if p.ignored > 0 {
		p.end.Ignored = float64(p.ignored) / float64(p.moving)
	}
	p.end.RTT, p.end.StateLoss, p.end.StreamLoss = float64(l.RTT)/float64(time.Millisecond), l.StateLoss, l.StreamLoss
	var err error
	if p.e.json {
		err = p.e.printLine(p.end)
	} else {
		_, err = fmt.Fprintf(p.e.stdout, "%s: %s, %d refused; round trip %s, %.1f %% of states and %.1f %% of stream frames lost\n",
			printable(p.end.Robot), plural(p.end.Acks, "answer"), p.end.Refused, short(l.RTT), 100*l.StateLoss, 100*l.StreamLoss)
		if err == nil && p.ignored > 0 {
			_, err = fmt.Fprintf(p.e.stdout, "%.0f %% of the input that moves the robot did not count: %s\n", 100*p.end.Ignored, p.end.Why)
		}
	}
	switch {
	case err != nil:
		return err
	case p.end.Refused > 0:
		return &verdictError{"the robot refused"}
	case p.moving > 0 && p.ignored == p.moving:
		return &verdictError{"the robot did not follow: " + p.end.Why}
	}
	return nil
}
