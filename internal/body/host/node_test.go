package host

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// rig is a hosted body in virtual time.
type rig struct {
	*nodetest.Rig
	robot    *robot
	status   *nodetest.Collector[dharma.BodyStatus]
	requests *nodetest.Collector[std.String]
	client   *node.Context // of a node that calls services
}

// client is a node that only lends its context.
type client struct{ rig *rig }

func (c client) Setup(ctx *node.Context) error {
	c.rig.client = ctx
	return nil
}

func newRig(t *testing.T, change func(*robot)) *rig {
	t.Helper()
	r := &rig{Rig: nodetest.New(t, nodetest.Options{}), robot: newRobot()}
	if change != nil {
		change(r.robot)
	}
	r.status = nodetest.Collect(r.Rig, topics.BodyStatus)
	r.requests = nodetest.Collect(r.Rig, topics.EStopRequest)
	r.Start(node.Spec{Name: Name, Stage: node.StageBody, New: func() (node.Node, error) {
		return New(DefaultConfig(), stepper{r.robot})
	}})
	r.Run("client", client{r})
	r.Advance(0)
	return r
}

// mux publishes a status of the control mux.
func (r *rig) mux(estop bool, reasons ...string) {
	nodetest.Publish(r.Rig, topics.ControlStatus, dharma.ControlStatus{Estop: estop, EstopReasons: reasons})
	r.Advance(0)
}

func twist(x, y, wz float64) geometry.Twist {
	return geometry.Twist{Linear: geometry.Vector3{X: x, Y: y}, Angular: geometry.Vector3{Z: wz}}
}

func TestCommandsReachTheBody(t *testing.T) {
	r := newRig(t, nil)
	nodetest.Publish(r.Rig, topics.BodyCmdVel, twist(1, 2, 3))
	r.Advance(0)
	if v, _ := r.robot.last(); v != (driver.Velocity{VX: 1, VY: 2, WZ: 3}) {
		t.Errorf("the body is told %+v", v)
	}
	for _, bad := range []geometry.Twist{
		twist(math.NaN(), 0, 0),
		{Linear: geometry.Vector3{X: 1, Z: math.Inf(1)}},
		{Linear: geometry.Vector3{X: 1}, Angular: geometry.Vector3{X: math.NaN()}},
		{Linear: geometry.Vector3{X: 1}, Angular: geometry.Vector3{Y: math.Inf(-1)}},
	} {
		nodetest.Publish(r.Rig, topics.BodyCmdVel, bad)
		r.Advance(0)
		if v, _ := r.robot.last(); v.IsFinite() {
			t.Errorf("%+v becomes %+v", bad, v)
		}
	}
}

// A silent mux is the body's business: the node sends nothing by itself.
func TestSilenceIsPassedOn(t *testing.T) {
	r := newRig(t, nil)
	nodetest.Publish(r.Rig, topics.BodyCmdVel, twist(1, 0, 0))
	r.Advance(3 * time.Second)
	if _, n := r.robot.last(); n != 1 {
		t.Errorf("the body is told %d commands, want 1", n)
	}
	r.Stop()
	if v, n := r.robot.last(); n != 2 || v != (driver.Velocity{}) {
		t.Errorf("the last of %d commands is %+v", n, v)
	}
	if len(r.robot.cancels) != 1 {
		t.Errorf("skills are cancelled %d times", len(r.robot.cancels))
	}
	if r.status.Latest().Value.Connected {
		t.Error("the last status says that the body is there")
	}
}

