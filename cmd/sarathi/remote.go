package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sarathi/internal/gateway/rosbridge/graph"
	"sarathi/msg"
	"sarathi/rosbridge"
)

// graphService is what our robots tell beyond rosapi.
const graphService = "/sarathi/graph"

// errGone is matched when the server ended the connection.
var errGone = errors.New("the robot ended the connection")

// remote is a robot behind a rosbridge server.
type remote struct {
	client     *rosbridge.Client
	lost       chan error // gets why the link was lost
	publishers map[string]*rosbridge.Publisher
}

// dialRemote connects to a rosbridge server.
func dialRemote(ctx context.Context, address, token string) (robot, error) {
	r := &remote{lost: make(chan error, 1), publishers: map[string]*rosbridge.Publisher{}}
	client, err := rosbridge.Dial(ctx, rosbridge.ClientConfig{URL: address, Token: token, OnLink: func(up bool, err error) {
		if !up {
			select {
			case r.lost <- err:
			default: // the first loss ends the command
			}
		}
	}})
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w at %s: %w", errNoRobot, address, err)
	}
	r.client = client
	return r, nil
}

// Close waits until the server has taken what was published, and ends the connection.
func (r *remote) Close() error {
	if len(r.publishers) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		r.client.TopicType(ctx, "/rosout") //nolint:errcheck // any answer comes after what was sent before
	}
	r.client.Close()
	return nil
}

// Graph asks for our robots' own account, and puts together what rosapi tells of others.
func (r *remote) Graph(ctx context.Context) (*graph.Graph, error) {
	data, err := r.client.Call(ctx, graphService, nil)
	if _, theirs := errors.AsType[*rosbridge.RemoteError](err); theirs {
		return r.fromRosapi(ctx)
	}
	if err != nil {
		return nil, r.explain(err)
	}
	g := &graph.Graph{}
	if err := json.Unmarshal(data, g); err != nil {
		return nil, fmt.Errorf("the robot's account of itself: %w", err)
	}
	return g, nil
}

func (r *remote) fromRosapi(ctx context.Context) (*graph.Graph, error) {
	g := &graph.Graph{Topics: []graph.Topic{}, Nodes: []graph.Node{}, Services: []graph.Service{}}
	list, err := r.client.Topics(ctx)
	if err != nil {
		return nil, r.explain(err)
	}
	names, err := r.client.Nodes(ctx)
	if err != nil {
		return nil, r.explain(err)
	}
	at := map[string]int{}
	slices.SortFunc(list, func(a, b rosbridge.NameType) int { return strings.Compare(a.Name, b.Name) })
	for i, t := range list {
		at[t.Name] = i
		g.Topics = append(g.Topics, graph.Topic{Name: t.Name, Type: bareType(t.Type)})
	}
	slices.Sort(names)
	for _, name := range names {
		n, err := r.client.NodeDetails(ctx, name)
		if err != nil {
			return nil, r.explain(err)
		}
		g.Nodes = append(g.Nodes, graph.Node{Name: name, Publishes: n.Publishing, Subscribes: n.Subscribing, Serves: n.Services})
		for _, topic := range n.Publishing {
			if i, ok := at[topic]; ok {
				g.Topics[i].Publishers = append(g.Topics[i].Publishers, graph.Publisher{Node: name})
			}
		}
		for _, topic := range n.Subscribing {
			if i, ok := at[topic]; ok {
				g.Topics[i].Subscribers = append(g.Topics[i].Subscribers, graph.Subscriber{Node: name})
			}
		}
		for _, service := range n.Services {
			g.Services = append(g.Services, graph.Service{Name: service, Node: name})
		}
	}
	slices.SortFunc(g.Services, func(a, b graph.Service) int { return strings.Compare(a.Name, b.Name) })
	for i := range g.Services {
		if name, err := r.client.ServiceType(ctx, g.Services[i].Name); err == nil {
			g.Services[i].Type = bareType(name)
		}
	}
	return g, nil
}

// bareType returns the ROS 1 spelling of the name of a type.
func bareType(name string) string {
	if parts := strings.Split(name, "/"); len(parts) == 3 {
		return parts[0] + "/" + parts[2]
	}
	return name
}

