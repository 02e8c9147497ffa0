package rosbridge

import (
	"context"
	"testing"
	"time"

	"sarathi/internal/idl"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
)

// FuzzClientReceive feeds a client whatever a server may send: nothing panics, and what is open stays answerable.
func FuzzClientReceive(f *testing.F) {
	for _, s := range []string{
		publishA(`{"data":"x"}`), `{"op":"call_service","id":1,"service":"/s","args":[1]}`,
		`{"op":"service_response","id":"call_service:/s:1","service":"/s","values":"no","result":false}`,
		`{"op":"service_response","id":"call_service:/s:1","result":7}`,
		`{"op":"send_action_goal","id":"g","action":"/go","args":{}}`, `{"op":"cancel_action_goal","id":"g","action":"/go"}`,
		`{"op":"action_feedback","id":"send_action_goal:/go:2","action":"/go"}`,
		`{"op":"action_result","id":"send_action_goal:/go:2","action":"/go","status":5}`,
		`{"op":"fragment","id":"x","data":"{\"op\":","num":0,"total":2}`, `{"op":"status","level":"error","msg":"x"}`,
		`{"op":"png","data":"` + EncodePNG([]byte(publishA("1"))) + `"}`, `{"op":"hello"}`, "{", "",
	} {
		f.Add(false, []byte(s), []byte(s))
	}
	f.Add(true, appendJSONAsCBOR(nil, []byte(publishA("1"))), rawFrame(time.Unix(0, 0), []byte{1, 2}))
	f.Fuzz(func(t *testing.T, binary bool, first, second []byte) {
		cfg := ClientConfig{URL: "ws://127.0.0.1:1", Backoff: time.Hour, MaxBackoff: time.Hour, MaxMessage: 1 << 16}
		c, err := NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var m std.String
		if _, err := c.Subscribe("/a", SubscribeOptions{}, func(d Delivery) { _ = c.Decode(d, &m) }); err != nil {
			t.Fatal(err)
		}
		echo := func(_ context.Context, args []byte) ([]byte, error) { return args, nil }
		if _, err := c.Serve("/s", "foo/Bar", echo); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ServeAction("/go", "foo/Go", func(_ context.Context, g *ActionGoal) ([]byte, error) { return g.Args, nil }); err != nil {
			t.Fatal(err)
		}
		l := &clientLink{
			out: newClientOutbox(1 << 16), goals: map[string]context.CancelCauseFunc{}, assembler: NewAssembler(1<<16, time.Hour),
		}
		c.mu.Lock()
		c.calls["call_service:/s:1"] = &openCall{service: "/s", answer: make(chan callAnswer, 1)}
		c.goals["send_action_goal:/go:2"] = &Goal{client: c, action: "/go", done: make(chan struct{})}
		c.mu.Unlock()
		c.receive(t.Context(), l, binary, first)
		c.receive(t.Context(), l, binary, second)
		c.receive(t.Context(), l, false, first)
	})
}

// FuzzRewrite: what is rewritten is JSON again, and a message of this program comes back unchanged from a ROS 1 server.
func FuzzRewrite(f *testing.F) {
	f.Add([]byte(`{"header":{"seq":1,"stamp":{"secs":1,"nsecs":2},"frame_id":"x"},"D":[1],"K":[],"zoo":{"a":[1]},"roi":{"x_offset":1}}`))
	f.Add([]byte(`{"seq":1, "zoo" : 2 ,"height":3}`))
	f.Add([]byte(`[{}]`))
	f.Add([]byte(`{"h\u0065ader":{}}`))
	types := newTypeTable()
	codecs := []*codec{types.codecOf(sensor.CameraInfoType), types.codecOf(sensor.JointStateType)}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := scanner{src: text}
		if s.value(); s.err != nil || s.peek() != 0 || s.pos != len(text) {
			return
		}
		for _, c := range codecs {
			for _, out := range [][]byte{c.fromServer(text), c.toROS1(text)} {
				s := scanner{src: out}
				if s.value(); s.err != nil {
					t.Fatalf("%s became %s: %v", text, out, s.err)
				}
			}
			m := c.typ.New()
			if m.ParseJSON(c.fromServer(text)) != nil {
				continue
			}
			there := m.AppendJSON(nil)
			again := c.typ.New()
			if err := again.ParseJSON(c.fromServer(c.toROS1(there))); err != nil {
				t.Fatalf("%s: %v", there, err)
			}
			sameMessage(t, m, again)
		}
	})
}

func sameMessage(t *testing.T, a, b idl.Message) {
	t.Helper()
	if x, y := string(a.AppendJSON(nil)), string(b.AppendJSON(nil)); x != y {
		t.Fatalf("%s became %s", x, y)
	}
}
