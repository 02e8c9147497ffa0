package planner

import (
	"math"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/geom"
)

// terrain is a costmap and what may be entered on it.
type terrain struct {
	*costmap.Map
	unknown bool       // may be entered
	into    geom.Pose2 // maps the map frame into that of the cells
}

// passable reports whether the robot's centre may be in a cell.
func (t terrain) passable(c costmap.Cell) bool {
	if c.X < 1 || c.Y < 1 || c.X >= t.Width-1 || c.Y >= t.Height-1 {
		return false
	}
	cost := t.At(c)
	return cost < costmap.Inscribed || cost == costmap.Unknown && t.unknown
}

// price is what a metre through a cell costs, +Inf where it may not be entered; it agrees with package astar.
func (t terrain) price(c costmap.Cell) float64 {
	if !t.passable(c) {
		return math.Inf(1)
	}
	cost := float64(t.At(c))
	if t.At(c) == costmap.Unknown {
		cost = float64(costmap.Dearest) / 2
	}
	return 1 + 4*cost/float64(costmap.Dearest)
}

// near returns the passable cell nearest to c within a distance [m].
func (t terrain) near(c costmap.Cell, distance float64) (costmap.Cell, bool) {
	if t.passable(c) {
		return c, true
	}
	n := int(distance / t.Resolution)
	best, found := c, false
	least := n*n + 1
	for dy := -n; dy <= n; dy++ {
		for dx := -n; dx <= n; dx++ {
			if d := dx*dx + dy*dy; d < least && t.passable(costmap.Cell{X: c.X + dx, Y: c.Y + dy}) {
				best, found, least = costmap.Cell{X: c.X + dx, Y: c.Y + dy}, true, d
			}
		}
	}
	return best, found
}

// escape returns the cells from where the robot is to the nearest passable one, both included, by a way of at most distance [m].
func (t terrain) escape(from costmap.Cell, distance float64) ([]costmap.Cell, bool) {
	if t.passable(from) {
		return []costmap.Cell{from}, true
	}
	n := int(distance / t.Resolution)
	side := 2*n + 1
	under := t.Config().Footprint.Inradius() / t.Resolution
	parent := make([]int, side*side) // 1 + place of the cell before
	at := func(c costmap.Cell) int { return (c.Y-from.Y+n)*side + c.X - from.X + n }
	queue := []costmap.Cell{from}
	parent[at(from)] = 1 + at(from)
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		if t.passable(c) {
			return t.traced(c, from, n, parent), true
		}
		for _, d := range [8][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
			b := costmap.Cell{X: c.X + d[0], Y: c.Y + d[1]}
			dx, dy := float64(b.X-from.X), float64(b.Y-from.Y)
			r := math.Sqrt(dx*dx + dy*dy)
			if r > float64(n) || !t.Holds(b) || parent[at(b)] != 0 || t.Solid(b) && r > under {
				continue
			}
			parent[at(b)] = 1 + at(c)
			queue = append(queue, b)
		}
	}
	return nil, false
}

// traced follows parents, in a window of n cells around from, back from c.
func (t terrain) traced(c, from costmap.Cell, n int, parent []int) []costmap.Cell {
	side := 2*n + 1
	var back []costmap.Cell
	for {
		back = append(back, c)
		if c == from {
			break
		}
		p := parent[(c.Y-from.Y+n)*side+c.X-from.X+n] - 1
		c = costmap.Cell{X: p%side + from.X - n, Y: p/side + from.Y - n}
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

// line is what the straight line from a to b costs, +Inf when it crosses what may not be entered. Every cell that it crosses counts with
// the length in it (Amanatides and Woo, Eurographics 1987).
func (t terrain) line(a, b geom.Vec2) float64 {
	p, q := t.into.Apply(a).Scale(1/t.Resolution), t.into.Apply(b).Scale(1/t.Resolution)
	c, last := costmap.Cell{X: int(math.Floor(p.X)), Y: int(math.Floor(p.Y))}, costmap.Cell{X: int(math.Floor(q.X)), Y: int(math.Floor(q.Y))}
	stepX, nextX, everyX := crossings(p.X, q.X-p.X)
	stepY, nextY, everyY := crossings(p.Y, q.Y-p.Y)
	sum, at := 0.0, 0.0
	for range abs(last.X-c.X) + abs(last.Y-c.Y) {
		price := t.price(c)
		if math.IsInf(price, 1) {
			return price
		}
		if nextX < nextY {
			sum += price * (nextX - at)
			at, nextX, c.X = nextX, nextX+everyX, c.X+stepX
		} else {
			sum += price * (nextY - at)
			at, nextY, c.Y = nextY, nextY+everyY, c.Y+stepY
		}
	}
	price := t.price(c)
	if math.IsInf(price, 1) {
		return price
	}
	return (sum + price*max(1-at, 0)) * a.Distance(b)
}

// crossings says how a line that begins at x and grows by dx crosses whole numbers: in which direction, where on the line (0 to 1) first,
// and how far apart.
func crossings(x, dx float64) (step int, first, every float64) {
	switch {
	case dx > 0:
		return 1, (math.Floor(x) + 1 - x) / dx, 1 / dx
	case dx < 0:
		return -1, (math.Floor(x) - x) / dx, -1 / dx
	}
	return 0, math.Inf(1), math.Inf(1)
}

func abs(a int) int { return max(a, -a) }
