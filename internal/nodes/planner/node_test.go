package planner_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/planner"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/tf2"
)

func footprint() geom.Polygon {
	return geom.Polygon{{X: 0.4, Y: 0.28}, {X: -0.4, Y: 0.28}, {X: -0.4, Y: -0.28}, {X: 0.4, Y: -0.28}}
}

// bench is the planner with a follower that does what it is told, in a room of 10 × 6 m.
type bench struct {
	*nodetest.Rig
	t       *testing.T
	status  *nodetest.Collector[dharma.PlannerStatus]
	costs   *nodetest.Collector[nav.OccupancyGrid]
	pose    geom.Pose2
	paths   []dharma.WaypointPath
	started int
	stopped int
	refuse  string // what the follower says to a path
}

func newBench(t *testing.T, change func(*planner.Config)) *bench {
	t.Helper()
	cfg := planner.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	n, err := planner.New(cfg, planner.Deps{Frame: "map", BaseFrame: "base_link", Footprint: footprint()})
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	b := &bench{
		Rig: r, t: t, pose: geom.Pose2{X: 1, Y: 3},
		status: nodetest.Collect(r, topics.PlannerStatus), costs: nodetest.Collect(r, topics.PlannerCostmap),
	}
	nodetest.Serve(r, topics.SetPath, func(q dharma.SetPathRequest) (dharma.SetPathResponse, error) {
		if b.refuse != "" {
			return dharma.SetPathResponse{Message: b.refuse}, nil
		}
		b.paths = append(b.paths, q.Path)
		return dharma.SetPathResponse{Success: true}, nil
	})
	nodetest.Serve(r, topics.StartNavigation, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		b.started++
		return stdsrvs.TriggerResponse{Success: true}, nil
	})
	nodetest.Serve(r, topics.StopNavigation, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		b.stopped++
		return stdsrvs.TriggerResponse{Success: true}, nil
	})
	nodetest.Publish(r, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(r.Now(), "base_link", "laser", geom.Pose2{X: 0.2}.Transform()),
	}})
	b.localized(true)
	b.room(nil)
	r.Run(planner.Name, n)
	b.run(500 * time.Millisecond)
	return b
}

func (b *bench) localized(yes bool) {
	state := dharma.LocalizationStatusStateNone
	if yes {
		state = dharma.LocalizationStatusStateLocalized
	}
	nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: state})
}

// room publishes the map, changed by wall.
func (b *bench) room(wall func(x, y float64) bool) {
	const w, h = 200, 120
	m := nav.OccupancyGrid{Header: rosconv.Header(b.Now(), "map"), Info: nav.MapMetaData{Resolution: 0.05, Width: w, Height: h, Origin: *geometry.NewPose()}}
	for i := range w * h {
		x, y := i%w, i/w
		v := int8(0)
		if x == 0 || y == 0 || x == w-1 || y == h-1 || wall != nil && wall(float64(x)*0.05, float64(y)*0.05) {
			v = 100
		}
		m.Data = append(m.Data, v)
	}
	nodetest.Publish(b.Rig, topics.Map, m)
}

// run lets time pass with poses at 20 Hz.
func (b *bench) run(d time.Duration) {
	for range d / (50 * time.Millisecond) {
		m := geometry.PoseWithCovarianceStamped{Header: rosconv.Header(b.Now(), "map")}
		m.Pose.Pose = rosconv.Pose(b.pose.Transform())
		nodetest.Publish(b.Rig, topics.LocalizationPose, m)
		b.Advance(50 * time.Millisecond)
	}
}

// see publishes a scan that has a wall across the way at a distance ahead, width to each side, and sees nothing else.
func (b *bench) see(ahead, width float64) {
	s := sensor.LaserScan{Header: rosconv.Header(b.Now().Add(-20*time.Millisecond), "laser"), AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMin: 0.1, RangeMax: 8}
	for i := range 360 {
		r, a := math.Inf(1), -math.Pi+float64(i)*math.Pi/180
		if x := ahead - 0.2; math.Abs(a) < 1.5 && math.Abs(x*math.Tan(a)) < width {
			r = x / math.Cos(a)
		}
		s.Ranges = append(s.Ranges, float32(r))
	}
	nodetest.Publish(b.Rig, topics.BodyScan, s)
}

