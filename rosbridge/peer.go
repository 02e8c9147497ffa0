package rosbridge

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/rosbridge/internal/ws"
)

// peer is a client of the broker. Two goroutines serve it: run reads and handles what it sends, in order; the writer sends what
// waits for it.
type peer struct {
	b         *Broker
	conn      *ws.Conn
	out       *outbox
	writer    writer
	log       *slog.Logger
	remote    string
	number    uint64 // tells clients apart, from 1
	dialect   Dialect
	connected time.Time

	heard  atomic.Int64 // when something was last read, Unix nanoseconds, as fine as the steward looks
	alive  atomic.Bool  // something was read since the steward looked
	pinged atomic.Bool
	node   atomic.Pointer[string] // name given by hello, or nil
	faults atomic.Uint64          // malformed frames and refused requests

	asking  atomic.Int64   // calls that helpers answer
	helpers sync.WaitGroup // they ask others for parameters

	// The fields below are owned by run.

	publishers    map[string]*publisher // by the name as written
	subscriptions map[subscriptionKey]*subscription
	services      map[string]*service
	actions       map[string]*actionServer
	assembler     *Assembler
	flusher       flusher
	credit        float64 // malformed frames that are forgiven
	creditAt      time.Time
}

// subscriptionKey tells the subscriptions of one client apart.
type subscriptionKey struct {
	name string // as written
	enc  encoding
}

func newPeer(b *Broker, conn *ws.Conn, remote string, d Dialect) *peer {
	now := time.Now()
	p := &peer{
		b: b, conn: conn, out: newOutbox(b.cfg.queued()), remote: remote, number: b.lastPeer.Add(1), dialect: d, connected: now,
		log:        b.log.With("remote", remote),
		publishers: map[string]*publisher{}, subscriptions: map[subscriptionKey]*subscription{},
		services: map[string]*service{}, actions: map[string]*actionServer{},
		assembler: NewAssembler(b.cfg.MaxMessage, b.cfg.FragmentAge),
		credit:    float64(b.cfg.MaxFaulty), creditAt: now,
	}
	p.writer.conn, p.writer.out = conn.Conn, p.out
	if tcp, ok := conn.Conn.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			p.writer.raw, p.out.direct = raw, true
		}
	}
	p.heard.Store(now.UnixNano())
	return p
}

// nodeName returns the node that introspection shows for the client.
func (p *peer) nodeName() string {
	if name := p.node.Load(); name != nil {
		return *name
	}
	return p.b.cfg.NodeName
}

// run serves the client until it is gone, and leaves nothing of it behind.
func (p *peer) run() {
	p.log.Info("client connected")
	written := make(chan struct{})
	go func() {
		defer close(written)
		p.writer.run()
	}()
	err := p.read()
	p.flusher.flush()
	p.leave()
	if bye, ok := errors.AsType[*ws.CloseError](err); ok {
		p.bye(bye.Code, farewellReason(bye))
	} else {
		p.out.close()
		_ = p.conn.Close()
	}
	<-written
	p.helpers.Wait()
	_ = p.conn.Close()
	p.log.Info("client gone", "reason", reasonOf(err), "dropped", p.out.lost(), "faults", p.faults.Load())
}

func farewellReason(e *ws.CloseError) string {
	if e.Remote {
		return ""
	}
	return e.Reason
}

func reasonOf(err error) string {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return "closed by the broker"
	}
	return err.Error()
}

// read handles frames until the connection ends. After the broker's own close frame it reads on until the peer closes.
func (p *peer) read() error {
	for {
		kind, payload, err := p.conn.Read(p.b.cfg.MaxMessage)
		if err != nil {
			return err
		}
		p.alive.Store(true)
		if p.out.finished() {
			continue
		}
		switch kind {
		case ws.Ping:
			if !p.out.send(ws.Pong, payload) {
				return errTooSlow
			}
		case ws.Pong:
		default:
			if err := p.receive(payload); err != nil {
				return err
			}
		}
		if p.flusher.pending++; p.flusher.pending == maxGathered || !p.conn.Ready() {
			p.flusher.flush()
		}
		if p.out.overflowed() {
			return errTooSlow
		}
	}
}

// errTooSlow ends a client that lets answers wait.
var errTooSlow = &ws.CloseError{Code: ws.PolicyError, Reason: "the client does not take its answers"}

// receive handles the text of one frame. Only what ends the connection is an error.
func (p *peer) receive(text []byte) error {
	f, err := p.parse(text)
	if err == nil {
		err = p.handle(f, 0)
	}
	if err == nil {
		return nil
	}
	return p.fault(err)
}

// parse reads a frame. One that is broken is unheard too, as far as it says what it was for.
func (p *peer) parse(text []byte) (Frame, error) {
	f, err := ParseFrame(text)
	if err == nil {
		return f, nil
	}
	access := &p.b.cfg.Access
	switch name := resolve(f.Topic); {
	case f.Op == OpPublish && name != "" && allowed(access.Publish, name):
		p.unheard(f.Op, name)
	case f.Op == OpCallService:
		if name = resolve(f.Service); name != "" && allowed(access.Call, name) {
			p.unheard(f.Op, name)
		}
	}
	return f, err
}

// maxWrapped is how often a frame may be wrapped: a png frame in fragments.
const maxWrapped = 2

// handle carries out one frame. What the client did wrong is an error, and the connection stays.
func (p *peer) handle(f Frame, wrapped int) error {
	switch f.Op {
	case OpFragment, OpPNG:
		return p.unwrap(f, wrapped)
	case OpPublish:
		return p.publish(f)
	case OpAdvertise:
		return p.advertise(f)
	case OpUnadvertise:
		return p.unadvertise(f)
	case OpSubscribe:
		return p.subscribe(f)
	case OpUnsubscribe:
		return p.unsubscribe(f)
	case OpCallService:
		return p.callService(f)
	case OpServiceResponse:
		return p.serviceResponse(f)
	case OpAdvertiseService:
		return p.advertiseService(f)
	case OpUnadvertiseService:
		return p.unadvertiseService(f)
	default:
		return p.handleAction(f)
	}
}

