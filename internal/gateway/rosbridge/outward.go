package rosbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/topics"
	"sarathi/msg/std"
	"sarathi/rosbridge"
)

const (
	// mirrorDepth is how many messages of a topic may wait for the loop.
	mirrorDepth = 64
	// graphService is the gateway's own.
	graphService, graphType = "/sarathi/graph", "sarathi_interfaces/Graph"
)

// mirrored is a topic of the robot as clients see it.
type mirrored struct {
	publisher *rosbridge.LocalPublisher
	latched   bool
	sub       *bus.RawSubscription // while a client wants it
}

// open shows clients what the robot has declared, and takes what they may publish.
func (n *Node) open() error {
	for _, name := range []string{topics.EStopRequest.Info().Name, topics.EStopEngage.Info().Name, topics.Skill(driver.SkillEmergencyStop).Info().Name} {
		n.stops[n.ctx.Bus().Resolve(name)] = true
	}
	forClients := map[string]bool{}
	for _, t := range topics.ForClients() {
		name := n.ctx.Bus().Resolve(t.Name)
		forClients[name] = true
		if err := n.accept(name, t); err != nil {
			return err
		}
	}
	for _, t := range topics.Topics() {
		name := n.ctx.Bus().Resolve(t.Name)
		if err := n.mirror(name, t.Type.ROS1Name(), t.QoS == bus.Latched, !forClients[name]); err != nil {
			return err
		}
	}
	err := n.robot.Serve(graphService, graphType, func(_ rosbridge.Request, reply func([]byte, error)) {
		g := snapshot(n.ctx.Bus().Graph(), n.deps.Nodes())
		for i := range g.Topics {
			g.Topics[i].Reserved = n.reservation(g.Topics[i].Name)
		}
		reply(json.Marshal(g))
	})
	if err != nil {
		return fmt.Errorf("serve %s: %w", graphService, err)
	}
	n.lookForServices()
	return nil
}

// mirror offers a topic of the robot to clients.
func (n *Node) mirror(name, typeName string, latched, exclusive bool) error {
	m := &mirrored{latched: latched}
	var err error
	m.publisher, err = n.robot.Advertise(name, typeName, rosbridge.TopicOptions{
		Latch: latched, Exclusive: exclusive,
		Demand: func(subscriptions int) { n.ctx.Post(func() { n.want(name, m, subscriptions > 0) }) },
	})
	if err != nil {
		return fmt.Errorf("show %s to clients: %w", name, err)
	}
	n.topics[name] = m
	return nil
}

// want subscribes to a topic while a client wants it. A latched topic stays subscribed: what the broker keeps of it must not become old.
func (n *Node) want(name string, m *mirrored, wanted bool) {
	switch {
	case wanted && m.sub == nil:
		m.sub = bus.SubscribeRaw(n.ctx, name, mirrorDepth, func(s *bus.Sample) {
			if s.Node() != Name { // what a client published the broker has given to the others already
				m.publisher.Publish(s)
			}
		})
	case !wanted && m.sub != nil && !m.latched:
		m.sub.Cancel()
		m.sub = nil
	}
}

// lookAtBus shows clients what came to the bus at run time.
func (n *Node) lookAtBus() {
	for _, t := range n.ctx.Bus().Graph().Topics {
		if n.topics[t.Name] != nil || n.offered[t.Name] != nil || t.Type == "" ||
			!slices.ContainsFunc(t.Publishers, func(p bus.PublisherStats) bool { return p.Node != Name }) {
			continue
		}
		if err := n.mirror(t.Name, t.Type, t.QoS == bus.Latched, true); err != nil {
			n.refuse(t.Name, err)
		}
	}
	n.lookForServices()
}

// lookForServices lets clients call what the robot serves.
func (n *Node) lookForServices() {
	for _, s := range n.ctx.Bus().Graph().Services {
		if n.services[s.Name] || s.Node == Name {
			continue
		}
		if err := n.robot.Serve(s.Name, s.Type, n.call); err != nil {
			n.refuse(s.Name, err)
			continue
		}
		n.services[s.Name] = true
	}
}

// call answers a client's call of a service of the robot.
func (n *Node) call(r rosbridge.Request, reply func([]byte, error)) {
	stops := n.stops[r.Service]
	if !stops { // a stop waits for nobody
		select {
		case n.slots <- struct{}{}:
		default:
			reply(nil, errBusy)
			return
		}
	}
	n.pending.Go(func() {
		if !stops {
			defer func() { <-n.slots }()
		}
		ctx, cancel := context.WithTimeout(n.calls, callLimit)
		defer cancel()
		response, err := n.ctx.Bus().CallRaw(ctx, r.Service, r.Args)
		if err != nil && stops {
			n.unheard(rosbridge.OpCallService, r.Service, r.Node)
		}
		reply(response, err)
	})
}

// unheard stops the robot when what was not understood, or came when too much waits, was a stop.
func (n *Node) unheard(_, name, who string) {
	if n.stops[name] {
		n.estop.Publish(std.String{Data: "rosbridge client " + who + ", whose stop could not be read"})
	}
}

// graph is what rosapi tells of the robot.
func (n *Node) graph() rosbridge.Graph {
	var out rosbridge.Graph
	g := snapshot(n.ctx.Bus().Graph(), n.deps.Nodes())
	for i := range g.Nodes {
		out.Nodes = append(out.Nodes, "/"+g.Nodes[i].Name)
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		shown := rosbridge.GraphTopic{Name: t.Name, Type: t.Type}
		for _, p := range t.Publishers {
			shown.Publishers = append(shown.Publishers, "/"+p.Node)
		}
		for _, s := range t.Subscribers {
			shown.Subscribers = append(shown.Subscribers, "/"+s.Node)
		}
		out.Topics = append(out.Topics, shown)
	}
	for i := range g.Services {
		s := &g.Services[i]
		out.Services = append(out.Services, rosbridge.GraphService{Name: s.Name, Type: s.Type, Node: "/" + s.Node})
	}
	out.Services = append(out.Services, rosbridge.GraphService{Name: graphService, Type: graphType, Node: "/" + Name})
	return out
}

// reservation says why clients may not publish a topic, "" when they may. It may be called from any goroutine.
func (n *Node) reservation(name string) string {
	b := n.ctx.Bus()
	for _, t := range topics.ForClients() {
		if b.Resolve(t.Name) == name {
			return ""
		}
	}
	if name == b.Resolve(topics.BodyCmdVel.Info().Name) {
		return "only the control mux commands the body: publish to " + topics.DashboardCmdVel.Info().Name + " after " + topics.SetMode.Info().Name + " has chosen that source"
	}
	for _, t := range topics.Topics() {
		if b.Resolve(t.Name) == name {
			return "it belongs to its node"
		}
	}
	return ""
}
