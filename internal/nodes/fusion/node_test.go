package fusion_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/fusion"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/sensor"
	"sarathi/msg/tf2"
)

type bench struct {
	*nodetest.Rig
	fused       *nodetest.Collector[geometry.PoseWithCovarianceStamped]
	diagnostics *nodetest.Collector[diagnostic.DiagnosticArray]
}

func newBench(t *testing.T, spoil func(*fusion.Config)) *bench {
	t.Helper()
	cfg := fusion.DefaultConfig()
	if spoil != nil {
		spoil(&cfg)
	}
	n, err := fusion.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Rig: nodetest.New(t, nodetest.Options{})}
	b.fused = nodetest.Collect(b.Rig, topics.FusedPose)
	b.diagnostics = nodetest.Collect(b.Rig, topics.FusionDiagnostics)
	b.Run(fusion.Name, n)
	return b
}

func (b *bench) imu(frame string, rate float64) {
	nodetest.Publish(b.Rig, topics.IMU, sensor.Imu{Header: rosconv.Header(b.Now(), frame), AngularVelocity: geometry.Vector3{Z: rate}})
}

func (b *bench) odom(child string, p geom.Pose2, v geom.Velocity) {
	nodetest.Publish(b.Rig, topics.Odom, rosconv.Odometry(b.Now(), "odom", child, p.Transform(), v))
}

func (b *bench) match(at time.Time, frame string, p geom.Pose2, cov rosconv.Planar) {
	nodetest.Publish(b.Rig, topics.ScanMatchPose, geometry.PoseWithCovarianceStamped{
		Header: rosconv.Header(at, frame), Pose: geometry.PoseWithCovariance{Pose: rosconv.Pose(p.Transform()), Covariance: rosconv.Covariance(cov)},
	})
}

func (b *bench) pose(t *testing.T) geom.Pose2 {
	t.Helper()
	p, err := rosconv.FromPose(b.fused.Latest().Value.Pose.Pose)
	if err != nil {
		t.Fatal(err)
	}
	return p.Pose2()
}

func (b *bench) value(t *testing.T, key string) float64 {
	t.Helper()
	for _, v := range b.diagnostics.Latest().Value.Status[0].Values {
		if v.Key == key {
			f, err := strconv.ParseFloat(v.Value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
	}
	t.Fatalf("no %s in %v", key, b.diagnostics.Latest().Value)
	return 0
}

// The robot of specification 004 drives through a building for half a minute; scan matches come 80 ms late.
func TestFollowsTheTruth(t *testing.T) {
	b := newBench(t, nil)
	w, err := slamworld.New(slamworld.Config{Building: "office", Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	begin := b.Now()
	type late struct {
		at   time.Duration
		pose geom.Pose2
	}
	var matches []late
	var truth geom.Pose2
	worst := 0.0
	const sd = 0.015
	for {
		s, ok := w.Next()
		if !ok || s.At > 30*time.Second {
			break
		}
		if d := begin.Add(s.At).Sub(b.Now()); d > 0 {
			b.Advance(d)
			if s.At > 5*time.Second && b.fused.Len() > 0 {
				worst = max(worst, b.pose(t).Position().Distance(truth.Position()))
			}
		}
		switch s.Kind {
		case slamworld.Truth:
			truth = w.Start().Between(s.Truth.Pose)
		case slamworld.IMU:
			b.imu("imu_link", s.IMU.Rate.Z)
		case slamworld.Odometry:
			b.odom("base_link", s.Odometry.Pose, s.Odometry.Velocity)
		case slamworld.Scan:
			matches = append(matches, late{s.At, geom.Pose2{
				X: truth.X + sd*r.NormFloat64(), Y: truth.Y + sd*r.NormFloat64(), Theta: truth.Theta + 0.004*r.NormFloat64(),
			}})
		}
		for len(matches) > 0 && matches[0].at+80*time.Millisecond <= s.At {
			m := matches[0]
			matches = matches[1:]
			b.match(begin.Add(m.at), "map", m.pose, rosconv.Planar{{sd * sd, 0, 0}, {0, sd * sd, 0}, {0, 0, 16e-6}})
		}
	}
	b.Advance(time.Second)
	if worst > 0.05 {
		t.Errorf("the fused pose was up to %.3f m off", worst)
	}
	if got := b.value(t, "gyro_bias_rad_s"); math.Abs(got-w.GyroBias()) > 0.004 {
		t.Errorf("bias %.4f rad/s, truth %.4f", got, w.GyroBias())
	}
	if got := b.value(t, "scan_match_pose_used"); got < 290 {
		t.Errorf("%g scan matches were used", got)
	}
	if got := b.value(t, "gyro_bias_sd_rad_s"); got > 0.004 || got <= 0 {
		t.Errorf("standard deviation of the bias %g", got)
	}
}

func TestFusedPoseIsLatchedAndLimited(t *testing.T) {
	b := newBench(t, func(c *fusion.Config) { c.Period = 50 * time.Millisecond })
	for range 100 {
		b.imu("", 0)
		b.Advance(10 * time.Millisecond)
	}
	if n := b.fused.Len(); n < 18 || n > 22 {
		t.Errorf("%d poses in a second, one is due every 50 ms", n)
	}
	late := nodetest.Collect(b.Rig, topics.FusedPose)
	b.Advance(0)
	if m := late.Latest().Value; m.Header.FrameID != "map" || m.Pose.Covariance[0] <= 0 {
		t.Errorf("a late subscriber got %+v", m)
	}
}

func TestUpsideDownIMU(t *testing.T) {
	b := newBench(t, nil)
	nodetest.Publish(b.Rig, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(b.Now(), "base_link", "imu_link", geom.Transform{R: geom.FromRPY(math.Pi, 0, 0.3)}),
	}})
	b.Advance(0)
	for range 100 {
		b.imu("imu_link", -1) // it turns left by 1 rad/s
		b.Advance(10 * time.Millisecond)
	}
	b.imu("imu_link", -1)
	b.Advance(0)
	if got := b.pose(t).Theta; math.Abs(got-1) > 0.02 {
		t.Errorf("turned by %g rad, want 1", got)
	}
}

// Lidar odometry tells where the lidar is, half a metre ahead of base_link: turning on the spot moves it, not the robot.
func TestOdometryOfASensor(t *testing.T) {
	b := newBench(t, nil)
	mount := geom.Pose2{X: 0.5, Theta: math.Pi / 2}
	nodetest.Publish(b.Rig, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(b.Now(), "base_link", "lidar", mount.Transform()),
	}})
	b.Advance(0)
	for i := range 51 {
		base := geom.Pose2{Theta: 0.02 * float64(i)}
		b.imu("", 1)
		b.odom("lidar", mount.Inverse().Mul(base).Mul(mount), geom.Velocity{VX: 0.5, WZ: 1})
		b.Advance(20 * time.Millisecond)
	}
	b.imu("", 1)
	b.Advance(0)
	if p := b.pose(t); p.Position().Norm() > 0.01 || math.Abs(p.Theta-1) > 0.05 {
		t.Errorf("at %v, want 1 rad on the spot", p)
	}
}

