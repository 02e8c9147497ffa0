package controlmux

import (
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/arbitration"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

const (
	tick  = 20 * time.Millisecond
	frame = "base_link"
)

func body() arbitration.Body {
	return arbitration.Body{
		Limits:    geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5},
		Footprint: geom.Polygon{{X: 0.35, Y: 0.2}, {X: -0.35, Y: 0.2}, {X: -0.35, Y: -0.2}, {X: 0.35, Y: -0.2}},
	}
}

// rig is the node with free surroundings.
type rig struct {
	*nodetest.Rig
	t      *testing.T
	cmd    *nodetest.Collector[geometry.Twist]
	status *nodetest.Collector[dharma.ControlStatus]
	pause  *nodetest.Collector[std.String]
	ticks  int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	n, err := New(DefaultConfig(), body(), frame)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Rig: nodetest.New(t, nodetest.Options{}), t: t}
	r.cmd = nodetest.Collect(r.Rig, topics.BodyCmdVel)
	r.status = nodetest.Collect(r.Rig, topics.ControlStatus)
	r.pause = nodetest.Collect(r.Rig, topics.NavigationPause)
	r.Run(Name, n)
	return r
}

func (r *rig) scan() dharma.SectorScan {
	s := dharma.SectorScan{
		Header: rosconv.Header(r.Now(), frame), Kind: dharma.SectorScanKindSafety,
		AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMax: 8, Ranges: make([]float32, 360),
	}
	for i := range s.Ranges {
		s.Ranges[i] = 8
	}
	return s
}

// hold lets d pass while source repeats v and the way is free.
func (r *rig) hold(d time.Duration, source *bus.Topic[geometry.Twist], v geom.Velocity) {
	r.t.Helper()
	for range int(d / tick) {
		if r.ticks%5 == 0 {
			nodetest.Publish(r.Rig, topics.SafetyScan, r.scan())
		}
		r.ticks++
		if source != nil {
			nodetest.Publish(r.Rig, source, rosconv.Twist(v))
		}
		r.Advance(tick)
	}
}

func (r *rig) setMode(mode, source string) dharma.SetModeResponse {
	r.t.Helper()
	resp, err := nodetest.Call(r.Rig, topics.SetMode, dharma.SetModeRequest{Mode: mode, Source: source})
	if err != nil {
		r.t.Fatal(err)
	}
	return resp
}

func (r *rig) trigger(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) stdsrvs.TriggerResponse {
	r.t.Helper()
	resp, err := nodetest.Call(r.Rig, s, stdsrvs.TriggerRequest{})
	if err != nil {
		r.t.Fatal(err)
	}
	return resp
}

// driving lets the handheld drive ahead.
func driving(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.hold(1200*time.Millisecond, nil, geom.Velocity{})
	if resp := r.setMode("remote", "handheld"); !resp.Success {
		t.Fatal(resp.Message)
	}
	r.hold(4*tick, topics.HandheldCmdVel, geom.Velocity{})
	r.hold(time.Second, topics.HandheldCmdVel, geom.Velocity{VX: 0.5})
	if v := r.cmd.Latest().Value; v.Linear.X != 0.5 {
		t.Fatalf("drives at %g m/s: %s", v.Linear.X, r.status.Latest().Value.Message)
	}
	return r
}

func TestStartsWithZeroAndStatus(t *testing.T) {
	r := newRig(t)
	r.Advance(time.Millisecond)
	s := r.status.Latest().Value
	if s.Mode != "auto" || s.RemoteSource != "handheld" || s.Armed || s.Estop || s.Field != "stale" || s.Message == "" || s.SpeedScale != 1 {
		t.Errorf("first status %+v", s)
	}
	if v := r.cmd.Latest().Value; v != (geometry.Twist{}) {
		t.Errorf("first command %+v", v)
	}
	r.cmd.Take()
	r.Advance(time.Second)
	if n := r.cmd.Len(); n != 50 {
		t.Errorf("%d commands in a second, want 50", n)
	}
	if n := r.status.Len(); n < 10 || n > 12 {
		t.Errorf("%d statuses in the first second, want about 10", n)
	}
}

func TestRemoteDriving(t *testing.T) {
	r := driving(t)
	s := r.status.Latest().Value
	if s.Mode != "remote" || s.ActiveSource != "handheld" || !s.Armed || s.Field != "clear" || s.Message != "" ||
		s.Requested.Linear.X != 0.5 || s.Command.Linear.X != 0.5 {
		t.Errorf("status %+v", s)
	}
	r.cmd.Take()
	quiet := r.Elapsed()
	r.hold(time.Second, nil, geom.Velocity{})
	for _, m := range r.cmd.Take() {
		if m.At > quiet+300*time.Millisecond && m.Value != (geometry.Twist{}) {
			t.Fatalf("at %s, %s after the last command: %+v", m.At, m.At-quiet, m.Value)
		}
	}
}

