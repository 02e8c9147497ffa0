package rosbridge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

func TestIssue07MemoryIsFlatOverManyCalls(t *testing.T) {
	r := start(t, config())
	server, caller := r.join(), r.join()
	server.say(`{"op":"advertise_service","service":"/s","type":"std_srvs/Trigger"}`)
	round := func(n int) {
		for range n {
			caller.send(websocket.MessageText, `{"op":"call_service","id":"c","service":"/s"}`)
			var f struct{ ID string }
			if err := json.Unmarshal([]byte(server.next().text), &f); err != nil {
				t.Fatal(err)
			}
			server.send(websocket.MessageText, fmt.Sprintf(`{"op":"service_response","id":%q,"service":"/s","values":{"success":true,"message":""},"result":true}`, f.ID))
			caller.expect(`{"op":"service_response","id":"c","service":"/s","values":{"success":true,"message":""},"result":true}`)
		}
	}
	round(200)
	before := residentHeap()
	round(500)
	if grown := residentHeap() - before; grown > 200<<10 {
		t.Errorf("%d bytes more after 500 calls", grown)
	}
}

func TestIssue17ProviderThatVanishes(t *testing.T) {
	r := start(t, config())
	server, caller := r.join(), r.join()
	server.say(`{"op":"advertise_service","service":"/s","type":"std_srvs/Trigger"}`)
	caller.say(`{"op":"call_service","id":1,"service":"/s"}`, `{"op":"call_service","id":2,"service":"/s","timeout":0}`)
	server.next()
	server.leave()
	for range 2 {
		if g := caller.next(); !strings.Contains(g.text, `"values":"Service /s is gone","result":false`) {
			t.Errorf("answer %s", g.text)
		}
	}
	if values, _ := caller.call("/rosapi/service_type", `{"service":"/s"}`); values != `{"type":""}` {
		t.Errorf("the service is still there: %s", values)
	}
}

// TestIssue18CallsTimeOut: after the broker's time, or the call's own; others go on meanwhile, and a late answer is dropped.
func TestIssue18CallsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startPiped(t, config())
		server, caller := r.join(), r.join()
		server.say(`{"op":"advertise_service","service":"/s","type":"zoo/Srv"}`)
		begin := time.Now()
		caller.say(`{"op":"call_service","id":"default","service":"/s"}`, `{"op":"call_service","id":"own","service":"/s","timeout":0.5}`,
			`{"op":"call_service","id":"none","service":"/s","timeout":-1}`, `{"op":"call_service","id":"other","service":"/none"}`)
		caller.expect(`{"op":"service_response","id":"other","service":"/none","values":"Service /none does not exist","result":false}`)
		caller.expect(`{"op":"service_response","id":"own","service":"/s","values":"Service /s did not answer within 500ms","result":false}`)
		if d := time.Since(begin); d != 500*time.Millisecond {
			t.Errorf("its own time-out after %v", d)
		}
		caller.expect(`{"op":"service_response","id":"default","service":"/s","values":"Service /s did not answer within 5s","result":false}`)
		if d := time.Since(begin); d != 5*time.Second {
			t.Errorf("the time-out after %v", d)
		}
		time.Sleep(time.Minute)
		for i := range 3 {
			server.say(fmt.Sprintf(`{"op":"service_response","id":"service_request:/s:%d","service":"/s","values":{"n":%d},"result":true}`, i+1, i+1))
		}
		caller.expect(`{"op":"service_response","id":"none","service":"/s","values":{"n":3},"result":true}`)
		caller.quiet()
		r.stop()
	})
}

// TestIssue19CancelIsHandledAtOnce, also when the action server does nothing about it.
func TestIssue19CancelIsHandledAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config()
		r := startPiped(t, cfg)
		server, caller := r.join(), r.join()
		server.say(`{"op":"advertise_action","action":"/a","type":"zoo/Act"}`)
		caller.say(`{"op":"send_action_goal","id":"g","action":"/a","action_type":"zoo/Act"}`)
		server.next()
		begin := time.Now()
		caller.say(`{"op":"cancel_action_goal","id":"g","action":"/a"}`)
		server.expect(`{"op":"cancel_action_goal","id":"action_goal:/a:1","action":"/a"}`)
		if d := time.Since(begin); d != 0 {
			t.Errorf("the server was told after %v", d)
		}
		caller.expect(`{"op":"action_result","id":"g","action":"/a","values":"Action /a was canceled; its server did not answer","status":5,"result":false}`)
		if d := time.Since(begin); d != cfg.CancelAfter {
			t.Errorf("the caller was told after %v", d)
		}
		server.say(`{"op":"action_result","id":"action_goal:/a:1","action":"/a","values":{},"status":4,"result":true}`)
		caller.quiet()
		r.stop()
	})
}
