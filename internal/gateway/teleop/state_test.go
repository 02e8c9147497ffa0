package teleop_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/builtin"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/molly"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/teleop"
)

var update = flag.Bool("update", false, "rewrite golden files")

// wholeRobot publishes what every node of a robot reports.
func wholeRobot(c *node.Context) {
	nan := float32(math.NaN())
	publish(c, topics.NavigationStatus, dharma.NavigationStatus{
		State: "PAUSED", Message: "paused by the operator", PauseReasons: []string{"operator"}, Index: 11, Total: 240,
		SpeedTarget: 0.6, SpeedMin: 0.2, SpeedMax: 1.2,
	})
	publish(c, topics.LocalizationStatus, dharma.LocalizationStatus{State: "localized", Source: "tag:base_map"})
	publish(c, topics.RouteStatus, dharma.RouteStatus{Recording: true})
	publish(c, topics.BodyBattery, sensor.BatteryState{Percentage: 0.82, Voltage: 51.2, Current: -3.5, Temperature: nan})
	publish(c, topics.HealthStatus, dharma.HealthStatus{
		Level: dharma.HealthStatusLevelWarn, Issues: []string{"camera: no images"}, SpeedScale: 0.5, CPU: 41.5, GPU: nan, RAM: 55.5,
		RAMUsed: 8.7, RAMTotal: 15.6, Temp: 61.5,
	})
	publish(c, topics.OdometryStatus, dharma.OdometryStatus{
		Distance: 1234.5, MovingTime: 900, Speed: 0.5, AverageSpeed: 0.75, TopSpeed: 1.1, Since: builtin.Time{Sec: 1767322800, Nanosec: 5e8},
	})
	publish(c, topics.SiteStatus, dharma.SiteStatus{Site: "lobby", HasMap: true, Tags: []string{"a", "b"}, Routes: []string{"r"}})
	publish(c, topics.SitePois, molly.PoiArray{Site: "lobby", Pois: []molly.Poi{{ID: "desk"}}})
	publish(c, topics.SiteTours, molly.TourArray{Site: "lobby", Tours: []molly.Tour{{ID: "all"}, {ID: "short"}}})
	publish(c, topics.MappingStatus, dharma.MappingStatus{Active: true, Site: "lobby", Scans: 120, Area: 88.5})
	publish(c, topics.PlannerStatus, dharma.PlannerStatus{State: "following", Goal: "desk", Remaining: 4.5})
	publish(c, topics.TourState, molly.TourState{
		State: molly.TourStateStateRunning, TourID: "all", TourName: "All", CurrentPoiIndex: 1, TotalPois: 5, CurrentPoiID: "desk",
		CurrentPoiName: "Desk", Activity: "narrating",
	})
	publish(c, topics.SpeechStatus, molly.SpeechStatus{State: "speaking", Text: "good morning", Queued: 1})
	publish(c, topics.GreeterStatus, molly.GreeterStatus{Enabled: true, State: "watching"})
	publish(c, topics.DockingStatus, dharma.DockingStatus{State: "docked", Tag: "dock_1", Charging: true})
	m := *nav.NewOccupancyGrid()
	m.Info.Width, m.Info.Height, m.Info.Resolution, m.Data = 1, 1, 0.05, []int8{0}
	publish(c, topics.Map, m)
	pose := bus.NewPublisher(c, topics.LocalizationPose)
	visitors := bus.NewPublisher(c, topics.Visitors)
	c.Every(20*time.Millisecond, func(time.Time) {
		p := geometry.PoseWithCovarianceStamped{}
		p.Pose.Pose.Position.X, p.Pose.Pose.Position.Y, p.Pose.Pose.Orientation.W = 1.5, -2.25, 1
		pose.Publish(p)
		visitors.Publish(molly.Visitors{Count: 3, Front: 2, Behind: 1, Nearest: 1.25})
	})
}

// A robot that runs everything and one that runs the mux only, as handhelds of both dialects see them.
func TestState(t *testing.T) {
	for _, tc := range []struct {
		name  string
		setup func(*node.Context)
	}{{"whole", wholeRobot}, {"bare", nil}} {
		r := newRobot(t, config(), tc.setup)
		for _, d := range teleop.Dialects() {
			t.Run(tc.name+" "+d.Name, func(t *testing.T) {
				checkState(t, r, d, filepath.Join("testdata", "state_"+tc.name+"_"+d.Name+".json"))
			})
		}
	}
}

func checkState(t *testing.T, r *robot, d *teleop.Dialect, golden string) {
	dev := newDevice(t, "127.0.0.1", r.gateway.Addr(d.Name))
	read := func() string {
		dev.send(`{"t":"hello"}`)
		return readable(t, dev.expect(`"t":"state"`))
	}
	want, err := os.ReadFile(golden)
	if *update {
		var last string
		for now := read(); now != last || !settled(now); now = read() {
			last = now
		}
		err = os.WriteFile(golden, []byte(last), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := read()
	for late := time.Now().Add(limit); !*update && got != string(want) && time.Now().Before(late); {
		got = read()
	}
	if diff := cmp.Diff(string(want), got); diff != "" && !*update {
		t.Error(diff)
	}
}

// settled reports whether the map has been drawn, if there is one.
func settled(state string) bool {
	return !regexp.MustCompile(`"active": true`).MatchString(state) || !regexp.MustCompile(`"map_rev": null`).MatchString(state)
}

// readable is a state with a field a line and without its number.
func readable(t *testing.T, state string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(state), &fields); err != nil {
		t.Fatal(err)
	}
	fields["seq"] = nil
	out, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

// What a source has said is not shown after it fell silent, or after its node ended.
func TestASilentSourceIsNull(t *testing.T) {
	var pose *bus.Publisher[geometry.PoseWithCovarianceStamped]
	site := make(chan func(), 1)
	r := newRobot(t, config(), func(c *node.Context) {
		p := geometry.PoseWithCovarianceStamped{}
		p.Pose.Pose.Orientation.W = 1
		pose = publish(c, topics.LocalizationPose, p)
		s := &leaving{Context: c}
		bus.NewPublisher(s, topics.SiteStatus).Publish(dharma.SiteStatus{Site: "lobby"})
		site <- s.end
	})
	h := r.connect(teleop.Molly())
	h.until("the site", func(s teleop.Snapshot) bool { return s.State.Site.OK })
	began := time.Now()
	pose.Publish(geometry.PoseWithCovarianceStamped{})
	h.until("a pose", func(s teleop.Snapshot) bool { return s.State.Pose.OK })
	h.until("no pose", func(s teleop.Snapshot) bool { return !s.State.Pose.OK })
	if late := time.Since(began); late < 900*time.Millisecond {
		t.Errorf("the pose is gone after %v", late)
	}
	(<-site)()
	h.until("no site", func(s teleop.Snapshot) bool { return !s.State.Site.OK })
}
