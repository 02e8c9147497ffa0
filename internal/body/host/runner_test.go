package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/bus/bustest"
	"sarathi/internal/clock"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
)

// TestRunner hosts a body with a connection in real time: it is connected before it is asked what it can do, served
// until the connection breaks, and connected again.
func TestRunner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		body := newRobot()
		lose := make(chan struct{})
		b := bus.New(bus.Options{Clock: clock.Real{}})
		client := bustest.NewClient(t, b, "test")
		var statuses []dharma.BodyStatus
		bus.Subscribe(client, topics.BodyStatus, func(s dharma.BodyStatus) { statuses = append(statuses, s) })
		velocity := bus.NewPublisher(client, topics.BodyCmdVel)

		exec := node.NewRealtime(node.Options{Bus: b})
		err := exec.Start(context.Background(), node.Spec{Name: Name, New: func() (node.Node, error) {
			n, err := New(DefaultConfig(), runner{body, &log, lose})
			if _, ok := n.(node.Runner); !ok {
				t.Error("a driver.Runner does not make the node a node.Runner")
			}
			return n, err
		}})
		if err != nil {
			t.Fatal(err)
		}
		settle := func(d time.Duration) {
			time.Sleep(d) // of the bubble
			synctest.Wait()
			client.Drain()
		}
		velocity.Publish(twist(1, 0, 0))
		settle(500 * time.Millisecond)
		if v, _ := body.last(); v != (driver.Velocity{VX: 1}) {
			t.Errorf("the body is told %+v", v)
		}
		if len(statuses) == 0 || !statuses[len(statuses)-1].Connected {
			t.Fatalf("statuses %+v", statuses)
		}
		broken := lose
		lose = make(chan struct{})
		close(broken)
		settle(50 * time.Millisecond)
		if s := statuses[len(statuses)-1]; s.Connected || s.Kind != "go2" {
			t.Errorf("the body is lost, the status says %+v", s)
		}
		settle(time.Second)
		if s := statuses[len(statuses)-1]; !s.Connected || body.starts != 2 {
			t.Errorf("after %d starts the status says %+v", body.starts, s)
		}
		if err := exec.Stop(); err != nil {
			t.Error(err)
		}
		if v, _ := body.last(); v != (driver.Velocity{}) {
			t.Errorf("the last command is %+v", v)
		}
		if diff := cmp.Diff([]string{"connect", "close", "connect", "close"}, log); diff != "" {
			t.Error(diff)
		}
	})
}
