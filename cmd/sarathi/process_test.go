package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/clock"
	"sarathi/internal/gateway/rosbridge"
	"sarathi/internal/node"
	"sarathi/msg/std"
)

// asProcess makes this test program something else: "main" is sarathi itself, "stuck" a command that does not stop when it is asked.
const asProcess = "SARATHI_TEST_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(asProcess) {
	case "main":
		main()
	case "stuck":
		untilInterrupted(context.Background(), os.Stderr)
		fmt.Println("ready")
		select {}
	default:
		os.Exit(m.Run())
	}
}

// process is a child of the test.
type process struct {
	*exec.Cmd
	out    *bufio.Reader
	stderr bytes.Buffer
}

// child prepares this test program to run as something else.
func child(t *testing.T, as string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), asProcess+"="+as, "SITES_DIR=")
	return c
}

func startProcess(t *testing.T, as string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: child(t, as, args...)}
	p.Stderr = &p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil { // the test failed before it ended
			p.Process.Kill()
			p.Wait()
		}
	})
	return p
}

// waitFor reads the output up to a line that contains text.
func (p *process) waitFor(t *testing.T, text string) {
	t.Helper()
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatalf("waiting for %q: %v; stderr: %s", text, err, p.stderr.String())
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// end waits for the process and returns its exit code.
func (p *process) end(t *testing.T) int {
	t.Helper()
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Error(err)
	}
	err := p.Wait()
	if exit, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	} else if failed {
		return exit.ExitCode()
	}
	return 0
}

// runIn is the command line of a robot that keeps its files in dir and takes no port that another program might want.
func runIn(dir string) []string {
	return []string{
		"run", "--set", "state.dir=" + dir, "--set", "sites.dir=" + filepath.Join(dir, "sites"),
		"--set", "teleop.bind=127.0.0.1", "--set", "teleop.molly.port=0", "--set", "rosbridge.port=0",
	}
}

// withRosbridge adds a port for rosbridge to a robot's command line, and returns its URL.
func withRosbridge(t *testing.T, args []string) (_ []string, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	return append(args, "--set", "rosbridge.port="+port), "ws://127.0.0.1:" + port
}

// ticker is a robot's node that publishes.
type ticker struct{}

func (ticker) Setup(c *node.Context) error {
	ticks := bus.NewTopic[std.String]("/ticks", bus.Queue(8), "one every 10 ms")
	pub := bus.NewPublisher(c, ticks)
	c.Every(10*time.Millisecond, func(time.Time) { pub.Publish(std.String{Data: "tick"}) })
	return nil
}

// startTicking runs a robot until the test ends, and returns the URL of its rosbridge server.
func startTicking(t *testing.T) string {
	t.Helper()
	cfg := rosbridge.DefaultConfig()
	cfg.Port = 0
	var gateway *rosbridge.Node
	exec := node.NewRealtime(node.Options{Bus: bus.New(bus.Options{Clock: clock.Real{}})})
	err := exec.Start(context.Background(),
		node.Spec{Name: "ticker", New: func() (node.Node, error) { return ticker{}, nil }},
		node.Spec{Name: rosbridge.Name, Stage: node.StageGateway, New: func() (node.Node, error) {
			n, err := rosbridge.New(cfg, rosbridge.Deps{Nodes: exec.Nodes})
			gateway = n
			return n, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := exec.Stop(); err != nil {
			t.Error(err)
		}
	})
	return "ws://" + gateway.Addr().String()
}

func TestTheProgramAndARobotInTwoProcesses(t *testing.T) {
	url := startTicking(t)
	for _, tt := range []struct{ want, command string }{
		{"/ticks  std_msgs/String", "topic list -v"},
		{"data: \"tick\"", "topic echo /ticks -n 1"},
		{"\"name\": \"ticker\"", "node list --json"},
		{"/ticks: ", "topic hz /ticks --duration 2s"},
	} {
		p := startProcess(t, "main", append(strings.Fields(tt.command), "--url", url)...)
		p.waitFor(t, tt.want)
		if code := p.end(t); code != 0 {
			t.Errorf("%s: exit code %d; stderr: %s", tt.command, code, p.stderr.String())
		}
	}
}

// A broker of its own carries what one program publishes to another.
func TestABrokerWithoutARobot(t *testing.T) {
	broker := startProcess(t, "main", "broker", "--listen", "127.0.0.1:0")
	line, err := broker.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(line, "rosbridge at "), ";")
	url := "ws://" + address
	pub := startProcess(t, "main", "topic", "pub", "/words", `{"data": "hello"}`, "--type", "std_msgs/String", "--rate", "20", "--url", url)
	look := startProcess(t, "main", "topic", "echo", "/words", "-n", "1", "--url", url)
	for code := 2; code == 2; { // until the topic is there
		code = look.end(t)
		if code == 2 {
			look = startProcess(t, "main", "topic", "echo", "/words", "-n", "1", "--url", url)
		} else if code != 0 {
			t.Fatalf("exit code %d; stderr: %s", code, look.stderr.String())
		}
	}
	list := startProcess(t, "main", "topic", "list", "--url", url)
	list.waitFor(t, "/words")
	list.end(t)
	for _, p := range []*process{pub, broker} {
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := p.end(t); code != 0 {
			t.Errorf("exit code %d; stderr: %s", code, p.stderr.String())
		}
	}
}

