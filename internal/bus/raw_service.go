package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"sarathi/internal/idl"
	"sarathi/internal/mailbox"
)

// Why a raw server is refused, to be tested with errors.Is.
var (
	// ErrReserved refuses a raw server of a service that was declared: the robot's own services are served by its nodes alone.
	ErrReserved = errors.New("the robot itself serves it")
	// ErrServed refuses a second server.
	ErrServed = errors.New("somebody serves it already")
)

// errWithdrawn is the detail of what a raw server has left open.
var errWithdrawn = errors.New("its server left before it answered")

// rawBody is a request or response of a service whose type nobody here knows, as JSON.
type rawBody []byte

// RawServer answers a service of which the server knows only the type's name. Any goroutine may use it.
type RawServer struct {
	svc    *service
	srv    *server
	forget func()
	close  sync.Once
}

// ServeRaw offers the named service on behalf of somebody outside, with a type that may be unknown here (typ nil). typeName is the
// ROS 1 or ROS 2 spelling. It may be called at any time in the client's life.
//
// handle runs on the client's loop with each request as JSON, which it must not change: completed with defaults for a known type, as
// the caller wrote it for an unknown one. reply may be kept and called later from any goroutine; only the first call counts. It
// takes the response as JSON, nil for the type's defaults, which must not be changed any more; a response that does not fit a known
// type, as well as an error, becomes a [CallError] with code Failed at the caller. At most 64 requests may be open.
//
// It fails with a [TypeError] when the service has another type, with [ErrServed] when it has a server, and with [ErrReserved]
// when the name was declared (see [Bus.Declare]).
func ServeRaw(
	c Client, name, typeName string, typ *idl.ServiceType, handle func(request []byte, reply func(response []byte, err error)),
) (*RawServer, error) {
	r := &RawServer{srv: &server{node: c.Name(), loop: c}}
	r.srv.handle = func(req any, reply func(any, error)) {
		handle(requestJSON(req), func(response []byte, err error) { reply(r.response(response, err)) })
	}
	if err := r.open(c.Bus(), name, typeName, typ); err != nil {
		return nil, fmt.Errorf("serve %s: %w", c.Bus().Resolve(name), err)
	}
	r.forget = c.Own(r.end)
	return r, nil
}

func (r *RawServer) open(b *Bus, name, typeName string, typ *idl.ServiceType) error {
	if typ != nil {
		typeName = typ.ROS1Name()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r.svc = b.serviceLocked(name)
	r.srv.item = mailbox.NewItem(r.svc.name, false, r.srv.serve)
	if r.svc.declared {
		return ErrReserved
	}
	if err := r.svc.typeLocked(ros1Spelling(typeName), typ); err != nil {
		return err
	}
	if !r.svc.server.CompareAndSwap(nil, r.srv) {
		return ErrServed
	}
	return nil
}

// Close withdraws the service before its client ends. What is open is answered with [Stopped]. It may be called again.
func (r *RawServer) Close() {
	r.end()
	r.forget()
}

func (r *RawServer) end() {
	r.close.Do(func() {
		r.srv.end(r.svc, errWithdrawn)
		r.svc.release()
	})
}

// release forgets a service that nobody uses any more, so that its name may get another type.
func (s *service) release() {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	if !s.kept && s.server.Load() == nil && s.bus.services[s.name] == s {
		delete(s.bus.services, s.name)
	}
}

// response returns what the caller gets. Whether the type is known is asked at the end of the call: a typed caller has
// declared it before, and a raw one takes either form.
func (r *RawServer) response(text []byte, err error) (any, error) {
	if err != nil {
		return nil, &CallError{Service: r.svc.name, Code: Failed, Err: err}
	}
	typ := r.svc.known()
	if typ == nil {
		return rawBody(text), nil
	}
	m := typ.Response.New()
	if len(text) > 0 {
		if err := m.ParseJSON(text); err != nil {
			return nil, &CallError{Service: r.svc.name, Code: Failed, Err: fmt.Errorf("response of its server: %w", err)}
		}
	}
	return m, nil
}

// known returns the service's type, or nil when nobody here knows it.
func (s *service) known() *idl.ServiceType {
	s.bus.mu.Lock()
	defer s.bus.mu.Unlock()
	return s.typ
}

// requestJSON returns a request as JSON.
func requestJSON(req any) []byte {
	switch r := req.(type) {
	case idl.Message:
		return r.AppendJSON(nil)
	case rawBody:
		return r
	default:
		panic(fmt.Sprintf("bus: request is a %T", req)) // Service and CallRaw allow no other
	}
}

// CallRaw calls a service by name with a request in JSON and returns the response in
// JSON. An empty request stands for the type's defaults. For a type that nobody here
// knows both pass as they are. It waits until ctx ends, as [Call] does. Never use it
// on a node's loop.
func (b *Bus) CallRaw(ctx context.Context, name string, request []byte) ([]byte, error) {
	svc, srv, typ := b.serverOf(name)
	if srv == nil {
		return nil, &CallError{Service: b.Resolve(name), Code: NoServer}
	}
	req, err := rawRequest(typ, request)
	if err != nil {
		return nil, &CallError{Service: svc.name, Code: BadRequest, Err: err}
	}
	out, err := svc.waitAt(ctx, srv, req)
	if err != nil {
		return nil, err
	}
	switch resp := out.(type) {
	case idl.Message:
		return resp.AppendJSON(nil), nil
	case rawBody:
		return orEmpty(resp), nil
	default:
		return nil, svc.strange(out)
	}
}

// serverOf returns a service with its server, nil for none, and the type that was known before that server came.
func (b *Bus) serverOf(name string) (*service, *server, *idl.ServiceType) {
	b.mu.Lock()
	defer b.mu.Unlock()
	svc := b.services[b.Resolve(name)]
	if svc == nil {
		return nil, nil, nil
	}
	srv := svc.server.Load() // before the type: a typed server has declared it first
	return svc, srv, svc.typ
}

func rawRequest(typ *idl.ServiceType, request []byte) (any, error) {
	if typ == nil {
		return rawBody(orEmpty(request)), nil
	}
	req := typ.Request.New()
	if len(request) > 0 {
		if err := req.ParseJSON(request); err != nil {
			return nil, err
		}
	}
	return req, nil
}

// orEmpty returns text, or the object without fields.
func orEmpty(text []byte) []byte {
	if len(text) == 0 {
		return []byte("{}")
	}
	return text
}
