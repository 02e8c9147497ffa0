package nodetest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

const ms = time.Millisecond

var (
	input  = bus.NewTopic[std.Float64]("/input", bus.Queue(8), "what the test says")
	output = bus.NewTopic[std.Float64]("/output", bus.Queue(64), "what the node says")
	double = bus.NewService[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse]("/enable", stdsrvs.SetBoolService, "switch")
	absent = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/absent", stdsrvs.TriggerService, "nobody")
)

// amplifier doubles what it hears and says it every 20 ms.
type amplifier struct {
	out  *bus.Publisher[std.Float64]
	last float64
	on   bool
}

func (n *amplifier) Setup(c *node.Context) error {
	n.out = bus.NewPublisher(c, output)
	bus.Subscribe(c, input, func(m std.Float64) {
		if m.Data < 0 {
			panic("negative input")
		}
		n.last = m.Data
	})
	bus.Serve(c, double, func(req stdsrvs.SetBoolRequest) (stdsrvs.SetBoolResponse, error) {
		n.on = req.Data
		return stdsrvs.SetBoolResponse{Success: true}, nil
	})
	c.Every(20*ms, func(time.Time) {
		if n.on {
			n.out.Publish(std.Float64{Data: 2 * n.last})
		}
	})
	return nil
}

func (n *amplifier) Stop(time.Time) { n.out.Publish(std.Float64{Data: -1}) }

func TestPublishAdvanceExpect(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	got := nodetest.Collect(r, output)
	r.Run("amplifier", &amplifier{})
	if resp, err := nodetest.Call(r, double, stdsrvs.SetBoolRequest{Data: true}); err != nil || !resp.Success {
		t.Fatalf("enable: %+v, %v", resp, err)
	}
	nodetest.Publish(r, input, std.Float64{Data: 3})
	r.Advance(40 * ms)
	nodetest.Publish(r, input, std.Float64{Data: 5})
	if m := got.Await(time.Second, func(v std.Float64) bool { return v.Data == 10 }); m.At != 60*ms {
		t.Errorf("the change was seen at %v, want 60ms", m.At)
	}
	r.Stop()
	want := []nodetest.Message[std.Float64]{
		{At: 20 * ms, Value: std.Float64{Data: 6}},
		{At: 40 * ms, Value: std.Float64{Data: 6}},
		{At: 60 * ms, Value: std.Float64{Data: 10}},
		{At: 60 * ms, Value: std.Float64{Data: -1}}, // its last word
	}
	if diff := cmp.Diff(want, got.All()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if s := r.Node("amplifier"); s.State != node.Ended {
		t.Errorf("amplifier is %s, want ended", s.State)
	}
}

func TestTakeBeginsAnew(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	got := nodetest.Collect(r, input)
	nodetest.Publish(r, input, std.Float64{Data: 1})
	r.Advance(0)
	if n := len(got.Take()); n != 1 {
		t.Fatalf("%d messages, want 1", n)
	}
	nodetest.Publish(r, input, std.Float64{Data: 2})
	r.Advance(0)
	if diff := cmp.Diff([]std.Float64{{Data: 2}}, got.Values()); diff != "" || got.Len() != 1 {
		t.Errorf("after Take (-want +got):\n%s", diff)
	}
}

func TestExpectedFailuresAreAllowed(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	r.Run("amplifier", &amplifier{})
	r.ExpectFailure("amplifier")
	nodetest.Publish(r, input, std.Float64{Data: -1})
	r.Advance(0)
	if s := r.Node("amplifier"); s.State != node.Halted || s.LastError != "panic: negative input" {
		t.Errorf("amplifier: %+v", s)
	}
}

// verdict runs a test body against a TB that records instead of failing.
func verdict(t *testing.T, body func(testing.TB)) string {
	v := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, cleanup := range slices.Backward(v.cleanups) {
				cleanup()
			}
		}()
		defer func() {
			if p := recover(); p != nil && p != any(errFatal) {
				v.said = append(v.said, fmt.Sprint("panic: ", p))
			}
		}()
		body(v)
	}()
	<-done
	return strings.Join(v.said, "; ")
}

var errFatal = errors.New("fatal")

type recorder struct {
	testing.TB
	said     []string
	cleanups []func()
}

func (r *recorder) Helper()                      {}
func (r *recorder) Cleanup(fn func())            { r.cleanups = append(r.cleanups, fn) }
func (r *recorder) Errorf(f string, args ...any) { r.said = append(r.said, fmt.Sprintf(f, args...)) }

func (r *recorder) Fatalf(f string, args ...any) {
	r.Errorf(f, args...)
	panic(errFatal)
}

func TestFailuresAreClear(t *testing.T) {
	tests := []struct {
		name string
		body func(testing.TB)
		want string
	}{
		{
			"a node fails", func(tb testing.TB) {
				r := nodetest.New(tb, nodetest.Options{})
				r.Run("amplifier", &amplifier{})
				r.Advance(5 * ms)
				nodetest.Publish(r, input, std.Float64{Data: -1})
				r.Advance(5 * ms)
				r.Advance(5 * ms) // reported once
			},
			"at 10ms: amplifier failed: panic: negative input",
		},
		{
			"a node refuses", func(tb testing.TB) {
				r := nodetest.New(tb, nodetest.Options{})
				r.Start(node.Spec{Name: "camera", New: func() (node.Node, error) { return nil, errors.New("no device") }})
			},
			"start: camera: no device",
		},
		{
			"no message comes", func(tb testing.TB) {
				r := nodetest.New(tb, nodetest.Options{})
				nodetest.Collect(r, output).Await(50*ms, func(std.Float64) bool { return true })
			},
			"at 50ms: waited 50ms in vain for a message on /output",
		},
		{
			"nothing has come", func(tb testing.TB) {
				nodetest.Collect(nodetest.New(tb, nodetest.Options{}), output).Latest()
			},
			"at 0s: nothing has come on /output",
		},
		{
			"unknown node", func(tb testing.TB) { nodetest.New(tb, nodetest.Options{}).Node("camera") },
			"no node is called camera",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(t, tt.body); got != tt.want {
				t.Errorf("said %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestCallToNobodyIsAnError(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	if _, err := nodetest.Call(r, absent, stdsrvs.TriggerRequest{}); bus.CodeOf(err) != bus.NoServer {
		t.Errorf("error %v, want no server", err)
	}
}