func TestInterruptEndsInOrder(t *testing.T) {
	url := startTicking(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := startProcess(t, "main", "topic", "echo", "/ticks", "--url", url)
		p.waitFor(t, "tick")
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if code := p.end(t); code != 0 || p.stderr.Len() > 0 {
			t.Errorf("%v: exit code %d; stderr: %s", signal, code, p.stderr.String())
		}
	}
}

func TestARobotStopsInOrder(t *testing.T) {
	dir := t.TempDir()
	args, url := withRosbridge(t, runIn(dir))
	p := startProcess(t, "main", args...)
	p.waitFor(t, "is up")
	look := startProcess(t, "main", "topic", "echo", "/control/status", "-n", "1", "--url", url)
	look.waitFor(t, "mode: ")
	if code := look.end(t); code != 0 {
		t.Errorf("looking at it: exit code %d; stderr: %s", code, look.stderr.String())
	}
	second := startProcess(t, "main", runIn(dir)...)
	if code := second.end(t); code != exitUsage || !strings.Contains(second.stderr.String(), fmt.Sprintf("(pid %d)", p.Process.Pid)) {
		t.Errorf("a second robot: exit code %d; stderr: %s", code, second.stderr.String())
	}
	began := time.Now()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.waitFor(t, "stopped.")
	if code := p.end(t); code != 0 {
		t.Errorf("exit code %d; stderr: %s", code, p.stderr.String())
	}
	if took := time.Since(began); took > stopLimit {
		t.Errorf("stopping took %v", took)
	}
}

// Whoever reads a robot's log may go: the robot stays, and stops in order when the connection is lost, too.
func TestARobotOutlivesTheReaderOfItsLog(t *testing.T) {
	for _, form := range []string{"--json=false", "--json"} {
		dir := t.TempDir()
		log, end, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		args, url := withRosbridge(t, runIn(dir))
		p := child(t, "main", append(args, form, "-v")...)
		p.Stdout, p.Stderr = end, end
		if err := errors.Join(p.Start(), end.Close()); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(log)
		for lines.Scan() && !strings.Contains(lines.Text(), "is up") && !strings.Contains(lines.Text(), "started") {
		}
		if err := errors.Join(lines.Err(), log.Close()); err != nil {
			t.Fatal(err)
		}
		const remote = `{"mode": "remote", "source": "handheld"}` // a line in the log
		call := startProcess(t, "main", "service", "call", "/control/set_mode", remote, "--url", url)
		if code := call.end(t); code != 0 {
			t.Errorf("%s: a call when the log's reader has gone: exit code %d; stderr: %s", form, code, call.stderr.String())
		}
		if err := p.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("%s: the robot ended with %v", form, err)
		}
	}
}

// A lost connection sends SIGHUP.
func TestALostTerminalEndsInOrder(t *testing.T) {
	url := startTicking(t)
	p := startProcess(t, "main", "topic", "hz", "/ticks", "--url", url)
	p.waitFor(t, "/ticks: ")
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := p.end(t); code != 0 {
		t.Errorf("exit code %d; stderr: %s", code, p.stderr.String())
	}
}

func TestASecondInterruptEndsAtOnce(t *testing.T) {
	p := startProcess(t, "stuck")
	p.waitFor(t, "ready")
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} { // at once: one request, as wrappers send it
		if err := p.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	<-time.After(2 * sameRequest)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatalf("two signals at once ended the process the hard way: %v", err)
	}
	if code := p.end(t); code != exitInterrupted {
		t.Errorf("exit code %d, want %d; stderr: %s", code, exitInterrupted, p.stderr.String())
	}
}

func TestACommandThatDoesNotStopIsEnded(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "stuck")
	p.waitFor(t, "ready")
	began := time.Now()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.end(t); code != exitStuck || !strings.Contains(p.stderr.String(), "did not stop") {
		t.Errorf("exit code %d; stderr: %s", code, p.stderr.String())
	}
	if took := time.Since(began); took < stopLimit || took > stopLimit+5*time.Second {
		t.Errorf("ended after %v, want %v", took, stopLimit)
	}
}
