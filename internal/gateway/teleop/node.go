package teleop

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/teleop"
)

const (
	lookPeriod   = time.Second // of looking what the robot can do
	reportPeriod = 10 * time.Second
)

// Node is the gateway. What is not marked otherwise belongs to its loop.
type Node struct {
	cfg   Config
	base  teleop.Config // of every session, without what depends on the robot's services
	frame string        // of the robot's base
	token string
	links []*link // never changes

	ctx      *node.Context
	velocity *bus.Publisher[geometry.Twist] // used by the readers too
	estop    *bus.Publisher[std.String]     // the same

	mu    sync.Mutex // guards the sessions, and what links say they guard with it
	stops uint64     // that were asked for, guarded by mu

	commands map[string]binding // of the protocols, by name
	skills   map[string]binding // of the body, by name
	served   served             // who publishes and serves, as of the last look
	sources  *sources
	streams  *streams
	reported teleop.Stats
}

var (
	_ node.Node     = (*Node)(nil)
	_ node.Runner   = (*Node)(nil)
	_ node.Preparer = (*Node)(nil)
	_ node.Stopper  = (*Node)(nil)
)

// New returns a gateway that has no sockets yet.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n := &Node{cfg: cfg, base: cfg.session(deps), frame: deps.Base, token: cfg.token(), commands: map[string]binding{}, skills: map[string]binding{}}
	if n.frame == "" {
		n.frame = "base_link"
	}
	for _, s := range []struct {
		dialect *teleop.Dialect
		Socket
	}{{teleop.Molly(), cfg.Molly}, {teleop.Pashupati(), cfg.Pashupati}} {
		if !s.Enabled {
			continue
		}
		if _, err := teleop.NewSession(s.dialect, n.base); err != nil {
			return nil, err
		}
		n.links = append(n.links, &link{node: n, dialect: s.dialect, port: s.Port})
	}
	if len(n.links) == 0 {
		return nil, errors.New("handheld gateway: no dialect is enabled: enable teleop.molly or teleop.pashupati, or leave the gateway out")
	}
	return n, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.velocity = bus.NewPublisher(c, topics.HandheldCmdVel)
	c.Own(func() { n.velocity.Publish(nobody()) }) // also after a panic: the mux need not wait for its time-out
	n.estop = bus.NewPublisher(c, topics.EStopRequest)
	n.sources = newSources(c)
	for _, l := range n.links {
		for i := range l.dialect.Commands {
			name := l.dialect.Commands[i].Name
			if build, ok := table()[name]; ok && n.commands[name].run == nil {
				n.commands[name] = build(n)
			}
		}
	}
	n.streams = newStreams(n)
	if n.token == "" {
		c.Log().Warn("anyone on the network can drive this robot: no token is set", "remedy", "set teleop.token or the variable of teleop.token_env",
			"token_env", n.cfg.TokenEnv)
	}
	if err := n.look(); err != nil {
		return err
	}
	for _, l := range n.links {
		c.Log().Info("handhelds are welcome", "dialect", l.dialect.Name, "address", l.conn.LocalAddr().String())
	}
	// Twice as often as it is sent, so that what is sent is never much older than a period.
	c.Every(time.Duration(float64(time.Second)/n.cfg.TelemetryHz/2), n.tell)
	c.Every(lookPeriod, n.lookAgain)
	c.Every(reportPeriod, n.report)
	n.tell(c.Now())
	return nil
}

// Run implements node.Runner.
func (n *Node) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(n.links))
	var readers sync.WaitGroup
	for i, l := range n.links {
		readers.Go(func() {
			defer cancel()
			defer func() {
				if v := recover(); v != nil {
					errs[i] = &node.PanicError{Value: v, Stack: debug.Stack()}
				}
			}()
			errs[i] = l.read(ctx)
		})
	}
	readers.Wait()
	return errors.Join(errs...)
}

// Stop implements node.Stopper: bye, and a last zero.
func (n *Node) Stop(now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		l.apply(now, l.session.Close(now))
	}
}

// each calls use with every link's session, and does what comes of it.
func (n *Node) each(use func(now time.Time, l *link) teleop.Output) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.ctx.Now()
	for _, l := range n.links {
		l.apply(now, use(now, l))
	}
}

// tell hands the sessions what the robot reports.
func (n *Node) tell(now time.Time) {
	st := n.sources.state(now, &n.served)
	st.Tags = n.streams.tags.now(now)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		l.session.SetState(st)
	}
}

// onEffect does what a session asked the loop for.
func (n *Node) onEffect(l *link, o order, e teleop.Effect) {
	switch e.Kind {
	case teleop.EffectCommand:
		n.run(l, o, e.Command)
	case teleop.EffectStreams:
		n.streams.want(l, e.Streams)
	case teleop.EffectStarted:
		n.ctx.Log().Info("a handheld drives", "dialect", l.dialect.Name, "name", e.Client.Name, "address", e.Client.Addr.String())
		n.streams.refresh()
	case teleop.EffectEnded:
		n.ctx.Log().Info("the handheld is gone", "dialect", l.dialect.Name, "name", e.Client.Name, "address", e.Client.Addr.String(), "reason", e.Reason)
		n.lookAgain(n.ctx.Now()) // the next one shall be told what is true now
	default: // was done on the reader
	}
}

// report logs what came too often to be logged when it came.
func (n *Node) report(time.Time) {
	var sum teleop.Stats
	var unsent uint64
	n.mu.Lock()
	for _, l := range n.links {
		s := l.session.Stats()
		sum.Malformed += s.Malformed
		sum.Unauthorized += s.Unauthorized
		sum.BadJoy += s.BadJoy
		unsent += l.unsent
		l.unsent = 0
	}
	n.mu.Unlock()
	last := n.reported
	n.reported = sum
	if sum.Malformed > last.Malformed || sum.Unauthorized > last.Unauthorized || sum.BadJoy > last.BadJoy || unsent > 0 {
		n.ctx.Log().Warn("handheld datagrams dropped", "malformed", sum.Malformed-min(last.Malformed, sum.Malformed),
			"unauthorized", sum.Unauthorized-min(last.Unauthorized, sum.Unauthorized), "bad_joy", sum.BadJoy-min(last.BadJoy, sum.BadJoy), "unsent", unsent)
	}
}
