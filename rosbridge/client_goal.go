package rosbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// GoalOptions says what is wanted besides the result of a goal.
type GoalOptions struct {
	// Feedback, if set, runs for each feedback, one at a time, in a goroutine of its own; of those that wait for it the newest 16 stay.
	Feedback     func(values []byte)
	FragmentSize int    // bytes, above which the server cuts messages; 0 never
	Compression  string // of the answers: CompressionNone ("" too) or CompressionPNG
}

// GoalResult is how a goal ended.
type GoalResult struct {
	Status GoalStatus // GoalSucceeded, or GoalCanceled
	Values []byte     // JSON
}

// Goal is a goal that an action server pursues for this client.
type Goal struct {
	client *Client
	action string
	id     string
	on     func([]byte)
	pump   *clientPump // nil without feedback
	done   chan struct{}
	result GoalResult // set before done is closed
	err    error      // the same
}

// SendGoal asks an action server to pursue a goal, with args as JSON, nil for none. The goal is pursued until the server ends it: wait for
// that with Result, or cancel it.
func (c *Client) SendGoal(action, typeName string, args []byte, o GoalOptions) (*Goal, error) {
	if err := errors.Join(checkName("action", action), checkName("type", typeName)); err != nil {
		return nil, fmt.Errorf("send goal: %w", err)
	}
	if len(args) > 0 && !json.Valid(args) {
		return nil, fmt.Errorf("send goal to %s: args are not JSON", action)
	}
	const feedbacks = 16
	g := &Goal{client: c, action: action, id: c.id(OpSendActionGoal, action), on: o.Feedback, done: make(chan struct{})}
	f := Frame{
		Op: OpSendActionGoal, ID: StringID(g.id), Action: action, Type: typeName, Body: orEmptyObject(args),
		Feedback: o.Feedback != nil, FragmentSize: o.FragmentSize, Compression: o.Compression,
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.mayAskLocked()
	if err == nil {
		err = c.link.out.put(&f)
	}
	if err != nil {
		return nil, fmt.Errorf("send goal to %s: %w", action, err)
	}
	c.goals[g.id] = g
	if g.on != nil {
		g.pump = newClientPump(feedbacks)
		c.running.Go(g.pump.run)
	}
	return g, nil
}

// ID returns the id that the client gave the goal.
func (g *Goal) ID() string { return g.id }

// Done is closed when the result is there and all feedback has been handled.
func (g *Goal) Done() <-chan struct{} { return g.done }

// Result waits for the end of the goal, until ctx ends. A goal that failed, was refused or aborted is a [RemoteError] with its status; one
// that was canceled is no error.
func (g *Goal) Result(ctx context.Context) (GoalResult, error) {
	select {
	case <-g.done:
		return g.result, g.err
	case <-ctx.Done():
		return GoalResult{}, fmt.Errorf("goal of %s: no result: %w", g.action, ctx.Err())
	}
}

// Cancel asks the server to end the goal; its result tells when it has. Canceling a goal that has ended does nothing.
func (g *Goal) Cancel() error {
	c := g.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.goals[g.id] != g {
		return nil
	}
	if err := c.sendLocked(Frame{Op: OpCancelActionGoal, ID: StringID(g.id), Action: g.action}); err != nil {
		return fmt.Errorf("cancel goal of %s: %w", g.action, err)
	}
	return nil
}

// finish ends the goal. Who took it out of Client.goals calls it, once.
func (g *Goal) finish(r GoalResult, err error) {
	end := func() {
		g.result, g.err = r, err
		close(g.done)
	}
	if g.pump == nil {
		end()
		return
	}
	g.pump.finish(end)
}

func (c *Client) takeGoal(id ID) *Goal {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.goals[id.String()]
	delete(c.goals, id.String())
	return g
}

func (c *Client) onFeedback(f *Frame) {
	c.mu.Lock()
	g := c.goals[f.ID.String()]
	c.mu.Unlock()
	if g == nil || g.pump == nil {
		return
	}
	values := orEmptyObject(f.Body)
	g.pump.push(func() { g.on(values) })
}

func (c *Client) onResult(f *Frame) {
	g := c.takeGoal(f.ID)
	switch {
	case g == nil:
	case f.Status == GoalCanceled:
		g.finish(GoalResult{Status: GoalCanceled, Values: orEmptyObject(f.Body)}, nil)
	case !f.Result || f.Status == GoalAborted:
		g.finish(GoalResult{}, &RemoteError{Name: g.action, Status: f.Status, Message: remoteMessage(f.Body)})
	default: // some servers leave the status out
		g.finish(GoalResult{Status: GoalSucceeded, Values: orEmptyObject(f.Body)}, nil)
	}
}
