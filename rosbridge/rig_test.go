package rosbridge_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"sarathi/rosbridge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come. Nothing waits so long but a test that fails.
const patience = 20 * time.Second

// rig is a broker on a listener of its own.
type rig struct {
	*rosbridge.Broker
	t      testing.TB
	url    string
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	closed sync.Once
	server *http.Server

	mu    sync.Mutex
	users map[*user]struct{} // that have not left
}

// config is a broker's configuration for tests, which fail loudly but log quietly.
func config() rosbridge.Config {
	cfg := rosbridge.DefaultConfig()
	cfg.Log = slog.New(slog.DiscardHandler)
	if os.Getenv("ROSBRIDGE_LOG") != "" {
		cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return cfg
}

// start serves a broker over TCP.
func start(t testing.TB, cfg rosbridge.Config) *rig {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, cfg, l, (&net.Dialer{}).DialContext)
}

// startPiped serves a broker without sockets, for tests in virtual time.
func startPiped(t testing.TB, cfg rosbridge.Config) *rig {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	return serve(t, cfg, l, l.dial)
}

func serve(t testing.TB, cfg rosbridge.Config, l net.Listener, dial func(context.Context, string, string) (net.Conn, error)) *rig {
	t.Helper()
	b, err := rosbridge.NewBroker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Broker: b, t: t, url: "ws://" + l.Addr().String(), dial: dial, server: &http.Server{Handler: b, ReadHeaderTimeout: patience}, users: map[*user]struct{}{}}
	served := make(chan struct{})
	go func() {
		defer close(served)
		r.server.Serve(l)
	}()
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for u := range r.users {
			u.conn.CloseNow()
		}
		r.stop()
		<-served
	})
	return r
}

// stop closes the broker and its listener.
func (r *rig) stop() {
	r.closed.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			r.t.Error(err)
		}
		r.server.Close()
	})
}

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// user is a client that sends texts and receives frames.
type user struct {
	t      testing.TB
	rig    *rig
	conn   *websocket.Conn
	frames chan got
	end    chan error // why reading ended
}

// got is a frame that came: text, or CBOR.
type got struct {
	text   string
	binary []byte
}

func (r *rig) options() *websocket.DialOptions {
	return &websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: r.dial}}}
}

// join connects a client.
func (r *rig) join() *user { return r.joinAt("/") }

func (r *rig) joinAt(path string) *user {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, r.url+path, r.options())
	if err != nil {
		r.t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	u := &user{t: r.t, rig: r, conn: conn, frames: make(chan got, 1<<12), end: make(chan error, 1)}
	go func() {
		for {
			kind, data, err := conn.Read(context.Background())
			if err != nil {
				u.end <- err
				close(u.frames)
				return
			}
			g := got{binary: data}
			if kind == websocket.MessageText {
				g = got{text: string(data)}
			}
			u.frames <- g
		}
	}()
	r.mu.Lock()
	r.users[u] = struct{}{}
	r.mu.Unlock()
	return u
}

// leave closes the connection as a program does that ends.
func (u *user) leave() {
	u.rig.mu.Lock()
	delete(u.rig.users, u)
	u.rig.mu.Unlock()
	u.conn.CloseNow()
}

// say sends texts and returns when the broker has handled them.
func (u *user) say(texts ...string) {
	u.t.Helper()
	for _, text := range texts {
		u.send(websocket.MessageText, text)
	}
	u.sync()
}

func (u *user) send(kind websocket.MessageType, text string) {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := u.conn.Write(ctx, kind, []byte(text)); err != nil {
		u.t.Fatal(err)
	}
}

// sync returns when the broker has handled what was sent so far.
func (u *user) sync() {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := u.conn.Ping(ctx); err != nil {
		u.t.Fatal(err)
	}
}

// next returns the next frame.
func (u *user) next() got {
	u.t.Helper()
	select {
	case g, ok := <-u.frames:
		if !ok {
			u.t.Fatalf("the connection ended: %v", <-u.end)
		}
		return g
	case <-time.After(patience):
		u.t.Fatal("no frame came")
		return got{}
	}
}

