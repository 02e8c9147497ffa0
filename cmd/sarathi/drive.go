package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sarathi/internal/handheld"
	"sarathi/teleop"
)

// driveCommand is `sarathi drive`.
type driveCommand struct {
	handheldLink

	Host    string `arg:"" optional:"" help:"Robot: a name or address, with :PORT if it is not the dialect's (default: the one that answers)."`
	Gamepad string `placeholder:"FILE" help:"Input device of the gamepad, such as /dev/input/event7 (default: the first there is)."`
	Script  string `placeholder:"FILE" help:"Play a timed list of inputs, or the script of a scenario, instead of asking a person."`
}

// driveSearch is how long a robot without a name is looked for.
const driveSearch = time.Second

// Run drives.
func (c *driveCommand) Run(ctx context.Context, e *env) error {
	if c.Script != "" {
		return c.play(ctx, e)
	}
	if e.json || !e.host().Terminal {
		return usage("a person drives in a terminal (over ssh: ssh -t): name a list of inputs with --script")
	}
	return c.person(ctx, e)
}

// play drives by a script.
func (c *driveCommand) play(ctx context.Context, e *env) error {
	steps, err := loadDriveScript(c.Script)
	if err != nil {
		return err
	}
	inputs, err := driveInputs(c.dialect(), steps)
	if err != nil {
		return err
	}
	host, err := c.robot(ctx)
	if err != nil {
		return err
	}
	lost := make(chan string, 1)
	tell := func(ev teleop.Event) {
		if ev.Kind == teleop.EventLost {
			select {
			case lost <- ev.Reason:
			default: // the first ends the script
			}
		}
	}
	return c.with(ctx, host, teleop.Streams{}, tell, func(ctx context.Context, h *teleop.Handheld) error {
		p := &scriptPlayer{e: e, h: h, acks: make(chan scriptAck), lost: lost}
		return p.play(ctx, inputs)
	})
}

// person lets a person drive.
func (c *driveCommand) person(ctx context.Context, e *env) error {
	host, err := c.robot(ctx)
	if err != nil {
		return err
	}
	user, err := c.inUseBy(ctx, host)
	if err != nil {
		return err
	}
	u := &driveScreen{m: handheld.New(c.dialect()), events: make(chan teleop.Event, driveEvents)}
	if user != "" {
		u.m.Note(printable(user) + " drives: if it runs on this computer, its session ends now")
	}
	if u.h, err = teleop.Dial(ctx, c.dialect(), host, c.config(u.m.Streams()), u.tell); err != nil {
		return usage("%w", err)
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- u.h.Run(running) }()
	u.pads = make(chan padMsg, driveEvents)
	var reading sync.WaitGroup
	reading.Go(func() { readGamepads(running, c.Gamepad, u.pads) })
	defer reading.Wait()
	err = u.show(running, e)
	stop() // the robot is stopped, whatever ended the screen
	return errors.Join(err, <-ended)
}

// robot returns the robot's address: what the user named, or the only one that answers.
func (c *driveCommand) robot(ctx context.Context) (string, error) {
	if c.Host != "" {
		return c.Host, nil
	}
	robots, err := findRobots(ctx, []*teleop.Dialect{c.dialect()}, nil, driveSearch)
	switch {
	case err != nil:
		return "", err
	case len(robots) == 0:
		return "", fmt.Errorf("no %s robot answered: name one, as in `sarathi drive 10.0.0.7`", c.Dialect)
	case len(robots) > 1:
		var names []string
		for i := range robots {
			names = append(names, printable(robots[i].Name)+" at "+robots[i].Address)
		}
		return "", usage("there are several robots, name the one to drive: %s", strings.Join(names, ", "))
	}
	return robots[0].Address, nil
}