func TestInputsThatAreNone(t *testing.T) {
	b := newBench(t, nil)
	b.Advance(1100 * time.Millisecond)
	if s := b.diagnostics.Latest().Value.Status[0]; s.Level != diagnostic.DiagnosticStatusWarn || !strings.Contains(s.Message, "/scan_match_pose") {
		t.Errorf("before anything arrives: %+v", s)
	}
	if b.fused.Len() > 0 {
		t.Error("a pose without any input")
	}
	b.imu("", math.NaN())
	nodetest.Publish(b.Rig, topics.IMU, sensor.Imu{Header: rosconv.Header(b.Now(), ""), AngularVelocityCovariance: [9]float64{-1}})
	b.odom("base_link", geom.Pose2{Y: math.Inf(1)}, geom.Velocity{})
	b.match(b.Now(), "map", geom.Pose2{X: math.NaN()}, rosconv.Planar{})
	b.match(b.Now(), "another_map", geom.Pose2{X: 3}, rosconv.Planar{})
	b.Advance(time.Second)
	if b.fused.Len() > 0 {
		t.Errorf("a pose from garbage: %+v", b.fused.Latest())
	}
	for _, key := range []string{"imu_malformed", "odom_malformed", "scan_match_pose_malformed"} {
		if got := b.value(t, key); got != 1 {
			t.Errorf("%s is %g", key, got)
		}
	}
	// Without a stamp, the time of arrival counts; without a covariance, the default.
	nodetest.Publish(b.Rig, topics.ScanMatchPose, geometry.PoseWithCovarianceStamped{
		Pose: geometry.PoseWithCovariance{Pose: rosconv.Pose(geom.Pose2{X: 0.01}.Transform())},
	})
	b.Advance(0)
	if m := b.fused.Latest().Value; !rosconv.FromStamp(m.Header.Stamp).Equal(b.Now()) {
		t.Errorf("%+v", m)
	}
	b.Advance(3 * time.Second)
	if s := b.diagnostics.Latest().Value.Status[0]; s.Level != diagnostic.DiagnosticStatusWarn || !strings.Contains(s.Message, "second old") {
		t.Errorf("after silence: %+v", s)
	}
}

func TestTheMapMoves(t *testing.T) {
	b := newBench(t, nil)
	moved := geom.Pose2{X: 2, Y: 1, Theta: 0.5}
	for i := range 12 {
		b.imu("", 0)
		b.odom("base_link", geom.Pose2{}, geom.Velocity{})
		p := geom.Pose2{}
		if i >= 5 {
			p = moved
		}
		b.match(b.Now(), "map", p, rosconv.Planar{{1e-4, 0, 0}, {0, 1e-4, 0}, {0, 0, 1e-5}})
		b.Advance(100 * time.Millisecond)
		if got := b.pose(t).Position().Norm(); i < 9 && got > 0.1 {
			t.Fatalf("after %d matches at %g m", i, got)
		}
	}
	if got := b.pose(t); got.Position().Distance(moved.Position()) > 0.02 {
		t.Errorf("at %v, the map says %v", got, moved)
	}
}

func TestInvalidConfig(t *testing.T) {
	for want, spoil := range map[string]func(*fusion.Config){
		"filter: slip: 7":              func(c *fusion.Config) { c.Filter.Slip = 7 },
		"map_frame":                    func(c *fusion.Config) { c.MapFrame = "" },
		"start_heading_deg":            func(c *fusion.Config) { c.StartHeadingDeg = math.NaN() },
		"period: 1m0s is out of range": func(c *fusion.Config) { c.Period = time.Minute },
	} {
		cfg := fusion.DefaultConfig()
		spoil(&cfg)
		if _, err := fusion.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
