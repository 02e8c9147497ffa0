package rosbridge

import (
	"context"
	"fmt"

	"sarathi/internal/idl"
)

// Generated is a pointer to a generated message type T: what typed functions such as [SubscribeAs] need to know of it.
type Generated[T any] interface {
	*T
	idl.Message
}

// Decode fills m, which is of the topic's type, with a message. It takes what any server writes: fields that this program does not know
// are passed over, those that are missing get their defaults.
func (c *Client) Decode(d Delivery, m idl.Message) error {
	err := c.decode(d, m)
	if err != nil {
		return fmt.Errorf("message of %s as %s: %w", d.Topic, m.Type().ROS1Name(), err)
	}
	return nil
}

func (c *Client) decode(d Delivery, m idl.Message) error {
	switch {
	case d.Raw == nil:
		return c.parse(d.Body, m)
	case c.cfg.Dialect == ROS1:
		return m.ParseROS1(d.Raw)
	default:
		return m.ParseCDR(d.Raw)
	}
}

// parse fills m with JSON of the server.
func (c *Client) parse(text []byte, m idl.Message) error {
	if codec := c.types.codecOf(m.Type()); codec != nil {
		text = codec.fromServer(text)
	}
	return m.ParseJSON(text)
}

// textOf returns m as JSON for the server.
func (c *Client) textOf(m idl.Message) []byte {
	text := m.AppendJSON(nil)
	if c.cfg.Dialect == ROS1 {
		if codec := c.types.codecOf(m.Type()); codec != nil {
			return codec.toROS1(text)
		}
	}
	return text
}

// typeName returns how the server spells a type.
func (c *Client) typeName(t *idl.Type) string {
	return c.cfg.Dialect.spelled(t.ROS1Name(), "msg")
}

// SubscribeAs is [Client.Subscribe] for a generated message type. A message that is not of that type is counted, see
// [Subscription.Faulty], and logged once; handle does not get it.
func SubscribeAs[T any, P Generated[T]](c *Client, topic string, options SubscribeOptions, handle func(*T)) (*Subscription, error) {
	if options.Type == "" {
		options.Type = c.typeName(P(new(T)).Type())
	}
	var s *Subscription
	ready := make(chan struct{})
	s, err := c.Subscribe(topic, options, func(d Delivery) {
		<-ready
		m := new(T)
		if err := c.Decode(d, P(m)); err != nil {
			if s.faulty.Add(1) == 1 {
				c.log.Warn("message of another type; from now on this is only counted", "url", c.url, "err", err)
			}
			return
		}
		handle(m)
	})
	close(ready)
	return s, err
}

// TypedPublisher publishes messages of one generated type.
type TypedPublisher[T any, P Generated[T]] struct{ *Publisher }

// AdvertiseAs is [Client.Advertise] for a generated message type.
func AdvertiseAs[T any, P Generated[T]](c *Client, topic string, options AdvertiseOptions) (TypedPublisher[T, P], error) {
	p, err := c.Advertise(topic, c.typeName(P(new(T)).Type()), options)
	return TypedPublisher[T, P]{p}, err
}

// Publish sends a message, see [Publisher.Publish].
func (p TypedPublisher[T, P]) Publish(m *T) error { return p.publish(p.client.textOf(P(m))) }

// CallAs is [Client.Call] for generated request and response types:
//
//	resp, err := rosbridge.CallAs[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse](ctx, c, "/dock", stdsrvs.TriggerRequest{})
func CallAs[Req, Resp any, Q Generated[Req], R Generated[Resp]](ctx context.Context, c *Client, service string, req Req) (Resp, error) {
	var resp Resp
	values, err := c.call(ctx, service, c.textOf(Q(&req)))
	if err != nil {
		return resp, err
	}
	if err := c.parse(values, R(&resp)); err != nil {
		return resp, fmt.Errorf("answer of %s: %w", service, err)
	}
	return resp, nil
}

// ServeAs is [Client.Serve] for generated request and response types, which are those of typ.
func ServeAs[Req, Resp any, Q Generated[Req], R Generated[Resp]](
	c *Client, service string, typ *idl.ServiceType, handle func(ctx context.Context, req Req) (Resp, error),
) (*ServiceServer, error) {
	if Q(new(Req)).Type() != typ.Request || R(new(Resp)).Type() != typ.Response {
		return nil, fmt.Errorf("serve %s: %T and %T are not of service %s", service, *new(Req), *new(Resp), typ.ROS1Name())
	}
	shape := c.types.codecOf(typ.Request)
	return c.Serve(service, c.cfg.Dialect.spelled(typ.ROS1Name(), "srv"), func(ctx context.Context, args []byte) ([]byte, error) {
		if len(args) > 0 && args[0] == '[' && shape != nil { // positional
			named, err := nameArgs(shape.shape, args)
			if err != nil {
				return nil, err
			}
			args = named
		}
		var req Req
		if err := c.parse(args, Q(&req)); err != nil {
			return nil, fmt.Errorf("request: %w", err)
		}
		resp, err := handle(ctx, req)
		if err != nil {
			return nil, err
		}
		return c.textOf(R(&resp)), nil
	})
}
