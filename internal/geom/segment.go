package geom

// Segment is a straight line between two points [m]; A = B is a point.
type Segment struct{ A, B Vec2 }

// DistanceToPoint is the distance from p to the nearest point of the segment.
func (s Segment) DistanceToPoint(p Vec2) float64 { return s.Nearest(p).Distance(p) }

// Nearest is the point of the segment that is nearest to p.
func (s Segment) Nearest(p Vec2) Vec2 {
	d := s.B.Sub(s.A)
	l2 := d.Dot(d)
	if l2 == 0 {
		return s.A
	}
	t := p.Sub(s.A).Dot(d) / l2
	return s.A.Lerp(s.B, min(max(t, 0), 1))
}

// Intersects reports whether the two segments share a point; touching and overlapping count.
func (s Segment) Intersects(o Segment) bool {
	d1, d2 := side(s, o.A), side(s, o.B)
	d3, d4 := side(o, s.A), side(o, s.B)
	if ((d1 > 0 && d2 < 0) || (d1 < 0 && d2 > 0)) && ((d3 > 0 && d4 < 0) || (d3 < 0 && d4 > 0)) {
		return true
	}
	return d1 == 0 && s.boxHolds(o.A) || d2 == 0 && s.boxHolds(o.B) ||
		d3 == 0 && o.boxHolds(s.A) || d4 == 0 && o.boxHolds(s.B)
}

// Distance is the smallest distance between points of the two segments; 0 when they intersect.
func (s Segment) Distance(o Segment) float64 {
	if s.Intersects(o) {
		return 0
	}
	return min(s.DistanceToPoint(o.A), s.DistanceToPoint(o.B), o.DistanceToPoint(s.A), o.DistanceToPoint(s.B))
}

// side is positive when p lies left of the segment, negative right of it, zero on its line.
func side(s Segment, p Vec2) float64 { return s.B.Sub(s.A).Cross(p.Sub(s.A)) }

// boxHolds reports whether p lies in the bounding box of the segment; on the segment's line that means on the segment.
func (s Segment) boxHolds(p Vec2) bool {
	return min(s.A.X, s.B.X) <= p.X && p.X <= max(s.A.X, s.B.X) && min(s.A.Y, s.B.Y) <= p.Y && p.Y <= max(s.A.Y, s.B.Y)
}

// Rect is an axis-aligned box between two corners [m], Min ≤ Max in both coordinates.
type Rect struct{ Min, Max Vec2 }

// Contains reports whether p lies in the box; its edge counts.
func (r Rect) Contains(p Vec2) bool {
	return r.Min.X <= p.X && p.X <= r.Max.X && r.Min.Y <= p.Y && p.Y <= r.Max.Y
}

// Expand moves every side outwards by d metres.
func (r Rect) Expand(d float64) Rect {
	return Rect{Vec2{r.Min.X - d, r.Min.Y - d}, Vec2{r.Max.X + d, r.Max.Y + d}}
}

// Union is the smallest box around both.
func (r Rect) Union(o Rect) Rect {
	return Rect{
		Vec2{min(r.Min.X, o.Min.X), min(r.Min.Y, o.Min.Y)},
		Vec2{max(r.Max.X, o.Max.X), max(r.Max.Y, o.Max.Y)},
	}
}
