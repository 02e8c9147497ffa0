package frames_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/frames"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/sensor"
	"sarathi/msg/tf2"
)

type listener struct{ *tflistener.Listener }

func (l *listener) Setup(c *node.Context) error {
	l.Listener = tflistener.Subscribe(c, topics.TF, topics.TFStatic)
	return nil
}

// run starts the node, a listener, and lidar odometry and localization that stand still at the origin.
func run(t *testing.T, cfg frames.Config) (*nodetest.Rig, *listener) {
	t.Helper()
	r := nodetest.New(t, nodetest.Options{})
	n, err := frames.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Run(frames.Name, n)
	l := &listener{}
	r.Run("listener", l)
	nodetest.Publish(r, topics.TF, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(r.Now(), cfg.Names.Map, cfg.Names.Odom, geom.Pose2{X: 100}.Transform()),
		rosconv.TransformStamped(r.Now(), cfg.Names.CameraInit, cfg.Names.Body, geom.IdentityTransform()),
	}})
	r.Advance(0)
	return r, l
}

func same(t *testing.T, what string, got, want geom.Transform) {
	t.Helper()
	if d := want.Inverse().Mul(got); d.T.Norm() > 1e-9 || d.R.Angle() > 1e-6 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestWholeTree(t *testing.T) {
	cfg := frames.DefaultConfig()
	cfg.Links[0].RPYDeg = [3]float64{180, 10, 90} // the lidar hangs upside down
	r, l := run(t, cfg)
	if n, err := l.Refused(); n != 0 {
		t.Fatalf("%d transforms are refused: %v", n, err)
	}
	base, err := l.Lookup("odom", "base_link", r.Now())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "odom -> base_link before the first move", base, geom.IdentityTransform())
	for _, link := range cfg.Links {
		if _, err := l.Lookup("map", link.Name, r.Now()); err != nil {
			t.Errorf("map -> %s: %v", link.Name, err)
		}
	}
	optical, err := l.Lookup("base_link", "front_camera_optical_frame", r.Now())
	if err != nil {
		t.Fatal(err)
	}
	if ahead := optical.R.Rotate(geom.Vec3{Z: 1}); math.Abs(ahead.X-1) > 1e-9 {
		t.Errorf("the camera looks along %v of base_link, want x", ahead)
	}
	if down := optical.R.Rotate(geom.Vec3{Y: 1}); math.Abs(down.Z+1) > 1e-9 {
		t.Errorf("down in the image is %v of base_link, want -z", down)
	}
}

func TestOdometryOfTheLinkMovesTheBase(t *testing.T) {
	cfg := frames.DefaultConfig()
	cfg.Links[0].RPYDeg = [3]float64{0, 0, 90} // livox_frame looks left
	r, l := run(t, cfg)
	r.Advance(time.Second)
	// The sensor moved 1 m along its own -y, which is the robot's forward.
	nodetest.Publish(r, topics.TF, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(r.Now(), "camera_init", "body", geom.Pose2{Y: -1}.Transform()),
	}})
	r.Advance(0)
	got, err := l.Lookup("odom", "base_link", r.Now())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "odom -> base_link", got, geom.Pose2{X: 1}.Transform())
}

func TestJoints(t *testing.T) {
	cfg := frames.DefaultConfig()
	cfg.Links = append(cfg.Links,
		frames.Link{Name: "shin", Parent: "thigh", XYZ: [3]float64{0, 0, -0.3}, Joint: "knee", Axis: [3]float64{0, 2, 0}}, // before its parent
		frames.Link{Name: "thigh", Parent: "base_link", Joint: "hip", Axis: [3]float64{0, 1, 0}},
		frames.Link{Name: "foot", Parent: "shin", XYZ: [3]float64{0, 0, -0.3}})
	r, l := run(t, cfg)
	tf := nodetest.Collect(r, topics.TF)
	r.Advance(time.Second)
	if tf.Len() != 0 {
		t.Errorf("%d messages without joint states", tf.Len())
	}
	nodetest.Publish(r, topics.BodyJointStates, sensor.JointState{
		Header: rosconv.Header(r.Now(), ""), Name: []string{"knee", "wheel", "hip", "tail"}, Position: []float64{math.Pi / 2, 1, -math.Pi / 2},
	})
	stamp := r.Now()
	r.Advance(time.Second)
	if tf.Len() != 1 {
		t.Errorf("%d messages for one of the joint states, want 1", tf.Len())
	}
	foot, err := l.Lookup("base_link", "foot", stamp)
	if err != nil {
		t.Fatal(err)
	}
	// The hip lifts the thigh forward (turning -90° about y takes -z to +x), the knee bends the shin down again.
	if want := (geom.Vec3{X: 0.3, Z: -0.3}); foot.T.Add(want.Scale(-1)).Norm() > 1e-9 {
		t.Errorf("the foot is at %v, want %v", foot.T, want)
	}
	nodetest.Publish(r, topics.BodyJointStates, sensor.JointState{Name: []string{"hip"}, Position: []float64{math.NaN()}})
	r.Advance(time.Second)
	if tf.Len() != 1 {
		t.Error("a joint whose angle is no number was published")
	}
}