func TestStreams(t *testing.T) {
	r := newRig(t, nil)
	odom := nodetest.Collect(r.Rig, topics.BodyOdometry)
	r.Advance(time.Second)
	if n := odom.Len(); n != 50 {
		t.Errorf("%d odometry messages in a second", n)
	}
	if r.robot.sink.Wanted(driver.StreamImage) || r.robot.sink.Wanted(driver.StreamScan) || r.robot.sink.Wanted(driver.Stream(99)) {
		t.Error("wanted without subscribers")
	}
	image := nodetest.Collect(r.Rig, topics.BodyImage)
	r.Advance(100 * time.Millisecond)
	if image.Len() == 0 || image.Latest().Value.Format != "jpeg" {
		t.Error("no image while somebody subscribes")
	}
	// What the capabilities do not list, what has a wrong type, and nothing at all are dropped.
	r.robot.sink.Publish(driver.StreamScan, nav.NewOdometry())
	r.robot.sink.Publish(driver.StreamOdometry, &std.String{})
	r.robot.sink.Publish(driver.StreamOdometry, (*nav.Odometry)(nil))
	r.robot.sink.Publish(driver.Stream(99), nil)
	before := odom.Len()
	r.Advance(0)
	if odom.Len() != before {
		t.Error("a wrong message was published")
	}
	for _, topic := range r.Bus.Graph().Topics {
		if topic.Name == "/robot/scan" && len(topic.Publishers) > 0 {
			t.Error("a stream that the body does not have is advertised")
		}
		if topic.Name == "/tf" && len(topic.Publishers) > 0 {
			t.Error("a body publishes no transforms")
		}
	}
}

func TestMuxLatchIsMirrored(t *testing.T) {
	r := newRig(t, nil)
	r.mux(false)
	r.mux(true, "operator", "scan")
	if s := r.robot.state(); !s.Engaged || s.Reason != "control mux: operator, scan" {
		t.Errorf("body %+v", s)
	}
	if s := r.status.Latest().Value; !s.Estop || s.EstopReason == "" || s.EstopHeld {
		t.Errorf("status %+v", s)
	}
	r.mux(false)
	if s := r.robot.state(); s.Engaged {
		t.Errorf("body %+v", s)
	}
	if r.status.Latest().Value.Estop {
		t.Error("the status keeps the e-stop")
	}
	if n := r.requests.Len(); n != 0 {
		t.Errorf("%d requests, the mux knows already", n)
	}
}

func TestBodyLatchIsAskedOfTheMux(t *testing.T) {
	r := newRig(t, nil)
	r.mux(false)
	r.robot.press(true)
	r.Advance(0)
	if got := r.requests.Latest().Value.Data; got != "body: button" {
		t.Errorf("request %q", got)
	}
	if s := r.status.Latest().Value; !s.Estop || !s.EstopHeld {
		t.Errorf("status %+v", s)
	}
	r.mux(true, "body: button")
	r.mux(false) // a release that the mux should have refused
	if !r.robot.state().Engaged || r.requests.Len() != 2 {
		t.Errorf("body %+v, %d requests", r.robot.state(), r.requests.Len())
	}
	r.mux(true)
	r.robot.press(false)
	r.Advance(0)
	if s := r.status.Latest().Value; !s.Estop || s.EstopHeld {
		t.Errorf("status %+v", s)
	}
	r.mux(false)
	if r.robot.state().Engaged {
		t.Error("the release does not reach the body")
	}
}

func TestEmergencyStop(t *testing.T) {
	r := newRig(t, nil)
	r.mux(false)
	resp, err := nodetest.Call(r.Rig, topics.Skill(driver.SkillEmergencyStop), stdsrvs.TriggerRequest{})
	if err != nil || !resp.Success {
		t.Fatalf("%+v, %v", resp, err)
	}
	r.Advance(0)
	if !r.robot.state().Engaged {
		t.Error("the body is not stopped")
	}
	if got := r.requests.All(); len(got) != 1 || !strings.Contains(got[0].Value.Data, "emergency_stop") {
		t.Errorf("requests %+v", got)
	}
	r.mux(false) // from before the request
	if !r.robot.state().Engaged {
		t.Error("an older status releases the body")
	}
	r.requests.Take()
	r.Advance(time.Second)
	if r.requests.Len() != 1 {
		t.Errorf("a request that the mux does not obey is repeated %d times in a second", r.requests.Len())
	}
	// Called again while the mux is latched: a release that crosses the call does not count.
	r.mux(true, "emergency_stop")
	if _, err := nodetest.Call(r.Rig, topics.Skill(driver.SkillEmergencyStop), stdsrvs.TriggerRequest{}); err != nil {
		t.Fatal(err)
	}
	r.mux(false)
	if !r.robot.state().Engaged {
		t.Error("a release from before the second call releases the body")
	}
	r.mux(true, "emergency_stop", "emergency_stop")
	r.mux(false)
	if r.robot.state().Engaged {
		t.Error("a release after the call does not release the body")
	}
}

