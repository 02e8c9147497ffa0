package localization_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	algo "sarathi/internal/algo/localization"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/nodes/localization"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/visualization"
)

func (b *bench) near(place, heading float64) {
	b.t.Helper()
	if d, turn := b.off(); d > place || math.Abs(turn) > heading {
		b.t.Errorf("at %v the pose is %.3f m and %.4f rad away from the truth", b.Elapsed(), d, turn)
	}
}

func TestATagInViewLocalizesAndTheRobotDrivesOn(t *testing.T) {
	b := newBench(t, nil)
	s := b.status.Latest().Value
	if s.State != "NONE" || s.Source != "none" || !math.IsNaN(float64(s.PositionStddev)) || s.KnownTags != 0 {
		t.Errorf("in the beginning: %+v", s)
	}
	b.run(2*time.Second, nil)
	if b.poses.Len()+b.tf.Len() != 0 || b.status.Latest().Value.State != "NONE" {
		t.Error("a robot without tags knows where it is")
	}
	if r := b.load(); !r.Success || !strings.Contains(r.Message, "2 tags") {
		t.Errorf("load_tags: %+v", r)
	}
	b.run(2*time.Second, nil)
	s = b.status.Latest().Value
	if s.State != "localized" || !strings.HasPrefix(s.Source, "tag:tag_") || s.KnownTags != 2 || !slices.Equal(s.TagsInView, []string{"tag_7", "tag_9"}) ||
		s.Corrections < 5 || s.Rejected != 0 || s.Message != "" || s.Header.FrameID != "map" || !(s.PositionStddev > 0 && s.PositionStddev < 0.1) {
		t.Errorf("with tags in view: %+v", s)
	}
	b.near(0.03, 0.01)
	m := b.poses.Latest().Value
	if m.Header.FrameID != "map" || !(m.Pose.Covariance[0] > 0 && m.Pose.Covariance[35] > 0) {
		t.Errorf("the pose is %+v", m)
	}
	b.run(8*time.Second, b.step(geom.Pose2{X: -0.05, Theta: 0.01}))
	b.near(0.03, 0.01)
	if s = b.status.Latest().Value; len(s.TagsInView) != 0 && b.truth().X < 0 {
		t.Errorf("far away: %+v", s)
	}
	// map -> odom puts odometry's origin to where the robot was switched on.
	tf := b.tf.Latest().Value.Transforms[0]
	p, err := rosconv.FromTransform(tf.Transform)
	if d := b.begin.Between(p.Pose2()); err != nil || tf.Header.FrameID != "map" || tf.ChildFrameID != "odom" || d.Position().Norm() > 0.1 || math.Abs(d.Theta) > 0.02 {
		t.Errorf("map -> odom is %+v", tf)
	}
}

func TestAnotherOdometryIsNoMotion(t *testing.T) {
	b := newBench(t, nil)
	b.load()
	b.run(2*time.Second, nil)
	b.dark, b.silent = true, true
	b.run(3*time.Second, b.step(geom.Pose2{X: -0.02}))
	b.near(0.03, 0.01)
	b.silent = false
	b.run(2*time.Second, b.step(geom.Pose2{X: -0.02}))
	b.near(0.03, 0.01)
}

// A tag is used where the robot was when the image was taken, also when odometry tells that later.
func TestOdometryComesLaterThanTheImage(t *testing.T) {
	b := newBench(t, nil)
	b.load()
	b.late = true
	b.run(2*time.Second, nil)
	b.run(time.Second, b.step(geom.Pose2{X: -0.1}))
	b.near(0.02, 0.01)
	if s := b.status.Latest().Value; s.Corrections < 20 || s.Rejected > 0 {
		t.Errorf("%+v", s)
	}
}

