package teleop_test

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/tf2"
	"sarathi/teleop"
)

// event waits for an event of a kind for which ok reports true.
func (h *handheld) event(kind teleop.EventKind, ok func(teleop.Event) bool) teleop.Event {
	h.t.Helper()
	return h.eventWhile(kind, func() {}, ok)
}

// eventWhile is event that does something at each event that comes meanwhile, such as a state.
func (h *handheld) eventWhile(kind teleop.EventKind, do func(), ok func(teleop.Event) bool) teleop.Event {
	h.t.Helper()
	late := time.After(limit)
	for {
		select {
		case e := <-h.events:
			if e.Kind == kind && ok(e) {
				return e
			}
			do()
		case <-late:
			h.t.Fatalf("no event of kind %d", kind)
		}
	}
}

func some(teleop.Event) bool { return true }

// wanted waits until somebody subscribes to a topic, or nobody does.
func (h *handheld) wanted(p interface{ Wanted() bool }, want bool) {
	h.t.Helper()
	h.until("a change of subscriptions", func(teleop.Snapshot) bool { return p.Wanted() == want })
}

func TestCameraIsSubscribedWhileItIsWanted(t *testing.T) {
	var camera *bus.Publisher[sensor.CompressedImage]
	r := newRobot(t, config(), func(c *node.Context) { camera = bus.NewPublisher(c, topics.BodyImage) })
	h := r.connect(teleop.Molly())
	if camera.Wanted() {
		t.Error("somebody subscribes to a camera that no handheld wants")
	}
	h.SetStreams(teleop.Streams{Camera: true, CameraFPS: 60})
	h.wanted(camera, true)
	camera.Publish(sensor.CompressedImage{Format: "png", Data: []byte("no JPEG")})
	image := append([]byte{0xFF, 0xD8}, bytes.Repeat([]byte{7}, 5000)...)
	camera.Publish(sensor.CompressedImage{Format: "jpeg", Data: image})
	e := h.event(teleop.EventCamera, some)
	if !bytes.Equal(e.JPEG, image) {
		t.Errorf("an image of %d bytes came", len(e.JPEG))
	}
	h.SetStreams(teleop.Streams{Video: true})
	h.wanted(camera, false)
	h.SetStreams(teleop.Streams{Camera: true})
	h.wanted(camera, true)
	h.leave()
	d := newDevice(t, "127.0.0.1", r.gateway.Addr(teleop.MollyName))
	for camera.Wanted() {
		d.ask(`{"t":"discover"}`, `"in_use_by":""`)
	}
}

func TestTagsAreInTheStateWhileTheCameraIsSeen(t *testing.T) {
	var found *bus.Publisher[dharma.TagDetections]
	r := newRobot(t, config(), func(c *node.Context) { found = bus.NewPublisher(c, topics.Tags) })
	h := r.connect(teleop.Molly())
	if found.Wanted() || h.Snapshot().State.Tags != nil {
		t.Error("somebody looks for tags that no handheld wants")
	}
	for _, streams := range []teleop.Streams{{Camera: true}, {Video: true}} {
		h.SetStreams(streams)
		h.wanted(found, true)
		h.until("the tags", func(s teleop.Snapshot) bool {
			found.Publish(dharma.TagDetections{Detections: []dharma.TagDetection{{ID: 7, Corners: [8]float32{0, 0.25, 0.5, 0.75, 1, 0.25, 0.5, 0}}}})
			return len(s.State.Tags) == 1 && s.State.Tags[0] == teleop.Tag{ID: 7, Corners: [8]float64{0, 0.25, 0.5, 0.75, 1, 0.25, 0.5, 0}}
		})
		h.SetStreams(teleop.Streams{})
		h.wanted(found, false)
		h.until("no tags", func(s teleop.Snapshot) bool { return s.State.Tags == nil })
	}
}