func (p *peer) handleAction(f Frame) error {
	switch f.Op {
	case OpAdvertiseAction:
		return p.advertiseAction(f)
	case OpUnadvertiseAction:
		return p.unadvertiseAction(f)
	case OpSendActionGoal:
		return p.sendGoal(f)
	case OpCancelActionGoal:
		return p.cancelGoal(f)
	case OpActionFeedback:
		return p.actionFeedback(f)
	case OpActionResult:
		return p.actionResult(f)
	case OpHello:
		return p.hello(f)
	case OpSetLevel, OpStatus, OpAuth:
		return nil // of other servers and times: nothing depends on them
	}
	return &FrameError{Op: f.Op, ID: f.ID, What: "unknown op"}
}

// unwrap handles the frame inside a png frame, or inside fragments when the last one came.
func (p *peer) unwrap(f Frame, wrapped int) error {
	if wrapped == maxWrapped {
		return &FrameError{Op: f.Op, ID: f.ID, What: "wrapped too often"}
	}
	var text []byte
	var err error
	if f.Op == OpPNG {
		text, err = DecodePNG(f.Data, p.b.cfg.MaxMessage)
	} else {
		text, err = p.assembler.Add(time.Now(), f)
	}
	if err != nil {
		return &FrameError{Op: f.Op, ID: f.ID, What: err.Error()}
	}
	if text == nil {
		return nil
	}
	inner, err := p.parse(text)
	if err != nil {
		return err
	}
	return p.handle(inner, wrapped+1)
}

func (p *peer) hello(f Frame) error {
	name := resolve(f.Node)
	if name == "" {
		return &FrameError{Op: f.Op, ID: f.ID, What: "bad node name"}
	}
	p.node.Store(&name)
	return nil
}

// fault notes what the client did wrong: in the log when it is the first, the tenth, the hundredth time. Malformed frames cost
// credit, which comes back with time; without credit the connection ends.
func (p *peer) fault(err error) error {
	n := p.faults.Add(1)
	if tens := math.Log10(float64(n)); tens == math.Trunc(tens) {
		p.log.Warn("frame refused", "error", err, "faults", n)
	}
	if _, malformed := errors.AsType[*FrameError](err); !malformed {
		return nil
	}
	now := time.Now()
	p.credit += now.Sub(p.creditAt).Seconds() * p.b.cfg.FaultyRate
	p.credit, p.creditAt = min(p.credit, float64(p.b.cfg.MaxFaulty))-1, now
	if p.credit < 0 {
		return &ws.CloseError{Code: ws.PolicyError, Reason: fmt.Sprintf("too many malformed frames; the last: %v", err)}
	}
	return nil
}

// inspect is the steward's look at the client: is it alive, does its write go on?
func (p *peer) inspect(now time.Time) {
	nanos := now.UnixNano()
	if p.alive.Swap(false) {
		p.heard.Store(nanos)
		p.pinged.Store(false)
	}
	silence := time.Duration(nanos - p.heard.Load())
	since := p.writer.since.Load()
	switch {
	case since != 0 && time.Duration(nanos-since) > p.b.cfg.Grace:
		p.log.Warn("client cut off: it does not read", "grace", p.b.cfg.Grace)
		p.cut()
	case silence > p.b.cfg.PingEvery+p.b.cfg.PingTimeout:
		p.log.Warn("client cut off: it does not answer", "silence", silence)
		p.cut()
	case silence > p.b.cfg.PingEvery && !p.pinged.Swap(true):
		p.out.send(ws.Ping, nil)
	case p.out.overflowed():
		p.log.Warn("client cut off: too many answers wait for it")
		p.cut()
	}
}

// bye lets the writer end with a close frame, in a short time also when a write is under way that does not go on.
func (p *peer) bye(code int, reason string) {
	p.out.finish(ws.AppendClose(nil, code, reason))
	_ = p.conn.SetWriteDeadline(time.Now().Add(farewell))
}

// cut ends the connection without a word; run cleans up.
func (p *peer) cut() {
	p.out.close()
	_ = p.conn.Close()
}

// names returns how many topics, services and actions the client uses.
func (p *peer) full() error {
	if n := len(p.publishers) + len(p.subscriptions) + len(p.services) + len(p.actions); n >= p.b.cfg.MaxNames {
		return fmt.Errorf("the client uses %d topics, services and actions, which is all that one may", n)
	}
	return nil
}

// send queues a frame that must arrive.
func (p *peer) send(f *Frame) { p.out.send(ws.Text, f.AppendJSON(make([]byte, 0, len(f.Body)+256))) }

// leave takes everything back that the client offered or asked for.
func (p *peer) leave() {
	b := p.b
	b.mu.Lock()
	delete(b.clients, p)
	b.counted = false
	b.wakeLocked()
	for _, pub := range p.publishers {
		b.unadvertiseLocked(pub)
	}
	for _, s := range p.subscriptions {
		b.unsubscribeLocked(s)
	}
	for _, s := range p.services {
		b.removeServiceLocked(s)
	}
	for _, a := range p.actions {
		b.removeActionLocked(a)
	}
	b.mu.Unlock()
	for _, s := range p.services {
		b.failCallsTo(s)
	}
	b.forgetCallsOf(p)
	for _, a := range p.actions {
		b.abortGoalsOf(a)
	}
	b.cancelGoalsFrom(p)
}
