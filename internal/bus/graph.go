package bus

import (
	"slices"
	"strings"
	"time"

	"sarathi/internal/mailbox"
)

// Graph is a snapshot of who publishes, subscribes and serves what, sorted by name.
type Graph struct {
	Topics   []TopicStats
	Services []ServiceStats
}

// TopicStats describes one topic in use.
type TopicStats struct {
	Name        string
	Type        string // ROS 1 spelling, "" while unknown
	QoS         QoS
	Doc         string
	Published   uint64
	Rate        float64   // Hz, smoothed over about eight messages; 0 when silent
	Last        time.Time // zero before the first message; Bus.Now().Sub(Last) is its age, whatever the wall clock did
	Publishers  []PublisherStats
	Subscribers []SubscriberStats
}

// PublisherStats describes one publisher of a topic.
type PublisherStats struct {
	Node      string
	Published uint64
}

// SubscriberStats describes one subscription of a topic.
type SubscriberStats struct {
	Node     string
	Depth    int // messages that may wait
	Received uint64
	Dropped  uint64        // lost because the handler was too slow; 0 when sampled, since passing over is no loss
	Sampled  bool          // read by the node at its own pace, without a handler
	Handler  mailbox.Stats // zero when sampled
}

// ServiceStats describes one service that is served now.
type ServiceStats struct {
	Name    string
	Type    string
	Doc     string
	Node    string
	Calls   uint64
	Refused uint64 // because too many waited
	Handler mailbox.Stats
}

// Graph returns a snapshot of the bus.
func (b *Bus) Graph() Graph {
	now := b.clock.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	var g Graph
	for _, t := range b.topics {
		if len(t.pubs) > 0 || len(t.subs) > 0 {
			g.Topics = append(g.Topics, t.statsLocked(now))
		}
	}
	for _, s := range b.services {
		if srv := s.server.Load(); srv != nil {
			g.Services = append(g.Services, ServiceStats{
				Name: s.name, Type: s.typeName, Doc: s.doc, Node: srv.node,
				Calls: srv.calls.Load(), Refused: srv.refused.Load(), Handler: srv.item.Stats(),
			})
		}
	}
	slices.SortFunc(g.Topics, func(a, b TopicStats) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(g.Services, func(a, b ServiceStats) int { return strings.Compare(a.Name, b.Name) })
	return g
}

func (t *topic) statsLocked(now time.Time) TopicStats {
	out := TopicStats{
		Name: t.name, Type: t.typeName, QoS: t.qos, Doc: t.doc,
		Published: t.published.Load(), Rate: t.rate(now), Last: t.lastTime(),
	}
	for _, p := range t.pubs {
		out.Publishers = append(out.Publishers, PublisherStats{Node: p.node, Published: p.published.Load()})
	}
	for _, s := range t.subs {
		e := SubscriberStats{
			Node: s.node, Depth: s.depth, Received: s.received.Load(), Dropped: s.dropped.Load(), Sampled: s.item == nil,
		}
		if s.item != nil {
			e.Handler = s.item.Stats()
		}
		out.Subscribers = append(out.Subscribers, e)
	}
	slices.SortStableFunc(out.Publishers, func(a, b PublisherStats) int { return strings.Compare(a.Node, b.Node) })
	slices.SortStableFunc(out.Subscribers, func(a, b SubscriberStats) int { return strings.Compare(a.Node, b.Node) })
	return out
}
