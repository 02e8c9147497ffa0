package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sarathi/teleop"
)

// fixtureRobot is a small robot on a UDP socket of this computer: a session, and just enough behind it to obey.
type fixtureRobot struct {
	addr   string
	effect chan teleop.Effect // everything it was asked for, in order

	mu    sync.Mutex
	conn  *net.UDPConn
	s     *teleop.Session
	state teleop.State
}

// startFixture runs a robot until the test ends.
func startFixture(t *testing.T, d *teleop.Dialect, token string) *fixtureRobot {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	cfg := teleop.DefaultConfig()
	cfg.Name, cfg.Token, cfg.TelemetryHz = "Fixture", token, 50
	cfg.Commands = []string{"estop", "estop_release", "set_mode", "list_routes", "get_map"}
	if d.Name == teleop.PashupatiName {
		cfg.Commands = cfg.Commands[:4]
	}
	cfg.RobotCommands = []string{"stand_up", "sit_down"}
	r := &fixtureRobot{addr: conn.LocalAddr().String(), effect: make(chan teleop.Effect, 10_000), conn: conn}
	if r.s, err = teleop.NewSession(d, cfg); err != nil {
		t.Fatal(err)
	}
	r.state = teleop.State{
		Mode: teleop.Some("auto"), EStop: teleop.Some(false), EStopReasons: []string{}, Field: teleop.Some("clear"),
		Battery: teleop.Some(teleop.Battery{Percent: 82, Volts: 25.2, Amps: 3, Temp: 31}), Pose: teleop.Some(teleop.Pose{X: 1, Y: 2, Yaw: 0.5}),
		Cmd: teleop.Some(teleop.Velocity{}),
	}
	r.s.SetState(r.state)
	var running sync.WaitGroup
	running.Go(r.serve)
	t.Cleanup(func() {
		conn.Close()
		running.Wait()
	})
	return r
}

func (r *fixtureRobot) serve() {
	buf := make([]byte, 1<<16)
	for {
		r.mu.Lock()
		at, _ := r.s.Deadline()
		r.mu.Unlock()
		r.conn.SetReadDeadline(at)
		n, from, err := r.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		r.do(func(now time.Time) teleop.Output {
			if err != nil {
				return r.s.Tick(now)
			}
			return r.s.HandleDatagram(now, from, buf[:n])
		})
	}
}

// do calls the session, sends, and carries out what it asks for.
func (r *fixtureRobot) do(call func(now time.Time) teleop.Output) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := call(time.Now())
	effects := slices.Clone(out.Effects)
	r.send(out)
	for _, e := range effects {
		switch e.Kind {
		case teleop.EffectVelocity:
			r.state.Cmd = teleop.Some(e.Velocity)
		case teleop.EffectEStop:
			r.state.EStop, r.state.EStopReasons = teleop.Some(true), []string{e.Reason}
		case teleop.EffectCommand:
			result := r.obey(e.Command)
			r.s.SetState(r.state)
			r.send(r.s.Finish(time.Now(), e.Command.Ref, result))
		default:
		}
		r.s.SetState(r.state)
		r.effect <- e
	}
}

func (r *fixtureRobot) send(out teleop.Output) {
	for _, d := range out.Datagrams {
		r.conn.WriteToUDPAddrPort(d.Data, d.To)
	}
}

func (r *fixtureRobot) obey(c teleop.Command) teleop.Result {
	switch c.Name() {
	case "estop_release":
		r.state.EStop, r.state.EStopReasons = teleop.Some(false), []string{}
	case "set_mode":
		r.state.Mode = teleop.Some(c.Args.Text("mode"))
	case "list_routes":
		return teleop.Result{OK: true, Data: []byte(`["a/loop.csv","b.csv"]`)}
	case "sit_down":
		return teleop.Result{Msg: "the robot sits already"}
	default:
	}
	return teleop.Result{OK: true, Msg: "obeyed"}
}

// await returns the next effect of a kind that is ok.
func (r *fixtureRobot) await(t *testing.T, kind teleop.EffectKind, ok func(teleop.Effect) bool) teleop.Effect {
	t.Helper()
	for {
		if e := r.next(t); e.Kind == kind && ok(e) {
			return e
		}
	}
}

// next returns the next effect.
func (r *fixtureRobot) next(t *testing.T) teleop.Effect {
	t.Helper()
	select {
	case e := <-r.effect:
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("the robot was not asked for what the test waits for")
		return teleop.Effect{}
	}
}

func anyEffect(teleop.Effect) bool { return true }

// occupy makes another program of this computer the robot's driver.
func (r *fixtureRobot) occupy(t *testing.T, token string) {
	t.Helper()
	cfg := teleop.DefaultClientConfig()
	cfg.Name, cfg.Token, cfg.HelloPeriod = "phone", token, time.Hour // it does not fight back
	core := teleop.NewClientSession(teleop.Molly(), cfg)
	for _, data := range core.Tick(time.Now()).Datagrams {
		r.do(func(now time.Time) teleop.Output {
			return r.s.HandleDatagram(now, netip.MustParseAddrPort("127.0.0.1:9"), data)
		})
	}
	r.await(t, teleop.EffectStarted, func(e teleop.Effect) bool { return e.Client.Name == "phone" })
}

// ran is what a command line printed.
type ran struct {
	code           int
	stdout, stderr string
}

// runAt runs a command line in which ROBOT stands for an address, and in whose output it does again.
func runAt(ctx context.Context, t *testing.T, addr, line string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := testEnv(t)
	e.stdin, e.stdout, e.stderr = strings.NewReader(""), &stdout, &stderr
	args := words(line)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "ROBOT", addr)
	}
	code := run(ctx, e, args)
	mask := func(b bytes.Buffer) string { return strings.ReplaceAll(b.String(), addr, "ROBOT") }
	return ran{code, mask(stdout), mask(stderr)}
}

func (got ran) want(t *testing.T, line string, want ran) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %d\n%s%s\nwant %d\n%s%s", line, got.code, got.stdout, got.stderr, want.code, want.stdout, want.stderr)
	}
}
