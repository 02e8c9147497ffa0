package rosbridge

import (
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
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

	raw syscall.RawConn // for writes that do not wait, or nil

	// The fields below are owned by whoever has claimed the outbox.

	rest      []byte // begun and not written
	restCost  int
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
	var wait time.Duration
	for {
		if wait > 0 {
			timer.Reset(wait)
			select {
			case <-w.out.signal:
			case <-timer.C:
			}
		} else {
			<-w.out.signal
		}
		if !w.out.own() {
			wait = 0
			continue
		}
		var ended bool
		if wait, ended = w.work(); ended {
			return
		}
	}
}

// work writes until nothing waits. It returns how long the throttle holds back what comes next, 0 when nothing does, and whether the
// connection has ended.
func (w *writer) work() (wait time.Duration, ended bool) {
	var items []item
	err := w.writeRest()
	for err == nil {
		var final []byte
		var done bool
		items, wait, final, done = w.out.take(items[:0])
		switch {
		case done:
			return 0, true
		case final != nil:
			w.last(items, final)
			return 0, true
		case len(items) == 0:
			return wait, false // from here on somebody else may write
		}
		err = w.write(items, nil)
		w.out.release(costOf(items))
		clear(items)
	}
	w.out.close()
	_ = w.conn.Close() // ends the reader, who cleans up
	return 0, true
}

// writeRest writes what writeNow could not.
func (w *writer) writeRest() error {
	if w.rest == nil {
		return nil
	}
	err := w.writeAll(net.Buffers{w.rest}, len(w.rest))
	w.since.Store(0)
	w.out.release(w.restCost)
	w.rest, w.restCost = nil, 0
	return err
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
	buf := w.gather(items)
	w.scratch = append(w.scratch, raw...)
	err := w.flush()
	w.giveBack(buf)
	return err
}

// gather makes the frames of items in a buffer that has to be given back.
func (w *writer) gather(items []item) *[]byte {
	buf, _ := scratches.Get().(*[]byte)
	w.scratch, w.segments = (*buf)[:0], w.segments[:0]
	for i := range items {
		w.frame(&items[i])
	}
	return buf
}

func (w *writer) giveBack(buf *[]byte) {
	const longest = 256 << 10 // a buffer that has grown beyond is not kept
	if cap(w.scratch) <= longest {
		*buf = w.scratch
	}
	scratches.Put(buf)
	w.scratch, w.segments = nil, nil
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
