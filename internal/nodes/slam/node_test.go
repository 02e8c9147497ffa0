package slam_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/slam"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/tf2"
)

// engine is a slam.Engine that goes where odometry goes, and writes down what it is told.
type engine struct {
	odometry []float64 // times
	scans    []float64
	readings []slam.Reading
	pose     geom.Pose2
	refuse   bool
	job      *job
	due      bool
}

type job struct{ ran int }

func (j *job) Run() { j.ran++ }

func (e *engine) AddOdometry(t float64, p geom.Pose2) { e.odometry, e.pose = append(e.odometry, t), p }

func (e *engine) AddScan(t float64, r *slam.Reading) slam.Match {
	e.scans, e.readings = append(e.scans, t), append(e.readings, *r)
	return slam.Match{Pose: e.pose, Cov: [3][3]float64{{1e-4, 0, 0}, {0, 2e-4, 0}, {0, 0, 1e-6}}, OK: !e.refuse}
}

func (e *engine) Job() slam.Job {
	if e.job == nil {
		return nil
	}
	return e.job
}

func (e *engine) Due() bool { return e.due }

func (e *engine) Map() slam.Grid {
	return slam.Grid{Origin: geom.Pose2{X: -1, Y: -2}, Resolution: 0.05, Width: 2, Height: 1, Cells: []int8{-1, 100}}
}

func (e *engine) Values() []slam.Value { return []slam.Value{{Key: "loops_closed", Value: "7"}} }

type bench struct {
	*nodetest.Rig
	engine      *engine
	matches     *nodetest.Collector[geometry.PoseWithCovarianceStamped]
	maps        *nodetest.Collector[nav.OccupancyGrid]
	diagnostics *nodetest.Collector[diagnostic.DiagnosticArray]
}

func newBench(t *testing.T) *bench {
	t.Helper()
	e := &engine{}
	n, err := slam.New(slam.DefaultConfig(), e)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Rig: nodetest.New(t, nodetest.Options{}), engine: e}
	b.matches = nodetest.Collect(b.Rig, topics.ScanMatchPose)
	b.maps = nodetest.Collect(b.Rig, topics.Map)
	b.diagnostics = nodetest.Collect(b.Rig, topics.SlamDiagnostics)
	b.Run(slam.Name, n)
	return b
}

func (b *bench) scan(at time.Time) {
	nodetest.Publish(b.Rig, topics.Scan, sensor.LaserScan{
		Header: rosconv.Header(at, "base_link"), AngleMin: -1, AngleIncrement: 0.5, RangeMin: 0.1, RangeMax: 8, Ranges: []float32{1, 2, 3, 4, 5},
	})
}

func (b *bench) fused(at time.Time, p geom.Pose2) {
	nodetest.Publish(b.Rig, topics.FusedPose, geometry.PoseWithCovarianceStamped{
		Header: rosconv.Header(at, "map"), Pose: geometry.PoseWithCovariance{Pose: rosconv.Pose(p.Transform())},
	})
}

func (b *bench) value(t *testing.T, key string) string {
	t.Helper()
	for _, v := range b.diagnostics.Latest().Value.Status[0].Values {
		if v.Key == key {
			return v.Value
		}
	}
	t.Fatalf("no %s in %v", key, b.diagnostics.Latest().Value)
	return ""
}

func TestScanWaitsForTheFusedPoseOfItsTime(t *testing.T) {
	b := newBench(t)
	begin := b.Now()
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	for ms := 0; ms <= 100; ms += 20 {
		b.fused(at(ms), geom.Pose2{X: float64(ms) / 1000})
		b.Advance(0)
	}
	b.scan(at(90))
	b.Advance(0)
	if b.matches.Len() != 1 {
		t.Fatal("a scan of a known time was not used at once")
	}
	b.scan(at(110)) // nobody knows yet where the robot was then
	b.Advance(30 * time.Millisecond)
	if b.matches.Len() != 1 {
		t.Fatal("a scan did not wait")
	}
	b.fused(at(120), geom.Pose2{X: 0.12})
	b.Advance(0)
	m := b.matches.Latest().Value
	if b.matches.Len() != 2 || !rosconv.FromStamp(m.Header.Stamp).Equal(at(110)) || m.Header.FrameID != "map" {
		t.Fatalf("%d matches, the last %+v", b.matches.Len(), m)
	}
	if x := m.Pose.Pose.Position.X; math.Abs(x-0.11+0.09) > 1e-6 || m.Pose.Covariance[7] != 2e-4 {
		t.Errorf("at %g m, covariance %v", x, m.Pose.Covariance)
	}
	if got := b.engine.odometry; len(got) != 2 || math.Abs(got[1]-0.02) > 1e-9 {
		t.Errorf("odometry of %v", got)
	}
	b.scan(at(200)) // fusion falls silent: the scan is matched without it
	b.Advance(110 * time.Millisecond)
	if b.matches.Len() != 3 || len(b.engine.odometry) != 2 {
		t.Errorf("%d matches, odometry of %v", b.matches.Len(), b.engine.odometry)
	}
}

func TestScansAlone(t *testing.T) {
	b := newBench(t)
	for range 11 {
		b.scan(b.Now())
		b.Advance(100 * time.Millisecond)
	}
	if b.matches.Len() != 11 || len(b.engine.odometry) != 0 {
		t.Errorf("%d matches, odometry of %v", b.matches.Len(), b.engine.odometry)
	}
	if got := b.value(t, "scans_without_fused_pose"); got != "10" && got != "11" {
		t.Errorf("%s scans without a fused pose", got)
	}
	if s := b.diagnostics.Latest().Value.Status[0]; !strings.Contains(s.Message, "scans alone") {
		t.Errorf("%+v", s)
	}
}

