package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/internal/idl"
	"sarathi/msg"
)

// Attachment is a participant that runs in the broker's own process, such as a gateway of the robot's bus. Its methods may be called
// from any goroutine, also from its handlers.
type Attachment struct {
	b    *Broker
	name string

	// guarded by b.mu
	closed     bool
	publishers []*LocalPublisher
	subs       []*LocalSubscription
	services   []*service
}

// ErrClosed is returned by an attachment that was closed.
var ErrClosed = errors.New("the attachment is closed")

// Attach adds a participant, whose name is that of its node in introspection.
func (b *Broker) Attach(name string) *Attachment {
	a := &Attachment{b: b, name: resolve(name)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.locals[a] = struct{}{}
	return a
}

func (a *Attachment) nodeName() string { return a.name }

// Close takes everything back that the attachment offered or asked for. It may be called again.
func (a *Attachment) Close() {
	a.b.mu.Lock()
	a.closed = true
	pubs, subs, services := a.publishers, a.subs, a.services
	a.publishers, a.subs, a.services = nil, nil, nil
	delete(a.b.locals, a)
	for _, s := range services {
		a.b.removeServiceLocked(s)
	}
	a.b.mu.Unlock()
	for _, p := range pubs {
		p.Close()
	}
	for _, s := range subs {
		s.Close()
	}
	for _, s := range services {
		a.b.failCallsTo(s)
	}
}

// TopicOptions say how an attachment publishes a topic.
type TopicOptions struct {
	Latch bool
	// Exclusive keeps clients from publishing the topic too.
	Exclusive bool
	// Demand, if not nil, is told how many client subscriptions there are when their number becomes zero or leaves it. It is called
	// from a goroutine of the broker, in order, and must not wait.
	Demand func(subscriptions int)
}

// LocalPublisher publishes a topic for an attachment.
type LocalPublisher struct {
	owner  *Attachment
	pub    *publisher
	opts   TopicOptions
	wanted bool // as told to Demand; guarded by broker.mu
	closed atomic.Bool
}

// Advertise publishes a topic. The type's name is in either spelling. The process knows best: a topic that clients gave another type
// has this one from now on, and what they publish is refused.
func (a *Attachment) Advertise(topicName, typeName string, opts TopicOptions) (*LocalPublisher, error) {
	name := resolve(topicName)
	if name == "" || typeName == "" {
		return nil, fmt.Errorf("advertise %q with type %q: bad name", topicName, typeName)
	}
	b := a.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	t := b.topicLocked(name)
	typ := t.typ.Load()
	if want := canonical(typeName); typ.name != want {
		if slices.ContainsFunc(t.publishers, func(p *publisher) bool { return p.local }) {
			return nil, &typeError{topic: name, want: want, have: typ.name}
		}
		typ = b.forceTypeLocked(t, want)
	}
	p := &LocalPublisher{owner: a, opts: opts}
	p.pub = &publisher{owner: a, topic: t, typ: typ, latch: opts.Latch, local: true, exclusive: opts.Exclusive}
	b.advertiseLocked(p.pub)
	a.publishers = append(a.publishers, p)
	t.localPubs = append(t.localPubs, p)
	b.demandLocked(t)
	return p, nil
}

// Publish gives a message to every subscriber but those of the same attachment. It never waits.
func (p *LocalPublisher) Publish(v Value) {
	if p.closed.Load() {
		return
	}
	t := p.pub.topic
	m := &message{codec: p.pub.typ.codec, value: v, at: time.Now(), topic: t, size: int(t.lastSize.Load()) + messageOverhead}
	p.pub.count.Add(1)
	t.publish(m, p.opts.Latch, p.owner, nil)
}

// PublishMessage is Publish for a generated message, which must not be changed any more.
func (p *LocalPublisher) PublishMessage(m idl.Message) { p.Publish(&messageValue{m: m}) }

// Close ends the advertisement. It may be called again.
func (p *LocalPublisher) Close() {
	if p.closed.Swap(true) {
		return
	}
	b := p.owner.b
	b.mu.Lock()
	defer b.mu.Unlock()
	p.owner.publishers = slices.DeleteFunc(p.owner.publishers, func(o *LocalPublisher) bool { return o == p })
	t := p.pub.topic
	t.localPubs = slices.DeleteFunc(t.localPubs, func(o *LocalPublisher) bool { return o == p })
	b.unadvertiseLocked(p.pub)
}

// demandLocked tells the attachments that publish t when the first client subscribes and when the last one leaves.
func (b *Broker) demandLocked(t *topic) {
	n := len(t.subscribers)
	for _, p := range t.localPubs {
		if p.opts.Demand != nil && p.wanted != (n > 0) {
			p.wanted = n > 0
			b.demands = append(b.demands, func() { p.opts.Demand(n) })
			b.wakeLocked()
		}
	}
}

// messageValue is the Value of a generated message. The broker makes each encoding once.
type messageValue struct {
	m    idl.Message
	once sync.Once
	text []byte
}

func (v *messageValue) JSON() []byte {
	v.once.Do(func() { v.text = v.m.AppendJSON(nil) })
	return v.text
}
func (v *messageValue) Message() idl.Message { return v.m }

func (v *messageValue) CDR() []byte  { return v.m.AppendCDR(nil) }
func (v *messageValue) ROS1() []byte { return v.m.AppendROS1([]byte{}) }

// Received is a message that reached a local subscription.
type Received struct {
	Topic string // resolved
	Type  string // ROS 1 spelling, "" while nobody said it
	// Client tells those who publish apart: each connection has a number of its own, and 0 is an attachment.
	Client uint64
	m      *message
}

// JSON returns the message as JSON: checked and complete for a known type, as the client sent it for another. It must not be changed.
func (r Received) JSON() []byte { return r.m.json() }

// Message returns the message of a known type, and nil for another. The caller shares it with others and must not change it.
func (r Received) Message() idl.Message {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	if r.m.made == nil {
		r.m.made = &encodings{}
	}
	return r.m.parsedLocked()
}

// LocalSubscription receives a topic for an attachment.
type LocalSubscription struct {
	owner  *Attachment
	topic  *topic
	handle func(Received)

	mu      sync.Mutex
	queue   deque
	running bool // somebody calls handle
	ended   bool
	dropped uint64
}

// maxLocal is how many messages may wait for a handler that is busy.
const maxLocal = 256

// Subscribe calls handle for every message of a topic that somebody else publishes, one at a time, from the goroutines of those who
// publish: it must not wait. A message that is latched comes first. typeName may be empty.
func (a *Attachment) Subscribe(topicName, typeName string, handle func(Received)) (*LocalSubscription, error) {
	name := resolve(topicName)
	if name == "" {
		return nil, fmt.Errorf("subscribe to %q: bad name", topicName)
	}
	b := a.b
	s := &LocalSubscription{owner: a, handle: handle}
	b.mu.Lock()
	if a.closed {
		b.mu.Unlock()
		return nil, ErrClosed
	}
	t := b.topicLocked(name)
	if _, err := b.setTypeLocked(t, typeName); err != nil {
		b.releaseLocked(t)
		b.mu.Unlock()
		return nil, err
	}
	s.topic = t
	t.locals = append(t.locals, s)
	a.subs = append(a.subs, s)
	b.mu.Unlock()
	t.attach(s)
	return s, nil
}

// Dropped returns how many messages were lost because the handler was busy.
func (s *LocalSubscription) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// Close ends the subscription: no call of its handler begins after it. It may be called again.
func (s *LocalSubscription) Close() {
	s.mu.Lock()
	s.ended, s.queue = true, deque{}
	s.mu.Unlock()
	s.topic.detach(s)
	b := s.owner.b
	b.mu.Lock()
	defer b.mu.Unlock()
	s.owner.subs = slices.DeleteFunc(s.owner.subs, func(o *LocalSubscription) bool { return o == s })
	s.topic.locals = slices.DeleteFunc(s.topic.locals, func(o *LocalSubscription) bool { return o == s })
	b.releaseLocked(s.topic)
}

func (s *LocalSubscription) belongsTo(a *Attachment) bool { return s.owner == a }

func (s *LocalSubscription) enqueue(m *message, _ *flusher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.queue.n == maxLocal {
		s.queue.pop()
		s.dropped++
	}
	s.queue.push(m)
}

// deliver calls the handler until the queue is empty, unless another goroutine does so already.
func (s *LocalSubscription) deliver() {
	for first := true; ; first = false {
		m := s.next(first)
		if m == nil {
			return
		}
		s.handle(Received{Topic: s.topic.name, Type: s.topic.typ.Load().name, Client: m.client, m: m})
	}
}

// next takes the oldest message for the goroutine that calls the handler, nil when there is none or another goroutine does so.
func (s *LocalSubscription) next(first bool) *message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first && s.running {
		return nil
	}
	s.running = s.queue.n > 0
	if !s.running {
		return nil
	}
	return s.queue.pop()
}

