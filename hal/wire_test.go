package hal

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"sarathi/driver"
)

// socket is a real one on this computer.
func socket(tb testing.TB) net.Listener {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	return ln
}

// pipes is a network in memory, in which every write may be held up as TCP holds up what it has to send again.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
	wrap   func(net.Conn) net.Conn
}

func newPipes(wrap func(net.Conn) net.Conn) *pipes {
	if wrap == nil {
		wrap = func(c net.Conn) net.Conn { return c }
	}
	return &pipes{accept: make(chan net.Conn), closed: make(chan struct{}), wrap: wrap}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// dial is the DialContext of a client.
func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.accept <- p.wrap(far):
		return p.wrap(near), nil
	case <-p.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
}

// lossy holds up one write in twenty for the time of a retransmission, and the writes behind it with it.
type lossy struct {
	net.Conn
	mu  sync.Mutex
	rng *rand.Rand
}

func (c *lossy) Write(b []byte) (int, error) {
	c.mu.Lock()
	lost := c.rng.IntN(20) == 0
	c.mu.Unlock()
	if lost {
		time.Sleep(30 * time.Millisecond)
	}
	return c.Conn.Write(b)
}

// serveAgent serves a body until the test ends.
func serveAgent(tb testing.TB, d driver.Driver, cfg AgentConfig, ln net.Listener) *Agent {
	tb.Helper()
	a, err := NewAgent(d, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	stop := runAgent(tb, a, ln)
	tb.Cleanup(stop)
	return a
}

// runAgent runs an agent and returns what stops it, which may be called again.
func runAgent(tb testing.TB, a *Agent, ln net.Listener) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Serve(ctx, ln) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("agent: %v", err)
		}
	})
}

// serveToy serves a toy behind a real socket.
func serveToy(tb testing.TB, cfg AgentConfig) (s stand, url string) {
	tb.Helper()
	ln := socket(tb)
	d := newToy()
	return stand{d, serveAgent(tb, d, cfg, ln)}, "ws://" + ln.Addr().String()
}

// inBubble serves a toy in memory to a controller that accepts it, in virtual time: waiting takes none, and nothing is late.
func inBubble(t *testing.T, cfg AgentConfig, f func(t *testing.T, s stand, c *client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPipes(nil)
		d := newToy()
		s := stand{d, serveAgent(t, d, cfg, p)}
		c := dialRaw(t, "ws://robot", &websocket.DialOptions{HTTPClient: p.client()})
		c.next()
		c.send(Welcome{Accept: true, Controller: "test"})
		f(t, s, c)
	})
}

// client is a controller written for tests: it sends and reads frames and nothing by itself.
type client struct {
	testing.TB
	conn *websocket.Conn
}

// dialRaw connects and does not say welcome.
func dialRaw(tb testing.TB, url string, o *websocket.DialOptions) *client {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, o)
	if err != nil {
		tb.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	tb.Cleanup(func() { conn.CloseNow() })
	return &client{tb, conn}
}

// dial connects as a controller that accepts the robot.
func dial(tb testing.TB, url string) *client {
	tb.Helper()
	c := dialRaw(tb, url, nil)
	if f := c.next(); f.Op() != OpHello {
		tb.Fatalf("the first frame is %+v", f)
	}
	c.send(Welcome{Accept: true, Controller: "test"})
	return c
}

const patience = 10 * time.Second

func (c *client) send(frames ...Frame) {
	c.Helper()
	for _, f := range frames {
		c.text(string(Append(nil, f)))
	}
}

func (c *client) text(s string) {
	c.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.conn.Write(ctx, websocket.MessageText, []byte(s)); err != nil {
		c.Fatalf("send %s: %v", s, err)
	}
}

// raw returns the next message, or why there is none.
func (c *client) raw() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, data, err := c.conn.Read(ctx)
	return data, err
}

func (c *client) next() Frame {
	c.Helper()
	data, err := c.raw()
	if err != nil {
		c.Fatalf("read: %v", err)
	}
	f, err := Decode(data)
	if err != nil {
		c.Fatalf("the agent sends %s: %v", data, err)
	}
	return f
}

// await reads until a frame of type F fits.
func await[F Frame](c *client, what string, fits func(F) bool) F {
	c.Helper()
	var last Frame
	for range 2000 {
		last = c.next()
		if f, ok := last.(F); ok && fits(f) {
			return f
		}
	}
	c.Fatalf("no %s came, the last frame was %+v", what, last)
	panic("unreachable")
}

// closed reads until the agent closes the link and returns how it does.
func (c *client) closed() websocket.CloseError {
	c.Helper()
	for {
		if _, err := c.raw(); err != nil {
			var ce websocket.CloseError
			errors.As(err, &ce)
			return ce
		}
	}
}

// sync waits until the agent has handled all that was sent.
func (c *client) sync() {
	c.Helper()
	t := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)).Float64()
	c.send(Ping{T: t})
	await(c, "pong", func(p Pong) bool { return p.T == t })
}

// eventually waits until cond holds.
func eventually(tb testing.TB, what string, cond func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			tb.Fatalf("not after %v: %s", patience, what)
		}
	}
}
