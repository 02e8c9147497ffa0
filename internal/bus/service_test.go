package bus_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/bus/bustest"
	"sarathi/msg/stdsrvs"
)

type (
	request  = stdsrvs.SetBoolRequest
	response = stdsrvs.SetBoolResponse
)

// outcome is what a caller was told, in words.
type outcome struct{ list []string }

func (o *outcome) done(resp response, err error) {
	if err != nil {
		o.list = append(o.list, err.Error())
		return
	}
	o.list = append(o.list, "response "+resp.Message)
}

func (o *outcome) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, o.list); diff != "" {
		t.Errorf("the caller was told (-want +got):\n%s", diff)
	}
}

// settle runs the loops until nothing is ready.
func settle(clients ...*bustest.Client) {
	for busy := true; busy; {
		busy = false
		for _, c := range clients {
			busy = c.Drain() > 0 || busy
		}
	}
}

func TestCall(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	bus.Serve(server, enable, func(r request) (response, error) {
		if r.Data {
			return response{Message: "on"}, nil
		}
		return response{}, errors.New("cannot be switched off")
	})
	caller := bus.NewCaller(client, enable)
	var o outcome
	caller.Call(request{Data: true}, time.Second, o.done)
	if len(o.list) > 0 {
		t.Error("the answer came before Call returned")
	}
	caller.Call(request{Data: false}, time.Second, o.done)
	settle(server, client)
	o.want(t, "response on", "service /molly/enable: failed: cannot be switched off")
	if n := client.Timers(); n != 0 {
		t.Errorf("%d deadlines are still armed", n)
	}
}

func TestCallWithoutServer(t *testing.T) {
	w := newWorld(t)
	client := w.client("client")
	caller := bus.NewCaller(client, enable)
	if caller.Ready() {
		t.Error("ready without a server")
	}
	var o outcome
	caller.Call(request{}, time.Second, o.done)
	if len(o.list) > 0 {
		t.Error("the answer came before Call returned")
	}
	settle(client)
	o.want(t, "service /molly/enable: no server")
	server := w.client("server")
	bus.Serve(server, enable, func(request) (response, error) { return response{}, nil })
	if !caller.Ready() {
		t.Error("not ready with a server")
	}
	server.End()
	if caller.Ready() {
		t.Error("ready after the server's end")
	}
}

func TestDeadline(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	var late func(response, error)
	bus.ServeAsync(server, enable, func(_ request, reply func(response, error)) { late = reply })
	var o outcome
	bus.NewCaller(client, enable).Call(request{}, 100*ms, o.done)
	server.Drain()
	client.Advance(99 * ms)
	o.want(t)
	client.Advance(ms)
	late(response{Message: "too late"}, nil)
	settle(server, client)
	o.want(t, "service /molly/enable: time-out")
}

// TestAnswerAndDeadlineAtOnce has the answer wait on the loop when the deadline comes: it counts.
func TestAnswerAndDeadlineAtOnce(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	bus.Serve(server, enable, func(request) (response, error) { return response{Message: "in time"}, nil })
	var o outcome
	bus.NewCaller(client, enable).Call(request{}, 0, o.done)
	server.Drain()
	client.Advance(0)
	o.want(t, "response in time")
}

func TestOnlyTheFirstReplyCounts(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	bus.ServeAsync(server, enable, func(_ request, reply func(response, error)) {
		reply(response{Message: "first"}, nil)
		reply(response{Message: "second"}, nil)
		reply(response{}, errors.New("third"))
	})
	var o outcome
	bus.NewCaller(client, enable).Call(request{}, time.Second, o.done)
	settle(server, client)
	o.want(t, "response first")
}

// TestRequestIsServedThoughItsCallerGaveUp matters for an emergency stop.
func TestRequestIsServedThoughItsCallerGaveUp(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	served := 0
	bus.Serve(server, enable, func(request) (response, error) { served++; return response{}, nil })
	var o outcome
	bus.NewCaller(client, enable).Call(request{}, 10*ms, o.done)
	client.Advance(10 * ms)
	settle(server, client)
	o.want(t, "service /molly/enable: time-out")
	if served != 1 {
		t.Errorf("served %d times, want once", served)
	}
}

