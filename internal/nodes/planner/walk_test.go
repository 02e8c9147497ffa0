package planner_test

import (
	"math"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/pathfollower"
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

// walker is the planner with the real path follower, and a body that slips, in a room of 10 × 6 m with people.
type walker struct {
	*nodetest.Rig
	t       *testing.T
	status  *nodetest.Collector[dharma.PlannerStatus]
	command *nodetest.Collector[geometry.Twist]
	paths   *nodetest.Collector[nav.Path]
	pose    geom.Pose2
	people  []geom.Vec2
	done    int // commands carried out
	steps   int
	slowest float64 // [m/s] while it walked
	nearest float64 // [m] from the middle of the robot to anybody
}

func newWalker(t *testing.T) *walker {
	t.Helper()
	p, err := planner.New(planner.DefaultConfig(), planner.Deps{Frame: "map", BaseFrame: "base_link", Footprint: footprint()})
	if err != nil {
		t.Fatal(err)
	}
	cfg := pathfollower.DefaultConfig()
	cfg.Avoid = "none" // the planner alone leads around people here
	f, err := pathfollower.New(cfg, pathfollower.Deps{Frame: "map"})
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	w := &walker{
		Rig: r, t: t, pose: geom.Pose2{X: 1, Y: 3}, nearest: math.Inf(1),
		status: nodetest.Collect(r, topics.PlannerStatus), command: nodetest.Collect(r, topics.NavCmdVel), paths: nodetest.Collect(r, topics.NavigationPath),
	}
	nodetest.Publish(r, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(r.Now(), "base_link", "laser", geom.Pose2{X: 0.2}.Transform()),
	}})
	nodetest.Publish(r, topics.LocalizationStatus, dharma.LocalizationStatus{State: dharma.LocalizationStatusStateLocalized})
	(&bench{Rig: r, t: t}).room(nil)
	r.Run(planner.Name, p)
	r.Run(pathfollower.Name, f)
	w.run(500 * time.Millisecond)
	return w
}

// run lets the robot walk: poses at 20 Hz, scans at 10 Hz, and 3 % slip.
func (w *walker) run(d time.Duration) {
	for range d / (50 * time.Millisecond) {
		m := geometry.PoseWithCovarianceStamped{Header: rosconv.Header(w.Now(), "map")}
		m.Pose.Pose = rosconv.Pose(w.pose.Transform())
		nodetest.Publish(w.Rig, topics.LocalizationPose, m)
		if w.steps++; w.steps%2 == 0 {
			nodetest.Publish(w.Rig, topics.BodyScan, w.scan())
		}
		w.Advance(50 * time.Millisecond)
		for _, c := range w.command.Values()[w.done:] {
			w.pose = w.pose.Mul(rosconv.FromTwist(c).Scale(0.97).Integrate(0.05))
			w.slowest = min(w.slowest, c.Linear.X)
		}
		w.done = w.command.Len()
		for _, p := range w.people {
			w.nearest = min(w.nearest, w.pose.Position().Distance(p))
		}
	}
}

// scan sees people of 0.4 m, and nothing else: the walls are on the map.
func (w *walker) scan() sensor.LaserScan {
	const radius = 0.2
	s := sensor.LaserScan{Header: rosconv.Header(w.Now(), "laser"), AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMin: 0.1, RangeMax: 8}
	sensorAt := w.pose.Mul(geom.Pose2{X: 0.2})
	for i := range 360 {
		r := math.Inf(1)
		for _, p := range w.people {
			q := sensorAt.Inverse().Apply(p)
			along := q.Rotate(-(-math.Pi + float64(i)*math.Pi/180))
			if along.X > 0 && math.Abs(along.Y) < radius {
				r = min(r, along.X-math.Sqrt(radius*radius-along.Y*along.Y))
			}
		}
		s.Ranges = append(s.Ranges, float32(r))
	}
	return s
}