func (b *bench) goTo(x, y, yaw float64, poi string) dharma.GoToResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, topics.GoTo, dharma.GoToRequest{X: x, Y: y, Yaw: yaw, Goal: poi})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// follower publishes what the path follower is at.
func (b *bench) follower(state string, remaining float32) {
	nodetest.Publish(b.Rig, topics.NavigationStatus, dharma.NavigationStatus{State: state, Path: b.paths[len(b.paths)-1].Name, Remaining: remaining})
	b.Advance(0)
}

func (b *bench) want(state string, code uint16) dharma.PlannerStatus {
	b.t.Helper()
	s := b.status.Latest().Value
	if s.State != state || s.ErrorCode != code {
		b.t.Fatalf("status %+v, want %s with code %d", s, state, code)
	}
	return s
}

func TestWalksToAGoal(t *testing.T) {
	b := newBench(t, nil)
	if s := b.want("idle", 0); !math.IsNaN(float64(s.Remaining)) {
		t.Errorf("%+v", s)
	}
	r := b.goTo(8, 3, 1.5, "fountain")
	if !r.Success || math.Abs(float64(r.Length)-7) > 0.05 || b.started != 1 || len(b.paths) != 1 {
		t.Fatalf("%+v, %d starts, %d paths", r, b.started, len(b.paths))
	}
	p := b.paths[0]
	if last := p.Points[len(p.Points)-1]; p.Name != "fountain" || p.Header.FrameID != "map" || last != (dharma.Waypoint{X: 8, Y: 3, Yaw: 1.5}) {
		t.Errorf("path %s to %v", p.Name, last)
	}
	if s := b.want("following", 0); s.Goal != "fountain" || s.GoalPose != (geometry.Pose2D{X: 8, Y: 3, Theta: 1.5}) || s.PlanningTime <= 0 {
		t.Errorf("%+v", s)
	}
	b.follower("FOLLOWING", 3.5)
	if s := b.want("following", 0); s.Remaining != 3.5 {
		t.Errorf("%+v", s)
	}
	b.follower("GOAL_REACHED", 0)
	if s := b.want("arrived", 0); s.Remaining != 0 {
		t.Errorf("%+v", s)
	}
	if r, err := nodetest.Call(b.Rig, topics.CancelPlan, stdsrvs.TriggerRequest{}); err != nil || r.Success {
		t.Errorf("cancel after arrival: %+v, %v", r, err)
	}
}

func TestReasons(t *testing.T) {
	b := newBench(t, nil)
	nan := math.NaN()
	for _, tt := range []struct {
		name    string
		x, y    float64
		code    uint16
		message string
	}{
		{"outside", 30, 3, 204, "outside the map"},
		{"NaN", nan, 3, 204, "outside the map"},
		{"in a wall", 0, 3, 206, "inside an obstacle"},
	} {
		if r := b.goTo(tt.x, tt.y, 0, ""); r.Success || r.ErrorCode != tt.code || !strings.Contains(r.Message, tt.message) {
			t.Errorf("%s: %+v", tt.name, r)
		}
		b.want("failed", tt.code)
	}
	b.localized(false)
	if r := b.goTo(8, 3, 0, ""); r.ErrorCode != 202 {
		t.Errorf("not localized: %+v", r)
	}
	b.localized(true)
	b.Advance(time.Second) // without a pose
	if r := b.goTo(8, 3, 0, ""); r.ErrorCode != 202 {
		t.Errorf("the pose is old: %+v", r)
	}
	b.room(func(x, _ float64) bool { return x > 5 && x < 5.2 })
	b.run(time.Second)
	if r := b.goTo(8, 3, 0, ""); r.ErrorCode != 208 || !strings.Contains(r.Message, "no way") {
		t.Errorf("a wall across: %+v", r)
	}
	b.refuse = "the follower is on strike"
	if r := b.goTo(4, 3, 0, ""); r.Success || !strings.Contains(r.Message, "on strike") {
		t.Errorf("%+v", r)
	}
	nodetest.Publish(b.Rig, topics.Map, nav.OccupancyGrid{}) // the site was left
	b.run(time.Second)
	if r := b.goTo(4, 3, 0, ""); r.Success || !strings.Contains(r.Message, "no map") {
		t.Errorf("%+v", r)
	}
	if b.started != 0 || b.stopped != 0 {
		t.Errorf("%d starts, %d stops", b.started, b.stopped)
	}
}

