package simulated_test

import (
	"bytes"
	"errors"
	"image/jpeg"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/driver"
	"sarathi/internal/body/simulated"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/msg/diagnostic"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

func molly() preset { return presets()[0] }
func zelpi() preset { return presets()[2] }

// smallCamera saves tests the time of rendering large images.
func smallCamera(_ *simulated.Body, c *simulated.Config) { c.Camera.Width, c.Camera.Height = 64, 48 }

func TestRates(t *testing.T) {
	b := newBench(newPlant(t, "house", molly(), smallCamera))
	b.sink.want(driver.Streams()...)
	b.run(4 * time.Second)
	for stream, hz := range map[driver.Stream]float64{
		driver.StreamOdometry: 50, driver.StreamIMU: 100, driver.StreamJoints: 25, driver.StreamBattery: 1, driver.StreamDiagnostics: 1,
		driver.StreamScan: 10, driver.StreamPoints: 5, driver.StreamImage: 8, driver.StreamCameraInfo: 8,
	} {
		if n := float64(b.sink.count(stream)); math.Abs(n-4*hz) > 1 {
			t.Errorf("%s: %v messages in 4 s, want %v", stream, n, 4*hz)
		}
	}
	if n := len(b.driver.Capabilities().Streams); n != 9 {
		t.Errorf("%d streams", n)
	}
}

// Clouds and images are computed while they are wanted, and what they hold does not depend on what was wanted before.
func TestOnlyWhatIsWanted(t *testing.T) {
	b, other := newBench(newPlant(t, "house", molly(), smallCamera)), newBench(newPlant(t, "house", molly(), smallCamera))
	other.sink.want(driver.Streams()...)
	b.run(2 * time.Second)
	other.run(2 * time.Second)
	for _, s := range []driver.Stream{driver.StreamPoints, driver.StreamImage, driver.StreamCameraInfo} {
		if b.sink.count(s) > 0 {
			t.Errorf("%s is computed for nobody", s)
		}
	}
	b.sink.want(driver.Streams()...)
	b.run(time.Second)
	other.run(time.Second)
	for _, s := range []driver.Stream{driver.StreamPoints, driver.StreamImage, driver.StreamScan, driver.StreamIMU, driver.StreamOdometry} {
		if got, want := cdr(b.sink.last(s)), cdr(other.sink.last(s)); !bytes.Equal(got, want) {
			t.Errorf("%s depends on who listened before", s)
		}
	}
}

func cdr(m any) []byte { return m.(interface{ AppendCDR([]byte) []byte }).AppendCDR(nil) }

func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) []byte {
		body, cfg := simulated.Molly()
		smallCamera(&body, &cfg)
		p, err := simulated.NewPlant(scene(t, "house"), seed, body, cfg)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(p)
		b.sink.want(driver.Streams()...)
		if err := b.drive(driver.Velocity{VX: 0.3, VY: 0.1, WZ: 0.4}, 2*time.Second); err != nil {
			t.Fatal(err)
		}
		var out []byte
		for _, s := range driver.Streams() {
			for _, m := range b.sink.messages[s] {
				out = append(out, cdr(m)...)
			}
		}
		return out
	}
	if !bytes.Equal(run(1), run(1)) {
		t.Error("the same seed gives other bytes")
	}
	if bytes.Equal(run(1), run(2)) {
		t.Error("another seed gives the same bytes")
	}
}

