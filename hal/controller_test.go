package hal

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
	"sarathi/internal/idl"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// news is a sink that keeps everything.
type news struct {
	mu       sync.Mutex
	odometry []nav.Odometry
	joints   []sensor.JointState
	battery  []sensor.BatteryState
	results  []driver.SkillResult
	faults   []driver.Fault
	states   []driver.EStopState
}

func (n *news) Publish(_ driver.Stream, m idl.Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch m := m.(type) {
	case *nav.Odometry:
		n.odometry = append(n.odometry, *m)
	case *sensor.JointState:
		n.joints = append(n.joints, *m)
	case *sensor.BatteryState:
		n.battery = append(n.battery, *m)
	}
}

func (n *news) SkillResult(r driver.SkillResult) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.results = append(n.results, r)
}

func (n *news) Fault(f driver.Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = append(n.faults, f)
}

func (n *news) EStop(s driver.EStopState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.states = append(n.states, s)
}

func (n *news) Wanted(driver.Stream) bool { return true }

// look calls f while nothing is added.
func look[T any](n *news, f func(*news) T) T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return f(n)
}

func (n *news) has(code string) bool {
	return look(n, func(n *news) bool {
		return slices.ContainsFunc(n.faults, func(f driver.Fault) bool { return f.Code == code })
	})
}

func (n *news) latch() driver.EStopState {
	return look(n, func(n *news) (s driver.EStopState) {
		if len(n.states) > 0 {
			s = n.states[len(n.states)-1]
		}
		return s
	})
}

// remote is a controller that runs until the test ends.
type remote struct {
	*Controller
	*news
}

func quick(url string) ControllerConfig {
	return ControllerConfig{URL: url, Backoff: 5 * time.Millisecond, MaxBackoff: 20 * time.Millisecond, PingPeriod: 20 * time.Millisecond}
}

// control connects a controller and runs it.
func control(t *testing.T, cfg ControllerConfig) remote {
	t.Helper()
	c, err := NewController(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := c.Connect(limited); err != nil {
		t.Fatal(err)
	}
	r := remote{c, &news{}}
	if err := c.Start(time.Now(), r.news); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return r
}

// robot is an agent written for tests: it sends and reads frames and nothing by itself.
type robot struct {
	client
	url   string
	links chan *websocket.Conn
}

// newRobot listens.
func newRobot(t *testing.T) *robot {
	t.Helper()
	ln := socket(t)
	r := &robot{client: client{TB: t}, url: "ws://" + ln.Addr().String(), links: make(chan *websocket.Conn, 1)}
	ended := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		r.links <- conn
		<-ended
		conn.CloseNow()
	})}
	go server.Serve(ln)
	t.Cleanup(func() { close(ended); server.Close() })
	return r
}

func smallCaps() Capabilities { return goodFrames[0].frame.(Hello).Caps }

// meet takes the next link up to its welcome.
func (r *robot) meet(caps Capabilities, first Telemetry) {
	r.Helper()
	r.conn = <-r.links
	r.send(Hello{Caps: caps})
	if w, ok := r.next().(Welcome); !ok || !w.Accept || w.Controller != "sarathi" {
		r.Fatalf("the answer to hello is %+v", w)
	}
	r.send(first)
}

// soon takes the next link while somebody makes it, and says when it has.
func (r *robot) soon(caps Capabilities, first Telemetry) <-chan struct{} {
	met := make(chan struct{})
	go func() {
		defer close(met)
		r.meet(caps, first)
	}()
	return met
}

// controlled connects a controller to the robot.
func (r *robot) controlled(t *testing.T, cfg ControllerConfig, caps Capabilities, first Telemetry) remote {
	t.Helper()
	met := r.soon(caps, first)
	c := control(t, cfg)
	<-met
	return c
}