func TestBusyServerRefuses(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	var replies []func(response, error)
	bus.ServeAsync(server, enable, func(_ request, reply func(response, error)) { replies = append(replies, reply) })
	caller := bus.NewCaller(client, enable)
	var open, more outcome
	for i := range 64 {
		if i == 40 {
			server.Drain() // some have begun, others wait: both count
		}
		caller.Call(request{}, time.Second, open.done)
	}
	caller.Call(request{}, time.Second, more.done)
	settle(server, client)
	more.want(t, "service /molly/enable: busy")
	if len(open.list) > 0 || len(replies) != 64 {
		t.Fatalf("%d answered and %d begun, want 0 and 64", len(open.list), len(replies))
	}
	if s := w.Graph().Services[0]; s.Calls != 64 || s.Refused != 1 {
		t.Errorf("%d calls and %d refused, want 64 and 1", s.Calls, s.Refused)
	}
	replies[7](response{Message: "seven"}, nil)
	caller.Call(request{}, time.Second, more.done)
	if settle(server, client); len(replies) != 65 {
		t.Errorf("%d begun after one was answered, want 65", len(replies))
	}
}

// TestLostRepliesDoNotBlockAServerForEver has a server that never answers.
func TestLostRepliesDoNotBlockAServerForEver(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	bus.ServeAsync(server, enable, func(request, func(response, error)) {})
	caller := bus.NewCaller(client, enable)
	for range 200 {
		var o outcome
		caller.Call(request{}, 10*ms, o.done)
		server.Drain()
		client.Advance(10 * ms)
		o.want(t, "service /molly/enable: time-out")
	}
}

func TestServerEndsWhileCallsAreInFlight(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	var late func(response, error)
	bus.ServeAsync(server, trigger2(), func(_ request, reply func(response, error)) { late = reply })
	var order []int
	caller := bus.NewCaller(client, trigger2())
	for i := range 20 {
		caller.Call(request{}, time.Second, func(_ response, err error) {
			if bus.CodeOf(err) != bus.Stopped {
				t.Errorf("call %d: %v, want stopped", i, err)
			}
			order = append(order, i)
		})
	}
	server.Step() // the first has begun
	server.End()
	late(response{}, nil)
	settle(server, client)
	for i, n := range order {
		if i != n {
			t.Fatalf("answered in the order %v", order)
		}
	}
	if len(order) != 20 {
		t.Errorf("%d of 20 were answered", len(order))
	}
	var o outcome
	caller.Call(request{}, time.Second, o.done)
	settle(client)
	o.want(t, "service /again: no server")
}

func trigger2() *bus.Service[request, response] {
	return bus.NewService[request, response]("/again", stdsrvs.SetBoolService, "")
}

func TestCallerEndsWhileItsCallIsInFlight(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	bus.Serve(server, enable, func(request) (response, error) { return response{}, nil })
	var o, fresh outcome
	bus.NewCaller(client, enable).Call(request{}, time.Second, o.done)
	client.End()
	again := w.client("client") // the restarted one
	bus.NewCaller(again, enable).Call(request{}, time.Second, fresh.done)
	settle(server, again)
	o.want(t)
	fresh.want(t, "response ")
}

func TestServerIsReplaced(t *testing.T) {
	w := newWorld(t)
	first, second, client := w.client("first"), w.client("second"), w.client("client")
	serve := func(c *bustest.Client) {
		bus.Serve(c, enable, func(request) (response, error) { return response{Message: c.Name()}, nil })
	}
	serve(first)
	mustPanic(t, func() { serve(second) })
	first.End()
	serve(second)
	var o outcome
	bus.NewCaller(client, enable).Call(request{}, time.Second, o.done)
	settle(second, client)
	o.want(t, "response second")
}