func (w *walker) goTo(x, y, yaw float64) dharma.GoToResponse {
	w.t.Helper()
	r, err := nodetest.Call(w.Rig, topics.GoTo, dharma.GoToRequest{X: x, Y: y, Yaw: yaw})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *walker) until(state string, limit time.Duration) dharma.PlannerStatus {
	w.t.Helper()
	for range limit / (50 * time.Millisecond) {
		if w.run(50 * time.Millisecond); w.status.Latest().Value.State == state {
			return w.status.Latest().Value
		}
	}
	w.t.Fatalf("not %s within %s: %+v, at %v", state, limit, w.status.Latest().Value, w.pose)
	return dharma.PlannerStatus{}
}

func TestArrivesWithTheFollower(t *testing.T) {
	w := newWalker(t)
	for _, goal := range []geom.Pose2{{X: 8, Y: 3, Theta: 1.5}, {X: 2, Y: 5, Theta: -2}, {X: 2.1, Y: 5, Theta: 3}} {
		if r := w.goTo(goal.X, goal.Y, goal.Theta); !r.Success {
			t.Fatal(r.Message)
		}
		if s := w.status.Latest().Value; s.State != "following" {
			t.Fatalf("on the way: %+v", s)
		}
		w.until("arrived", time.Minute)
		if d, a := w.pose.Position().Distance(goal.Position()), geom.AngleDiff(w.pose.Theta, goal.Theta); d > 0.05 || math.Abs(a) > 0.053 {
			t.Errorf("at %v: %.3f m and %.3f rad off", goal, d, a)
		}
	}
}

func TestWalksAroundSomebodyWithoutStopping(t *testing.T) {
	w := newWalker(t)
	if r := w.goTo(8.5, 3, 0); !r.Success {
		t.Fatal(r.Message)
	}
	w.run(3 * time.Second)
	w.people, w.slowest = []geom.Vec2{{X: 5, Y: 3.1}}, 1
	w.run(8 * time.Second)
	if w.slowest < 0.15 {
		t.Errorf("it slowed down to %.2f m/s", w.slowest)
	}
	s := w.until("arrived", time.Minute)
	if s.Replans == 0 || w.nearest < 0.48 {
		t.Errorf("%d replans, passed with %.2f m to the middle of somebody", s.Replans, w.nearest)
	}
}

func TestANewGoalUnderWay(t *testing.T) {
	w := newWalker(t)
	if r := w.goTo(8, 3, 0); !r.Success {
		t.Fatal(r.Message)
	}
	w.run(4 * time.Second)
	w.slowest = 1
	if r := w.goTo(8, 4, 0); !r.Success {
		t.Fatal(r.Message)
	}
	w.run(4 * time.Second)
	if w.slowest < 0.2 {
		t.Errorf("between two goals that agree it slowed down to %.2f m/s", w.slowest)
	}
	w.until("arrived", time.Minute)
	if r, err := nodetest.Call(w.Rig, topics.StartNavigation, stdsrvs.TriggerRequest{}); err != nil || !r.Success {
		t.Errorf("%+v, %v", r, err)
	}
	w.run(time.Second)
	if s := w.status.Latest().Value; s.State != "arrived" {
		t.Errorf("somebody else's walk is the planner's: %+v", s)
	}
}

func TestStoppedByHand(t *testing.T) {
	w := newWalker(t)
	if r := w.goTo(8, 3, 0); !r.Success {
		t.Fatal(r.Message)
	}
	w.run(2 * time.Second)
	if _, err := nodetest.Call(w.Rig, topics.StopNavigation, stdsrvs.TriggerRequest{}); err != nil {
		t.Fatal(err)
	}
	w.run(time.Second)
	if s := w.status.Latest().Value; s.State != "cancelled" || w.command.Latest().Value != (geometry.Twist{}) {
		t.Errorf("%+v, %v", s, w.command.Latest().Value)
	}
}
