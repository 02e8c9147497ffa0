package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// zero is when the tests begin.
func zero() time.Time { return time.Unix(1_700_000_000, 0) }

// player drives a world through time.
type player struct {
	*World
	t   testing.TB
	now time.Time
}

// play makes the world of a scene and lets its time begin.
func play(t testing.TB, s scenes.Scene, seed uint64) *player {
	t.Helper()
	w, err := NewWorld(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	w.Step(zero())
	return &player{w, t, zero()}
}

// run lets time pass.
func (p *player) run(d time.Duration) {
	p.now = p.now.Add(d)
	p.Step(p.now)
}

func (p *player) add(spec RobotSpec) *Robot {
	p.t.Helper()
	r, err := p.AddRobot(spec)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func builtin(t testing.TB, name string) scenes.Scene {
	t.Helper()
	s, err := scenes.Load(name, func(path string, data []byte, into any) error { return config.Decode(path, data, into) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain is a body that follows commands at once, within reasonable limits, without noise in anything.
func plain(start geom.Pose2) RobotSpec {
	return RobotSpec{
		Name: "plain", Drive: Holonomic, Height: 0.5,
		Footprint: geom.Polygon{{X: 0.3, Y: 0.2}, {X: -0.3, Y: 0.2}, {X: -0.3, Y: -0.2}, {X: 0.3, Y: -0.2}},
		MaxSpeed:  geom.Velocity{VX: 2, VY: 2, WZ: 3},
		Accel:     geom.Velocity{VX: 100, VY: 100, WZ: 300},
		Decel:     geom.Velocity{VX: 100, VY: 100, WZ: 300},
		Start:     &start,
	}
}

func walker(name string, at ...geom.Vec2) scenes.Person {
	p := scenes.DefaultPerson()
	p.Name, p.SpeedSpread = name, 0
	for _, v := range at {
		p.Waypoints = append(p.Waypoints, scenes.Waypoint{X: v.X, Y: v.Y})
	}
	return p
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance || math.IsNaN(got) != math.IsNaN(want) {
		t.Errorf("%s is %g, want %g ± %g", what, got, want, tolerance)
	}
}

// diary writes down everything that can be read from a world and its robots, with all bits.
func diary(w *World) string {
	s := fmt.Sprintln(w.Elapsed(), w.People(), w.Doors(), w.Contacts(0))
	for _, r := range w.robots {
		s += fmt.Sprintf("%s %v\n", r.spec.Name, r.Truth())
		scan, ok := r.Scan()
		s += fmt.Sprintln(ok, scan)
		cloud, ok := r.Cloud()
		s += fmt.Sprintln(ok, len(cloud), cloud[:min(len(cloud), 500)])
		imu, ok := r.IMU()
		s += fmt.Sprintf("%t %v\n", ok, imu)
		odom, ok := r.Odometry()
		s += fmt.Sprintf("%t %v\n", ok, odom)
		lio, ok := r.LidarOdometry()
		s += fmt.Sprintf("%t %v\n", ok, lio)
		battery, ok := r.Battery()
		s += fmt.Sprintf("%t %v\n", ok, battery)
		tags, ok := r.VisibleTags()
		s += fmt.Sprintf("%t %v\n", ok, tags)
	}
	return s
}

// life is a minute in the house with two robots that are driven about; observe sees the world every second.
func life(t *testing.T, seed uint64, chunk time.Duration, observe func(p *player)) string {
	p := play(t, builtin(t, "house"), seed)
	zelpi := Zelpi()
	zelpi.Start = &geom.Pose2{X: 4, Y: 5}
	robots := []*Robot{p.add(Molly()), p.add(zelpi)}
	orders := rand.New(rand.NewPCG(1, 2)) // the same for every seed of the world
	for range 60 {
		for _, r := range robots {
			r.Command(geom.Velocity{VX: 2*orders.Float64() - 1, VY: orders.Float64() - 0.5, WZ: 2*orders.Float64() - 1})
		}
		for range time.Second / chunk {
			p.run(chunk)
		}
		observe(p)
	}
	return diary(p.World)
}

func TestSameSeedSameBytes(t *testing.T) {
	quiet := func(*player) {}
	a := life(t, 7, 20*time.Millisecond, quiet)
	if b := life(t, 7, 20*time.Millisecond, quiet); a != b {
		t.Error("two runs differ")
	}
	if b := life(t, 7, time.Second, quiet); a != b {
		t.Error("the result depends on the size of the caller's steps")
	}
	if b := life(t, 8, 20*time.Millisecond, quiet); a == b {
		t.Error("another seed gives the same run")
	}
	if b := life(t, 7, 20*time.Millisecond, func(p *player) { diary(p.World) }); a != b {
		t.Error("looking at the sensors changes the run")
	}
}

// Adding a sensor or a person must not change what the other sensors read.
func TestStreamsAreIndependent(t *testing.T) {
	read := func(change func(s *scenes.Scene, r *RobotSpec)) (IMUReading, Odometry, Scan) {
		s, spec := builtin(t, "empty"), Zelpi()
		change(&s, &spec)
		p := play(t, s, 3)
		r := p.add(spec)
		r.Command(geom.Velocity{VX: 0.5, WZ: 0.2})
		p.run(5 * time.Second)
		imu, _ := r.IMU()
		odom, _ := r.Odometry()
		scan, _ := r.Scan()
		return imu, odom, scan
	}
	imu, odom, scan := read(func(*scenes.Scene, *RobotSpec) {})
	imu2, odom2, scan2 := read(func(s *scenes.Scene, r *RobotSpec) {
		r.Cloud, r.LidarOdometry, r.Camera = Molly().Cloud, Molly().LidarOdometry, nil
		s.People = append(s.People, walker("far", geom.Vec2{X: -15, Y: -15}, geom.Vec2{X: -15, Y: 15}))
	})
	if imu != imu2 || odom != odom2 || fmt.Sprint(scan) != fmt.Sprint(scan2) {
		t.Error("another sensor changes what these read")
	}
}

func TestStepFollowsTheCaller(t *testing.T) {
	p := play(t, builtin(t, "empty"), 1)
	p.run(12 * time.Millisecond)
	if got, want := p.Elapsed(), 10*time.Millisecond; got != want {
		t.Errorf("after 12 ms the world is at %v, want %v", got, want)
	}
	p.run(3 * time.Millisecond)
	if got, want := p.Elapsed(), 15*time.Millisecond; got != want {
		t.Errorf("after 15 ms the world is at %v, want %v", got, want)
	}
	p.run(-time.Hour)
	p.run(5 * time.Millisecond)
	if got, want := p.Elapsed(), 20*time.Millisecond; got != want {
		t.Errorf("after a jump back and 5 ms the world is at %v, want %v", got, want)
	}
	p.run(1000 * time.Hour)
	if got, want := p.Elapsed(), MaxAdvance+20*time.Millisecond; got != want {
		t.Errorf("after a jump ahead the world is at %v, want %v", got, want)
	}
}

func TestNewWorldRefuses(t *testing.T) {
	bad := []func(*scenes.Scene){
		func(s *scenes.Scene) { s.Walls = []scenes.Wall{{}} },
		func(s *scenes.Scene) { s.Boxes = []scenes.Box{{}} },
		func(s *scenes.Scene) { s.Circles = []scenes.Circle{{}} },
		func(s *scenes.Scene) { s.Doors = []scenes.Door{{}} },
		func(s *scenes.Scene) { s.People = []scenes.Person{{}} },
		func(s *scenes.Scene) { s.Tags = []scenes.Tag{{ID: -1}} },
		func(s *scenes.Scene) { s.Map = "unread.yaml" },
	}
	for i, change := range bad {
		s := scenes.Default()
		change(&s)
		if _, err := NewWorld(s, 1); err == nil {
			t.Errorf("scene %d was accepted", i)
		}
	}
}

func TestAddRobotRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*RobotSpec)
	}{
		{"no name", func(s *RobotSpec) { s.Name = "" }},
		{"unknown drive", func(s *RobotSpec) { s.Drive = "hover" }},
		{"impossible footprint", func(s *RobotSpec) { s.Footprint = geom.Polygon{{X: 0}, {X: 1}} }},
		{"footprint beside the origin", func(s *RobotSpec) { s.Footprint = s.Footprint.Transform(geom.Pose2{X: 3}) }},
		{"no speed", func(s *RobotSpec) { s.MaxSpeed.VX = 0 }},
		{"holonomic without sideways speed", func(s *RobotSpec) { s.MaxSpeed.VY = 0 }},
		{"endless acceleration", func(s *RobotSpec) { s.Accel.WZ = math.Inf(1) }},
		{"negative latency", func(s *RobotSpec) { s.Latency = -1 }},
		{"no height", func(s *RobotSpec) { s.Height = 0 }},
		{"start at NaN", func(s *RobotSpec) { s.Start = &geom.Pose2{X: math.NaN()} }},
		{"lidar without beams", func(s *RobotSpec) { s.Lidar = &LidarSpec{FOV: 1, RangeMax: 1} }},
		{"lidar with turned ranges", func(s *RobotSpec) { s.Lidar = &LidarSpec{Beams: 9, FOV: 1, RangeMin: 2, RangeMax: 1} }},
		{"lidar with negative noise", func(s *RobotSpec) { s.Lidar = &LidarSpec{Beams: 9, FOV: 1, RangeMax: 1, Noise: -1} }},
		{"lidar without view", func(s *RobotSpec) { s.Lidar = &LidarSpec{Beams: 9, RangeMax: 1} }},
		{"lidar nowhere", func(s *RobotSpec) { s.Lidar = &LidarSpec{Beams: 9, FOV: 1, RangeMax: 1, Mount: Mount{X: math.NaN()}} }},
		{"cloud without rings", func(s *RobotSpec) { s.Cloud = &CloudSpec{Beams: 9, RangeMax: 1} }},
		{"cloud straight up", func(s *RobotSpec) { s.Cloud = &CloudSpec{Rings: 1, Beams: 9, RangeMax: 1, ElevationMax: 1.6} }},
		{"cloud with turned ranges", func(s *RobotSpec) { s.Cloud = &CloudSpec{Rings: 1, Beams: 9, RangeMin: 1} }},
		{"cloud nowhere", func(s *RobotSpec) {
			s.Cloud = &CloudSpec{Rings: 1, Beams: 9, RangeMax: 1, Mount: Mount{Z: math.Inf(1)}}
		}},
		{"tiny camera", func(s *RobotSpec) { s.Camera = &CameraSpec{Width: 2, Height: 2, FOV: 1} }},
		{"fisheye camera", func(s *RobotSpec) { s.Camera = &CameraSpec{Width: 64, Height: 64, FOV: 3.1} }},
		{"camera upside down", func(s *RobotSpec) {
			s.Camera = &CameraSpec{Width: 64, Height: 64, FOV: 1, Mount: Mount{UpsideDown: true}}
		}},
		{"IMU with NaN", func(s *RobotSpec) { s.IMU = &IMUSpec{GyroNoise: math.NaN()} }},
		{"odometry with negative slip", func(s *RobotSpec) { s.Odometry = &DriftSpec{Slip: -1} }},
		{"lidar odometry with NaN", func(s *RobotSpec) { s.LidarOdometry = &DriftSpec{Position: math.NaN()} }},
		{"battery without cells", func(s *RobotSpec) { s.Battery = &BatterySpec{Capacity: 1, Cooling: 1} }},
		{"battery without capacity", func(s *RobotSpec) { s.Battery = &BatterySpec{Cells: 1, Cooling: 1} }},
		{"battery too full", func(s *RobotSpec) { s.Battery = &BatterySpec{Cells: 1, Capacity: 1, Charge: 2, Cooling: 1} }},
		{"battery that never cools", func(s *RobotSpec) { s.Battery = &BatterySpec{Cells: 1, Capacity: 1} }},
		{"battery in space", func(s *RobotSpec) { s.Battery = &BatterySpec{Cells: 1, Capacity: 1, Cooling: 1, Ambient: -270} }},
	}
	p := play(t, builtin(t, "empty"), 1)
	for _, tt := range tests {
		spec := plain(geom.Pose2{})
		tt.change(&spec)
		if _, err := p.AddRobot(spec); err == nil {
			t.Errorf("%s: accepted", tt.name)
		}
	}
	p.add(plain(geom.Pose2{}))
	if _, err := p.AddRobot(plain(geom.Pose2{X: 5})); err == nil {
		t.Error("two robots of one name were accepted")
	}
	for _, preset := range []RobotSpec{Molly(), Zelpi()} {
		preset.Start = &geom.Pose2{X: 5}
		if err := preset.Validate(); err != nil {
			t.Errorf("%s: %v", preset.Name, err)
		}
	}
	if p.Robot("plain") == nil || p.Robot("nobody") != nil {
		t.Error("Robot finds the wrong one")
	}
}

func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"empty", "house"} {
		b.Run(name, func(b *testing.B) {
			p := play(b, builtin(b, name), 1)
			r := p.add(Molly())
			i := 0
			for b.Loop() { // one second of physics
				r.Command(geom.Velocity{VX: 0.4 * math.Sin(float64(i)), VY: 0.2, WZ: 0.8})
				p.run(time.Second)
				i++
			}
		})
	}
}

func BenchmarkSensors(b *testing.B) {
	p := play(b, builtin(b, "house"), 1)
	r := p.add(Molly())
	for _, s := range []struct {
		name string
		read func()
	}{
		{"scan_360", func() { r.Scan() }},
		{"cloud_16x360", func() { r.Cloud() }},
		{"image_640x480", func() { r.Image() }},
		{"tags", func() { r.VisibleTags() }},
	} {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				p.tick++ // another measurement
				s.read()
			}
		})
	}
}
