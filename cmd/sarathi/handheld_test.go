package main

import (
	"encoding/json"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// freePort returns a UDP port that nobody has.
func freePort(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return strconv.Itoa(conn.LocalAddr().(*net.UDPAddr).Port)
}

// robotState is what the test reads of a state.
type robotState struct {
	Mode  string `json:"mode"`
	EStop bool   `json:"estop"`
	Trip  struct {
		Meters float64 `json:"m"`
	} `json:"trip"`
}

// handheldRobot is a whole simulated robot in a process of its own, which speaks to handhelds of both dialects.
type handheldRobot struct {
	molly, pashupati string // addresses
	*process
}

// state waits until the robot reports what is wanted, as Pashupati handhelds see it.
func (r *handheldRobot) state(t *testing.T, ok func(robotState) bool) (s robotState) {
	t.Helper()
	late := time.Now().Add(20 * time.Second)
	for {
		got := runAt(t.Context(), t, r.pashupati, "state ROBOT --once --json --dialect pashupati")
		if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || got.code != 0 {
			t.Fatalf("%v: %+v", err, got)
		}
		if ok(s) || time.Now().After(late) {
			return s
		}
	}
}

func startHandheldRobot(t *testing.T) *handheldRobot {
	t.Helper()
	molly, pashupati := freePort(t), freePort(t)
	r := &handheldRobot{net.JoinHostPort("127.0.0.1", molly), net.JoinHostPort("127.0.0.1", pashupati), startProcess(t, "main", append(runIn(t.TempDir()),
		"--set", "simulated.world=empty", "--set", "teleop.molly.port="+molly,
		"--set", "teleop.pashupati.enabled=true", "--set", "teleop.pashupati.port="+pashupati)...)}
	r.waitFor(t, "is up")
	return r
}

func (r *handheldRobot) stop(t *testing.T) {
	t.Helper()
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := r.end(t); code != 0 {
		t.Errorf("exit code %d; stderr: %s", code, r.stderr.String())
	}
}

// A scenario's script drives the simulated robot through its socket as it does in lockstep: the robot moves, the emergency stop of its body
// latches, and one release lets it move again.
func TestAScenarioIsDrivenOverTheSocket(t *testing.T) {
	r := startHandheldRobot(t)
	got := runAt(t.Context(), t, r.molly, "drive ROBOT --script ../../scenarios/body-emergency-stop.yaml")
	if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, "emergency_stop done") || !strings.Contains(got.stdout, "Molly: 3 answers, 0 refused") {
		t.Errorf("%+v", got)
	}
	if s := r.state(t, func(s robotState) bool { return s.Trip.Meters > 1.5 }); s.Mode != "remote" || s.EStop || s.Trip.Meters < 1.5 {
		t.Errorf("%+v", s)
	}
	r.stop(t)
}

// One datagram from a program that has no session engages the e-stop, and it stays.
func TestEStopFromTheCommandLine(t *testing.T) {
	r := startHandheldRobot(t)
	if s := r.state(t, func(robotState) bool { return true }); s.EStop {
		t.Fatalf("%+v", s)
	}
	got := runAt(t.Context(), t, r.molly, "cmd ROBOT estop")
	if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, "estop done") {
		t.Errorf("%+v", got)
	}
	if s := r.state(t, func(s robotState) bool { return s.EStop }); !s.EStop {
		t.Errorf("%+v", s)
	}
	got = runAt(t.Context(), t, r.molly, "cmd ROBOT undock")
	if got.code == 0 || !strings.Contains(got.stderr+got.stdout, "docking_node") {
		t.Errorf("a command whose node is not in this build: %+v", got)
	}
	r.stop(t)
}