// emergency_stop is offered also for a body that has no skill of that name.
func TestEmergencyStopIsAlwaysThere(t *testing.T) {
	r := newRig(t, func(b *robot) { b.caps.Skills = nil })
	if _, err := nodetest.Call(r.Rig, topics.Skill(driver.SkillEmergencyStop), stdsrvs.TriggerRequest{}); err != nil {
		t.Error(err)
	}
	if !r.robot.state().Engaged {
		t.Error("the body is not stopped")
	}
}

// call starts a skill and returns a function that tells whether it was answered, and how.
func (r *rig) call(t *testing.T, name string) stdsrvs.TriggerResponse {
	t.Helper()
	resp, err := nodetest.Call(r.Rig, topics.Skill(name), stdsrvs.TriggerRequest{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return resp
}

func TestSkills(t *testing.T) {
	r := newRig(t, nil)
	finish := func(status driver.SkillStatus, why string) {
		req := r.robot.skills[len(r.robot.skills)-1]
		r.robot.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: driver.SkillRunning, Progress: 0.5})
		r.robot.sink.SkillResult(driver.SkillResult{ReqID: req.ReqID, Status: status, Err: why})
	}
	for _, c := range []struct {
		status driver.SkillStatus
		why    string
		want   stdsrvs.TriggerResponse
	}{
		{driver.SkillDone, "", stdsrvs.TriggerResponse{Success: true, Message: "wave: done"}},
		{driver.SkillFailed, "fell over", stdsrvs.TriggerResponse{Message: "wave: fell over"}},
	} {
		before := len(r.robot.skills)
		var got stdsrvs.TriggerResponse
		answered := false
		caller := bus.NewCaller(r.client, topics.Skill("wave"))
		caller.Call(stdsrvs.TriggerRequest{}, 5*time.Second, func(resp stdsrvs.TriggerResponse, _ error) { got, answered = resp, true })
		r.Advance(100 * time.Millisecond)
		if len(r.robot.skills) != before+1 || answered {
			t.Fatalf("skills %v, answered %v", requests(r.robot), answered)
		}
		if s := r.status.Latest().Value; s.Skill != "wave" {
			t.Errorf("status shows skill %q", s.Skill)
		}
		finish(c.status, c.why)
		r.Advance(0)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
		if s := r.status.Latest().Value; s.Skill != "" {
			t.Errorf("status still shows skill %q", s.Skill)
		}
	}
}

// A skill that takes long is answered with that news; its end is not answered again.
func TestSlowSkill(t *testing.T) {
	r := newRig(t, nil)
	var answers []stdsrvs.TriggerResponse
	bus.NewCaller(r.client, topics.Skill("stand_up")).Call(stdsrvs.TriggerRequest{}, time.Minute,
		func(resp stdsrvs.TriggerResponse, _ error) { answers = append(answers, resp) })
	r.Advance(9900 * time.Millisecond)
	if len(answers) != 0 {
		t.Fatalf("answered early: %+v", answers)
	}
	r.Advance(200 * time.Millisecond)
	if len(answers) != 1 || !answers[0].Success || answers[0].Message != "stand_up still runs after 10s" {
		t.Fatalf("%+v", answers)
	}
	if s := r.status.Latest().Value; s.Skill != "stand_up" {
		t.Errorf("status shows skill %q", s.Skill)
	}
	r.robot.sink.SkillResult(driver.SkillResult{ReqID: r.robot.skills[0].ReqID, Status: driver.SkillDone})
	r.Advance(0)
	if s := r.status.Latest().Value; s.Skill != "" || len(answers) != 1 {
		t.Errorf("status shows skill %q, answers %+v", s.Skill, answers)
	}
}

func TestRefusedSkill(t *testing.T) {
	r := newRig(t, nil)
	r.robot.refuse = driver.ErrBusy
	if resp := r.call(t, "wave"); resp.Success || resp.Message != "wave: another skill is running" {
		t.Errorf("%+v", resp)
	}
	if s := r.status.Latest().Value; s.Skill != "" {
		t.Errorf("status shows skill %q", s.Skill)
	}
}

