package ws

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"unicode/utf8"
)

// Kind is the opcode of a message or control frame (RFC 6455 section 5.2).
type Kind byte

// The kinds.
const (
	continuation Kind = 0
	Text         Kind = 1
	Binary       Kind = 2
	Close        Kind = 8
	Ping         Kind = 9
	Pong         Kind = 10
)

// Status codes of a close (RFC 6455 section 7.4.1).
const (
	Normal        = 1000
	GoingAway     = 1001
	ProtocolError = 1002
	Unsupported   = 1003
	NoStatus      = 1005 // never sent: the close had no code
	BadPayload    = 1007
	PolicyError   = 1008
	TooBig        = 1009
)

// CloseError ends a connection. Code is what the peer said, or what it should be told.
type CloseError struct {
	Code   int
	Reason string
	Remote bool // the peer closed
}

func (e *CloseError) Error() string {
	if e.Remote {
		return fmt.Sprintf("the peer closed with %d %s", e.Code, e.Reason)
	}
	return fmt.Sprintf("WebSocket: %s", e.Reason)
}

// Conn is a WebSocket connection on the server's side.
type Conn struct {
	net.Conn
	r *bufio.Reader

	// Of a message that came in part; owned by the reader.
	kind  Kind
	parts *bytes.Buffer // nil between messages
}

// buffers gather messages that come in parts, as some clients send all that are long. A message gets memory of its own
// length when it is whole, so that it holds no more while it waits for others.
//
//nolint:gochecknoglobals // a pool has no meaning of its own
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxControl is the longest payload of a control frame (section 5.5).
const maxControl = 125

// header is what a frame begins with.
type header struct {
	final  bool
	kind   Kind
	length uint64
	mask   [4]byte
}

// Read returns the next whole message of at most limit bytes, or the next control frame. A close from the peer and any breach of the
// protocol are a [CloseError]; after an error the connection is of no use for reading. The payload belongs to the caller.
func (c *Conn) Read(limit int) (Kind, []byte, error) {
	for {
		h, err := c.header()
		if err != nil {
			return 0, nil, err
		}
		if h.kind >= Close {
			payload, readErr := c.payload(h)
			if readErr == nil && h.kind == Close {
				readErr = closed(payload)
			}
			return h.kind, payload, readErr
		}
		begun := 0
		if c.parts != nil {
			begun = c.parts.Len()
		}
		if h.length > uint64(limit-begun) {
			return 0, nil, &CloseError{Code: TooBig, Reason: fmt.Sprintf("message of more than %d bytes", limit)}
		}
		if h.kind != continuation {
			c.kind = h.kind
		}
		if h.final && c.parts == nil {
			payload, err := c.payload(h)
			return c.kind, payload, err
		}
		if err := c.part(h); err != nil || h.final {
			return c.kind, c.whole(), err
		}
	}
}

// Ready reports whether the next frame has come whole, so that reading it does not wait.
func (c *Conn) Ready() bool {
	n := c.r.Buffered()
	b, err := c.r.Peek(n)
	if err != nil || n < 2 {
		return false
	}
	size, length := 2+4, uint64(b[1]&0x7f)
	switch {
	case length == 126 && n >= 4:
		size, length = size+2, uint64(binary.BigEndian.Uint16(b[2:]))
	case length >= 126: // does not fit into the buffer, or its length has not come
		return false
	}
	return uint64(n) >= uint64(size)+length
}

// part adds a part of a message to those that came before.
func (c *Conn) part(h header) error {
	if c.parts == nil {
		c.parts, _ = buffers.Get().(*bytes.Buffer)
		c.parts.Reset()
	}
	from := c.parts.Len()
	n, err := io.CopyN(c.parts, c.r, int64(h.length))
	unmask(c.parts.Bytes()[from:from+int(n)], h.mask)
	return atEnd(err)
}

