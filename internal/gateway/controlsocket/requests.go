package controlsocket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sarathi/internal/bus"
	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/gateway/controlsocket/protocol"
	"sarathi/internal/idl"
	"sarathi/msg"
)

// newTopicDepth is how many messages of a topic that only a client declares may wait.
const newTopicDepth = 16

// handle answers one line. It runs on the client's reader.
func (s *session) handle(ctx context.Context, line []byte) {
	r, err := protocol.ParseRequest(line)
	if err != nil {
		s.refuse(ctx, r.ID, &graph.Error{Code: graph.BadRequest, Message: err.Error()})
		return
	}
	switch r.Op {
	case protocol.OpGraph:
		s.send(ctx, &protocol.Reply{ID: r.ID, Graph: snapshot(s.node.ctx.Bus().Graph(), s.node.deps.Nodes())})
	case protocol.OpWatch:
		s.beginWatch(ctx, r)
	case protocol.OpUnwatch:
		s.acknowledge(ctx, r.ID, s.unwatch(ctx, r.ID))
	case protocol.OpPublish:
		s.acknowledge(ctx, r.ID, s.publish(ctx, r.Publication))
	case protocol.OpCall:
		s.call(ctx, r)
	}
}

// acknowledge answers a request that has no result.
func (s *session) acknowledge(ctx context.Context, id int64, err error) {
	if err != nil {
		s.refuse(ctx, id, refusal(err))
		return
	}
	s.send(ctx, &protocol.Reply{ID: id})
}

// beginWatch acknowledges first, so that no sample comes before the reply.
func (s *session) beginWatch(ctx context.Context, r protocol.Request) {
	if !s.node.knows(r.Topic) {
		s.refuse(ctx, r.ID, &graph.Error{Code: graph.UnknownTopic, Message: fmt.Sprintf("there is no topic %s", r.Topic)})
		return
	}
	var refused *graph.Error
	err := s.node.onLoop(ctx, func() {
		switch {
		case s.watches[r.ID] != nil:
			refused = &graph.Error{Code: graph.BadRequest, Message: fmt.Sprintf("id %d watches already", r.ID)}
		case len(s.watches) >= maxWatches:
			refused = &graph.Error{Code: graph.Busy, Message: fmt.Sprintf("this client watches %d topics already", maxWatches)}
		default:
			s.watches[r.ID] = &watched{watch: s.out.add(r.ID, r.Depth, r.TimesOnly)}
		}
	})
	if refused != nil {
		s.refuse(ctx, r.ID, refused)
		return
	}
	s.acknowledge(ctx, r.ID, err)
	s.node.ctx.Post(func() {
		if w := s.watches[r.ID]; w != nil {
			w.sub = bus.SubscribeRaw(s.node.ctx, r.Topic, r.Depth, func(m *bus.Sample) {
				s.out.offer(w.watch, m, w.sub.Dropped())
			})
		}
	})
}

func (s *session) unwatch(ctx context.Context, id int64) error {
	known := false
	err := s.node.onLoop(ctx, func() { known = s.endWatch(id) })
	if err == nil && !known {
		return &graph.Error{Code: graph.BadRequest, Message: fmt.Sprintf("id %d watches nothing", id)}
	}
	return err
}

// endWatch runs on the loop. It reports whether there was such a watch.
func (s *session) endWatch(id int64) bool {
	w := s.watches[id]
	if w == nil {
		return false
	}
	delete(s.watches, id)
	if w.sub != nil {
		w.sub.Cancel()
	}
	s.out.remove(w.watch)
	return true
}

// endWatches runs on the loop, after everything that the reader has posted there.
func (s *session) endWatches() {
	for id := range s.watches {
		s.endWatch(id)
	}
}

// publish publishes one message. The topic stays advertised until the client goes, so that a client that publishes at a rate is one
// publisher.
func (s *session) publish(ctx context.Context, p *graph.Publication) error {
	pub := s.publishers[p.Topic]
	if pub == nil {
		var err error
		if pub, err = s.advertise(ctx, p); err != nil {
			return err
		}
		s.publishers[p.Topic] = pub
	} else if have := s.node.typeOf(p.Topic); p.Type != "" && bareType(p.Type) != have {
		return wrongType(p.Topic, have, p.Type)
	}
	if err := pub.PublishJSON(p.Message); err != nil {
		return &graph.Error{Code: graph.BadRequest, Message: err.Error()}
	}
	return nil
}