func TestStatus(t *testing.T) {
	r := newRig(t, nil)
	s := r.status.Latest().Value
	if diff := cmp.Diff([]string{"stand_up", "wave", "emergency_stop"}, s.Skills); diff != "" {
		t.Error(diff)
	}
	if !s.Connected || s.Kind != "go2" || s.Drive != "holonomic" || s.Estop {
		t.Errorf("%+v", s)
	}
	r.status.Take()
	r.Advance(5 * time.Second)
	if n := r.status.Len(); n != 5 {
		t.Errorf("%d statuses in 5 s without a change", n)
	}
	diag := nodetest.Collect(r.Rig, topics.BodyDiagnostics)
	r.robot.sink.Fault(driver.Fault{Code: "hot", Message: "motor 3 at 90 °C", Severity: driver.Warning})
	r.Advance(0)
	if got := r.status.Latest().Value.Faults; len(got) != 1 || got[0] != "warning: motor 3 at 90 °C" {
		t.Errorf("faults %q", got)
	}
	if got := diag.Latest().Value.Status; len(got) != 1 || got[0].Name != "body: hot" {
		t.Errorf("diagnostics %+v", got)
	}
	r.Advance(61 * time.Second)
	if got := r.status.Latest().Value.Faults; len(got) != 0 {
		t.Errorf("faults after a minute %q", got)
	}
}

func TestSilentBody(t *testing.T) {
	r := newRig(t, nil)
	r.Advance(time.Second)
	r.robot.silent = true
	r.Advance(1500 * time.Millisecond)
	if s := r.status.Latest().Value; s.Connected || len(s.Faults) != 1 {
		t.Errorf("%+v", s)
	}
	r.Exec.Jump(-time.Hour)
	r.robot.silent = false
	r.Advance(500 * time.Millisecond)
	if !r.status.Latest().Value.Connected {
		t.Error("the body reports again, the status says it is not there")
	}
	r.Exec.Jump(2 * time.Hour)
	r.Advance(500 * time.Millisecond)
	if !r.status.Latest().Value.Connected {
		t.Error("a jump of the clock disconnects the body")
	}
}

// A node that failed is replaced; the body keeps its latch and the mux hears of it.
func TestRestart(t *testing.T) {
	r := newRig(t, nil)
	r.mux(false)
	r.ExpectFailure(Name)
	r.robot.EStop(r.Now(), "bumper")
	r.Advance(0)
	r.requests.Take()
	if err := r.Exec.Inject(Name, func() { panic("bug") }); err != nil {
		t.Fatal(err)
	}
	r.Advance(time.Second)
	if r.robot.starts != 2 || !r.robot.state().Engaged {
		t.Errorf("%d starts, body %+v", r.robot.starts, r.robot.state())
	}
	if r.requests.Len() == 0 || r.requests.Latest().Value.Data != "body: bumper" {
		t.Errorf("requests %+v", r.requests.All())
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Config{}, stepper{newRobot()}); err == nil {
		t.Error("a configuration of zeros is taken")
	}
	bad := newRobot()
	bad.caps.Kind = ""
	if _, err := New(DefaultConfig(), stepper{bad}); err == nil || !strings.Contains(err.Error(), "kind is empty") {
		t.Errorf("bad capabilities: %v", err)
	}
	if _, err := New(DefaultConfig(), newRobot()); err == nil {
		t.Error("a driver that is neither Stepper nor Runner is taken")
	}
	if _, err := New(DefaultConfig(), connected{stepper{newRobot()}, runner{}}); err == nil {
		t.Error("a Stepper that connects is taken")
	}
	n, err := New(DefaultConfig(), stepper{newRobot()})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := n.(node.Runner); ok {
		t.Error("a Stepper makes the node a Runner, which lockstep refuses")
	}
}

// connected is a Stepper that connects.
type connected struct {
	stepper
	driver.Connector
}

func TestStartThatFails(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	n, err := New(DefaultConfig(), failing{stepper{newRobot()}})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Exec.Start(node.Spec{Name: Name, New: func() (node.Node, error) { return n, nil }})
	if !errors.Is(err, errDead) {
		t.Errorf("start: %v", err)
	}
}

var errDead = errors.New("no power")

type failing struct{ stepper }

func (failing) Start(time.Time, driver.Sink) error { return errDead }
