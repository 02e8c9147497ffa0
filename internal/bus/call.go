package bus

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"sarathi/internal/mailbox"
)

// answer is what a server said, or why it did not.
type answer struct {
	resp any
	err  error
}

// Caller calls one service from a loop.
type Caller[Req, Resp any] struct {
	client Client
	svc    *service
}

// NewCaller returns a caller of s.
func NewCaller[Req, Resp any](c Client, s *Service[Req, Resp]) *Caller[Req, Resp] {
	return &Caller[Req, Resp]{client: c, svc: serviceOf(c.Bus(), s)}
}

// Ready reports whether somebody offers the service now. Any goroutine may call it.
func (c *Caller[Req, Resp]) Ready() bool { return c.svc.server.Load() != nil }

// Call sends req and runs done on the client's loop, exactly once: with the
// response, or with a [CallError] at the latest after timeout. It never runs done
// before it returns, nor after the client has ended. Only the loop may call it.
func (c *Caller[Req, Resp]) Call(req Req, timeout time.Duration, done func(Resp, error)) {
	var (
		answered atomic.Pointer[answer]
		started  *call
		cancel   func()
		finished bool // owned by the loop
	)
	finish := func(a answer) {
		if finished {
			return
		}
		finished = true
		cancel()
		r, ok := a.resp.(*Resp)
		switch {
		case a.err != nil:
			done(*new(Resp), a.err)
		case !ok:
			done(*new(Resp), c.svc.strange(a.resp))
		default:
			done(*r, nil)
		}
	}
	item := mailbox.NewItem("answer of "+c.svc.name, false, func() { finish(*answered.Load()) })
	arrive := func(resp any, err error) {
		answered.Store(&answer{resp, err})
		if item.Claim() {
			c.client.Ready(item)
		}
	}
	cancel = c.client.AfterFunc(timeout, func() {
		if a := answered.Load(); a != nil {
			finish(*a) // it waits behind this timer
			return
		}
		if started != nil {
			started.giveUp()
		}
		finish(answer{err: &CallError{Service: c.svc.name, Code: Timeout}})
	})
	var err error
	if started, err = c.svc.start(&req, arrive); err != nil {
		arrive(nil, err)
	}
}

// strange reports a response of a foreign Go type.
func (s *service) strange(resp any) error {
	return &CallError{Service: s.name, Code: Failed, Err: fmt.Errorf("response is a %T", resp)}
}

// Call calls a service from a goroutine of its own (a gateway, a tool, a test) and
// waits for the response until ctx ends, which is a [CallError] with code Timeout. Never
// use it on a node's loop, nor under the lockstep executor, which has no other goroutine to answer.
func Call[Req, Resp any](ctx context.Context, b *Bus, s *Service[Req, Resp], req Req) (Resp, error) {
	svc := serviceOf(b, s)
	out, err := svc.wait(ctx, &req)
	if err != nil {
		return *new(Resp), err
	}
	r, ok := out.(*Resp)
	if !ok {
		return *new(Resp), svc.strange(out)
	}
	return *r, nil
}

// wait starts a request and waits for the answer until ctx ends.
func (s *service) wait(ctx context.Context, req any) (any, error) {
	return s.waitAt(ctx, s.server.Load(), req)
}

// waitAt is wait with the server that is asked, nil for none.
func (s *service) waitAt(ctx context.Context, srv *server, req any) (any, error) {
	answers := make(chan answer, 1)
	c, err := s.startAt(srv, req, func(resp any, err error) { answers <- answer{resp, err} })
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answers:
		return a.resp, a.err
	case <-ctx.Done():
		c.giveUp()
		return nil, &CallError{Service: s.name, Code: Timeout, Err: ctx.Err()}
	}
}
