package raycast

import "sarathi/internal/geom"

// Hit is a crossing of a ray with a wall.
type Hit struct {
	Distance float64 // along the ray, in the floor plan [m]
	Wall     int
}

// Cast is the distance [m] at which a level ray at height z first meets a wall, and which one. dir has unit length.
// Without a wall within limit it gives (limit, -1).
func (f *Field) Cast(origin, dir geom.Vec2, z, limit float64) (float64, int) {
	best, wall := limit, -1
	w, ok := f.enter(origin, dir, limit)
	for ok {
		c := w.here()
		for _, i := range f.items[c.first:c.end] {
			s := &f.faces[i]
			if z < s.bottom || z >= s.top {
				continue
			}
			if t := s.crossing(origin, dir); t < best {
				best, wall = t, int(i)
			}
		}
		// A wall found beyond these cells may be hidden by one that only later cells list.
		ok = w.advance(int(c.leap)) && w.at < best
	}
	return best, wall
}

// View is the bundle of rays above each other that share a line in the floor plan: from a height, between two slopes (metres
// up per metre ahead). What is below the floor is not looked at.
type View struct{ Z, Low, High float64 }

// Fills reports whether a wall between two heights covers all rays of the view at distance t.
func (v View) Fills(bottom, top, t float64) bool {
	return bottom <= max(0, v.Z+t*v.Low) && top > v.Z+t*v.High
}

// Hits appends to dst every wall that a line of the floor plan crosses within limit, nearest first, up to the first one that
// fills the view. dst[:0] saves the allocation.
func (f *Field) Hits(dst []Hit, origin, dir geom.Vec2, limit float64, view View) []Hit {
	base := len(dst)
	w, ok := f.enter(origin, dir, limit)
	for ok {
		c := w.here()
		for _, i := range f.items[c.first:c.end] {
			s := &f.faces[i]
			t := s.crossing(origin, dir)
			if t >= limit || contains(dst[base:], int(i)) {
				continue
			}
			dst = insert(dst, base, Hit{t, int(i)})
			if view.Fills(s.bottom, s.top, t) {
				limit = t // nothing behind it is seen
			}
		}
		ok = w.advance(int(c.leap)) && w.at < limit
	}
	for n := len(dst); n > base && dst[n-1].Distance > limit; n-- {
		dst = dst[:n-1]
	}
	return dst
}

func contains(hits []Hit, wall int) bool {
	for _, h := range hits {
		if h.Wall == wall {
			return true
		}
	}
	return false
}

// insert keeps dst[base:] sorted by distance, equal distances in the order they were found.
func insert(dst []Hit, base int, h Hit) []Hit {
	dst = append(dst, h)
	for i := len(dst) - 1; i > base && dst[i-1].Distance > h.Distance; i-- {
		dst[i], dst[i-1] = dst[i-1], h
	}
	return dst
}
