package rosbridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Delivery is one message of a subscription. It is shared by all handlers that get it: nobody changes it.
type Delivery struct {
	Topic string // as the subscriber wrote it
	// Body is the message as JSON. It is nil when Raw is not.
	Body []byte
	// Raw is the serialized message of a subscription with cbor-raw, in the server's form.
	Raw []byte
	// Stamp is when the server got it; zero without cbor-raw.
	Stamp time.Time
}

// SubscribeOptions says how messages of a topic are wanted. The zero value asks for all of them, as JSON.
//
// A client subscribes to each topic once, however many subscriptions it has there: the server then gets the shortest throttle, the longest
// queue and the plainest compression (none, png, cbor, cbor-raw) of them.
type SubscribeOptions struct {
	Type         string        // of the topic, in either spelling; "" leaves it to the server
	Throttle     time.Duration // least time between two messages, ms precision
	QueueLength  int           // messages that the server keeps while throttled
	FragmentSize int           // bytes, above which the server cuts messages; 0 never
	Compression  string        // CompressionNone ("" too), CompressionPNG, CompressionCBOR, CompressionCBORRaw
	QoS          []byte        // raw JSON object, for newer servers
	// Buffer is how many messages may wait for the handler; the oldest goes first. 0 means 16.
	Buffer int
	// Last begins with the newest message that this client has of the topic, if it is subscribed already. It is for latched topics, whose
	// last message a server gives to the first subscription of a client only.
	Last bool
}

// plainness orders the compressions by how many can use them.
func plainness() []string {
	return []string{CompressionNone, CompressionPNG, CompressionCBOR, CompressionCBORRaw}
}

// clientTopic is a topic that a client is subscribed to.
type clientTopic struct {
	name     string // as written
	resolved string
	id       ID
	subs     []*Subscription
	last     *Delivery
}

// frame is the subscription of all together.
func (t *clientTopic) frame() Frame {
	f := Frame{Op: OpSubscribe, ID: t.id, Topic: t.name}
	plainest := len(plainness()) - 1
	for i, s := range t.subs {
		o := &s.options
		if i == 0 || o.Throttle < f.Throttle {
			f.Throttle = o.Throttle
		}
		if f.Type == "" {
			f.Type = o.Type
		}
		if f.QoS == nil {
			f.QoS = o.QoS
		}
		if o.FragmentSize > 0 && (f.FragmentSize == 0 || o.FragmentSize < f.FragmentSize) {
			f.FragmentSize = o.FragmentSize
		}
		f.QueueLength = max(f.QueueLength, o.QueueLength)
		plainest = min(plainest, slices.Index(plainness(), o.Compression))
	}
	f.Compression = plainness()[plainest]
	return f
}

// Subscription is one handler's subscription. It ends with its client, or with Close.
type Subscription struct {
	client  *Client
	topic   *clientTopic
	options SubscribeOptions
	pump    *clientPump
	handle  func(Delivery)
	closed  atomic.Bool
	faulty  atomic.Uint64
}

// Subscribe runs handle for every message of a topic, one at a time, in order, in a goroutine of its own. The topic need not exist.
func (c *Client) Subscribe(topic string, options SubscribeOptions, handle func(Delivery)) (*Subscription, error) {
	if err := checkName("topic", topic); err != nil {
		return nil, err
	}
	if options.Compression == "" {
		options.Compression = CompressionNone
	}
	if !slices.Contains(plainness(), options.Compression) {
		return nil, fmt.Errorf("subscribe %s: compression %q: write one of %v", topic, options.Compression, plainness())
	}
	if options.Throttle < 0 || options.QueueLength < 0 || options.FragmentSize < 0 || options.Buffer < 0 {
		return nil, fmt.Errorf("subscribe %s: an option is negative", topic)
	}
	if options.QoS != nil && !json.Valid(options.QoS) {
		return nil, fmt.Errorf("subscribe %s: qos is not JSON", topic)
	}
	orCount(&options.Buffer, 16)
	s := &Subscription{client: c, options: options, pump: newClientPump(options.Buffer), handle: handle}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClientClosed
	}
	t := c.topics[topic]
	if t == nil {
		t = &clientTopic{name: topic, resolved: resolve(topic), id: StringID(c.id(OpSubscribe, topic))}
	}
	before := t.frame()
	first := len(t.subs) == 0
	s.topic = t
	t.subs = append(t.subs, s)
	if now := t.frame(); first || !sameSubscription(&before, &now) {
		if err := c.sendLocked(now); err != nil {
			t.subs = t.subs[:len(t.subs)-1]
			return nil, err
		}
	}
	c.topics[topic] = t
	if options.Last && t.last != nil {
		s.push(*t.last)
	}
	c.running.Go(s.pump.run)
	return s, nil
}

func sameSubscription(a, b *Frame) bool {
	return a.Throttle == b.Throttle && a.QueueLength == b.QueueLength && a.FragmentSize == b.FragmentSize &&
		a.Compression == b.Compression && a.Type == b.Type
}

// Close ends the subscription: the handler is not called any more, but may still be running. A handler may call it. It may be called again.
func (s *Subscription) Close() {
	if s.closed.Swap(true) {
		return
	}
	s.pump.end()
	c, t := s.client, s.topic
	c.mu.Lock()
	defer c.mu.Unlock()
	before := t.frame()
	t.subs = slices.DeleteFunc(t.subs, func(o *Subscription) bool { return o == s })
	if len(t.subs) == 0 {
		delete(c.topics, t.name)
		c.must(Frame{Op: OpUnsubscribe, ID: t.id, Topic: t.name})
	} else if now := t.frame(); !sameSubscription(&before, &now) {
		c.must(now)
	}
}

