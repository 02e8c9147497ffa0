package rosbridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// TestClientRestoresEverything: roslibjs#246, #497, roslibpy#29, #70, #108, #114, roslibrust#14.
func TestClientRestoresEverything(t *testing.T) {
	c, s, l := newTestClient(t, func(cfg *ClientConfig) { cfg.Name = "sarathi" })
	_, got := bodies(t, c, "/a", SubscribeOptions{Throttle: time.Second})
	gone, _ := bodies(t, c, "/gone", SubscribeOptions{})
	gone.Close()
	latched, err := AdvertiseAs[std.String](c, "/latched", AdvertiseOptions{Latch: true})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := AdvertiseAs[std.String](c, "/plain", AdvertiseOptions{QueueSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := latched.Publish(&std.String{Data: "old"}); err != nil {
		t.Fatal(err)
	}
	_, err = ServeAs(c, "/enable", stdsrvs.SetBoolService, func(context.Context, stdsrvs.SetBoolRequest) (stdsrvs.SetBoolResponse, error) {
		return stdsrvs.SetBoolResponse{Message: "served"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ServeAction("/go", "foo/Go", func(context.Context, *ActionGoal) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	address := s.http.Listener.Addr().String()
	l.drop()
	s.http.CloseClientConnections()
	s.http.Close()
	waitFor(t, "the loss", func() bool { return !c.Stats().Connected })
	if err := plain.Publish(&std.String{Data: "unheard"}); !errors.Is(err, ErrNotConnected) {
		t.Errorf("publishing without a link: %v", err)
	}
	if err := latched.Publish(&std.String{Data: "new"}); err != nil {
		t.Errorf("latching without a link: %v", err)
	}

	l = newScripted(t, address).link() // another server on the same port
	for _, want := range []string{
		`{"op":"hello","node":"sarathi"}`,
		`{"op":"advertise","topic":"/latched","type":"std_msgs/msg/String","latch":true,"queue_size":100}`,
		`{"op":"publish","topic":"/latched","msg":{"data":"new"}}`,
		`{"op":"advertise","topic":"/plain","type":"std_msgs/msg/String","queue_size":1}`,
		`{"op":"advertise_service","service":"/enable","type":"std_srvs/srv/SetBool"}`,
		`{"op":"advertise_action","action":"/go","type":"foo/Go"}`,
		`{"op":"subscribe","topic":"/a","throttle_rate":1000,"compression":"none"}`,
	} {
		l.expect(want)
	}
	l.say(publishA("1"))
	wantText(t, got, "1")
	l.say(`{"op":"call_service","id":7,"service":"/enable","args":[true]}`)
	if id := l.expect(`{"op":"service_response","service":"/enable","values":{"success":false,"message":"served"},"result":true}`); id != "7" {
		t.Errorf("answered as %s", id)
	}
	if n := c.Stats().Links; n != 2 {
		t.Errorf("%d links, want 2", n)
	}
}

func TestClientTellsOfItsLink(t *testing.T) {
	events := make(chan string, 8)
	c, s, l := newTestClient(t, func(cfg *ClientConfig) {
		cfg.OnLink = func(up bool, err error) { events <- fmt.Sprint(up, " ", err != nil) }
	})
	l.drop()
	l = s.link()
	wantText(t, events, "true false", "false true", "true false")
	c.Close()
	wantText(t, events, "false true")
	l.expectEnd()
	if err := c.WaitConnected(within(t)); !errors.Is(err, ErrClientClosed) {
		t.Errorf("waiting at a closed client: %v", err)
	}
}

// TestClientGivesUpAHandshake that does not end: rosbridge_suite#425, #831.
func TestClientGivesUpAHandshake(t *testing.T) {
	verifyNoLeaks(t)
	s := newScripted(t, "")
	dead := make(chan struct{})
	var first atomic.Bool
	s.check = func(*http.Request) int {
		if !first.Swap(true) {
			<-dead
		}
		return 0
	}
	cfg := quick(s.url())
	cfg.DialTimeout = 50 * time.Millisecond
	c, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	t.Cleanup(func() { close(dead) })
	s.link() // of a later attempt
	if err := c.WaitConnected(within(t)); err != nil {
		t.Error(err)
	}
}

// TestClientPings ends a link whose other end does not answer, and makes the next: rosbridge_suite#410, #435.
func TestClientPings(t *testing.T) {
	c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.PingPeriod = 5 * time.Millisecond })
	waitFor(t, "a pong", func() bool { return c.Stats().RTT > 0 })
	c.Close()
	l.expectEnd()

	s := newScripted(t, "")
	frozen := make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(frozen) }))
	s.http.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { freeze(t, w, r, frozen) })
	lost := make(chan error, 8)
	cfg := quick(s.url())
	cfg.PingPeriod, cfg.PingTimeout = 5*time.Millisecond, 20*time.Millisecond
	cfg.OnLink = func(up bool, err error) {
		if !up {
			lost <- err
		}
	}
	c = connect(t, cfg)
	if err := receive(t, lost, "the loss"); !errors.Is(err, errNoPong) {
		t.Errorf("the link was lost because: %v", err)
	}
	if err := c.WaitConnected(within(t)); err != nil {
		t.Error(err)
	}
}

