package localization_test

import (
	"math/rand/v2"
	"testing"
	"time"

	algo "sarathi/internal/algo/localization"
	"sarathi/internal/algo/tagpose"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/localization"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/tf2"
)

const (
	optical = "front_camera_optical_frame"
	file    = "museum/tags.json"
	tick    = 100 * time.Millisecond
)

// bench is a simulated robot of which only localization is real, in a room with two tags, both recorded on site "museum".
type bench struct {
	*nodetest.Rig
	*asker
	t       *testing.T
	world   *sim.World
	robot   *sim.Robot
	store   *site.Store
	begin   geom.Pose2 // of odometry, in the map
	noise   *rand.Rand
	blind   bool // the detector is silent
	dark    bool // it sees nothing
	late    bool // odometry comes later than the images
	silent  bool // lidar odometry is silent
	status  *nodetest.Collector[dharma.LocalizationStatus]
	poses   *nodetest.Collector[geometry.PoseWithCovarianceStamped]
	tf      *nodetest.Collector[tf2.TFMessage]
	reality map[string]geom.Transform
}

// asker calls services that take longer than nodetest waits.
type asker struct {
	c       *node.Context
	answers []stdsrvs.TriggerResponse
}

func (a *asker) Setup(c *node.Context) error {
	a.c = c
	return nil
}

// ask calls a service and does not wait.
func (a *asker) ask(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) {
	bus.NewCaller(a.c, s).Call(stdsrvs.TriggerRequest{}, 30*time.Second, func(r stdsrvs.TriggerResponse, err error) {
		if err != nil {
			r.Message = err.Error()
		}
		a.answers = append(a.answers, r)
	})
}

func newBench(t *testing.T, change func(*localization.Deps)) *bench {
	t.Helper()
	scene := scenes.Default()
	scene.Bounds = &[4]float64{-5, -4, 5, 4}
	scene.Tags = []scenes.Tag{
		{ID: 7, Size: 0.16, X: 4.9, Y: 0.3, Z: 0.5, YawDeg: 160},
		{ID: 9, Size: 0.16, X: 4.9, Y: -0.5, Z: 0.5, YawDeg: 200},
	}
	w, err := sim.NewWorld(scene, 1)
	if err != nil {
		t.Fatal(err)
	}
	spec := sim.Molly()
	spec.Start = &geom.Pose2{X: 3}
	robot, err := w.AddRobot(spec)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{
		Rig: nodetest.New(t, nodetest.Options{}), asker: &asker{}, t: t, world: w, robot: robot, store: site.NewStore(site.NewMemory()),
		begin: geom.Pose2{X: 3}, noise: rand.New(rand.NewPCG(1, 2)),
		reality: map[string]geom.Transform{"tag_7": w.Tags()[0].Pose, "tag_9": w.Tags()[1].Pose},
	}
	if err := b.store.Create("museum"); err != nil {
		t.Fatal(err)
	}
	b.hang("tag_7", "tag_9")
	b.status, b.poses = nodetest.Collect(b.Rig, topics.LocalizationStatus), nodetest.Collect(b.Rig, topics.LocalizationPose)
	b.tf = nodetest.Collect(b.Rig, topics.TF)
	nodetest.Publish(b.Rig, topics.TFStatic, tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(b.Now(), "base_link", optical, b.camera()),
		rosconv.TransformStamped(b.Now(), "odom", "camera_init", sensor()),
		rosconv.TransformStamped(b.Now(), "body", "base_link", sensor().Inverse()),
	}})
	deps := localization.Deps{Sites: b.store, SitesDir: "/sites", Map: "map", Odom: "odom", Base: "base_link"}
	if change != nil {
		change(&deps)
	}
	n, err := localization.New(algo.DefaultConfig(), deps)
	if err != nil {
		t.Fatal(err)
	}
	b.Run(localization.Name, n)
	b.Run("asker", b.asker)
	b.Advance(0)
	return b
}

// sensor is where lidar odometry's link sits in base_link.
func sensor() geom.Transform {
	return geom.Transform{T: geom.Vec3{X: 0.2, Z: 0.2}, R: geom.FromYaw(1)}
}

func (b *bench) camera() geom.Transform {
	const right = -1.5707963267948966
	return b.robot.Spec().Camera.Mount.Transform().Mul(geom.Transform{R: geom.FromRPY(right, 0, right)})
}

