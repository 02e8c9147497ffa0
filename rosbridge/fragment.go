package rosbridge

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// AppendFragments cuts the JSON text of a frame into fragment frames whose data holds at most size bytes of it, and appends them to
// frames. Characters stay whole. Ids are strings and totals integers, because roslib drops other ids and floors the total.
func AppendFragments(frames [][]byte, text []byte, id string, size int) [][]byte {
	var pieces []string
	for len(text) > 0 {
		n := min(max(size, utf8.UTFMax), len(text))
		for n < len(text) && n > 1 && !utf8.RuneStart(text[n]) {
			n--
		}
		pieces = append(pieces, string(text[:n]))
		text = text[n:]
	}
	for i, piece := range pieces {
		f := Frame{Op: OpFragment, ID: StringID(id), Data: piece, Num: i, Total: len(pieces)}
		frames = append(frames, f.AppendJSON(make([]byte, 0, len(piece)+len(piece)/8+128)))
	}
	return frames
}

// maxOpen bounds how many cut frames one connection may have open at a time; the oldest goes first.
const maxOpen = 16

// Assembler joins the fragments of one connection. Fragments may come in any order, twice, and interleaved with those of other
// frames. It is not safe for concurrent use.
type Assembler struct {
	maxBytes int
	timeout  time.Duration
	open     []*assembly // oldest first
	bytes    int         // of all open assemblies
}

// assembly is a frame of which fragments are missing.
type assembly struct {
	id      ID
	total   int
	pieces  map[int]string
	bytes   int
	started time.Time
}

// fragmentOverhead is what a fragment costs beside its data, so that empty ones are not free.
const fragmentOverhead = 64

// NewAssembler returns an Assembler that keeps at most maxBytes and forgets a frame that is not complete after timeout.
func NewAssembler(maxBytes int, timeout time.Duration) *Assembler {
	return &Assembler{maxBytes: maxBytes, timeout: timeout}
}

// Add takes a fragment frame and returns the text of the whole frame when it completes it, nil before. A fragment that contradicts
// an earlier one of the same id, or that goes beyond the memory bound, ends its frame with an error.
func (a *Assembler) Add(now time.Time, f Frame) ([]byte, error) {
	for len(a.open) > 0 && now.Sub(a.open[0].started) > a.timeout {
		a.forget(0)
	}
	at := a.find(f.ID)
	if at < 0 {
		if len(a.open) == maxOpen {
			a.forget(0)
		}
		a.open = append(a.open, &assembly{id: f.ID, total: f.Total, pieces: map[int]string{}, started: now})
		at = len(a.open) - 1
	}
	c := a.open[at]
	if c.total != f.Total || f.Num >= c.total {
		a.forget(at)
		return nil, fmt.Errorf("fragment %d of %d contradicts an earlier one of the same id with %d", f.Num, f.Total, c.total)
	}
	if _, twice := c.pieces[f.Num]; twice {
		return nil, nil
	}
	cost := len(f.Data) + fragmentOverhead
	if a.bytes+cost > a.maxBytes {
		a.forget(at)
		return nil, fmt.Errorf("fragments of more than %d bytes wait: send smaller messages", a.maxBytes)
	}
	c.pieces[f.Num] = f.Data
	c.bytes += cost
	a.bytes += cost
	if len(c.pieces) < c.total {
		return nil, nil
	}
	text := make([]byte, 0, c.bytes)
	for i := range c.total {
		text = append(text, c.pieces[i]...)
	}
	a.forget(at)
	return text, nil
}

func (a *Assembler) find(id ID) int {
	for i, c := range a.open {
		if c.id == id {
			return i
		}
	}
	return -1
}

func (a *Assembler) forget(at int) {
	a.bytes -= a.open[at].bytes
	a.open = append(a.open[:at], a.open[at+1:]...)
}