// freeze shakes hands and does nothing more until told.
func freeze(t *testing.T, w http.ResponseWriter, r *http.Request, until <-chan struct{}) {
	key := r.Header.Get("Sec-WebSocket-Key")
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", acceptOf(key))
	<-until
}

func TestClientIsRefused(t *testing.T) {
	verifyNoLeaks(t)
	s := newScripted(t, "")
	s.check = func(r *http.Request) int {
		if r.Header.Get("Authorization") != "Bearer secret" {
			return http.StatusUnauthorized
		}
		return 0
	}
	if _, err := Dial(within(t), quick(s.url())); err == nil || !strings.Contains(err.Error(), "wants a token") {
		t.Errorf("without the token: %v", err)
	}
	cfg := quick(s.url())
	cfg.Token = "secret"
	connect(t, cfg)
}

func TestClientFindsNobody(t *testing.T) {
	verifyNoLeaks(t)
	s := newScripted(t, "")
	url := s.url()
	s.http.Close()
	if _, err := Dial(within(t), quick(url)); err == nil || !strings.HasPrefix(err.Error(), "connect to "+url) {
		t.Errorf("error %v", err)
	}
	c, err := NewClient(quick(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := c.WaitConnected(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v, want the time-out and its reason", err)
	}
	if _, err := c.Call(t.Context(), "/a", nil); !errors.Is(err, ErrNotConnected) {
		t.Errorf("a call without a link: %v", err)
	}
	if _, err := c.SendGoal("/a", "foo/Go", nil, GoalOptions{}); !errors.Is(err, ErrNotConnected) {
		t.Errorf("a goal without a link: %v", err)
	}
}

func TestClientConfig(t *testing.T) {
	for text, want := range map[string]string{
		"robot":                  "ws://robot:9090",
		"10.0.0.7:9091":          "ws://10.0.0.7:9091",
		"wss://robot/ros?token=": "wss://robot:9090/ros?token=",
		"ws://[::1]:1":           "ws://[::1]:1",
		"http://robot":           "",
		"":                       "",
		"ws://":                  "",
		"ws://a b":               "",
	} {
		if got, err := (ClientConfig{URL: text}).address(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	bad := ClientConfig{URL: "x", Budget: -1, Backoff: -1, Dialect: 7}
	if err := bad.Validate(); err == nil || len(strings.Split(err.Error(), "\n")) != 3 {
		t.Errorf("error %v, want three faults", err)
	}
	if _, err := NewClient(bad); err == nil {
		t.Error("a client with negative bounds")
	}
}

// TestClientLeavesGiants: what a server sends is bounded, whatever it is wrapped in.
func TestClientLeavesGiants(t *testing.T) {
	c, s, l := newTestClient(t, func(cfg *ClientConfig) { cfg.MaxMessage = 10_000 })
	_, got := bodies(t, c, "/a", SubscribeOptions{})
	giant := publishA(`"` + strings.Repeat("x", 20_000) + `"`)
	l.say(fmt.Sprintf(`{"op":"png","data":%q}`, EncodePNG([]byte(giant))))
	for _, f := range AppendFragments(nil, []byte(giant), "x", 4_000) {
		l.say(string(f))
	}
	l.say(publishA("1"))
	wantText(t, got, "1")
	if n := c.Stats().Malformed; n < 2 {
		t.Errorf("%d frames were refused, want the png and a fragment", n)
	}
	l.say(giant)
	l.expectEnd()
	s.link().say(publishA("2"))
	wantText(t, got, "2")
}

// TestClientLogsStatus once a second: a server that complains without end fills no disk.
func TestClientLogsStatus(t *testing.T) {
	var log logged
	c, _, l := newTestClient(t, func(cfg *ClientConfig) { cfg.Log = slog.New(&log) })
	_, got := bodies(t, c, "/a", SubscribeOptions{})
	for range 100 {
		l.say(`{"op":"status","level":"error","id":7,"msg":"no such topic"}`)
	}
	l.say(publishA("1"))
	wantText(t, got, "1")
	log.mu.Lock()
	defer log.mu.Unlock()
	if log.errors < 1 || log.errors > 2 {
		t.Errorf("%d errors were logged, want one", log.errors)
	}
}

// logged counts errors.
type logged struct {
	mu     sync.Mutex
	errors int
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }
func (l *logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logged) WithGroup(string) slog.Handler            { return l }
func (l *logged) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Level >= slog.LevelError {
		l.errors++
	}
	return nil
}

// TestClientChurn has links, subscriptions and calls come and go at once (rosbridge_suite#947, #580, #1194).
func TestClientChurn(t *testing.T) {
	c, s, l := newTestClient(t, nil)
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			l.drop()
			select {
			case l = <-s.links:
			case <-stop:
				return
			}
		}
	})
	var users sync.WaitGroup
	for i := range 4 {
		users.Go(func() {
			for range 50 {
				sub, err := c.Subscribe(fmt.Sprint("/t", i%2), SubscribeOptions{Buffer: i + 1}, func(Delivery) {})
				if err != nil {
					t.Error(err)
					return
				}
				p, err := c.Advertise("/p", "foo/Bar", AdvertiseOptions{Latch: i == 0})
				if err != nil {
					t.Error(err)
					return
				}
				_ = p.Publish([]byte("1"))
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				_, _ = c.Call(ctx, "/s", nil)
				cancel()
				p.Close()
				sub.Close()
			}
		})
	}
	users.Wait()
	close(stop)
	all.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff([]int{0, 0, 0}, []int{len(c.topics), len(c.publishers), len(c.calls)}); diff != "" {
		t.Errorf("left over: topics, publishers, calls (-want +got):\n%s", diff)
	}
}