// Watch subscribes until each has had enough. For times alone the server's own stamps are asked for.
func (r *remote) Watch(ctx context.Context, w graph.Watch, each func(graph.Sample) bool) error {
	typeName, err := r.client.TopicType(ctx, w.Topic)
	if err != nil {
		return r.explain(err)
	}
	if typeName == "" && !r.used(ctx, w.Topic) {
		return &graph.Error{Code: graph.UnknownTopic, Message: fmt.Sprintf("there is no topic %s", w.Topic)}
	}
	options := rosbridge.SubscribeOptions{Buffer: w.Depth}
	if w.TimesOnly {
		options.Compression = rosbridge.CompressionCBORRaw
	}
	samples, done := make(chan graph.Sample), make(chan struct{})
	defer close(done)
	sub, err := r.client.Subscribe(w.Topic, options, func(d rosbridge.Delivery) {
		s := graph.Sample{At: d.Stamp}
		if s.At.IsZero() {
			s.At = time.Now()
		}
		if !w.TimesOnly {
			s.Message = d.Body
		}
		select {
		case samples <- s:
		case <-done:
		}
	})
	if err != nil {
		return r.explain(err)
	}
	defer sub.Close()
	for {
		select {
		case s := <-samples:
			if s.Lost = sub.Dropped(); !each(s) {
				return nil
			}
		case why := <-r.lost:
			return fmt.Errorf("%w: %w", errGone, why)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// used reports whether somebody uses a topic whose type nobody knows.
func (r *remote) used(ctx context.Context, name string) bool {
	g, err := r.Graph(ctx)
	if err != nil {
		return false
	}
	_, ok := findTopic(g, name)
	return ok
}

// Publish checks a message, since a server says nothing about one that it does not take, and sends it.
func (r *remote) Publish(ctx context.Context, p graph.Publication) error {
	publisher := r.publishers[p.Topic]
	if publisher == nil {
		typeName, err := r.mayPublish(ctx, &p)
		if err != nil {
			return err
		}
		if publisher, err = r.client.Advertise(p.Topic, typeName, rosbridge.AdvertiseOptions{}); err != nil {
			return r.explain(err)
		}
		r.publishers[p.Topic] = publisher
	}
	if err := publisher.Publish(p.Message); err != nil {
		return r.explain(err)
	}
	return nil
}

// mayPublish returns the type to publish a message with, or why it cannot be published.
func (r *remote) mayPublish(ctx context.Context, p *graph.Publication) (string, error) {
	have, err := r.client.TopicType(ctx, p.Topic)
	if err != nil {
		return "", r.explain(err)
	}
	name := have
	switch {
	case have == "" && p.Type == "":
		return "", &graph.Error{Code: graph.UnknownTopic, Message: fmt.Sprintf("there is no topic %s yet: name the type of its messages", p.Topic)}
	case have == "":
		name = p.Type
	case p.Type != "" && bareType(p.Type) != bareType(have):
		return "", &graph.Error{Code: graph.WrongType, Message: fmt.Sprintf("%s has type %s, not %s", p.Topic, bareType(have), p.Type)}
	}
	if g, err := r.Graph(ctx); err == nil {
		if t, ok := findTopic(g, p.Topic); ok && t.Reserved != "" {
			return "", &graph.Error{Code: graph.Reserved, Message: fmt.Sprintf("%s is not for clients: %s", p.Topic, t.Reserved)}
		}
	}
	if typ, known := msg.Lookup(name); known {
		if err := typ.New().ParseJSON(p.Message); err != nil {
			return "", &graph.Error{Code: graph.BadRequest, Message: fmt.Sprintf("message for %s (%s): %v", p.Topic, bareType(name), err)}
		}
	}
	return name, nil
}

// Call calls a service.
func (r *remote) Call(ctx context.Context, service string, request []byte, timeout time.Duration) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	response, err := r.client.Call(limited, service, request)
	said, refused := errors.AsType[*rosbridge.RemoteError](err)
	switch {
	case err == nil:
		return response, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, &graph.Error{Code: graph.Timeout, Message: fmt.Sprintf("service %s did not answer within %v", service, timeout)}
	case refused:
		if name, unknown := r.client.ServiceType(ctx, service); unknown == nil && name == "" {
			return nil, &graph.Error{Code: graph.NoServer, Message: fmt.Sprintf("nobody serves %s", service)}
		}
		return nil, &graph.Error{Code: graph.Failed, Message: fmt.Sprintf("service %s: %s", service, said.Message)}
	}
	return nil, r.explain(err)
}

// explain says in a user's words what happened to the link.
func (r *remote) explain(err error) error {
	if errors.Is(err, rosbridge.ErrLinkLost) || errors.Is(err, rosbridge.ErrNotConnected) {
		return errGone
	}
	return err
}
