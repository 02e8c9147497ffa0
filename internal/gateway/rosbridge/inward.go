package rosbridge

import (
	"errors"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/idl"
	"sarathi/internal/topics"
	"sarathi/msg"
	"sarathi/rosbridge"
)

// offeredDepth is how many messages of a client's topic may wait for a subscriber on the bus.
const offeredDepth = 16

// offeredTopic is a topic that only clients publish, as the bus sees it.
type offeredTopic struct {
	publisher *bus.RawPublisher
	sub       *rosbridge.LocalSubscription
}

// accept takes what clients publish on a topic of the robot that is for them. It goes to the bus at once, on the goroutine of the
// connection it came by.
func (n *Node) accept(name string, t bus.TopicInfo) error {
	p, err := bus.AdvertiseRaw(n.ctx, name, t.Type.ROS1Name(), t.Type, t.QoS)
	if err != nil {
		return err
	}
	pass := func(m idl.Message) {
		p.Publish(m) //nolint:errcheck // the broker has checked the type; a publisher that has ended has no voice
	}
	var stick *stick
	if t.Name == topics.DashboardCmdVel.Info().Name {
		stick = newStick(pass)
	}
	_, err = n.robot.Subscribe(name, t.Type.ROS1Name(), func(r rosbridge.Received) {
		switch m := r.Message(); {
		case m == nil:
		case stick != nil:
			stick.move(n.ctx.Now(), r.Client, m)
		default:
			pass(m)
		}
	})
	return err
}

// observer is told what clients offer. It hands everything to the loop.
type observer struct{ n *Node }

func (o observer) TopicAdvertised(name, typeName string) {
	o.n.ctx.Post(func() { o.n.takeTopic(name, typeName) })
}

func (o observer) TopicReleased(name string) { o.n.ctx.Post(func() { o.n.dropTopic(name) }) }

func (o observer) ServiceAdvertised(name, typeName string) {
	o.n.ctx.Post(func() { o.n.takeService(name, typeName) })
}

func (o observer) ServiceReleased(name string) { o.n.ctx.Post(func() { o.n.dropService(name) }) }

// takeTopic puts a topic that clients publish on the bus. Those of the robot are there already.
func (n *Node) takeTopic(name, typeName string) {
	if n.topics[name] != nil || n.offered[name] != nil {
		return
	}
	typ, _ := msg.Lookup(typeName)
	p, err := bus.AdvertiseRaw(n.ctx, name, typeName, typ, bus.Queue(offeredDepth))
	if err != nil {
		n.refuse(name, err)
		return
	}
	sub, err := n.robot.Subscribe(name, typeName, func(r rosbridge.Received) {
		if failed := publish(p, r); failed != nil && !errors.Is(failed, bus.ErrEnded) {
			n.ctx.Log().Debug("a client's message does not reach the bus", "topic", name, "err", failed)
		}
	})
	if err != nil {
		p.Close()
		n.refuse(name, err)
		return
	}
	n.offered[name] = &offeredTopic{p, sub}
}

func publish(p *bus.RawPublisher, r rosbridge.Received) error {
	if m := r.Message(); m != nil {
		return p.Publish(m)
	}
	return p.PublishJSON(r.JSON())
}

func (n *Node) dropTopic(name string) {
	if t := n.offered[name]; t != nil {
		t.sub.Close()
		t.publisher.Close()
		delete(n.offered, name)
	}
}

// takeService serves a client's service on the bus.
func (n *Node) takeService(name, typeName string) {
	if n.served[name] != nil || n.services[name] {
		return
	}
	typ, _ := msg.LookupService(typeName)
	s, err := bus.ServeRaw(n.ctx, name, typeName, typ, func(request []byte, reply func([]byte, error)) {
		n.robot.CallAsync(name, request, callLimit, reply)
	})
	if err != nil {
		n.refuse(name, err)
		return
	}
	n.served[name] = s
}

func (n *Node) dropService(name string) {
	if s := n.served[name]; s != nil {
		s.Close()
		delete(n.served, name)
	}
}

// mostRefusals bounds what is remembered of refused offers.
const mostRefusals = 1024

// refuse logs, once, why something does not pass between the bus and clients.
func (n *Node) refuse(name string, err error) {
	if !n.refused[name] && len(n.refused) < mostRefusals {
		n.refused[name] = true
		n.ctx.Log().Warn("not shared between the robot and its clients", "name", name, "err", err)
	}
}

// look is the timer's.
func (n *Node) look(time.Time) { n.lookAtBus() }
