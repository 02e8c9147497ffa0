package pathfollower_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/pathfollower"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

type bench struct {
	*nodetest.Rig
	t        *testing.T
	status   *nodetest.Collector[dharma.NavigationStatus]
	command  *nodetest.Collector[geometry.Twist]
	started  *nodetest.Collector[std.String]
	stops    *nodetest.Collector[dharma.StopPointEvent]
	path     *nodetest.Collector[nav.Path]
	pose     geom.Pose2
	silent   bool
	commands int // that the robot has carried out
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, "none")
}

func newBenchWith(t *testing.T, avoid string) *bench {
	t.Helper()
	cfg := pathfollower.DefaultConfig()
	cfg.Avoid = avoid
	n, err := pathfollower.New(cfg, pathfollower.Deps{Frame: "map"})
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	b := &bench{
		Rig: r, t: t, status: nodetest.Collect(r, topics.NavigationStatus), command: nodetest.Collect(r, topics.NavCmdVel),
		started: nodetest.Collect(r, topics.NavigationStarted), stops: nodetest.Collect(r, topics.StopPoint),
		path: nodetest.Collect(r, topics.NavigationPath),
	}
	b.localized(dharma.LocalizationStatusStateLocalized)
	r.Run(pathfollower.Name, n)
	r.Advance(0)
	return b
}

func (b *bench) localized(state string) {
	nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: state})
}

// run lets the robot drive for a time; its pose comes at 20 Hz.
func (b *bench) run(d time.Duration) {
	for range d / (50 * time.Millisecond) {
		if !b.silent {
			m := geometry.PoseWithCovarianceStamped{Header: rosconv.Header(b.Now(), "map")}
			m.Pose.Pose = rosconv.Pose(b.pose.Transform())
			nodetest.Publish(b.Rig, topics.LocalizationPose, m)
		}
		b.Advance(50 * time.Millisecond)
		for _, c := range b.command.Values()[b.commands:] {
			b.pose = b.pose.Mul(rosconv.FromTwist(c).Integrate(0.05))
		}
		b.commands = b.command.Len()
	}
}

// see publishes sectors in which something stands ahead at a distance.
func (b *bench) see(distance float32) {
	m := dharma.SectorScan{Header: rosconv.Header(b.Now(), "base_link"), AngleMin: -math.Pi / 2, AngleIncrement: math.Pi / 32, RangeMax: 8}
	for i := range 32 {
		r := float32(8)
		if i >= 12 && i < 20 {
			r = distance
		}
		m.Ranges = append(m.Ranges, r)
	}
	nodetest.Publish(b.Rig, topics.SectorScan, m)
}

func (b *bench) state() string { return b.status.Latest().Value.State }

func (b *bench) until(state string, limit time.Duration) {
	b.t.Helper()
	for range limit / (50 * time.Millisecond) {
		if b.run(50 * time.Millisecond); b.state() == state {
			return
		}
	}
	b.t.Fatalf("not %s within %s: %+v", state, limit, b.status.Latest().Value)
}

func (b *bench) trigger(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) stdsrvs.TriggerResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, s, stdsrvs.TriggerRequest{})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) setPath(p dharma.WaypointPath) dharma.SetPathResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, topics.SetPath, dharma.SetPathRequest{Path: p})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// straight is a route along x with a stop in the middle.
func (b *bench) straight(length float64, dwell float64) dharma.WaypointPath {
	p := dharma.WaypointPath{Header: rosconv.Header(b.Now(), "map"), Name: "site/routes/a.csv"}
	n := int(length * 10)
	for i := range n + 1 {
		w := dharma.Waypoint{X: float64(i) / 10}
		if i == n/2 {
			w.DwellSec = dwell
		}
		p.Points = append(p.Points, w)
	}
	return p
}

func (b *bench) walking() {
	b.t.Helper()
	if r := b.setPath(b.straight(20, 0)); !r.Success {
		b.t.Fatal(r.Message)
	}
	if r := b.trigger(topics.StartNavigation); !r.Success {
		b.t.Fatal(r.Message)
	}
	b.until(dharma.NavigationStatusStateFollowing, 2*time.Second)
	b.run(2 * time.Second)
}

