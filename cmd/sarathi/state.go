package main

import (
	"context"
	"encoding/json"
	"fmt"

	"sarathi/teleop"
)

// stateCommand is `sarathi state`.
type stateCommand struct {
	handheldLink

	Host  string `arg:"" help:"Robot: a name or address, with :PORT if it is not the dialect's."`
	Once  bool   `help:"End after one state, like --count 1."`
	Count int    `short:"n" placeholder:"N" help:"End after N states (default: with Ctrl-C)."`
}

// stateDepth is how many states may wait for a slow terminal.
const stateDepth = 16

// Run prints states as they come.
func (c *stateCommand) Run(ctx context.Context, e *env) error {
	if c.Once {
		c.Count = 1
	}
	if c.Count < 0 {
		return usage("write a --count of 1 or more")
	}
	user, err := c.inUseBy(ctx, c.Host)
	if err != nil {
		return err
	}
	if user != "" {
		fmt.Fprintf(e.stderr, "sarathi: %s drives this robot: if it runs on this computer, its session ends now; `sarathi discover` only looks\n", printable(user))
	}
	states, lost := make(chan *teleop.State, stateDepth), make(chan string, 1)
	tell := func(ev teleop.Event) {
		switch ev.Kind {
		case teleop.EventState:
			select {
			case states <- ev.State:
			default: // the terminal is slow, and the next state is as good
			}
		case teleop.EventLost:
			select {
			case lost <- ev.Reason:
			default: // the first ends the command
			}
		default:
		}
	}
	return c.with(ctx, c.Host, teleop.Streams{}, tell, func(ctx context.Context, _ *teleop.Handheld) error {
		for n := 0; c.Count == 0 || n < c.Count; n++ {
			select {
			case st := <-states:
				if err := c.print(e, st); err != nil {
					return err
				}
			case reason := <-lost:
				return fmt.Errorf("%s: %s", c.Host, reason)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

func (c *stateCommand) print(e *env, st *teleop.State) error {
	text := c.dialect().AppendState(nil, st)
	if e.json {
		return e.printLine(json.RawMessage(text))
	}
	fmt.Fprintf(e.stdout, "--- %d\n", st.Seq)
	return tree{e.stdout, false}.print(text)
}
