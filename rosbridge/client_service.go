package rosbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// openCall is a service call that waits for its answer. Whoever takes it out of Client.calls answers it.
type openCall struct {
	service string // as written
	answer  chan callAnswer
}

type callAnswer struct {
	values []byte
	err    error
}

func (k *openCall) finish(values []byte, err error) { k.answer <- callAnswer{values, err} }

// Call calls a service with args as JSON, an object or a positional list, nil for none, and returns the values of the answer as JSON. It
// waits until ctx ends, and ClientConfig.CallTimeout if ctx has no deadline; the server is told how long. The error is a [RemoteError]
// when the server says that the call failed.
func (c *Client) Call(ctx context.Context, service string, args []byte) ([]byte, error) {
	if err := checkName("service", service); err != nil {
		return nil, err
	}
	if len(args) > 0 && !json.Valid(args) {
		return nil, fmt.Errorf("call %s: args are not JSON", service)
	}
	return c.call(ctx, service, args)
}

// call is Call with args that are known to be JSON.
func (c *Client) call(ctx context.Context, service string, args []byte) ([]byte, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.cfg.CallTimeout)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("call %s: %w", service, err)
	}
	id := c.id(OpCallService, service)
	k := &openCall{service: service, answer: make(chan callAnswer, 1)}
	if err := c.startCall(ctx, id, k, args); err != nil {
		return nil, fmt.Errorf("call %s: %w", service, err)
	}
	select {
	case a := <-k.answer:
		return a.values, a.err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
		return nil, fmt.Errorf("call %s: no answer: %w", service, ctx.Err())
	}
}

func (c *Client) startCall(ctx context.Context, id string, k *openCall, args []byte) error {
	f := Frame{Op: OpCallService, ID: StringID(id), Service: k.service, Body: args}
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		f.Timeout = &left
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.mayAskLocked(); err != nil {
		return err
	}
	if err := c.link.out.put(&f); err != nil {
		return err
	}
	c.calls[id] = k
	return nil
}

// mayAskLocked says why nothing can be asked of the server now.
func (c *Client) mayAskLocked() error {
	switch {
	case c.closed:
		return ErrClientClosed
	case c.link == nil && c.reason != nil:
		return fmt.Errorf("%w: %w", ErrNotConnected, c.reason)
	case c.link == nil:
		return ErrNotConnected
	case len(c.calls)+len(c.goals) >= c.cfg.MaxOpen:
		return fmt.Errorf("%w: %d calls and goals are open", ErrClientBusy, c.cfg.MaxOpen)
	}
	return nil
}

// takeCall returns the call that a frame answers, or nil. An answer without a known id is for the only call of its service, if there is
// just one.
func (c *Client) takeCall(f *Frame) *openCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := f.ID.String()
	k := c.calls[id]
	if k == nil && f.ID == "" {
		for other, o := range c.calls {
			if resolve(o.service) != resolve(f.Service) {
				continue
			}
			if k != nil {
				return nil
			}
			id, k = other, o
		}
	}
	delete(c.calls, id)
	return k
}

// onResponse takes the answer of a call.
func (c *Client) onResponse(f *Frame) {
	k := c.takeCall(f)
	switch {
	case k == nil: // its caller has given up
	case !f.Result:
		k.finish(nil, &RemoteError{Name: k.service, Message: remoteMessage(f.Body)})
	default:
		k.finish(orEmptyObject(f.Body), nil)
	}
}

func orEmptyObject(text []byte) []byte {
	if len(text) == 0 {
		return []byte("{}")
	}
	return text
}

// ServiceServer is a service that a client offers.
type ServiceServer struct {
	client   *Client
	service  string
	typeName string
	handle   func(ctx context.Context, args []byte) ([]byte, error)
}

func (s *ServiceServer) frame() Frame {
	return Frame{Op: OpAdvertiseService, Service: s.service, Type: s.typeName}
}

// Serve offers a service, for the life of the client or until it is closed. handle runs for each request in a goroutine of its own, at
// most ClientConfig.MaxHandlers at a time for all services and actions; more are answered as busy. It gets the arguments as the caller
// gave them, an object or a positional list, "{}" for none, and returns values, nil for none. Its error becomes a failure with the
// error's text. ctx ends with the link.
func (c *Client) Serve(
	service, typeName string, handle func(ctx context.Context, args []byte) (values []byte, err error),
) (*ServiceServer, error) {
	if err := errors.Join(checkName("service", service), checkName("type", typeName)); err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s := &ServiceServer{client: c, service: service, typeName: typeName, handle: handle}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClientClosed
	}
	if c.services[service] != nil {
		return nil, fmt.Errorf("serve %s: this client serves it already", service)
	}
	if err := c.sendLocked(s.frame()); err != nil {
		return nil, err
	}
	c.services[service] = s
	return s, nil
}

// Close withdraws the service. Requests that are worked on are still answered, as far as the server takes that. It may be called again.
func (s *ServiceServer) Close() {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.services[s.service] == s {
		delete(c.services, s.service)
		c.must(Frame{Op: OpUnadvertiseService, Service: s.service})
	}
}

// onCall has a request worked on.
func (c *Client) onCall(ctx context.Context, l *clientLink, f *Frame) {
	c.mu.Lock()
	s := named(c.services, f.Service)
	c.mu.Unlock()
	request := *f
	answer := func(values []byte, err error) { c.answer(l, &request, values, err) }
	if s == nil {
		answer(nil, errors.New("this client does not serve it"))
		return
	}
	started := c.handler(func() {
		values, err := s.handle(ctx, orEmptyObject(request.Body))
		if err == nil && len(values) > 0 && !json.Valid(values) {
			err = errors.New("its server answered with what is not JSON")
		}
		answer(values, err)
	})
	if !started {
		answer(nil, fmt.Errorf("busy: %d requests are worked on", c.cfg.MaxHandlers))
	}
}

// answer sends the response of a request, on the link on which it came. The id is sent back byte for byte.
func (c *Client) answer(l *clientLink, request *Frame, values []byte, err error) {
	out := Frame{Op: OpServiceResponse, ID: request.ID, Service: request.Service, Body: orEmptyObject(values), Result: err == nil}
	if err != nil {
		out.Body = appendString(nil, err.Error())
	}
	if err := l.out.put(&out); err != nil {
		c.log.Warn("answer of a service is lost", "service", request.Service, "err", err)
	}
}

// handler runs work in a goroutine of its own, unless too many are at work.
func (c *Client) handler(work func()) bool {
	select {
	case c.slots <- struct{}{}:
	default:
		return false
	}
	c.running.Go(func() {
		defer func() { <-c.slots }()
		work()
	})
	return true
}

// named finds what was offered under a name, which a server may write in another way.
func named[V any](offered map[string]V, name string) V {
	if v, ok := offered[name]; ok {
		return v
	}
	for _, key := range sortedKeys(offered) {
		if resolve(key) == resolve(name) {
			return offered[key]
		}
	}
	var none V
	return none
}
