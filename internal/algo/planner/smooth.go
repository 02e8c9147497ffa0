package planner

import (
	"math"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/geom"
)

// pull replaces pieces of a way along cells by straight lines that cost no more. It returns the corners, from start, which is in the first
// cell, to end, which is in the last.
func (t terrain) pull(cells []int32, start, end geom.Vec2) []geom.Vec2 {
	if len(cells) == 1 {
		return []geom.Vec2{start, end}
	}
	points := make([]geom.Vec2, len(cells))
	for i, c := range cells {
		points[i] = t.Center(t.CellAt(int(c)))
	}
	points[0], points[len(points)-1] = start, end
	walked := make([]float64, len(points)) // price up to each point
	for i := 1; i < len(points); i++ {
		walked[i] = walked[i-1] + t.line(points[i-1], points[i])
	}
	slack := t.Resolution / 2 // the price of cells is known no better
	straight := func(i, j int) bool { return j == i+1 || t.line(points[i], points[j]) <= walked[j]-walked[i]+slack }
	out := []geom.Vec2{points[0]}
	for i := 0; i < len(points)-1; {
		// Twice as far while that is straight, then between.
		good, step := i+1, 1
		for good+step < len(points) && straight(i, good+step) {
			good += step
			step *= 2
		}
		for ; step > 0; step /= 2 {
			if good+step < len(points) && straight(i, good+step) {
				good += step
			}
		}
		out = append(out, points[good])
		i = good
	}
	return out
}

const (
	roundings = 20   // rounds over all points
	towards   = 0.25 // how far a point moves to the middle of its neighbours in each
)

// round moves points towards the middle of their neighbours, again and again, but never to where it costs more than it did there or on both
// sides. The first ones stay, and the last.
func (t terrain) round(points []geom.Vec2, first int) {
	limit := make([]float64, len(points))
	price := func(i int) float64 { return t.price(t.Cell(points[i])) }
	for i := first; i < len(points)-1; i++ {
		limit[i] = max(price(i), min(price(i-1), price(i+1)))
	}
	for range roundings {
		for i := max(first, 1); i < len(points)-1; i++ {
			middle := points[i-1].Lerp(points[i+1], 0.5)
			p := points[i].Lerp(middle, towards)
			if t.price(t.Cell(p)) <= limit[i] && !math.IsInf(t.line(points[i-1], p)+t.line(p, points[i+1]), 1) {
				points[i] = p
			}
		}
	}
}

// Blocked reports how far along a path, from a point of it, the robot meets what it may not enter [m], looking ahead a distance [m]. It
// returns false when it does not. Where the robot is inside such a place already does not count.
func Blocked(m *costmap.Map, path []geom.Pose2, from int, ahead float64) (at float64, blocked bool) {
	inside := true
	for i := max(from, 0); i < len(path); i++ {
		if i > max(from, 0) {
			at += path[i-1].Position().Distance(path[i].Position())
		}
		if at > ahead {
			return 0, false
		}
		cost := m.At(m.Cell(path[i].Position()))
		touches := cost == costmap.Inscribed || cost == costmap.Lethal
		if touches && !inside {
			return at, true
		}
		inside = inside && touches
	}
	return 0, false
}

// Deviation is how far the points of b are from the line of a at most [m], looking at the first distance [m] of b. It is +Inf where a is
// no line.
func Deviation(a, b []geom.Pose2, distance float64) float64 {
	worst, walked, near := 0.0, 0.0, 0
	for i := range b {
		if i > 0 {
			walked += b[i-1].Position().Distance(b[i].Position())
		}
		if walked > distance {
			break
		}
		var d float64
		d, near = nearest(a, b[i].Position(), near)
		worst = max(worst, d)
	}
	return worst
}

// nearest returns how far p is from the line through path, and after which point of it; not before point from.
func nearest(path []geom.Pose2, p geom.Vec2, from int) (distance float64, at int) {
	distance, at = math.Inf(1), from
	for k := from; k+1 < len(path); k++ {
		if d := (geom.Segment{A: path[k].Position(), B: path[k+1].Position()}).DistanceToPoint(p); d < distance {
			distance, at = d, k
		}
	}
	return distance, at
}
