package localization

import (
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/tf2"
)

// source is where odometry comes from.
type source int

const (
	lidar source = iota
	body
)

const (
	patience = 500 * time.Millisecond // silence of lidar odometry after which the body's is used
	tfPeriod = 50 * time.Millisecond  // between two map → odom, at least
)

// fresh is how old the other odometry may be to say where the robot was when one fell silent.
const fresh = 200 * time.Millisecond

// odometry is the way of the robot as the filter sees it: one without jumps when the source changes.
type odometry struct {
	source source
	heard  time.Time      // from source
	begin  geom.Pose2     // of the source's frame in that of the filter
	pose   geom.Pose2     // of base_link in the filter's frame
	at     time.Time      // of pose; zero before the first
	last   [body + 1]news // of each source, also of the one that is not used
	beside news           // what the other source said last when pose came
}

// news is where a source puts base_link in its frame.
type news struct {
	raw geom.Pose2
	at  time.Time // stamp; one that stands still is no sign of life
}

// accept reports whether news from s are to be used, and takes the change of the source into account.
func (o *odometry) accept(now time.Time, s source, n news) bool {
	if n.at.Equal(o.last[s].at) {
		return false
	}
	o.last[s] = n
	if s > o.source && !o.heard.IsZero() && now.Sub(o.heard) <= patience {
		return false
	}
	if s != o.source && !o.at.IsZero() {
		then := n.raw
		if o.at.Sub(o.beside.at).Abs() <= fresh {
			then = o.beside.raw // so that the way since the other one fell silent counts
		}
		o.begin = o.pose.Mul(then.Inverse())
	}
	o.source, o.heard = s, now
	o.pose, o.at, o.beside = o.begin.Mul(n.raw), n.at, o.last[lidar+body-s]
	return true
}

// onOdometry moves the estimate and tells it.
func (n *Node) onOdometry(s source, m *nav.Odometry) {
	p, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return // as if it had not come
	}
	begin, ok1 := n.between(n.deps.Odom, m.Header.FrameID)
	end, ok2 := n.between(m.ChildFrameID, n.deps.Base)
	now, stamp := n.c.Now(), rosconv.FromStamp(m.Header.Stamp)
	if stamp.IsZero() {
		stamp = now
	}
	if !ok1 || !ok2 || !n.odometry.accept(now, s, news{begin.Mul(p).Mul(end).Pose2(), stamp}) {
		return
	}
	if n.filter.Odometry(stamp, n.odometry.pose) {
		n.c.Log().Warn("odometry has jumped; the position is uncertain until the next correction")
	}
	n.catchUp()
	n.steady()
	n.publishPose()
}

// between returns where a frame sits in another one of the robot that does not move against it.
func (n *Node) between(parent, child string) (geom.Transform, bool) {
	if parent == child || parent == "" || child == "" {
		return geom.IdentityTransform(), true
	}
	tf, err := n.frames.Lookup(parent, child, n.c.Now())
	if link := parent + " -> " + child; err != nil && !n.warned[link] {
		n.warned[link] = true
		n.c.Log().Warn("odometry or the camera is not used: the description of the robot lacks a link", "link", link, "reason", err)
	}
	return tf, err == nil
}

// publishPose tells where the robot is and where that puts odometry, at the time of the last odometry.
func (n *Node) publishPose() {
	m, ok := n.filter.MapToOdom()
	if !ok {
		return
	}
	s := n.filter.Status()
	n.pose.Publish(geometry.PoseWithCovarianceStamped{
		Header: rosconv.Header(n.odometry.at, n.deps.Map),
		Pose:   geometry.PoseWithCovariance{Pose: rosconv.Pose(s.Pose.Transform()), Covariance: rosconv.Covariance(s.Covariance)},
	})
	now := n.c.Now()
	if now.Before(n.tfDue) && n.tfDue.Sub(now) <= tfPeriod {
		return
	}
	n.tfDue = now.Add(tfPeriod)
	n.tf.Publish(tf2.TFMessage{Transforms: []geometry.TransformStamped{
		rosconv.TransformStamped(n.odometry.at, n.deps.Map, n.deps.Odom, m.Mul(n.odometry.begin).Transform()),
	}})
}