func TestPoseEstimate(t *testing.T) {
	b := newBench(t, nil)
	estimate := func(frame string, p geom.Transform, stamp time.Time) {
		m := geometry.PoseWithCovarianceStamped{Header: rosconv.Header(stamp, frame), Pose: geometry.PoseWithCovariance{Pose: rosconv.Pose(p)}}
		nodetest.Publish(b.Rig, topics.InitialPose, m)
		b.Advance(0)
	}
	says := func(state, source, message string) {
		t.Helper()
		if s := b.status.Latest().Value; s.State != state || s.Source != source || !strings.Contains(s.Message, message) {
			t.Errorf("the status is %+v, want %s, %s and %q", s, state, source, message)
		}
	}
	right := geom.Pose2{X: 3}.Transform()
	estimate("map", right, b.Now())
	says("NONE", "none", "no odometry")
	b.run(time.Second, nil)
	estimate("odom", right, b.Now())
	says("NONE", "none", "frame odom")
	estimate("map", geom.Transform{T: geom.Vec3{X: math.NaN()}}, b.Now())
	says("NONE", "none", "not a finite number")
	estimate("map", right, b.Now().Add(-time.Hour)) // by a clock that is wrong
	says("localized", "pose_estimate", "")
	b.run(time.Second, b.step(geom.Pose2{X: -0.05}))
	b.near(1e-6, 1e-6)
	estimate("map", geom.Pose2{X: 2, Theta: 1}.Transform(), time.Time{})
	b.run(100*time.Millisecond, nil)
	if d, turn := b.off(); d < 0.1 || math.Abs(turn) < 0.5 {
		t.Error("a second estimate did not count")
	}
}

