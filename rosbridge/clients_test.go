package rosbridge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/rosbridge"
)

const toyCmdVel = "/control/remote/dashboard/cmd_vel"

// toy is a robot's control mux, as far as the examples use one: a source is chosen, armed by three commands of zero, and then obeyed.
type toy struct {
	t      *testing.T
	status *rosbridge.LocalPublisher

	mu     sync.Mutex
	now    dharma.ControlStatus
	speeds []float64 // in the order that they came
}

// attachToy puts one behind a broker.
func attachToy(t *testing.T, b *rosbridge.Broker) *toy {
	t.Helper()
	a := b.Attach("/control_mux_node")
	r := &toy{t: t, now: dharma.ControlStatus{Mode: "auto"}}
	var err error
	r.status, err = a.Advertise("/control/status", "dharma_interfaces/ControlStatus", rosbridge.TopicOptions{Latch: true, Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Serve("/control/set_mode", "dharma_interfaces/SetMode", r.setMode); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Subscribe(toyCmdVel, "geometry_msgs/Twist", r.command); err != nil {
		t.Fatal(err)
	}
	r.publish(func(*dharma.ControlStatus) {})
	return r
}

// publish changes the status and publishes it.
func (r *toy) publish(change func(*dharma.ControlStatus)) {
	r.mu.Lock()
	change(&r.now)
	now := r.now
	r.mu.Unlock()
	r.status.PublishMessage(&now)
}

func (r *toy) setMode(q rosbridge.Request, reply func([]byte, error)) {
	var want dharma.SetModeRequest
	if err := want.ParseJSON(q.Args); err != nil || want.Mode != "remote" || want.Source != "dashboard" {
		reply(nil, errors.New("not as an example asks"))
		return
	}
	r.publish(func(s *dharma.ControlStatus) { s.Mode, s.RemoteSource, s.ArmingLeft = want.Mode, want.Source, 3 })
	answer := dharma.SetModeResponse{Success: true, Mode: want.Mode, RemoteSource: want.Source}
	reply(answer.AppendJSON(nil), nil)
}

func (r *toy) command(m rosbridge.Received) {
	v := m.Message().(*geometry.Twist).Linear.X
	r.publish(func(s *dharma.ControlStatus) {
		r.speeds = append(r.speeds, v)
		switch {
		case s.Armed:
			s.Command.Linear.X, s.ActiveSource = v, s.RemoteSource
		case v == 0 && s.Mode == "remote":
			s.ArmingLeft--
			s.Armed = s.ArmingLeft == 0
		}
	})
}

// check fails the test unless somebody armed the robot by commands of zero, drove it at the wanted speed, and stopped it.
func (r *toy) check(out string, want float64) {
	r.t.Helper()
	var said struct {
		Mode, Source string
		Speed        float64
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || said.Mode != "remote" || said.Source != "dashboard" || said.Speed != want {
		r.t.Errorf("it says %q: %v", out, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.speeds)
	if n < 5 || r.speeds[0] != 0 || r.speeds[2] != 0 || r.speeds[n-2] != want || r.speeds[n-1] != 0 {
		r.t.Errorf("it sent the speeds %v", r.speeds)
	}
}

// absent skips a test whose interpreter is missing, but not under CI=true.
func absent(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what + ": run make setup")
	}
	t.Skip(what + ": run make setup")
}

// python returns an interpreter that has the WebSocket module. It may be that of the distribution while another comes first.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import websocket").Run() == nil {
			return name
		}
	}
	absent(t, "there is no python3 with the module websocket")
	return ""
}

// output runs a program and returns what it prints.
func output(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	var out, diagnosis bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnosis
	err = c.Run()
	return out.String(), diagnosis.String(), err
}

const pythonExample = "../examples/python/rosbridge_client.py"

func TestPythonExampleDrives(t *testing.T) {
	interpreter := python(t)
	cfg := config()
	cfg.Token = "secret"
	r := start(t, cfg)
	robot := attachToy(t, r.Broker)
	out, diagnosis, err := output(t, interpreter, pythonExample, r.url, "--token", "secret", "--speed", "0.25", "--seconds", "0.3")
	if err != nil {
		t.Fatalf("%v: %s", err, diagnosis)
	}
	robot.check(out, 0.25)
	if _, diagnosis, err := output(t, interpreter, pythonExample, r.url, "--token", "wrong"); err == nil || !strings.Contains(diagnosis, "401") {
		t.Errorf("wrong token: %v: %s", err, diagnosis)
	}
}

func TestPythonExampleSaysWhatIsWrong(t *testing.T) {
	interpreter := python(t)
	r := start(t, config())
	if _, diagnosis, err := output(t, interpreter, pythonExample, r.url); err == nil || !strings.Contains(diagnosis, "/control/set_mode: ") {
		t.Errorf("without a robot: %v: %s", err, diagnosis)
	}
	attachToy(t, r.Broker).publish(func(s *dharma.ControlStatus) { s.Estop, s.EstopReasons = true, []string{"a hand"} })
	if _, diagnosis, err := output(t, interpreter, pythonExample, r.url); err == nil || diagnosis != "e-stop: a hand\n" {
		t.Errorf("stopped: %v: %s", err, diagnosis)
	}
}

func TestJavaScriptExampleDrives(t *testing.T) {
	folder, node := roslib(t)
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	there := t.TempDir() // as the folder of the example is after npm install
	if err := os.CopyFS(there, os.DirFS("../examples/js")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(there, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(there, "node_modules")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(there, "rosbridge_client.js")
	r := start(t, config())
	if _, diagnosis, err := output(t, node, script, r.url); err == nil || !strings.HasPrefix(diagnosis, "/control/set_mode: ") {
		t.Errorf("without a robot: %v: %s", err, diagnosis)
	}
	robot := attachToy(t, r.Broker)
	out, diagnosis, err := output(t, node, script, r.url, "0.25", "0.3")
	if err != nil {
		t.Fatalf("%v: %s", err, diagnosis)
	}
	robot.check(out, 0.25)
}
