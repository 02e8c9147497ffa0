package controlsocket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/gateway/controlsocket/protocol"
	"sarathi/internal/idl"
	"sarathi/internal/node"
	"sarathi/internal/topics"
)

// Name is the node's name.
const Name = "control_socket_node"

// Deps is what the socket shows besides the bus.
type Deps struct {
	Nodes func() []node.Stats // the executor's view of its nodes; called from any goroutine
}

// Node is the robot's side of the control socket.
type Node struct {
	cfg  Config
	deps Deps

	ctx      *node.Context
	declared map[string]*idl.Type // topics of the table by resolved name; never changes after Setup
	reserved map[string]string    // topics that no client may publish, with what to do instead; the same

	lock     *os.File // held from Prepare to Close
	listener *net.UnixListener
}

var (
	_ node.Node     = (*Node)(nil)
	_ node.Runner   = (*Node)(nil)
	_ node.Preparer = (*Node)(nil)
)

// New returns a node that has not touched the file system yet.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if deps.Nodes == nil {
		return nil, errors.New("controlsocket.New: Deps.Nodes is required")
	}
	return &Node{cfg: cfg, deps: deps}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.declared = map[string]*idl.Type{}
	for _, t := range topics.Topics() {
		n.declared[c.Bus().Resolve(t.Name)] = t.Type
	}
	n.reserved = map[string]string{}
	for name := range n.declared {
		n.reserved[name] = "it belongs to its node"
	}
	n.reserved[c.Bus().Resolve(topics.BodyCmdVel.Info().Name)] = "only the control mux commands the body: publish to " +
		topics.HandheldCmdVel.Info().Name + " or " + topics.DashboardCmdVel.Info().Name +
		" after " + topics.SetMode.Info().Name + " has chosen that source"
	for _, t := range topics.ForClients() {
		delete(n.reserved, c.Bus().Resolve(t.Name))
	}
	return nil
}

// Run implements node.Runner: it serves clients until ctx ends, and returns when the last of them is gone.
func (n *Node) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var clients sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { n.listener.Close() }) //nolint:errcheck // Close, which comes later, reports it
	defer stop()
	slots := make(chan struct{}, maxClients)
	for {
		conn, err := n.listener.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("accept: %w", err)
		}
		select {
		case slots <- struct{}{}:
		default:
			refuse(conn)
			continue
		}
		clients.Go(n.guarded(func() {
			defer func() { <-slots }()
			newSession(n, conn).run(ctx)
		}))
	}
}

// refuse tells a client that there are enough already.
func refuse(conn net.Conn) {
	line, err := protocol.AppendReply(nil, &protocol.Reply{Error: &graph.Error{
		Code: graph.Busy, Message: fmt.Sprintf("%d clients are connected already: end one of them", maxClients),
	}})
	if err == nil {
		conn.SetWriteDeadline(time.Now().Add(time.Second)) //nolint:errcheck // the client hears it or not, it is closed either way
		conn.Write(line)                                   //nolint:errcheck // the same
	}
	conn.Close() //nolint:errcheck // the same
}

// guarded makes a panic of one client's goroutine a failure of this node, not of the robot.
func (n *Node) guarded(fn func()) func() {
	return func() {
		defer func() {
			if v := recover(); v != nil {
				n.ctx.Fail(&node.PanicError{Value: v, Stack: debug.Stack()})
			}
		}()
		fn()
	}
}

// onLoop runs fn on the node's loop and waits for it, or for the end of ctx, after which fn may still run.
func (n *Node) onLoop(ctx context.Context, fn func()) error {
	done := make(chan struct{})
	n.ctx.Post(func() {
		fn()
		close(done)
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return &graph.Error{Code: graph.Stopped, Message: "the robot or the client ended first"}
	}
}