func TestPlanMovesNothing(t *testing.T) {
	b := newBench(t, nil)
	r, err := nodetest.Call(b.Rig, topics.PlanPath, dharma.PlanPathRequest{Goal: geometry.Pose2D{X: 8, Y: 3}})
	if err != nil || !r.Success || math.Abs(float64(r.Length)-7) > 0.05 || len(r.Path.Poses) < 60 || r.Path.Poses[0].Pose.Position.X != 1 {
		t.Errorf("from here: %+v, %v", r.Message, err)
	}
	b.localized(false)
	r, err = nodetest.Call(b.Rig, topics.PlanPath, dharma.PlanPathRequest{FromPose: true, Start: geometry.Pose2D{X: 2, Y: 2}, Goal: geometry.Pose2D{X: 8, Y: 2}})
	if err != nil || !r.Success || math.Abs(float64(r.Length)-6) > 0.05 {
		t.Errorf("from a pose, not localized: %+v, %v", r.Message, err)
	}
	r, err = nodetest.Call(b.Rig, topics.PlanPath, dharma.PlanPathRequest{Goal: geometry.Pose2D{X: 8, Y: 2}})
	if err != nil || r.Success || r.ErrorCode != 202 {
		t.Errorf("from here, not localized: %+v, %v", r, err)
	}
	b.want("idle", 0)
	if len(b.paths) != 0 {
		t.Error("the follower got a path")
	}
}

func TestBlockedWayIsReplanned(t *testing.T) {
	b := newBench(t, nil)
	if r := b.goTo(8, 3, 0, ""); !r.Success {
		t.Fatal(r.Message)
	}
	b.follower("FOLLOWING", 7)
	for range 10 {
		b.see(3, 0.5)
		b.run(100 * time.Millisecond)
	}
	s := b.want("following", 0)
	if s.Replans == 0 || len(b.paths) < 2 || b.started != 1 || b.stopped != 0 {
		t.Fatalf("%+v, %d paths, %d starts, %d stops", s, len(b.paths), b.started, b.stopped)
	}
	for _, w := range b.paths[len(b.paths)-1].Points {
		if math.Abs(w.X-4) < 0.2 && math.Abs(w.Y-3) < 0.7 {
			t.Errorf("the new way leads through the obstacle, at %.2f, %.2f", w.X, w.Y)
		}
	}
	paths := len(b.paths)
	for range 20 {
		b.see(3, 0.5)
		b.run(100 * time.Millisecond)
	}
	if len(b.paths) != paths {
		t.Errorf("%d more paths although the new way is free", len(b.paths)-paths)
	}
	b.follower("GOAL_REACHED", 0)
	b.want("arrived", 0)
}

func TestPatienceWithAClosedWay(t *testing.T) {
	b := newBench(t, func(c *planner.Config) { c.Patience = 5 * time.Second })
	if r := b.goTo(8, 3, 0, ""); !r.Success {
		t.Fatal(r.Message)
	}
	b.room(func(x, _ float64) bool { return x > 4 && x < 4.2 })
	b.run(3 * time.Second)
	if s := b.want("following", 0); !strings.Contains(s.Message, "no other yet") || b.stopped != 0 {
		t.Errorf("%+v", s)
	}
	b.room(nil)
	b.run(2 * time.Second)
	if s := b.want("following", 0); !strings.Contains(s.Message, "on the way") {
		t.Errorf("the way is free again: %+v", s)
	}
	b.room(func(x, _ float64) bool { return x > 4 && x < 4.2 })
	b.run(4500 * time.Millisecond)
	b.want("following", 0)
	b.run(2 * time.Second)
	b.want("failed", 208)
	if b.stopped != 1 {
		t.Errorf("%d stops", b.stopped)
	}
}

