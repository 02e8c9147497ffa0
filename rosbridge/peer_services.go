package rosbridge

import (
	"fmt"
	"strings"
	"time"

	"sarathi/rosbridge/internal/ws"
)

// answerer returns what answers a call of this client: one service_response, with the name and id as the client wrote them, in the
// form that the call asked for.
func (p *peer) answerer(f *Frame) func(values []byte, fault string) {
	service, id, compression, fragment := f.Service, f.ID, f.Compression, fragmentSize(f)
	return func(values []byte, fault string) {
		r := Frame{Op: OpServiceResponse, ID: id, Service: service, Body: values, Result: fault == ""}
		if fault != "" {
			r.Body = appendString(nil, fault)
		}
		p.sendWrapped(&r, compression, fragment)
	}
}

// sendWrapped sends an answer as its request asked: as png, in fragments, or as it is.
func (p *peer) sendWrapped(f *Frame, compression string, fragment int) {
	text := f.AppendJSON(make([]byte, 0, len(f.Body)+256))
	if compression == CompressionPNG {
		text = pngOf(text)
	}
	if fragment <= 0 || len(text) <= fragment {
		p.out.send(ws.Text, text)
		return
	}
	for _, piece := range AppendFragments(nil, text, p.b.newID("fragment", f.Op).String(), fragment) {
		p.out.send(ws.Text, piece)
	}
}

// minFragment is the smallest fragment size that is honoured: a fragment costs about a hundred bytes beside its data.
const minFragment = 32

// fragmentSize returns the fragment size that a frame asks for, 0 for none.
func fragmentSize(f *Frame) int {
	if f.FragmentSize == 0 {
		return 0
	}
	return max(f.FragmentSize, minFragment)
}

func (p *peer) callService(f Frame) error {
	answer := p.answerer(&f)
	name := resolve(f.Service)
	if name == "" {
		answer(nil, "bad service name")
		return &FrameError{Op: f.Op, ID: f.ID, What: "bad service name"}
	}
	if handler, ok := p.b.own[name]; ok {
		p.callBuiltin(handler, name, f.Body, answer)
		return nil
	}
	if !allowed(p.b.cfg.Access.Call, name) {
		answer(nil, fmt.Sprintf("Service %s may not be called by clients", name))
		return refusal(&f, "clients may not call %s", name)
	}
	if action, ok := strings.CutSuffix(name, "/_action/cancel_goal"); ok && p.b.hasAction(action) {
		p.b.cancelAll(action)
		answer([]byte(`{"return_code":0,"goals_canceling":[]}`), "")
		return nil
	}
	p.b.mu.Lock()
	s := p.b.services[name]
	p.b.mu.Unlock()
	if s == nil {
		p.unheard(f.Op, name)
		answer(nil, fmt.Sprintf("Service %s does not exist", name))
		return nil
	}
	timeout := p.b.cfg.CallTimeout
	if f.Timeout != nil {
		timeout = *f.Timeout
	}
	p.b.startCall(s, p, f.Body, timeout, answer)
	return nil
}

// callBuiltin answers a service of the broker itself. One that asks others works beside the reader.
func (p *peer) callBuiltin(h ownService, name string, args []byte, answer func([]byte, string)) {
	work := func() {
		values, err := h.serve(p, name, args)
		if err != nil {
			answer(nil, err.Error())
			return
		}
		answer(values, "")
	}
	if !h.slow || p.b.cfg.Params == nil {
		work()
		return
	}
	if n := p.asking.Add(1); int(n) > p.b.cfg.MaxCalls {
		p.asking.Add(-1)
		answer(nil, "too many calls are open")
		return
	}
	p.helpers.Go(func() {
		defer p.asking.Add(-1)
		work()
	})
}

func (p *peer) advertiseService(f Frame) error {
	name := resolve(f.Service)
	if name == "" {
		return &FrameError{Op: f.Op, ID: f.ID, What: "bad service name"}
	}
	if !allowed(p.b.cfg.Access.Serve, name) {
		return refusal(&f, "clients may not serve %s", name)
	}
	if p.services[name] == nil {
		if err := p.full(); err != nil {
			return refusal(&f, "%v", err)
		}
	}
	s := &service{name: name, as: f.Service, typ: canonical(f.Type), peer: p}
	if err := p.b.addService(s); err != nil {
		return refusal(&f, "%v", err)
	}
	p.services[name] = s
	return nil
}

func (p *peer) unadvertiseService(f Frame) error {
	s := p.services[resolve(f.Service)]
	if s == nil {
		return refusal(&f, "%s was not advertised", f.Service)
	}
	delete(p.services, s.name)
	p.b.mu.Lock()
	p.b.removeServiceLocked(s)
	p.b.mu.Unlock()
	p.b.failCallsTo(s)
	return nil
}

// serviceResponse passes an answer on. Values that are an object answer the call whatever result says, as in ROS 1, where providers
// say false and mean an answer; a text with result false is the fault.
func (p *peer) serviceResponse(f Frame) error {
	k := p.b.calls.take(f.ID, p)
	if k == nil {
		return refusal(&f, "no call with this id waits for an answer of this client")
	}
	switch {
	case len(f.Body) > 0 && f.Body[0] == '{':
		p.b.finishCall(k, f.Body)
	case f.Result && len(f.Body) == 0:
		p.b.finishCall(k, []byte("{}"))
	case !f.Result && len(f.Body) > 0 && f.Body[0] == '"':
		k.answer(nil, unquote(f.Body))
	case !f.Result:
		k.answer(nil, fmt.Sprintf("Service %s failed", k.service.name))
	case k.service.info == nil:
		k.answer(f.Body, "")
	default:
		k.answer(nil, fmt.Sprintf("Service %s answered with something that is no object", k.service.name))
	}
	return nil
}

// deadline is how long the broker waits for somebody else's parameters.
const deadline = 5 * time.Second
