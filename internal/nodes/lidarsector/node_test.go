package lidarsector_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/lidarsector"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/sensor"
	"sarathi/msg/tf2"
)

// bench is a rig with the node and its outputs. The lidar is mounted upside down at (0.2, 0, 0.15).
type bench struct {
	*nodetest.Rig
	front, safety *nodetest.Collector[dharma.SectorScan]
}

func mount() geom.Transform {
	return geom.Transform{T: geom.Vec3{X: 0.2, Z: 0.15}, R: geom.FromRPY(math.Pi, 0, 0)}
}

func newBench(t *testing.T, spoil func(*lidarsector.Config)) *bench {
	t.Helper()
	cfg := lidarsector.DefaultConfig()
	if spoil != nil {
		spoil(&cfg)
	}
	n, err := lidarsector.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	b := &bench{Rig: r, front: nodetest.Collect(r, topics.SectorScan), safety: nodetest.Collect(r, topics.SafetyScan)}
	r.Run(lidarsector.Name, n)
	nodetest.Publish(r, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(r.Now(), "base_link", "livox_frame", mount()),
	}})
	r.Advance(time.Second)
	return b
}

// scan is a scan all around that meets a wall in front, at x = wall in base_link, and nothing else.
func scan(at time.Time, wall float64) sensor.LaserScan {
	m := sensor.LaserScan{
		Header: rosconv.Header(at, "livox_frame"), AngleMin: -math.Pi, AngleIncrement: 2 * math.Pi / 360,
		RangeMin: 0.1, RangeMax: 12, Ranges: make([]float32, 360),
	}
	for i := range m.Ranges {
		r := math.Inf(1)
		if c := math.Cos(-math.Pi + float64(i)*math.Pi/180); c > 0 {
			r = (wall - 0.2) / c
		}
		m.Ranges[i] = float32(r)
	}
	return m
}

// cloud is a room with floor and one post at p in base_link.
func cloud(at time.Time, p geom.Vec3) sensor.PointCloud2 {
	var xyz []float32
	add := func(p geom.Vec3) {
		l := mount().Inverse().Apply(p)
		xyz = append(xyz, float32(l.X), float32(l.Y), float32(l.Z))
	}
	for i := range 720 {
		q := geom.Vec2{X: 3}.Rotate(float64(i) * math.Pi / 360)
		add(geom.Vec3{X: q.X, Y: q.Y, Z: -0.35})
	}
	add(p)
	return rosconv.PointCloud(rosconv.Header(at, "livox_frame"), xyz)
}

// sector returns the range of the sector that holds a bearing [deg].
func sector(s dharma.SectorScan, degrees float64) float64 {
	return float64(s.Ranges[int((degrees*math.Pi/180-float64(s.AngleMin))/float64(s.AngleIncrement))])
}

func about(got, want float64) bool { return math.Abs(got-want) < 0.03 }

func TestScanBecomesSectors(t *testing.T) {
	b := newBench(t, nil)
	taken := b.Now().Add(-30 * time.Millisecond)
	nodetest.Publish(b.Rig, topics.BodyScan, scan(taken, 2))
	b.Advance(0)
	front, safety := b.front.Latest().Value, b.safety.Latest().Value
	if len(front.Ranges) != 32 || !about(float64(front.AngleMin), -math.Pi/2) || front.Kind != "front" {
		t.Errorf("front scan: %d sectors from %g, kind %s", len(front.Ranges), front.AngleMin, front.Kind)
	}
	if len(safety.Ranges) != 120 || !about(float64(safety.AngleMin), -math.Pi) || safety.Kind != "safety" {
		t.Errorf("safety scan: %d sectors from %g, kind %s", len(safety.Ranges), safety.AngleMin, safety.Kind)
	}
	for _, s := range []dharma.SectorScan{front, safety} {
		if s.Header.FrameID != "base_link" || !rosconv.FromStamp(s.Header.Stamp).Equal(taken) || s.RangeMax != 8 || s.RangeMin != 0.2 {
			t.Errorf("header or ranges: %+v", s)
		}
		if got := sector(s, 1); !about(got, 2) {
			t.Errorf("%s: the wall ahead is at %g m, want 2 m", s.Kind, got)
		}
		if got := sector(s, 89); got < 7.9 {
			t.Errorf("%s: to the left it is free up to %g m, want 8 m", s.Kind, got)
		}
	}
	if got := sector(safety, 179); got != 8 {
		t.Errorf("behind it is free up to %g m, want 8 m", got)
	}
	b.Advance(time.Second)
	if b.safety.Len() != 1 {
		t.Errorf("%d safety scans for one scan: nothing new, nothing published", b.safety.Len())
	}
}

func TestWithoutTheCloudNobodyComputesIt(t *testing.T) {
	for _, use := range []bool{false, true} {
		b := newBench(t, func(c *lidarsector.Config) { c.Cloud = use })
		for _, topic := range b.Bus.Graph().Topics {
			if topic.Name == "/robot/points" && (len(topic.Subscribers) > 0) != use {
				t.Errorf("cloud %v: %d subscribers of the cloud", use, len(topic.Subscribers))
			}
		}
	}
}