func TestWalksARoute(t *testing.T) {
	b := newBench(t)
	if s := b.status.Latest().Value; s.State != "INACTIVE" || s.Index != -1 || s.SpeedTarget != 0.4 || s.PauseReasons == nil {
		t.Errorf("before a path: %+v", s)
	}
	if r := b.trigger(topics.StartNavigation); r.Success || !strings.Contains(r.Message, "no path is loaded") {
		t.Errorf("start without a path: %+v", r)
	}
	if r := b.setPath(b.straight(4, 1)); !r.Success || len(b.path.Latest().Value.Poses) != 41 {
		t.Fatalf("set path: %+v", r)
	}
	b.localized(dharma.LocalizationStatusStateNone)
	if r := b.trigger(topics.StartNavigation); r.Success || !strings.Contains(r.Message, "not localized") {
		t.Errorf("start without localization: %+v", r)
	}
	b.localized(dharma.LocalizationStatusStateLocalized)
	if r := b.trigger(topics.StartNavigation); !r.Success {
		t.Fatal(r.Message)
	}
	if b.started.Len() != 1 || b.state() == "INACTIVE" {
		t.Errorf("%d starts told, state %s", b.started.Len(), b.state())
	}
	if r := b.setPath(b.straight(4, 1)); !r.Success || b.state() == "INACTIVE" {
		t.Errorf("a path under way: %+v, state %s", r, b.state())
	}
	b.until(dharma.NavigationStatusStateDwelling, 20*time.Second)
	if s := b.status.Latest().Value; s.DwellLeft <= 0 || s.NextStop != 20 || math.Abs(float64(s.Remaining)-2) > 0.1 {
		t.Errorf("at the stop: %+v", s)
	}
	b.until(dharma.NavigationStatusStateGoalReached, 30*time.Second)
	var kinds []string
	for _, e := range b.stops.Values() {
		kinds = append(kinds, e.Event)
		if e.X != 2 || e.DwellSec != 1 || e.Path != "site/routes/a.csv" {
			t.Errorf("event %+v", e)
		}
	}
	if !slices.Equal(kinds, []string{"arrived", "departed"}) || b.pose.Position().Distance(geom.Vec2{X: 4}) > 0.05 {
		t.Errorf("events %v, at %v", kinds, b.pose)
	}
	b.run(time.Second)
	if last := b.command.Latest().Value; last != (geometry.Twist{}) {
		t.Errorf("last velocity %v", last)
	}
	n := b.command.Len()
	if b.run(time.Second); b.command.Len() != n {
		t.Error("velocities after arrival")
	}
}

func TestRemoteAndOperatorPauseApart(t *testing.T) {
	b := newBench(t)
	b.walking()
	nodetest.Publish(b.Rig, topics.ControlStatus, dharma.ControlStatus{Mode: dharma.ControlStatusModeRemote})
	nodetest.Publish(b.Rig, topics.NavigationPause, std.String{Data: "remote"})
	b.Advance(0)
	if s := b.status.Latest().Value; s.State != "PAUSED" || !slices.Equal(s.PauseReasons, []string{"remote"}) || b.command.Latest().Value != (geometry.Twist{}) {
		t.Fatalf("remote: %+v, command %v", s, b.command.Latest().Value)
	}
	b.trigger(topics.PauseNavigation)
	nodetest.Publish(b.Rig, topics.ControlStatus, dharma.ControlStatus{Mode: dharma.ControlStatusModeAuto})
	b.Advance(0)
	b.trigger(topics.ResumeNavigation) // the mux
	b.run(time.Second)
	if s := b.status.Latest().Value; s.State != "PAUSED" || !slices.Equal(s.PauseReasons, []string{"operator"}) {
		t.Fatalf("back in auto: %+v", s)
	}
	starts := b.started.Len()
	if r := b.trigger(topics.ResumeNavigation); !r.Success {
		t.Fatal(r.Message)
	}
	b.run(time.Second)
	if b.state() != "FOLLOWING" || b.started.Len() == starts {
		t.Errorf("resumed: %s, %d starts told", b.state(), b.started.Len()-starts)
	}
}