func TestMessages(t *testing.T) {
	b := newBench(newPlant(t, "house", molly(), nil))
	b.sink.want(driver.Streams()...)
	b.run(time.Second)

	scan := b.sink.last(driver.StreamScan).(*sensor.LaserScan)
	if scan.Header.FrameID != "scan_frame" || len(scan.Ranges) != 360 || scan.ScanTime != 0.1 {
		t.Errorf("scan in %s with %d beams each %v s", scan.Header.FrameID, len(scan.Ranges), scan.ScanTime)
	}
	if turn := float64(scan.AngleMax - scan.AngleMin + scan.AngleIncrement); math.Abs(turn-2*math.Pi) > 1e-3 {
		t.Errorf("the scan covers %v rad", turn)
	}
	cloudMsg := b.sink.last(driver.StreamPoints).(*sensor.PointCloud2)
	cloud, err := rosconv.NewCloud(cloudMsg)
	if err != nil || cloud.Len() < 1000 || cloudMsg.Header.FrameID != "livox_frame" || !cloudMsg.IsDense {
		t.Errorf("cloud %v, %d points in %s", err, cloud.Len(), cloudMsg.Header.FrameID)
	}
	if f := cloudMsg.Fields; len(f) != 4 || f[3].Name != "intensity" {
		t.Errorf("fields %+v", f)
	}
	img := b.sink.last(driver.StreamImage).(*sensor.CompressedImage)
	picture, err := jpeg.Decode(bytes.NewReader(img.Data))
	if err != nil || img.Format != "jpeg" || img.Header.FrameID != "front_camera_optical_frame" {
		t.Fatalf("image %v in %s", err, img.Header.FrameID)
	}
	info := b.sink.last(driver.StreamCameraInfo).(*sensor.CameraInfo)
	if info.Header.Stamp != img.Header.Stamp || int(info.Width) != picture.Bounds().Dx() || info.K[2] != float64(info.Width)/2-0.5 {
		t.Errorf("camera info %+v", info)
	}
	imu := b.sink.last(driver.StreamIMU).(*sensor.Imu)
	if imu.Header.FrameID != "imu_link" || math.Abs(imu.LinearAcceleration.Z-9.8) > 1 {
		t.Errorf("imu %+v", imu)
	}
	battery := b.sink.last(driver.StreamBattery).(*sensor.BatteryState)
	if battery.Percentage > 1 || battery.Percentage < 0.99 || battery.Current >= 0 || len(battery.CellVoltage) != 8 {
		t.Errorf("battery %+v", battery)
	}
	joints := b.sink.last(driver.StreamJoints).(*sensor.JointState)
	if len(joints.Name) != 12 || len(joints.Position) != 12 || joints.Name[0] != "FL_hip_joint" {
		t.Errorf("joints %+v", joints)
	}
}

