package teleop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"

	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/teleop"
)

const (
	// longestDatagram bounds what is read of a datagram [bytes]; the kernel cuts off the rest, and what was cut off is no JSON any more.
	longestDatagram = teleop.MaxDatagram
	// mostBatch bounds the datagrams that go to the kernel in one call.
	mostBatch = 64
)

// busy is what the sessions answer to a second device.
const busy = `{"t":"busy","msg":"another device is driving, retry later"}`

// batchConn sends many datagrams in one call.
type batchConn interface {
	WriteBatch(ms []ipv4.Message, flags int) (int, error)
}

// A link is a dialect with its socket and session.
type link struct {
	node    *Node
	dialect *teleop.Dialect
	port    int
	conn    *net.UDPConn
	batch   batchConn

	// guarded by Node.mu
	session    *teleop.Session
	offer      offer     // what the session was made for
	generation int       // of the session: results for an earlier one come to nothing
	armed      time.Time // when the reader wakes up at the latest; zero: when a datagram comes
	ending     bool      // nobody sets the reader's deadline any more
	unsent     uint64    // datagrams that the network did not take
	messages   []ipv4.Message
	to         []net.UDPAddr
}

// read serves the socket until ctx ends.
func (l *link) read(ctx context.Context) error {
	stop := context.AfterFunc(ctx, l.interrupt)
	defer stop()
	buf := make([]byte, longestDatagram+1)
	for ctx.Err() == nil {
		size, from, err := l.conn.ReadFromUDPAddrPort(buf)
		switch {
		case err == nil:
			l.receive(from, buf[:size])
		case errors.Is(err, os.ErrDeadlineExceeded):
			l.wake()
		case ctx.Err() == nil:
			return fmt.Errorf("handheld gateway, %s: read: %w", l.dialect.Name, err)
		}
	}
	return nil
}

// interrupt ends the reader's wait for good.
func (l *link) interrupt() {
	l.node.mu.Lock()
	defer l.node.mu.Unlock()
	l.ending = true
	//nolint:errcheck // the socket is closed: nobody waits
	l.conn.SetReadDeadline(time.Unix(1, 0))
}

func (l *link) receive(from netip.AddrPort, data []byte) {
	l.node.mu.Lock()
	defer l.node.mu.Unlock()
	now := time.Now()
	l.apply(now, l.session.HandleDatagram(now, from, data))
}

// wake does what was due when the reader's deadline passed.
func (l *link) wake() {
	l.node.mu.Lock()
	defer l.node.mu.Unlock()
	if l.ending {
		return
	}
	l.armed = time.Time{}
	//nolint:errcheck // the socket is closed: nobody waits
	l.conn.SetReadDeadline(time.Time{}) // one that has passed would let no datagram in
	now := time.Now()
	l.apply(now, l.session.Tick(now))
}

// apply does what the session asks for. The caller holds the lock: the output is the session's memory, and what two goroutines cause
// must not overtake each other.
func (l *link) apply(now time.Time, out teleop.Output) {
	if l.intrudes(out.Effects) {
		l.turnAway(now)
		return
	}
	l.act(out.Effects)
	l.send(out.Datagrams)
	l.arm()
}

// act carries out effects: what moves or stops the robot at once, the rest on the loop.
func (l *link) act(effects []teleop.Effect) {
	for i := range effects {
		switch e := &effects[i]; e.Kind {
		case teleop.EffectVelocity:
			if e.Disarm {
				l.node.velocity.Publish(nobody())
				continue
			}
			l.node.velocity.Publish(rosconv.Twist(e.Velocity))
		case teleop.EffectEStop:
			l.node.stops++
			l.node.estop.Publish(std.String{Data: e.Reason})
		default:
			l.post(*e)
		}
	}
}

// nobody is the command of a source that nobody holds: not a number stops the robot at once, and disarms the source.
func nobody() geometry.Twist {
	return rosconv.Twist(geom.Velocity{VX: math.NaN(), VY: math.NaN(), WZ: math.NaN()})
}

// order is when a session asked for something.
type order struct {
	generation int    // of the session
	stops      uint64 // how many stops had been asked for, by anybody
}

// post hands an effect to the loop.
func (l *link) post(e teleop.Effect) {
	generation, stops := l.generation, l.node.stops
	l.node.ctx.Post(func() { l.node.onEffect(l, order{generation, stops}, e) })
}

// intrudes reports whether a session has just begun with another device than the one that drives through another dialect.
func (l *link) intrudes(effects []teleop.Effect) bool {
	for i := range effects {
		if effects[i].Kind != teleop.EffectStarted {
			continue
		}
		for _, other := range l.node.links {
			c := other.session.Client()
			if other != l && c.Session != 0 && c.Addr.Addr() != effects[i].Client.Addr.Addr() {
				return true
			}
		}
	}
	return false
}

// turnAway ends a session that must not be, before its device has heard of it.
func (l *link) turnAway(now time.Time) {
	to := l.session.Client().Addr
	l.session.SetToken(now, l.node.token) // ends the session; its effects undo what was not done
	l.send([]teleop.Datagram{{To: to, Data: []byte(busy)}})
	l.arm()
}

// arm makes the reader wake up in time. It is asked after everything that may have brought the deadline forward; a deadline that has
// moved away costs one wake-up too many, which is cheaper than to set it with each datagram.
func (l *link) arm() {
	at, ok := l.session.Deadline()
	if !ok || l.ending || !l.armed.IsZero() && !at.Before(l.armed) {
		return
	}
	l.armed = at
	//nolint:errcheck // the socket is closed: nobody waits
	l.conn.SetReadDeadline(at)
}

// send sends datagrams, many in one call. It never waits: what the socket has no room for is lost, as on the air.
func (l *link) send(datagrams []teleop.Datagram) {
	for len(datagrams) > 0 {
		some := datagrams[:min(len(datagrams), mostBatch)]
		datagrams = datagrams[len(some):]
		l.sendBatch(some)
	}
}

func (l *link) sendBatch(datagrams []teleop.Datagram) {
	if l.messages == nil {
		l.messages, l.to = make([]ipv4.Message, mostBatch), make([]net.UDPAddr, mostBatch)
		for i := range l.messages {
			l.messages[i].Buffers = make([][]byte, 1)
			l.messages[i].Addr = &l.to[i]
		}
	}
	for i, d := range datagrams {
		ip := d.To.Addr().As16()
		l.to[i].IP = append(l.to[i].IP[:0], ip[:]...)
		l.to[i].Port, l.to[i].Zone = int(d.To.Port()), d.To.Addr().Zone()
		l.messages[i].Buffers[0] = d.Data
	}
	rest := l.messages[:len(datagrams)]
	for len(rest) > 0 {
		sent, err := l.batch.WriteBatch(rest, syscall.MSG_DONTWAIT)
		if err != nil { // the first of them did not go
			l.unsent++
			sent = 1
		}
		rest = rest[max(sent, 1):]
	}
	for i := range datagrams {
		l.messages[i].Buffers[0] = nil
	}
}
