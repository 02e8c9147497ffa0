package rosbridge

import "syscall"

// flusher lets the goroutine that reads from a publisher write to subscribers itself, as long as no write has to wait. That saves waking a
// writer for each, which costs more than all else about a small message. It gathers the subscribers of several messages that came
// together, so that they leave together. One goroutine owns it.
type flusher struct {
	claimed []*peer
	pending int    // messages since the last flush
	items   []item // to work with
}

// maxGathered bounds how many messages are handled before what they caused is written.
const maxGathered = 32

// add takes over a client whose outbox the caller has claimed.
func (f *flusher) add(p *peer) { f.claimed = append(f.claimed, p) }

// flush writes to all clients that were taken over. Who takes one over must flush before it waits for anything.
func (f *flusher) flush() {
	f.pending = 0
	for i, p := range f.claimed {
		f.items = p.writer.runNow(f.items)
		f.claimed[i] = nil
	}
	f.claimed = f.claimed[:0]
}

// runNow writes what waits until nothing does, for somebody who claimed the outbox. What would have to wait, and the end of the
// connection, it hands over to run. It returns items, which it works with.
func (w *writer) runNow(items []item) []item {
	for {
		var over bool
		items, over = w.out.takeNow(items[:0])
		whole := len(items) == 0 || w.writeNow(items)
		clear(items)
		if over || !whole {
			w.out.handOver()
			return items
		}
		if len(items) == 0 {
			return items
		}
	}
}

// writeNow writes as much of items as the connection takes at once, keeps the rest for run, and reports whether there is none.
func (w *writer) writeNow(items []item) bool {
	buf := w.gather(items)
	data := w.scratch
	if len(w.segments) > 0 {
		data = w.joined()
	}
	n := 0
	// An error shows again when run writes the rest.
	_ = w.raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), data)
		return true
	})
	n = max(n, 0)
	w.sent.Add(uint64(n))
	if n < len(data) {
		w.rest = append([]byte{}, data[n:]...)
		w.restCost = costOf(items)
	} else {
		w.out.release(costOf(items))
	}
	w.giveBack(buf)
	return n == len(data)
}

// joined returns the segments and what is between them in one piece.
func (w *writer) joined() []byte {
	var out []byte
	at := 0
	for _, s := range w.segments {
		out = append(append(out, w.scratch[s.from:s.to]...), s.shared...)
		at = s.to
	}
	return append(out, w.scratch[at:]...)
}