func TestAnswersAtOnceInsideATick(t *testing.T) {
	r := driving(t)
	r.cmd.Take()
	r.Advance(tick / 4)
	r.cmd.Take()
	nodetest.Publish(r.Rig, topics.HandheldCmdVel, geometry.Twist{})
	nodetest.Publish(r.Rig, topics.DashboardCmdVel, rosconv.Twist(geom.Velocity{VX: -1}))
	r.Advance(tick / 4)
	if got := r.cmd.Take(); len(got) != 1 || got[0].Value.Linear.X >= 0.5 {
		t.Errorf("got %+v, want one answer, to the handheld", got)
	}
}

func TestGarbageInAnUnusedComponentStops(t *testing.T) {
	for _, spoil := range []func(*geometry.Twist){
		func(m *geometry.Twist) { m.Linear.X = math.NaN() },
		func(m *geometry.Twist) { m.Linear.Z = math.Inf(1) },
		func(m *geometry.Twist) { m.Angular.X = math.NaN() },
		func(m *geometry.Twist) { m.Angular.Y = math.NaN() },
	} {
		r := driving(t)
		m := rosconv.Twist(geom.Velocity{VX: 0.5})
		spoil(&m)
		nodetest.Publish(r.Rig, topics.HandheldCmdVel, m)
		r.Advance(time.Millisecond)
		if v := r.cmd.Latest().Value; v != (geometry.Twist{}) {
			t.Errorf("%+v was answered with %+v", m, v)
		}
	}
}

func TestSetModeSaysWhyNot(t *testing.T) {
	r := driving(t)
	resp := r.setMode("manual", "handheld")
	if resp.Success || !strings.Contains(resp.Message, "manual") || resp.Mode != "remote" || resp.RemoteSource != "handheld" {
		t.Errorf("response %+v", resp)
	}
	resp = r.setMode("remote", "dashboard")
	if !resp.Success || resp.Message != "" || resp.RemoteSource != "dashboard" {
		t.Errorf("response %+v", resp)
	}
	if v := r.cmd.Latest().Value; v != (geometry.Twist{}) {
		t.Errorf("after the change: %+v", v)
	}
}

func TestEStopRequestAndRelease(t *testing.T) {
	r := driving(t)
	r.pause.Take()
	nodetest.Publish(r.Rig, topics.EStopRequest, std.String{Data: "test rig: button"})
	r.Advance(time.Millisecond)
	if v := r.cmd.Latest().Value; v != (geometry.Twist{}) {
		t.Errorf("after the request: %+v", v)
	}
	if got := r.pause.Latest().Value.Data; got != "estop" {
		t.Errorf("navigation was told to pause for %q", got)
	}
	if resp := r.trigger(topics.EStopEngage); !resp.Success {
		t.Error(resp.Message)
	}
	s := r.status.Latest().Value
	if !s.Estop || len(s.EstopReasons) != 1 || s.EstopReasons[0] != "test rig: button" || !strings.Contains(s.Message, "button") {
		t.Errorf("status %+v", s)
	}

	nodetest.Publish(r.Rig, topics.BodyStatus, dharma.BodyStatus{Estop: true, EstopHeld: true})
	r.Advance(tick)
	if resp := r.trigger(topics.EStopRelease); resp.Success || !strings.Contains(resp.Message, "hardware e-stop") {
		t.Errorf("release with the button pressed: %+v", resp)
	}
	if s := r.status.Latest().Value; !s.HardwareEstop || !s.Estop || len(s.EstopHolds) != 1 {
		t.Errorf("status %+v", s)
	}
	nodetest.Publish(r.Rig, topics.BodyStatus, dharma.BodyStatus{Estop: true}) // let go; the body's own latch waits for the mux
	r.Advance(tick)
	if resp := r.trigger(topics.EStopRelease); !resp.Success {
		t.Errorf("release: %+v", resp)
	}
	r.cmd.Take()
	r.hold(time.Second, topics.HandheldCmdVel, geom.Velocity{VX: 0.5})
	for _, m := range r.cmd.Take() {
		if m.Value != (geometry.Twist{}) {
			t.Fatalf("moves with the stick held: %+v", m)
		}
	}
}

func TestEngageService(t *testing.T) {
	r := driving(t)
	if resp := r.trigger(topics.EStopEngage); !resp.Success {
		t.Error(resp.Message)
	}
	if s := r.status.Latest().Value; !s.Estop || len(s.EstopReasons) != 1 {
		t.Errorf("status %+v", s)
	}
	if resp := r.trigger(topics.EStopRelease); !resp.Success || resp.Message == "" {
		t.Errorf("release %+v", resp)
	}
}

