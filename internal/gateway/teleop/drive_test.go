package teleop_test

import (
	"bytes"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/clock"
	gateway "sarathi/internal/gateway/teleop"
	"sarathi/internal/node"
	"sarathi/msg/geometry"
	"sarathi/teleop"
)

// drive arms and drives until the body moves.
func (r *robot) drive(h *handheld, vx float64) {
	r.t.Helper()
	h.must("set_mode", remote())
	late := time.After(limit)
	for range 3 {
		h.Drive(teleop.Velocity{})
		r.asks(centred)
	}
	for r.body.velocity().VX < vx/2 {
		h.Drive(teleop.Velocity{VX: vx})
		select {
		case <-r.body.commands:
		case <-late:
			r.t.Fatalf("the body does not move; state %+v", h.Snapshot().State)
		}
	}
}

// asks waits until the gateway asks the mux for a velocity that ok likes.
func (r *robot) asks(ok func(geometry.Twist) bool) {
	r.t.Helper()
	late := time.After(limit)
	for {
		select {
		case v := <-r.fixture.asked:
			if ok(v) {
				return
			}
		case <-late:
			r.t.Fatal("the gateway does not ask for that velocity")
		}
	}
}

func (r *robot) stands() {
	r.t.Helper()
	late := time.After(limit)
	for r.body.velocity() != (driver.Velocity{}) {
		select {
		case <-r.body.commands:
		case <-late:
			r.t.Fatalf("the body is still told %+v", r.body.velocity())
		}
	}
}

func moving(v geometry.Twist) bool  { return v.Linear.X > 0 }
func centred(v geometry.Twist) bool { return v == geometry.Twist{} }

// still is the word of the gateway itself.
func still(v geometry.Twist) bool {
	return math.IsNaN(v.Linear.X) && math.IsNaN(v.Linear.Y) && math.IsNaN(v.Angular.Z)
}

func TestDriveAndLeave(t *testing.T) {
	for _, d := range teleop.Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			r := newRobot(t, config(), nil)
			h := r.connect(d)
			r.drive(h, 0.4)
			s := h.until("the state of a robot that is driven", func(s teleop.Snapshot) bool { return s.State.Cmd.V.VX > 0 })
			if s.State.Mode.V != "remote" || s.State.EStop.V || s.Welcome.Name != "Molly One" || s.Welcome.Limits.WZ != 1.5 {
				t.Errorf("state %+v, welcome %+v", s.State, s.Welcome)
			}
			h.leave()
			r.stands()
		})
	}
}

// A joystick is the handheld's word, and the mux heeds it in remote mode only, once it was seen at rest.
func TestOnlyRemoteModeDrives(t *testing.T) {
	r := newRobot(t, config(), nil)
	h := r.connect(teleop.Pashupati())
	push := func() {
		for range 20 {
			h.Drive(teleop.Velocity{VX: 0.5})
			r.asks(moving)
		}
		if v := r.body.velocity(); v != (driver.Velocity{}) {
			t.Errorf("the body is told %+v", v)
		}
	}
	push() // automatic
	h.must("set_mode", remote())
	push() // not armed
	r.drive(h, 0.3)
}

// Neither a session that begins nor one that ends arms the robot, also not when it happens many times with the stick held; and whoever takes
// over shows the stick at rest first.
func TestSessionsDoNotArm(t *testing.T) {
	r := newRobot(t, config(), nil)
	a, b := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName)), newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	a.send(`{"t":"hello"}`)
	a.ask(`{"t":"cmd","id":1,"name":"set_mode","args":{"mode":"remote"}}`, `"ok":true`)
	held := func(d *device) {
		t.Helper()
		for range 20 {
			d.send(`{"t":"joy","vx":0.4}`)
			r.asks(moving)
		}
		if v := r.body.velocity(); v != (driver.Velocity{}) {
			t.Fatalf("the body is told %+v", v)
		}
	}
	for range 4 {
		for _, d := range []*device{a, b} {
			d.send(`{"t":"hello"}`)
			held(d)
		}
	}
	for range 4 {
		a.send(`{"t":"bye"}`)
		a.send(`{"t":"hello"}`)
	}
	held(a)
	for range 3 {
		a.send(`{"t":"joy"}`)
		r.asks(centred)
	}
	for r.body.velocity().VX < 0.3 {
		a.send(`{"t":"joy","vx":0.4}`)
		await(t, "motion", r.body.commands)
	}
	a.send(`{"t":"bye"}`)
	other := newDevice(t, "127.0.0.3", r.gateway.Addr(teleop.PashupatiName))
	other.ask(`{"t":"hello"}`, `"t":"welcome"`)
	r.stands()
	held(other)
}

