package rosbridge

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is who gets the messages of a topic: a subscription of a client or of an attachment. Neither call waits.
type receiver interface {
	enqueue(m *message, by *flusher) // never calls back; by, if not nil, may write later
	deliver()                        // of what was queued; may call the attachment's handler
	belongsTo(a *Attachment) bool
}

// topic is one name on which messages pass. Publishing reads what it needs without a lock; a latched topic serializes its publishers
// and new subscribers, so that a late subscriber gets the last message exactly once.
type topic struct {
	name string

	receivers atomic.Pointer[[]receiver]
	typ       atomic.Pointer[topicType]
	published atomic.Uint64
	lastSize  atomic.Int64 // of the last message whose size is known
	exclusive atomic.Bool  // the process itself publishes the topic and keeps clients from doing so

	mu    sync.Mutex // after broker.mu, before outbox.mu
	last  *message   // latched; guarded by mu
	latch *latchStore

	// The fields below are guarded by broker.mu.

	publishers  []*publisher
	subscribers []*subscription
	locals      []*LocalSubscription
	localPubs   []*LocalPublisher
	unused      time.Time // since when nobody uses the topic; zero while somebody does
	announced   bool      // to the observer
	unpublished time.Time // since when no client publishes the topic; zero while one does
}

// topicType is the type that a topic has until nobody uses it any more.
type topicType struct {
	name  string // canonical, "" while nobody said it
	codec *codec // nil when the type is not known here
}

// publisher is a client or attachment that advertised a topic.
type publisher struct {
	owner participant
	topic *topic
	typ   *topicType
	latch bool
	ids   []ID // of a client's advertisements; empty when it published without one
	local bool
	// exclusive: clients may not publish here.
	exclusive bool
	count     atomic.Uint64
}

// participant is whom introspection names.
type participant interface{ nodeName() string }

// typeError says that a topic has another type already.
type typeError struct{ topic, want, have string }

func (e *typeError) Error() string {
	return fmt.Sprintf("topic %s has type %s already, not %s", e.topic, e.have, e.want)
}

// publish gives m to everybody who receives the topic, but for the attachment that it comes from. It never waits for a client.
func (t *topic) publish(m *message, latch bool, from *Attachment, by *flusher) {
	t.published.Add(1)
	if latch {
		t.mu.Lock()
		t.keepLocked(m, from != nil)
	}
	receivers := *t.receivers.Load()
	if latch {
		t.mu.Unlock() // who attaches from now on gets m as the latched message
	}
	for _, r := range receivers {
		if from != nil && r.belongsTo(from) {
			continue
		}
		r.enqueue(m, by)
		r.deliver()
	}
}

// latchStore bounds the latched messages of all clients of a broker together.
type latchStore struct {
	most  int64 // bytes
	bytes atomic.Int64
}

// keepLocked latches m, nil for nothing, in place of the message before it. When there is no room for a client's message, none is
// latched: an old one would be wrong.
func (t *topic) keepLocked(m *message, ours bool) {
	if t.last != nil {
		t.latch.bytes.Add(-int64(t.last.size))
		t.last = nil
	}
	if m == nil {
		return
	}
	if t.latch.bytes.Add(int64(m.size)) > t.latch.most && !ours {
		t.latch.bytes.Add(-int64(m.size))
		return
	}
	t.last = m
}

// replay gives the latched message to r, if there is one.
func (t *topic) replay(r receiver) {
	t.mu.Lock()
	if t.last != nil {
		r.enqueue(t.last, nil)
	}
	t.mu.Unlock()
	r.deliver()
}

// attach lets r receive, from the latched message on.
func (t *topic) attach(r receiver) {
	t.mu.Lock()
	list := append(slices.Clone(*t.receivers.Load()), r)
	t.receivers.Store(&list)
	if t.last != nil {
		r.enqueue(t.last, nil)
	}
	t.mu.Unlock()
	r.deliver()
}

