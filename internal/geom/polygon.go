package geom

import (
	"errors"
	"fmt"
	"math"
)

// ErrPolygon is what every error of [Polygon.Validate] wraps.
var ErrPolygon = errors.New("invalid polygon")

// Polygon is a closed outline: the last point joins the first, in either winding [m]. Robot footprints are polygons in
// base_link. Except for Validate, methods assume a polygon that Validate accepts.
type Polygon []Vec2

// MinPolygonArea is the smallest area Validate accepts [m²]: one square millimetre.
const MinPolygonArea = 1e-6

// Validate reports the first reason why the outline bounds no proper area: fewer than three points, a number that is not
// finite, two equal neighbours, edges that cross or touch, or an area below [MinPolygonArea].
func (p Polygon) Validate() error {
	if len(p) < 3 {
		return fmt.Errorf("%w: %d points, at least 3 are needed", ErrPolygon, len(p))
	}
	for i, v := range p {
		if !v.IsFinite() {
			return fmt.Errorf("%w: point %d (%g, %g) is not finite", ErrPolygon, i+1, v.X, v.Y)
		}
	}
	for i := range p {
		if p[i] == p[(i+1)%len(p)] {
			return fmt.Errorf("%w: points %d and %d are the same; the outline closes by itself, give each corner once",
				ErrPolygon, i+1, (i+1)%len(p)+1)
		}
	}
	if i, j, crosses := p.crossing(); crosses {
		return fmt.Errorf("%w: the edges after points %d and %d cross; list the corners in order around the outline",
			ErrPolygon, i+1, j+1)
	}
	if a := math.Abs(p.Area()); !(a >= MinPolygonArea && Finite(a)) {
		return fmt.Errorf("%w: area %g m² is not a number of at least %g m²", ErrPolygon, a, MinPolygonArea)
	}
	return nil
}

// Area is the signed area [m²]: positive for counter-clockwise corners.
func (p Polygon) Area() float64 {
	sum := 0.0
	for i, v := range p {
		sum += v.Cross(p[(i+1)%len(p)])
	}
	return sum / 2
}

// IsConvex reports whether no corner turns against the winding; straight corners are allowed.
func (p Polygon) IsConvex() bool {
	sign := p.Area()
	for i := range p {
		a, b, c := p[i], p[(i+1)%len(p)], p[(i+2)%len(p)]
		if b.Sub(a).Cross(c.Sub(b))*sign < 0 {
			return false
		}
	}
	return true
}

// Edge is the side from point i to the next one.
func (p Polygon) Edge(i int) Segment {
	if i == len(p)-1 {
		return Segment{p[i], p[0]}
	}
	return Segment{p[i], p[i+1]}
}

// Contains reports whether v lies inside. Points exactly on an edge may fall on either side.
func (p Polygon) Contains(v Vec2) bool {
	in := false
	for i := range p {
		a, b := p.Edge(i).A, p.Edge(i).B
		if (a.Y > v.Y) != (b.Y > v.Y) && v.X < a.X+(v.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
			in = !in
		}
	}
	return in
}

// DistanceToPoint is the distance from v to the filled polygon: 0 inside.
func (p Polygon) DistanceToPoint(v Vec2) float64 {
	if p.Contains(v) {
		return 0
	}
	return p.outlineDistance(v)
}

// DistanceToSegment is the distance from s to the filled polygon: 0 when they share a point.
func (p Polygon) DistanceToSegment(s Segment) float64 {
	if p.Contains(s.A) || p.Contains(s.B) {
		return 0
	}
	d := math.Inf(1)
	for i := range p {
		d = min(d, p.Edge(i).Distance(s))
	}
	return d
}

// IntersectsSegment reports whether s touches or lies in the filled polygon.
func (p Polygon) IntersectsSegment(s Segment) bool {
	for i := range p {
		if p.Edge(i).Intersects(s) {
			return true
		}
	}
	return p.Contains(s.A)
}

// Circumradius is the radius of the smallest circle about the origin that holds the polygon [m].
func (p Polygon) Circumradius() float64 {
	r := 0.0
	for _, v := range p {
		r = max(r, v.Norm())
	}
	return r
}

// Inradius is the radius of the largest circle about the origin inside the polygon [m]; 0 when the origin is outside.
func (p Polygon) Inradius() float64 {
	if !p.Contains(Vec2{}) {
		return 0
	}
	return p.outlineDistance(Vec2{})
}

// Bounds is the smallest axis-aligned box around the polygon.
func (p Polygon) Bounds() Rect {
	r := Rect{p[0], p[0]}
	for _, v := range p[1:] {
		r = r.Union(Rect{v, v})
	}
	return r
}

// Transform is the polygon moved from the child frame of pose into its parent frame.
func (p Polygon) Transform(pose Pose2) Polygon {
	return p.AppendTransform(make(Polygon, 0, len(p)), pose)
}

// AppendTransform appends the corners of p moved by pose to dst; a dst with room saves the allocation.
func (p Polygon) AppendTransform(dst Polygon, pose Pose2) Polygon {
	s, c := math.Sincos(pose.Theta)
	for _, v := range p {
		dst = append(dst, Vec2{pose.X + c*v.X - s*v.Y, pose.Y + s*v.X + c*v.Y})
	}
	return dst
}

// outlineDistance is the distance from v to the nearest edge.
func (p Polygon) outlineDistance(v Vec2) float64 {
	d := math.Inf(1)
	for i := range p {
		d = min(d, p.Edge(i).DistanceToPoint(v))
	}
	return d
}

// crossing finds two edges that are not neighbours and share a point. Neighbours that fold back onto each other need no look
// of their own: the edge that follows then begins on the first one, or, in a triangle, the area is zero.
func (p Polygon) crossing() (i, j int, found bool) {
	n := len(p)
	for i := range n {
		for j := i + 2; j < n; j++ {
			if i == 0 && j == n-1 {
				continue
			}
			if p.Edge(i).Intersects(p.Edge(j)) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}
