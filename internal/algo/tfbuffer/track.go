package tfbuffer

import (
	"time"

	"sarathi/internal/geom"
)

// reorder is how much older than the newest a sample may be that is sorted in; see the package comment.
const reorder = time.Second

// sample is parentTchild at one time [ns since the Unix epoch].
type sample struct {
	at int64
	tf geom.Transform
}

// track is the recent past of a link, oldest first. The live samples are buf[head:]; what was before is overwritten when it
// is worth the copy, so that a steady flow of samples allocates nothing.
type track struct {
	buf  []sample
	head int
}

func (t *track) samples() []sample { return t.buf[t.head:] }

func (t *track) empty() bool { return t.head == len(t.buf) }

func (t *track) oldest() int64 { return t.buf[t.head].at }

func (t *track) newest() int64 { return t.buf[len(t.buf)-1].at }

func (t *track) clear() { t.buf, t.head = t.buf[:0], 0 }

// add files s and reports whether the clock went back, in which case everything before was forgotten.
func (t *track) add(s sample, history time.Duration, most int) (restarted bool) {
	if !t.empty() && s.at < t.newest()-int64(reorder) {
		t.clear()
		restarted = true
	}
	t.room()
	i := len(t.buf)
	for i > t.head && t.buf[i-1].at > s.at {
		i--
	}
	if i > t.head && t.buf[i-1].at == s.at {
		t.buf[i-1] = s // the later word about an instant counts
		return restarted
	}
	t.insert(i, s)
	t.forget(history, most)
	return restarted
}

// room moves the live samples to the front when more than half of a full buffer is past.
func (t *track) room() {
	if len(t.buf) == cap(t.buf) && t.head > len(t.buf)/2 {
		n := copy(t.buf, t.buf[t.head:])
		t.buf, t.head = t.buf[:n], 0
	}
}

func (t *track) insert(i int, s sample) {
	t.buf = append(t.buf, s)
	copy(t.buf[i+1:], t.buf[i:])
	t.buf[i] = s
}

// forget drops what is too old or too much.
func (t *track) forget(history time.Duration, most int) {
	limit := t.newest() - int64(history)
	for t.oldest() < limit || len(t.buf)-t.head > most {
		t.head++
	}
}

// at returns the transform at an instant; ok is false outside of the track.
func (t *track) at(at int64) (tf geom.Transform, ok bool) {
	s := t.samples()
	if len(s) == 0 || at < s[0].at || at > s[len(s)-1].at {
		return geom.Transform{}, false
	}
	lo, hi := 0, len(s)-1 // s[lo].at ≤ at ≤ s[hi].at
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s[mid].at <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	switch at {
	case s[hi].at:
		return s[hi].tf, true
	case s[lo].at:
		return s[lo].tf, true
	}
	return s[lo].tf.Interpolate(s[hi].tf, float64(at-s[lo].at)/float64(s[hi].at-s[lo].at)), true
}