func TestSilenceIsPassedOn(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*sensor.LaserScan)
	}{
		{"unknown frame", func(m *sensor.LaserScan) { m.Header.FrameID = "somewhere" }},
		{"empty", func(m *sensor.LaserScan) { m.Ranges = nil }},
		{"no range", func(m *sensor.LaserScan) { m.RangeMax = float32(math.NaN()) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, nil)
			m := scan(b.Now(), 2)
			tt.spoil(&m)
			nodetest.Publish(b.Rig, topics.BodyScan, m)
			b.Advance(100 * time.Millisecond)
			if b.safety.Len() != 0 || b.front.Len() != 0 {
				t.Error("sectors are published of a scan that says nothing")
			}
			nodetest.Publish(b.Rig, topics.BodyScan, scan(b.Now(), 2))
			b.Advance(100 * time.Millisecond)
			if b.safety.Len() != 1 {
				t.Error("a good scan afterwards is not used")
			}
		})
	}
}

func TestBlindScanIsNotFree(t *testing.T) {
	b := newBench(t, nil)
	m := scan(b.Now(), 2)
	for i := range m.Ranges {
		m.Ranges[i] = float32(math.NaN())
	}
	nodetest.Publish(b.Rig, topics.BodyScan, m)
	b.Advance(0)
	for i, r := range b.safety.Latest().Value.Ranges {
		if r == r {
			t.Fatalf("sector %d is %g after a scan of NaN, want NaN", i, r)
		}
	}
}

func TestCloudAlone(t *testing.T) {
	b := newBench(t, func(c *lidarsector.Config) { c.Scan, c.Cloud = false, true })
	nodetest.Publish(b.Rig, topics.BodyPoints, cloud(b.Now(), geom.Vec3{X: 1, Y: 1, Z: -0.1}))
	b.Advance(0)
	s := b.safety.Latest().Value
	if got := sector(s, 45); !about(got, math.Sqrt2) {
		t.Errorf("the post is at %g m, want %g m", got, math.Sqrt2)
	}
	if got := sector(s, -45); got != 8 {
		t.Errorf("to the right it is free up to %g m, want 8 m", got)
	}
	nodetest.Publish(b.Rig, topics.BodyPoints, sensor.PointCloud2{Header: rosconv.Header(b.Now(), "livox_frame")})
	b.Advance(time.Second)
	if b.safety.Len() != 1 {
		t.Error("sectors are published of a cloud without fields")
	}
}

func TestBothSources(t *testing.T) {
	b := newBench(t, func(c *lidarsector.Config) { c.Cloud = true })
	scanOnly := func() { // the cloud is missing or too old
		t.Helper()
		before := b.safety.Len()
		nodetest.Publish(b.Rig, topics.BodyScan, scan(b.Now(), 5))
		b.Advance(0)
		if b.safety.Len() != before {
			t.Error("sectors are published although the cloud is missing")
		}
	}
	scanOnly()
	odom := func(x float64) {
		nodetest.Publish(b.Rig, topics.BodyOdometry, rosconv.Odometry(b.Now(), "odom", "base_link", geom.Pose2{X: x}.Transform(), geom.Velocity{}))
	}
	odom(0)
	nodetest.Publish(b.Rig, topics.BodyPoints, cloud(b.Now(), geom.Vec3{X: 2, Y: 0.1, Z: -0.1}))
	b.Advance(200 * time.Millisecond)
	odom(0.2)
	nodetest.Publish(b.Rig, topics.BodyScan, scan(b.Now(), 5))
	b.Advance(0)
	s := b.safety.Latest().Value
	if got := sector(s, 2); !about(got, 1.8) {
		t.Errorf("after 0.2 m the post of the cloud is at %g m, want 1.8 m", got)
	}
	if got := sector(s, 30); !about(got, 5/math.Cos(30*math.Pi/180)) && got < 5.6 {
		t.Errorf("the wall of the scan is at %g m", got)
	}
	if !rosconv.FromStamp(s.Header.Stamp).Equal(b.Now()) {
		t.Errorf("stamped %v, want the time of the scan", rosconv.FromStamp(s.Header.Stamp))
	}
	b.Advance(200 * time.Millisecond)
	odom(0.4)
	scanOnly() // 400 ms is too old
	nodetest.Publish(b.Rig, topics.BodyPoints, cloud(b.Now(), geom.Vec3{X: 2, Y: 0.1, Z: -0.1}))
	b.Advance(150 * time.Millisecond)
	scanOnly() // odometry does not reach this far
}

func TestInvalidConfig(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*lidarsector.Config)
		want  string
	}{
		{"no source", func(c *lidarsector.Config) { c.Scan = false }, "scan: neither scan nor cloud"},
		{"turned band", func(c *lidarsector.Config) { c.ZMin = 2 }, "z_min: is not below z_max"},
		{"self beside base_link", func(c *lidarsector.Config) { c.Self.XMin = 0.1 }, "self.x_min: 0.1 m is out of range"},
		{"coarse", func(c *lidarsector.Config) { c.SafetySectors = 8 }, "safety_sectors: 8 is out of range"},
		{"NaN", func(c *lidarsector.Config) { c.RangeMax = math.NaN() }, "range_max: NaN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := lidarsector.DefaultConfig()
			tt.spoil(&cfg)
			if _, err := lidarsector.New(cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
