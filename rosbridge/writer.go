package rosbridge

import (
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sarathi/rosbridge/internal/ws"
)

// writer turns what waits in an outbox into WebSocket frames. Small frames are gathered in one buffer, long bodies are written from
// where they are, and all of it in one system call.
type writer struct {
	conn net.Conn
	out  *outbox
	// since is when the present write began, in Unix nanoseconds, 0 between writes.
	since atomic.Int64
	sent  atomic.Uint64 // bytes

	// The fields below are owned by run.

	scratch   []byte
	segments  []segment
	fragments uint64
}

// segment is a part of a write: scratch[from:to], or a body that many share.
type segment struct {
	from, to int
	shared   []byte
}

const (
	// copyBelow is the size up to which a body is copied: a segment of its own costs more.
	copyBelow = 4 << 10
	// maxWrite is how much is written at a time at most, so that since tells progress on slow links.
	maxWrite = 256 << 10
	// farewell is how long the close frame may take.
	farewell = time.Second
)

// scratches are the buffers of writers that are at work; idle clients hold none.
//
//nolint:gochecknoglobals // a pool has no meaning of its own
var scratches = sync.Pool{New: func() any { return new(make([]byte, 0, 16<<10)) }}

// run writes until the outbox is closed, the close frame was sent, or the connection fails.
func (w *writer) run() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var items []item
	for {
		var wait time.Duration
		var final []byte
		var done bool
		items, wait, final, done = w.out.take(items[:0])
		switch {
		case done:
			return
		case final != nil:
			w.last(items, final)
			return
		case len(items) > 0:
			err := w.write(items, nil)
			w.out.written(items)
			clear(items)
			if err != nil {
				w.out.close()
				_ = w.conn.Close() // ends the reader, who cleans up
				return
			}
		case wait > 0:
			timer.Reset(wait)
			select {
			case <-w.out.signal:
			case <-timer.C:
			}
		default:
			items = nil // nothing is kept while idle
			<-w.out.signal
		}
	}
}

// last sends what must arrive and the close frame, and lets the peer see them before the connection goes.
func (w *writer) last(items []item, final []byte) {
	err := w.write(items, final)
	w.out.close()
	_ = w.conn.SetReadDeadline(time.Now().Add(farewell)) // the reader waits so long for the peer to close
	half, ok := w.conn.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = w.conn.Close()
	}
}

// write writes items and then raw bytes.
func (w *writer) write(items []item, raw []byte) error {
	buf, _ := scratches.Get().(*[]byte)
	w.scratch, w.segments = (*buf)[:0], w.segments[:0]
	for i := range items {
		w.frame(&items[i])
	}
	w.scratch = append(w.scratch, raw...)
	err := w.flush()
	const longest = 256 << 10 // a buffer that has grown beyond is not kept
	if cap(w.scratch) <= longest {
		*buf = w.scratch
	}
	scratches.Put(buf)
	w.scratch, w.segments = nil, nil
	return err
}

// frame adds the WebSocket frames of an item.
func (w *writer) frame(it *item) {
	if it.sub == nil {
		w.add(it.frame.kind, nil, it.frame.data, "")
		return
	}
	s := it.sub
	kind, tail := ws.Text, "}"
	if s.enc >= encCBOR {
		kind, tail = ws.Binary, ""
	}
	var body []byte
	if s.enc == encPNG {
		body = it.msg.pngFrame(s.name, s.head)
	} else {
		body = it.msg.body(s.enc)
	}
	switch {
	case body == nil: // a type that is not known has no serialized form
		s.out.unencoded(s)
	case kind == ws.Text && it.fragment > 0 && len(s.head)+len(body)+len(tail) > it.fragment:
		w.cut(s, body, it.fragment)
	case s.enc == encPNG:
		w.add(kind, nil, body, "")
	default:
		w.add(kind, s.head, body, tail)
	}
}

// cut adds a frame in fragments. CBOR is never cut: a fragment holds text.
func (w *writer) cut(s *subscription, body []byte, size int) {
	text := body
	if s.enc == encJSON {
		text = append(append(append(make([]byte, 0, len(s.head)+len(body)+1), s.head...), body...), '}')
	}
	w.fragments++
	for _, f := range AppendFragments(nil, text, "fragment:"+strconv.FormatUint(w.fragments, 10), size) {
		w.add(ws.Text, nil, f, "")
	}
}

// add adds one frame of head, body and tail.
func (w *writer) add(kind ws.Kind, head, body []byte, tail string) {
	w.scratch = ws.AppendHeader(w.scratch, kind, len(head)+len(body)+len(tail))
	w.scratch = append(w.scratch, head...)
	if len(body) < copyBelow {
		w.scratch = append(append(w.scratch, body...), tail...)
		return
	}
	from := 0
	if n := len(w.segments); n > 0 {
		from = w.segments[n-1].to
	}
	w.segments = append(w.segments, segment{from, len(w.scratch), body})
	w.scratch = append(w.scratch, tail...)
}

// flush writes the segments and what is left of scratch, at most maxWrite bytes at a time.
func (w *writer) flush() error {
	defer w.since.Store(0)
	if len(w.segments) == 0 {
		return w.writeAll(net.Buffers{w.scratch}, len(w.scratch))
	}
	var vec net.Buffers
	size, at := 0, 0
	for _, s := range w.segments {
		vec = append(vec, w.scratch[s.from:s.to])
		size += s.to - s.from
		at = s.to
		for body := s.shared; len(body) > 0; {
			n := min(len(body), max(maxWrite-size, copyBelow))
			vec = append(vec, body[:n])
			size += n
			body = body[n:]
			if size >= maxWrite {
				if err := w.writeAll(vec, size); err != nil {
					return err
				}
				vec, size = vec[:0], 0
			}
		}
	}
	vec = append(vec, w.scratch[at:])
	return w.writeAll(vec, size+len(w.scratch)-at)
}

func (w *writer) writeAll(vec net.Buffers, size int) error {
	if size == 0 {
		return nil
	}
	w.since.Store(time.Now().UnixNano())
	w.sent.Add(uint64(size))
	if len(vec) == 1 {
		_, err := w.conn.Write(vec[0])
		return err
	}
	_, err := vec.WriteTo(w.conn)
	return err
}
