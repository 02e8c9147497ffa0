package slamworld

import (
	"fmt"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// Name is the node's name on the bus.
const Name = "world_node"

const (
	mapFrame  = "map"
	odomFrame = "odom"
	baseFrame = "base_link"
)

// Node publishes what a robot's sensors say on its way. Use [New].
type Node struct {
	world *slamworld.World
	done  func() // when the robot has arrived; may be nil

	// owned by the loop
	began time.Time
	next  slamworld.Sample // not published yet
	more  bool             // there is a next

	odom  *bus.Publisher[nav.Odometry]
	imu   *bus.Publisher[sensor.Imu]
	scan  *bus.Publisher[sensor.LaserScan]
	truth *bus.Publisher[nav.Odometry]
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration. done, unless nil, is called once on the node's loop when the robot has
// arrived.
func New(cfg slamworld.Config, done func()) (*Node, error) {
	w, err := slamworld.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	return &Node{world: w, done: done}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.began = c.Now()
	n.odom = bus.NewPublisher(c, topics.Odom)
	n.imu = bus.NewPublisher(c, topics.IMU)
	n.scan = bus.NewPublisher(c, topics.Scan)
	n.truth = bus.NewPublisher(c, topics.GroundTruth)
	n.next, n.more = n.world.Next()
	c.Every(slamworld.IMUPeriod, n.tick)
	return nil
}

// tick publishes what has come true.
func (n *Node) tick(now time.Time) {
	for n.more && !n.began.Add(n.next.At).After(now) {
		n.publish(&n.next)
		n.next, n.more = n.world.Next()
		if !n.more && n.done != nil {
			n.done()
		}
	}
}

func (n *Node) publish(s *slamworld.Sample) {
	at := n.began.Add(s.At)
	switch s.Kind {
	case slamworld.Truth:
		pose := n.world.Start().Between(s.Truth.Pose)
		n.truth.Publish(rosconv.Odometry(at, mapFrame, baseFrame, pose.Transform(), s.Truth.Velocity))
	case slamworld.IMU:
		n.imu.Publish(sensor.Imu{
			Header: rosconv.Header(at, baseFrame), Orientation: rosconv.Quaternion(s.IMU.Orientation),
			AngularVelocity: rosconv.Vector3(s.IMU.Rate), LinearAcceleration: rosconv.Vector3(s.IMU.Acceleration),
		})
	case slamworld.Odometry:
		n.odom.Publish(rosconv.Odometry(at, odomFrame, baseFrame, s.Odometry.Pose.Transform(), s.Odometry.Velocity))
	case slamworld.Scan:
		n.scan.Publish(sensor.LaserScan{
			Header: rosconv.Header(at, baseFrame), AngleMin: float32(s.Scan.AngleMin), AngleIncrement: float32(s.Scan.AngleIncrement),
			AngleMax: float32(s.Scan.AngleMin + float64(len(s.Scan.Ranges)-1)*s.Scan.AngleIncrement),
			ScanTime: float32(slamworld.ScanPeriod.Seconds()),
			RangeMin: float32(s.Scan.RangeMin), RangeMax: float32(s.Scan.RangeMax), Ranges: s.Scan.Ranges,
		})
	}
}