func TestUrgentServiceOvertakes(t *testing.T) {
	w := newWorld(t)
	server, client := w.client("server"), w.client("client")
	var got []string
	bus.Serve(server, enable, func(request) (response, error) { got = append(got, "enable"); return response{}, nil })
	bus.Serve(server, trigger, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		got = append(got, "stop")
		return stdsrvs.TriggerResponse{}, nil
	}, bus.Urgent())
	bus.NewCaller(client, enable).Call(request{}, time.Second, func(response, error) {})
	bus.NewCaller(client, enable).Call(request{}, time.Second, func(response, error) {})
	bus.NewCaller(client, trigger).Call(stdsrvs.TriggerRequest{}, time.Second, func(stdsrvs.TriggerResponse, error) {})
	server.Drain()
	if diff := cmp.Diff([]string{"stop", "enable", "enable"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// pump runs a client's handlers until the test's context ends: it stands for a node's goroutine.
func pump(t *testing.T, c *bustest.Client) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(ms):
				c.Drain()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

func TestBlockingCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		server := w.client("server")
		bus.Serve(server, enable, func(r request) (response, error) { return response{Success: r.Data, Message: "on"}, nil })
		pump(t, server)
		resp, err := bus.Call(t.Context(), w.Bus, enable, request{Data: true})
		if err != nil || !resp.Success {
			t.Errorf("%+v, %v", resp, err)
		}
	})
}

func TestBlockingCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		server := w.client("server")
		served := 0
		bus.Serve(server, enable, func(request) (response, error) { served++; return response{}, nil })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := bus.Call(ctx, w.Bus, enable, request{})
		if bus.CodeOf(err) != bus.Timeout || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want a time-out", err)
		}
		if server.Drain(); served != 1 {
			t.Errorf("served %d times, want once", served)
		}
	})
}

func TestRawCalls(t *testing.T) {
	tests := []struct {
		name, service, request string
		want                   string
		code                   bus.Code
	}{
		{"request", "/molly/enable", `{"data":true}`, `{"success":true,"message":"true"}`, 0},
		{"no request", "/molly/enable", ``, `{"success":true,"message":"false"}`, 0},
		{"relative name", "{robot_ns}/enable", `{}`, `{"success":true,"message":"false"}`, 0},
		{"not JSON", "/molly/enable", `{"data":`, "", bus.BadRequest},
		{"wrong kind", "/molly/enable", `{"data":"yes"}`, "", bus.BadRequest},
		{"unknown field", "/molly/enable", `{"datum":true}`, "", bus.BadRequest},
		{"unknown service", "/nobody", `{}`, "", bus.NoServer},
		{"nobody serves", "/trigger", `{}`, "", bus.NoServer},
		{"handler error", "/again", `{}`, "", bus.Failed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				server := w.client("server")
				bus.NewCaller(server, trigger)
				bus.Serve(server, enable, func(r request) (response, error) {
					return response{Success: true, Message: fmt.Sprint(r.Data)}, nil
				})
				bus.Serve(server, trigger2(), func(request) (response, error) { return response{}, errors.New("broken") })
				pump(t, server)
				got, err := w.CallRaw(t.Context(), tt.service, []byte(tt.request))
				if string(got) != tt.want || bus.CodeOf(err) != tt.code {
					t.Errorf("%s, %v, want %s, %s", got, err, tt.want, tt.code)
				}
				if _, err := w.CallRaw(t.Context(), tt.service, []byte(tt.request)); bus.CodeOf(err) != tt.code {
					t.Errorf("the second time: %v", err)
				}
			})
		})
	}
}

func TestCodesInWords(t *testing.T) {
	want := map[bus.Code]string{
		bus.NoServer: "no server", bus.Timeout: "time-out", bus.Busy: "busy", bus.BadRequest: "bad request",
		bus.Failed: "failed", bus.Stopped: "stopped", 99: "code 99",
	}
	for code, words := range want {
		if code.String() != words {
			t.Errorf("%q, want %q", code, words)
		}
	}
	if bus.CodeOf(errors.New("something else")) != 0 {
		t.Error("an error that is no CallError has a code")
	}
}
