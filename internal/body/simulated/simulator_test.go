package simulated_test

import (
	"math"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/internal/body/host"
	"sarathi/internal/body/simulated"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/tf2"
)

// robot is a whole simulated body on the bus: both nodes on one plant.
type robot struct {
	*nodetest.Rig
	plant    *simulated.Plant
	truth    *nodetest.Collector[nav.Odometry]
	status   *nodetest.Collector[dharma.SimStatus]
	body     *nodetest.Collector[dharma.BodyStatus]
	lidar    *nodetest.Collector[nav.Odometry]
	tf       *nodetest.Collector[tf2.TFMessage]
	requests *nodetest.Collector[std.String]
}

func newRobot(t *testing.T, world string, p preset, change func(*simulated.Body, *simulated.Config)) *robot {
	t.Helper()
	rig := nodetest.New(t, nodetest.Options{})
	r := &robot{
		Rig: rig, plant: newPlant(t, world, p, change), truth: nodetest.Collect(rig, topics.GroundTruth),
		status: nodetest.Collect(rig, topics.SimStatus), body: nodetest.Collect(rig, topics.BodyStatus),
		lidar: nodetest.Collect(rig, topics.LidarOdometry), tf: nodetest.Collect(rig, topics.TF),
		requests: nodetest.Collect(rig, topics.EStopRequest),
	}
	d := simulated.NewDriver(r.plant)
	r.Start(
		node.Spec{Name: host.Name, Stage: node.StageBody, New: func() (node.Node, error) { return host.New(host.DefaultConfig(), d) }},
		node.Spec{Name: simulated.SimulatorName, Stage: node.StageBody, New: func() (node.Node, error) {
			return simulated.NewSimulator(r.plant), nil
		}},
	)
	return r
}

// drive commands a velocity at 50 Hz for d, as the mux does.
func (r *robot) drive(vx, wz float64, d time.Duration) {
	for end := r.Elapsed() + d; r.Elapsed() < end; {
		nodetest.Publish(r.Rig, topics.BodyCmdVel, geometry.Twist{Linear: geometry.Vector3{X: vx}, Angular: geometry.Vector3{Z: wz}})
		r.Advance(20 * time.Millisecond)
	}
}

func TestGroundTruth(t *testing.T) {
	r := newRobot(t, "empty", molly(), nil)
	r.drive(0.5, 0, 3*time.Second)
	if n := r.truth.Len(); n != 150 {
		t.Errorf("%d poses in 3 s", n)
	}
	m := r.truth.Latest().Value
	if x := m.Pose.Pose.Position.X; m.Header.FrameID != "map" || m.ChildFrameID != "base_link" || x < 1.2 || x > 1.5 {
		t.Errorf("%+v", m)
	}
	r.Advance(2 * time.Second) // nobody commands
	if v := r.truth.Latest().Value.Twist.Twist.Linear.X; v != 0 {
		t.Errorf("without commands it moves by %v", v)
	}
	if s := r.status.Latest().Value; s.Clearance < 15 || s.Collision || s.OnCharger {
		t.Errorf("%+v", s)
	}
}

func TestLidarOdometry(t *testing.T) {
	r := newRobot(t, "empty", molly(), func(b *simulated.Body, _ *simulated.Config) { b.Start = &geom.Pose2{X: 3, Theta: 1} })
	r.drive(0.5, 0, 4*time.Second)
	m := r.lidar.Latest().Value
	if n := r.lidar.Len(); n != 40 || m.Header.FrameID != "camera_init" || m.ChildFrameID != "body" {
		t.Errorf("%d messages, %s to %s", n, m.Header.FrameID, m.ChildFrameID)
	}
	p := r.truth.Latest().Value.Pose.Pose.Position
	if got, want := m.Pose.Pose.Position.X, math.Hypot(p.X-3, p.Y); math.Abs(got-want) > 0.1 {
		t.Errorf("lidar odometry says %.2f m, the truth is %.2f m", got, want)
	}
	if n := r.tf.Len(); n != 40 {
		t.Errorf("%d messages on /tf", n)
	}
	for _, m := range r.tf.Values() {
		for _, f := range m.Transforms {
			if f.Header.FrameID != "camera_init" || f.ChildFrameID != "body" {
				t.Fatalf("%s to %s on /tf", f.Header.FrameID, f.ChildFrameID)
			}
		}
	}
	r.plant.Silence(driver.StreamPoints, time.Second)
	r.lidar.Take()
	r.Advance(900 * time.Millisecond)
	if n := r.lidar.Len(); n != 0 {
		t.Errorf("%d messages while the lidar is silent", n)
	}
	r.Advance(time.Second)
	if n := r.lidar.Len(); n < 9 {
		t.Errorf("%d messages after it", n)
	}
}

func TestNoLidarOdometryWithoutLidar(t *testing.T) {
	r := newRobot(t, "empty", zelpi(), nil)
	r.Advance(time.Second)
	if r.lidar.Len() > 0 || r.tf.Len() > 0 {
		t.Error("zelpi has no FAST-LIO2")
	}
}