// A release that was asked for before a stop does not undo it.
func TestAStopOvertakesTheReleaseBeforeIt(t *testing.T) {
	r := newRobot(t, config(), nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello"}`)
	d.ask(`{"t":"cmd","id":1,"name":"estop"}`, `"ok":true`)
	for i := range 20 {
		d.send(`{"t":"cmd","id":%d,"name":"estop_release"}`, 10+i)
		d.send(`{"t":"cmd","name":"estop"}`)
		d.expect(`"t":"ack"`)
		await(t, "the request for the e-stop", r.fixture.estops)
		state := ""
		for range 6 { // the last of them was made after both were obeyed
			state = d.expect(`"t":"state"`)
		}
		if !strings.Contains(state, `"estop":true`) {
			t.Fatalf("the e-stop is released, although a stop came after the release: %s", state)
		}
	}
}

func TestTheHardwareEStopHoldsTheLatch(t *testing.T) {
	r := newRobot(t, config(), nil)
	h := r.connect(teleop.Molly())
	r.body.sink.EStop(driver.EStopState{Engaged: true, Held: true, Reason: "button"})
	h.until("the e-stop", func(s teleop.Snapshot) bool { return s.State.EStop.V })
	if a := h.do("estop_release", nil); a.OK || !strings.Contains(a.Msg, "hardware e-stop") {
		t.Errorf("%+v", a)
	}
	r.body.sink.EStop(driver.EStopState{Engaged: true, Reason: "button"})
	for range 100 { // until the mux has heard that the button is let go
		if h.do("estop_release", nil).OK {
			break
		}
	}
	h.until("the release", func(s teleop.Snapshot) bool { return !s.State.EStop.V })
}

func TestAWarningWithoutAToken(t *testing.T) {
	for token, warned := range map[string]bool{"": true, "s3cret": false} {
		cfg := config()
		cfg.Token = token
		var log bytes.Buffer
		n, err := gateway.New(cfg, gateway.Deps{Name: "Molly One"})
		if err != nil {
			t.Fatal(err)
		}
		exec := node.NewRealtime(node.Options{Bus: bus.New(bus.Options{Clock: clock.Real{}}), Log: slog.NewTextHandler(&log, nil)})
		if err := exec.Start(t.Context(), node.Spec{Name: gateway.Name, Stage: node.StageGateway, New: func() (node.Node, error) { return n, nil }}); err != nil {
			t.Fatal(err)
		}
		if err := exec.Stop(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "anyone on the network can drive this robot"); got != warned {
			t.Errorf("token %q: warned: %v", token, got)
		}
		if token != "" && strings.Contains(log.String(), token) {
			t.Error("the log tells the token")
		}
	}
}

func TestSilenceStopsTheRobot(t *testing.T) {
	r := newRobot(t, config(), nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello","name":"raw"}`)
	d.expect(`"t":"welcome"`)
	d.send(`{"t":"joy","vx":0.5}`)
	r.asks(moving)
	began := time.Now()
	r.asks(still)
	if late := time.Since(began); late < 200*time.Millisecond || late > 450*time.Millisecond {
		t.Errorf("the velocity of a silent handheld ends after %v", late)
	}
	d.send(`{"t":"joy","vx":"fast","vy":1e999}`)
	d.send(`{"t":"joy","vx":0.25}`)
	r.asks(func(v geometry.Twist) bool {
		if v.Linear.X > 0.25 || v.Linear.Y != 0 {
			t.Errorf("asked for %+v", v)
		}
		return moving(v)
	})
	d.send(`{"t":"bye"}`)
	r.asks(still)
}

func TestAnyoneMayStop(t *testing.T) {
	r := newRobot(t, config(), nil)
	h := r.connect(teleop.Molly())
	r.drive(h, 0.3)
	other := newDevice(t, "127.0.0.2", r.gateway.Addr(teleop.PashupatiName))
	other.send(`{"t":"cmd","id":7,"name":"estop"}`)
	if reason := await(t, "the request for the e-stop", r.fixture.estops); !strings.Contains(reason, "127.0.0.2") {
		t.Errorf("reason %q", reason)
	}
	if ack := other.expect(`"t":"ack"`); !strings.Contains(ack, `"id":7,"ok":true`) {
		t.Error(ack)
	}
	s := h.until("the e-stop in the state", func(s teleop.Snapshot) bool { return s.State.EStop.V })
	if !s.Connected || !slices.Contains(s.State.EStopReasons, "handheld 127.0.0.2") {
		t.Errorf("%+v", s.State)
	}
	r.stands()
	h.must("estop_release", nil)
	h.until("the release", func(s teleop.Snapshot) bool { return !s.State.EStop.V })
	h.must("estop", nil)
	h.until("the e-stop of the driver", func(s teleop.Snapshot) bool { return s.State.EStop.V })
}

func TestRobotCommands(t *testing.T) {
	cfg := config()
	cfg.RobotCommands = []string{"wave", "stand_up", "emergency_stop", "moonwalk"}
	r := newRobot(t, cfg, nil)
	h := r.connect(teleop.Molly())
	if got := strings.Join(h.Snapshot().Welcome.RobotCommands, " "); got != "wave stand_up emergency_stop" {
		t.Errorf("welcome.robot_commands are %s", got)
	}
	if a := h.must("stand_up", nil); a.Msg != "stand_up: done" {
		t.Errorf("%+v", a)
	}
	if a := h.do("moonwalk", nil); a.OK || !strings.Contains(a.Msg, "moonwalk") {
		t.Errorf("%+v", a)
	}
	h.do("emergency_stop", nil)
	await(t, "the request for the e-stop", r.fixture.estops)
	h.until("the e-stop", func(s teleop.Snapshot) bool { return s.State.EStop.V })
}

func TestEverySkillIsOfferedWithoutAList(t *testing.T) {
	r := newRobot(t, config(), nil)
	got := strings.Join(r.connect(teleop.Molly()).Snapshot().Welcome.RobotCommands, " ")
	if got != "stand_up sit_down wave emergency_stop" {
		t.Errorf("welcome.robot_commands are %s", got)
	}
}

func TestTheSecondDeviceIsBusyAtBothPorts(t *testing.T) {
	r := newRobot(t, config(), nil)
	h := r.connect(teleop.Molly())
	for _, d := range teleop.Dialects() {
		other := newDevice(t, "127.0.0.2", r.gateway.Addr(d.Name))
		other.send(`{"t":"hello","name":"other"}`)
		if got := other.expect(""); !strings.HasPrefix(got, `{"t":"busy","msg":"another device is driving`) {
			t.Errorf("%s: %s", d.Name, got)
		}
		other.send(`{"t":"joy","vx":1}`)
	}
	// One device may speak both.
	p := r.connect(teleop.Pashupati())
	r.drive(p, 0.2)
	h.until("the mode", func(s teleop.Snapshot) bool { return s.State.Mode.V == "remote" })
	p.leave()
	h.leave()
	other := newDevice(t, "127.0.0.2", r.gateway.Addr(teleop.PashupatiName))
	other.ask(`{"t":"hello","name":"other"}`, `"t":"welcome"`)
}

func TestTheReaderSurvivesATimeOut(t *testing.T) {
	cfg := config()
	cfg.ClientTimeout, cfg.JoyTimeout = 100*time.Millisecond, 50*time.Millisecond
	r := newRobot(t, cfg, nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello"}`)
	d.expect(`"t":"welcome"`)
	r.asks(still) // the end of the session
	d.send(`{"t":"hello"}`)
	d.expect(`"t":"welcome"`)
}

func TestTokenAndDiscovery(t *testing.T) {
	t.Setenv("SARATHI_TEST_TOKEN", "s3cret")
	cfg := config()
	cfg.TokenEnv = "SARATHI_TEST_TOKEN"
	r := newRobot(t, cfg, nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	d.send(`{"t":"hello","k":"guess"}`)
	d.expect(`"t":"denied"`)
	d.ask(`{"t":"discover"}`, `"mode":"auto"`)
	b, err := teleop.ParseBeacon([]byte(d.ask(`{"t":"discover"}`, `"t":"beacon"`)))
	if err != nil || b.Name != "Molly One" || !b.Secured || b.InUseBy != "" {
		t.Errorf("%+v %v", b, err)
	}
	r.connect(teleop.Molly(), func(c *teleop.ClientConfig) { c.Token = "s3cret" })
	if got := d.ask(`{"t":"discover"}`, `"t":"beacon"`); !strings.Contains(got, `"in_use_by":"phone"`) {
		t.Error(got)
	}
}

func TestByeWhenTheRobotStops(t *testing.T) {
	r := newRobot(t, config(), nil)
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.PashupatiName))
	d.send(`{"t":"hello"}`)
	d.expect(`"t":"state"`)
	r.stop()
	d.expect(`{"t":"bye"}`)
}

func TestAPortInUseFailsTheStart(t *testing.T) {
	r := newRobot(t, config(), nil)
	cfg := config()
	cfg.Pashupati.Port = int(r.gateway.Addr(teleop.PashupatiName).Port())
	n, err := gateway.New(cfg, gateway.Deps{Name: "second"})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "is in use") ||
		!strings.Contains(err.Error(), "teleop.pashupati.port") {
		t.Errorf("error %v", err)
	}
}