// whole returns the message whose parts have come.
func (c *Conn) whole() []byte {
	payload := bytes.Clone(c.parts.Bytes())
	const longest = 4 << 20 // a buffer that has grown beyond is not kept
	if c.parts.Cap() <= longest {
		buffers.Put(c.parts)
	}
	c.parts = nil
	return payload
}

// header reads and checks the header of a frame.
func (c *Conn) header() (header, error) {
	var h header
	b, err := c.r.Peek(2)
	if err != nil {
		return h, atEnd(err)
	}
	h.final, h.kind, h.length = b[0]&0x80 != 0, Kind(b[0]&0x0f), uint64(b[1]&0x7f)
	masked, reserved := b[1]&0x80 != 0, b[0]&0x70
	size := 2 + 4
	switch h.length {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	begun := c.parts != nil
	switch {
	case reserved != 0:
		return h, protocolError("reserved bits are set")
	case !masked:
		return h, protocolError("a client's frame is not masked")
	case h.kind >= Close && (!h.final || h.length > maxControl):
		return h, protocolError("control frame in parts or of more than 125 bytes")
	case h.kind > Pong || h.kind > Binary && h.kind < Close:
		return h, protocolError("unknown opcode")
	case h.kind == continuation && !begun:
		return h, protocolError("continuation of nothing")
	case h.kind != continuation && h.kind < Close && begun:
		return h, protocolError("message begun inside another")
	}
	if b, err = c.r.Peek(size); err != nil {
		return h, atEnd(err)
	}
	switch h.length {
	case 126:
		h.length = uint64(binary.BigEndian.Uint16(b[2:]))
	case 127:
		h.length = binary.BigEndian.Uint64(b[2:])
	}
	copy(h.mask[:], b[size-4:])
	_, err = c.r.Discard(size)
	return h, err
}

func protocolError(what string) error { return &CloseError{Code: ProtocolError, Reason: what} }

// atEnd tells a connection that ended between frames from one that ended inside a header.
func atEnd(err error) error {
	if err == io.EOF { //nolint:errorlint // bufio returns it bare
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxTrust is how much memory a length alone may ask for; beyond, memory follows what has come.
const maxTrust = 1 << 20

// payload reads the payload of a frame that is all of its message.
func (c *Conn) payload(h header) ([]byte, error) {
	payload := make([]byte, 0, min(h.length, maxTrust))
	for left := int(h.length); left > 0; {
		if len(payload) == cap(payload) {
			payload = slices.Grow(payload, min(left, len(payload))) // doubles
		}
		n := min(left, cap(payload)-len(payload))
		from := len(payload)
		payload = payload[:from+n]
		if _, err := io.ReadFull(c.r, payload[from:]); err != nil {
			return nil, atEnd(err)
		}
		left -= n
	}
	unmask(payload, h.mask)
	return payload, nil
}

// unmask applies the mask of a whole payload, eight bytes at a time.
func unmask(b []byte, mask [4]byte) {
	m := uint64(binary.LittleEndian.Uint32(mask[:]))
	m |= m << 32
	for ; len(b) >= 32; b = b[32:] {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^m)
		binary.LittleEndian.PutUint64(b[8:], binary.LittleEndian.Uint64(b[8:])^m)
		binary.LittleEndian.PutUint64(b[16:], binary.LittleEndian.Uint64(b[16:])^m)
		binary.LittleEndian.PutUint64(b[24:], binary.LittleEndian.Uint64(b[24:])^m)
	}
	for i := range b {
		b[i] ^= mask[i&3]
	}
}

// closed reads the payload of a close frame.
func closed(payload []byte) error {
	if len(payload) == 0 {
		return &CloseError{Code: NoStatus, Remote: true}
	}
	if len(payload) == 1 || !utf8.Valid(payload[2:]) {
		return protocolError("bad close frame")
	}
	code := int(binary.BigEndian.Uint16(payload))
	if code < Normal || code >= 5000 || code >= 1004 && code <= 1006 || code > 1014 && code < 3000 {
		return protocolError("bad close code")
	}
	return &CloseError{Code: code, Reason: string(payload[2:]), Remote: true}
}