func TestOriginAndReset(t *testing.T) {
	b := newBench(t, nil)
	call := func(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) stdsrvs.TriggerResponse {
		t.Helper()
		r, err := nodetest.Call(b.Rig, s, stdsrvs.TriggerRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := call(topics.AssumeOrigin); r.Success || !strings.Contains(r.Message, "no odometry") {
		t.Errorf("without odometry: %+v", r)
	}
	b.run(time.Second, b.step(geom.Pose2{X: -0.05}))
	if r := call(topics.AssumeOrigin); !r.Success {
		t.Errorf("%+v", r)
	}
	s := b.status.Latest().Value
	if s.State != "localized" || s.Source != "origin" || math.Hypot(s.Pose.X, s.Pose.Y)+math.Abs(s.Pose.Theta) > 1e-9 || s.Message != "" {
		t.Errorf("%+v", s)
	}
	if r := call(topics.ResetLocalization); !r.Success {
		t.Errorf("%+v", r)
	}
	if s := b.status.Latest().Value; s.State != "NONE" || s.Source != "none" || s.Corrections != 0 {
		t.Errorf("after a reset: %+v", s)
	}
	b.poses.Take()
	b.tf.Take()
	b.run(time.Second, nil)
	if b.poses.Len()+b.tf.Len() != 0 {
		t.Error("a robot that was reset tells a pose")
	}
}

func TestStart(t *testing.T) {
	broken := errors.New("libapriltag.so.3 is not installed")
	for name, c := range map[string]struct {
		deps    func(*localization.Deps)
		prepare func(b *bench)
		want    string
		ok      bool
	}{
		"a tag":           {prepare: func(b *bench) { b.load() }, want: "localized by tag_", ok: true},
		"no library":      {deps: func(d *localization.Deps) { d.NoTags = broken }, prepare: func(b *bench) { b.load(); b.blind = true }, want: broken.Error()},
		"no site":         {prepare: func(*bench) {}, want: "no site is loaded"},
		"no tags":         {prepare: func(b *bench) { b.hang(); b.load() }, want: "no tags"},
		"silent detector": {prepare: func(b *bench) { b.load(); b.blind = true }, want: "tag_detector_node"},
		"nothing in view": {prepare: func(b *bench) { b.load(); b.dark = true }, want: "no tag is in view"},
		"an unknown tag": {prepare: func(b *bench) {
			b.reality["other"] = b.reality["tag_7"]
			b.hang("other")
			b.load()
		}, want: "it is not recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.deps)
			b.blind = true
			b.run(time.Second, nil)
			b.blind = false
			c.prepare(b)
			b.ask(topics.Localize)
			b.run(6*time.Second, nil)
			r := b.answered()
			if r.Success != c.ok || !strings.Contains(r.Message, c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
			if s := b.status.Latest().Value; !c.ok && s.Message != r.Message || (s.State == "localized") != c.ok {
				t.Errorf("the status is %+v", s)
			}
		})
	}
}

// A robot that is carried away is lost, says so, and begins anew only when it is told to.
func TestLossAndStart(t *testing.T) {
	b := newBench(t, nil)
	b.load()
	b.run(2*time.Second, nil)
	if err := b.robot.Teleport(geom.Pose2{X: 2, Y: -1, Theta: 0.1}); err != nil {
		t.Fatal(err)
	}
	b.begin = b.truth().Mul(geom.Pose2{}) // odometry noticed nothing
	b.run(6*time.Second, nil)
	s := b.status.Latest().Value
	if s.State != "NONE" || !strings.Contains(s.Message, "lost") {
		t.Fatalf("after it was carried away: %+v", s)
	}
	b.ask(topics.Localize)
	b.run(3*time.Second, nil)
	if r := b.answered(); !r.Success {
		t.Errorf("%+v", r)
	}
	b.near(0.03, 0.01)
	// A start that fails keeps its wish.
	b.dark = true
	b.ask(topics.Localize)
	b.run(6*time.Second, nil)
	if r := b.answered(); r.Success {
		t.Errorf("%+v", r)
	}
	b.dark = false
	b.run(2*time.Second, nil)
	if s := b.status.Latest().Value; s.State != "localized" || s.Message != "" {
		t.Errorf("%+v", s)
	}
}

func TestWhatEndsAStart(t *testing.T) {
	b := newBench(t, nil)
	b.load()
	b.dark = true
	b.run(time.Second, nil)
	for _, s := range []*bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]{topics.ResetLocalization, topics.AssumeOrigin, topics.Localize} {
		b.ask(topics.Localize)
		b.Advance(0)
		b.ask(s)
		b.Advance(0)
		if len(b.answers) == 0 || b.answers[0].Success || b.answers[0].Message == "" {
			t.Errorf("%s: %+v", s.Info().Name, b.answers)
		}
		b.answers = nil
	}
}

func TestRecordTags(t *testing.T) {
	b := newBench(t, nil)
	b.hang("tag_9")
	b.load()
	b.run(2*time.Second, nil)
	b.near(0.03, 0.01)
	b.ask(topics.RecordTags)
	b.run(2500*time.Millisecond, nil)
	r := b.answered()
	if !r.Success || !strings.Contains(r.Message, "tag_7 (") || !strings.Contains(r.Message, "spread") {
		t.Fatalf("%+v", r)
	}
	tags, _, err := b.store.Tags(file)
	if err != nil || len(tags) != 2 {
		t.Fatalf("%+v, %v", tags, err)
	}
	for _, tag := range tags {
		d := b.reality[tag.Frame].Inverse().Mul(tag.Pose)
		if xy := tag.Pose.T.XY().Sub(b.reality[tag.Frame].T.XY()).Norm(); xy > 0.05 || d.R.Angle() > 0.08 {
			t.Errorf("%s is recorded %.3f m and %.3f rad away", tag.Frame, xy, d.R.Angle())
		}
	}
	if s := b.status.Latest().Value; s.KnownTags != 2 {
		t.Errorf("%+v", s)
	}
}

func TestRecordTagsIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		deps    func(*localization.Deps)
		prepare func(b *bench)
		during  func(b *bench) func()
		want    string
	}{
		"no library":     {deps: func(d *localization.Deps) { d.NoTags = errors.New("no library") }, want: "no library"},
		"not localized":  {prepare: func(b *bench) { b.dark = true }, want: "not localized"},
		"nothing to see": {during: func(b *bench) func() { b.dark = true; return nil }, want: "none with a frame is in view"},
		"moving":         {during: func(b *bench) func() { return b.step(geom.Pose2{X: -0.02}) }, want: "stand still"},
		"reset": {during: func(b *bench) func() {
			return func() { _, _ = nodetest.Call(b.Rig, topics.ResetLocalization, stdsrvs.TriggerRequest{}) }
		}, want: "reset"},
		"a site that is gone": {during: func(b *bench) func() {
			b.dark = true
			return func() {
				r, err := nodetest.Call(b.Rig, topics.LoadTags, dharma.LoadFileRequest{File: "nowhere/tags.json"})
				if err != nil || r.Success {
					t.Errorf("%+v, %v", r, err)
				}
			}
		}, want: "another site"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, c.deps)
			if c.prepare != nil {
				c.prepare(b)
			}
			b.load()
			b.run(2*time.Second, nil)
			b.ask(topics.RecordTags)
			b.Advance(0)
			var each func()
			if c.during != nil {
				each = c.during(b)
			}
			b.run(3*time.Second, each)
			if r := b.answered(); r.Success || !strings.Contains(r.Message, c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
			tags, _, err := b.store.Tags(file)
			if want := []site.Tag{{Frame: "tag_7", Pose: b.reality["tag_7"]}}; err != nil || len(tags) != 2 || tags[0].Pose.T != want[0].Pose.T {
				t.Errorf("the tags have changed: %+v, %v", tags, err)
			}
		})
	}
}