func TestNewGoalTakesThePlaceOfTheOld(t *testing.T) {
	b := newBench(t, nil)
	if r := b.goTo(8, 3, 0, "a"); !r.Success {
		t.Fatal(r.Message)
	}
	b.follower("FOLLOWING", 7)
	if r := b.goTo(8, 4, 0, "b"); !r.Success || b.stopped != 0 {
		t.Fatalf("%+v, %d stops", r, b.stopped)
	}
	if s := b.want("following", 0); s.Goal != "b" || s.Replans != 0 {
		t.Errorf("%+v", s)
	}
	if r := b.goTo(0, 3, 0, "wall"); r.Success || b.stopped != 1 { // it must not go on to b
		t.Errorf("%+v, %d stops", r, b.stopped)
	}
	b.want("failed", 206)
}

func TestEndsOfAMission(t *testing.T) {
	for _, tt := range []struct {
		name, state string
		end         func(b *bench)
		code        uint16
		stops       int
	}{
		{"cancelled", "cancelled", func(b *bench) {
			if r, err := nodetest.Call(b.Rig, topics.CancelPlan, stdsrvs.TriggerRequest{}); err != nil || !r.Success {
				b.t.Errorf("%+v, %v", r, err)
			}
		}, 0, 1},
		{"navigation is stopped", "cancelled", func(b *bench) { b.follower("INACTIVE", 0) }, 0, 0},
		{"another path", "cancelled", func(b *bench) {
			nodetest.Publish(b.Rig, topics.NavigationStatus, dharma.NavigationStatus{State: "FOLLOWING", Path: "routes/x.csv"})
		}, 0, 0},
		{"the follower fails", "failed", func(b *bench) { b.follower("FAILED", 3) }, 208, 0},
		{"off the path", "failed", func(b *bench) { b.follower("OFF_PATH", 3) }, 208, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			if r := b.goTo(8, 3, 0, ""); !r.Success {
				t.Fatal(r.Message)
			}
			b.follower("PAUSED", 7)
			b.want("following", 0)
			tt.end(b)
			b.run(time.Second)
			if s := b.want(tt.state, tt.code); !math.IsNaN(float64(s.Remaining)) || b.stopped != tt.stops {
				t.Errorf("%+v, %d stops", s, b.stopped)
			}
			paths := len(b.paths)
			if b.run(2 * time.Second); len(b.paths) != paths {
				t.Error("it plans on")
			}
		})
	}
}

func TestCostmapIsShown(t *testing.T) {
	b := newBench(t, nil)
	b.see(3.02, 0.3)
	b.run(3 * time.Second)
	m := b.costs.Latest().Value
	if m.Info.Width != 200 || m.Info.Resolution != 0.05 || len(m.Data) != 200*120 {
		t.Fatalf("%+v", m.Info)
	}
	at := func(x, y float64) int8 { return m.Data[int(y/0.05)*200+int(x/0.05)] }
	if got := [4]int8{at(0.01, 3), at(0.15, 3), at(2.5, 3), at(4.01, 3)}; got != [4]int8{100, 99, 0, 100} {
		t.Errorf("wall, beside it, free, seen: %v", got)
	}
}

func TestConfigIsChecked(t *testing.T) {
	cfg := planner.DefaultConfig()
	cfg.Patience, cfg.LookAhead = 0, 0
	good := planner.Deps{Frame: "map", BaseFrame: "base_link", Footprint: footprint()}
	if _, err := planner.New(cfg, good); err == nil || !strings.Contains(err.Error(), "patience: ") || !strings.Contains(err.Error(), "look_ahead: ") {
		t.Errorf("error %v", err)
	}
	if _, err := planner.New(planner.DefaultConfig(), planner.Deps{Frame: "map", BaseFrame: "base_link"}); err == nil {
		t.Error("no footprint is accepted")
	}
	if _, err := planner.New(planner.DefaultConfig(), planner.Deps{Footprint: footprint()}); err == nil {
		t.Error("no frames are accepted")
	}
}
