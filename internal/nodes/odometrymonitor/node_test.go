package odometrymonitor_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/odometrymonitor"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/tf2"
)

type bench struct {
	*nodetest.Rig
	status *nodetest.Collector[dharma.OdometryStatus]
}

func newBench(t *testing.T, spoil func(*odometrymonitor.Config)) *bench {
	t.Helper()
	cfg := odometrymonitor.DefaultConfig()
	if spoil != nil {
		spoil(&cfg)
	}
	n, err := odometrymonitor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	b := &bench{Rig: r, status: nodetest.Collect(r, topics.OdometryStatus)}
	nodetest.Publish(r, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(r.Now(), "body", "base_link", geom.Pose2{X: -0.3}.Transform()),
	}})
	r.Run(odometrymonitor.Name, n)
	r.Advance(0)
	return b
}

// drive publishes odometry at 20 Hz.
func (b *bench) drive(topic *bus.Topic[nav.Odometry], child string, seconds float64, pose func(t float64) geom.Pose2) {
	begin := b.Now()
	for range int(20 * seconds) {
		nodetest.Publish(b.Rig, topic, rosconv.Odometry(b.Now(), "x", child, pose(b.Now().Sub(begin).Seconds()).Transform(), geom.Velocity{}))
		b.Advance(50 * time.Millisecond)
	}
}

func forward(t float64) geom.Pose2 { return geom.Pose2{X: 0.5 * t} }

func TestStatusWhileDriving(t *testing.T) {
	b := newBench(t, nil)
	if s := b.status.Latest().Value; s.Ok || s.Distance != 0 || rosconv.FromStamp(s.Since) != b.Now() {
		t.Errorf("before the first odometry: %+v", s)
	}
	b.drive(topics.LidarOdometry, "body", 10, forward)
	s := b.status.Latest().Value
	if !s.Ok || math.Abs(s.Distance-5) > 0.1 || math.Abs(float64(s.Speed)-0.5) > 0.01 || math.Abs(float64(s.Rate)-20) > 0.5 || s.Header.FrameID != "odom" {
		t.Errorf("after 5 m at 0.5 m/s: %+v", s)
	}
	if n := b.status.Len(); n < 20 || n > 23 {
		t.Errorf("%d messages in 10 s, want two a second and the changes", n)
	}
	b.status.Take()
	b.Advance(1400 * time.Millisecond)
	if s := b.status.Latest().Value; s.Ok || s.Speed != 0 || math.Abs(s.Distance-5) > 0.1 {
		t.Errorf("after 1.4 s of silence: %+v", s)
	}
	b.status.Take()
	b.drive(topics.LidarOdometry, "body", 0.05, forward)
	if b.status.Len() == 0 || !b.status.Latest().Value.Ok {
		t.Error("odometry that comes back is not told at once")
	}
}

func TestTurningOnTheSpotIsNoWay(t *testing.T) {
	b := newBench(t, nil)
	// base_link turns on the spot; the sensor, 0.3 m ahead of it, goes in circles.
	b.drive(topics.LidarOdometry, "body", 20, func(t float64) geom.Pose2 {
		return geom.Pose2{Theta: t}.Mul(geom.Pose2{X: 0.3})
	})
	if s := b.status.Latest().Value; s.Distance > 0.01 || s.Speed != 0 {
		t.Errorf("three turns on the spot: %.2f m, %.2f m/s", s.Distance, s.Speed)
	}
}

func TestFallback(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		b := newBench(t, func(c *odometrymonitor.Config) { c.Fallback = allowed })
		b.drive(topics.LidarOdometry, "body", 4, forward)
		b.drive(topics.BodyOdometry, "base_link", 4, func(t float64) geom.Pose2 { return geom.Pose2{Y: 100 + 0.5*t} })
		want := 2.0
		if allowed {
			want = 3.7 // without the time until lidar odometry counts as silent
		}
		if s := b.status.Latest().Value; s.Ok != allowed || math.Abs(s.Distance-want) > 0.15 {
			t.Errorf("fallback %v: ok %v, %.2f m, want %.2f m", allowed, s.Ok, s.Distance, want)
		}
	}
}

func TestLidarOdometryIsPreferred(t *testing.T) {
	b := newBench(t, nil)
	begin := b.Now()
	for range 200 {
		at := b.Now().Sub(begin).Seconds()
		nodetest.Publish(b.Rig, topics.BodyOdometry, rosconv.Odometry(b.Now(), "odom", "base_link", geom.Pose2{X: 3 * at}.Transform(), geom.Velocity{}))
		nodetest.Publish(b.Rig, topics.LidarOdometry, rosconv.Odometry(b.Now(), "camera_init", "body", forward(at).Transform(), geom.Velocity{}))
		b.Advance(50 * time.Millisecond)
	}
	if s := b.status.Latest().Value; math.Abs(s.Distance-5) > 0.15 {
		t.Errorf("%.2f m, want the 5 m of lidar odometry", s.Distance)
	}
}

func TestFrozenLidarOdometryDoesNotKeepTheOtherOut(t *testing.T) {
	b := newBench(t, nil)
	b.drive(topics.LidarOdometry, "body", 1, forward)
	frozen := rosconv.Odometry(b.Now(), "camera_init", "body", forward(1).Transform(), geom.Velocity{})
	garbage := frozen
	begin := b.Now()
	for k := range 80 {
		nodetest.Publish(b.Rig, topics.LidarOdometry, frozen)
		garbage.Header.Stamp = rosconv.Stamp(b.Now())
		garbage.Pose.Pose.Position.Y = math.NaN()
		nodetest.Publish(b.Rig, topics.LidarOdometry, garbage)
		at := b.Now().Sub(begin).Seconds()
		nodetest.Publish(b.Rig, topics.BodyOdometry, rosconv.Odometry(b.Now(), "odom", "base_link", forward(at).Transform(), geom.Velocity{}))
		b.Advance(50 * time.Millisecond)
		if s := b.status.Latest().Value; !s.Ok {
			t.Fatalf("step %d: not ok", k)
		}
	}
	if s := b.status.Latest().Value; s.Distance < 2 {
		t.Errorf("%.2f m, want at least 2 m", s.Distance)
	}
}

func TestTripReset(t *testing.T) {
	b := newBench(t, nil)
	b.drive(topics.LidarOdometry, "body", 10, forward)
	b.status.Take()
	resp, err := nodetest.Call(b.Rig, topics.TripReset, stdsrvs.TriggerRequest{})
	if err != nil || !resp.Success || !strings.Contains(resp.Message, "5.0 m") {
		t.Errorf("reset: %+v, %v", resp, err)
	}
	if s := b.status.Latest().Value; s.Distance != 0 || s.MovingTime != 0 || s.TopSpeed != 0 || rosconv.FromStamp(s.Since) != b.Now() {
		t.Errorf("status after the reset: %+v", s)
	}
}

func TestInvalidConfig(t *testing.T) {
	cfg := odometrymonitor.DefaultConfig()
	cfg.Trip.Step, cfg.Period = -1, time.Minute
	_, err := odometrymonitor.New(cfg)
	for _, want := range []string{"step: -1 m", "period: 1m0s is out of range"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
