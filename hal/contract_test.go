package hal

import (
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/driver/drivertest"
)

// newContractController returns a controller for an agent.
func newContractController(tb testing.TB, cfg ControllerConfig) *Controller {
	tb.Helper()
	c, err := NewController(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// The whole suite, with the body at the other end of a real socket.
func TestContractOverASocket(t *testing.T) {
	t.Parallel()
	drivertest.TestAtOnce(t, func(tb testing.TB) drivertest.Harness {
		s, url := serveToy(tb, AgentConfig{})
		return drivertest.Harness{
			Driver: newContractController(tb, ControllerConfig{URL: url}),
			Button: func(pressed bool) { s.do(func(d *toy) { d.press(pressed) }) },
			Settle: 400 * time.Millisecond, Lateness: 400 * time.Millisecond,
		}
	})
}

// overPipe serves a toy in memory.
func overPipe(agent AgentConfig, wrap func(net.Conn) net.Conn) func(tb testing.TB) drivertest.Harness {
	return func(tb testing.TB) drivertest.Harness {
		p := newPipes(wrap)
		d := newToy()
		s := stand{d, serveAgent(tb, d, agent, p)}
		return drivertest.Harness{
			Driver: newContractController(tb, ControllerConfig{URL: "ws://robot", HTTP: p.client()}),
			Button: func(pressed bool) { s.do(func(d *toy) { d.press(pressed) }) },
		}
	}
}

func TestContractOverAPipe(t *testing.T) { drivertest.TestInBubble(t, overPipe(AgentConfig{}, nil)) }

// TCP turns loss into delay: what is lost is sent again, and all that follows waits for it.
func TestContractOverALossyPipe(t *testing.T) {
	drivertest.TestInBubble(t, overPipe(AgentConfig{}, func(c net.Conn) net.Conn {
		return &lossy{Conn: c, rng: rand.New(rand.NewPCG(1, 2))}
	}))
}

// A robot that measures in millimetres and degrees is driven in metres and radians.
func TestContractInOtherUnits(t *testing.T) {
	drivertest.TestInBubble(t, overPipe(AgentConfig{Units: driver.Units{Len: "mm", Ang: "deg"}}, nil))
}
