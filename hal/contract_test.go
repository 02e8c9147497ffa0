package hal

import (
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/driver/drivertest"
	"sarathi/internal/body/simulated"
	"sarathi/internal/config"
	"sarathi/internal/sim/scenes"
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
			Settle: 700 * time.Millisecond, Lateness: 600 * time.Millisecond,
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

// An arm at 500 Hz, with the same agent.
func TestArmContractOverAPipe(t *testing.T) {
	drivertest.TestInBubble(t, func(tb testing.TB) drivertest.Harness {
		arm, err := simulated.NewArm(simulated.SixAxisArm())
		if err != nil {
			tb.Fatal(err)
		}
		p := newPipes(nil)
		a := serveAgent(tb, arm, AgentConfig{}, p)
		return drivertest.Harness{
			Driver: newContractController(tb, ControllerConfig{URL: "ws://robot", HTTP: p.client()}),
			Button: func(pressed bool) {
				a.body.mu.Lock()
				defer a.body.mu.Unlock()
				arm.Press(pressed)
			},
		}
	})
}

// A robot that could move sideways is driven without it.
func TestOmniContractOverAPipe(t *testing.T) {
	scene, err := scenes.Load("empty", func(path string, data []byte, into any) error { return config.Decode(path, data, into) })
	if err != nil {
		t.Fatal(err)
	}
	drivertest.TestInBubble(t, func(tb testing.TB) drivertest.Harness {
		b, c := simulated.Zelpi()
		b.Kind, b.Drive, b.Limits.VY = "omni", driver.Omni, b.Limits.VX
		c.Scan.Rate, c.IMU.Rate, c.Camera.Rate = 0, 0, 0 // HAL carries none of them
		plant, err := simulated.NewPlant(scene, 1, b, c)
		if err != nil {
			tb.Fatal(err)
		}
		p := newPipes(nil)
		serveAgent(tb, simulated.NewDriver(plant), AgentConfig{}, p)
		return drivertest.Harness{
			Driver: newContractController(tb, ControllerConfig{URL: "ws://robot", HTTP: p.client()}), Button: plant.Press,
		}
	})
}