func TestInvalidDescriptionsAreRefused(t *testing.T) {
	link := func(name, parent string) frames.Link { return frames.Link{Name: name, Parent: parent} }
	tests := []struct {
		name  string
		spoil func(*frames.Config)
		want  string
	}{
		{"loop", func(c *frames.Config) { c.Links = append(c.Links, link("a", "b"), link("b", "a")) }, "links[12].parent: a is below itself"},
		{"below a loop", func(c *frames.Config) {
			c.Links = append(c.Links, link("c", "a"), link("a", "b"), link("b", "a"))
		}, "links[12].parent: c is below itself"},
		{"own parent", func(c *frames.Config) { c.Links = append(c.Links, link("a", "a")) }, "below itself"},
		{"two parents", func(c *frames.Config) { c.Links = append(c.Links, link("imu_link", "livox_frame")) }, "imu_link is listed twice"},
		{"unknown parent", func(c *frames.Config) { c.Links = append(c.Links, link("a", "bse")) }, `links[12].parent: "bse" is no link`},
		{"parent above base_link", func(c *frames.Config) { c.Links = append(c.Links, link("a", "odom")) }, `"odom" is no link`},
		{"name of another frame", func(c *frames.Config) { c.Links = append(c.Links, link("odom", "base_link")) }, "is the frame names.odom"},
		{"no name", func(c *frames.Config) { c.Links = append(c.Links, link("", "base_link")) }, "is not a frame name"},
		{"slash", func(c *frames.Config) { c.Names.Map = "/map" }, `names.map: "/map" is not a frame name`},
		{"same names", func(c *frames.Config) { c.Names.Body = "base_link" }, "is also the name of body"},
		{"millimetres", func(c *frames.Config) { c.Links[0].XYZ[0] = 200 }, "links[0].xyz[0]: 200 m is out of range"},
		{"not a number", func(c *frames.Config) { c.Links[0].RPYDeg[2] = math.NaN() }, "links[0].rpy_deg[2]: NaN"},
		{"joint without axis", func(c *frames.Config) { c.Links[0].Joint = "neck" }, "links[0].axis: has no direction"},
		{"odometry on a joint", func(c *frames.Config) {
			c.Links[0].Joint, c.Links[0].Axis = "neck", [3]float64{0, 0, 1}
		}, "odometry_link: livox_imu_frame hangs on joint neck"},
		{"no such odometry link", func(c *frames.Config) { c.OdometryLink = "imu" }, `odometry_link: "imu" is no link`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := frames.DefaultConfig()
			tt.spoil(&cfg)
			_, err := frames.New(cfg)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(err, config.ErrInvalid) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestConfigIsReadFromYAML(t *testing.T) {
	cfg := frames.DefaultConfig()
	text := "names: {map: world}\nodometry_link: lidar\nlinks:\n  - {name: lidar, parent: base_link, xyz: [1, 2, 3], rpy_deg: [180, 0, 0]}\n"
	if err := config.Decode("robot.yaml", []byte(text), &cfg); err != nil {
		t.Fatal(err)
	}
	if cfg.Names.Map != "world" || cfg.Names.Odom != "odom" || len(cfg.Links) != 1 || cfg.Links[0].RPYDeg[0] != 180 {
		t.Errorf("got %+v", cfg)
	}
}
