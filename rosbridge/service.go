package rosbridge

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sarathi/internal/idl"
	"sarathi/msg"
)

// service is one service that somebody serves: a client, or the process through an attachment.
type service struct {
	name string // resolved
	as   string // as the provider wrote it
	typ  string // canonical
	info *idl.ServiceType
	// One of these is the provider.
	peer  *peer
	local *localService
}

func (s *service) nodeName() string {
	if s.peer != nil {
		return s.peer.nodeName()
	}
	return s.local.owner.name
}

// call is a service call that waits for its answer.
type call struct {
	id      ID // by which the provider knows it
	service *service
	timer   *time.Timer // of the time-out, or nil
	// answer runs exactly once, without a lock held.
	answer func(values []byte, fault string)
	caller *peer // nil for an attachment
}

// calls are all open calls of a broker. Whoever takes a call out answers it: so each is answered once.
type calls struct {
	mu       sync.Mutex
	open     map[ID]*call
	byCaller map[*peer]int
	byServer map[*peer]int
}

func (c *calls) init() {
	c.open, c.byCaller, c.byServer = map[ID]*call{}, map[*peer]int{}, map[*peer]int{}
}

// add enters a call, unless its caller or its provider has too many open.
func (c *calls) add(k *call, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.caller != nil && c.byCaller[k.caller] >= most || k.service.peer != nil && c.byServer[k.service.peer] >= most {
		return false
	}
	c.open[k.id] = k
	count(c.byCaller, k.caller, 1)
	count(c.byServer, k.service.peer, 1)
	return true
}

// take removes the call with an id, or returns nil when it is not open or not the provider's.
func (c *calls) take(id ID, server *peer) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.open[id]
	if k == nil || k.service.peer != server {
		return nil
	}
	c.removeLocked(k)
	return k
}

func (c *calls) removeLocked(k *call) {
	delete(c.open, k.id)
	count(c.byCaller, k.caller, -1)
	count(c.byServer, k.service.peer, -1)
	if k.timer != nil {
		k.timer.Stop()
	}
}

// takeAll removes the calls that match, in the order of their ids.
func (c *calls) takeAll(match func(*call) bool) []*call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*call
	for _, k := range c.open {
		if match(k) {
			c.removeLocked(k)
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b *call) int { return strings.Compare(string(a.id), string(b.id)) })
	return out
}

// count adds to a peer's number and forgets zeros.
func count(m map[*peer]int, p *peer, n int) {
	if p == nil {
		return
	}
	if m[p] += n; m[p] == 0 {
		delete(m, p)
	}
}

// startCall sends a call to its provider. timeout zero or less is none. answer runs exactly once: with the values, or with the fault.
func (b *Broker) startCall(s *service, caller *peer, args []byte, timeout time.Duration, answer func(values []byte, fault string)) {
	unheard := func() {
		if caller != nil {
			caller.unheard(OpCallService, s.name)
		}
	}
	args, err := b.namedArgs(s, args)
	if err != nil {
		unheard()
		answer(nil, err.Error())
		return
	}
	k := &call{id: b.newID("service_request", s.name), service: s, answer: answer, caller: caller}
	if timeout > 0 {
		k.timer = time.AfterFunc(timeout, func() {
			if b.calls.take(k.id, s.peer) != nil {
				answer(nil, fmt.Sprintf("Service %s did not answer within %v", s.name, timeout))
			}
		})
	}
	if !b.calls.add(k, b.cfg.MaxCalls) {
		if k.timer != nil {
			k.timer.Stop()
		}
		unheard()
		answer(nil, fmt.Sprintf("too many calls of service %s are open", s.name))
		return
	}
	if s.local != nil {
		s.local.begin(b, k, args)
		return
	}
	s.peer.send(&Frame{Op: OpCallService, ID: k.id, Service: s.as, Body: args})
	if !b.serves(s) { // the provider left meanwhile, and may not have seen the call
		if b.calls.take(k.id, s.peer) != nil {
			answer(nil, goneText(s.name))
		}
	}
}

func goneText(name string) string { return fmt.Sprintf("Service %s is gone", name) }

func (b *Broker) serves(s *service) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.services[s.name] == s
}

// finishCall answers a call with what its provider said.
func (b *Broker) finishCall(k *call, values []byte) {
	if k.service.info != nil {
		text, _, err := b.types.codecOf(k.service.info.Response).convert(values, time.Now())
		if err != nil {
			k.answer(nil, fmt.Sprintf("Service %s answered with a bad response: %v", k.service.name, err))
			return
		}
		values = text
	}
	k.answer(values, "")
}

// namedArgs brings arguments into the form that providers get: an object, checked and completed for a known type. A list
// names no fields: it needs a known type.
func (b *Broker) namedArgs(s *service, args []byte) ([]byte, error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	if s.info == nil {
		return args, nil
	}
	c := b.types.codecOf(s.info.Request)
	if args[0] == '[' {
		named, err := nameArgs(c.shape, args)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", s.name, err)
		}
		args = named
	}
	text, _, err := c.convert(args, time.Now())
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", s.name, err)
	}
	return text, nil
}

// nameArgs gives the elements of a list the names of the fields, in order.
func nameArgs(sh *shape, list []byte) ([]byte, error) {
	s := scanner{src: list, pos: 1}
	out := []byte{'{'}
	n := 0
	for ; !s.take(']') && s.err == nil; n++ {
		if n > 0 {
			s.take(',')
			out = append(out, ',')
		}
		if n == len(sh.fields) {
			return nil, fmt.Errorf("more than the %d that the type has", n)
		}
		out = append(appendString(out, sh.fields[n].name), ':')
		out = append(out, s.value()...)
	}
	return append(out, '}'), nil
}

// addService makes s the provider of its name. A later provider replaces an earlier client; one of the process stays.
func (b *Broker) addService(s *service) error {
	s.info, _ = msg.LookupService(s.typ)
	b.mu.Lock()
	old := b.services[s.name]
	_, builtin := b.own[s.name]
	if builtin || old != nil && old.local != nil {
		b.mu.Unlock()
		return fmt.Errorf("service %s is served by the robot itself", s.name)
	}
	b.services[s.name] = s
	if s.peer != nil {
		name, typ := s.name, s.typ
		b.tellLocked(func(o Observer) { o.ServiceAdvertised(name, typ) })
	}
	b.mu.Unlock()
	if old != nil {
		b.failCallsTo(old)
	}
	return nil
}

// removeServiceLocked ends a service, unless somebody else serves the name by now.
func (b *Broker) removeServiceLocked(s *service) {
	if b.services[s.name] != s {
		return
	}
	delete(b.services, s.name)
	if s.peer != nil {
		name := s.name
		b.tellLocked(func(o Observer) { o.ServiceReleased(name) })
	}
}

// failCallsTo answers what waits for a provider that is gone.
func (b *Broker) failCallsTo(s *service) {
	for _, k := range b.calls.takeAll(func(k *call) bool { return k.service == s }) {
		k.answer(nil, goneText(s.name))
	}
}

// forgetCallsOf drops the calls whose caller is gone; their answers have no address.
func (b *Broker) forgetCallsOf(p *peer) {
	b.calls.takeAll(func(k *call) bool { return k.caller == p })
}
