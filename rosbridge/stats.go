package rosbridge

import (
	"slices"
	"strings"
	"time"

	"sarathi/msg/builtin"
	"sarathi/msg/rosbridge"
	"sarathi/msg/std"
)

// Stats is a snapshot of a broker for introspection, sorted by name.
type Stats struct {
	Uptime  time.Duration `json:"uptime_ns"`
	Refused uint64        `json:"refused"` // handshakes
	Topics  []TopicStats  `json:"topics"`
	Clients []ClientStats `json:"clients"`
}

// TopicStats describes one topic.
type TopicStats struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // ROS 1 spelling
	Published   uint64 `json:"published"`
	Publishers  int    `json:"publishers"`
	Subscribers int    `json:"subscribers"`
}

// ClientStats describes one client.
type ClientStats struct {
	Remote        string              `json:"remote"`
	Node          string              `json:"node"`
	Connected     time.Time           `json:"connected"`
	Sent          uint64              `json:"sent_bytes"`
	Waiting       int                 `json:"waiting_bytes"`
	Dropped       uint64              `json:"dropped"` // messages lost because the client is slow
	Faults        uint64              `json:"faults"`  // malformed frames and refused requests
	Subscriptions []SubscriptionStats `json:"subscriptions"`
}

// SubscriptionStats describes one topic that a client receives.
type SubscriptionStats struct {
	Topic   string `json:"topic"`
	Sent    uint64 `json:"sent"`
	Waiting int    `json:"waiting"`
	Dropped uint64 `json:"dropped"`
}

// Stats returns a snapshot.
func (b *Broker) Stats() Stats {
	out := Stats{Uptime: time.Since(b.start), Refused: b.refused.Load(), Topics: []TopicStats{}, Clients: []ClientStats{}}
	b.mu.Lock()
	defer b.mu.Unlock()
	byClient := map[*peer][]SubscriptionStats{}
	for _, t := range b.topics {
		out.Topics = append(out.Topics, TopicStats{
			Name: t.name, Type: t.typ.Load().name, Published: t.published.Load(),
			Publishers: len(t.publishers), Subscribers: len(t.subscribers) + len(t.locals),
		})
		for _, s := range t.subscribers {
			byClient[s.owner] = append(byClient[s.owner], s.stats())
		}
	}
	for p := range b.clients {
		c := ClientStats{
			Remote: p.remote, Node: p.nodeName(), Connected: p.connected, Sent: p.writer.sent.Load(), Faults: p.faults.Load(),
			Subscriptions: byClient[p],
		}
		c.Waiting, c.Dropped = p.out.load()
		slices.SortFunc(c.Subscriptions, func(a, b SubscriptionStats) int { return strings.Compare(a.Topic, b.Topic) })
		out.Clients = append(out.Clients, c)
	}
	slices.SortFunc(out.Topics, func(a, b TopicStats) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Clients, func(a, b ClientStats) int { return a.Connected.Compare(b.Connected) })
	return out
}

func (s *subscription) stats() SubscriptionStats {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	return SubscriptionStats{Topic: s.topic.name, Sent: s.sent, Waiting: s.queue.n, Dropped: s.dropped}
}

// load returns the bytes that wait and the messages that were lost.
func (o *outbox) load() (bytes int, dropped uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes, o.dropped
}

// publishClients publishes how many clients there are, and who, in the order in which they came.
func (b *Broker) publishClients() {
	b.mu.Lock()
	peers := make([]*peer, 0, len(b.clients))
	for p := range b.clients {
		peers = append(peers, p)
	}
	b.mu.Unlock()
	slices.SortFunc(peers, func(a, b *peer) int { return a.connected.Compare(b.connected) })
	var list rosbridge.ConnectedClients
	for _, p := range peers {
		address := p.remote
		if i := strings.LastIndexByte(address, ':'); i >= 0 {
			address = strings.Trim(address[:i], "[]")
		}
		list.Clients = append(list.Clients, rosbridge.ConnectedClient{
			IPAddress:      address,
			ConnectionTime: builtin.Time{Sec: int32(p.connected.Unix()), Nanosec: uint32(p.connected.Nanosecond())},
		})
	}
	b.count.PublishMessage(&std.Int32{Data: int32(len(peers))})
	b.roster.PublishMessage(&list)
}
