package rosbridge

import (
	"cmp"
	"slices"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/gateway/rosbridge/graph"
	"sarathi/internal/mailbox"
	"sarathi/internal/node"
)

// snapshot joins what the bus knows with what the executor knows.
func snapshot(g bus.Graph, nodes []node.Stats) *graph.Graph {
	out := &graph.Graph{
		Topics:   make([]graph.Topic, 0, len(g.Topics)),
		Services: make([]graph.Service, 0, len(g.Services)),
		Nodes:    make([]graph.Node, 0, len(nodes)),
	}
	for i := range g.Topics {
		out.Topics = append(out.Topics, topicOf(&g.Topics[i]))
	}
	for _, s := range g.Services {
		out.Services = append(out.Services, graph.Service{
			Name: s.Name, Type: s.Type, Doc: s.Doc, Node: s.Node, Calls: s.Calls, Refused: s.Refused, Handler: handlerTime(s.Handler),
		})
	}
	out.Nodes = nodesOf(g, nodes)
	return out
}

func topicOf(t *bus.TopicStats) graph.Topic {
	out := graph.Topic{
		Name: t.Name, Type: t.Type, QoS: t.QoS.String(), Doc: t.Doc, Rate: t.Rate, Last: t.Last, Published: t.Published,
		Publishers:  make([]graph.Publisher, 0, len(t.Publishers)),
		Subscribers: make([]graph.Subscriber, 0, len(t.Subscribers)),
	}
	for _, p := range t.Publishers {
		out.Publishers = append(out.Publishers, graph.Publisher{Node: p.Node, Published: p.Published})
	}
	var all mailbox.Stats
	for _, s := range t.Subscribers {
		out.Subscribers = append(out.Subscribers, graph.Subscriber{
			Node: s.Node, Depth: s.Depth, Received: s.Received, Dropped: s.Dropped, Sampled: s.Sampled, Handler: handlerTime(s.Handler),
		})
		out.Dropped += s.Dropped
		all.Runs += s.Handler.Runs
		all.Total += s.Handler.Total
		all.Worst = max(all.Worst, s.Handler.Worst)
	}
	out.Handler = handlerTime(all)
	return out
}

func handlerTime(s mailbox.Stats) graph.HandlerTime {
	out := graph.HandlerTime{Runs: s.Runs, Worst: s.Worst}
	if s.Runs > 0 {
		out.Mean = s.Total / time.Duration(s.Runs)
	}
	return out
}

// nodesOf lists the executor's nodes and those that only the bus knows.
func nodesOf(g bus.Graph, nodes []node.Stats) []graph.Node {
	byName := map[string]*graph.Node{}
	find := func(name string) *graph.Node {
		n := byName[name]
		if n == nil {
			n = &graph.Node{Name: name, Publishes: []string{}, Subscribes: []string{}, Serves: []string{}}
			byName[name] = n
		}
		return n
	}
	for _, s := range nodes {
		n := find(s.Name)
		n.Stage, n.State = s.Stage.String(), s.State.String()
		n.Restarts, n.LastError, n.Skipped = s.Restarts, s.LastError, s.Skipped
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		for _, p := range t.Publishers {
			n := find(p.Node)
			n.Publishes = append(n.Publishes, t.Name)
		}
		for _, s := range t.Subscribers {
			n := find(s.Node)
			n.Subscribes = append(n.Subscribes, t.Name)
		}
	}
	for _, s := range g.Services {
		n := find(s.Node)
		n.Serves = append(n.Serves, s.Name)
	}
	out := make([]graph.Node, 0, len(byName))
	for _, n := range byName {
		n.Publishes, n.Subscribes = slices.Compact(n.Publishes), slices.Compact(n.Subscribes)
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b graph.Node) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