func (t *topic) detach(r receiver) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(*t.receivers.Load()), func(o receiver) bool { return o == r })
	t.receivers.Store(&list)
}

// topicLocked finds or makes the topic of a resolved name.
func (b *Broker) topicLocked(name string) *topic {
	t := b.topics[name]
	if t == nil {
		t = &topic{name: name, latch: &b.latched}
		t.receivers.Store(new([]receiver{}))
		t.typ.Store(&topicType{})
		b.topics[name] = t
	}
	t.unused = time.Time{}
	return t
}

// setTypeLocked fixes the type of a topic, or reports that it has another one. Nobody uses the topic: its old type is forgotten.
func (b *Broker) setTypeLocked(t *topic, typeName string) (*topicType, error) {
	name := canonical(typeName)
	have := t.typ.Load()
	switch {
	case name == "" || name == have.name:
		return have, nil
	case have.name != "" && t.inUse():
		return nil, &typeError{topic: t.name, want: name, have: have.name}
	}
	return b.forceTypeLocked(t, name), nil
}

// forget drops the latched message.
func (t *topic) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keepLocked(nil, false)
}

func (b *Broker) forceTypeLocked(t *topic, name string) *topicType {
	typ := &topicType{name: name, codec: b.types.codec(name)}
	t.typ.Store(typ)
	t.forget() // it is of the old type
	return typ
}

// advertiseLocked adds a publisher.
func (b *Broker) advertiseLocked(p *publisher) {
	t := p.topic
	t.publishers = append(t.publishers, p)
	if p.local {
		t.exclusive.Store(t.exclusive.Load() || p.exclusive)
		return
	}
	t.unpublished = time.Time{}
	if name, typ := t.name, t.typ.Load().name; !t.announced && typ != "" {
		t.announced = true
		b.tellLocked(func(o Observer) { o.TopicAdvertised(name, typ) })
	}
}

func (b *Broker) unadvertiseLocked(p *publisher) {
	t := p.topic
	t.publishers = slices.DeleteFunc(t.publishers, func(o *publisher) bool { return o == p })
	t.exclusive.Store(slices.ContainsFunc(t.publishers, func(o *publisher) bool { return o.exclusive }))
	if !slices.ContainsFunc(t.publishers, func(o *publisher) bool { return !o.local }) {
		t.unpublished = time.Now()
	}
	b.releaseLocked(t)
}

// maxTopics is how many topics there may be before unused ones go at once: names cost a client nothing.
const maxTopics = 1 << 14

// releaseLocked starts the time that a topic without users keeps its type and latched message.
func (b *Broker) releaseLocked(t *topic) {
	if !t.inUse() && t.unused.IsZero() {
		t.unused = time.Now()
	}
	if b.cfg.Unregister == 0 {
		b.sweepTopicLocked(t, time.Now())
	} else if len(b.topics) > maxTopics && !t.unused.IsZero() && !t.announced {
		b.deleteTopicLocked(t)
	}
}

// inUse reports whether anybody publishes or subscribes.
func (t *topic) inUse() bool { return len(t.publishers)+len(t.subscribers)+len(t.locals) > 0 }

// sweepLocked forgets the topics that nobody has used for long enough, and tells the observer of those that clients no longer publish.
// The grace lets a client that reconnects find everything as it was.
func (b *Broker) sweepLocked(now time.Time) {
	for _, t := range b.topics {
		b.sweepTopicLocked(t, now)
	}
}

func (b *Broker) deleteTopicLocked(t *topic) {
	delete(b.topics, t.name)
	t.forget()
}

func (b *Broker) sweepTopicLocked(t *topic, now time.Time) {
	if t.announced && !t.unpublished.IsZero() && now.Sub(t.unpublished) >= b.cfg.Unregister {
		t.announced = false
		b.tellLocked(func(o Observer) { o.TopicReleased(t.name) })
	}
	if !t.unused.IsZero() && now.Sub(t.unused) >= b.cfg.Unregister {
		b.deleteTopicLocked(t)
	}
}
