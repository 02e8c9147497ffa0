package ws

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
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
	kind    Kind
	partial []byte
}

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
			payload, readErr := c.payload(nil, h)
			if readErr == nil && h.kind == Close {
				readErr = closed(payload)
			}
			return h.kind, payload, readErr
		}
		if h.length > uint64(limit-len(c.partial)) {
			return 0, nil, &CloseError{Code: TooBig, Reason: fmt.Sprintf("message of more than %d bytes", limit)}
		}
		if h.kind != continuation {
			c.kind = h.kind
		}
		payload, err := c.payload(c.partial, h)
		if err != nil {
			return 0, nil, err
		}
		if !h.final {
			if payload == nil {
				payload = []byte{} // not nil: the message has begun
			}
			c.partial = payload
			continue
		}
		c.partial = nil
		return c.kind, payload, nil
	}
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
	begun := c.partial != nil
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

// payload appends the payload of a frame to dst, unmasked.
func (c *Conn) payload(dst []byte, h header) ([]byte, error) {
	begin := len(dst)
	for left := int(h.length); left > 0; {
		n := left
		if room := cap(dst) - len(dst); room < n {
			n = min(n, max(maxTrust, len(dst)))
			if room < n {
				dst = slices.Grow(dst, max(n, len(dst))) // doubles: some clients send a message in many small parts
			}
		}
		from := len(dst)
		dst = dst[:from+n]
		if _, err := io.ReadFull(c.r, dst[from:]); err != nil {
			return nil, atEnd(err)
		}
		left -= n
	}
	unmask(dst[begin:], h.mask)
	return dst, nil
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
