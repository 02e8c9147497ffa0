package hal

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
)

func TestHelloComesFirstAndNamesTheRobot(t *testing.T) {
	_, url := serveToy(t, AgentConfig{})
	c := dialRaw(t, url, nil)
	want := Hello{Caps: Capabilities{
		Protocol: 1, RobotKind: "toy", Drive: driver.Diff, DOF: 2, Skills: []string{"wave", "emergency_stop", "setJoints"},
		Units: driver.Units{Len: "m", Ang: "rad"}, Frame: "odom", VMax: 1, WMax: 2, RateHz: 50,
	}}
	if diff := cmp.Diff(want, c.next()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTelemetryHoldsWhatTheBodyReports(t *testing.T) {
	s, url := serveToy(t, AgentConfig{ID: "r1"})
	s.do(func(d *toy) { d.joint = [2]float64{0.5, -0.5} })
	c := dial(t, url)
	c.send(Pose{ID: "r1", X: 3, Y: -2, Theta: 1})
	got := await(c, "telemetry from the new origin", func(f Telemetry) bool { return f.X == 3 && len(f.Joints) == 2 && f.Joints[0] == 0.5 })
	if got.ID != "r1" || got.Y != -2 || math.Abs(got.Theta-1) > 1e-9 || *got.Battery != 75 || *got.EStop || *got.VX != 0 || *got.W != 0 {
		t.Errorf("%+v", got)
	}
	if age := float64(time.Now().UnixMilli()) - got.TS; age < -100 || age > 5000 {
		t.Errorf("ts is %v ms old", age)
	}
	s.do(func(d *toy) {
		d.out.Fault(driver.Fault{Code: "hot", Message: "a motor is hot", Severity: driver.Warning})
	})
	f := await(c, "fault", func(f Fault) bool { return f.Code == "hot" })
	if f.Message != "a motor is hot" || f.Severity != driver.Warning || f.ID != "r1" {
		t.Errorf("%+v", f)
	}
	await(c, "telemetry with the fault", func(f Telemetry) bool { return cmp.Equal(f.Faults, []string{"hot"}) })
}

// A body that reports nothing is silent on the wire: nobody repeats old news for it.
func TestSilentBodyIsSilent(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	await(c, "telemetry", func(Telemetry) bool { return true })
	s.do(func(d *toy) { d.mute = true })
	c.sync()
	before := s.agent.Stats().Telemetry
	for range 20 {
		c.sync()
	}
	if n := s.agent.Stats().Telemetry - before; n > 0 {
		t.Errorf("%d frames of telemetry", n)
	}
}

func TestWelcome(t *testing.T) {
	t.Parallel()
	s, url := serveToy(t, AgentConfig{Handshake: 150 * time.Millisecond})
	c := dialRaw(t, url, nil)
	c.send(Cmd{V: 1, Seq: 1})
	f := await(c, "fault", func(Fault) bool { return true })
	if f.Code != "not_welcomed" {
		t.Errorf("%+v", f)
	}
	if _, n := s.toy.heard(); n > 0 {
		t.Error("a command before the welcome reaches the body")
	}
	if ce := c.closed(); ce.Code != 1008 || !strings.Contains(ce.Reason, "welcome") {
		t.Errorf("without a welcome: %+v", ce)
	}
	c = dialFree(t, s.agent, url)
	c.next()
	c.send(Welcome{Controller: "test", Reason: "no arm"})
	if ce := c.closed(); ce.Code != 1000 || !strings.Contains(ce.Reason, "no arm") {
		t.Errorf("after a rejection: %+v", ce)
	}
	c = dialFree(t, s.agent, url)
	c.next()
	c.send(Welcome{Accept: true, Controller: "test"})
	await(c, "telemetry", func(Telemetry) bool { return true })
	eventually(t, "the controller is named", func() bool { return s.agent.Controller() == "test" })
}

// dialFree dials when the robot is free.
func dialFree(t *testing.T, a *Agent, url string) *client {
	t.Helper()
	eventually(t, "the robot is free", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.session == nil
	})
	return dialRaw(t, url, nil)
}

func TestOtherVersionIsRefused(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dialRaw(t, url, nil)
	c.next()
	c.text(`{"v":2,"op":"welcome","accept":true,"controller":"new"}`)
	f := await(c, "fault", func(Fault) bool { return true })
	if f.Code != "protocol_version" || !strings.Contains(f.Message, "v is 2, this end speaks 1") {
		t.Errorf("%+v", f)
	}
	if ce := c.closed(); ce.Code != 1002 || !strings.Contains(ce.Reason, "v is 2, this end speaks 1") {
		t.Errorf("%+v", ce)
	}
	c = dialFree(t, s.agent, url)
	c.next()
	c.send(Welcome{Accept: true})
	c.text(`{"v":2,"op":"cmd","id":"r","V":1,"w":0,"seq":1}`)
	await(c, "fault", func(f Fault) bool { return f.Code == "protocol_version" })
	if v, _ := s.toy.heard(); v != (driver.Velocity{}) {
		t.Errorf("the body moves by %+v", v)
	}
	c.send(Cmd{V: 1, Seq: 2})
	eventually(t, "the body obeys its own version", func() bool { v, _ := s.toy.heard(); return v.VX == 1 })
}

// Repeated and old commands are ignored, and keep nothing alive.
func TestSequence(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	for _, step := range []struct {
		seq  int64
		v    float64
		want float64
	}{{100, 0.1, 0.1}, {101, 0.2, 0.2}, {101, 0.3, 0.2}, {5, 0.4, 0.2}, {-1, 0.5, 0.2}, {102, 0.6, 0.6}, {1 << 52, 0.7, 0.7}, {103, 0.8, 0.7}} {
		c.send(Cmd{V: step.v, Seq: step.seq})
		c.sync()
		if v, _ := s.toy.heard(); v.VX != step.want {
			t.Errorf("after seq %d: %v, want %v", step.seq, v.VX, step.want)
		}
	}
	if n := s.agent.Stats().Stale; n != 4 {
		t.Errorf("%d stale", n)
	}
	seq := int64(1 << 52)
	began := time.Now()
	for s.velocity() != (driver.Velocity{}) { // fed with what is repeated
		c.send(Cmd{V: 1, Seq: seq})
		c.sync()
		if time.Since(began) > patience {
			t.Fatal("repeated commands keep the body moving")
		}
	}
	other := dialAgain(t, c, s.agent, url)
	other.send(Cmd{V: 0.3, Seq: 1}) // every link counts for itself
	other.sync()
	if v, _ := s.toy.heard(); v.VX != 0.3 {
		t.Errorf("a new controller's first command: %+v", v)
	}
}

// dialAgain ends a link and makes the next one.
func dialAgain(t *testing.T, c *client, a *Agent, url string) *client {
	t.Helper()
	c.conn.CloseNow()
	next := dialFree(t, a, url)
	next.next()
	next.send(Welcome{Accept: true, Controller: "next"})
	return next
}

// Only a valid cmd or setJoints refreshes the watchdog: ping, pose, skills and garbage do not.
func TestWatchdog(t *testing.T) {
	chatter := map[string]func(*client, int64){
		"silence": func(*client, int64) {},
		"ping":    func(c *client, n int64) { c.send(Ping{T: float64(n)}) },
		"pose":    func(c *client, _ int64) { c.send(Pose{}) },
		"skill":   func(c *client, _ int64) { c.send(Skill{Skill: "wave", ReqID: "x"}) },
		"unknown": func(c *client, _ int64) { c.text(`{"v":1,"op":"go"}`) },
		"bad args": func(c *client, _ int64) {
			c.send(Skill{Skill: "setJoints", ReqID: "x", Args: Args{Joints: []float64{1}}})
		},
		"stale": func(c *client, _ int64) { c.send(Cmd{V: 1, Seq: 0}) },
	}
	for name, say := range chatter {
		t.Run(name, func(t *testing.T) {
			inBubble(t, AgentConfig{}, func(t *testing.T, s stand, c *client) {
				for i := range 10 { // to full speed
					c.send(Cmd{V: 1, Seq: int64(i + 1)})
				}
				c.sync()
				last := time.Now()
				stopped := time.Duration(0)
				for n := int64(1); stopped == 0; n++ {
					say(c, n)
					c.sync()
					time.Sleep(time.Millisecond)
					s.do(func(d *toy) {
						if v := d.commands[len(d.commands)-1]; v == (driver.Velocity{}) {
							stopped = d.times[len(d.times)-1].Sub(last)
						}
					})
					if time.Since(last) > patience {
						t.Fatal("it is not stopped")
					}
				}
				if stopped < driver.WatchdogTimeout-5*time.Millisecond || stopped > driver.WatchdogTimeout+watchPeriod {
					t.Errorf("stopped after %v", stopped)
				}
			})
		})
	}
}

func TestSetJointsRefreshesTheWatchdog(t *testing.T) {
	inBubble(t, AgentConfig{}, func(t *testing.T, s stand, c *client) {
		c.send(Cmd{V: 0.5, Seq: 1})
		for i := range 5 { // two seconds
			c.send(Skill{Skill: driver.SkillSetJoints, ReqID: string(rune('a' + i)), Args: Args{Joints: []float64{1, 2}}})
			r := await(c, "end", func(r SkillResult) bool { return r.Status.Final() })
			if r.Status != driver.SkillDone {
				t.Fatalf("%+v", r)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := s.agent.Stats().Watchdog; n != 0 {
			t.Errorf("the watchdog fired %d times", n)
		}
		time.Sleep(driver.WatchdogTimeout)
		if n := s.agent.Stats().Watchdog; n != 1 {
			t.Errorf("in the end the watchdog has fired %d times", n)
		}
	})
}

// Without control frames joints that are on their way stop.
func TestWatchdogStopsJoints(t *testing.T) {
	inBubble(t, AgentConfig{}, func(t *testing.T, s stand, c *client) {
		s.do(func(d *toy) { d.deaf = true }) // it is on its way for ever
		began := time.Now()
		c.send(Skill{Skill: driver.SkillSetJoints, ReqID: "a", Args: Args{Joints: []float64{1, 2}}})
		r := await(c, "end", func(r SkillResult) bool { return r.Status.Final() })
		if r.Status != driver.SkillFailed || !strings.Contains(r.Err, "watchdog") {
			t.Errorf("%+v", r)
		}
		if took := time.Since(began); took < driver.WatchdogTimeout || took > driver.WatchdogTimeout+watchPeriod {
			t.Errorf("it takes %v", took)
		}
	})
}

// What is no finite number stops at once, and what is huge is cut to the limits.
func TestBadVelocities(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	seq := int64(0)
	next := func() int64 { seq++; return seq }
	for _, bad := range []string{"NaN", "-Infinity", "1e999", "null", `"1"`, "{}"} {
		c.send(Cmd{V: 1, Seq: next()})
		c.sync()
		if v, _ := s.toy.heard(); v.VX != 1 {
			t.Fatalf("%+v", v)
		}
		c.text(`{"v":1,"op":"cmd","id":"r","V":` + bad + `,"w":0,"seq":` + "1000}")
		c.sync()
		if v, _ := s.toy.heard(); v != (driver.Velocity{}) {
			t.Errorf("after V %s the body is told %+v", bad, v)
		}
	}
	if n := s.agent.Stats().Malformed; n != 6 {
		t.Errorf("%d malformed", n)
	}
	c.send(Cmd{V: math.MaxFloat64, W: -math.MaxFloat64, Seq: next()})
	c.sync()
	if v, _ := s.toy.heard(); v != (driver.Velocity{VX: 1, WZ: -2}) {
		t.Errorf("huge values: %+v", v)
	}
}

// A frame of which nothing can be read may have been a command to stand.
func TestAnUnreadableFrameStops(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	for i, bad := range []string{`{"v":1,"op":"cm`, `V=0`, `[]`, `{"v":1}`} {
		c.send(Cmd{V: 1, Seq: int64(i + 1)})
		c.sync()
		if v, _ := s.toy.heard(); v.VX != 1 {
			t.Fatalf("%+v", v)
		}
		c.text(bad)
		c.sync()
		if v, _ := s.toy.heard(); v != (driver.Velocity{}) || s.toyLatch().Engaged {
			t.Errorf("after %s the body is told %+v", bad, v)
		}
	}
}

// A page whose name was made to point here (DNS rebinding) is of "this host", as its browser sees it. Without a token only an address is.
func TestPagesThatPretendToBeOfThisHost(t *testing.T) {
	for host, token := range map[string]string{"evil.org": "", "10.0.0.7:9092": "", "robot.local": "secret"} {
		_, at := serveToy(t, AgentConfig{Token: token})
		c, resp, err := websocket.Dial(t.Context(), at+"/?token="+token, &websocket.DialOptions{Host: host, HTTPHeader: http.Header{"Origin": {"http://" + host}}})
		want := http.StatusSwitchingProtocols
		if host == "evil.org" {
			want = http.StatusForbidden
		}
		if resp == nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v", host, resp, err)
		}
		if c != nil {
			c.CloseNow()
		}
	}
}

func TestHugeValuesOverflowToAStop(t *testing.T) {
	s, url := serveToy(t, AgentConfig{Units: driver.Units{Len: "km", Ang: "rad"}})
	c := dial(t, url)
	c.send(Cmd{V: 0.001, Seq: 1})
	c.sync()
	if v, _ := s.toy.heard(); v.VX != 1 {
		t.Errorf("a metre a second in km/s: %+v", v)
	}
	c.send(Cmd{V: math.MaxFloat64, Seq: 2})
	c.sync()
	if v, _ := s.toy.heard(); v != (driver.Velocity{}) {
		t.Errorf("%+v", v)
	}
}

func TestSkillLife(t *testing.T) {
	_, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	c.send(Skill{ID: "me", Skill: "wave", ReqID: "7"}, Skill{ID: "me", Skill: "wave", ReqID: "7"}, Skill{ID: "me", Skill: "wave", ReqID: "8"})
	var life []driver.SkillStatus
	refused := 0
	progress := 0.0
	for {
		r := await(c, "result", func(SkillResult) bool { return true })
		if r.ID != "me" {
			t.Errorf("%+v", r)
		}
		if strings.Contains(r.Err, driver.ErrBusy.Error()) {
			refused++
			continue
		}
		if r.ReqID != "7" || *r.Progress < progress {
			t.Errorf("%+v after progress %v", r, progress)
		}
		progress = *r.Progress
		if len(life) == 0 || life[len(life)-1] != r.Status {
			life = append(life, r.Status)
		}
		if r.Status.Final() {
			break
		}
	}
	if diff := cmp.Diff([]driver.SkillStatus{"accepted", "running", "done"}, life); diff != "" || refused != 2 {
		t.Errorf("%d refused, life (-want +got):\n%s", refused, diff)
	}
}

func TestSkillsAreRefused(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	for _, f := range []struct {
		text string
		want error
	}{
		{`"skill":"fly","args":{}`, driver.ErrUnknownSkill},
		{`"skill":"","args":{}`, driver.ErrUnknownSkill},
		{`"skill":"setJoints","args":{"joints":[1]}`, driver.ErrBadArgs},
		{`"skill":"setJoints","args":{"joints":[1,2,3]}`, driver.ErrBadArgs},
		{`"skill":"setJoints","args":{"joints":[1,NaN]}`, driver.ErrBadArgs},
		{`"skill":"setJoints","args":{"joints":[1,1e999]}`, driver.ErrBadArgs},
		{`"skill":"setJoints"`, driver.ErrBadArgs},
	} {
		c.text(`{"v":1,"op":"skill","id":"r","reqId":"1",` + f.text + `}`)
		r := await(c, "result", func(SkillResult) bool { return true })
		if r.Status != driver.SkillFailed || r.ReqID != "1" || !strings.Contains(r.Err, f.want.Error()) {
			t.Errorf("%s: %+v", f.text, r)
		}
	}
	if n := len(s.agent.skills); n != 0 {
		t.Errorf("%d skills are remembered", n)
	}
}

// leaky forgets its latch: whatever it is told, it obeys. It proves the connection handler's own.
type leaky struct{ *toy }

func (l leaky) EStop(time.Time, string) {}

func TestEStopInTheHandler(t *testing.T) {
	ln := socket(t)
	d := newToy()
	s := stand{d, serveAgent(t, leaky{d}, AgentConfig{}, ln)}
	c := dial(t, "ws://"+ln.Addr().String())
	c.send(Cmd{V: 1, Seq: 1}, EStop{Reason: "a person"}, Cmd{V: 1, Seq: 2}, Cmd{V: 1, Seq: 3}, Skill{Skill: "wave", ReqID: "1"})
	for range 2 { // one for each command
		f := await(c, "fault", func(Fault) bool { return true })
		if f.Code != "estop" || !strings.Contains(f.Message, "a person") {
			t.Errorf("%+v", f)
		}
	}
	r := await(c, "result", func(SkillResult) bool { return true })
	if r.Status != driver.SkillFailed || !strings.Contains(r.Err, "a person") {
		t.Errorf("%+v", r)
	}
	if _, n := s.toy.heard(); n != 1 {
		t.Errorf("%d commands reach the driver", n)
	}
	await(c, "telemetry", func(f Telemetry) bool { return *f.EStop })
}

func TestEStopInTheDriver(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	c.send(EStop{Reason: "a person"})
	c.sync()
	if st := s.toyLatch(); !st.Engaged || st.Reason != "a person" {
		t.Errorf("the driver's latch: %+v", st)
	}
	s.do(func(d *toy) { // a stray command slips through
		if err := d.Command(time.Now(), driver.Velocity{VX: 1}); !errors.Is(err, driver.ErrEStopped) {
			t.Errorf("stray command: %v", err)
		}
	})
	c.send(Release{})
	c.sync()
	if st := s.toyLatch(); st.Engaged || s.agent.EStopState().Engaged {
		t.Errorf("after the release: %+v", st)
	}
	c.send(Cmd{V: 1, Seq: 1})
	c.sync()
	if v, _ := s.toy.heard(); v.VX != 1 {
		t.Error("it does not move after the release")
	}
}

func (s stand) toyLatch() (st driver.EStopState) {
	s.do(func(d *toy) { st = d.guard.State() })
	return st
}

// The latch outlives the controller that engaged it, and any estop counts: without a welcome, malformed, of another version.
func TestEStopOutlivesItsController(t *testing.T) {
	for name, text := range map[string]string{
		"well-formed": `{"v":1,"op":"estop","reason":"x"}`, "no reason": `{"v":1,"op":"estop"}`, "bad reason": `{"v":1,"op":"estop","reason":{}}`,
		"other version": `{"v":7,"op":"estop","reason":"x"}`, "no version": `{"op":"estop"}`,
		"cut off": `{"v":1,"op":"estop","reas`, "comma": `{"v":1,"op":"estop",}`, "raw line end": "{\"v\":1,\"op\":\"estop\",\"reason\":\"a\nb\"}",
		"no UTF-8": "{\"v\":1,\"op\":\"estop\",\"reason\":\"\xff\"}", "deep": `{"v":1,"op":"estop","reason":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`,
		"two frames": `{"v":1,"op":"ping","t":1}{"v":1,"op":"estop"}`, "array": `[{"v":1,"op":"estop"}]`, "upper case": `{"v":1,"op":"ESTOP"}`,
		"python": `{'v': 1, 'op': 'estop'}`, "bare word": `estop`,
	} {
		t.Run(name, func(t *testing.T) {
			s, url := serveToy(t, AgentConfig{})
			c := dialRaw(t, url, nil)
			c.next()
			c.text(text)
			eventually(t, "the driver latches", func() bool { return s.toyLatch().Engaged })
			next := dialAgain(t, c, s.agent, url)
			await(next, "telemetry", func(f Telemetry) bool { return *f.EStop })
			next.send(Cmd{V: 1, Seq: 1})
			await(next, "fault", func(f Fault) bool { return f.Code == "estop" })
			if v, _ := s.toy.heard(); v != (driver.Velocity{}) {
				t.Errorf("%+v", v)
			}
			next.send(Release{})
			await(next, "telemetry", func(f Telemetry) bool { return !*f.EStop })
		})
	}
}

func TestButtonOfTheBody(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	c := dial(t, url)
	s.do(func(d *toy) { d.press(true) })
	f := await(c, "fault", func(f Fault) bool { return f.Code == "estop" })
	if f.Severity != driver.Critical || f.Message != "button" {
		t.Errorf("%+v", f)
	}
	await(c, "telemetry", func(f Telemetry) bool { return *f.EStop && cmp.Equal(f.Faults, []string{"estop_held"}) })
	c.send(Release{})
	await(c, "fault", func(f Fault) bool { return f.Code == "estop_held" })
	if !s.agent.EStopState().Engaged {
		t.Error("released while the button is pressed")
	}
	s.do(func(d *toy) { d.press(false) })
	c.send(Release{})
	await(c, "telemetry", func(f Telemetry) bool { return !*f.EStop && len(f.Faults) == 0 })
}

// A link that drops at any point of a skill cancels it and stops the body at once, and the next controller hears nothing of it.
func TestLinkCutDuringASkill(t *testing.T) {
	t.Parallel()
	points := map[string]func(SkillResult) bool{
		"accepted": func(r SkillResult) bool { return r.Status == driver.SkillAccepted },
		"running":  func(r SkillResult) bool { return r.Status == driver.SkillRunning },
		"half":     func(r SkillResult) bool { return r.Status == driver.SkillRunning && *r.Progress > 0.5 },
		"done":     func(r SkillResult) bool { return r.Status == driver.SkillDone },
	}
	for name, point := range points {
		t.Run(name, func(t *testing.T) {
			s, url := serveToy(t, AgentConfig{})
			c := dial(t, url)
			c.send(Skill{Skill: "wave", ReqID: "1"})
			await(c, "the point", point)
			next := dialAgain(t, c, s.agent, url)
			s.do(func(d *toy) {
				if d.wave != nil {
					t.Error("the skill goes on")
				}
			})
			next.send(Skill{Skill: "wave", ReqID: "1"})
			r := await(next, "result", func(SkillResult) bool { return true })
			if r.Status != driver.SkillAccepted {
				t.Errorf("the next controller hears first %+v", r)
			}
			await(next, "end", func(r SkillResult) bool { return r.Status == driver.SkillDone })
		})
	}
}

func TestDroppedLinkStopsAtOnce(t *testing.T) {
	inBubble(t, AgentConfig{}, func(t *testing.T, s stand, c *client) {
		c.send(Cmd{V: 1, Seq: 1})
		eventually(t, "it moves", func() bool { return s.velocity().VX > 0.9 })
		c.conn.CloseNow()
		synctest.Wait()
		if v, _ := s.toy.heard(); v != (driver.Velocity{}) {
			t.Errorf("it is told %+v", v)
		}
	})
}

func TestSecondControllerIsSentAway(t *testing.T) {
	s, url := serveToy(t, AgentConfig{})
	first := dial(t, url)
	first.send(Cmd{V: 0.5, Seq: 1})
	first.sync()
	second := dialRaw(t, url, nil)
	if ce := second.closed(); ce.Code != 1008 || !strings.Contains(ce.Reason, "another controller") {
		t.Errorf("%+v", ce)
	}
	if v, _ := s.toy.heard(); v.VX != 0.5 {
		t.Errorf("the first is disturbed: %+v", v)
	}
	first.send(Cmd{V: 0.6, Seq: 2})
	first.sync()
	if v, _ := s.toy.heard(); v.VX != 0.6 || s.agent.Stats().Rejected != 1 {
		t.Errorf("%+v, %+v", v, s.agent.Stats())
	}
}

// Of a hundred that come at once exactly one gets the robot.
func TestRaceForTheRobot(t *testing.T) {
	_, url := serveToy(t, AgentConfig{})
	var mu sync.Mutex
	won, lost := 0, 0
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			c := dialRaw(t, url, nil)
			data, err := c.raw()
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && strings.Contains(string(data), `"op":"hello"`):
				won++ // and keeps it until the test ends
			case websocket.CloseStatus(err) == websocket.StatusPolicyViolation:
				lost++
			}
		})
	}
	all.Wait()
	if won != 1 || lost != 99 {
		t.Errorf("%d won, %d were sent away", won, lost)
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct{ flag, env, want string }{
		{"", "", "127.0.0.1:9092"},
		{"", "0.0.0.0", "0.0.0.0:9092"},
		{"", "10.0.0.7:9999", "10.0.0.7:9999"},
		{"", "::1", "[::1]:9092"},
		{"127.0.0.1:80", "0.0.0.0", "127.0.0.1:80"},
		{"robot.lan", "", "robot.lan:9092"},
		{":9000", "", ":9000"},
		{"[::]:1", "", "[::]:1"},
		{"127.0.0.1:70000", "", ""},
		{"a:b:c", "", ""},
	} {
		got, err := Address(c.flag, c.env)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q, %q: %q, %v; want %q", c.flag, c.env, got, err, c.want)
		}
	}
	for addr, want := range map[string]bool{"127.0.0.1:1": false, "[::1]:1": false, "0.0.0.0:1": true, "10.0.0.1:1": true, "[::]:1": true} {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil || Exposed(a) != want {
			t.Errorf("%s: exposed is not %v", addr, want)
		}
	}
}

func TestWarningWhenOpenToTheNetwork(t *testing.T) {
	for listen, loud := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		ln, err := net.Listen("tcp", listen)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		a, err := NewAgent(newToy(), AgentConfig{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		runAgent(t, a, ln)()
		if got := strings.Contains(log.String(), "ANYBODY") && strings.Contains(log.String(), "level=WARN"); got != loud {
			t.Errorf("%s: warned is %v: %s", listen, got, log.String())
		}
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, c := range []AgentConfig{
		{Watchdog: time.Second},
		{Watchdog: -1},
		{LinkTimeout: -1},
		{Handshake: -1},
		{Units: driver.Units{Len: "ell", Ang: "rad"}},
		{Units: driver.Units{Len: "m"}},
	} {
		if _, err := NewAgent(newToy(), c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if _, err := NewAgent(struct{ driver.Driver }{newToy()}, AgentConfig{}); err == nil {
		t.Error("a driver that is neither Stepper nor Runner is taken")
	}
	for _, c := range []ControllerConfig{{}, {URL: "http://x"}, {URL: "ws://"}, {URL: "ws://x", Backoff: -1}, {URL: "ws://%zz"}} {
		if _, err := NewController(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