func TestLoadTags(t *testing.T) {
	b := newBench(t, nil)
	markers := nodetest.Collect(b.Rig, topics.TagMarkers)
	for file, want := range map[string]string{
		"/sites/museum/tags.json": "2 tags", "museum/tags.json": "2 tags", "/elsewhere/tags.json": "not inside", "../x/tags.json": "no file of tags",
		"nowhere/tags.json": "no such site",
	} {
		r, err := nodetest.Call(b.Rig, topics.LoadTags, dharma.LoadFileRequest{File: file})
		if err != nil || r.Success != (want == "2 tags") || !strings.Contains(r.Message, want) {
			t.Errorf("%s: %+v, %v", file, r, err)
		}
	}
	b.load()
	b.Advance(0)
	m := markers.Latest().Value.Markers
	if len(m) != 5 || m[0].Action != visualization.MarkerDeleteall || m[2].Text != "tag_7" || m[1].Header.FrameID != "map" {
		t.Errorf("%+v", m)
	}
	if p, err := rosconv.FromPose(m[1].Pose); err != nil || p.T != b.reality["tag_7"].T {
		t.Errorf("the marker is at %+v, %v", p, err)
	}
}

// A node that was started anew is not told by the site manager which site there is.
func TestTheActiveSiteIsTakenByItself(t *testing.T) {
	b := newBench(t, nil)
	nodetest.Publish(b.Rig, topics.SiteStatus, dharma.SiteStatus{Site: "museum"})
	b.run(2*time.Second, nil)
	if s := b.status.Latest().Value; s.KnownTags != 2 || s.State != "localized" {
		t.Errorf("%+v", s)
	}
}

func TestTheCameraIsSearchedOnlyWhenTagsMatter(t *testing.T) {
	b := newBench(t, nil)
	watched := func() bool {
		for _, topic := range b.Bus.Graph().Topics {
			if topic.Name == topics.Tags.Info().Name {
				return slices.ContainsFunc(topic.Subscribers, func(s bus.SubscriberStats) bool { return s.Node == localization.Name })
			}
		}
		return false
	}
	b.run(time.Second, nil)
	if watched() {
		t.Error("searched for nobody")
	}
	b.load()
	if !watched() {
		t.Error("not searched though the site has tags")
	}
	b.hang()
	b.load()
	b.run(time.Second, nil)
	if watched() {
		t.Error("searched though the site has no tags")
	}
	if _, err := nodetest.Call(b.Rig, topics.AssumeOrigin, stdsrvs.TriggerRequest{}); err != nil || !watched() {
		t.Error("not searched while somebody may want to record a tag")
	}
}

func TestPoorInput(t *testing.T) {
	b := newBench(t, nil)
	b.load()
	bad := rosconv.Odometry(b.Now(), "camera_init", "body", geom.IdentityTransform(), geom.Velocity{})
	bad.Pose.Pose.Position.X = math.NaN()
	nodetest.Publish(b.Rig, topics.LidarOdometry, bad)
	nodetest.Publish(b.Rig, topics.LidarOdometry, nav.Odometry{Header: rosconv.Header(b.Now(), "a"), ChildFrameID: "b"})
	b.run(300*time.Millisecond, nil)
	m := b.detect()
	m.Detections[0].Pose.Pose.Position.X = math.Inf(1)
	m.Detections = append(m.Detections, dharma.TagDetection{Frame: "tag_7"}, dharma.TagDetection{HasPose: true})
	for range 20 {
		nodetest.Publish(b.Rig, topics.Tags, m)
		m.Header.FrameID = "no_such_frame"
	}
	b.run(2*time.Second, nil)
	b.near(0.03, 0.01)
}

// A tag that is cut off by the edge of the image has a corner that is a guess.
func TestATagThatIsCutOffSaysNothing(t *testing.T) {
	b := newBench(t, nil)
	b.load()
	b.blind = true
	for range 20 {
		m := b.detect()
		for i := range m.Detections {
			m.Detections[i].Corners[1] = 1.01
		}
		nodetest.Publish(b.Rig, topics.Tags, m)
		b.run(tick, nil)
	}
	if s := b.status.Latest().Value; s.State != "NONE" || s.Rejected != 0 || len(s.TagsInView) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestNew(t *testing.T) {
	store := site.NewStore(site.NewMemory())
	if _, err := localization.New(algo.DefaultConfig(), localization.Deps{Sites: store}); err == nil {
		t.Error("a node without frames")
	}
	cfg := algo.DefaultConfig()
	cfg.Votes = 0
	if _, err := localization.New(cfg, localization.Deps{}); err == nil || !strings.Contains(err.Error(), "votes") {
		t.Errorf("error %v", err)
	}
}
