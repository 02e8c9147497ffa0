package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goalSent = `{"op":"send_action_goal","action":"/go","action_type":"foo/Go","args":{"to":1},"feedback":true}`

// TestClientGoals: what servers send for the end of a goal.
func TestClientGoals(t *testing.T) {
	tests := []struct {
		name, result string // members of the frame
		want         GoalResult
		message      string // of the failure, with its status
		status       GoalStatus
	}{
		{"succeeded", `"values":{"n":18446744073709551615},"status":4,"result":true`, GoalResult{GoalSucceeded, []byte(`{"n":18446744073709551615}`)}, "", 0},
		{"no status, no result", `"values":{}`, GoalResult{GoalSucceeded, []byte(`{}`)}, "", 0},
		{"canceled", `"values":{"n":1},"status":5,"result":true`, GoalResult{GoalCanceled, []byte(`{"n":1}`)}, "", 0},
		{"canceled without result", `"status":5,"result":false`, GoalResult{GoalCanceled, []byte(`{}`)}, "", 0},
		{"aborted", `"values":"stuck","status":6,"result":true`, GoalResult{}, "stuck", GoalAborted},
		{"refused", `"values":"Action /go does not exist","status":0,"result":false`, GoalResult{}, "Action /go does not exist", GoalUnknown},
	}
	c, _, l := newTestClient(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var heard []string
			g, err := c.SendGoal("/go", "foo/Go", []byte(`{"to":1}`), GoalOptions{Feedback: func(v []byte) { heard = append(heard, string(v)) }})
			if err != nil {
				t.Fatal(err)
			}
			id := l.expect(goalSent)
			if id.String() != g.ID() {
				t.Errorf("the goal is %s on the wire and %s here", id, g.ID())
			}
			l.say(fmt.Sprintf(`{"op":"action_feedback","id":%s,"action":"/go","values":{"at":1}}`, string(id)))
			l.say(fmt.Sprintf(`{"op":"action_feedback","id":%s,"action":"/go","values":{"at":2}}`, string(id)))
			l.say(fmt.Sprintf(`{"op":"action_result","id":%s,"action":"/go",%s}`, string(id), tt.result))
			l.say(fmt.Sprintf(`{"op":"action_feedback","id":%s,"action":"/go","values":{"at":3}}`, string(id))) // too late
			l.say(fmt.Sprintf(`{"op":"action_result","id":%s,"action":"/go","status":6,"result":false}`, string(id)))
			got, err := g.Result(within(t))
			receive(t, g.Done(), "the end")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			remote, failed := errors.AsType[*RemoteError](err)
			if failed != (tt.message != "") || failed && (remote.Message != tt.message || remote.Status != tt.status) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff([]string{`{"at":1}`, `{"at":2}`}, heard); diff != "" {
				t.Errorf("feedback before the result (-want +got):\n%s", diff)
			}
		})
	}
	if n := c.Stats().Open; n != 0 {
		t.Errorf("%d goals are open", n)
	}
}

// TestClientCancels: rosbridge_suite#909, #920: at once, while the goal runs.
func TestClientCancels(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	g, err := c.SendGoal("/go", "foo/Go", nil, GoalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id := l.expect(`{"op":"send_action_goal","action":"/go","action_type":"foo/Go","args":{}}`)
	if err := g.Cancel(); err != nil {
		t.Fatal(err)
	}
	if canceled := l.expect(`{"op":"cancel_action_goal","action":"/go"}`); canceled != id {
		t.Errorf("goal %s was canceled as %s", id, canceled)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Result(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	l.say(fmt.Sprintf(`{"op":"action_result","id":%s,"action":"/go","values":{},"status":5,"result":true}`, string(id)))
	if r, err := g.Result(within(t)); err != nil || r.Status != GoalCanceled {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestClientServesActions: rosbridge_suite#909, #1013, #1248.
func TestClientServesActions(t *testing.T) {
	c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.MaxHandlers = 2 })
	s, err := c.ServeAction("/go", "foo/Go", func(ctx context.Context, g *ActionGoal) ([]byte, error) {
		switch string(g.Args) {
		case `"wait"`:
			<-ctx.Done()
			return []byte(`{"n":1}`), nil
		case `"wait and fail"`:
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case `"fail"`:
			return nil, errors.New("stuck")
		}
		if err := g.Feedback([]byte("{")); err == nil {
			t.Error("feedback that is not JSON was sent")
		}
		if err := g.Feedback([]byte(`{"at":1}`)); err != nil {
			t.Error(err)
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ServeAction("/go", "foo/Go", nil); err == nil {
		t.Error("an action was offered twice")
	}
	l.expect(`{"op":"advertise_action","action":"/go","type":"foo/Go"}`)
	send := func(id, args string) {
		l.say(fmt.Sprintf(`{"op":"send_action_goal","id":%s,"action":"/go","action_type":"foo/Go","args":%s,"feedback":true}`, id, args))
	}
	result := func(id, members string) {
		t.Helper()
		if got := l.expect(`{"op":"action_result","action":"/go",` + members + `}`); string(got) != id {
			t.Errorf("answered as %s, asked as %s", got, id)
		}
	}
	send(`"action_goal:/go:1"`, `{}`)
	if id := l.expect(`{"op":"action_feedback","action":"/go","values":{"at":1}}`); id != `"action_goal:/go:1"` {
		t.Errorf("feedback as %s", id)
	}
	result(`"action_goal:/go:1"`, `"values":{},"status":4,"result":true`)
	send("2", `"fail"`)
	result("2", `"values":"stuck","status":6,"result":false`)
	waitFor(t, "free slots", func() bool { return len(c.slots) == 0 })
	send("3", `"wait"`)
	send("3", `"wait"`) // the same again is no second goal
	send("4", `"wait and fail"`)
	send("5", `"wait"`)
	result("5", `"values":"busy: 2 goals are worked on","status":6,"result":false`)
	l.say(`{"op":"cancel_action_goal","id":3,"action":"/go"}`)
	result("3", `"values":{"n":1},"status":5,"result":true`)
	l.say(`{"op":"cancel_action_goal","id":4,"action":"/go"}`)
	result("4", `"values":{},"status":5,"result":true`)
	l.say(`{"op":"cancel_action_goal","id":4,"action":"/go"}`) // nothing to cancel
	s.Close()
	s.Close()
	l.expect(`{"op":"unadvertise_action","action":"/go"}`)
	send("6", `{}`)
	result("6", `"values":"this client does not serve it","status":6,"result":false`)
}