// must sends what ends or changes something. When too much waits already the link is given up: the next one begins in the right state.
func (c *Client) must(f Frame) {
	if err := c.sendLocked(f); err != nil {
		c.log.Warn("link to the rosbridge server is too slow", "url", c.url, "err", err)
		_ = c.link.conn.CloseNow() // the reader notices
	}
}

// Dropped returns how many messages were lost because the handler was too slow.
func (s *Subscription) Dropped() uint64 { return s.pump.lost() }

// Faulty returns how many messages were not of the type that [SubscribeAs] was told.
func (s *Subscription) Faulty() uint64 { return s.faulty.Load() }

func (s *Subscription) push(m Delivery) {
	s.pump.push(func() {
		if !s.closed.Load() {
			s.handle(m)
		}
	})
}

// onPublish gives a message to the handlers of its topic. A server may write the topic in another way than the subscriber.
func (c *Client) onPublish(f *Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.topics[f.Topic]
	if t == nil {
		name := resolve(f.Topic)
		for _, o := range c.topics {
			if o.resolved == name && (t == nil || o.name < t.name) {
				t = o
			}
		}
	}
	if t == nil {
		return // it crossed the unsubscribe
	}
	m := Delivery{Topic: t.name, Body: f.Body, Raw: f.Raw, Stamp: f.Stamp}
	t.last = &m
	for _, s := range t.subs {
		s.push(m)
	}
}

// AdvertiseOptions says how a topic is published.
type AdvertiseOptions struct {
	Latch bool // late subscribers get the last message; the client sends it again when the link was lost
	// QueueSize is how many messages may wait to be sent, and at the server for subscribers; the oldest goes first. 0 means 100. Commands
	// want 1: the newest counts.
	QueueSize int
	QoS       []byte // raw JSON object, for newer servers
	// Definition is the full text of the type, for a Broker that does not know it; other servers pass over it.
	Definition string
}

// Publisher publishes on one topic.
type Publisher struct {
	client   *Client
	topic    string
	typeName string
	id       ID
	options  AdvertiseOptions
	queue    int
	dropped  atomic.Uint64

	latched []byte // guarded by client.mu
	closed  bool   // guarded by client.mu
}

func (p *Publisher) frame() Frame {
	o := &p.options
	return Frame{
		Op: OpAdvertise, ID: p.id, Topic: p.topic, Type: p.typeName,
		Latch: o.Latch, QueueSize: o.QueueSize, QoS: o.QoS, Definition: o.Definition,
	}
}

// Advertise offers a topic, for the life of the client or until the publisher is closed.
func (c *Client) Advertise(topic, typeName string, options AdvertiseOptions) (*Publisher, error) {
	if err := errors.Join(checkName("topic", topic), checkName("type", typeName)); err != nil {
		return nil, fmt.Errorf("advertise: %w", err)
	}
	if options.QueueSize < 0 {
		return nil, fmt.Errorf("advertise %s: queue size %d is negative", topic, options.QueueSize)
	}
	if options.QoS != nil && !json.Valid(options.QoS) {
		return nil, fmt.Errorf("advertise %s: qos is not JSON", topic)
	}
	orCount(&options.QueueSize, 100)
	p := &Publisher{
		client: c, topic: topic, typeName: typeName, id: StringID(c.id(OpAdvertise, topic)), options: options, queue: options.QueueSize,
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClientClosed
	}
	if err := c.sendLocked(p.frame()); err != nil {
		return nil, err
	}
	c.publishers = append(c.publishers, p)
	return p, nil
}

// Publish sends a message, given as JSON. It fails with ErrNotConnected while there is no link; a latched message is sent when it comes,
// and is no failure. That a message was queued does not mean that it arrives: see [Publisher.Dropped].
func (p *Publisher) Publish(body []byte) error {
	if !json.Valid(body) {
		return fmt.Errorf("publish on %s: the message is not JSON", p.topic)
	}
	return p.publish(body)
}

// publish sends text that is known to be JSON.
func (p *Publisher) publish(body []byte) error {
	c := p.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.closed || c.closed {
		return fmt.Errorf("publish on %s: %w", p.topic, ErrClientClosed)
	}
	if p.options.Latch {
		p.latched = slices.Clone(body)
	}
	if c.link == nil {
		if p.options.Latch {
			return nil
		}
		return fmt.Errorf("publish on %s: %w", p.topic, ErrNotConnected)
	}
	f := Frame{Op: OpPublish, Topic: p.topic, Body: body}
	p.dropped.Add(uint64(c.link.out.publish(p, f.AppendJSON(make([]byte, 0, len(body)+len(p.topic)+64)))))
	return nil
}

// Dropped returns how many messages were lost because the link was too slow.
func (p *Publisher) Dropped() uint64 { return p.dropped.Load() }

// Close withdraws the advertisement. It may be called again.
func (p *Publisher) Close() {
	c := p.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	c.publishers = slices.DeleteFunc(c.publishers, func(o *Publisher) bool { return o == p })
	c.must(Frame{Op: OpUnadvertise, ID: p.id, Topic: p.topic})
}
