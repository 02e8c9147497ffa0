package tflistener_test

import (
	"math"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/tf2"
)

// user is a node with a listener.
type user struct {
	frames     *tflistener.Listener
	staticOnly bool
}

func (u *user) Setup(c *node.Context) error {
	if u.staticOnly {
		u.frames = tflistener.Static(c, topics.TFStatic)
	} else {
		u.frames = tflistener.Subscribe(c, topics.TF, topics.TFStatic)
	}
	return nil
}

func message(list ...geometry.TransformStamped) tf2.TFMessage { return tf2.TFMessage{Transforms: list} }

func shift(x float64) geom.Transform { return geom.Pose2{X: x}.Transform() }

func TestListenerFollowsBothTopics(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	early := r.Now()
	nodetest.Publish(r, topics.TFStatic, message(
		rosconv.TransformStamped(early, "base_link", "livox_frame", shift(1)),
		rosconv.TransformStamped(early, "odom", "camera_init", shift(2))))
	r.Advance(0)
	u, quiet := &user{}, &user{staticOnly: true}
	r.Run("late_node", u) // the static transforms are latched
	r.Run("static_node", quiet)
	nodetest.Publish(r, topics.TF, message(rosconv.TransformStamped(early, "odom", "base_link", shift(10))))
	r.Advance(time.Millisecond)
	nodetest.Publish(r, topics.TF, message(rosconv.TransformStamped(early.Add(time.Second), "odom", "base_link", shift(20))))
	r.Advance(time.Millisecond)

	tf, err := u.frames.Lookup("camera_init", "livox_frame", early.Add(500*time.Millisecond))
	if err != nil || math.Abs(tf.T.X-14) > 1e-12 {
		t.Errorf("half a second later: %v, %v; want x = 15 + 1 - 2", tf, err)
	}
	if _, err := quiet.frames.Lookup("base_link", "livox_frame", early); err != nil {
		t.Errorf("static listener: %v", err)
	}
	if _, err := quiet.frames.Lookup("odom", "base_link", early); err == nil {
		t.Error("the static listener follows what moves")
	}
	if got := quiet.frames.Changes(); got != 1 {
		t.Errorf("%d changes of static transforms, want 1", got)
	}
}

func TestBadTransformsAreDroppedAndCounted(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	u := &user{}
	r.Run("node", u)
	bad := rosconv.TransformStamped(r.Now(), "odom", "base_link", shift(1))
	bad.Transform.Translation.X = math.NaN()
	nodetest.Publish(r, topics.TF, message(bad,
		rosconv.TransformStamped(time.Time{}, "odom", "base_link", shift(1)), // no time
		rosconv.TransformStamped(r.Now(), "odom", "base_link", shift(3))))
	r.Advance(0)
	tf, err := u.frames.Lookup("odom", "base_link", r.Now())
	if err != nil || tf.T.X != 3 {
		t.Errorf("the good one after two bad ones: %v, %v", tf, err)
	}
	nodetest.Publish(r, topics.TFStatic, message(rosconv.TransformStamped(r.Now(), "base_link", "odom", shift(1))))
	r.Advance(0)
	n, last := u.frames.Refused()
	if n != 3 || last == nil {
		t.Errorf("%d are counted, last %v; want 3 and the loop", n, last)
	}
}
