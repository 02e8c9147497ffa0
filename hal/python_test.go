package hal

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
)

// python returns an interpreter that has the WebSocket module. It may be that of the distribution while another comes first.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import websocket").Run() == nil {
			return name
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no python3 with the module websocket: apt-get install python3-websocket, or scripts/setup.sh")
	}
	t.Skip("there is no python3 with the module websocket: apt-get install python3-websocket")
	return ""
}

// runClient runs the client and returns what it prints.
func runClient(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 6*patience)
	defer cancel()
	c := exec.CommandContext(ctx, python(t), append([]string{"../examples/python/hal_client.py"}, args...)...)
	var out, diagnosis bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnosis
	err = c.Run()
	return out.String(), diagnosis.String(), err
}

// The Python client moves the arm by a stream of targets, and brings it back.
func TestPythonClientMovesTheArm(t *testing.T) {
	t.Parallel()
	arm, err := simulated.NewArm(simulated.SixAxisArm())
	if err != nil {
		t.Fatal(err)
	}
	ln := socket(t)
	a := serveAgent(t, arm, AgentConfig{Token: "secret"}, ln)
	url := "ws://" + ln.Addr().String()
	stdout, stderr, err := runClient(t, url, "--token", "secret", "--seconds", "1")
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	var got struct {
		Robot string
		DOF   int
		Swung float64
		Off   float64
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Robot != "arm6" || got.DOF != 6 || got.Swung < 0.05 || got.Off > 0.01 {
		t.Errorf("%s: %v", stdout, err)
	}
	if n := a.Stats(); n.Malformed != 0 || n.Stale != 0 {
		t.Errorf("%+v", n)
	}
	if _, stderr, err := runClient(t, url, "--token", "wrong"); err == nil || !strings.Contains(stderr, "401") {
		t.Errorf("wrong token: %v: %s", err, stderr)
	}
}

// It finds out that the robot was stopped under it.
func TestPythonClientMeetsAnEStop(t *testing.T) {
	t.Parallel()
	python(t)
	ln := socket(t)
	d := newToy()
	s := stand{d, serveAgent(t, d, AgentConfig{}, ln)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		eventually(t, "joints are asked for", func() (moves bool) {
			s.do(func(d *toy) { moves = d.wave != nil })
			return moves
		})
		s.do(func(d *toy) { d.EStop(time.Now(), "a person") })
	}()
	_, stderr, err := runClient(t, "ws://"+ln.Addr().String(), "--seconds", "1")
	<-done
	if err == nil || !strings.Contains(stderr, driver.ErrEStopped.Error()) {
		t.Errorf("%v: %s", err, stderr)
	}
}
