package rosbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ActionServer is an action that a client offers.
type ActionServer struct {
	client   *Client
	action   string
	typeName string
	handle   func(ctx context.Context, g *ActionGoal) ([]byte, error)
}

func (s *ActionServer) frame() Frame {
	return Frame{Op: OpAdvertiseAction, Action: s.action, Type: s.typeName}
}

// ActionGoal is a goal that a client pursues for somebody.
type ActionGoal struct {
	Args []byte // JSON
	link *clientLink
	f    Frame
}

// Feedback tells the caller how the goal goes on, with values as JSON.
func (g *ActionGoal) Feedback(values []byte) error {
	if !json.Valid(values) {
		return fmt.Errorf("feedback of %s is not JSON", g.f.Action)
	}
	return g.link.out.put(&Frame{Op: OpActionFeedback, ID: g.f.ID, Action: g.f.Action, Body: values})
}

// ServeAction offers an action, for the life of the client or until it is closed. handle runs for each goal in a goroutine of its own, see
// [Client.Serve], and returns the result as JSON, nil for none. ctx ends with the link, and with the cause ErrGoalCanceled when the caller
// cancels the goal: whatever handle returns then, the goal is canceled. Any other error aborts it, and is told to the caller.
func (c *Client) ServeAction(
	action, typeName string, handle func(ctx context.Context, g *ActionGoal) (result []byte, err error),
) (*ActionServer, error) {
	if err := errors.Join(checkName("action", action), checkName("type", typeName)); err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s := &ActionServer{client: c, action: action, typeName: typeName, handle: handle}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClientClosed
	}
	if c.actions[action] != nil {
		return nil, fmt.Errorf("serve %s: this client serves it already", action)
	}
	if err := c.sendLocked(s.frame()); err != nil {
		return nil, err
	}
	c.actions[action] = s
	return s, nil
}

// Close withdraws the action. Goals that are pursued go on. It may be called again.
func (s *ActionServer) Close() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.actions[s.action] == s {
		delete(c.actions, s.action)
		c.must(Frame{Op: OpUnadvertiseAction, Action: s.action})
	}
}

// onGoal has a goal pursued.
func (c *Client) onGoal(ctx context.Context, l *clientLink, f *Frame) {
	c.mu.Lock()
	s := named(c.actions, f.Action)
	c.mu.Unlock()
	g := &ActionGoal{Args: orEmptyObject(f.Body), link: l, f: *f}
	if s == nil {
		c.sendResult(g, nil, errors.New("this client does not serve it"), false)
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	id := f.ID.String()
	if !l.addGoal(id, cancel) {
		cancel(nil)
		return // the first one goes on, and answers
	}
	started := c.handler(func() {
		defer cancel(nil)
		result, err := s.handle(ctx, g)
		l.removeGoal(id)
		c.sendResult(g, result, err, errors.Is(context.Cause(ctx), ErrGoalCanceled))
	})
	if !started {
		l.removeGoal(id)
		cancel(nil)
		c.sendResult(g, nil, fmt.Errorf("busy: %d goals are worked on", c.cfg.MaxHandlers), false)
	}
}

// sendResult tells the end of a goal as roslib does: canceled with result true, failed with false and the reason as values.
func (c *Client) sendResult(g *ActionGoal, result []byte, err error, canceled bool) {
	if err == nil && len(result) > 0 && !json.Valid(result) {
		err = errors.New("its server answered with what is not JSON")
	}
	out := Frame{Op: OpActionResult, ID: g.f.ID, Action: g.f.Action, Body: orEmptyObject(result), Status: GoalSucceeded, Result: true}
	switch {
	case canceled:
		out.Status = GoalCanceled
		if err != nil {
			out.Body = []byte("{}")
		}
	case err != nil:
		out.Status, out.Result, out.Body = GoalAborted, false, appendString(nil, err.Error())
	}
	if err := g.link.out.put(&out); err != nil {
		c.log.Warn("result of a goal is lost", "action", g.f.Action, "err", err)
	}
}
