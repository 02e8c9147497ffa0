package rosbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/rosbridge/internal/ws"
)

// Broker is a rosbridge v2 server. It is an [http.Handler] for any path: it accepts WebSockets, and answers GET /version and
// GET /stats. Listening, TLS and the address are its owner's business.
//
// No client can hold up another: everything that waits for a client waits in that client's own bounded queue.
type Broker struct {
	cfg      Config
	log      *slog.Logger
	types    *typeTable
	params   *paramStore
	start    time.Time
	running  sync.WaitGroup // goroutines of clients and the steward
	stop     chan struct{}  // closed by Close
	wakeUp   chan struct{}  // of one: the steward has something to do
	own      map[string]ownService
	refused  atomic.Uint64 // handshakes
	nextID   atomic.Uint64
	lastPeer atomic.Uint64 // number of the newest client

	count, roster *LocalPublisher // /client_count, /connected_clients

	mu       sync.Mutex // before topic.mu, calls.mu, outbox.mu
	closed   bool
	clients  map[*peer]struct{}
	reserved int // places of clients in their handshake
	topics   map[string]*topic
	services map[string]*service
	actions  map[string]*actionServer
	locals   map[*Attachment]struct{}
	events   []func(Observer) // for the steward to tell
	demands  []func()         // the same, of attachments
	counted  bool             // the clients are as last published

	latched latchStore

	calls calls
	goals goals
}

// NewBroker returns a broker that is ready to serve. It fails when cfg is not valid. It must be closed.
func NewBroker(cfg Config) (*Broker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("rosbridge broker: %w", err)
	}
	b := &Broker{
		cfg: cfg, log: cfg.Log, types: newTypeTable(), params: newParamStore(cfg.MaxParams), start: time.Now(),
		stop: make(chan struct{}), wakeUp: make(chan struct{}, 1),
		clients: map[*peer]struct{}{}, topics: map[string]*topic{}, services: map[string]*service{},
		actions: map[string]*actionServer{}, locals: map[*Attachment]struct{}{},
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.latched.most = int64(cfg.MaxLatched)
	b.calls.init()
	b.goals.init()
	b.own = b.builtins()
	own := b.Attach(cfg.NodeName)
	var err error
	latched := TopicOptions{Latch: true, Exclusive: true}
	if b.count, err = own.Advertise("/client_count", "std_msgs/Int32", latched); err != nil {
		return nil, fmt.Errorf("rosbridge broker: %w", err)
	}
	if b.roster, err = own.Advertise("/connected_clients", "rosbridge_msgs/ConnectedClients", latched); err != nil {
		return nil, fmt.Errorf("rosbridge broker: %w", err)
	}
	b.publishClients()
	b.running.Go(b.steward)
	return b, nil
}

// ServeHTTP answers the handshake and leaves the connection to goroutines of the broker.
func (b *Broker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case ws.IsUpgrade(r):
		b.accept(w, r)
	case r.URL.Path == "/version":
		b.answer(w, r, map[string]any{"protocol": map[string]int{"major": 2, "minor": 1, "patch": 0}, "server": b.cfg.Version})
	case r.URL.Path == "/stats":
		if !b.cfg.authorized(r) {
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		b.answer(w, r, b.Stats())
	default:
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "this is a rosbridge server: connect with a WebSocket", http.StatusUpgradeRequired)
	}
}

func (b *Broker) answer(w http.ResponseWriter, r *http.Request, v any) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		b.log.DebugContext(r.Context(), "answer not sent", "path", r.URL.Path, "error", err)
	}
}