// advertise makes the client a publisher of a topic, when it may be one.
func (s *session) advertise(ctx context.Context, p *graph.Publication) (*bus.RawPublisher, error) {
	if why, reserved := s.node.reserved[s.node.ctx.Bus().Resolve(p.Topic)]; reserved {
		return nil, &graph.Error{Code: graph.Reserved, Message: fmt.Sprintf("%s is not for clients: %s", p.Topic, why)}
	}
	if len(s.publishers) >= maxPublishers {
		return nil, &graph.Error{Code: graph.Busy, Message: fmt.Sprintf("this client publishes %d topics already", maxPublishers)}
	}
	have, want := s.node.typeOf(p.Topic), bareType(p.Type)
	switch {
	case have == "" && want == "":
		return nil, &graph.Error{
			Code: graph.UnknownTopic, Message: fmt.Sprintf("there is no topic %s yet: name the type of its messages", p.Topic),
		}
	case have != "" && want != "" && have != want:
		return nil, wrongType(p.Topic, have, p.Type)
	case have == "":
		have = want
	}
	var typ *idl.Type
	if t, known := msg.Lookup(have); known {
		typ = t
	}
	var pub *bus.RawPublisher
	var err error
	if late := s.node.onLoop(ctx, func() {
		pub, err = bus.AdvertiseRaw(s.node.ctx, p.Topic, have, typ, bus.Queue(newTopicDepth))
	}); late != nil {
		return nil, late
	}
	return pub, err
}

func wrongType(topic, have, want string) error {
	return &graph.Error{Code: graph.WrongType, Message: fmt.Sprintf("%s has type %s, not %s", topic, have, want)}
}

// bareType returns the ROS 1 spelling of a message type.
func bareType(name string) string { return strings.Replace(name, "/msg/", "/", 1) }

// call calls a service on a goroutine of its own, so that a client can go away, or ask for more, while it waits.
func (s *session) call(ctx context.Context, r protocol.Request) {
	select {
	case s.callSlots <- struct{}{}:
	default:
		s.refuse(ctx, r.ID, &graph.Error{Code: graph.Busy, Message: fmt.Sprintf("this client waits for %d calls already", maxCalls)})
		return
	}
	s.calls.Go(s.node.guarded(func() {
		defer func() { <-s.callSlots }()
		timeout, cancel := context.WithTimeout(ctx, r.Timeout())
		defer cancel()
		response, err := s.node.ctx.Bus().CallRaw(timeout, r.Service, r.Request)
		if err != nil {
			s.refuse(ctx, r.ID, refusal(err))
			return
		}
		s.send(ctx, &protocol.Reply{ID: r.ID, Response: response})
	}))
}

// knows reports whether somebody uses or has declared a topic.
func (n *Node) knows(topic string) bool {
	name := n.ctx.Bus().Resolve(topic)
	if n.declared[name] != nil {
		return true
	}
	return slices.ContainsFunc(n.ctx.Bus().Graph().Topics, func(t bus.TopicStats) bool { return t.Name == name })
}

// typeOf returns the type that a topic has or was declared with, "" when there is none.
func (n *Node) typeOf(topic string) string {
	name := n.ctx.Bus().Resolve(topic)
	for _, t := range n.ctx.Bus().Graph().Topics {
		if t.Name == name && t.Type != "" {
			return t.Type
		}
	}
	if t := n.declared[name]; t != nil {
		return t.ROS1Name()
	}
	return ""
}

// refusal says in the client's terms why the bus did not do something.
func refusal(err error) *graph.Error {
	if ours, ok := errors.AsType[*graph.Error](err); ok {
		return ours
	}
	if _, ok := errors.AsType[*bus.TypeError](err); ok {
		return &graph.Error{Code: graph.WrongType, Message: err.Error()}
	}
	code := graph.Failed
	switch bus.CodeOf(err) {
	case bus.NoServer:
		code = graph.NoServer
	case bus.Timeout:
		code = graph.Timeout
	case bus.Busy:
		code = graph.Busy
	case bus.BadRequest:
		code = graph.BadRequest
	case bus.Stopped:
		code = graph.Stopped
	default:
	}
	return &graph.Error{Code: code, Message: err.Error()}
}
