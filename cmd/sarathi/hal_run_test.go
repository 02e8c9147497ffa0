package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/hal"
	"sarathi/internal/app"
	"sarathi/internal/body/simulated"
	"sarathi/internal/profile"
)

// freeTCPPort returns a TCP port of this computer that nobody has.
func freeTCPPort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// startAgent runs `sarathi hal agent` as a process of its own.
func startAgent(t *testing.T, address string) *process {
	t.Helper()
	p := startProcess(t, "main", "hal", "agent", "--listen", address, "--set", "simulated.world=empty")
	p.waitFor(t, "can be controlled at ws://"+address)
	return p
}

// holdScript writes a script that holds the stick at v for d.
func holdScript(t *testing.T, v, d string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drive.yaml")
	text := "script:\n  - {at: 0s, cmd: set_mode, args: {mode: remote}}\n  - {at: 100ms, joy: [0, 0, 0], for: 400ms}\n  - {at: 500ms, joy: [" + v + ", 0, 0], for: " + d + "}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// watched is a body that tells what it was commanded last.
type watched struct {
	driver.Stepper
	mu   sync.Mutex
	last driver.Velocity
}

func (w *watched) Command(now time.Time, v driver.Velocity) error {
	w.mu.Lock()
	w.last = v
	w.mu.Unlock()
	return w.Stepper.Command(now, v)
}

// until waits for a command.
func (w *watched) until(t *testing.T, what string, limit time.Duration, fits func(driver.Velocity) bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		w.mu.Lock()
		last := w.last
		w.mu.Unlock()
		if fits(last) {
			return
		}
		if time.Since(began) > limit {
			t.Fatalf("no command of %s within %v, the last was %+v", what, limit, last)
		}
	}
}

// serveWatched serves the body of the hal profile until the test ends.
func serveWatched(t *testing.T, address string) *watched {
	t.Helper()
	p, err := profile.Load("hal", []string{"simulated.world=empty"})
	if err != nil {
		t.Fatal(err)
	}
	body, err := app.SimulatedBody(p)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{Stepper: body.(driver.Stepper)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- hal.ListenAndServe(ctx, w, address, hal.AgentConfig{}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return w
}

// An agent in one terminal and a robot in another: it drives, the e-stop works, the agent may be restarted under it, and a robot whose
// software is killed at full speed stands.
func TestRobotBehindAnAgent(t *testing.T) {
	address, molly, pashupati := freeTCPPort(t), freePort(t), freePort(t)
	agent := startAgent(t, address)
	r := &handheldRobot{net.JoinHostPort("127.0.0.1", molly), net.JoinHostPort("127.0.0.1", pashupati), startProcess(t, "main", append(runIn(t.TempDir()),
		"--profile", "hal", "--set", "body.hal.url=ws://"+address, "--set", "teleop.molly.port="+molly,
		"--set", "teleop.pashupati.enabled=true", "--set", "teleop.pashupati.port="+pashupati)...)}
	r.waitFor(t, "is up")
	driven := 0.0
	drive := func(what string) {
		t.Helper()
		if got := runAt(t.Context(), t, r.molly, "drive ROBOT --script "+holdScript(t, "0.6", "1s")); got.code != 0 {
			t.Fatalf("%s: %+v", what, got)
		}
		s := r.state(t, func(s robotState) bool { return s.Trip.Meters > driven+0.3 })
		if s.Trip.Meters < driven+0.3 || s.EStop {
			t.Fatalf("%s: after %.2f m: %+v", what, driven, s)
		}
		driven = s.Trip.Meters
	}
	drive("the first drive")
	if got := runAt(t.Context(), t, r.molly, "cmd ROBOT estop"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	r.state(t, func(s robotState) bool { return s.EStop })
	if got := runAt(t.Context(), t, r.molly, "cmd ROBOT estop_release"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	drive("after the release")
	if err := agent.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := agent.end(t); code != 0 {
		t.Errorf("the agent ends with %d: %s", code, agent.stderr.String())
	}
	body := serveWatched(t, address)
	drive("after a restart of the agent")

	hand := startProcess(t, "main", "drive", r.molly, "--script", holdScript(t, "0.8", "20s"))
	body.until(t, "full speed", 20*time.Second, func(v driver.Velocity) bool { return v.VX > 0.79 })
	killed := time.Now()
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	body.until(t, "zero", 20*time.Second, func(v driver.Velocity) bool { return v == driver.Velocity{} })
	const load = time.Second // of a machine that does other things too
	if took := time.Since(killed); took > driver.WatchdogTimeout+simulated.Period+load {
		t.Errorf("the body is told to stop %v after the kill", took)
	} else {
		t.Logf("the body is told to stop %v after the kill", took)
	}
	if err := hand.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	hand.end(t)
	r.end(t)
}