// accept admits a client, or refuses it with the reason.
func (b *Broker) accept(w http.ResponseWriter, r *http.Request) {
	refuse := func(code int, why string) {
		b.refused.Add(1)
		b.log.WarnContext(r.Context(), "connection refused", "remote", r.RemoteAddr, "reason", why)
		http.Error(w, why, code)
	}
	dialect, ok := b.dialectOf(r)
	switch {
	case !b.cfg.originAllowed(r):
		refuse(http.StatusForbidden, "pages of this origin may not connect: add it to the allowed origins")
		return
	case !b.cfg.authorized(r):
		refuse(http.StatusUnauthorized, "the token is missing or wrong: send it as ?token= or as Authorization: Bearer")
		return
	case !ok:
		refuse(http.StatusBadRequest, "ros is 1 or 2")
		return
	}
	if !b.reserve() {
		refuse(http.StatusServiceUnavailable, fmt.Sprintf("%d clients are connected, which is all that are allowed", b.cfg.MaxClients))
		return
	}
	conn, err := ws.Accept(w, r)
	if err != nil {
		b.mu.Lock()
		b.reserved--
		b.mu.Unlock()
		b.refused.Add(1)
		b.log.DebugContext(r.Context(), "bad handshake", "remote", r.RemoteAddr, "error", err)
		return
	}
	c := newPeer(b, conn, r.RemoteAddr, dialect)
	if !b.add(c) { // closed meanwhile: say so all the same
		c.bye(ws.GoingAway, goingDown)
		c.writer.run()
		_ = conn.Close()
	}
}

// dialectOf returns what a client asked for in its URL, or the broker's dialect.
func (b *Broker) dialectOf(r *http.Request) (d Dialect, ok bool) {
	switch r.URL.Query().Get("ros") {
	case "":
		return b.cfg.Dialect, true
	case "1":
		return ROS1, true
	case "2":
		return ROS2, true
	}
	return 0, false
}

// reserve keeps a place for a client during its handshake, if there is one.
func (b *Broker) reserve() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.clients)+b.reserved >= b.cfg.MaxClients {
		return false
	}
	b.reserved++
	return true
}

// add starts a client in its reserved place, unless the broker is closed.
func (b *Broker) add(c *peer) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
	if b.closed {
		return false
	}
	b.clients[c] = struct{}{}
	b.counted = false
	b.wakeLocked()
	b.running.Go(c.run)
	return true
}

const goingDown = "the server is going down"

// Close says goodbye to every client, and returns when nothing of the broker runs any more. When ctx ends first, the connections are
// cut. Calls that are open fail.
func (b *Broker) Close(ctx context.Context) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		b.running.Wait()
		return nil
	}
	b.closed = true
	close(b.stop)
	for c := range b.clients {
		c.bye(ws.GoingAway, goingDown)
	}
	b.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		b.running.Wait()
		for _, k := range b.calls.takeAll(func(*call) bool { return true }) { // between attachments
			k.answer(nil, "the broker is closed")
		}
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	for c := range b.clients {
		_ = c.conn.Close()
	}
	b.mu.Unlock()
	<-gone
	return fmt.Errorf("rosbridge broker: clients were cut off: %w", ctx.Err())
}

// wakeLocked makes the steward look.
func (b *Broker) wakeLocked() {
	select {
	case b.wakeUp <- struct{}{}:
	default:
	}
}

// tellLocked queues news for the observer, which gets them in order, without a lock held.
func (b *Broker) tellLocked(news func(Observer)) {
	if b.cfg.Observer != nil {
		b.events = append(b.events, news)
		b.wakeLocked()
	}
}

// steward does what no client does for itself: it pings the silent, cuts off the dead, sweeps topics, and tells news.
func (b *Broker) steward() {
	period := max(min(b.cfg.Grace, b.cfg.PingEvery, b.cfg.PingTimeout)/4, 5*time.Millisecond)
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-b.stop:
			b.tellNews()
			return
		case <-b.wakeUp:
			b.tellNews()
		case now := <-ticker.C:
			b.inspect(now)
		}
	}
}

func (b *Broker) tellNews() {
	b.mu.Lock()
	events, demands, recount := b.events, b.demands, !b.counted
	b.events, b.demands, b.counted = nil, nil, true
	b.mu.Unlock()
	for _, tell := range events {
		tell(b.cfg.Observer)
	}
	for _, tell := range demands {
		tell()
	}
	if recount {
		b.publishClients()
	}
}

func (b *Broker) inspect(now time.Time) {
	b.mu.Lock()
	b.sweepLocked(now)
	clients := make([]*peer, 0, len(b.clients))
	for c := range b.clients {
		clients = append(clients, c)
	}
	b.mu.Unlock()
	for _, c := range clients {
		c.inspect(now)
	}
}

// newID returns an id that no other frame of this broker has.
func (b *Broker) newID(kind, name string) ID {
	return StringID(kind + ":" + name + ":" + strconv.FormatUint(b.nextID.Add(1), 10))
}
