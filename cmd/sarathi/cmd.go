package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sarathi/teleop"
)

// cmdCommand is `sarathi cmd`.
type cmdCommand struct {
	handheldLink

	Host    string        `arg:"" help:"Robot: a name or address, with :PORT if it is not the dialect's."`
	Name    string        `arg:"" help:"Command of the handheld protocol, such as estop, set_mode or stand_up."`
	Args    []string      `arg:"" optional:"" name:"key=value" help:"Arguments, such as mode=remote; lists are separated by commas, objects are JSON."`
	Timeout time.Duration `default:"30s" help:"How long to wait for the result (${default})."`
}

// cmdResult is the robot's answer.
type cmdResult struct {
	Command string          `json:"command"`
	OK      bool            `json:"ok"`
	Msg     string          `json:"msg"`
	Data    json.RawMessage `json:"data,omitempty"`
	// TookOver is the handheld on this computer whose session ended for this command.
	TookOver string `json:"took_over,omitempty"`
}

// Run sends the command and prints the answer. A robot that refuses ends with exit code 1.
func (c *cmdCommand) Run(ctx context.Context, e *env) error {
	args, err := c.dialect().ParseArgs(c.Name, c.Args)
	if err != nil {
		return usage("%w", err)
	}
	if _, err = c.dialect().Check(c.Name, args); err != nil {
		return usage("%s: %w", c.Name, err)
	}
	if c.Timeout <= 0 {
		return usage("write a --timeout above 0")
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if c.Name == teleop.CommandEStop {
		return c.stop(limited, e)
	}
	user, err := c.inUseBy(limited, c.Host)
	if err != nil {
		return err
	}
	return c.with(limited, c.Host, teleop.Streams{}, func(teleop.Event) {}, func(ctx context.Context, h *teleop.Handheld) error {
		if user != "" { // one on another computer would have made the robot say busy
			fmt.Fprintf(e.stderr, "sarathi: this takes over the session of %s, which runs on this computer too\n", printable(user))
		}
		if offered := h.Snapshot().Welcome.Commands; c.dialect().Command(c.Name) == nil && !slices.Contains(offered, c.Name) {
			return c.unknown(offered)
		}
		ack, err := h.Command(ctx, c.Name, args)
		if err != nil {
			return err
		}
		return c.print(e, ack, user)
	})
}

// stop needs no session and takes none over: anyone may stop.
func (c *cmdCommand) stop(ctx context.Context, e *env) error {
	id := randomID()
	question, err := json.Marshal(struct {
		T    string `json:"t"`
		K    string `json:"k,omitempty"`
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}{"cmd", c.Token, id, c.Name})
	if err != nil {
		return fmt.Errorf("write the command: %w", err)
	}
	var ack *teleop.Ack
	unsure := func() {
		fmt.Fprintln(e.stderr, "sarathi: no confirmation yet, asking again and again: is the robot on, and the token right?")
	}
	err = c.ask(ctx, c.Host, question, unsure, func(answer []byte) bool {
		a, malformed := teleop.ParseAck(answer)
		if malformed == nil && a.ID == id && !a.Pending {
			ack = a
		}
		return ack != nil
	})
	if err != nil {
		return fmt.Errorf("the stop was not confirmed: %w; a wrong token is not answered either", err)
	}
	return c.print(e, *ack, "")
}

func (c *cmdCommand) unknown(offered []string) error {
	if meant := near(c.Name, offered); len(meant) > 0 {
		return usage("the robot has no command %s: did you mean %s?", c.Name, meant[0])
	}
	return usage("the robot has no command %s: it has %s", c.Name, joined(offered))
}

// print prints the answer, and turns a refusal into an exit code.
func (c *cmdCommand) print(e *env, ack teleop.Ack, user string) error {
	result := cmdResult{c.Name, ack.OK, ack.Msg, ack.Data, user}
	if e.json {
		if err := e.printJSON(result); err != nil {
			return err
		}
	} else if err := result.print(e); err != nil {
		return err
	}
	if !ack.OK {
		return &verdictError{"the robot refused"}
	}
	return nil
}

func (r *cmdResult) print(e *env) error {
	verdict := "done"
	if !r.OK {
		verdict = "refused"
	}
	if r.Msg != "" {
		verdict += ": " + printable(r.Msg)
	}
	if _, err := fmt.Fprintf(e.stdout, "%s %s\n", r.Command, verdict); err != nil || r.Data == nil {
		return err
	}
	return tree{e.stdout, true}.print(r.Data)
}
