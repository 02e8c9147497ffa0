package tagdetector_test

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/tagdetector"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/sensor"
)

// studio is a simulated robot that looks at a tag, and a detector that knows where the tag is in the image.
type studio struct {
	*sim.Robot
	looked, closed int
	shift          float64 // of what the detector finds, to the right [px]
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	scene := scenes.Default()
	scene.Bounds = &[4]float64{-5, -4, 5, 4}
	scene.Tags = []scenes.Tag{{ID: 7, Size: 0.16, X: 4.9, Y: 0.3, Z: 0.5, YawDeg: 160}}
	w, err := sim.NewWorld(scene, 1)
	if err != nil {
		t.Fatal(err)
	}
	spec := sim.Molly()
	spec.Start = &geom.Pose2{X: 3}
	r, err := w.AddRobot(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &studio{Robot: r}
}

// Detect implements tagdetector.Detector.
func (s *studio) Detect(*image.Gray) (out []tag36h11.Detection) {
	s.looked++
	views, _ := s.VisibleTags()
	for _, v := range views {
		for i := range v.Corners {
			v.Corners[i].X += s.shift
		}
		out = append(out, tag36h11.Detection{ID: v.ID, Margin: 50, Corners: v.Corners})
	}
	return out
}

// Close implements tagdetector.Detector.
func (s *studio) Close() { s.closed++ }

func (s *studio) open() (tagdetector.Detector, error) { return s, nil }

func (s *studio) photo(t *testing.T) sensor.CompressedImage {
	t.Helper()
	img, _ := s.Image()
	data, err := sim.EncodeJPEG(img)
	if err != nil {
		t.Fatal(err)
	}
	return sensor.CompressedImage{Format: "jpeg", Data: data}
}

func (s *studio) info() sensor.CameraInfo {
	k := s.Spec().Camera.Intrinsics()
	return sensor.CameraInfo{
		Width: uint32(k.Width), Height: uint32(k.Height), D: make([]float64, 5),
		K: [9]float64{k.FX, 0, k.CX - 0.5, 0, k.FY, k.CY - 0.5, 0, 0, 1},
	}
}

// bench runs the node.
type bench struct {
	*nodetest.Rig
	*studio
}

func newBench(t *testing.T, cfg tagdetector.Config) *bench {
	t.Helper()
	b := &bench{nodetest.New(t, nodetest.Options{}), newStudio(t)}
	n, err := tagdetector.New(cfg, b.open)
	if err != nil {
		t.Fatal(err)
	}
	b.Run(tagdetector.Name, n)
	b.Advance(time.Second)
	return b
}

// show publishes an image, and what the camera is when info is given, and lets time pass.
func (b *bench) show(m sensor.CompressedImage, info *sensor.CameraInfo) {
	m.Header = rosconv.Header(b.Now(), "front_camera_optical_frame")
	if info != nil {
		nodetest.Publish(b.Rig, topics.BodyCameraInfo, *info)
	}
	nodetest.Publish(b.Rig, topics.BodyImage, m)
	b.Advance(150 * time.Millisecond)
}

func TestATagIsFoundWhereItIs(t *testing.T) {
	cfg := tagdetector.DefaultConfig()
	cfg.Tags = []tagdetector.Tag{{ID: 7, Frame: "charging_dock"}}
	b := newBench(t, cfg)
	tags := nodetest.Collect(b.Rig, topics.Tags)
	b.Advance(time.Second)
	info, began := b.info(), b.Now()
	b.show(b.photo(t), &info)
	m := tags.Latest().Value
	if m.Header.FrameID != "front_camera_optical_frame" || rosconv.FromStamp(m.Header.Stamp) != began || m.Width != 640 || m.Height != 480 || len(m.Detections) != 1 {
		t.Fatalf("%+v", m)
	}
	d := m.Detections[0]
	if d.ID != 7 || d.Frame != "charging_dock" || d.Family != "36h11" || d.DecisionMargin != 50 || !d.HasPose || !(d.Ambiguity >= 0 && d.Ambiguity <= 1) {
		t.Errorf("%+v", d)
	}
	views, _ := b.VisibleTags()
	for i, c := range views[0].Corners {
		if x, y := float64(d.Corners[2*i])*640, float64(d.Corners[2*i+1])*480; math.Abs(x-c.X) > 0.01 || math.Abs(y-c.Y) > 0.01 {
			t.Errorf("corner %d is at %g, %g, want %v", i, x, y, c)
		}
	}
	pose, err := rosconv.FromPose(d.Pose.Pose)
	if err != nil {
		t.Fatal(err)
	}
	truth := views[0].Pose
	if off, turned := pose.T.Sub(truth.T).Norm(), pose.R.Inverse().Mul(truth.R).Angle(); off > 0.005 || turned > 0.015 {
		t.Errorf("the tag is %g m and %g rad away from %+v", off, turned, truth)
	}
	flipped, err := rosconv.FromPose(d.Flipped.Pose)
	if err != nil || flipped.R.Inverse().Mul(truth.R).Angle() < 0.1 || flipped.T.Sub(truth.T).Norm() > 0.1 {
		t.Errorf("the flipped pose is %+v, %v", flipped, err)
	}
	for i := range 6 {
		if v := d.Pose.Covariance[7*i]; !(v > 0 && v < 0.1) {
			t.Errorf("the variance %d is %g", i, v)
		}
	}
}

func TestItWorksOnlyForSomebody(t *testing.T) {
	b := newBench(t, tagdetector.DefaultConfig())
	photo, info := b.photo(t), b.info()
	b.show(photo, &info)
	if b.looked != 0 {
		t.Errorf("%d images were searched for nobody", b.looked)
	}
	var watch *bus.Subscription
	b.Run("watcher", nodeFunc(func(c *node.Context) { watch = bus.Subscribe(c, topics.Tags, func(dharma.TagDetections) {}) }))
	b.Advance(time.Second)
	b.show(photo, &info)
	if b.looked != 1 {
		t.Errorf("%d images were searched", b.looked)
	}
	watch.Cancel()
	b.Advance(time.Second)
	b.show(photo, &info)
	if b.looked != 1 {
		t.Errorf("%d images were searched after nobody wanted them", b.looked)
	}
}

type nodeFunc func(c *node.Context)

func (f nodeFunc) Setup(c *node.Context) error { f(c); return nil }

func TestItSearchesNoMoreThanItsRate(t *testing.T) {
	cfg := tagdetector.DefaultConfig()
	cfg.Rate = 5
	b := newBench(t, cfg)
	nodetest.Collect(b.Rig, topics.Tags)
	b.Advance(time.Second)
	photo, info := b.photo(t), b.info()
	nodetest.Publish(b.Rig, topics.BodyCameraInfo, info)
	for range 60 { // two seconds at 30 Hz
		nodetest.Publish(b.Rig, topics.BodyImage, photo)
		b.Advance(time.Second / 30)
	}
	if b.looked < 9 || b.looked > 11 {
		t.Errorf("%d of 60 images were searched, want 10", b.looked)
	}
}

// What the camera does not tell costs the pose, not the tag; what is no image costs nothing but a line in the log.
func TestPoorImages(t *testing.T) {
	b := newBench(t, tagdetector.DefaultConfig())
	tags := nodetest.Collect(b.Rig, topics.Tags)
	b.Advance(time.Second)
	photo := b.photo(t)
	b.show(photo, nil)
	if d := tags.Latest().Value.Detections; len(d) != 1 || d[0].HasPose || d[0].Frame != "tag_7" || !math.IsNaN(float64(d[0].Ambiguity)) {
		t.Errorf("without the camera's info: %+v", d)
	}
	distorted := b.info()
	distorted.D[0] = -0.3
	b.show(photo, &distorted)
	if d := tags.Latest().Value.Detections; len(d) != 1 || d[0].HasPose {
		t.Errorf("of a distorted image: %+v", d)
	}
	info := b.info()
	views, _ := b.VisibleTags()
	b.shift = 639 - views[0].Corners[1].X // its right edge is the image's
	b.show(photo, &info)
	if d := tags.Latest().Value.Detections; len(d) != 1 || d[0].HasPose {
		t.Errorf("of a tag that is cut off: %+v", d)
	}
	b.shift = 0
	count := tags.Len()
	var bomb bytes.Buffer
	if err := png.Encode(&bomb, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	huge := bomb.Bytes()
	copy(huge[16:24], "\x7f\xff\xff\xff\x7f\xff\xff\xff") // width and height, and a wrong checksum
	for _, data := range [][]byte{nil, []byte("no image"), photo.Data[:len(photo.Data)/2], huge} {
		b.show(sensor.CompressedImage{Data: data}, nil)
	}
	if got := tags.Len(); got != count {
		t.Errorf("%d messages came of images that are none", got-count)
	}
	b.show(photo, &info)
	if d := tags.Latest().Value.Detections; len(d) != 1 || !d[0].HasPose {
		t.Errorf("after poor images: %+v", d)
	}
	b.Stop()
	if b.closed != 1 {
		t.Errorf("the detector was closed %d times", b.closed)
	}
}

func TestConfig(t *testing.T) {
	for want, spoil := range map[string]func(*tagdetector.Config){
		"rate":          func(c *tagdetector.Config) { c.Rate = 60 },
		"size":          func(c *tagdetector.Config) { c.Size = 0 },
		"tags[0].id":    func(c *tagdetector.Config) { c.Tags = []tagdetector.Tag{{ID: 587, Frame: "a"}} },
		"tags[1].frame": func(c *tagdetector.Config) { c.Tags = []tagdetector.Tag{{ID: 1, Frame: "a"}, {ID: 2, Frame: "a"}} },
		"listed twice":  func(c *tagdetector.Config) { c.Tags = []tagdetector.Tag{{ID: 1, Frame: "a"}, {ID: 1, Frame: "b"}} },
	} {
		cfg := tagdetector.DefaultConfig()
		spoil(&cfg)
		if _, err := tagdetector.New(cfg, (&studio{}).open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if _, err := tagdetector.New(tagdetector.DefaultConfig(), nil); err == nil {
		t.Error("a node without a detector")
	}
}
