package tfbuffer

import (
	"math"
	"time"

	"sarathi/internal/geom"
)

// futureLimit is how far ahead of now the newest transform may be stamped before Latest calls it wrong: clocks of two computers
// differ by milliseconds, and localization stamps a little ahead.
const futureLimit = 200 * time.Millisecond

// Lookup returns targetTsource at an instant: it maps coordinates of source into target. Errors are an [*UnknownFrameError], a
// [*ConnectivityError] or an [*ExtrapolationError].
func (b *Buffer) Lookup(target, source string, at time.Time) (geom.Transform, error) {
	w, err := b.way(target, source)
	if err != nil {
		return geom.Transform{}, err
	}
	return w.at(at)
}

// Latest returns targetTsource at the newest instant for which every link on the way is known, and that instant. now less the
// instant must not exceed maxAge; transforms from the future are refused as well. A way of static links only has no age: it returns
// the zero time. Errors are those of Lookup and an [*AgeError].
func (b *Buffer) Latest(target, source string, now time.Time, maxAge time.Duration) (geom.Transform, time.Time, error) {
	w, err := b.way(target, source)
	if err != nil {
		return geom.Transform{}, time.Time{}, err
	}
	at := w.newest()
	if age := now.Sub(at); !at.IsZero() && (age > maxAge || age < -futureLimit) {
		return geom.Transform{}, at, &AgeError{Target: plain(target), Source: plain(source), Age: age, Limit: maxAge}
	}
	tf, err := w.at(at)
	return tf, at, err
}

// way is the path between two frames, which is up from each to the lowest frame above both.
type way struct{ target, source, top *frame }

func (b *Buffer) way(target, source string) (way, error) {
	target, source = plain(target), plain(source)
	w := way{target: b.frames[target], source: b.frames[source]}
	for _, end := range []struct {
		f    *frame
		name string
	}{{w.target, target}, {w.source, source}} {
		if end.f == nil {
			return w, &UnknownFrameError{Frame: end.name, Known: b.Frames()}
		}
	}
	p, q := w.target, w.source
	dp, dq := p.depth(), q.depth()
	for ; dp > dq; dp-- {
		p = p.parent
	}
	for ; dq > dp; dq-- {
		q = q.parent
	}
	for p != q {
		if p.parent == nil {
			return w, &ConnectivityError{Target: target, Source: source, TargetRoot: p.name, SourceRoot: q.name}
		}
		p, q = p.parent, q.parent
	}
	w.top = p
	return w, nil
}

// depth is the number of links up to the root.
func (f *frame) depth() int {
	n := 0
	for ; f.parent != nil; f = f.parent {
		n++
	}
	return n
}

// at multiplies the links of the way at one instant.
func (w way) at(at time.Time) (geom.Transform, error) {
	target, err := w.target.below(w.top, at)
	if err != nil {
		return geom.Transform{}, err
	}
	source, err := w.source.below(w.top, at)
	if err != nil {
		return geom.Transform{}, err
	}
	switch w.top { // a frame keeps its exact numbers when it is seen from one above it
	case w.target:
		return source, nil
	case w.source:
		return target.Inverse(), nil
	}
	return target.Inverse().Mul(source), nil
}

// below returns topTf at one instant.
func (f *frame) below(top *frame, at time.Time) (geom.Transform, error) {
	out := geom.IdentityTransform()
	for first := true; f != top; f, first = f.parent, false {
		link, err := f.link(at)
		if err != nil {
			return geom.Transform{}, err
		}
		if first {
			out = link
		} else {
			out = link.Mul(out)
		}
	}
	return out, nil
}

// link returns parentTf at one instant.
func (f *frame) link(at time.Time) (geom.Transform, error) {
	if f.static {
		return f.fixed, nil
	}
	if stampable(at) {
		if tf, ok := f.track.at(at.UnixNano()); ok {
			return tf, nil
		}
	}
	return geom.Transform{}, &ExtrapolationError{
		Parent: f.parent.name, Child: f.name, At: at,
		Oldest: time.Unix(0, f.track.oldest()).UTC(), Newest: time.Unix(0, f.track.newest()).UTC(),
	}
}

// newest returns the newest instant that all tracks on the way have, or the zero time when there are none.
func (w way) newest() time.Time {
	at, moving := int64(math.MaxInt64), false
	for _, end := range []*frame{w.target, w.source} {
		for f := end; f != w.top; f = f.parent {
			if !f.static {
				at, moving = min(at, f.track.newest()), true
			}
		}
	}
	if !moving {
		return time.Time{}
	}
	return time.Unix(0, at).UTC()
}
