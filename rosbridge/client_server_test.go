package rosbridge

import (
	"context"
	"crypto/sha1" //nolint:gosec // the protocol asks for it
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"
)

// patience is how long a test waits for something that must happen.
const patience = 10 * time.Second

// scripted is a server whose words are the test's.
type scripted struct {
	t     testing.TB
	http  *httptest.Server
	links chan *scriptedLink
	mu    sync.Mutex
	check func(r *http.Request) int // of the handshake, nil accepts
}

// scriptedLink is one client at it.
type scriptedLink struct {
	t    testing.TB
	conn *websocket.Conn
	in   chan string
	done chan struct{}
}

// newScripted serves on a port of its own, or on a given address.
func newScripted(t testing.TB, address string) *scripted {
	t.Helper()
	s := &scripted{t: t, links: make(chan *scriptedLink, 8)}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	if address != "" {
		_ = s.http.Listener.Close()
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		s.http.Listener = l
	}
	s.http.Start()
	t.Cleanup(s.http.Close)
	return s
}

func (s *scripted) url() string { return "ws://" + s.http.Listener.Addr().String() }

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	check := s.check
	s.mu.Unlock()
	if check != nil {
		if code := check(r); code != 0 {
			http.Error(w, "no", code)
			return
		}
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	conn.SetReadLimit(64 << 20)
	l := &scriptedLink{t: s.t, conn: conn, in: make(chan string, 4096), done: make(chan struct{})}
	defer close(l.done)
	defer close(l.in)
	select {
	case s.links <- l:
	default: // nobody looks at so many
		_ = conn.CloseNow()
		return
	}
	for {
		_, data, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		l.in <- string(data)
	}
}

// link waits for the next client.
func (s *scripted) link() *scriptedLink {
	s.t.Helper()
	l := receive(s.t, s.links, "a client")
	s.t.Cleanup(func() {
		_ = l.conn.CloseNow()
		<-l.done
	})
	return l
}

func receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		t.Fatalf("%s does not come", what)
		panic("unreachable")
	}
}

// expect reads the next frame, which must be as want but for its id, and returns the id. In want, ids are left out.
func (l *scriptedLink) expect(want string) ID {
	l.t.Helper()
	text := receive(l.t, l.in, want)
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		l.t.Fatalf("%s: %v", text, err)
	}
	id := ID(got["id"])
	delete(got, "id")
	delete(got, "timeout")
	var wanted map[string]json.RawMessage
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		l.t.Fatalf("%s: %v", want, err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(wanted)
	if string(a) != string(b) {
		l.t.Fatalf("the client sent\n%s\nwant\n%s", text, want)
	}
	return id
}

// expectEnd waits until the client has gone.
func (l *scriptedLink) expectEnd() {
	l.t.Helper()
	for {
		if _, more := receiveOK(l.t, l.in); !more {
			return
		}
	}
}

func receiveOK[T any](t testing.TB, from <-chan T) (v T, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case v, ok = <-from:
		return v, ok
	case <-ctx.Done():
		t.Fatal("nothing comes, and no end")
		return v, false
	}
}

func (l *scriptedLink) say(text string) {
	l.t.Helper()
	l.write(websocket.MessageText, []byte(text))
}

func (l *scriptedLink) write(kind websocket.MessageType, data []byte) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.conn.Write(ctx, kind, data); err != nil {
		l.t.Fatalf("server writes %.200s: %v", data, err)
	}
}

// drop loses the link without a word.
func (l *scriptedLink) drop() { _ = l.conn.CloseNow() }

// quick is a configuration for tests.
func quick(url string) ClientConfig {
	return ClientConfig{URL: url, Backoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond}
}

// newTestClient returns a client with its first link. It checks that nothing is left running at the end.
func newTestClient(t *testing.T, change func(*ClientConfig)) (*Client, *scripted, *scriptedLink) {
	t.Helper()
	verifyNoLeaks(t)
	s := newScripted(t, "")
	cfg := quick(s.url())
	if change != nil {
		change(&cfg)
	}
	c := connect(t, cfg)
	return c, s, s.link()
}

func verifyNoLeaks(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, before)
	})
}

func connect(t *testing.T, cfg ClientConfig) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := Dial(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// within returns a context for what must happen.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// waitFor polls a condition that some other goroutine makes true.
func waitFor(t testing.TB, what string, cond func() bool) {
	t.Helper()
	ctx := within(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s does not happen", what)
		}
	}
}

// bodies subscribes and returns what comes, as text.
func bodies(t *testing.T, c *Client, topic string, o SubscribeOptions) (*Subscription, <-chan string) {
	t.Helper()
	out := make(chan string, 4096)
	s, err := c.Subscribe(topic, o, func(d Delivery) { out <- string(d.Body) })
	if err != nil {
		t.Fatal(err)
	}
	return s, out
}

func wantText(t *testing.T, from <-chan string, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := receive(t, from, w); strings.TrimSpace(got) != w {
			t.Fatalf("got %s, want %s", got, w)
		}
	}
}

// acceptOf is the proof of a server that it speaks WebSocket (RFC 6455 section 4.2.2).
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // the protocol asks for it
	return base64.StdEncoding.EncodeToString(sum[:])
}

// cborFrame is a message of topic /a in CBOR, up to the message.
func cborFrame() []byte {
	frame := appendHead(nil, cborMap, 3)
	frame = appendCBORText(appendCBORText(frame, "op"), OpPublish)
	frame = appendCBORText(appendCBORText(frame, "topic"), "/a")
	return appendCBORText(frame, "msg")
}

// rawFrame is a message of topic /a in cbor-raw.
func rawFrame(at time.Time, serialized []byte) []byte {
	return appendCBORRaw(cborFrame(), at, serialized)
}
