package field

import (
	"math"

	"sarathi/internal/geom"
)

// outline is the footprint grown by the clearance, as the set of pieces that bound it: every edge moved outward, and a circle about
// every corner. Pieces may run inside the grown shape (at concave corners), but none leaves it, so a point that comes from outside
// meets its border exactly when it first meets a piece. That holds for concave footprints too, where a grown polygon would not.
type outline struct {
	polygon   geom.Polygon // counter-clockwise
	edges     []geom.Segment
	clearance float64
	reach     float64 // farthest corner from the origin [m]
}

func newOutline(p geom.Polygon, clearance float64) *outline {
	o := &outline{polygon: make(geom.Polygon, 0, len(p)), clearance: clearance, reach: p.Circumradius()}
	for i := range p {
		if p.Area() > 0 {
			o.polygon = append(o.polygon, p[i])
		} else {
			o.polygon = append(o.polygon, p[len(p)-1-i])
		}
	}
	for i := range o.polygon {
		e := o.polygon.Edge(i)
		d := e.B.Sub(e.A)
		out := geom.Vec2{X: d.Y, Y: -d.X}.Scale(clearance / d.Norm())
		o.edges = append(o.edges, geom.Segment{A: e.A.Add(out), B: e.B.Add(out)})
	}
	return o
}

// distance is the distance from p to the border of the footprint [m], negative inside.
func (o *outline) distance(p geom.Vec2) float64 {
	d2, inside := math.Inf(1), false
	a := o.polygon[len(o.polygon)-1]
	for _, b := range o.polygon {
		ab, ap := b.Sub(a), p.Sub(a)
		t := min(max(ap.Dot(ab)/ab.Dot(ab), 0), 1)
		off := ap.Sub(ab.Scale(t))
		d2 = min(d2, off.Dot(off))
		// Ray casting towards +x, as geom.Polygon.Contains.
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
			inside = !inside
		}
		a = b
	}
	if inside {
		return -math.Sqrt(d2)
	}
	return math.Sqrt(d2)
}

// outside is the range along the bearing dir (a unit vector) from which on a point is at least gap away from the footprint [m].
func (o *outline) outside(dir geom.Vec2, gap float64) float64 {
	// March inwards from where everything is outside: a step of the surplus distance can never jump over the border.
	r := o.reach + 2*gap
	for range 64 {
		surplus := o.distance(dir.Scale(r)) - gap
		if surplus < 1e-4 {
			break
		}
		r -= surplus
	}
	return r
}
