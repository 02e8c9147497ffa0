package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// clientLink is one connection to a server.
type clientLink struct {
	conn      *websocket.Conn
	out       *clientOutbox
	assembler *Assembler // of the reader
	rtt       atomic.Int64

	mu    sync.Mutex
	goals map[string]context.CancelCauseFunc // that this client works on, by the server's id
}

// dial makes one attempt to connect.
func (c *Client) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.DialTimeout)
	defer cancel()
	o := &websocket.DialOptions{HTTPClient: c.cfg.HTTP, HTTPHeader: http.Header{}}
	if c.cfg.Token != "" {
		o.HTTPHeader.Set("Authorization", "Bearer "+c.cfg.Token)
	}
	conn, resp, err := websocket.Dial(ctx, c.url, o) //nolint:bodyclose // Dial says that it need not be closed
	if err != nil {
		if resp != nil && (resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
			err = fmt.Errorf("%w: the server wants a token, or another one", err)
		}
		return nil, fmt.Errorf("connect to %s: %w", c.url, err)
	}
	conn.SetReadLimit(int64(c.cfg.MaxMessage))
	return conn, nil
}

// serve uses a connection until it is lost.
func (c *Client) serve(ctx context.Context, conn *websocket.Conn) {
	l := &clientLink{
		conn: conn, out: newClientOutbox(c.cfg.Budget), goals: map[string]context.CancelCauseFunc{},
		assembler: NewAssembler(c.cfg.MaxMessage, c.cfg.FragmentAge),
	}
	// The socket outlives ctx by the closing handshake.
	wire, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	use, cancel := context.WithCancelCause(ctx)
	var both sync.WaitGroup
	c.begin(l)
	written := make(chan struct{})
	both.Go(func() {
		defer close(written)
		cancel(l.write(use, wire, c.cfg.SendTimeout))
	})
	both.Go(func() { cancel(l.ping(use, wire, c.cfg.PingPeriod, c.cfg.PingTimeout)) })
	both.Go(func() {
		<-use.Done()
		l.close(ctx, written, abort)
	})
	cancel(c.read(use, wire, l))
	both.Wait()
	c.over(l, context.Cause(use))
}

// closeLimit is how long the server may take to read what waits for it, and to agree that a link is closed.
const closeLimit = 250 * time.Millisecond

// close closes the socket, which ends the reader. When it was the user who ended the link, what waits is sent first, and the server is told.
func (l *clientLink) close(ctx context.Context, written <-chan struct{}, abort context.CancelFunc) {
	if ctx.Err() == nil {
		_ = l.conn.CloseNow() // it is lost anyway
		return
	}
	hard := time.AfterFunc(closeLimit, abort)
	defer hard.Stop()
	<-written
	_ = l.conn.Close(websocket.StatusNormalClosure, "") // the server may have gone without waiting for it
}

// write writes what the outbox holds until use ends and nothing is left, or the link is lost.
func (l *clientLink) write(use, wire context.Context, timeout time.Duration) error {
	for {
		text := l.out.take()
		if text == nil {
			select {
			case <-l.out.wake:
				continue
			case <-use.Done():
				return context.Cause(use)
			}
		}
		ctx, cancel := context.WithTimeout(wire, timeout)
		err := l.conn.Write(ctx, websocket.MessageText, text)
		cancel()
		if err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
}

// errNoPong ends a link whose other end is not there any more, without having said so.
var errNoPong = errors.New("the server does not answer pings")

// ping finds out when the server is gone.
func (l *clientLink) ping(use, wire context.Context, period, timeout time.Duration) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-use.Done():
			return context.Cause(use)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(wire, timeout)
		err := l.conn.Ping(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoPong
		}
		if err != nil {
			return fmt.Errorf("ping: %w", err)
		}
		l.rtt.Store(int64(time.Since(began)))
	}
}

// read takes frames until the link is lost.
func (c *Client) read(use, wire context.Context, l *clientLink) error {
	for {
		kind, data, err := l.conn.Read(wire)
		if err != nil {
			if ce, ok := errors.AsType[websocket.CloseError](err); ok {
				return fmt.Errorf("the server closed the link: %d %s", ce.Code, ce.Reason)
			}
			return fmt.Errorf("receive: %w", err)
		}
		c.received.Add(1)
		c.receive(use, l, kind == websocket.MessageBinary, data)
	}
}

// addGoal enters a goal that this client works on. It is false when the server has given its id to another.
func (l *clientLink) addGoal(id string, cancel context.CancelCauseFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.goals[id] != nil {
		return false
	}
	l.goals[id] = cancel
	return true
}

func (l *clientLink) removeGoal(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.goals, id)
}

// cancelGoal tells whoever works on a goal that its caller cancels it.
func (l *clientLink) cancelGoal(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cancel := l.goals[id]; cancel != nil {
		cancel(ErrGoalCanceled)
	}
}

// endGoals tells everybody that nobody waits for their results any more.
func (l *clientLink) endGoals(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, cancel := range slices.Collect(maps.Values(l.goals)) {
		cancel(why)
	}
}
