package hal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// errSlow ends a link whose other end does not read.
var errSlow = errors.New("the other end reads too slowly")

// link is one WebSocket and what waits to be written to it.
type link struct {
	conn  *websocket.Conn
	out   *outbox
	buf   []byte // of the reader
	abort func() // closes the socket below, whatever goes on in it
}

// newLink uses a WebSocket. raw is the connection below it: what closes it ends a closing handshake, which the library gives 5 s.
func newLink(conn *websocket.Conn, raw net.Conn) *link {
	conn.SetReadLimit(MaxFrame)
	l := &link{conn: conn, out: newOutbox(), buf: make([]byte, 0, 1024)}
	l.abort = func() {
		if raw != nil {
			_ = raw.Close() // it is of no use any more
		}
	}
	return l
}

// hijack is a ResponseWriter that tells which connection was taken from it.
type hijack struct {
	http.ResponseWriter
	raw net.Conn
}

// Hijack implements http.Hijacker.
func (h *hijack) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.raw = conn
	return conn, rw, err
}

// write writes what the outbox holds until ctx ends or the link is lost.
func (l *link) write(ctx context.Context) error {
	for {
		frame, ok := l.out.take()
		switch {
		case !ok:
			return errSlow
		case frame == nil:
			select {
			case <-l.out.signal:
				continue
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		err := l.conn.Write(context.Background(), websocket.MessageText, frame)
		l.out.done(frame)
		if err != nil {
			return err
		}
	}
}

// read returns the next message, or why there is none any more. It is valid until the next call.
func (l *link) read() ([]byte, error) {
	_, r, err := l.conn.Reader(context.Background()) // what ends it is the end of the socket: see end
	if err != nil {
		return nil, err
	}
	b := l.buf[:0]
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			l.buf = b
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// maxReason is how long the reason of a WebSocket close may be [bytes].
const maxReason = 123

// closing ends a link for a reason that the other end is told.
type closing struct {
	code   websocket.StatusCode
	reason string
}

func (c *closing) Error() string { return fmt.Sprintf("closed with %d: %s", c.code, c.reason) }

// closeLimit is how long the other end may take to agree that a link is closed.
const closeLimit = 250 * time.Millisecond

// end closes the socket, which ends read and write. The other end is told why, if there is a reason to tell.
func (l *link) end(cause error) {
	defer l.abort()
	c, ok := errors.AsType[*closing](cause)
	if !ok {
		_ = l.conn.CloseNow() // it is lost anyway
		return
	}
	reason := strings.ToValidUTF8(c.reason[:min(len(c.reason), maxReason)], "")
	hard := time.AfterFunc(closeLimit, l.abort)
	defer hard.Stop()
	_ = l.conn.Close(c.code, reason) // the other end may have gone without waiting for it
}
