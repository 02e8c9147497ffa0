package routerecorder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/route"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/routerecorder"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/stdsrvs"
)

type bench struct {
	*nodetest.Rig
	t      *testing.T
	dir    string
	status *nodetest.Collector[dharma.RouteStatus]
	pose   geom.Pose2
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	folder, err := site.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	store := site.NewStore(folder)
	if err := store.Create("hall"); err != nil {
		t.Fatal(err)
	}
	n, err := routerecorder.New(routerecorder.DefaultConfig(), routerecorder.Deps{Sites: store, Frame: "map", Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	b := &bench{Rig: r, t: t, dir: dir, status: nodetest.Collect(r, topics.RouteStatus)}
	r.Run(routerecorder.Name, n)
	b.site("hall")
	b.localized(dharma.LocalizationStatusStateLocalized)
	b.lead(0, 100*time.Millisecond)
	return b
}

func (b *bench) site(name string) {
	nodetest.Publish(b.Rig, topics.SiteStatus, dharma.SiteStatus{Site: name})
	b.Advance(0)
}

func (b *bench) localized(state string) {
	nodetest.Publish(b.Rig, topics.LocalizationStatus, dharma.LocalizationStatus{State: state})
	b.Advance(0)
}

// lead moves the robot ahead at a speed; poses come at 20 Hz.
func (b *bench) lead(speed float64, d time.Duration) {
	for range d / (50 * time.Millisecond) {
		b.Advance(50 * time.Millisecond)
		b.pose = b.pose.Mul(geom.Velocity{VX: speed}.Integrate(0.05))
		m := geometry.PoseWithCovarianceStamped{Header: rosconv.Header(b.Now(), "map")}
		m.Pose.Pose = rosconv.Pose(b.pose.Transform())
		nodetest.Publish(b.Rig, topics.LocalizationPose, m)
		b.Advance(0)
	}
}

func (b *bench) trigger(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) stdsrvs.TriggerResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, s, stdsrvs.TriggerRequest{})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) mark(dwell float64) dharma.MarkStopPointResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, topics.MarkStopPoint, dharma.MarkStopPointRequest{DwellSec: dwell})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// points reads the only route there is; nil when there is none.
func (b *bench) points() []route.Point {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.dir, "hall", "routes", "*.csv"))
	if err != nil || len(files) == 0 {
		return nil
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		b.t.Fatal(err)
	}
	points, err := route.Parse(data)
	if err != nil {
		b.t.Fatal(err)
	}
	return points
}

func TestTeaches(t *testing.T) {
	b := newBench(t)
	if s := b.status.Latest().Value; s.Recording || s.File != "" {
		t.Errorf("before: %+v", s)
	}
	r := b.trigger(topics.StartRoute)
	if !r.Success || !strings.HasPrefix(r.Message, "hall/routes/20") || !strings.HasSuffix(r.Message, ".csv") {
		t.Fatalf("%+v", r)
	}
	if again := b.trigger(topics.StartRoute); again.Success {
		t.Error("started twice")
	}
	b.lead(0.5, 4*time.Second)
	if m := b.mark(15); !m.Success || m.Index != 0 {
		t.Errorf("mark: %+v", m)
	}
	b.lead(0.5, 4*time.Second)
	s := b.status.Latest().Value
	if !s.Recording || s.Site != "hall" || s.Stops != 1 || s.Points < 17 || s.Length < 3.8 || s.File != r.Message {
		t.Errorf("%+v", s)
	}
	end := b.trigger(topics.StopRoute)
	if !end.Success || !strings.Contains(end.Message, "1 stops") {
		t.Fatalf("%+v", end)
	}
	got := b.points()
	stops := 0
	for _, p := range got {
		if p.Stop() {
			stops++
			if p.Dwell != 15 || p.X < 1.9 || p.X > 2.1 {
				t.Errorf("stop %+v", p)
			}
		}
	}
	if stops != 1 || len(got) != int(b.status.Latest().Value.Points) || b.status.Latest().Value.Recording {
		t.Errorf("%d points, %d stops on disk; %+v", len(got), stops, b.status.Latest().Value)
	}
	if r := b.trigger(topics.StopRoute); r.Success {
		t.Error("stopped twice")
	}
	if m := b.mark(5); m.Success {
		t.Error("a mark without a route")
	}
}

