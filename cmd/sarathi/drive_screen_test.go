package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"sarathi/teleop"
)

// A typist drives a robot through the terminal screen.
type typist struct {
	keys   *io.PipeWriter
	cancel context.CancelFunc
	done   chan int
	stderr bytes.Buffer
}

func startDriving(t *testing.T, r *fixtureRobot) *typist {
	t.Helper()
	in, keys := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	p := &typist{keys: keys, cancel: cancel, done: make(chan int, 1)}
	e := testEnv(t)
	t.Setenv("TERM", "xterm-256color")
	e.stdin, e.stdout, e.stderr = in, io.Discard, &p.stderr
	go func() { p.done <- run(ctx, e, []string{"drive", r.addr}) }()
	t.Cleanup(func() {
		cancel()
		keys.Close()
	})
	r.await(t, teleop.EffectStarted, anyEffect)
	// The robot knows of the session before the handheld does, which refuses commands until then: as a person would, ask again.
	for range 100 {
		p.typed(t, "r")
		select {
		case e := <-r.effect:
			if e.Kind == teleop.EffectCommand && e.Command.Name() == "set_mode" {
				return p
			}
		case <-time.After(200 * time.Millisecond):
		}
	}
	t.Fatal("the robot was not asked for remote mode")
	return nil
}

func (p *typist) typed(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(p.keys, keys); err != nil {
		t.Fatal(err)
	}
}

func TestAPersonDrives(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	p := startDriving(t, r)
	// The stick at rest, on which the mux arms, ends the change of mode; then a key counts.
	r.await(t, teleop.EffectVelocity, func(e teleop.Effect) bool { return e.Velocity.IsZero() })
	for moving := false; !moving; {
		p.typed(t, "w")
		e := r.await(t, teleop.EffectVelocity, anyEffect)
		moving = e.Velocity.VX == 0.5
	}
	p.typed(t, " ")
	r.await(t, teleop.EffectVelocity, func(e teleop.Effect) bool { return e.Velocity.IsZero() })
	p.typed(t, ":list_routes\r")
	r.await(t, teleop.EffectCommand, func(e teleop.Effect) bool { return e.Command.Name() == "list_routes" })
	p.typed(t, "\x1b")
	r.await(t, teleop.EffectEStop, anyEffect)
	p.typed(t, "\x12y")
	r.await(t, teleop.EffectCommand, func(e teleop.Effect) bool { return e.Command.Name() == "estop_release" })
	p.typed(t, "\x03")
	r.await(t, teleop.EffectEnded, func(e teleop.Effect) bool { return e.Reason == "bye" })
	if code := <-p.done; code != 0 || p.stderr.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &p.stderr)
	}
}

func TestTheRobotStopsWithTheProcess(t *testing.T) {
	r := startFixture(t, teleop.Molly(), "")
	p := startDriving(t, r)
	p.cancel()
	r.await(t, teleop.EffectEnded, func(e teleop.Effect) bool { return e.Reason == "bye" })
	if code := <-p.done; code != 0 {
		t.Errorf("exit code %d, %s", code, &p.stderr)
	}
}

func TestAPersonNeedsATerminalAndARobot(t *testing.T) {
	for line, want := range map[string]string{
		"drive ROBOT --json": "a person drives in a terminal",
		"drive ROBOT":        "no robot listens on ROBOT",
	} {
		if got := runAt(t.Context(), t, "127.0.0.1:9", line); got.code == 0 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