func TestLidarIsSubscribedWhileItIsWanted(t *testing.T) {
	var cloud *bus.Publisher[sensor.PointCloud2]
	var frames *bus.Publisher[tf2.TFMessage]
	r := newRobot(t, config(), func(c *node.Context) {
		cloud = bus.NewPublisher(c, topics.BodyPoints)
		publish(c, topics.TFStatic, tf2.TFMessage{Transforms: append(tf2.TFMessage{}.Transforms,
			rosconv.TransformStamped(c.Now(), "base_link", "livox_frame", geom.Transform{T: geom.Vec3{X: 0.15, Z: 0.35}, R: geom.FromYaw(math.Pi / 2)}))})
		frames = bus.NewPublisher(c, topics.TF)
	})
	h := r.connect(teleop.Pashupati(), func(c *teleop.ClientConfig) { c.Streams.Lidar = true })
	h.wanted(cloud, true)
	h.wanted(frames, true)
	nan := float32(math.NaN())
	points := []float32{1.05, 0, 0, 1.06, 0.01, 0.01, nan, nan, nan, 500, 0, 0, -2, 1, 0.5}
	e := h.eventWhile(teleop.EventLidar, func() {
		cloud.Publish(rosconv.PointCloud(std.Header{FrameID: "livox_frame", Stamp: rosconv.Stamp(r.bus.Now())}, points))
	}, some)
	want := []teleop.LidarPoint{{X: 15, Y: 105, Z: 35}, {X: -85, Y: -200, Z: 85}}
	if diff := cmp.Diff(want, e.Points); diff != "" {
		t.Error(diff)
	}
	h.SetStreams(teleop.Streams{})
	h.wanted(cloud, false)
	h.wanted(frames, false)
}

func TestRouteAndSite(t *testing.T) {
	var route *bus.Publisher[dharma.WaypointPath]
	var pois *bus.Publisher[molly.PoiArray]
	r := newRobot(t, config(), func(c *node.Context) {
		route = publish(c, topics.Waypoints, dharma.WaypointPath{Points: []dharma.Waypoint{{X: 1, Y: 2}, {X: 3, Y: 4, DwellSec: 5}}})
		publish(c, topics.SiteStatus, dharma.SiteStatus{Site: "lobby"})
		pois = publish(c, topics.SitePois, molly.PoiArray{Site: "lobby", Pois: []molly.Poi{{ID: "desk", Name: "Desk", X: 1.5, DwellSec: 3}}})
		publish(c, topics.SiteTours, molly.TourArray{Site: "lobby", Tours: []molly.Tour{{ID: "all", Name: "All", PoiIds: []string{"desk"}}}})
	})
	h := r.connect(teleop.Molly())
	e := h.event(teleop.EventRoute, some)
	if diff := cmp.Diff([]teleop.RoutePoint{{X: 1, Y: 2}, {X: 3, Y: 4, Dwell: 5}}, e.Route); diff != "" {
		t.Error(diff)
	}
	s := h.event(teleop.EventSite, func(e teleop.Event) bool { return len(e.Site.Tours) == 1 }).Site
	if diff := cmp.Diff(&teleop.Site{
		Rev: s.Rev, Name: "lobby", POIs: []teleop.POI{{ID: "desk", Name: "Desk", X: 1.5, Dwell: 3}},
		Tours: []teleop.Tour{{ID: "all", Name: "All", POIIDs: []string{"desk"}}},
	}, s); diff != "" {
		t.Error(diff)
	}
	pois.Publish(molly.PoiArray{Site: "lobby"})
	again := h.event(teleop.EventSite, func(e teleop.Event) bool { return len(e.Site.POIs) == 0 }).Site
	h.until("the new revision", func(sn teleop.Snapshot) bool { return sn.State.Site.V.Rev == again.Rev && again.Rev != s.Rev })
	route.Publish(dharma.WaypointPath{})
	h.event(teleop.EventRoute, func(e teleop.Event) bool { return len(e.Route) == 0 })
	h.must("get_route", nil)
	h.event(teleop.EventRoute, func(e teleop.Event) bool { return len(e.Route) == 0 })
	h.must("get_site", nil)
	h.event(teleop.EventSite, func(e teleop.Event) bool { return e.Site.Rev == again.Rev })
}

func grid(w, h int, data ...int8) nav.OccupancyGrid {
	m := *nav.NewOccupancyGrid()
	m.Info.Width, m.Info.Height, m.Info.Resolution, m.Data = uint32(w), uint32(h), 0.05, data
	m.Info.Origin.Position.X = -1
	return m
}