func TestACrashCostsSeconds(t *testing.T) {
	b := newBench(t)
	b.trigger(topics.StartRoute)
	b.lead(0.5, 9*time.Second)
	if n := len(b.points()); n < 16 { // of 8 s, 20 cm apart
		t.Errorf("%d points are on disk while the route is taught", n)
	}
	if m := b.mark(5); !m.Success {
		t.Fatal(m.Message)
	}
	b.lead(0, 3*time.Second)
	if p := b.points(); !p[len(p)-1].Stop() {
		t.Error("a stop that was marked is not on disk")
	}
}

func TestRefusals(t *testing.T) {
	b := newBench(t)
	b.localized(dharma.LocalizationStatusStateNone)
	if r := b.trigger(topics.StartRoute); r.Success || !strings.Contains(r.Message, "not localized") || !strings.Contains(b.status.Latest().Value.Message, "not localized") {
		t.Errorf("%+v", r)
	}
	b.localized(dharma.LocalizationStatusStateLocalized)
	b.Advance(time.Second)
	if r := b.trigger(topics.StartRoute); r.Success || !strings.Contains(r.Message, "missing or old") {
		t.Errorf("%+v", r)
	}
	b.lead(0, 100*time.Millisecond)
	b.site("")
	if r := b.trigger(topics.StartRoute); r.Success || !strings.Contains(r.Message, "no site") {
		t.Errorf("%+v", r)
	}
	b.site("hall")
	b.trigger(topics.StartRoute)
	if m := b.mark(4000); m.Success || !strings.Contains(m.Message, "out of range") {
		t.Errorf("%+v", m)
	}
	b.lead(0, time.Second)
	if r := b.trigger(topics.StopRoute); r.Success || !strings.Contains(r.Message, "nothing is kept") || b.points() != nil {
		t.Errorf("a route to nowhere: %+v", r)
	}
}

func TestEndsByItself(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		end        func(*bench)
	}{
		{"a jump", "the pose jumped by 5.0 m", func(b *bench) { b.pose.X += 5; b.lead(0, 50*time.Millisecond) }},
		{"another site", "another site", func(b *bench) { b.site("yard") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.trigger(topics.StartRoute)
			b.lead(0.5, 3*time.Second)
			tt.end(b)
			b.Advance(time.Second)
			if s := b.status.Latest().Value; s.Recording || !strings.Contains(s.Message, tt.want) {
				t.Errorf("%+v", s)
			}
			if p := b.points(); len(p) < 7 || p[len(p)-1].X > 2 {
				t.Errorf("%d points are kept", len(p))
			}
		})
	}
}

func TestAFullDiskIsTold(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.dir, "hall", "routes"), nil, 0o600); err != nil { // in the place of the folder
		t.Fatal(err)
	}
	b.trigger(topics.StartRoute)
	b.lead(0.5, 5*time.Second)
	if s := b.status.Latest().Value; !s.Recording || s.Message == "" {
		t.Errorf("%+v", s)
	}
	if r := b.trigger(topics.StopRoute); r.Success || r.Message == "" {
		t.Errorf("%+v", r)
	}
}

func TestConfigIsChecked(t *testing.T) {
	cfg := routerecorder.DefaultConfig()
	cfg.Spacing = 0
	if _, err := routerecorder.New(cfg, routerecorder.Deps{}); err == nil || !strings.Contains(err.Error(), "spacing: ") {
		t.Errorf("error %v", err)
	}
	if _, err := routerecorder.New(routerecorder.DefaultConfig(), routerecorder.Deps{}); err == nil {
		t.Error("nothing is given, and accepted")
	}
}
