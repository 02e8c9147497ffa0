package teleop

import "time"

// restartAfter is how long a stream may bring nothing but older frames until they are believed: the robot restarted and counts anew.
const restartAfter = time.Second

// ReassemblyStats count what became of a stream's frames.
type ReassemblyStats struct {
	Frames     uint64 // complete
	Incomplete uint64 // dropped because a newer frame began
	Late       uint64 // chunks of older or finished frames, and duplicates
	Invalid    uint64 // chunks that contradict their frame or exceed the limit
}

// A Reassembler puts the chunks of one stream together. A chunk of a newer frame drops the incomplete older one; frame numbers are
// compared modulo 2³² (RFC 1982). Memory is bounded by Limit and grows with what arrived, not with what a header claims.
type Reassembler struct {
	// Limit is the longest frame [bytes].
	Limit int
	Stats ReassemblyStats

	started  bool
	frame    uint32
	complete bool
	newest   time.Time // when a chunk of the present frame arrived
	count    int
	left     int
	parts    []part
	arrived  []byte // payloads in order of arrival
	out      []byte
}

type part struct {
	start, end int
	here       bool
}

// Reset forgets everything but the counters.
func (r *Reassembler) Reset() {
	*r = Reassembler{Limit: r.Limit, Stats: r.Stats, parts: r.parts[:0], arrived: r.arrived[:0], out: r.out[:0]}
}

// Busy reports whether a frame has begun and is not complete.
func (r *Reassembler) Busy() bool { return r.started && !r.complete }

// Add takes a chunk and returns the frame when it is complete. The frame is valid until the next call.
func (r *Reassembler) Add(now time.Time, h ChunkHeader, payload []byte) (frame []byte, ok bool) {
	if h.Index >= h.Count || len(payload) > MaxChunk || (int(h.Count)-1)*MaxChunk > r.Limit {
		r.Stats.Invalid++
		return nil, false
	}
	switch age := int32(r.frame - h.Frame); {
	case !r.started || age < 0 || age > 0 && now.Sub(r.newest) >= restartAfter:
		r.begin(h)
	case age > 0 || r.complete:
		r.Stats.Late++
		return nil, false
	case int(h.Count) != r.count:
		r.Stats.Invalid++
		return nil, false
	}
	p := &r.parts[h.Index]
	if p.here {
		r.Stats.Late++
		return nil, false
	}
	if len(r.arrived)+len(payload) > r.Limit {
		r.Stats.Invalid++
		return nil, false
	}
	r.newest = now
	*p = part{len(r.arrived), len(r.arrived) + len(payload), true}
	r.arrived = append(r.arrived, payload...)
	if r.left--; r.left > 0 {
		return nil, false
	}
	return r.finish(), true
}

func (r *Reassembler) begin(h ChunkHeader) {
	if r.Busy() {
		r.Stats.Incomplete++
	}
	r.started, r.complete, r.frame = true, false, h.Frame
	r.count, r.left = int(h.Count), int(h.Count)
	r.arrived = r.arrived[:0]
	if cap(r.parts) < r.count {
		r.parts = make([]part, r.count)
	}
	r.parts = r.parts[:r.count]
	clear(r.parts)
}

func (r *Reassembler) finish() []byte {
	r.complete = true
	r.Stats.Frames++
	r.out = r.out[:0]
	for _, p := range r.parts {
		r.out = append(r.out, r.arrived[p.start:p.end]...)
	}
	return r.out
}