func TestCollisionStatus(t *testing.T) {
	r := newRobot(t, "empty", zelpi(), func(b *simulated.Body, _ *simulated.Config) { b.Start = &geom.Pose2{X: 19} })
	r.drive(0.5, 0, 4*time.Second)
	s := r.status.Latest().Value
	if !s.Collision || s.Collisions != 1 || s.CollisionWith != `fence "1"` || s.Clearance > 0.01 || s.PersonContacts != 0 {
		t.Errorf("%+v", s)
	}
	for _, s := range r.status.Values() {
		if s.Collision && s.Clearance > 0.01 {
			t.Fatalf("touches at a distance of %v m", s.Clearance)
		}
	}
	r.drive(-0.5, 0, 2*time.Second)
	if s := r.status.Latest().Value; s.Collision || s.Collisions != 1 || s.CollisionWith == "" {
		t.Errorf("backed off: %+v", s)
	}
	if got := r.body.Latest().Value.Faults; len(got) != 1 {
		t.Errorf("faults %q", got)
	}
}

func TestPersonContact(t *testing.T) {
	for _, c := range []struct {
		name  string
		ours  bool // the robot moves into the person
		count uint32
	}{{"robot into person", true, 1}, {"person into robot", false, 0}} {
		r := newRobot(t, "empty", zelpi(), nil)
		person := scenes.DefaultPerson()
		person.Name, person.KeepOff, person.Loop = "anna", 0, false
		person.Waypoints = []scenes.Waypoint{{X: 1.5}}
		if !c.ours {
			person.Waypoints = append(person.Waypoints, scenes.Waypoint{X: -1.5})
		}
		if err := r.plant.Do(func(w *sim.World, _ *sim.Robot) error { return w.AddPerson(person) }); err != nil {
			t.Fatal(err)
		}
		speed := 0.0
		if c.ours {
			speed = 0.5
		}
		touched := false
		for range 40 {
			r.drive(speed, 0, 100*time.Millisecond)
			touched = touched || r.status.Latest().Value.PersonContact
		}
		if s := r.status.Latest().Value; s.PersonContacts != c.count || s.Collisions != 0 || s.PersonContactWith != "anna" || !touched {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

func TestCharger(t *testing.T) {
	r := newRobot(t, "empty", zelpi(), func(b *simulated.Body, _ *simulated.Config) { b.Start = &geom.Pose2{X: -2} })
	r.Advance(time.Second)
	if !r.status.Latest().Value.OnCharger {
		t.Error("it stands on the charger")
	}
}

// The button goes the whole way: body, request, mux, release.
func TestHardwareEStop(t *testing.T) {
	r := newRobot(t, "empty", molly(), nil)
	press := func(pressed bool) {
		t.Helper()
		if resp, err := nodetest.Call(r.Rig, topics.SimHardwareEStop, stdsrvs.SetBoolRequest{Data: pressed}); err != nil || !resp.Success {
			t.Fatalf("%+v, %v", resp, err)
		}
		r.Advance(0)
	}
	mux := func(estop bool) {
		nodetest.Publish(r.Rig, topics.ControlStatus, dharma.ControlStatus{Estop: estop})
		r.Advance(0)
	}
	mux(false)
	r.drive(1, 0, 2*time.Second)
	press(true)
	if s := r.body.Latest().Value; !s.Estop || !s.EstopHeld || r.requests.Len() != 1 {
		t.Errorf("%+v, %d requests", s, r.requests.Len())
	}
	mux(true)
	r.drive(1, 0, time.Second)
	if v := r.truth.Latest().Value.Twist.Twist.Linear.X; v != 0 {
		t.Errorf("with the button pressed it moves by %v", v)
	}
	press(false)
	r.drive(1, 0, time.Second)
	if s := r.body.Latest().Value; !s.Estop || s.EstopHeld {
		t.Errorf("button out: %+v", s)
	}
	mux(false)
	r.drive(1, 0, time.Second)
	if v := r.truth.Latest().Value.Twist.Twist.Linear.X; v < 0.5 {
		t.Errorf("after the release it moves by %v", v)
	}
}

// A crashed driver leaves a body that stops, a world that goes on and a status that says so.
func TestCrashedDriver(t *testing.T) {
	r := newRobot(t, "house", molly(), nil)
	r.drive(0.5, 0, 2*time.Second)
	r.plant.Crash()
	people := func() (out []sim.PersonState) {
		if err := r.plant.Do(func(w *sim.World, _ *sim.Robot) error { out = w.People(); return nil }); err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := people()
	r.drive(0.5, 0, 400*time.Millisecond)
	r.Advance(2 * time.Second)
	if v := r.truth.Latest().Value.Twist.Twist.Linear.X; v != 0 {
		t.Errorf("it moves by %v", v)
	}
	if r.body.Latest().Value.Connected {
		t.Error("the status says that the body is there")
	}
	moved := false
	for i, p := range people() {
		moved = moved || p.Position != before[i].Position
	}
	if !moved {
		t.Error("the world stands still")
	}
}

// A driver's node that is down does not stop the world either: simulator_node lets it go on.
func TestWorldOutlivesTheDriversNode(t *testing.T) {
	r := newRobot(t, "empty", molly(), nil)
	r.drive(1, 0, 2*time.Second)
	r.ExpectFailure(host.Name)
	for range 8 { // the back-off grows beyond the watchdog
		if r.Node(host.Name).State == node.Running {
			if err := r.Exec.Inject(host.Name, func() { panic("bug") }); err != nil {
				t.Fatal(err)
			}
		}
		r.Advance(200 * time.Millisecond)
	}
	if v := r.truth.Latest().Value.Twist.Twist.Linear.X; v != 0 {
		t.Errorf("it moves by %v", v)
	}
	if x := r.truth.Latest().Value.Pose.Pose.Position.X; x < 1.5 {
		t.Errorf("it stopped at once, at %v m, by no watchdog", x)
	}
}