func TestScansAreUsedInOrder(t *testing.T) {
	b := newBench(t)
	begin := b.Now()
	b.fused(begin, geom.Pose2{})
	b.scan(begin)
	b.Advance(0)
	for _, ms := range []int{30, 10, 20} {
		b.scan(begin.Add(time.Duration(ms) * time.Millisecond))
	}
	b.Advance(10 * time.Millisecond)
	b.fused(begin.Add(40*time.Millisecond), geom.Pose2{})
	b.Advance(0)
	if got := b.engine.scans; len(got) != 4 || !(got[1] < got[2] && got[2] < got[3]) {
		t.Errorf("scans of %v", got)
	}
}

func TestMapIsPublishedWhenItChanged(t *testing.T) {
	b := newBench(t)
	b.Advance(3 * time.Second)
	if b.maps.Len() > 0 {
		t.Error("a map without a scan")
	}
	for range 20 {
		b.scan(b.Now())
		b.Advance(100 * time.Millisecond)
	}
	b.Advance(5 * time.Second)
	if n := b.maps.Len(); n < 2 || n > 3 {
		t.Errorf("%d maps of 2 s of scans", n)
	}
	late := nodetest.Collect(b.Rig, topics.Map)
	b.Advance(0)
	m := late.Latest().Value
	if m.Info.Width != 2 || m.Info.Origin.Position.Y != -2 || m.Data[1] != 100 || m.Info.Resolution != 0.05 || m.Header.FrameID != "map" {
		t.Errorf("a late subscriber got %+v", m)
	}
}

// The engine's work runs beside the loop, once; scans go on until its result is due, and then wait for it.
func TestJobs(t *testing.T) {
	b := newBench(t)
	j := &job{}
	b.engine.job = j
	for range 3 {
		b.scan(b.Now())
		b.Advance(10 * time.Millisecond)
	}
	if j.ran != 1 || b.matches.Len() != 3 {
		t.Fatalf("the job ran %d times, %d matches", j.ran, b.matches.Len())
	}
	b.engine.due = true
	b.scan(b.Now())
	b.Advance(5 * time.Millisecond)
	if b.matches.Len() != 3 {
		t.Fatal("a scan was used although the job has not ended")
	}
	b.Advance(100 * time.Millisecond)
	if b.matches.Len() != 4 || j.ran != 1 {
		t.Errorf("%d matches, the job ran %d times", b.matches.Len(), j.ran)
	}
}

func TestTooManyScansWait(t *testing.T) {
	b := newBench(t)
	b.engine.job = &job{}
	b.scan(b.Now())
	b.Advance(0)
	b.engine.due = true
	for range 30 {
		b.Advance(time.Millisecond)
		b.scan(b.Now())
		b.Advance(0)
	}
	b.engine.due = false
	b.Advance(2 * time.Second)
	if got := b.value(t, "scans_overrun"); got != "14" || len(b.engine.scans) != 17 {
		t.Errorf("%s scans were dropped, %d used", got, len(b.engine.scans))
	}
}

func TestOddScans(t *testing.T) {
	b := newBench(t)
	nodetest.Publish(b.Rig, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(b.Now(), "base_link", "laser", geom.Transform{T: geom.Vec3{X: 0.3}, R: geom.FromRPY(math.Pi, 0, 0)}),
	}})
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	publish := func(m sensor.LaserScan) {
		nodetest.Publish(b.Rig, topics.Scan, m)
		b.Advance(10 * time.Millisecond)
	}
	publish(sensor.LaserScan{})                                                          // no beams
	publish(sensor.LaserScan{Ranges: []float32{1, 2}, AngleMin: nan, AngleIncrement: 1}) // no angles
	publish(sensor.LaserScan{
		Header: rosconv.Header(time.Time{}, "laser"), AngleMin: 1, AngleMax: -1, RangeMax: inf, TimeIncrement: 0.001, Ranges: []float32{1, nan, inf},
	})
	b.engine.refuse = true
	b.scan(b.Now())
	b.Advance(time.Second)
	if got := b.value(t, "scans_malformed"); got != "2" {
		t.Errorf("%s malformed scans", got)
	}
	if used, refused := b.value(t, "scans_used"), b.value(t, "scans_refused"); used != "1" || refused != "1" || b.value(t, "loops_closed") != "7" {
		t.Errorf("%s used, %s refused", used, refused)
	}
	r := b.engine.readings[0]
	if r.AngleIncrement != -1 || r.RangeMax != 0 || math.Abs(r.Duration-0.002) > 1e-6 || r.Mount.T.X != 0.3 {
		t.Errorf("%+v", r)
	}
	if down := r.Mount.R.Rotate(geom.Vec3{Z: 1}).Z; math.Abs(down+1) > 1e-9 {
		t.Errorf("the lidar hangs upside down, its z axis is %g", down)
	}
	if m := b.matches.All()[0].Value; rosconv.FromStamp(m.Header.Stamp).Before(b.Now().Add(-2 * time.Second)) {
		t.Errorf("a scan without a stamp counts at its arrival, not at %v", m.Header.Stamp)
	}
}

func TestWrongConfig(t *testing.T) {
	cfg := slam.DefaultConfig()
	cfg.MapPeriod, cfg.BaseFrame = 0, ""
	if _, err := slam.New(cfg, &engine{}); err == nil || !strings.Contains(err.Error(), "map_period") || !strings.Contains(err.Error(), "base_frame") {
		t.Error(err)
	}
	if _, err := slam.New(slam.DefaultConfig(), nil); err == nil {
		t.Error("no engine")
	}
}