// Request is a call of a service that an attachment serves.
type Request struct {
	Service string // resolved
	Args    []byte // JSON object: checked and complete for a known type
	Node    string // of the caller
}

// localService is a service of an attachment.
type localService struct {
	owner *Attachment
	serve func(r Request, reply func(values []byte, err error))
}

func (l *localService) begin(b *Broker, k *call, args []byte) {
	node := ""
	if k.caller != nil {
		node = k.caller.nodeName()
	}
	l.serve(Request{Service: k.service.name, Args: args, Node: node}, func(values []byte, err error) {
		if b.calls.take(k.id, nil) == nil {
			return // answered, or too late
		}
		if err != nil {
			k.answer(nil, err.Error())
			return
		}
		b.finishCall(k, values)
	})
}

// Serve answers a service. serve is called from the goroutines of callers and must not wait: it calls reply, once, then or
// later, from any goroutine. A call that is not answered in time fails, and a later reply is dropped.
func (a *Attachment) Serve(serviceName, typeName string, serve func(r Request, reply func(values []byte, err error))) error {
	name := resolve(serviceName)
	if name == "" || typeName == "" {
		return fmt.Errorf("serve %q with type %q: bad name", serviceName, typeName)
	}
	s := &service{name: name, as: name, typ: canonical(typeName), local: &localService{owner: a, serve: serve}}
	if err := a.b.addService(s); err != nil {
		return err
	}
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	if a.closed {
		a.b.removeServiceLocked(s)
		return ErrClosed
	}
	a.services = append(a.services, s)
	return nil
}

