package slamlink

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/rosbridge"
)

// Name is the node's name on the bus.
const Name = "slam_link_node"

const (
	sendDepth = 64               // messages of a topic that may wait for the loop
	silence   = 10 * time.Second // without a message on a topic, after which the log says so
)

// Node is the link. Use [New].
type Node struct {
	cfg    Config
	log    *slog.Logger
	client *rosbridge.Client // between Prepare and Close
}

var (
	_ node.Node     = (*Node)(nil)
	_ node.Preparer = (*Node)(nil)
)

// New returns the node, or what is wrong with the configuration. log hears of the link.
func New(cfg Config, log *slog.Logger) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return &Node{cfg: cfg, log: log.With("node", Name)}, nil
}

// Prepare implements node.Preparer: it connects.
func (n *Node) Prepare(ctx context.Context) error {
	c, err := rosbridge.Dial(ctx, rosbridge.ClientConfig{URL: n.cfg.URL, Token: n.cfg.Token, Dialect: n.cfg.Dialect, Log: n.log})
	if err != nil {
		return fmt.Errorf("no rosbridge server answers at %s: %w: start it, or name another one with --url", n.cfg.URL, err)
	}
	n.client = c
	return nil
}

// Close implements node.Preparer.
func (n *Node) Close() error {
	n.client.Close()
	return nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	for _, r := range n.cfg.Out {
		if err := n.send(c, r); err != nil {
			return err
		}
	}
	for _, r := range n.cfg.In {
		if err := n.receive(c, r); err != nil {
			return err
		}
	}
	return nil
}

// send carries a topic to the server.
func (n *Node) send(c *node.Context, r Route) error {
	out, err := n.client.Advertise(r.Name, r.Topic.Type.ROS1Name(), rosbridge.AdvertiseOptions{Latch: r.Topic.QoS == bus.Latched})
	if err != nil {
		return fmt.Errorf("publish %s: %w", r.Name, err)
	}
	bus.SubscribeRaw(c, r.Topic.Name, sendDepth, func(s *bus.Sample) {
		out.Publish(s.JSON()) //nolint:errcheck // the client logs a lost link; the next message tries again
	})
	return nil
}

// receive carries a topic from the server. What cannot be read is counted in the log, once.
func (n *Node) receive(c *node.Context, r Route) error {
	in, err := bus.AdvertiseRaw(c, r.Topic.Name, r.Topic.Type.ROS1Name(), r.Topic.Type, r.Topic.QoS)
	if err != nil {
		return err
	}
	came, strange := make(chan struct{}), false
	_, err = n.client.Subscribe(r.Name, rosbridge.SubscribeOptions{Type: r.Topic.Type.ROS1Name(), Buffer: sendDepth}, func(d rosbridge.Delivery) {
		m := r.Topic.Type.New()
		if wrong := n.client.Decode(d, m); wrong != nil {
			if !strange {
				strange = true
				c.Log().Warn("messages that are not what they should be are left out", "topic", r.Name, "type", r.Topic.Type.ROS1Name(), "reason", wrong)
			}
			return
		}
		select {
		case <-came:
		default:
			close(came)
		}
		in.Publish(m) //nolint:errcheck // the type is right; a publisher that has ended has no voice
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", r.Name, err)
	}
	if r.Topic.Name == topics.TFStatic.Info().Name { // a robot may have none
		return nil
	}
	c.After(silence, func(time.Time) {
		select {
		case <-came:
		default:
			c.Log().Warn("nothing has come yet", "topic", r.Name, "type", r.Topic.Type.ROS1Name(),
				"remedy", "look with `sarathi topic list --url` what the robot calls it, and name that")
		}
	})
	return nil
}