// hang makes tags those of the site, where they are.
func (b *bench) hang(frames ...string) {
	b.t.Helper()
	var tags []site.Tag
	for _, f := range frames {
		tags = append(tags, site.Tag{Frame: f, Pose: b.reality[f]})
	}
	if err := b.store.SaveTags("museum", tags); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) load() dharma.LoadFileResponse {
	b.t.Helper()
	r, err := nodetest.Call(b.Rig, topics.LoadTags, dharma.LoadFileRequest{File: file})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// run lets time pass while odometry and the camera's images come; each moves the robot.
func (b *bench) run(d time.Duration, each func()) {
	b.t.Helper()
	for range int(d / tick) {
		if each != nil {
			each()
		}
		moved := b.odometry(b.Now())
		if b.late {
			nodetest.Publish(b.Rig, topics.Tags, b.detect())
			b.Advance(tick - time.Millisecond)
			moved()
			b.Advance(time.Millisecond)
			continue
		}
		moved()
		if !b.blind {
			nodetest.Publish(b.Rig, topics.Tags, b.detect())
		}
		b.Advance(tick)
	}
}

func (b *bench) step(s geom.Pose2) func() {
	return func() {
		if err := b.robot.Teleport(b.truth().Mul(s)); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) truth() geom.Pose2 { return b.robot.Truth().Pose }

// odometry returns what publishes where the robot is now.
func (b *bench) odometry(now time.Time) func() {
	p := b.begin.Between(b.truth()).Transform()
	return func() {
		nodetest.Publish(b.Rig, topics.BodyOdometry, rosconv.Odometry(now, "odom", "base_link",
			geom.Pose2{X: 50, Theta: 2}.Transform().Mul(p), geom.Velocity{}))
		if !b.silent {
			nodetest.Publish(b.Rig, topics.LidarOdometry, rosconv.Odometry(now, "camera_init", "body",
				sensor().Inverse().Mul(p).Mul(sensor()), geom.Velocity{}))
		}
	}
}

// detect is what a detector finds whose corners are wrong by a tenth of a pixel.
func (b *bench) detect() dharma.TagDetections {
	out := dharma.TagDetections{Header: rosconv.Header(b.Now(), optical)}
	if b.dark {
		return out
	}
	k := b.robot.Spec().Camera.Intrinsics()
	views, _ := b.robot.VisibleTags()
	for _, v := range views {
		for i := range v.Corners {
			v.Corners[i].X += 0.1 * b.noise.NormFloat64()
			v.Corners[i].Y += 0.1 * b.noise.NormFloat64()
		}
		poses, err := tagpose.Solve(tagpose.Camera{FX: k.FX, FY: k.FY, CX: k.CX, CY: k.CY}, v.Corners, v.Size)
		if err != nil {
			b.t.Fatal(err)
		}
		d := dharma.TagDetection{ID: int32(v.ID), Frame: frame(v.ID), HasPose: true, Ambiguity: float32(poses[0].Error / poses[1].Error)}
		for i, c := range v.Corners {
			d.Corners[2*i], d.Corners[2*i+1] = float32(c.X/float64(k.Width)), float32(c.Y/float64(k.Height))
		}
		for i, into := range []*geometry.PoseWithCovariance{&d.Pose, &d.Flipped} {
			into.Pose = rosconv.Pose(poses[i].Pose)
			for r, row := range poses[i].Covariance {
				for c := range row {
					into.Covariance[6*r+c] = row[c] * 0.01
				}
			}
		}
		out.Detections = append(out.Detections, d)
	}
	return out
}

func frame(id int) string { return map[int]string{7: "tag_7", 9: "tag_9"}[id] }

// answered ends the test when not exactly one answer has come since the last call, and returns it.
func (b *bench) answered() stdsrvs.TriggerResponse {
	b.t.Helper()
	if len(b.answers) != 1 {
		b.t.Fatalf("at %v: %d answers %+v", b.Elapsed(), len(b.answers), b.answers)
	}
	r := b.answers[0]
	b.answers = nil
	return r
}

// off is how far the pose that is told is from the truth [m, rad].
func (b *bench) off() (place, heading float64) {
	b.t.Helper()
	p, err := rosconv.FromPose(b.poses.Latest().Value.Pose.Pose)
	if err != nil {
		b.t.Fatal(err)
	}
	d := b.truth().Between(p.Pose2())
	return d.Position().Norm(), d.Theta
}
