package controlsocket

import (
	"bufio"
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/gateway/controlsocket/graph"
	"sarathi/internal/gateway/controlsocket/protocol"
)

const (
	// readGrace is how long a client may take none of what it was sent before its connection ends.
	readGrace = 10 * time.Second
	// keptBuffer is the most memory, in bytes, that a client keeps between two samples.
	keptBuffer = 1 << 20
)

// session is one client.
type session struct {
	node *Node
	conn net.Conn
	out  *outbox

	calls     sync.WaitGroup
	callSlots chan struct{}

	publishers map[string]*bus.RawPublisher // by topic as the client wrote it; owned by the reader
	watches    map[int64]*watched           // by request id; owned by the node's loop
}

// watched is a watch with its subscription.
type watched struct {
	watch *watch
	sub   *bus.RawSubscription
}

func newSession(n *Node, conn net.Conn) *session {
	return &session{
		node: n, conn: conn, out: newOutbox(),
		callSlots:  make(chan struct{}, maxCalls),
		publishers: map[string]*bus.RawPublisher{},
		watches:    map[int64]*watched{},
	}
}

// run serves the client until it goes or ctx ends, and returns when everything that it started has ended.
func (s *session) run(robot context.Context) {
	ctx, cancel := context.WithCancel(robot)           // of what the client asked for
	hangUp := sync.OnceFunc(func() { s.conn.Close() }) //nolint:errcheck // the connection is given up
	defer hangUp()
	stop := context.AfterFunc(robot, hangUp)
	defer stop()

	done := make(chan struct{}) // closed when no more replies come
	var writer sync.WaitGroup
	writer.Go(s.node.guarded(func() {
		defer cancel()
		defer hangUp()
		s.write(done)
	}))

	s.read(ctx)
	cancel()
	s.calls.Wait()
	close(done)
	writer.Wait() // a client that only stopped sending still gets its replies
	for _, p := range s.publishers {
		p.Close()
	}
	s.node.ctx.Post(s.endWatches)
}

// read answers requests until the client ends the connection.
func (s *session) read(ctx context.Context) {
	r := bufio.NewReader(s.conn)
	for {
		line, err := protocol.ReadLine(r)
		switch {
		case errors.Is(err, protocol.ErrTooLong):
			s.refuse(ctx, 0, &graph.Error{Code: graph.BadRequest, Message: err.Error()})
		case err != nil:
			return
		default:
			s.handle(ctx, line)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// send puts a reply into the outbox. It waits while that is full, and gives up when ctx ends.
func (s *session) send(ctx context.Context, r *protocol.Reply) {
	line, err := protocol.AppendReply(nil, r)
	if err != nil {
		line, _ = protocol.AppendReply(nil, &protocol.Reply{ // two strings can be encoded
			ID: r.ID, Error: &graph.Error{Code: graph.Failed, Message: err.Error()},
		})
	}
	select {
	case s.out.replies <- line:
	case <-ctx.Done():
	}
}

func (s *session) refuse(ctx context.Context, id int64, e *graph.Error) {
	s.send(ctx, &protocol.Reply{ID: id, Error: e})
}

// write sends what is in the outbox, replies first, until the client takes no more or done is closed and the replies are out.
func (s *session) write(done <-chan struct{}) {
	var buf []byte
	for {
		select {
		case line := <-s.out.replies:
			if !s.put(line) {
				return
			}
			continue
		case <-done:
			s.flush()
			return
		default:
		}
		if next, ok := s.out.next(); ok {
			if buf = appendSample(buf[:0], next); !s.put(buf) {
				return
			}
			if cap(buf) > keptBuffer {
				buf = nil
			}
			continue
		}
		select {
		case line := <-s.out.replies:
			if !s.put(line) {
				return
			}
		case <-s.out.wake:
		case <-done:
			s.flush()
			return
		}
	}
}

// flush sends the replies that are still there.
func (s *session) flush() {
	for {
		select {
		case line := <-s.out.replies:
			if !s.put(line) {
				return
			}
		default:
			return
		}
	}
}

// put sends one line, and reports whether the client took it.
func (s *session) put(line []byte) bool {
	if err := s.conn.SetWriteDeadline(time.Now().Add(readGrace)); err != nil {
		return false
	}
	_, err := s.conn.Write(line)
	return err == nil
}

func appendSample(dst []byte, w waiting) []byte {
	var message []byte
	if !w.watch.timesOnly {
		message = w.sample.JSON()
	}
	return protocol.AppendSample(dst, w.watch.id, w.sample.At, w.lost, message)
}
