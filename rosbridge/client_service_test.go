package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/msg/stdsrvs"
)

// asked is what a call of a test came to.
type asked struct {
	values string
	err    error
}

// start calls in a goroutine of its own.
func startCall(ctx context.Context, c *Client, service, args string) <-chan asked {
	out := make(chan asked, 1)
	go func() {
		values, err := c.Call(ctx, service, []byte(args))
		out <- asked{string(values), err}
	}()
	return out
}

// TestClientAnswersOfAllKinds: what different servers send for an answer.
func TestClientAnswersOfAllKinds(t *testing.T) {
	tests := []struct {
		name, answer string // ID stands for the id
		want         string
		message      string // of the failure
	}{
		{"as it should be", `{"op":"service_response","id":ID,"service":"/s","values":{"n":18446744073709551615},"result":true}`, `{"n":18446744073709551615}`, ""},
		{"without result", `{"op":"service_response","id":ID,"service":"/s","values":{"n":1}}`, `{"n":1}`, ""},
		{"without values", `{"op":"service_response","id":ID,"service":"/s","result":true}`, `{}`, ""},
		{"values null", `{"op":"service_response","id":ID,"service":"/s","result":true,"values":null}`, `{}`, ""},
		{"resolved name", `{"op":"service_response","id":ID,"service":"s","values":{}}`, `{}`, ""},
		{"escaped id", `{"op":"service_response","id":ESC,"service":"/s","values":{}}`, `{}`, ""},
		{"no id", `{"op":"service_response","service":"/s","values":{}}`, `{}`, ""},
		{"failure", `{"op":"service_response","id":ID,"service":"/s","values":"Service /s does not exist","result":false}`, "", "Service /s does not exist"},
		{"failure as object", `{"op":"service_response","id":ID,"service":"/s","values":{"why":1},"result":false}`, "", `{"why":1}`},
		{"failure without reason", `{"op":"service_response","id":ID,"service":"/s","result":false}`, "", ""},
	}
	c, _, l := newTestClient(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := startCall(within(t), c, "/s", `{"a":1}`)
			id := string(l.expect(`{"op":"call_service","service":"/s","args":{"a":1}}`))
			esc := strings.ReplaceAll(id, "/", `\/`)
			l.say(strings.NewReplacer("ID", id, "ESC", esc).Replace(tt.answer))
			got := receive(t, out, "the answer")
			remote, failed := errors.AsType[*RemoteError](got.err)
			if got.values != tt.want || failed != (tt.want == "") || failed && remote.Message != tt.message {
				t.Errorf("got %s, %v", got.values, got.err)
			}
			if failed && !strings.HasPrefix(remote.Error(), "/s") {
				t.Errorf("error %q", remote)
			}
		})
	}
}

func TestClientAnswerThatIsNone(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	out := startCall(within(t), c, "/s", "")
	id := l.expect(`{"op":"call_service","service":"/s"}`)
	l.say(fmt.Sprintf(`{"op":"service_response","id":%s,"service":"/s","result":"yes"}`, string(id)))
	if got := receive(t, out, "the answer"); got.err == nil || !strings.Contains(got.err.Error(), "not understood") {
		t.Errorf("error %v", got.err)
	}
}

// TestClientCallsWaitForNobody: rosbridge_suite#905, #984, #1027, #442: a service that never answers holds up no other call, and is given up.
func TestClientCallsWaitForNobody(t *testing.T) {
	c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.MaxOpen = 2 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	dead := startCall(ctx, c, "/dead", "")
	deadID := l.expect(`{"op":"call_service","service":"/dead"}`)
	alive := startCall(within(t), c, "/alive", "[1,2]")
	id := l.expect(`{"op":"call_service","service":"/alive","args":[1,2]}`)
	if _, err := c.Call(within(t), "/third", nil); !errors.Is(err, ErrClientBusy) {
		t.Errorf("a call beyond the bound: %v", err)
	}
	l.say(fmt.Sprintf(`{"op":"service_response","id":%s,"service":"/alive","values":{}}`, string(id)))
	if got := receive(t, alive, "the answer"); got.err != nil {
		t.Error(got.err)
	}
	cancel()
	if got := receive(t, dead, "the end of the wait"); !errors.Is(got.err, context.Canceled) {
		t.Errorf("error %v", got.err)
	}
	l.say(fmt.Sprintf(`{"op":"service_response","id":%s,"service":"/dead","values":{}}`, string(deadID))) // too late
	if n := c.Stats().Open; n != 0 {
		t.Errorf("%d calls are open", n)
	}
}

