package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/std"
	"sarathi/rosbridge"
)

const (
	lookPeriod    = time.Second            // of looking for topics and services that came at run time
	closeLimit    = 250 * time.Millisecond // for clients to hear a goodbye: a stage has 300 ms to end
	headerTimeout = 5 * time.Second        // for a handshake to arrive
	callLimit     = 60 * time.Second       // for a service to answer a client
	mostCalls     = 1024                   // of clients together that wait for the robot
)

var errBusy = errors.New("the robot waits for too many calls already: try again")

// Deps is what the program knows besides the bus.
type Deps struct {
	Nodes   func() []node.Stats // the executor's view of its nodes; called from any goroutine
	Version string              // of the program
}

// Node is the gateway. Its fields belong to its loop, once it runs.
type Node struct {
	cfg  Config
	deps Deps

	listener net.Listener // from Prepare to Close
	broker   *rosbridge.Broker

	ctx   *node.Context
	robot *rosbridge.Attachment
	//nolint:containedctx // calls come on goroutines of the broker, which know nothing of the node's end
	calls   context.Context
	end     context.CancelFunc
	pending sync.WaitGroup
	slots   chan struct{} // of them

	stops map[string]bool // topics and services by which a client stops the robot; never changes after Setup
	estop *bus.Publisher[std.String]

	topics   map[string]*mirrored      // of the robot, by resolved name
	services map[string]bool           // of the robot, that clients may call
	offered  map[string]*offeredTopic  // by clients
	served   map[string]*bus.RawServer // by clients
	refused  map[string]bool           // offers of clients that were logged as refused
}

var (
	_ node.Node     = (*Node)(nil)
	_ node.Runner   = (*Node)(nil)
	_ node.Preparer = (*Node)(nil)
)

// New returns a gateway that does not listen yet.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Nodes == nil {
		return nil, errors.New("rosbridge.New: Deps.Nodes is required")
	}
	return &Node{
		cfg: cfg, deps: deps, topics: map[string]*mirrored{}, services: map[string]bool{}, offered: map[string]*offeredTopic{},
		served: map[string]*bus.RawServer{}, refused: map[string]bool{}, slots: make(chan struct{}, mostCalls), stops: map[string]bool{},
	}, nil
}

// Prepare implements node.Preparer: it takes the port, so that one that is in use fails the start.
func (n *Node) Prepare(ctx context.Context) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", n.cfg.Address())
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("rosbridge: TCP port %d is in use: stop the program that has it, or choose another port for rosbridge.port", n.cfg.Port)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("rosbridge: this computer has no address %s: correct rosbridge.bind", n.cfg.Bind)
	case err != nil:
		return fmt.Errorf("rosbridge: listen on %s: %w", n.cfg.Address(), err)
	}
	n.listener = l
	return nil
}

// Close implements node.Preparer.
func (n *Node) Close() error {
	if err := n.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Addr returns where the gateway listens, after Prepare.
func (n *Node) Addr() netip.AddrPort {
	if a, ok := n.listener.Addr().(*net.TCPAddr); ok {
		return a.AddrPort()
	}
	return netip.AddrPort{}
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.calls, n.end = context.WithCancel(context.Background())
	cfg := n.cfg.broker()
	cfg.Version, cfg.Log = n.deps.Version, c.Log()
	cfg.Graph, cfg.Observer, cfg.Unheard = n.graph, observer{n}, n.unheard
	n.estop = bus.NewPublisher(c, topics.EStopRequest)
	var err error
	if n.broker, err = rosbridge.NewBroker(cfg); err != nil {
		return err
	}
	c.Own(n.shut) // also after a failure
	n.robot = n.broker.Attach("/" + Name)
	if err := n.open(); err != nil {
		return err
	}
	if cfg.Token == "" && !n.cfg.local() {
		c.Log().Warn("anyone on the network can use this robot: no token is set", "remedy", "set rosbridge.token or the variable of rosbridge.token_env",
			"token_env", n.cfg.TokenEnv)
	}
	c.Log().Info("rosbridge clients are welcome", "address", n.listener.Addr().String(), "tls", n.cfg.Cert != "")
	c.Every(lookPeriod, n.look)
	return nil
}

// shut ends the broker and everything that was done for its clients.
func (n *Node) shut() {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	n.end()
	if err := n.broker.Close(ctx); err != nil {
		n.ctx.Log().Debug("clients were cut off", "err", err)
	}
	n.pending.Wait()
}

// Run implements node.Runner: it serves until ctx ends.
func (n *Node) Run(ctx context.Context) error {
	server := &http.Server{
		Handler: n.broker, ReadHeaderTimeout: headerTimeout,
		ErrorLog: slog.NewLogLogger(n.ctx.Log().Handler(), slog.LevelDebug), // broken handshakes and the like
	}
	stop := context.AfterFunc(ctx, func() { server.Close() }) //nolint:errcheck // the listener is given up
	defer stop()
	var err error
	if n.cfg.Cert != "" {
		err = server.ServeTLS(n.listener, n.cfg.Cert, n.cfg.Key)
	} else {
		err = server.Serve(n.listener)
	}
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("rosbridge: serve on %s: %w", n.listener.Addr(), err)
}
