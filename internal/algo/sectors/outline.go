package sectors

import "sarathi/internal/geom"

// line shortens the directions that the segment from p to q crosses to where it crosses them, and marks them as seen. k is the
// direction of p; the direction of q is returned. Seen from base_link the segment spans less than half a turn.
func (v *View) line(p, q geom.Vec2, k int) int {
	d := q.Sub(p)
	foot := 0.0 // where on the segment base_link is nearest
	if dd := d.Dot(d); dd > 0 {
		foot = -p.Dot(d) / dd
	}
	ccw := p.Cross(q) >= 0
	from := 0.0
	for range bins {
		edge, next := v.edge[k], k-1
		if ccw {
			edge, next = v.edge[k+1], k+1
		}
		if (edge.Cross(q) >= 0) != ccw {
			break
		}
		to := -edge.Cross(p) / edge.Cross(d)
		if !(to > from) { // rounding, or a segment along the edge
			to = from
		}
		if to > 1 {
			to = 1
		}
		v.touch(k, p, d, clamp(foot, from, to))
		from, k = to, (next+bins)%bins
	}
	v.touch(k, p, d, clamp(foot, from, 1))
	return k
}

func clamp(x, lo, hi float64) float64 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// touch shortens direction k to the point p + t·d.
func (v *View) touch(k int, p, d geom.Vec2, t float64) {
	x, y := p.X+t*d.X, p.Y+t*d.Y
	if r := x*x + y*y; r < v.near[k] { // all are finite, so this is min, at half its price
		v.near[k] = r
	}
	v.seen[k] = true
}

// hide marks the directions that the segment from p to q crosses as not seen by the scan.
func (v *View) hide(p, q geom.Vec2) {
	if p == (geom.Vec2{}) || q == (geom.Vec2{}) {
		return
	}
	from, to := v.bin(p), v.bin(q)
	if p.Cross(q) < 0 {
		from, to = to, from
	}
	if to < from {
		to += bins
	}
	for k := from; k <= to; k++ {
		v.blind[k%bins] = true
	}
}

// exit returns how far from o in direction u the robot's outline is left, 0 when o is outside.
func (v *View) exit(o, u geom.Vec2) float64 {
	box := v.cfg.Self
	if !box.Contains(o) {
		return 0
	}
	return min(leave(o.X, u.X, box.Min.X, box.Max.X), leave(o.Y, u.Y, box.Min.Y, box.Max.Y))
}

// leave returns when a coordinate that begins at x and grows with rate u leaves lo..hi.
func leave(x, u, lo, hi float64) float64 {
	const far = 1e9
	switch {
	case u > 1e-12:
		return (hi - x) / u
	case u < -1e-12:
		return (lo - x) / u
	}
	return far
}
