package rosbridge

import (
	"fmt"
	"slices"
	"time"
)

// refusal is a request that the broker does not carry out. It is no fault of the frame.
func refusal(f *Frame, format string, args ...any) error {
	return fmt.Errorf("%s: %s", f.Op, fmt.Sprintf(format, args...))
}

func (p *peer) advertise(f Frame) error {
	name := resolve(f.Topic)
	if name == "" {
		return &FrameError{Op: f.Op, ID: f.ID, What: "bad topic name"}
	}
	if !allowed(p.b.cfg.Access.Publish, name) {
		return refusal(&f, "clients may not publish %s", name)
	}
	if f.Definition != "" {
		if err := p.b.types.learn(f.Type, f.Definition); err != nil {
			return refusal(&f, "%v", err)
		}
	}
	pub := p.publishers[f.Topic]
	if pub == nil {
		return p.addPublisher(f, name)
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	typ, err := p.b.setTypeOfLocked(pub, f.Type)
	if err != nil {
		return refusal(&f, "%v", err)
	}
	pub.typ = typ
	pub.latch = pub.latch || f.Latch
	if f.ID != "" && !slices.Contains(pub.ids, f.ID) {
		pub.ids = append(pub.ids, f.ID)
	}
	return nil
}

// setTypeOfLocked fixes the type of a topic that a publisher used without knowing its type.
func (b *Broker) setTypeOfLocked(pub *publisher, typeName string) (*topicType, error) {
	t := pub.topic
	if t.typ.Load().name == "" {
		return b.forceTypeLocked(t, canonical(typeName)), nil
	}
	return b.setTypeLocked(t, typeName)
}

// addPublisher makes the client a publisher of a topic; also without an advertisement, when it just publishes.
func (p *peer) addPublisher(f Frame, name string) error {
	if err := p.full(); err != nil {
		return refusal(&f, "%v", err)
	}
	b := p.b
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topicLocked(name)
	defer b.releaseLocked(t)
	if t.exclusive.Load() {
		return refusal(&f, "%s is published by the robot alone", name)
	}
	typ, err := b.setTypeLocked(t, f.Type)
	if err != nil {
		return refusal(&f, "%v", err)
	}
	pub := &publisher{owner: p, topic: t, typ: typ, latch: f.Latch}
	if f.ID != "" && f.Op == OpAdvertise {
		pub.ids = []ID{f.ID}
	}
	b.advertiseLocked(pub)
	p.publishers[f.Topic] = pub
	return nil
}

func (p *peer) unadvertise(f Frame) error {
	pub := p.publishers[f.Topic]
	if pub == nil || f.ID != "" && !slices.Contains(pub.ids, f.ID) {
		return refusal(&f, "%s was not advertised so", f.Topic)
	}
	pub.ids = slices.DeleteFunc(pub.ids, func(id ID) bool { return id == f.ID })
	if f.ID != "" && len(pub.ids) > 0 {
		return nil
	}
	delete(p.publishers, f.Topic)
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	p.b.unadvertiseLocked(pub)
	return nil
}

func (p *peer) publish(f Frame) error {
	pub := p.publishers[f.Topic]
	if pub == nil {
		name := resolve(f.Topic)
		if name == "" {
			return &FrameError{Op: f.Op, ID: f.ID, What: "bad topic name"}
		}
		if !allowed(p.b.cfg.Access.Publish, name) {
			return refusal(&f, "clients may not publish %s", name)
		}
		if err := p.addPublisher(f, name); err != nil {
			p.unheard(f.Op, name)
			return err
		}
		pub = p.publishers[f.Topic]
	}
	err := p.publishAs(pub, f)
	if err != nil {
		p.unheard(f.Op, pub.topic.name)
	}
	return err
}

// unheard tells the process what was not passed on.
func (p *peer) unheard(op, name string) {
	if tell := p.b.cfg.Unheard; tell != nil {
		tell(op, name, p.nodeName())
	}
}

func (p *peer) publishAs(pub *publisher, f Frame) error {
	t := pub.topic
	if t.exclusive.Load() { // since this client advertised it
		return refusal(&f, "%s is published by the robot alone", t.name)
	}
	typ := t.typ.Load()
	if pub.typ != typ && pub.typ.name != "" {
		return refusal(&f, "%s has type %s now, not %s", t.name, typ.name, pub.typ.name)
	}
	now := time.Now()
	if typ.codec == nil {
		pub.count.Add(1)
		t.publish(newMessage(nil, f.Body, nil, now).by(p), pub.latch || f.Latch, nil, &p.flusher)
		return nil
	}
	text, parsed, err := typ.codec.convert(f.Body, now)
	if err != nil {
		return refusal(&f, "%v", err)
	}
	pub.count.Add(1)
	t.publish(newMessage(typ.codec, text, parsed, now).by(p), pub.latch || f.Latch, nil, &p.flusher)
	return nil
}

func (p *peer) subscribe(f Frame) error {
	name := resolve(f.Topic)
	if name == "" {
		return &FrameError{Op: f.Op, ID: f.ID, What: "bad topic name"}
	}
	if !allowed(p.b.cfg.Access.Subscribe, name) {
		return refusal(&f, "clients may not subscribe to %s", name)
	}
	enc, ok := p.encodingOf(f.Compression)
	if !ok {
		return refusal(&f, "compression is none, png, cbor or cbor-raw, not %.40q", f.Compression)
	}
	want := request{f.ID, f.Throttle, f.QueueLength, fragmentSize(&f)}
	key := subscriptionKey{f.Topic, enc}
	if s := p.subscriptions[key]; s != nil {
		if len(s.requests) >= p.b.cfg.MaxNames {
			return refusal(&f, "too many subscriptions of %s", name)
		}
		if s.add(want) {
			s.topic.replay(s) // the client cannot tell its ids apart, and the new one has not seen the message
		}
		return nil
	}
	if err := p.full(); err != nil {
		return refusal(&f, "%v", err)
	}
	return p.addSubscription(f, key, name, want)
}

func (p *peer) addSubscription(f Frame, key subscriptionKey, name string, want request) error {
	b := p.b
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.topicLocked(name)
	defer b.releaseLocked(t)
	if _, err := b.setTypeLocked(t, f.Type); err != nil {
		return refusal(&f, "%v", err)
	}
	s := newSubscription(p, t, f.Topic, key.enc)
	s.add(want)
	t.subscribers = append(t.subscribers, s)
	p.subscriptions[key] = s
	b.demandLocked(t)
	t.attach(s)
	return nil
}

// encodingOf returns the encoding that a compression asks for.
func (p *peer) encodingOf(compression string) (e encoding, ok bool) {
	switch compression {
	case "", CompressionNone:
		return encJSON, true
	case CompressionPNG:
		return encPNG, true
	case CompressionCBOR:
		return encCBOR, true
	case CompressionCBORRaw:
		if p.dialect == ROS1 {
			return encRawROS1, true
		}
		return encRawCDR, true
	}
	return 0, false
}

// unsubscribe takes one id back, or all of the client's on the topic.
func (p *peer) unsubscribe(f Frame) error {
	found := false
	for key, s := range p.subscriptions {
		if key.name != f.Topic {
			continue
		}
		left := 0
		if f.ID != "" {
			var had bool
			if left, had = s.remove(f.ID); !had {
				continue
			}
		}
		found = true
		if left == 0 {
			delete(p.subscriptions, key)
			p.b.mu.Lock()
			p.b.unsubscribeLocked(s)
			p.b.mu.Unlock()
		}
	}
	if !found {
		return refusal(&f, "%s was not subscribed with this id", f.Topic)
	}
	return nil
}

func (b *Broker) unsubscribeLocked(s *subscription) {
	t := s.topic
	t.subscribers = slices.DeleteFunc(t.subscribers, func(o *subscription) bool { return o == s })
	t.detach(s)
	s.end()
	b.demandLocked(t)
	b.releaseLocked(t)
}