func TestMap(t *testing.T) {
	cfg := config()
	cfg.MapMaxPx = 16
	var maps *bus.Publisher[nav.OccupancyGrid]
	r := newRobot(t, cfg, func(c *node.Context) {
		cells := make([]int8, 17*2) // twice too wide: two cells make a pixel
		cells[0], cells[1], cells[17] = 100, 0, -1
		maps = publish(c, topics.Map, grid(17, 2, cells...))
		publish(c, topics.SiteStatus, dharma.SiteStatus{Site: "lobby"})
	})
	h := r.connect(teleop.Molly())
	m := h.event(teleop.EventMap, func(e teleop.Event) bool { return e.Map.Site == "lobby" }).Map
	if m.W != 9 || m.H != 1 || m.Resolution != 0.1 || m.OX != -1 {
		t.Errorf("%+v", m)
	}
	img, err := png.Decode(bytes.NewReader(m.PNG))
	if err != nil || img.Bounds().Dx() != 9 || img.Bounds().Dy() != 1 {
		t.Fatalf("%v %v", img, err)
	}
	for x, want := range []uint8{0, 254} {
		if got := color.GrayModel.Convert(img.At(x, 0)); got != (color.Gray{Y: want}) {
			t.Errorf("pixel %d is %v, want %d", x, got, want)
		}
	}
	h.until("the revision", func(s teleop.Snapshot) bool { return s.State.MapRev == teleop.Some(m.Rev) })
	maps.Publish(grid(1, 1, 100))
	changed := h.event(teleop.EventMap, func(e teleop.Event) bool { return e.Map.W == 1 }).Map
	h.until("the next revision", func(s teleop.Snapshot) bool { return s.State.MapRev == teleop.Some(changed.Rev) })
	h.must("get_map", nil)
	h.event(teleop.EventMap, func(e teleop.Event) bool { return e.Map.Rev == changed.Rev })
	maps.Publish(grid(3, 3)) // which has no cells
	h.until("that there is no map", func(s teleop.Snapshot) bool { return !s.State.MapRev.OK })
	if a := h.do("get_map", nil); a.OK || !strings.Contains(a.Msg, "there is no map") {
		t.Errorf("%+v", a)
	}
}

// A map that does not compress takes most of a second to send; state and joystick go on meanwhile.
func TestALargeMapStarvesNothing(t *testing.T) {
	cfg := config()
	cfg.MapMaxPx = 2048
	cells := make([]int8, 2000*2000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range cells {
		cells[i] = int8(rng.IntN(3) * 50)
	}
	var maps *bus.Publisher[nav.OccupancyGrid]
	r := newRobot(t, cfg, func(c *node.Context) { maps = bus.NewPublisher(c, topics.Map) })
	h := r.connect(teleop.Molly())
	maps.Publish(grid(2000, 2000, cells...))
	came := h.eventWhile(teleop.EventMap, func() { h.Drive(teleop.Velocity{VX: 0.5}) }, some).Map
	if len(came.PNG) < 500_000 {
		t.Errorf("the map has %d bytes only", len(came.PNG))
	}
	h.Release()
	if l := h.Snapshot().Link; l.StateLoss > 0.1 {
		t.Errorf("lost meanwhile: %+v", l)
	}
	var last float64
	for len(r.fixture.asked) > 0 {
		v := <-r.fixture.asked
		if last > 0 && v.Linear.X == 0 && len(r.fixture.asked) > 8 { // the last ones are the release
			t.Error("the velocity expired while the map was sent")
		}
		last = v.Linear.X
	}
}

func TestLidarFrameIsSmallAndFast(t *testing.T) {
	var cloud *bus.Publisher[sensor.PointCloud2]
	r := newRobot(t, config(), func(c *node.Context) {
		cloud = bus.NewPublisher(c, topics.BodyPoints)
		publish(c, topics.TFStatic, tf2.TFMessage{Transforms: append(tf2.TFMessage{}.Transforms,
			rosconv.TransformStamped(c.Now(), "base_link", "livox_frame", geom.Transform{R: geom.FromYaw(0)}))})
	})
	h := r.connect(teleop.Molly(), func(c *teleop.ClientConfig) { c.Streams.Lidar = true })
	h.wanted(cloud, true)
	rng := rand.New(rand.NewPCG(3, 4))
	points := make([]float32, 3*20000)
	for i := range points {
		points[i] = float32(rng.Float64()*20 - 10)
	}
	e := h.eventWhile(teleop.EventLidar, func() { cloud.Publish(rosconv.PointCloud(std.Header{FrameID: "livox_frame"}, points)) }, some)
	if len(e.Points) != 3000 {
		t.Errorf("%d points came", len(e.Points))
	}
	if n := binary.Size(e.Points); n != 3000*teleop.LidarPointSize {
		t.Errorf("a frame of %d bytes", n)
	}
}
