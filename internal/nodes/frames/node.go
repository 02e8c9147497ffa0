package frames

import (
	"fmt"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/sensor"
	"sarathi/msg/tf2"
)

// Name is the node's name on the bus.
const Name = "robot_state_publisher_node"

// jointPeriod is how often links with joints are published.
const jointPeriod = 50 * time.Millisecond

// Node publishes the frames. Use [New].
type Node struct {
	tree   tree
	tf     *bus.Publisher[tf2.TFMessage]
	joints *bus.Reader[sensor.JointState]
	seen   time.Time // arrival of the joint states published last
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("frames: %w", err)
	}
	return &Node{tree: newTree(cfg)}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	bus.NewPublisher(c, topics.TFStatic).Publish(message(c.Now(), n.tree.static))
	if len(n.tree.moving) > 0 {
		n.tf = bus.NewPublisher(c, topics.TF)
		n.joints = bus.NewReader(c, topics.BodyJointStates)
		c.Every(jointPeriod, n.tick)
	}
	return nil
}

func (n *Node) tick(now time.Time) {
	m, arrived, ok := n.joints.Get()
	if !ok || arrived.Equal(n.seen) {
		return
	}
	n.seen = arrived
	stamp := rosconv.FromStamp(m.Header.Stamp)
	if stamp.IsZero() {
		stamp = now
	}
	if turned := n.tree.turned(m.Name, m.Position); len(turned) > 0 {
		n.tf.Publish(message(stamp, turned))
	}
}

func message(t time.Time, links []placed) tf2.TFMessage {
	out := tf2.TFMessage{Transforms: make([]geometry.TransformStamped, len(links))}
	for i, l := range links {
		out.Transforms[i] = rosconv.TransformStamped(t, l.parent, l.child, l.tf)
	}
	return out
}
