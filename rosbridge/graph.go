package rosbridge

import (
	"slices"
	"strings"
)

// Graph is what a process knows about itself: it replaces what its attachments would show. Type names may be in either spelling.
type Graph struct {
	Nodes    []string
	Topics   []GraphTopic
	Services []GraphService
}

// GraphTopic is a topic with the nodes at its ends.
type GraphTopic struct {
	Name        string
	Type        string
	Publishers  []string
	Subscribers []string
}

// GraphService is a service with the node that serves it.
type GraphService struct {
	Name string
	Type string
	Node string
}

// Observer learns what clients offer, in order, from one goroutine of the broker, which holds no lock. Its calls must not wait. Types are in the ROS 1
// spelling.
type Observer interface {
	// TopicAdvertised is called when the first client publishes a topic whose type is known by name.
	TopicAdvertised(name, typeName string)
	// TopicReleased is called when no client has published the topic for [Config].Unregister.
	TopicReleased(name string)
	// ServiceAdvertised is called for each client that serves a service; a later one replaces the earlier.
	ServiceAdvertised(name, typeName string)
	// ServiceReleased is called when no client serves the service any more.
	ServiceReleased(name string)
}

// graph is a snapshot for introspection, sorted by name. Types are canonical.
type graph struct {
	nodes    []string
	topics   []graphTopic
	services []graphService
	actions  []graphService
}

type graphTopic struct {
	name, typ               string
	publishers, subscribers []string
}

type graphService struct{ name, typ, node string }

func (g *graph) topic(name string) graphTopic {
	i, ok := slices.BinarySearchFunc(g.topics, name, func(t graphTopic, name string) int { return strings.Compare(t.name, name) })
	if !ok {
		return graphTopic{}
	}
	return g.topics[i]
}

func (g *graph) service(name string) graphService {
	for _, s := range g.services {
		if s.name == name {
			return s
		}
	}
	return graphService{}
}

// graph returns the snapshot, as clients may see it.
func (b *Broker) graph(d Dialect) *graph {
	var process Graph
	if b.cfg.Graph != nil {
		process = b.cfg.Graph()
	}
	topics, services, nodes := map[string]*graphTopic{}, map[string]graphService{}, map[string]bool{b.cfg.NodeName: true, rosapiNode: true}
	for _, name := range process.Nodes {
		nodes[name] = true
	}
	for _, t := range process.Topics {
		topics[t.Name] = &graphTopic{t.Name, canonical(t.Type), slices.Clone(t.Publishers), slices.Clone(t.Subscribers)}
	}
	for _, s := range process.Services {
		services[s.Name] = graphService{s.Name, canonical(s.Type), s.Node}
	}
	for name, s := range b.own {
		typ := s.typ
		if d == ROS1 {
			typ = strings.Replace(typ, "rosapi_msgs/", "rosapi/", 1)
		}
		services[name] = graphService{name, typ, rosapiNode}
	}
	g := &graph{}
	b.mu.Lock()
	b.addTopicsLocked(topics)
	for name, s := range b.services {
		if s.local == nil || b.listed(s.local.owner) {
			services[name] = graphService{name, s.typ, s.nodeName()}
		}
	}
	for name, a := range b.actions {
		g.actions = append(g.actions, graphService{name, a.typ, a.peer.nodeName()})
	}
	for p := range b.clients {
		nodes[p.nodeName()] = true
	}
	b.mu.Unlock()
	return g.fill(d, topics, services, nodes)
}

// addTopicsLocked adds what clients publish and subscribe, and attachments where nobody else speaks for them.
func (b *Broker) addTopicsLocked(topics map[string]*graphTopic) {
	for name, t := range b.topics {
		g := topics[name]
		if g == nil {
			g = &graphTopic{name: name, typ: t.typ.Load().name}
		}
		for _, p := range t.publishers {
			if a, local := p.owner.(*Attachment); !local || b.listed(a) {
				g.publishers = append(g.publishers, p.owner.nodeName())
			}
		}
		for _, s := range t.subscribers {
			g.subscribers = append(g.subscribers, s.owner.nodeName())
		}
		for _, s := range t.locals {
			if b.listed(s.owner) {
				g.subscribers = append(g.subscribers, s.owner.name)
			}
		}
		if len(g.publishers)+len(g.subscribers) > 0 {
			topics[name] = g
		}
	}
}

// listed reports whether an attachment speaks for itself.
func (b *Broker) listed(a *Attachment) bool { return b.cfg.Graph == nil || a.name == b.cfg.NodeName }

// fill sorts everything. /rosout is always there: by its type viewers tell the ROS generation.
func (g *graph) fill(d Dialect, topics map[string]*graphTopic, services map[string]graphService, nodes map[string]bool) *graph {
	if topics["/rosout"] == nil {
		typ := "rcl_interfaces/Log"
		if d == ROS1 {
			typ = "rosgraph_msgs/Log"
		}
		topics["/rosout"] = &graphTopic{name: "/rosout", typ: typ}
	}
	for _, t := range topics {
		slices.Sort(t.publishers)
		slices.Sort(t.subscribers)
		t.publishers, t.subscribers = slices.Compact(t.publishers), slices.Compact(t.subscribers)
		for _, n := range slices.Concat(t.publishers, t.subscribers) {
			nodes[n] = true
		}
		g.topics = append(g.topics, *t)
	}
	for _, s := range services {
		nodes[s.node] = true
		g.services = append(g.services, s)
	}
	for n := range nodes {
		g.nodes = append(g.nodes, n)
	}
	slices.Sort(g.nodes)
	slices.SortFunc(g.topics, func(a, b graphTopic) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(g.services, func(a, b graphService) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(g.actions, func(a, b graphService) int { return strings.Compare(a.name, b.name) })
	return g
}