// CallError reports a call that got no response.
type CallError struct {
	Service string
	What    string // in the words of the server, or of the broker
}

func (e *CallError) Error() string { return fmt.Sprintf("service %s: %s", e.Service, e.What) }

// CallAsync calls a service that a client or another attachment serves. args is a JSON object; empty stands for one without members.
// done runs exactly once, from any goroutine, and must not wait: with the response, or with a [CallError] at the latest after timeout.
func (a *Attachment) CallAsync(serviceName string, args []byte, timeout time.Duration, done func(values []byte, err error)) {
	name := resolve(serviceName)
	answer := func(values []byte, fault string) {
		if fault != "" {
			done(nil, &CallError{Service: name, What: fault})
			return
		}
		done(values, nil)
	}
	s := scanner{src: args}
	if len(args) > 0 && (s.value() == nil || s.peek() != 0 || s.pos < len(args) || s.nonFinite != nil) {
		answer(nil, "the arguments are not JSON")
		return
	}
	a.b.mu.Lock()
	svc := a.b.services[name]
	a.b.mu.Unlock()
	if svc == nil {
		answer(nil, "does not exist")
		return
	}
	a.b.startCall(svc, nil, args, timeout, answer)
}

// Call is CallAsync that waits for the answer until ctx ends. Never call it from a handler.
func (a *Attachment) Call(ctx context.Context, serviceName string, args []byte) ([]byte, error) {
	type answer struct {
		values []byte
		err    error
	}
	answers := make(chan answer, 1)
	var timeout time.Duration
	if end, ok := ctx.Deadline(); ok {
		timeout = max(time.Until(end), time.Millisecond)
	}
	a.CallAsync(serviceName, args, timeout, func(values []byte, err error) { answers <- answer{values, err} })
	select {
	case got := <-answers:
		return got.values, got.err
	case <-ctx.Done():
		return nil, &CallError{Service: resolve(serviceName), What: ctx.Err().Error()}
	}
}

// KnownType returns the type called name, in either spelling, when this program knows it: its messages are checked and can be had
// in every encoding.
func KnownType(name string) (*idl.Type, bool) { return msg.Lookup(name) }
