package teleop

import (
	"fmt"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/wire"
	"sarathi/msg/stdsrvs"
	"sarathi/teleop"
)

// How long a command may take before its handheld is told that nobody answered.
const (
	callTimeout  = 5 * time.Second
	slowTimeout  = 30 * time.Second // of what reads or writes files, or plans
	skillTimeout = 15 * time.Second // of the body's skills; their host answers after 10 s that they still run
	askTimeout   = time.Minute      // of the conversation model
)

// A binding is a command on its way to a service.
type binding struct {
	ready func() bool // somebody serves it now
	run   func(teleop.Args, func(teleop.Result, error))
}

// A builder makes the binding of one command for a node.
type builder func(*Node) binding

// call binds a command to a service: ask makes the request of the arguments, or refuses; tell makes the result of the response.
func call[Req, Resp any](s *bus.Service[Req, Resp], timeout time.Duration,
	ask func(*Node, teleop.Args) (Req, error), tell func(*Resp) teleop.Result,
) builder {
	return func(n *Node) binding {
		caller := bus.NewCaller(n.ctx, s)
		return binding{caller.Ready, func(args teleop.Args, done func(teleop.Result, error)) {
			req, err := ask(n, args)
			if err != nil {
				done(teleop.Result{}, err)
				return
			}
			caller.Call(req, timeout, func(resp Resp, err error) {
				if err != nil {
					done(teleop.Result{}, err)
					return
				}
				done(tell(&resp), nil)
			})
		}}
	}
}

// simple is call for requests that the arguments always make.
func simple[Req, Resp any](s *bus.Service[Req, Resp], timeout time.Duration, ask func(teleop.Args) Req, tell func(*Resp) teleop.Result) builder {
	return call(s, timeout, func(_ *Node, a teleop.Args) (Req, error) { return ask(a), nil }, tell)
}

// trigger binds a command without arguments.
func trigger(s *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse], timeout time.Duration) builder {
	return simple(s, timeout, func(teleop.Args) stdsrvs.TriggerRequest { return stdsrvs.TriggerRequest{} },
		func(r *stdsrvs.TriggerResponse) teleop.Result { return plain(r.Success, r.Message) })
}

// resent is a command that the session carries out itself. It makes sense while somebody publishes what is sent again.
func resent(topic string) builder {
	return func(n *Node) binding {
		name := n.ctx.Bus().Resolve(topic)
		return binding{
			func() bool { return n.served.publishes(name) },
			func(_ teleop.Args, done func(teleop.Result, error)) { done(teleop.Result{OK: true}, nil) },
		}
	}
}

func plain(ok bool, msg string) teleop.Result { return teleop.Result{OK: ok, Msg: msg} }

// withData is a result whose data are added when it is a success.
func withData(ok bool, msg string, data func(dst []byte) []byte) teleop.Result {
	r := teleop.Result{OK: ok, Msg: msg}
	if ok {
		r.Data = data(nil)
	}
	return r
}

// field appends {"name":"text"}.
func field(name, text string) func(dst []byte) []byte {
	return func(dst []byte) []byte {
		dst = wire.JSONString(append(dst, '{'), name)
		return append(wire.JSONString(append(dst, ':'), text), '}')
	}
}

// refusal says for a person why a command came to nothing. server is the node that it needs.
func refusal(command, server string, err error) string {
	switch bus.CodeOf(err) {
	case bus.NoServer:
		return fmt.Sprintf("%s needs %s, which is not running", command, server)
	case bus.Stopped:
		return fmt.Sprintf("%s: %s ended before it answered", command, server)
	case bus.Timeout:
		return fmt.Sprintf("%s: %s did not answer in time", command, server)
	case bus.Busy:
		return fmt.Sprintf("%s: %s is busy", command, server)
	default:
		return fmt.Sprintf("%s: %v", command, err)
	}
}

// run carries a command out and has the session acknowledge what became of it.
func (n *Node) run(l *link, o order, c teleop.Command) {
	b, ok := n.skills[c.Name()]
	server := "the robot driver"
	if spec := l.dialect.Command(c.Name()); spec != nil {
		b, ok = n.commands[c.Name()]
		server = spec.Node
	}
	finish := func(r teleop.Result, err error) {
		if err != nil {
			r = teleop.Result{Msg: refusal(c.Name(), server, err)}
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if l.generation == o.generation {
			now := n.ctx.Now()
			l.apply(now, l.session.Finish(now, c.Ref, r))
		}
	}
	if !ok {
		finish(teleop.Result{}, &bus.CallError{Service: c.Name(), Code: bus.NoServer})
		return
	}
	if c.Name() == release && n.stoppedSince(o) {
		finish(plain(false, "the e-stop was engaged anew meanwhile: release it again"), nil)
		return
	}
	n.ctx.Log().Debug("handheld command", "command", c.Name(), "address", c.Ref.From.String())
	b.run(c.Args, finish)
}

// release is the command that a stop overtakes.
const release = "estop_release"

// stoppedSince reports whether anybody asked for a stop after o. Stops do not wait for the loop and releases do, so that one that was asked
// for before a stop may come after it.
func (n *Node) stoppedSince(o order) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stops != o.stops
}
