package odometrymonitor

import (
	"fmt"
	"time"

	"sarathi/internal/algo/trip"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "odometry_monitor_node"

// Node publishes the trip meter. Use [New].
type Node struct {
	cfg    Config
	c      *node.Context
	meter  *trip.Meter // from Setup on
	choice selector
	status *bus.Publisher[dharma.OdometryStatus]
	frames *tflistener.Listener
	wasOK  bool // in the status published last
	warned bool // that a frame is not known
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("odometry monitor: %w", err)
	}
	return &Node{cfg: cfg, choice: selector{patience: cfg.Trip.StaleAfter / 2}}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.meter = trip.New(n.cfg.Trip, c.Now())
	n.frames = tflistener.Static(c, topics.TFStatic)
	n.status = bus.NewPublisher(c, topics.OdometryStatus)
	bus.Subscribe(c, topics.LidarOdometry, func(m nav.Odometry) { n.onOdometry(lidar, &m) })
	if n.cfg.Fallback {
		bus.Subscribe(c, topics.BodyOdometry, func(m nav.Odometry) { n.onOdometry(body, &m) })
	}
	bus.Serve(c, topics.TripReset, n.onReset)
	c.Every(n.cfg.Period, n.tick)
	n.publish()
	return nil
}

func (n *Node) onOdometry(s source, m *nav.Odometry) {
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return // as if it had not come; silence shows in the status
	}
	now, stamp := n.c.Now(), rosconv.FromStamp(m.Header.Stamp)
	use, changed := n.choice.accept(now, s, stamp)
	if !use {
		return
	}
	if changed {
		n.meter.Restart()
		n.c.Log().Info("odometry comes from another source", "lidar", s == lidar)
	}
	n.meter.Update(now, stamp, pose.Mul(n.toBase(m.ChildFrameID)).T.XY())
	if n.meter.Status().OK != n.wasOK {
		n.publish()
	}
}

// toBase returns where base_link sits in the frame that an odometry reports, or nothing when the description of the robot does not say.
func (n *Node) toBase(frame string) geom.Transform {
	if frame == n.cfg.Base || frame == "" {
		return geom.IdentityTransform()
	}
	tf, err := n.frames.Lookup(frame, n.cfg.Base, n.c.Now())
	if err == nil {
		return tf
	}
	if !n.warned {
		n.warned = true
		n.c.Log().Warn("turning on the spot may count as way", "reason", err)
	}
	return geom.IdentityTransform()
}

func (n *Node) onReset(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	was := n.meter.Status()
	n.meter.Reset(n.c.Now())
	n.publish()
	return stdsrvs.TriggerResponse{
		Success: true, Message: fmt.Sprintf("trip reset after %.1f m and %.0f s", was.Distance, was.MovingTime),
	}, nil
}

func (n *Node) tick(now time.Time) {
	n.meter.Tick(now)
	n.publish()
}

func (n *Node) publish() {
	s := n.meter.Status()
	n.wasOK = s.OK
	n.status.Publish(dharma.OdometryStatus{
		Header: rosconv.Header(s.Stamp, n.cfg.Frame), Ok: s.OK,
		Distance: s.Distance, MovingTime: s.MovingTime,
		Speed: float32(s.Speed), AverageSpeed: float32(s.Average()), TopSpeed: float32(s.Top), Rate: float32(s.Rate),
		Since: rosconv.Stamp(s.Since),
	})
}