func TestOdometry(t *testing.T) {
	b := newBench(newPlant(t, "empty", zelpi(), nil))
	if err := b.drive(driver.Velocity{VX: 0.5}, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	o := b.sink.last(driver.StreamOdometry).(*nav.Odometry)
	var truth sim.State
	if err := b.plant.Do(func(_ *sim.World, r *sim.Robot) error { truth = r.Truth(); return nil }); err != nil {
		t.Fatal(err)
	}
	if slip := o.Pose.Pose.Position.X/truth.Pose.X - 1; math.Abs(slip-0.03) > 0.02 {
		t.Errorf("odometry says %.3f m after %.3f m: a slip of %.3f", o.Pose.Pose.Position.X, truth.Pose.X, slip)
	}
	if o.Header.FrameID != "odom" || o.ChildFrameID != "base_link" || o.Twist.Twist.Linear.X < 0.5 {
		t.Errorf("%+v", o)
	}
	if c := o.Pose.Covariance; c[0] < 0.01 || c[35] <= 1e-6 {
		t.Errorf("covariances after 5 m: %v m², %v rad²", c[0], c[35])
	}
}

func TestPosture(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	must := func(name string, want time.Duration) {
		t.Helper()
		from := b.now
		if r, err := b.skill(name, driver.SkillArgs{}); err != nil || r.Status != driver.SkillDone {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		if took := b.now.Sub(from); took < want || took > want+2*simulated.Period {
			t.Errorf("%s takes %v, want %v", name, took, want)
		}
	}
	moves := func(want bool, why string) {
		t.Helper()
		err := b.drive(driver.Velocity{VX: 0.5}, time.Second)
		v := b.sink.last(driver.StreamOdometry).(*nav.Odometry).Twist.Twist.Linear.X
		if want != (v > 0.3) || want != (err == nil) || !want && !errors.Is(err, driver.ErrNotReady) {
			t.Errorf("%s: moves by %v, command says %v", why, v, err)
		}
		if err := b.drive(driver.Velocity{}, time.Second); err != nil {
			t.Errorf("%s: a zero command is refused: %v", why, err)
		}
	}
	calf := func() float64 { return b.sink.last(driver.StreamJoints).(*sensor.JointState).Position[2] }

	moves(true, "at first")
	up := calf()
	must("sit_down", 2*time.Second)
	b.run(100 * time.Millisecond)
	if down := calf(); down > up-0.5 {
		t.Errorf("the legs fold from %v to %v", up, down)
	}
	moves(false, "sitting")
	for _, name := range []string{"hello", "move_mode", "lock_mode", "balance_stand_mode"} {
		if _, err := b.skill(name, driver.SkillArgs{}); !errors.Is(err, driver.ErrNotReady) {
			t.Errorf("%s while it sits: %v", name, err)
		}
	}
	must("sit_down", 0)
	must("stand_up", 2*time.Second)
	moves(true, "standing again")
	must("lock_mode", 0)
	moves(false, "locked")
	must("move_mode", 0)
	moves(true, "in move mode")
	must("hello", 3*time.Second)
	must("slow_speed", 0)
	if err := b.drive(driver.Velocity{VX: 1}, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	if v := b.sink.last(driver.StreamOdometry).(*nav.Odometry).Twist.Twist.Linear.X; math.Abs(v-0.4*1.02) > 0.01 {
		t.Errorf("at slow speed it moves by %v", v)
	}
	if _, err := b.skill("hello", driver.SkillArgs{}); !errors.Is(err, driver.ErrNotReady) {
		t.Errorf("a gesture while it walks: %v", err)
	}
}

func TestSkillProgress(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	if _, err := b.skill("hello", driver.SkillArgs{}); err != nil {
		t.Fatal(err)
	}
	running := 0
	for _, r := range b.sink.results {
		if r.Status == driver.SkillRunning {
			running++
		}
	}
	if running < 10 || running > 15 {
		t.Errorf("%d reports of progress in 3 s", running)
	}
	if err := b.driver.Skill(b.now, driver.SkillRequest{Name: "dance", ReqID: "dance"}); err != nil {
		t.Fatal(err)
	}
	if err := b.driver.Skill(b.now, driver.SkillRequest{Name: "bow", ReqID: "bow"}); !errors.Is(err, driver.ErrBusy) {
		t.Errorf("a second gesture: %v", err)
	}
	if err := b.drive(driver.Velocity{VX: 0.5}, 200*time.Millisecond); !errors.Is(err, driver.ErrNotReady) {
		t.Errorf("walking while it dances: %v", err)
	}
	b.plant.Press(true)
	b.run(simulated.Period)
	if r := b.sink.result(); r.ReqID != "dance" || r.Status != driver.SkillFailed {
		t.Errorf("the button leaves %+v", r)
	}
}

func TestSetJoints(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	targets := make([]float64, 12)
	for i := range targets {
		targets[i] = float64(i) / 10
	}
	if r, err := b.skill(driver.SkillSetJoints, driver.SkillArgs{Joints: targets}); err != nil || r.Status != driver.SkillDone {
		t.Fatalf("%+v, %v", r, err)
	}
	b.run(100 * time.Millisecond)
	if got := b.sink.last(driver.StreamJoints).(*sensor.JointState).Position; !slices.Equal(got, targets) {
		t.Errorf("joints %v, want %v", got, targets)
	}
	if err := b.drive(driver.Velocity{VX: 0.3}, 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got := b.sink.last(driver.StreamJoints).(*sensor.JointState).Position; slices.Equal(got, targets) {
		t.Error("the legs stay as they are while it walks")
	}
}

func TestSilence(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	b.run(time.Second)
	b.sink.forget()
	b.plant.Silence(driver.StreamScan, 2*time.Second)
	b.plant.Silence(driver.StreamBattery, 0)
	b.run(1900 * time.Millisecond)
	if n := b.sink.count(driver.StreamScan); n != 0 {
		t.Errorf("%d scans while it is silent", n)
	}
	if n := b.sink.count(driver.StreamOdometry); n < 90 {
		t.Errorf("%d odometry messages", n)
	}
	names := ""
	for _, s := range b.sink.last(driver.StreamDiagnostics).(*diagnostic.DiagnosticArray).Status {
		if s.Level == diagnostic.DiagnosticStatusStale {
			names += s.Name + " "
		}
	}
	if names != "battery scan " {
		t.Errorf("stale: %q", names)
	}
	b.run(time.Second)
	if b.sink.count(driver.StreamScan) == 0 {
		t.Error("the scan does not come back")
	}
	if b.sink.count(driver.StreamBattery) != 0 {
		t.Error("the battery comes back")
	}
}

// A driver that crashed reports nothing and obeys nothing; the body stops by itself, whoever steps it.
func TestCrash(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	if err := b.drive(driver.Velocity{VX: 1}, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	b.plant.Crash()
	b.sink.forget()
	velocity := func() (v geom.Velocity) {
		if err := b.plant.Do(func(_ *sim.World, r *sim.Robot) error { v = r.Truth().Velocity; return nil }); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for range 3 {
		if err := b.driver.Command(b.now, driver.Velocity{VX: -1}); err != nil {
			t.Errorf("a dead driver refuses a command: %v", err)
		}
		b.now = b.now.Add(100 * time.Millisecond)
		b.plant.Advance(b.now)
	}
	if v := velocity(); v.VX < 0.9 {
		t.Errorf("it obeys after the crash: %v", v)
	}
	b.run(1500 * time.Millisecond)
	if v := velocity(); !v.IsZero() {
		t.Errorf("it moves %v after the crash", v)
	}
	for _, s := range driver.Streams() {
		if b.sink.count(s) > 0 {
			t.Errorf("it reports %s", s)
		}
	}
	if err := b.driver.Release(b.now); err == nil {
		t.Error("a dead driver releases")
	}
	if _, err := b.skill("hello", driver.SkillArgs{}); err == nil {
		t.Error("a dead driver takes a skill")
	}
	b.plant.Press(true)
	b.driver.EStop(b.now, "late")
	if len(b.sink.states) > 0 || !b.plant.EStopState().Held {
		t.Errorf("states %+v, latch %+v", b.sink.states, b.plant.EStopState())
	}
}

func TestCollisionIsAFault(t *testing.T) {
	b := newBench(newPlant(t, "empty", zelpi(), func(b *simulated.Body, _ *simulated.Config) { b.Start = &geom.Pose2{X: 19} }))
	if err := b.drive(driver.Velocity{VX: 0.5}, 4*time.Second); err != nil {
		t.Fatal(err)
	}
	if len(b.sink.faults) != 1 || b.sink.faults[0].Code != "collision" || !strings.Contains(b.sink.faults[0].Message, "fence") {
		t.Errorf("%+v", b.sink.faults)
	}
}

func TestLowBatteryIsAFault(t *testing.T) {
	b := newBench(newPlant(t, "empty", zelpi(), nil))
	if err := b.plant.Do(func(_ *sim.World, r *sim.Robot) error { return r.SetCharge(0.1) }); err != nil {
		t.Fatal(err)
	}
	b.run(3 * time.Second)
	if len(b.sink.faults) != 1 || b.sink.faults[0].Code != "battery_low" {
		t.Errorf("%+v", b.sink.faults)
	}
}

// The world goes on at its own pace when the clock jumps.
func TestClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		p := newPlant(t, "empty", molly(), nil)
		b := newBench(p)
		b.run(time.Second)
		elapsed := func() (d time.Duration) {
			if err := p.Do(func(w *sim.World, _ *sim.Robot) error { d = w.Elapsed(); return nil }); err != nil {
				t.Fatal(err)
			}
			return d
		}
		before := elapsed()
		b.now = b.now.Add(jump)
		b.sink.forget()
		b.run(time.Second)
		if d := elapsed() - before; d != time.Second {
			t.Errorf("jump %v: %v pass in a second", jump, d)
		}
		if n := b.sink.count(driver.StreamOdometry); n < 49 || n > 51 {
			t.Errorf("jump %v: %d odometry messages in a second", jump, n)
		}
	}
}

// A host that was late gets the present, not all that it missed.
func TestLateHost(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	b.run(time.Second)
	b.now = b.now.Add(900 * time.Millisecond)
	b.sink.forget()
	b.run(time.Second)
	if n := b.sink.count(driver.StreamOdometry); n > 51 {
		t.Errorf("%d odometry messages in a second", n)
	}
}

func TestSetPoseRefusesWhatIsNoNumber(t *testing.T) {
	b := newBench(newPlant(t, "empty", molly(), nil))
	if err := b.driver.SetPose(b.now, math.NaN(), 0, 0); !errors.Is(err, driver.ErrNotFinite) {
		t.Errorf("%v", err)
	}
}