func TestClientCallTimeout(t *testing.T) {
	c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.CallTimeout = 30 * time.Millisecond })
	if _, err := c.Call(t.Context(), "/s", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want a time-out", err)
	}
	if text := receive(t, l.in, "the call"); !strings.Contains(text, `"timeout":0.0`) {
		t.Errorf("the server is not told how long: %s", text)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Call(ended, "/s", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestClientLossEndsWhatIsOpen: rosbridge_suite#684 from the caller's side.
func TestClientLossEndsWhatIsOpen(t *testing.T) {
	c, s, l := newTestClient(t, nil)
	call := startCall(within(t), c, "/s", "")
	l.expect(`{"op":"call_service","service":"/s"}`)
	goal, err := c.SendGoal("/go", "foo/Go", nil, GoalOptions{Feedback: func([]byte) {}})
	if err != nil {
		t.Fatal(err)
	}
	l.drop()
	if got := receive(t, call, "the end of the call"); !errors.Is(got.err, ErrLinkLost) {
		t.Errorf("error %v", got.err)
	}
	if _, err := goal.Result(within(t)); !errors.Is(err, ErrLinkLost) {
		t.Errorf("error %v", err)
	}
	s.link()
	if err := goal.Cancel(); err != nil {
		t.Errorf("cancel of a goal that has ended: %v", err)
	}
}

func TestClientServes(t *testing.T) {
	c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.MaxHandlers = 1 })
	goOn := make(chan struct{})
	s, err := c.Serve("svc", "foo/Bar", func(ctx context.Context, args []byte) ([]byte, error) {
		switch string(args) {
		case `"wait"`:
			<-goOn
			return nil, nil
		case `"fail"`:
			return nil, errors.New("no hands")
		case `"nonsense"`:
			return []byte("{"), nil
		}
		return args, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Serve("svc", "foo/Bar", nil); err == nil {
		t.Error("a service was offered twice")
	}
	l.expect(`{"op":"advertise_service","service":"svc","type":"foo/Bar"}`)
	for _, tt := range []struct{ id, service, args, values, result string }{
		{`"service_request:/svc:1"`, "/svc", `{"n":18446744073709551615}`, `{"n":18446744073709551615}`, "true"},
		{`12345678901234567890`, "svc", `[1]`, `[1]`, "true"},
		{`1`, "/svc", `null`, `{}`, "true"},
		{`2`, "/svc", `"fail"`, `"no hands"`, "false"},
		{`3`, "/svc", `"nonsense"`, `"its server answered with what is not JSON"`, "false"},
		{`4`, "/other", `{}`, `"this client does not serve it"`, "false"},
	} {
		l.say(fmt.Sprintf(`{"op":"call_service","id":%s,"service":%q,"args":%s}`, tt.id, tt.service, tt.args))
		id := l.expect(fmt.Sprintf(`{"op":"service_response","service":%q,"values":%s,"result":%s}`, tt.service, tt.values, tt.result))
		if string(id) != tt.id {
			t.Errorf("answered as %s, asked as %s", id, tt.id)
		}
		waitFor(t, "the free slot", func() bool { return len(c.slots) == 0 })
	}
	l.say(`{"op":"call_service","id":5,"service":"/svc","args":"wait"}`)
	l.say(`{"op":"call_service","id":6,"service":"/svc"}`)
	if id := l.expect(`{"op":"service_response","service":"/svc","values":"busy: 1 requests are worked on","result":false}`); id != "6" {
		t.Errorf("answered as %s", id)
	}
	close(goOn)
	if id := l.expect(`{"op":"service_response","service":"/svc","values":{},"result":true}`); id != "5" {
		t.Errorf("answered as %s", id)
	}
	s.Close()
	s.Close()
	l.expect(`{"op":"unadvertise_service","service":"svc"}`)
}

// TestClientHandlersEndWithTheLink: nobody waits for their answers any more.
func TestClientHandlersEndWithTheLink(t *testing.T) {
	c, s, l := newTestClient(t, nil)
	ended := make(chan error, 2)
	_, err := c.Serve("/svc", "foo/Bar", func(ctx context.Context, _ []byte) ([]byte, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.ServeAction("/go", "foo/Go", func(ctx context.Context, _ *ActionGoal) ([]byte, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	l.say(`{"op":"call_service","id":1,"service":"/svc"}`)
	l.say(`{"op":"send_action_goal","id":"g","action":"/go"}`)
	waitFor(t, "both handlers", func() bool { return len(c.slots) == 2 })
	l.drop()
	receive(t, ended, "the end of a handler")
	receive(t, ended, "the end of a handler")
	s.link()
}

func TestClientTypedCalls(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	type outcome struct {
		resp stdsrvs.SetBoolResponse
		err  error
	}
	out := make(chan outcome, 1)
	call := func(ctx context.Context) {
		resp, err := CallAs[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse](ctx, c, "/enable", stdsrvs.SetBoolRequest{Data: true})
		out <- outcome{resp, err}
	}
	ctx := within(t)
	for _, tt := range []struct {
		values string
		want   stdsrvs.SetBoolResponse
		ok     bool
	}{
		{`{"success":true,"message":"on"}`, stdsrvs.SetBoolResponse{Success: true, Message: "on"}, true},
		{`{"success":true,"new_in_ros_3":[1]}`, stdsrvs.SetBoolResponse{Success: true}, true},
		{`{"success":"yes"}`, stdsrvs.SetBoolResponse{}, false},
	} {
		go call(ctx)
		id := l.expect(`{"op":"call_service","service":"/enable","args":{"data":true}}`)
		l.say(fmt.Sprintf(`{"op":"service_response","id":%s,"service":"/enable","values":%s,"result":true}`, string(id), tt.values))
		got := receive(t, out, "the answer")
		if diff := cmp.Diff(tt.want, got.resp); (got.err == nil) != tt.ok || diff != "" && tt.ok {
			t.Errorf("%s: %v (-want +got):\n%s", tt.values, got.err, diff)
		}
	}
	serve := func(context.Context, stdsrvs.SetBoolRequest) (stdsrvs.SetBoolResponse, error) {
		return stdsrvs.SetBoolResponse{}, nil
	}
	if _, err := ServeAs(c, "/x", stdsrvs.TriggerService, serve); err == nil {
		t.Error("a service of another type was offered")
	}
	if _, err := ServeAs(c, "/x", stdsrvs.SetBoolService, serve); err != nil {
		t.Fatal(err)
	}
	l.expect(`{"op":"advertise_service","service":"/x","type":"std_srvs/srv/SetBool"}`)
	l.say(`{"op":"call_service","id":1,"service":"/x","args":{"data":3}}`)
	if text := receive(t, l.in, "the answer"); !strings.Contains(text, `"result":false`) || !strings.Contains(text, "data") {
		t.Errorf("a request of another type is answered with %s", text)
	}
}
