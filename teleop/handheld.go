package teleop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"time"

	"sarathi/internal/clock"
)

// A Handheld is a [ClientSession] with a socket. Its methods may be called from any goroutine.
type Handheld struct {
	robot netip.AddrPort
	conn  *net.UDPConn
	clock clock.Real
	tell  func(Event)

	mu    sync.Mutex
	core  *ClientSession
	waits map[int64]chan Event
	late  []Event // of calls by other goroutines, for Run to deliver
}

// Dial prepares a handheld for a robot: host is a name or address, with a port if it is not the dialect's. Nothing is sent before
// [Handheld.Run]. Events go to tell, one at a time from Run's goroutine; what they refer to is valid during the call.
func Dial(ctx context.Context, d *Dialect, host string, cfg ClientConfig, tell func(Event)) (*Handheld, error) {
	robot, err := resolve(ctx, d, host)
	if err != nil {
		return nil, fmt.Errorf("find robot %s: %w", host, err)
	}
	// Not connected: an unreachable network or a robot that restarts are no errors, and the address may change below us.
	conn, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, fmt.Errorf("open a socket for %s: %w", host, err)
	}
	return &Handheld{robot: robot, conn: conn, tell: tell, core: NewClientSession(d, cfg), waits: map[int64]chan Event{}}, nil
}

func resolve(ctx context.Context, d *Dialect, host string) (netip.AddrPort, error) {
	port := d.Port
	if name, text, err := net.SplitHostPort(host); err == nil {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return netip.AddrPort{}, fmt.Errorf("port %q is not 0 to 65535", text)
		}
		host, port = name, uint16(n)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, err
	}
	best := addrs[0].Unmap()
	for _, a := range addrs {
		if a.Unmap().Is4() { // the public robots listen on IPv4
			best = a.Unmap()
			break
		}
	}
	return netip.AddrPortFrom(best, port), nil
}

// Run serves the connection until ctx ends; then it stops the robot, leaves and closes the socket.
func (h *Handheld) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	defer h.conn.Close() //nolint:errcheck // nothing was written that could be lost
	h.do(func(now time.Time) ClientOutput { return h.core.Tick(now) }, true)
	buf := make([]byte, 1<<16)
	for ctx.Err() == nil {
		n, from, err := h.conn.ReadFromUDPAddrPort(buf)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			h.do(func(now time.Time) ClientOutput { return h.core.Tick(now) }, true)
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("read from %s: %w", h.robot, err)
		case err != nil:
			// An ICMP answer to an earlier datagram: the robot may be starting. Time-outs decide.
		case netip.AddrPortFrom(from.Addr().Unmap(), from.Port()) == h.robot:
			h.do(func(now time.Time) ClientOutput { return h.core.HandleDatagram(now, buf[:n]) }, true)
		}
	}
	h.do(func(now time.Time) ClientOutput { return h.core.Close(now) }, true)
	return nil
}

func (h *Handheld) wake() {
	//nolint:errcheck // the socket is closed: nobody waits
	h.conn.SetReadDeadline(h.clock.Now())
}

// do calls the core and sends what it asks for. Only Run delivers events; what other goroutines cause, it finds in late.
func (h *Handheld) do(call func(now time.Time) ClientOutput, running bool) {
	h.mu.Lock()
	out := call(h.clock.Now())
	for _, data := range out.Datagrams {
		//nolint:errcheck // an unreachable network is silence: time-outs decide
		h.conn.WriteToUDPAddrPort(data, h.robot)
	}
	for i := range out.Events {
		e := &out.Events[i]
		if wait := h.waits[e.Ack.ID]; wait != nil && e.Kind == EventResult {
			delete(h.waits, e.Ack.ID)
			wait <- *e
		}
	}
	h.late = append(h.late, out.Events...)
	deadline := h.core.Deadline()
	var events []Event
	if running {
		events, h.late = h.late, nil
	} else if len(h.late) > 0 {
		deadline = h.clock.Now()
	}
	//nolint:errcheck // the socket is closed: nobody waits
	h.conn.SetReadDeadline(deadline)
	h.mu.Unlock()
	for i := range events {
		if h.tell != nil {
			h.tell(events[i])
		}
	}
}

// Drive takes the operator's input; see [ClientSession.Drive].
func (h *Handheld) Drive(v Velocity) {
	h.do(func(now time.Time) ClientOutput { return h.core.Drive(now, v) }, false)
}

// Release says that there is no input any more.
func (h *Handheld) Release() {
	h.do(func(now time.Time) ClientOutput { return h.core.Release(now) }, false)
}

// SetStreams changes what the robot shall send.
func (h *Handheld) SetStreams(want Streams) {
	h.do(func(now time.Time) ClientOutput { return h.core.SetStreams(now, want) }, false)
}

// Command sends a command and waits for its result; what the robot refuses is no error but an ack that is not OK.
func (h *Handheld) Command(ctx context.Context, name string, args Args) (Ack, error) {
	wait := make(chan Event, 1)
	var id int64
	var err error
	h.do(func(now time.Time) ClientOutput {
		var out ClientOutput
		if id, out, err = h.core.Command(now, name, args); err == nil {
			h.waits[id] = wait
		}
		return out
	}, false)
	if err != nil {
		return Ack{}, err
	}
	select {
	case e := <-wait:
		return e.Ack, e.Err
	case <-ctx.Done():
		h.mu.Lock()
		delete(h.waits, id)
		h.mu.Unlock()
		return Ack{}, fmt.Errorf("command %s: %w", name, ctx.Err())
	}
}

// A Snapshot is what a handheld knows.
type Snapshot struct {
	Robot     netip.AddrPort
	Connected bool
	Welcome   *Welcome // nil before the first
	State     *State   // nil before the first of this session
	Link      Link
}

// Snapshot returns what the handheld knows. What it points to does not change any more.
func (h *Handheld) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Snapshot{h.robot, h.core.Connected(), h.core.Welcome(), h.core.State(), h.core.Link()}
}