// TestClientSendsBeforeItCloses: the last word, such as a velocity of zero, is heard.
func TestClientSendsBeforeItCloses(t *testing.T) {
	for range 20 {
		c, _, l := newTestClient(t, nil)
		p, err := c.Advertise("/a", "foo/Bar", AdvertiseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			if err := p.Publish(fmt.Append(nil, n)); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
		l.expect(`{"op":"advertise","topic":"/a","type":"foo/Bar","queue_size":100}`)
		for n := range 10 {
			l.expect(publishA(fmt.Sprint(n)))
		}
		l.expectEnd()
	}
}

func TestClosedClient(t *testing.T) {
	c, _, l := newTestClient(t, nil)
	p, err := c.Advertise("/a", "foo/Bar", AdvertiseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := bodies(t, c, "/a", SubscribeOptions{})
	c.Close()
	c.Close()
	l.expectEnd()
	s.Close()
	p.Close()
	_, subscribed := c.Subscribe("/b", SubscribeOptions{}, func(Delivery) {})
	_, advertised := c.Advertise("/b", "foo/Bar", AdvertiseOptions{})
	_, served := c.Serve("/b", "foo/Bar", nil)
	_, acted := c.ServeAction("/b", "foo/Bar", nil)
	_, called := c.Call(within(t), "/b", nil)
	_, sent := c.SendGoal("/b", "foo/Bar", nil, GoalOptions{})
	for i, err := range []error{subscribed, advertised, served, acted, called, sent, p.Publish([]byte("1"))} {
		if !errors.Is(err, ErrClientClosed) {
			t.Errorf("%d: error %v, want that the client is closed", i, err)
		}
	}
}