// expect asserts the next frames.
func (u *user) expect(texts ...string) {
	u.t.Helper()
	for _, want := range texts {
		if g := u.next(); g.text != want {
			u.t.Fatalf("got  %.500s%x\nwant %.500s", g.text, g.binary, want)
		}
	}
}

// quiet asserts that nothing more has come, after the broker has handled what this client sent.
func (u *user) quiet() {
	u.t.Helper()
	u.sync()
	select {
	case g, ok := <-u.frames:
		u.t.Fatalf("unasked: %.300s%x (open: %v)", g.text, g.binary, ok)
	default:
	}
}

// closed waits for the end of the connection and returns its code.
func (u *user) closed() websocket.StatusCode {
	u.t.Helper()
	select {
	case err := <-u.end:
		if websocket.CloseStatus(err) < 0 {
			u.t.Logf("ended with %v", err)
		}
		return websocket.CloseStatus(err)
	case <-time.After(patience):
		u.t.Fatal("the connection did not end")
		return 0
	}
}

// call calls a service and returns values and result of the answer.
func (u *user) call(service, args string) (values string, ok bool) {
	u.t.Helper()
	u.send(websocket.MessageText, `{"op":"call_service","id":"call","service":"`+service+`","args":`+args+`}`)
	for {
		g := u.next()
		var r struct {
			Op     string          `json:"op"`
			ID     string          `json:"id"`
			Values json.RawMessage `json:"values"`
			Result bool            `json:"result"`
		}
		if g.text == "" || json.Unmarshal([]byte(g.text), &r) != nil || r.Op != "service_response" || r.ID != "call" {
			continue
		}
		return string(r.Values), r.Result
	}
}

// mute is a connection whose owner reads only when told to.
func (r *rig) mute() net.Conn { return r.raw(4 << 10) }

// raw is a connection on which the test does everything itself. Its receive buffer has about size bytes.
func (r *rig) raw(size int) net.Conn {
	r.t.Helper()
	conn, err := r.dial(context.Background(), "tcp", strings.TrimPrefix(r.url, "ws://"))
	if err != nil {
		r.t.Fatal(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetReadBuffer(size)
	}
	r.t.Cleanup(func() { conn.Close() })
	request := "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	if _, err := conn.Write([]byte(request)); err != nil {
		r.t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		r.t.Fatal(answer, err)
	}
	return conn
}

// shout sends a text frame on a raw connection.
func shout(t testing.TB, conn net.Conn, text string) {
	t.Helper()
	if _, err := conn.Write(clientFrame(0x81, text)); err != nil {
		t.Fatal(err)
	}
}

// clientFrame is a masked frame with a mask of zeros.
func clientFrame(first byte, payload string) []byte {
	frame := []byte{first}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = append(frame, 0x80|126, byte(n>>8), byte(n))
	default:
		frame = append(frame, 0x80|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(append(frame, 0, 0, 0, 0), payload...)
}

// until waits for a condition that other goroutines bring about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// frameReader reads text frames from a raw connection.
type frameReader struct{ r *bufio.Reader }

func newFrameReader(conn net.Conn) *frameReader { return &frameReader{bufio.NewReader(conn)} }

// next returns the payload of the next frame.
func (f *frameReader) next(t testing.TB) string {
	t.Helper()
	head := make([]byte, 10)
	read := func(b []byte) {
		if _, err := io.ReadFull(f.r, b); err != nil {
			t.Fatal(err)
		}
	}
	read(head[:2])
	n := int(head[1])
	switch n {
	case 126:
		read(head[2:4])
		n = int(binary.BigEndian.Uint16(head[2:]))
	case 127:
		read(head[2:10])
		n = int(binary.BigEndian.Uint64(head[2:]))
	}
	payload := make([]byte, n)
	read(payload)
	return string(payload)
}