func TestConversion(t *testing.T) {
	caps := smallCaps()
	caps.Drive, caps.Units, caps.VMax, caps.WMax = driver.Diff, driver.Units{Len: "mm", Ang: "deg"}, 500, 90
	caps.Skills = append(caps.Skills, "wave-hello", "stand_up")
	r := newRobot(t)
	cfg := quick(r.url)
	cfg.Frame = "world"
	joints := make([]float64, 12)
	joints[11] = 180
	c := r.controlled(t, cfg, caps, Telemetry{ID: "r1", X: 1500, Y: -250, Theta: 90, VX: new(100.0), W: new(-45.0), Joints: joints, Battery: new(87.0), TS: 1})
	want := driver.Capabilities{
		Kind: "go2", Drive: driver.Diff, DOF: 12, Skills: []string{"stand_up", "setJoints"}, // a name that no service can have is left out
		Streams: []driver.Stream{driver.StreamOdometry, driver.StreamJoints, driver.StreamBattery},
		Units:   driver.Units{Len: "mm", Ang: "deg"}, Frame: "world", Limits: driver.Limits{VX: 0.5, WZ: math.Pi / 2}, RateHz: 50,
	}
	if diff := cmp.Diff(want, c.Capabilities()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eventually(t, "telemetry is published", func() bool {
		return look(c.news, func(n *news) bool { return len(n.odometry) > 0 && len(n.joints) > 0 && len(n.battery) > 0 })
	})
	o := look(c.news, func(n *news) nav.Odometry { return n.odometry[0] })
	if p, q := o.Pose.Pose.Position, o.Pose.Pose.Orientation; p.X != 1.5 || p.Y != -0.25 || math.Abs(q.Z-math.Sqrt2/2) > 1e-9 {
		t.Errorf("%+v", o.Pose.Pose)
	}
	if v := o.Twist.Twist; v.Linear.X != 0.1 || math.Abs(v.Angular.Z+math.Pi/4) > 1e-9 || o.Header.FrameID != "world" || o.ChildFrameID != "base_link" {
		t.Errorf("%+v", o)
	}
	if j := look(c.news, func(n *news) sensor.JointState { return n.joints[0] }); len(j.Name) != 12 || math.Abs(j.Position[11]-math.Pi) > 1e-9 {
		t.Errorf("%+v", j)
	}
	if b := look(c.news, func(n *news) sensor.BatteryState { return n.battery[0] }); b.Percentage != 0.87 {
		t.Errorf("%+v", b)
	}
	if err := c.Command(time.Now(), driver.Velocity{VX: 0.25, VY: 3, WZ: 9}); err != nil {
		t.Fatal(err)
	}
	if f := await(&r.client, "cmd", func(f Cmd) bool { return f.V != 0 }); f.V != 250 || math.Abs(f.W-90) > 1e-9 || f.ID != "r1" {
		t.Errorf("%+v", f)
	}
	if err := c.SetPose(time.Now(), 1, 2, math.Pi); err != nil {
		t.Fatal(err)
	}
	if f := await(&r.client, "pose", func(Pose) bool { return true }); f.X != 1000 || f.Y != 2000 || math.Abs(f.Theta-180) > 1e-9 {
		t.Errorf("%+v", f)
	}
	target := make([]float64, 12)
	target[0] = math.Pi
	if err := c.Skill(time.Now(), driver.SkillRequest{Name: driver.SkillSetJoints, Args: driver.SkillArgs{Joints: target}, ReqID: "x"}); err != nil {
		t.Fatal(err)
	}
	if f := await(&r.client, "skill", func(Skill) bool { return true }); math.Abs(f.Args.Joints[0]-180) > 1e-9 {
		t.Errorf("%+v", f)
	}
}

// A robot that reports no velocity has one all the same.
func TestVelocityFromPoses(t *testing.T) {
	r := newRobot(t)
	c := r.controlled(t, quick(r.url), smallCaps(), Telemetry{ID: "r", Theta: math.Pi / 2, TS: 1000})
	r.send(Telemetry{ID: "r", Y: 0.1, Theta: math.Pi/2 + 0.2, TS: 1100}, Telemetry{ID: "r", Y: 0.1, Theta: math.Pi/2 + 0.2, TS: 1100})
	eventually(t, "three messages", func() bool { return look(c.news, func(n *news) bool { return len(n.odometry) == 3 }) })
	for i, want := range []float64{0, 1, 1} {
		v := look(c.news, func(n *news) nav.Odometry { return n.odometry[i] }).Twist.Twist
		if math.Abs(v.Linear.X-want) > 1e-6 || math.Abs(v.Angular.Z-2*want) > 1e-6 {
			t.Errorf("%d: %+v", i, v)
		}
	}
	if err := c.SetPose(time.Now(), 5, 5, 0); err != nil {
		t.Fatal(err)
	}
	r.send(Telemetry{ID: "r", X: 5, Y: 5, TS: 1200})
	eventually(t, "the new origin", func() bool { return look(c.news, func(n *news) bool { return len(n.odometry) == 4 }) })
	if v := look(c.news, func(n *news) nav.Odometry { return n.odometry[3] }).Twist.Twist; v.Linear.X != 0 {
		t.Errorf("a new origin is a motion of %+v", v)
	}
}

func TestRobotsThatCannotBeDriven(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hello string
		want  string
	}{
		"version of the frame": {`{"v":2,"op":"hello"}`, "v is 2, this end speaks 1"},
		"version of the robot": {strings.Replace(goodFrames[0].text, `"protocol":1`, `"protocol":3`, 1), "the robot speaks HAL 3, this controller 1"},
		"unknown unit":         {strings.Replace(goodFrames[0].text, `"len":"m"`, `"len":"ell"`, 1), `"ell"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRobot(t)
			heard := make(chan Frame, 1)
			go func() {
				r.conn = <-r.links
				r.text(c.hello)
				heard <- r.next()
			}()
			ctl, err := NewController(quick(r.url))
			if err != nil {
				t.Fatal(err)
			}
			err = ctl.Connect(context.Background())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("connect: %v, want %q", err, c.want)
			}
			if w, ok := (<-heard).(Welcome); !ok || w.Accept || !strings.Contains(w.Reason, c.want) {
				t.Errorf("the robot is told %+v", w)
			}
		})
	}
}

func TestConnectGivesUpInTime(t *testing.T) {
	ln := socket(t)
	ln.Close()
	c, err := NewController(quick("ws://" + ln.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := c.Connect(ctx); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
	if err := c.Start(time.Now(), &news{}); err == nil {
		t.Error("starts without a robot")
	}
}

func TestToken(t *testing.T) {
	s, url := serveToy(t, AgentConfig{Token: "secret"})
	for _, token := range []string{"", "secre", "secret2"} {
		cfg := quick(url)
		cfg.Token = token
		c, err := NewController(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Connect(context.Background()); err == nil || !strings.Contains(err.Error(), "token") {
			t.Errorf("token %q: %v", token, err)
		}
	}
	if n := s.agent.Stats(); n.Rejected != 3 || n.Controllers != 0 {
		t.Errorf("%+v", n)
	}
	cfg := quick(url)
	cfg.Token = "secret"
	control(t, cfg)
	c := dialRaw(t, url+"/?token=secret", nil) // heard, and sent away because the robot is taken
	if ce := c.closed(); ce.Code != 1008 {
		t.Errorf("%+v", ce)
	}
}

// An agent that restarts under its controller: nothing is seeded, nothing moves before it was told to stand, skills fail, and the
// controller goes on by itself.
func TestAgentRestartsUnderAController(t *testing.T) {
	ln := socket(t)
	url := "ws://" + ln.Addr().String()
	d := newToy()
	a, err := NewAgent(d, AgentConfig{})
	if err != nil {
		t.Fatal(err)
	}
	stop := runAgent(t, a, ln)
	c := control(t, quick(url))
	move := func() error { return c.Command(time.Now(), driver.Velocity{VX: 1}) }
	if err := move(); err != nil {
		t.Fatal(err)
	}
	if err := c.Skill(time.Now(), driver.SkillRequest{Name: "wave", ReqID: "w"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it moves", func() bool { v, _ := d.heard(); return v.VX == 1 })
	stop()
	eventually(t, "the loss is reported", func() bool { return c.has(codeLost) })
	if err := move(); !errors.Is(err, driver.ErrNotReady) {
		t.Errorf("without a link: %v", err)
	}
	if err := c.SetPose(time.Now(), 0, 0, 0); !errors.Is(err, driver.ErrNotReady) {
		t.Errorf("without a link: %v", err)
	}
	if err := c.Release(time.Now()); err == nil {
		t.Error("a release that nobody hears succeeds")
	}
	ends := look(c.news, func(n *news) []driver.SkillResult { return slices.Clone(n.results) })
	if n := len(ends); n == 0 || ends[n-1].Status != driver.SkillFailed || ends[n-1].ReqID != "w" {
		t.Errorf("the skill: %+v", ends)
	}
	next := newToy()
	ln, err = net.Listen("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	again := stand{next, serveAgent(t, next, AgentConfig{}, ln)}
	eventually(t, "the link is back", func() bool { return c.has(codeHeard) && c.Stats().Connected })
	if err := move(); !errors.Is(err, driver.ErrNotReady) || !strings.Contains(err.Error(), "stop first") {
		t.Errorf("before a zero: %v", err)
	}
	if v, _ := next.heard(); v != (driver.Velocity{}) {
		t.Errorf("the new agent is told %+v", v)
	}
	again.do(func(d *toy) {
		if d.pose.X != 0 {
			t.Errorf("the pose was seeded")
		}
	})
	if err := c.Command(time.Now(), driver.Velocity{}); err != nil {
		t.Error(err)
	}
	if err := move(); err != nil {
		t.Error(err)
	}
	eventually(t, "it moves again", func() bool { v, _ := next.heard(); return v.VX == 1 })
}

// An e-stop that the user holds is engaged again in a robot that has forgotten it; one that was released is not.
func TestHeldEStopIsSentAgain(t *testing.T) {
	t.Parallel()
	ln := socket(t)
	url := "ws://" + ln.Addr().String()
	restart := func(ln net.Listener) (*Agent, func()) {
		a, err := NewAgent(newToy(), AgentConfig{})
		if err != nil {
			t.Fatal(err)
		}
		return a, runAgent(t, a, ln)
	}
	again := func() net.Listener {
		next, err := net.Listen("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	_, stop := restart(ln)
	c := control(t, quick(url))
	stop()
	eventually(t, "the link is lost", func() bool { return !c.Stats().Connected })
	c.Controller.EStop(time.Now(), "a person") // while there is no link
	second, stop := restart(again())
	eventually(t, "the second agent latches", func() bool { return second.EStopState() == driver.EStopState{Engaged: true, Reason: "a person"} })
	stop()
	third, stop := restart(again())
	eventually(t, "the third agent latches", func() bool { return third.EStopState().Engaged })
	eventually(t, "the release is taken", func() bool { return c.Stats().Connected && c.Release(time.Now()) == nil })
	eventually(t, "it is released", func() bool { return !third.EStopState().Engaged && !c.latch().Engaged })
	stop()
	lost := c.Stats().Links
	fourth, stop := restart(again())
	defer stop()
	eventually(t, "the link is back", func() bool { return c.Stats().Connected && c.Stats().Links > lost && c.Stats().RTT > 0 })
	if fourth.EStopState().Engaged || c.latch().Engaged {
		t.Error("a released e-stop comes back")
	}
}

// The e-stop that the user holds is the first thing that a new link carries, before telemetry has said anything of the latch.
func TestHeldEStopGoesFirst(t *testing.T) {
	r := newRobot(t)
	c := r.controlled(t, quick(r.url), smallCaps(), Telemetry{ID: "r", TS: 1})
	c.Controller.EStop(time.Now(), "a person")
	await(&r.client, "estop", func(EStop) bool { return true })
	r.conn.CloseNow()
	r.meet(smallCaps(), Telemetry{ID: "r", TS: 2})
	if f, ok := r.next().(EStop); !ok || f.Reason != "a person" {
		t.Errorf("the first frame is %+v", f)
	}
}

func TestLatchOfTheRobot(t *testing.T) {
	r := newRobot(t)
	at := func(estop bool, faults ...string) Telemetry {
		return Telemetry{ID: "r", EStop: new(estop), Faults: faults, TS: 1}
	}
	c := r.controlled(t, quick(r.url), smallCaps(), at(false))
	r.send(Fault{Fault: driver.Fault{Code: "estop", Message: "the button", Severity: driver.Critical}}, at(true, "estop_held"))
	eventually(t, "the latch is reported", func() bool { return c.latch() == driver.EStopState{Engaged: true, Held: true, Reason: "the button"} })
	if err := c.Release(time.Now()); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("release while held: %v", err)
	}
	if err := c.Command(time.Now(), driver.Velocity{VX: 1}); !errors.Is(err, driver.ErrEStopped) {
		t.Errorf("command: %v", err)
	}
	r.send(at(true))
	eventually(t, "it is not held", func() bool { return c.latch() == driver.EStopState{Engaged: true, Reason: "the button"} })
	if err := c.Release(time.Now()); err != nil {
		t.Error(err)
	}
	await(&r.client, "release", func(Release) bool { return true })
	r.send(at(false)) // made before the release arrived: it may be from before the latch, too
	fence := await(&r.client, "ping behind it", func(Ping) bool { return true })
	if !c.latch().Engaged || c.Confirmed() {
		t.Error("released by telemetry that cannot know")
	}
	r.send(Pong(fence), at(false))
	eventually(t, "it is released", func() bool { return !c.latch().Engaged && c.Confirmed() })
	r.send(at(true))
	eventually(t, "it latches again", func() bool { return c.latch().Engaged })
	r.send(at(false))
	eventually(t, "the robot releases itself what was its own", func() bool { return !c.latch().Engaged })
}

// A robot that keeps its latch although it was released, and one that forgets what the user holds.
func TestStubbornAndForgetfulRobots(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	c := r.controlled(t, quick(r.url), smallCaps(), Telemetry{ID: "r", EStop: new(true), TS: 1})
	eventually(t, "the latch is reported", func() bool { return c.latch().Engaged })
	if err := c.Release(time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the refusal is reported", func() bool {
		r.send(Telemetry{ID: "r", EStop: new(true), TS: 1})
		return c.has("hal_release_refused")
	})
	if !c.latch().Engaged {
		t.Error("it is reported as released")
	}
	c.Controller.EStop(time.Now(), "mine")
	await(&r.client, "estop", func(f EStop) bool { return f.Reason == "mine" })
	ping := await(&r.client, "ping", func(Ping) bool { return true })
	r.send(Pong(ping), Telemetry{ID: "r", EStop: new(false), TS: 1})
	await(&r.client, "estop again", func(EStop) bool { return true })
	if !c.latch().Engaged {
		t.Error("the robot released what the user holds")
	}
}

// Telemetry that stops coming: a fault, and no motion until it comes again.
func TestStaleTelemetry(t *testing.T) {
	r := newRobot(t)
	cfg := quick(r.url)
	cfg.TelemetryLimit, cfg.LinkTimeout = 80*time.Millisecond, time.Minute
	c := r.controlled(t, cfg, smallCaps(), Telemetry{ID: "r", TS: 1})
	go func() {
		for {
			if data, err := r.raw(); err != nil {
				return
			} else if f, err := Decode(data); err == nil && f.Op() == OpPing {
				_ = r.conn.Write(context.Background(), websocket.MessageText, Append(nil, Pong(f.(Ping))))
			}
		}
	}()
	eventually(t, "it is reported", func() bool { return c.has(codeStale) })
	if err := c.Command(time.Now(), driver.Velocity{VX: 1}); !errors.Is(err, driver.ErrNotReady) {
		t.Errorf("moved blindly: %v", err)
	}
	if err := c.Command(time.Now(), driver.Velocity{}); err != nil {
		t.Errorf("zero: %v", err)
	}
	if s := c.Stats(); !s.Connected || s.Age < 80*time.Millisecond {
		t.Errorf("%+v", s)
	}
	eventually(t, "it is moved again", func() bool {
		r.send(Telemetry{ID: "r", TS: 2})
		return c.Command(time.Now(), driver.Velocity{VX: 1}) == nil
	})
}

// A robot whose computer has lost its power is silent without a word: the link is given up and made again.
func TestSilentRobotIsDialledAgain(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	cfg := quick(r.url)
	cfg.LinkTimeout = 150 * time.Millisecond
	c := r.controlled(t, cfg, smallCaps(), Telemetry{ID: "r", TS: 1})
	r.meet(smallCaps(), Telemetry{ID: "r", TS: 2})
	eventually(t, "the new link is used", func() bool { return c.has(codeLost) && c.has(codeHeard) })
}

// Another robot at the other end ends the run: whoever hosts the controller starts it anew.
func TestAnotherRobot(t *testing.T) {
	t.Parallel()
	r := newRobot(t)
	c, err := NewController(quick(r.url))
	if err != nil {
		t.Fatal(err)
	}
	met := r.soon(smallCaps(), Telemetry{ID: "r", TS: 1})
	if err := c.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(time.Now(), &news{}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Run(context.Background()) }()
	eventually(t, "it is connected", func() bool { return c.Stats().Telemetry > 0 })
	<-met
	r.conn.CloseNow()
	other := smallCaps()
	other.RobotKind = "xarm6"
	r.meet(other, Telemetry{ID: "r", TS: 1})
	if err := <-done; err == nil || !strings.Contains(err.Error(), "the robot is another: xarm6") {
		t.Errorf("%v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	met = r.soon(other, Telemetry{ID: "r", TS: 1})
	if err := c.Connect(context.Background()); err != nil || c.Capabilities().Kind != "xarm6" {
		t.Errorf("connecting anew: %v", err)
	}
	<-met
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A robot may refuse a skill at once, may say too little, and may answer what nobody asked.
func TestResultsAreMadeWhole(t *testing.T) {
	r := newRobot(t)
	c := r.controlled(t, quick(r.url), smallCaps(), Telemetry{ID: "r", TS: 1})
	ask := func(id string) Skill {
		if err := c.Skill(time.Now(), driver.SkillRequest{Name: "stand_up", ReqID: id}); err != nil {
			t.Fatal(err)
		}
		return await(&r.client, "skill", func(Skill) bool { return true })
	}
	a, b := ask("a"), ask("b")
	r.send(
		SkillResult{ReqID: "nobody's", Status: driver.SkillDone}, SkillResult{ReqID: a.ReqID, Status: driver.SkillFailed},
		SkillResult{ReqID: a.ReqID, Status: driver.SkillDone}, SkillResult{ReqID: b.ReqID, Status: driver.SkillRunning, Progress: new(0.5)},
		SkillResult{ReqID: b.ReqID, Status: driver.SkillRunning, Progress: new(0.2)}, SkillResult{ReqID: b.ReqID, Status: driver.SkillDone},
	)
	want := []driver.SkillResult{
		{ReqID: "a", Status: driver.SkillAccepted},
		{ReqID: "a", Status: driver.SkillFailed, Err: "the robot gives no reason"},
		{ReqID: "b", Status: driver.SkillAccepted},
		{ReqID: "b", Status: driver.SkillRunning, Progress: 0.5},
		{ReqID: "b", Status: driver.SkillRunning, Progress: 0.5},
		{ReqID: "b", Status: driver.SkillDone, Progress: 1},
	}
	eventually(t, "all results", func() bool { return look(c.news, func(n *news) bool { return len(n.results) >= len(want) }) })
	if diff := cmp.Diff(want, look(c.news, func(n *news) []driver.SkillResult { return n.results })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFaultsOfTheRobot(t *testing.T) {
	r := newRobot(t)
	c := r.controlled(t, quick(r.url), smallCaps(), Telemetry{ID: "r", TS: 1})
	r.send(
		Fault{Fault: driver.Fault{Code: "hot", Message: "a motor is hot", Severity: driver.Warning}},
		Telemetry{ID: "r", Faults: []string{"hot", "wet"}, TS: 2}, Telemetry{ID: "r", Faults: []string{"hot", "wet"}, TS: 3},
		Fault{Fault: driver.Fault{Severity: driver.Info}},
	)
	want := []driver.Fault{
		{Code: "hot", Message: "a motor is hot", Severity: driver.Warning},
		{Code: "wet", Message: "the robot reports wet", Severity: driver.Error},
		{Code: "unnamed", Message: "the robot reports unnamed"},
	}
	eventually(t, "all faults", func() bool { return look(c.news, func(n *news) bool { return len(n.faults) >= len(want) }) })
	if diff := cmp.Diff(want, look(c.news, func(n *news) []driver.Fault { return n.faults })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Frames that make no sense are dropped and counted, and the link goes on.
func TestGarbageFromTheRobot(t *testing.T) {
	r := newRobot(t)
	c := r.controlled(t, quick(r.url), smallCaps(), Telemetry{ID: "r", TS: 1})
	for _, b := range badFrames {
		r.text(b.text)
	}
	r.send(Cmd{V: 1}, Telemetry{ID: "r", X: 1e308, TS: 2})
	eventually(t, "they are counted", func() bool { return c.Stats().Malformed == uint64(len(badFrames)+1) })
	ping := await(&r.client, "ping", func(Ping) bool { return true })
	r.send(Pong(ping))
	eventually(t, "the round trip is measured", func() bool { rtt := c.Stats().RTT; return rtt > 0 && rtt < patience })
}
