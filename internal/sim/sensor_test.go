package sim

import (
	"math"
	"slices"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// roomScene is a room of 10 × 8 m around the origin, with walls 2.5 m high.
func roomScene() scenes.Scene {
	s := scenes.Default()
	s.Bounds = &[4]float64{-5, -4, 5, 4}
	return s
}

func lidarSpec() *LidarSpec {
	return &LidarSpec{Beams: 72, AngleMin: -math.Pi, FOV: 2 * math.Pi, RangeMin: 0.1, RangeMax: 20, Mount: Mount{Z: 0.3}}
}

// toFence is the distance to the fence of the room along a direction.
func toFence(p geom.Vec2, angle float64) float64 {
	s, c := math.Sincos(angle)
	d := math.Inf(1)
	for _, w := range []struct{ gap, dir float64 }{{5 - p.X, c}, {5 + p.X, -c}, {4 - p.Y, s}, {4 + p.Y, -s}} {
		if w.dir > 1e-12 {
			d = min(d, w.gap/w.dir)
		}
	}
	return d
}

func TestScanGeometry(t *testing.T) {
	for _, upsideDown := range []bool{false, true} {
		for _, fov := range []float64{2 * math.Pi, 3} {
			spec := plain(geom.Pose2{X: 1, Y: 0.5, Theta: 0.7})
			spec.Lidar = lidarSpec()
			spec.Lidar.FOV, spec.Lidar.AngleMin = fov, -1
			spec.Lidar.Mount = Mount{X: 0.2, Y: -0.1, Z: 0.3, Yaw: 0.4, UpsideDown: upsideDown}
			p := play(t, roomScene(), 1)
			r := p.add(spec)
			scan, ok := r.Scan()
			if !ok || len(scan.Ranges) != 72 {
				t.Fatalf("scan %v %v", ok, scan)
			}
			sensor := r.Truth().Pose.Transform().Mul(spec.Lidar.Mount.Transform())
			for i, d := range scan.Ranges {
				a := scan.AngleMin + float64(i)*scan.AngleIncrement
				ahead := sensor.R.Rotate(geom.Vec3{X: math.Cos(a), Y: math.Sin(a)})
				if want := toFence(sensor.T.XY(), ahead.XY().Angle()); math.Abs(float64(d)-want) > 1e-5 {
					t.Fatalf("upside down %t, beam %d: %g, want %g", upsideDown, i, d, want)
				}
			}
			last := scan.AngleMin + 71*scan.AngleIncrement
			if want := -1 + fov; fov < 6 && math.Abs(last-want) > 1e-9 {
				t.Errorf("the last beam points to %g, want %g", last, want)
			}
		}
	}
}

func TestScanRanges(t *testing.T) {
	s := roomScene()
	s.Boxes = []scenes.Box{{Name: "low", X: 2, Size: [2]float64{0.2, 4}, Height: 0.2}}
	s.Circles = []scenes.Circle{{Name: "near", X: 0, Y: 0.35, Radius: 0.1, Height: 1}}
	spec := plain(geom.Pose2{})
	spec.Lidar = lidarSpec()
	spec.Lidar.RangeMin, spec.Lidar.RangeMax = 0.5, 4.5
	p := play(t, s, 1)
	r := p.add(spec)
	scan, _ := r.Scan()
	if ahead := scan.Ranges[36]; !math.IsInf(float64(ahead), 1) {
		t.Errorf("the wall at 5 m, past a box lower than the beam, is seen at %g with a reach of 4.5 m", ahead)
	}
	if left := scan.Ranges[54]; !math.IsInf(float64(left), -1) {
		t.Errorf("something at 0.25 m is seen at %g with a range_min of 0.5 m", left)
	}
	near(t, "the wall to the right", float64(scan.Ranges[18]), 4, 1e-6)
}

func TestScanSeesEverythingThatMoves(t *testing.T) {
	s := doorScene()
	s.People = []scenes.Person{walker("a", geom.Vec2{X: -2})}
	spec := plain(geom.Pose2{})
	spec.Lidar = lidarSpec()
	p := play(t, s, 1)
	r := p.add(spec)
	other := plain(geom.Pose2{Y: 2})
	other.Name = "other"
	p.add(other)
	scan, _ := r.Scan()
	near(t, "the door", float64(scan.Ranges[36]), 2, 1e-6)
	near(t, "the person", float64(scan.Ranges[0]), 1.75, 1e-6)
	near(t, "the other robot", float64(scan.Ranges[54]), 1.8, 1e-6)
	if err := p.SetDoor("d", true); err != nil {
		t.Fatal(err)
	}
	p.run(5 * time.Second)
	scan, _ = r.Scan()
	if !math.IsInf(float64(scan.Ranges[36]), 1) {
		t.Errorf("the open door is seen at %g", scan.Ranges[36])
	}
}

func TestScanNoise(t *testing.T) {
	spec := plain(geom.Pose2{})
	spec.Lidar = lidarSpec()
	spec.Lidar.Noise = 0.02
	p := play(t, roomScene(), 1)
	r := p.add(spec)
	n, sum, squares := 0.0, 0.0, 0.0
	for range 200 {
		p.run(100 * time.Millisecond)
		scan, _ := r.Scan()
		again, _ := r.Scan()
		if !slices.Equal(scan.Ranges, again.Ranges) {
			t.Fatal("two scans of one tick differ")
		}
		for i, d := range scan.Ranges {
			e := float64(d) - toFence(geom.Vec2{}, scan.AngleMin+float64(i)*scan.AngleIncrement)
			n, sum, squares = n+1, sum+e, squares+e*e
		}
	}
	near(t, "mean error", sum/n, 0, 0.001)
	near(t, "deviation", math.Sqrt(squares/n), 0.02, 0.001)
}

func TestFaults(t *testing.T) {
	p := play(t, builtin(t, "house"), 1)
	r := p.add(Molly())
	readings := map[Sensor]func() (float64, bool){
		SensorLidar:         func() (float64, bool) { s, ok := r.Scan(); return first(s.Ranges), ok },
		SensorCloud:         func() (float64, bool) { c, ok := r.Cloud(); return cloudX(c), ok },
		SensorIMU:           func() (float64, bool) { i, ok := r.IMU(); return i.Rate.Z, ok },
		SensorOdometry:      func() (float64, bool) { o, ok := r.Odometry(); return o.Pose.X, ok },
		SensorLidarOdometry: func() (float64, bool) { o, ok := r.LidarOdometry(); return o.Velocity.VX, ok },
		SensorBattery:       func() (float64, bool) { b, ok := r.Battery(); return b.Voltage, ok },
	}
	for sensor, read := range readings {
		if v, ok := read(); !ok || math.IsNaN(v) {
			t.Errorf("sensor %d reads %g %t", sensor, v, ok)
		}
		r.SetFault(sensor, FaultNaN)
		if v, ok := read(); !ok || !math.IsNaN(v) {
			t.Errorf("sensor %d with NaN reads %g %t", sensor, v, ok)
		}
		r.SetFault(sensor, FaultSilent)
		if _, ok := read(); ok {
			t.Errorf("sensor %d is not silent", sensor)
		}
		r.SetFault(sensor, FaultNone)
		if v, ok := read(); !ok || math.IsNaN(v) {
			t.Errorf("mended sensor %d reads %g %t", sensor, v, ok)
		}
	}
	r.SetFault(sensors, FaultSilent) // no such sensor: nothing happens
	bare := plain(geom.Pose2{X: 10, Y: 3})
	b := p.add(bare)
	_, scan := b.Scan()
	_, cloud := b.Cloud()
	_, imu := b.IMU()
	_, odom := b.Odometry()
	_, lio := b.LidarOdometry()
	_, battery := b.Battery()
	_, img := b.Image()
	_, tags := b.VisibleTags()
	if scan || cloud || imu || odom || lio || battery || img || tags || b.GyroBias() != 0 || b.SetCharge(1) == nil {
		t.Error("a robot without sensors reads something")
	}
}

func first(r []float32) float64 {
	if len(r) == 0 {
		return 0
	}
	return float64(r[0])
}

func cloudX(c []CloudPoint) float64 {
	if len(c) == 0 {
		return 0
	}
	return float64(c[0].X)
}

func TestCloudGeometry(t *testing.T) {
	s := roomScene()
	s.Boxes = []scenes.Box{{Name: "low", X: 2, Size: [2]float64{0.2, 3}, Height: 0.4}}
	s.People = []scenes.Person{walker("a", geom.Vec2{X: -2, Y: 1})}
	for _, upsideDown := range []bool{false, true} {
		spec := plain(geom.Pose2{X: 0.5, Y: 0.3, Theta: 0.7})
		spec.BaseHeight = 0.3
		spec.Cloud = &CloudSpec{
			Rings: 9, ElevationMin: -0.5, ElevationMax: 0.3, Beams: 90, RangeMin: 0.1, RangeMax: 30, Floor: true,
			Mount: Mount{X: 0.1, Z: 0.3, Yaw: 0.2, UpsideDown: upsideDown},
		}
		p := play(t, s, 1)
		r := p.add(spec)
		points, ok := r.Cloud()
		if !ok || len(points) < 300 {
			t.Fatalf("%d points, %t", len(points), ok)
		}
		base := spec.Cloud.Mount.Transform()
		base.T.Z += spec.BaseHeight
		sensor := r.Truth().Pose.Transform().Mul(base)
		count := map[string]int{}
		for _, c := range points {
			at := sensor.Apply(geom.Vec3{X: float64(c.X), Y: float64(c.Y), Z: float64(c.Z)})
			what := surface(at)
			if what == "" {
				t.Fatalf("upside down %t: the point %v of ring %d is on nothing", upsideDown, at, c.Ring)
			}
			count[what]++
			e := spec.Cloud.ElevationMin + float64(c.Ring)*0.1
			if got := math.Atan2(float64(c.Z), math.Hypot(float64(c.X), float64(c.Y))); math.Abs(got-e) > 1e-5 {
				t.Fatalf("a point of ring %d has the elevation %g, want %g", c.Ring, got, e)
			}
		}
		for _, what := range []string{"floor", "fence", "box", "person"} {
			if count[what] == 0 {
				t.Errorf("upside down %t: no point on the %s: %v", upsideDown, what, count)
			}
		}
	}
}

// surface names what of TestCloudGeometry's room a point lies on.
func surface(p geom.Vec3) string {
	const tol = 1e-4
	switch {
	case math.Abs(p.Z) < tol:
		return "floor"
	case p.Z < 0:
		return ""
	case math.Abs(math.Hypot(p.X+2, p.Y-1)-0.25) < tol && p.Z < 1.7:
		return "person"
	case (math.Abs(math.Abs(p.X)-5) < tol || math.Abs(math.Abs(p.Y)-4) < tol) && p.Z < 2.5:
		return "fence"
	case p.Z < 0.4+tol && math.Abs(p.Y) < 1.5+tol && (math.Abs(p.X-1.9) < tol || math.Abs(p.X-2.1) < tol || math.Abs(math.Abs(p.Y)-1.5) < tol):
		return "box"
	}
	return ""
}

func TestCloudWithoutFloorAndBeyondReach(t *testing.T) {
	spec := plain(geom.Pose2{})
	spec.Cloud = &CloudSpec{Rings: 2, ElevationMin: -0.5, ElevationMax: 0, Beams: 8, RangeMin: 0.1, RangeMax: 4.5, Mount: Mount{Z: 0.4}}
	p := play(t, roomScene(), 1)
	points, _ := p.add(spec).Cloud()
	if len(points) != 2 { // the walls at ±4 m; those at ±5 m and in the corners are too far
		t.Errorf("%d points %v, want 2", len(points), points)
	}
}

func TestIMU(t *testing.T) {
	spec := plain(geom.Pose2{})
	spec.IMU = &IMUSpec{GyroNoise: 0.01, GyroBias: 0.05, AccelNoise: 0.02}
	p := play(t, scenes.Default(), 3)
	r := p.add(spec)
	r.Command(geom.Velocity{VX: 1, WZ: 0.5})
	p.run(time.Second)
	var rate, side, up, n, squares float64
	for range 4000 {
		p.run(Tick)
		i, _ := r.IMU()
		rate, side, up, n = rate+i.Rate.Z, side+i.Acceleration.Y, up+i.Acceleration.Z, n+1
		squares += i.Rate.X * i.Rate.X
	}
	if r.GyroBias() == 0 {
		t.Error("the gyro has no bias")
	}
	near(t, "mean rate", rate/n, 0.5+r.GyroBias(), 0.001)
	near(t, "noise of the rate", math.Sqrt(squares/n), 0.01, 0.0005)
	near(t, "centripetal acceleration", side/n, 0.5, 0.002)
	near(t, "gravity", up/n, 9.80665, 0.002)
	i, _ := r.IMU()
	turned := (0.5 + r.GyroBias()) * p.Elapsed().Seconds()
	near(t, "yaw by the gyro", geom.AngleDiff(i.Orientation.Yaw(), turned), 0, 0.01)
}

func TestGyroBiasWalks(t *testing.T) {
	squares, n := 0.0, 60
	for seed := range n {
		spec := plain(geom.Pose2{})
		spec.IMU = &IMUSpec{GyroWalk: 0.001}
		p := play(t, scenes.Default(), uint64(seed))
		r := p.add(spec)
		p.run(100 * time.Second)
		squares += r.GyroBias() * r.GyroBias()
	}
	near(t, "deviation of the bias after 100 s", math.Sqrt(squares/float64(n)), 0.01, 0.003)
}

func TestOdometrySlip(t *testing.T) {
	spec := plain(geom.Pose2{})
	spec.Odometry = &DriftSpec{Slip: 0.03}
	p := play(t, scenes.Default(), 1)
	r := p.add(spec)
	r.Command(geom.Velocity{VX: 1})
	p.run(10 * time.Second)
	o, _ := r.Odometry()
	near(t, "distance by odometry per true distance", o.Pose.X/r.Truth().Pose.X, 1.03, 1e-9)
	near(t, "speed by odometry", o.Velocity.VX, 1.03, 1e-9)
}

func TestOdometryNoiseGrowsWithTheRootOfTheWay(t *testing.T) {
	var along, turned float64
	const n = 80
	for seed := range n {
		spec := plain(geom.Pose2{})
		spec.Odometry = &DriftSpec{Position: 0.02, HeadingPerMetre: 0.001}
		p := play(t, scenes.Default(), uint64(seed))
		r := p.add(spec)
		r.Command(geom.Velocity{VX: 1})
		p.run(25 * time.Second)
		o, _ := r.Odometry()
		e := o.Pose.X - r.Truth().Pose.X
		along, turned = along+e*e, turned+o.Pose.Theta*o.Pose.Theta
	}
	near(t, "deviation after 25 m", math.Sqrt(along/n), 0.1, 0.025)
	near(t, "deviation of the heading after 25 m", math.Sqrt(turned/n), 0.005, 0.00125)
}

func TestLidarOdometryIsThatOfItsBody(t *testing.T) {
	spec := plain(geom.Pose2{X: 3, Y: 1, Theta: 0.5})
	spec.LidarOdometry = &DriftSpec{}
	spec.LidarBody = Mount{X: 0.3, Y: 0.1, Yaw: 0.6}
	p := play(t, scenes.Default(), 1)
	r := p.add(spec)
	body := func() geom.Pose2 { return r.Truth().Pose.Mul(spec.LidarBody.pose()) }
	begin := body()
	r.Command(geom.Velocity{VX: 0.8, VY: -0.3, WZ: 0.7})
	p.run(6 * time.Second)
	before := body()
	o, _ := r.LidarOdometry()
	want := begin.Between(before)
	if o.Pose.Position().Distance(want.Position()) > 1e-6 || math.Abs(geom.AngleDiff(o.Pose.Theta, want.Theta)) > 1e-9 {
		t.Errorf("camera_init → body is %v, want %v", o.Pose, want)
	}
	p.run(Tick)
	moved := before.Between(body()).Log().Scale(1 / tickSeconds)
	if moved.Sub(o.Velocity).Speed() > 1e-6 || math.Abs(moved.WZ-o.Velocity.WZ) > 1e-6 {
		t.Errorf("velocity %v, want %v", o.Velocity, moved)
	}
}

func TestBattery(t *testing.T) {
	s := roomScene()
	s.Charger = &scenes.Pose{X: 1, YawDeg: 90}
	spec := plain(geom.Pose2{X: -2})
	spec.Battery = &BatterySpec{
		Cells: 4, Capacity: 0.02, Charge: 0.5, Resistance: 0.1, Idle: 1, PerSpeed: 2, PerTurn: 1, Charging: 3,
		Ambient: 20, Heating: 2, Cooling: 10 * time.Second,
	}
	p := play(t, s, 1)
	r := p.add(spec)
	state := func() BatteryState { b, _ := r.Battery(); return b }
	p.run(Tick)
	near(t, "idle current", state().Current, -1, 0)
	full := 4*cellVoltage(0.5) - 0.1
	near(t, "voltage at half charge", state().Voltage, full, 0.001)
	p.run(7200 * time.Millisecond)
	near(t, "charge after 1 A for 7.2 s of 0.02 Ah", state().Percentage, 0.4, 0.001)
	near(t, "warmth", state().Temperature, 20+2*(1-math.Exp(-0.72)), 0.05)
	r.Command(geom.Velocity{VX: 0.5, WZ: -2})
	p.run(time.Second)
	near(t, "current while moving", state().Current, -4, 1e-9)
	r.Command(geom.Velocity{})
	p.run(time.Second)

	if r.Docked() || state().Charging {
		t.Error("the robot charges in the middle of the room")
	}
	if err := r.Teleport(geom.Pose2{X: 1.05, Theta: math.Pi/2 + 0.1}); err != nil {
		t.Fatal(err)
	}
	p.run(time.Second)
	if b := state(); !r.Docked() || !b.Charging || b.Current != 3 {
		t.Errorf("on the charger: %+v", b)
	}
	was := state().Percentage
	p.run(3 * time.Minute)
	if b := state(); b.Percentage <= was || !b.Full || b.Charging || b.Percentage != 1 {
		t.Errorf("after three minutes on the charger: %+v", b)
	}
	if c, ok := p.Charger(); !ok || c.X != 1 {
		t.Errorf("charger %v %t", c, ok)
	}
	if _, ok := play(t, scenes.Default(), 1).Charger(); ok {
		t.Error("an empty scene has a charger")
	}
}

func TestEmptyBatteryStopsTheRobot(t *testing.T) {
	spec := plain(geom.Pose2{})
	spec.Battery = smallBattery()
	p := play(t, scenes.Default(), 1)
	r := p.add(spec)
	if r.SetCharge(math.NaN()) == nil || r.SetCharge(2) == nil {
		t.Error("impossible charges are accepted")
	}
	if err := r.SetCharge(1e-5); err != nil {
		t.Fatal(err)
	}
	r.Command(geom.Velocity{VX: 1})
	p.run(time.Minute)
	if v := r.Truth().Velocity; !v.IsZero() {
		t.Errorf("with an empty battery the robot moves: %v", v)
	}
	if b, _ := r.Battery(); b.Percentage != 0 || b.Current != 0 {
		t.Errorf("battery %+v", b)
	}
}

func TestCellVoltageRises(t *testing.T) {
	last := 0.0
	for c := 0.0; c <= 1; c += 0.01 {
		if v := cellVoltage(c); v < last || v < 3 || v > 4.2 {
			t.Fatalf("a cell charged to %g has %g V", c, v)
		} else {
			last = v
		}
	}
	near(t, "full cell", cellVoltage(1), 4.2, 0)
	near(t, "overfull cell", cellVoltage(1.5), 4.2, 0)
}