func TestMuxResumesBeforeItsStatus(t *testing.T) {
	b := newBench(t)
	b.walking()
	nodetest.Publish(b.Rig, topics.NavigationPause, std.String{Data: "remote"})
	b.Advance(0)
	b.trigger(topics.PauseNavigation)
	b.trigger(topics.ResumeNavigation)
	if s := b.status.Latest().Value; !slices.Equal(s.PauseReasons, []string{"operator"}) {
		t.Errorf("%+v", s)
	}
}

func TestEStopNeedsAPerson(t *testing.T) {
	b := newBench(t)
	b.walking()
	nodetest.Publish(b.Rig, topics.ControlStatus, dharma.ControlStatus{Mode: dharma.ControlStatusModeAuto, Estop: true})
	nodetest.Publish(b.Rig, topics.NavigationPause, std.String{Data: "estop"})
	b.Advance(0)
	if s := b.status.Latest().Value; !slices.Equal(s.PauseReasons, []string{"estop"}) {
		t.Fatalf("%+v", s)
	}
	if r := b.trigger(topics.ResumeNavigation); !strings.Contains(r.Message, "paused: [estop]") {
		t.Errorf("resume while engaged: %+v", r)
	}
	nodetest.Publish(b.Rig, topics.ControlStatus, dharma.ControlStatus{Mode: dharma.ControlStatusModeAuto})
	b.run(time.Second)
	if b.state() != "PAUSED" {
		t.Fatal("it goes on by itself after the e-stop")
	}
	b.trigger(topics.ResumeNavigation)
	b.run(time.Second)
	if b.state() != "FOLLOWING" {
		t.Errorf("after the release and a resume: %+v", b.status.Latest().Value)
	}
}

func TestLostLocalizationPauses(t *testing.T) {
	b := newBench(t)
	b.walking()
	b.silent = true
	b.run(700 * time.Millisecond)
	if s := b.status.Latest().Value; !slices.Equal(s.PauseReasons, []string{"localization"}) || b.command.Latest().Value != (geometry.Twist{}) {
		t.Fatalf("%+v", s)
	}
	starts := b.started.Len()
	b.silent = false
	b.run(time.Second)
	if b.state() != "FOLLOWING" || b.started.Len() != starts+1 {
		t.Errorf("the pose is back: %s, %d starts told", b.state(), b.started.Len()-starts)
	}
}

func TestObstacles(t *testing.T) {
	b := newBenchWith(t, "vfh")
	if r := b.setPath(b.straight(20, 0)); !r.Success {
		t.Fatal(r.Message)
	}
	b.trigger(topics.StartNavigation)
	b.run(500 * time.Millisecond)
	if s := b.status.Latest().Value; !slices.Equal(s.PauseReasons, []string{"avoidance"}) {
		t.Fatalf("without a scan: %+v", s)
	}
	look := func(distance float32, d time.Duration) {
		for range d / (100 * time.Millisecond) {
			b.see(distance)
			b.run(100 * time.Millisecond)
		}
	}
	look(8, 3*time.Second)
	if v := b.command.Latest().Value.Linear.X; b.state() != "FOLLOWING" || v < 0.35 || math.Abs(b.pose.Y) > 1e-6 {
		t.Fatalf("free: %s at %g m/s, %v", b.state(), v, b.pose)
	}
	look(1.2, time.Second)
	if v := b.command.Latest().Value; v.Linear.X > 0.35 || v.Angular.Z == 0 {
		t.Errorf("something at 1.2 m: %v", v)
	}
	look(0.6, 300*time.Millisecond)
	if v := b.command.Latest().Value; v != (geometry.Twist{}) || !strings.Contains(b.status.Latest().Value.Message, "0.6 m ahead") {
		t.Errorf("something at 0.6 m: %v, %+v", v, b.status.Latest().Value)
	}
	look(0.6, 31*time.Second)
	if s := b.status.Latest().Value; s.State != "BLOCKED" || s.ErrorCode != 104 {
		t.Errorf("for 30 s: %+v", s)
	}
	look(8, 3*time.Second)
	if b.state() != "FOLLOWING" {
		t.Errorf("free again: %+v", b.status.Latest().Value)
	}
}

