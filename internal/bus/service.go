package bus

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"sarathi/internal/idl"
	"sarathi/internal/mailbox"
)

// maxPending bounds the requests that wait at one server; more are refused as busy.
const maxPending = 64

// Code says why a call was not answered by its server.
type Code int

// Why a call failed.
const (
	NoServer   Code = iota + 1 // nobody offers the service
	Timeout                    // no answer before the deadline
	Busy                       // too many requests wait already
	BadRequest                 // the request does not fit the service's type
	Failed                     // the server's handler returned an error
	Stopped                    // the server ended before it answered
)

// String returns the code in words.
func (c Code) String() string {
	switch c {
	case NoServer:
		return "no server"
	case Timeout:
		return "time-out"
	case Busy:
		return "busy"
	case BadRequest:
		return "bad request"
	case Failed:
		return "failed"
	case Stopped:
		return "stopped"
	default:
		return fmt.Sprintf("code %d", int(c))
	}
}

// CallError reports a call that got no response. A server that refuses says so in
// its response (ROS convention: success false and a message), not with a CallError.
type CallError struct {
	Service string
	Code    Code
	Err     error // detail, may be nil
}

func (e *CallError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("service %s: %s: %v", e.Service, e.Code, e.Err)
	}
	return fmt.Sprintf("service %s: %s", e.Service, e.Code)
}

func (e *CallError) Unwrap() error { return e.Err }

// CodeOf returns the code of a CallError in err's chain, or 0.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*CallError](err); ok {
		return e.Code
	}
	return 0
}

type service struct {
	bus  *Bus
	name string

	// Guarded by bus.mu, and set before a server comes.
	typeName string           // ROS 1 spelling
	typ      *idl.ServiceType // nil when nobody here knows the type
	doc      string
	declared bool // the name is reserved by Declare: no raw server
	kept     bool // declared, or somebody typed uses it: it lives as long as the bus

	server atomic.Pointer[server]
}

func (b *Bus) serviceLocked(name string) *service {
	name = b.Resolve(name)
	s := b.services[name]
	if s == nil {
		s = &service{bus: b, name: name}
		b.services[name] = s
	}
	return s
}

// declareLocked fixes the type of a service for the life of the bus, or reports that it has another one.
func (s *service) declareLocked(info ServiceInfo) error {
	if err := s.typeLocked(info.Type.ROS1Name(), info.Type); err != nil {
		return err
	}
	s.doc, s.kept = info.Doc, true
	return nil
}

// typeLocked gives a service its type, or reports that it has another one. typ may be nil.
func (s *service) typeLocked(typeName string, typ *idl.ServiceType) error {
	if s.typeName == "" {
		s.typeName = typeName
	}
	if s.typeName != typeName || s.typ != nil && typ != nil && s.typ != typ {
		return &TypeError{Topic: s.name, Want: typeName, Have: s.typeName}
	}
	if s.typ == nil {
		s.typ = typ // until now nobody knew more than its name
	}
	return nil
}

// server is whoever answers a service now. Requests wait in it until its loop takes them.
type server struct {
	node   string
	loop   Client
	item   *mailbox.Item
	handle func(req any, reply func(any, error))

	calls   atomic.Uint64
	refused atomic.Uint64

	mu      sync.Mutex
	waiting []*call
	begun   []*call // handed to the handler and not answered, in order
	ended   bool
}

// call is one request. answer runs at most once, on any goroutine, and not after the caller gave up.
type call struct {
	server   *server
	req      any
	answered atomic.Bool
	answer   func(any, error)
}

func (c *call) finish(resp any, err error) {
	if !c.answered.Swap(true) {
		c.answer(resp, err)
	}
}

// giveUp is for a caller who does not wait any longer. The request is served all the
// same (it may be an emergency stop), but does not count against the server's bound
// for ever if the answer never comes.
func (c *call) giveUp() {
	c.answered.Store(true)
	c.server.done(c)
}

func (s *server) add(c *call) Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return NoServer
	case len(s.waiting)+len(s.begun) >= maxPending:
		s.refused.Add(1)
		return Busy
	}
	s.calls.Add(1)
	s.waiting = append(s.waiting, c)
	s.wakeLocked()
	return 0
}

