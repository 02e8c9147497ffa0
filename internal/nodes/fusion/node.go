package fusion

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/ekf"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/builtin"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// Name is the node's name on the bus.
const Name = "fusion_node"

// Node publishes the fused pose. Use [New].
type Node struct {
	cfg    Config
	filter *ekf.Filter

	// set in Setup
	c           *node.Context
	fused       *bus.Publisher[geometry.PoseWithCovarianceStamped]
	diagnostics *bus.Publisher[diagnostic.DiagnosticArray]
	frames      *tflistener.Listener

	// owned by the loop
	published time.Time
	warned    map[string]bool // frames that nobody knows
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("fusion: %w", err)
	}
	f, err := ekf.New(cfg.Filter, ekf.Start{PositionSD: cfg.StartPosition, HeadingSD: cfg.StartHeadingDeg * math.Pi / 180})
	if err != nil {
		return nil, fmt.Errorf("fusion: %w", err)
	}
	return &Node{cfg: cfg, filter: f, warned: map[string]bool{}}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.fused = bus.NewPublisher(c, topics.FusedPose)
	n.diagnostics = bus.NewPublisher(c, topics.FusionDiagnostics)
	n.frames = tflistener.Static(c, topics.TFStatic)
	bus.Subscribe(c, topics.IMU, n.onIMU)
	bus.Subscribe(c, topics.Odom, n.onOdometry)
	bus.Subscribe(c, topics.ScanMatchPose, n.onScanMatch)
	c.Every(time.Second, n.report)
	return nil
}

// notMeasured begins the covariance of what an IMU does not measure.
const notMeasured = -1

func (n *Node) onIMU(m sensor.Imu) {
	if m.AngularVelocityCovariance[0] == notMeasured {
		return
	}
	mount := n.toBase(m.Header.FrameID)
	rate := mount.R.Rotate(rosconv.FromVector3(m.AngularVelocity))
	n.filter.AddIMU(n.stamp(m.Header.Stamp), rate.Z)
	n.publish(false)
}

func (n *Node) onOdometry(m nav.Odometry) {
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		pose.T.X = math.NaN() // the filter counts it
	}
	vel := rosconv.FromTwist(m.Twist.Twist)
	if frame := m.ChildFrameID; frame != "" && frame != n.cfg.BaseFrame {
		mount := n.toBase(frame)
		pose = pose.Mul(mount.Inverse())
		base := mount.Pose2()
		at := vel.At(base.Inverse().Position()).Rotate(base.Theta)
		vel.VX, vel.VY = at.X, at.Y
	}
	n.filter.AddOdometry(n.stamp(m.Header.Stamp), pose.Pose2(), vel)
	n.publish(false)
}

func (n *Node) onScanMatch(m geometry.PoseWithCovarianceStamped) {
	if f := m.Header.FrameID; f != "" && f != n.cfg.MapFrame {
		n.warn(f, "scan matches of another map are ignored", fmt.Errorf("their frame is %q, ours %q", f, n.cfg.MapFrame))
		return
	}
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		pose.T.X = math.NaN()
	}
	verdict, d2 := n.filter.AddCorrection(n.stamp(m.Header.Stamp), pose.Pose2(), n.covariance(m.Pose.Covariance))
	if verdict == ekf.Adopted {
		n.c.Log().Warn("the map moved: its pose is taken over", "mahalanobis2", d2)
	}
	n.publish(verdict == ekf.Adopted)
}

// covariance is that of a scan match, or the default when it has none, and never less than the least.
func (n *Node) covariance(m [36]float64) [3][3]float64 {
	c := [3][3]float64(rosconv.FromCovariance(m))
	least := [3]float64{n.cfg.MinPosition, n.cfg.MinPosition, n.cfg.MinHeading}
	if c[0][0] == 0 && c[1][1] == 0 && c[2][2] == 0 {
		least = [3]float64{n.cfg.DefaultPosition, n.cfg.DefaultPosition, n.cfg.DefaultHeading}
	}
	for i, sd := range least {
		c[i][i] = max(c[i][i], sd*sd)
	}
	return c
}

// stamp is the time of a message: of its arrival when it has none.
func (n *Node) stamp(s builtin.Time) time.Time {
	if s == (builtin.Time{}) {
		return n.c.Now()
	}
	return rosconv.FromStamp(s)
}

// toBase is where a frame sits in base_link: there, as long as nobody says otherwise.
func (n *Node) toBase(frame string) geom.Transform {
	if frame == "" || frame == n.cfg.BaseFrame {
		return geom.IdentityTransform()
	}
	mount, err := n.frames.Lookup(n.cfg.BaseFrame, frame, n.c.Now())
	if err != nil {
		n.warn(frame, "a sensor counts as mounted upright at the middle of the robot", err)
		return geom.IdentityTransform()
	}
	return mount
}

// maxWarned bounds what is remembered of programs that make up frames.
const maxWarned = 16

func (n *Node) warn(frame, what string, err error) {
	if !n.warned[frame] && len(n.warned) < maxWarned {
		n.warned[frame] = true
		n.c.Log().Warn("a frame is not known", "frame", frame, "meaning", what, "reason", err)
	}
}

// publish tells the pose, if it is time for that or at once.
func (n *Node) publish(atOnce bool) {
	now := n.c.Now()
	if !n.filter.Started() || !atOnce && !n.published.IsZero() && now.Sub(n.published) < n.cfg.Period {
		return
	}
	n.published = now
	e := n.filter.Estimate()
	n.fused.Publish(geometry.PoseWithCovarianceStamped{
		Header: rosconv.Header(e.Time, n.cfg.MapFrame),
		Pose:   geometry.PoseWithCovariance{Pose: rosconv.Pose(e.Pose.Transform()), Covariance: rosconv.Covariance(e.Cov)},
	})
}