func TestStopAndClear(t *testing.T) {
	b := newBench(t)
	if r := b.trigger(topics.PauseNavigation); r.Success {
		t.Error("paused while nothing is followed")
	}
	if r := b.trigger(topics.ResumeNavigation); r.Success {
		t.Error("resumed while nothing is followed")
	}
	b.walking()
	b.trigger(topics.StopNavigation)
	if b.state() != "INACTIVE" || b.command.Latest().Value != (geometry.Twist{}) {
		t.Errorf("stopped: %s, %v", b.state(), b.command.Latest().Value)
	}
	if r := b.setPath(dharma.WaypointPath{}); !r.Success || b.status.Latest().Value.Total != 0 || len(b.path.Latest().Value.Poses) != 0 {
		t.Errorf("cleared: %+v", b.status.Latest().Value)
	}
}

func TestBadPathsAreRefused(t *testing.T) {
	b := newBench(t)
	good := b.straight(4, 0)
	for name, change := range map[string]func(*dharma.WaypointPath){
		"frame":     func(p *dharma.WaypointPath) { p.Header.FrameID = "odom" },
		"one point": func(p *dharma.WaypointPath) { p.Points = p.Points[:1] },
		"NaN":       func(p *dharma.WaypointPath) { p.Points[3].X = math.NaN() },
		"dwell":     func(p *dharma.WaypointPath) { p.Points[3].DwellSec = 1e6 },
	} {
		p := good
		p.Points = slices.Clone(good.Points)
		change(&p)
		if r := b.setPath(p); r.Success || r.Message == "" || b.status.Latest().Value.Total != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestSpeedIsChosen(t *testing.T) {
	b := newBench(t)
	for _, tt := range []struct {
		speed float32
		ok    bool
		want  float32
	}{{0.6, true, 0.6}, {0.1, true, 0.1}, {0.7, false, 0.1}, {0, false, 0.1}, {float32(math.NaN()), false, 0.1}} {
		r, err := nodetest.Call(b.Rig, topics.SetNavSpeed, dharma.SetNavSpeedRequest{Speed: tt.speed})
		if err != nil || r.Success != tt.ok || r.Speed != tt.want || b.status.Latest().Value.SpeedTarget != tt.want {
			t.Errorf("%g: %+v, %v", tt.speed, r, err)
		}
	}
}

func TestLowBatteryEndsTheLap(t *testing.T) {
	b := newBench(t)
	ring := dharma.WaypointPath{Header: rosconv.Header(b.Now(), "map"), Name: "ring", Loop: true}
	for i := range 100 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / 100)
		ring.Points = append(ring.Points, dharma.Waypoint{X: 2 * s, Y: 2 - 2*c})
	}
	if r := b.setPath(ring); !r.Success {
		t.Fatal(r.Message)
	}
	b.trigger(topics.StartNavigation)
	nodetest.Publish(b.Rig, topics.BodyBattery, sensor.BatteryState{Percentage: 0.19})
	b.Advance(0)
	nodetest.Publish(b.Rig, topics.BodyBattery, sensor.BatteryState{Percentage: 0.21}) // recovers a little
	b.until(dharma.NavigationStatusStateGoalReached, 2*time.Minute)
	if s := b.status.Latest().Value; s.Lap != 0 {
		t.Errorf("%+v", s)
	}
}

func TestConfigIsChecked(t *testing.T) {
	cfg := pathfollower.DefaultConfig()
	cfg.Speed, cfg.Period = 9, 0
	_, err := pathfollower.New(cfg, pathfollower.Deps{Frame: "map"})
	if err == nil || !strings.Contains(err.Error(), "speed: ") || !strings.Contains(err.Error(), "period: ") {
		t.Errorf("error %v", err)
	}
	if _, err := pathfollower.New(pathfollower.DefaultConfig(), pathfollower.Deps{}); err == nil {
		t.Error("no frame is accepted")
	}
}
