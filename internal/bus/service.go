package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

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
	var e *CallError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

type service struct {
	bus  *Bus
	name string

	// guarded by bus.mu
	typ      *idl.ServiceType
	doc      string
	declared bool

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

func (b *Bus) service(name string) *service {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.serviceLocked(name)
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
	open    map[*call]struct{} // waiting or being handled
	ended   bool
}

// call is one request. answer is called once, from any goroutine.
type call struct {
	req      any
	answered atomic.Bool
	answer   func(any, error)
}

func (c *call) finish(resp any, err error) {
	if !c.answered.Swap(true) {
		c.answer(resp, err)
	}
}

func (s *server) add(c *call) Code {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return NoServer
	case len(s.open) >= maxPending:
		s.refused.Add(1)
		return Busy
	}
	s.calls.Add(1)
	s.waiting = append(s.waiting, c)
	s.open[c] = struct{}{}
	if s.item.Claim() {
		s.loop.Ready(s.item)
	}
	return 0
}

// next takes the oldest waiting request on the server's loop.
func (s *server) next() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return nil
	}
	c := s.waiting[0]
	s.waiting = s.waiting[1:]
	if len(s.waiting) > 0 && s.item.Claim() {
		s.loop.Ready(s.item)
	}
	return c
}

func (s *server) done(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// end answers everything that is still open.
func (s *server) end(svc *service) {
	svc.server.CompareAndSwap(s, nil)
	s.mu.Lock()
	s.ended = true
	open := make([]*call, 0, len(s.open))
	for c := range s.open {
		open = append(open, c)
	}
	s.open, s.waiting = nil, nil
	s.mu.Unlock()
	for _, c := range open {
		c.finish(nil, &CallError{Service: svc.name, Code: Stopped})
	}
}

// Serve answers a service on the client's loop. An error becomes a [CallError] with
// code Failed at the caller. One server may exist at a time; a second one is a
// programming error and panics.
func Serve[Req, Resp any](c Client, s *Service[Req, Resp], handle func(Req) (Resp, error), opts ...Option) {
	ServeAsync(c, s, func(req Req, reply func(Resp, error)) { reply(handle(req)) }, opts...)
}

// ServeAsync is Serve for answers that take time: reply may be kept and called later,
// once, from any goroutine.
func ServeAsync[Req, Resp any](c Client, s *Service[Req, Resp], handle func(req Req, reply func(Resp, error)), opts ...Option) {
	b := c.Bus()
	svc := b.service(s.decl.Name)
	b.mu.Lock()
	if svc.typ == nil {
		svc.typ, svc.doc = s.decl.Type, s.decl.Doc
	}
	b.mu.Unlock()
	srv := &server{node: c.Name(), loop: c, open: map[*call]struct{}{}}
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
	srv.item = mailbox.NewItem(svc.name, collect(opts).urgent, func() {
		if c := srv.next(); c != nil {
			srv.handle(c.req, func(resp any, err error) {
				srv.done(c)
				c.finish(resp, err)
			})
		}
	})
	if !svc.server.CompareAndSwap(nil, srv) {
		panic(fmt.Sprintf("bus: service %s has a server already", svc.name))
	}
	c.Own(func() { srv.end(svc) })
}

// start hands a request to the server, or returns why not. answer is called at most
// once, from any goroutine, and not at all when start returns an error.
func (s *service) start(req any, answer func(any, error)) error {
	srv := s.server.Load()
	if srv == nil {
		return &CallError{Service: s.name, Code: NoServer}
	}
	if code := srv.add(&call{req: req, answer: answer}); code != 0 {
		return &CallError{Service: s.name, Code: code}
	}
	return nil
}

// Caller calls one service from a loop.
type Caller[Req, Resp any] struct {
	client Client
	svc    *service
}

// NewCaller returns a caller of s.
func NewCaller[Req, Resp any](c Client, s *Service[Req, Resp]) *Caller[Req, Resp] {
	return &Caller[Req, Resp]{client: c, svc: c.Bus().service(s.decl.Name)}
}

// Ready reports whether somebody offers the service now.
func (c *Caller[Req, Resp]) Ready() bool { return c.svc.server.Load() != nil }

// Call sends req and runs done on the client's loop, exactly once: with the
// response, or with a [CallError] at the latest after timeout.
func (c *Caller[Req, Resp]) Call(req Req, timeout time.Duration, done func(Resp, error)) {
	type result struct {
		resp any
		err  error
	}
	var (
		answer   atomic.Pointer[result]
		finished bool // owned by the loop
		cancel   func()
	)
	finish := func(resp any, err error) {
		if finished {
			return
		}
		finished = true
		cancel()
		if r, ok := resp.(*Resp); ok && err == nil {
			done(*r, nil)
			return
		}
		done(*new(Resp), err)
	}
	item := mailbox.NewItem("answer of "+c.svc.name, false, func() {
		if r := answer.Load(); r != nil {
			finish(r.resp, r.err)
		}
	})
	arrive := func(resp any, err error) {
		answer.Store(&result{resp, err})
		if item.Claim() {
			c.client.Ready(item)
		}
	}
	cancel = c.client.AfterFunc(timeout, func() { finish(nil, &CallError{Service: c.svc.name, Code: Timeout}) })
	if err := c.svc.start(&req, arrive); err != nil {
		arrive(nil, err)
	}
}

// Call calls a service from a goroutine of its own (a gateway, a tool, a test) and
// waits for the response until ctx ends. Never use it on a node's loop.
func Call[Req, Resp any](ctx context.Context, b *Bus, s *Service[Req, Resp], req Req) (Resp, error) {
	out, err := b.service(s.decl.Name).wait(ctx, &req)
	if r, ok := out.(*Resp); ok && err == nil {
		return *r, nil
	}
	return *new(Resp), err
}

// CallRaw calls a service by name with a request in JSON and returns the response in
// JSON. It waits until ctx ends. Never use it on a node's loop.
func (b *Bus) CallRaw(ctx context.Context, name string, request []byte) ([]byte, error) {
	b.mu.Lock()
	svc := b.services[b.Resolve(name)]
	b.mu.Unlock()
	if svc == nil || svc.server.Load() == nil {
		return nil, &CallError{Service: b.Resolve(name), Code: NoServer}
	}
	req := svc.typ.Request.New()
	if len(request) > 0 {
		if err := req.ParseJSON(request); err != nil {
			return nil, &CallError{Service: svc.name, Code: BadRequest, Err: err}
		}
	}
	out, err := svc.wait(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, ok := out.(idl.Message)
	if !ok {
		return nil, &CallError{Service: svc.name, Code: Failed, Err: fmt.Errorf("response is a %T", out)}
	}
	return resp.AppendJSON(nil), nil
}

func (s *service) wait(ctx context.Context, req any) (any, error) {
	type result struct {
		resp any
		err  error
	}
	answers := make(chan result, 1)
	if err := s.start(req, func(resp any, err error) { answers <- result{resp, err} }); err != nil {
		return nil, err
	}
	select {
	case r := <-answers:
		return r.resp, r.err
	case <-ctx.Done():
		return nil, &CallError{Service: s.name, Code: Timeout, Err: ctx.Err()}
	}
}