func (s *server) wakeLocked() {
	if len(s.waiting) > 0 && s.item.Claim() {
		s.loop.Ready(s.item)
	}
}

// next takes the oldest waiting request on the server's loop.
func (s *server) next() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return nil
	}
	c := s.waiting[0]
	s.waiting = slices.Delete(s.waiting, 0, 1)
	if !c.answered.Load() {
		s.begun = append(s.begun, c)
	}
	s.wakeLocked()
	return c
}

// serve hands the oldest request to the handler. It is what runs on the server's loop.
func (s *server) serve() {
	if c := s.next(); c != nil {
		s.handle(c.req, func(resp any, err error) {
			s.done(c)
			c.finish(resp, err)
		})
	}
}

// done takes c off the requests that have begun. It may be called again.
func (s *server) done(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.begun, c); i >= 0 {
		s.begun = slices.Delete(s.begun, i, i+1)
	}
}

// end answers everything that is still open, in the order in which it came. why may be nil.
func (s *server) end(svc *service, why error) {
	svc.server.CompareAndSwap(s, nil)
	s.mu.Lock()
	s.ended = true
	open := slices.Concat(s.begun, s.waiting)
	s.begun, s.waiting = nil, nil
	s.mu.Unlock()
	for _, c := range open {
		c.finish(nil, &CallError{Service: svc.name, Code: Stopped, Err: why})
	}
}

// Serve answers a service on the client's loop, one request after the other, for the
// life of the client. An error becomes a [CallError] with code Failed at the caller.
// At most 64 requests may be open; more are refused as Busy. A request whose caller
// gave up is served all the same. One server may exist at a time; a second one, or
// one of another type than declared, is a programming error and panics.
func Serve[Req, Resp any](c Client, s *Service[Req, Resp], handle func(Req) (Resp, error), opts ...Option) {
	ServeAsync(c, s, func(req Req, reply func(Resp, error)) { reply(handle(req)) }, opts...)
}

// ServeAsync is Serve for answers that take time: reply may be kept and called later
// from any goroutine; only the first call counts. Replies that never come are answered
// with Stopped when the client ends.
func ServeAsync[Req, Resp any](c Client, s *Service[Req, Resp], handle func(req Req, reply func(Resp, error)), opts ...Option) {
	svc := serviceOf(c.Bus(), s)
	srv := &server{node: c.Name(), loop: c}
	srv.handle = func(req any, reply func(any, error)) {
		r, ok := req.(*Req)
		if !ok {
			reply(nil, &CallError{Service: svc.name, Code: BadRequest, Err: fmt.Errorf("request is a %T", req)})
			return
		}
		handle(*r, func(resp Resp, err error) {
			if err != nil {
				reply(nil, &CallError{Service: svc.name, Code: Failed, Err: err})
				return
			}
			reply(&resp, nil)
		})
	}
	srv.item = mailbox.NewItem(svc.name, collect(opts).urgent, srv.serve)
	if !svc.server.CompareAndSwap(nil, srv) {
		panic(fmt.Sprintf("bus: service %s has a server already", svc.name))
	}
	c.Own(func() { srv.end(svc, nil) })
}

// serviceOf finds or creates a declared service. Another type is a programming error and panics.
func serviceOf[Req, Resp any](b *Bus, s *Service[Req, Resp]) *service {
	b.mu.Lock()
	defer b.mu.Unlock()
	svc := b.serviceLocked(s.decl.Name)
	if err := svc.declareLocked(s.decl); err != nil {
		panic(err)
	}
	return svc
}

// start hands a request to the server, or returns why not. answer does not run when
// start returns an error.
func (s *service) start(req any, answer func(any, error)) (*call, error) {
	return s.startAt(s.server.Load(), req, answer)
}

// startAt is start with the server that is asked, nil for none.
func (s *service) startAt(srv *server, req any, answer func(any, error)) (*call, error) {
	if srv == nil {
		return nil, &CallError{Service: s.name, Code: NoServer}
	}
	c := &call{server: srv, req: req, answer: answer}
	if code := srv.add(c); code != 0 {
		return nil, &CallError{Service: s.name, Code: code}
	}
	return c, nil
}
