package nodetest

import (
	"slices"
	"time"

	"sarathi/internal/bus"
)

// Publish publishes v for the test, in the probe's name. It is handled in the next Advance.
func Publish[T any](r *Rig, t *bus.Topic[T], v T) {
	p, ok := r.publishers[t].(*bus.Publisher[T])
	if !ok {
		p = bus.NewPublisher(r.probe.ctx, t)
		r.publishers[t] = p
	}
	p.Publish(v)
}

// Serve answers a service in the probe's name.
func Serve[Req, Resp any](r *Rig, s *bus.Service[Req, Resp], handle func(Req) (Resp, error)) {
	bus.Serve(r.probe.ctx, s, handle)
}

// Message is a message with the time since the rig's start at which it came.
type Message[T any] struct {
	At    time.Duration
	Value T
}

// Collector keeps the messages of one topic.
type Collector[T any] struct {
	rig      *Rig
	topic    string
	messages []Message[T]
}

// Collect subscribes to a topic in the probe's name and keeps what comes.
func Collect[T any](r *Rig, t *bus.Topic[T]) *Collector[T] {
	c := &Collector[T]{rig: r, topic: r.Bus.Resolve(t.Info().Name)}
	bus.Subscribe(r.probe.ctx, t, func(v T) {
		c.messages = append(c.messages, Message[T]{At: r.Elapsed(), Value: v})
	})
	return c
}

// All returns what has come so far.
func (c *Collector[T]) All() []Message[T] { return slices.Clone(c.messages) }

// Values returns what has come so far, without times.
func (c *Collector[T]) Values() []T {
	out := make([]T, len(c.messages))
	for i, m := range c.messages {
		out[i] = m.Value
	}
	return out
}

// Take returns what has come since the last Take.
func (c *Collector[T]) Take() []Message[T] {
	out := c.messages
	c.messages = nil
	return out
}

// Len returns how many messages have come since the last Take.
func (c *Collector[T]) Len() int { return len(c.messages) }

// Latest returns the newest message, and ends the test when none has come since the last Take.
func (c *Collector[T]) Latest() Message[T] {
	c.rig.tb.Helper()
	if len(c.messages) == 0 {
		c.rig.tb.Fatalf("at %v: nothing has come on %s", c.rig.Elapsed(), c.topic)
	}
	return c.messages[len(c.messages)-1]
}

// Await lets virtual time pass until a message comes for which match reports true,
// counting those that came since the last Take, and returns it. It ends the test when
// none has come after limit.
func (c *Collector[T]) Await(limit time.Duration, match func(T) bool) Message[T] {
	c.rig.tb.Helper()
	seen, found := 0, -1
	c.rig.AdvanceUntil("a message on "+c.topic, limit, func() bool {
		for ; seen < len(c.messages) && found < 0; seen++ {
			if match(c.messages[seen].Value) {
				found = seen
			}
		}
		return found >= 0
	})
	return c.messages[found]
}

// Call calls a service in the probe's name and lets virtual time pass until the
// answer is there, at most a second.
func Call[Req, Resp any](r *Rig, s *bus.Service[Req, Resp], req Req) (Resp, error) {
	r.tb.Helper()
	var (
		resp     Resp
		err      error
		answered bool
	)
	const limit = time.Second
	bus.NewCaller(r.probe.ctx, s).Call(req, limit, func(a Resp, e error) { resp, err, answered = a, e, true })
	r.AdvanceUntil("an answer of "+r.Bus.Resolve(s.Info().Name), limit, func() bool { return answered })
	return resp, err
}