func TestNavigation(t *testing.T) {
	r := newRig(t)
	resumed := 0
	nodetest.Serve(r.Rig, topics.ResumeNavigation, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		resumed++
		return stdsrvs.TriggerResponse{Success: true}, nil
	})
	ahead := geom.Velocity{VX: 0.4}
	wantSpeed := func(what string, want float64) {
		t.Helper()
		if got := r.cmd.Latest().Value.Linear.X; got != want {
			t.Errorf("%s: %g m/s, want %g (%s)", what, got, want, r.status.Latest().Value.Message)
		}
	}
	state := func(s string) { nodetest.Publish(r.Rig, topics.NavigationStatus, dharma.NavigationStatus{State: s}) }

	r.hold(1200*time.Millisecond, nil, geom.Velocity{})
	r.hold(time.Second, topics.NavCmdVel, ahead)
	wantSpeed("not started", 0)
	state(dharma.NavigationStatusStateInactive)
	r.Advance(tick)
	nodetest.Publish(r.Rig, topics.NavigationStarted, std.String{Data: "start"})
	r.hold(tick, topics.NavCmdVel, ahead)
	state(dharma.NavigationStatusStateInactive) // repeated, and older than the start
	r.hold(5*tick, topics.NavCmdVel, ahead)
	if r.cmd.Latest().Value.Linear.X == 0 {
		t.Error("a repeated state stopped navigation")
	}
	state(dharma.NavigationStatusStateFollowing)
	r.hold(time.Second, topics.NavCmdVel, ahead)
	wantSpeed("started", 0.4)

	r.setMode("remote", "dashboard")
	if got := r.pause.Latest().Value.Data; got != "remote" {
		t.Errorf("navigation was told to pause for %q", got)
	}
	state(dharma.NavigationStatusStatePaused)
	r.hold(100*time.Millisecond, topics.NavCmdVel, ahead)
	wantSpeed("remote", 0)
	if r.setMode("auto", ""); resumed != 1 {
		t.Errorf("resumed %d times, want once", resumed)
	}
	nodetest.Publish(r.Rig, topics.NavigationStarted, std.String{Data: "resume"})
	state(dharma.NavigationStatusStateFollowing)
	r.hold(time.Second, topics.NavCmdVel, ahead)
	wantSpeed("resumed", 0.4)

	state(dharma.NavigationStatusStateFollowing) // nothing new
	r.hold(tick, topics.NavCmdVel, ahead)
	wantSpeed("still following", 0.4)
	state(dharma.NavigationStatusStateGoalReached)
	r.hold(tick, topics.NavCmdVel, ahead)
	wantSpeed("arrived", 0)
}

func TestHealthScale(t *testing.T) {
	r := driving(t)
	nodetest.Publish(r.Rig, topics.HealthStatus, dharma.HealthStatus{SpeedScale: 0.5})
	r.hold(time.Second, topics.HandheldCmdVel, geom.Velocity{VX: 0.5})
	if v := r.cmd.Latest().Value.Linear.X; v != 0.25 {
		t.Errorf("scale 0.5: %g m/s, want 0.25", v)
	}
	nodetest.Publish(r.Rig, topics.HealthStatus, dharma.HealthStatus{SpeedScale: float32(math.NaN())})
	r.Advance(time.Millisecond)
	if v := r.cmd.Latest().Value.Linear.X; v != 0 {
		t.Errorf("scale NaN: %g m/s, want 0", v)
	}
}

func TestScansThatDoNotCount(t *testing.T) {
	for name, spoil := range map[string]func(*dharma.SectorScan){
		"another frame":     func(s *dharma.SectorScan) { s.Header.FrameID = "odom" },
		"no stamp":          func(s *dharma.SectorScan) { s.Header = rosconv.Header(time.Time{}, frame) },
		"from the future":   func(s *dharma.SectorScan) { s.Header.Stamp.Sec += 10 },
		"of another shape":  func(s *dharma.SectorScan) { s.AngleIncrement = 0 },
		"without a sector":  func(s *dharma.SectorScan) { s.Ranges = nil },
		"an hour in flight": func(s *dharma.SectorScan) { s.Header.Stamp.Sec -= 3600 },
	} {
		r := driving(t)
		for range 60 {
			s := r.scan()
			spoil(&s)
			nodetest.Publish(r.Rig, topics.SafetyScan, s)
			nodetest.Publish(r.Rig, topics.HandheldCmdVel, rosconv.Twist(geom.Velocity{VX: 0.5}))
			r.Advance(tick)
		}
		if s := r.status.Latest().Value; s.Field != "stale" || s.Command != (geometry.Twist{}) {
			t.Errorf("scan %s: field %s, sent %+v", name, s.Field, s.Command)
		}
	}
}

func TestLastWord(t *testing.T) {
	r := driving(t)
	r.Stop()
	if v := r.cmd.Latest().Value; v != (geometry.Twist{}) {
		t.Errorf("last command %+v", v)
	}
	if s := r.status.Latest().Value; !s.Estop || !strings.Contains(s.EstopReasons[0], "shutting down") {
		t.Errorf("last status %+v", s)
	}
}

func TestNewRefuses(t *testing.T) {
	cfg := DefaultConfig()
	cfg.RemoteTimeout = 0
	if _, err := New(cfg, body(), frame); err == nil || !strings.Contains(err.Error(), "remote_timeout") {
		t.Errorf("error %v", err)
	}
}
