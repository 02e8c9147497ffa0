package jps

import (
	"math"
	"slices"
)

// node is what the search knows about a padded cell.
type node struct {
	g      float64 // length of the best way to it so far
	parent int32   // the jump before; itself at the start
	heap   int32   // place in the queue; closed: not in it any more
	query  uint32  // the query that all this is about
}

const closed = -1

// Search answers queries on one grid. Its zero value is of no use; it must not be used by two goroutines at once.
type Search struct {
	grid  *Grid
	nodes []node
	queue queue
	query uint32

	goal         int32
	goalX, goalY int // padded
	found        bool
}

// NewSearch returns a search with all the memory it will ever need.
func NewSearch(g *Grid) *Search {
	s := &Search{grid: g, nodes: make([]node, len(g.component))}
	s.queue.nodes = s.nodes
	s.queue.items = make([]item, 0, g.marks+2) // only marked cells, the start and the goal are ever queued
	return s
}

// Length returns how long the shortest path between two cells is, or false when there is none.
func (s *Search) Length(from, to Cell) (float64, bool) {
	g := s.grid
	s.found = false
	if !g.Connected(from, to) {
		return 0, false
	}
	if s.query++; s.query == 0 { // after 2³² queries
		clear(s.nodes)
		s.query = 1
	}
	s.queue.items = s.queue.items[:0]
	s.goal, s.goalX, s.goalY = g.index(to), to.X+1, to.Y+1
	start := g.index(from)
	s.nodes[start] = node{parent: start, query: s.query}
	s.queue.push(item{s.estimate(from.X+1, from.Y+1), start})
	for len(s.queue.items) > 0 {
		at := s.queue.pop()
		s.nodes[at].heap = closed
		if at == s.goal {
			s.found = true
			return s.nodes[at].g, true
		}
		s.expand(at)
	}
	return 0, false
}

// AppendPath appends every cell of the path that the last Length found to dst, from the start to the goal.
func (s *Search) AppendPath(dst []Cell) []Cell {
	if !s.found {
		return dst
	}
	begin := len(dst)
	at := s.goal
	for s.nodes[at].parent != at {
		end, p := s.grid.cell(at), s.grid.cell(s.nodes[at].parent)
		dx, dy := end.X-p.X, end.Y-p.Y
		straight := max(abs(dx), abs(dy)) - min(abs(dx), abs(dy))
		// Backwards the straight part comes first: jumps go diagonally, then straight.
		for c := end; c != p; {
			dst = append(dst, c)
			ax, ay := abs(c.X-p.X), abs(c.Y-p.Y)
			if straight == 0 || ax >= ay {
				c.X -= sign(dx)
			}
			if straight == 0 || ay > ax {
				c.Y -= sign(dy)
			}
			straight = max(straight-1, 0)
		}
		at = s.nodes[at].parent
	}
	dst = append(dst, s.grid.cell(at))
	slices.Reverse(dst[begin:])
	return dst
}

// expand follows every jump from a cell that canonical paths may take: diagonals first, then straight.
func (s *Search) expand(at int32) {
	padded := int32(s.grid.width + 2)
	x, y := int(at%padded), int(at/padded)
	n := &s.nodes[at]
	if n.parent == at {
		for d := range 4 {
			s.straight(at, x, y, d, n.g)
		}
		for _, d := range [4][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			s.diagonal(at, x, y, d[0], d[1], n.g)
		}
		return
	}
	px, py := int(n.parent%padded), int(n.parent/padded)
	dx, dy := x-px, y-py
	if abs(dx) > abs(dy) {
		s.along(at, x, y, sign(dx), n.g)
	} else {
		s.across(at, x, y, sign(dy), n.g)
	}
}

// along continues to the right (dx 1) or left.
func (s *Search) along(at int32, x, y, dx int, g float64) {
	ahead := right
	if dx < 0 {
		ahead = left
	}
	s.straight(at, x, y, ahead, g)
	rows := &s.grid.rows
	for _, dy := range [2]int{1, -1} {
		if rows.has(y+dy, x-dx) && !rows.has(y+dy, x) {
			if dy > 0 {
				s.straight(at, x, y, down, g)
			} else {
				s.straight(at, x, y, up, g)
			}
			s.diagonal(at, x, y, dx, dy, g)
		}
	}
}

// across continues down (dy 1) or up.
func (s *Search) across(at int32, x, y, dy int, g float64) {
	ahead := down
	if dy < 0 {
		ahead = up
	}
	s.straight(at, x, y, ahead, g)
	rows := &s.grid.rows
	for _, dx := range [2]int{1, -1} {
		if rows.has(y-dy, x+dx) && !rows.has(y, x+dx) {
			if dx > 0 {
				s.straight(at, x, y, right, g)
			} else {
				s.straight(at, x, y, left, g)
			}
			s.diagonal(at, x, y, dx, dy, g)
		}
	}
}

// straight jumps from x, y, whose way is g long, to the next stop in a straight direction. from is the jump that the way belongs to.
func (s *Search) straight(from int32, x, y, direction int, g float64) {
	padded := s.grid.width + 2
	stops := &s.grid.stops[direction]
	switch direction {
	case right:
		end := stops.next(y, x)
		if y == s.goalY && x < s.goalX && s.goalX <= end {
			end = s.goalX
		}
		if !s.grid.rows.has(y, end) {
			s.reach(from, int32(y*padded+end), end, y, g+float64(end-x))
		}
	case left:
		end := stops.previous(y, x)
		if y == s.goalY && x > s.goalX && s.goalX >= end {
			end = s.goalX
		}
		if !s.grid.rows.has(y, end) {
			s.reach(from, int32(y*padded+end), end, y, g+float64(x-end))
		}
	case down:
		end := stops.next(x, y)
		if x == s.goalX && y < s.goalY && s.goalY <= end {
			end = s.goalY
		}
		if !s.grid.columns.has(x, end) {
			s.reach(from, int32(end*padded+x), x, end, g+float64(end-y))
		}
	case up:
		end := stops.previous(x, y)
		if x == s.goalX && y > s.goalY && s.goalY >= end {
			end = s.goalY
		}
		if !s.grid.columns.has(x, end) {
			s.reach(from, int32(end*padded+x), x, end, g+float64(y-end))
		}
	}
}

// diagonal goes step by step and looks from each cell along both straight directions.
func (s *Search) diagonal(from int32, x, y, dx, dy int, g float64) {
	rows := &s.grid.rows
	horizontal, vertical := right, down
	if dx < 0 {
		horizontal = left
	}
	if dy < 0 {
		vertical = up
	}
	for !rows.has(y, x+dx) && !rows.has(y+dy, x) && !rows.has(y+dy, x+dx) {
		x, y = x+dx, y+dy
		g += math.Sqrt2
		if x == s.goalX && y == s.goalY {
			s.reach(from, s.goal, x, y, g)
			return
		}
		s.straight(from, x, y, horizontal, g)
		s.straight(from, x, y, vertical, g)
	}
}

// reach notes a way of length g to a cell, if it is the best so far.
func (s *Search) reach(from, to int32, x, y int, g float64) {
	n := &s.nodes[to]
	if n.query == s.query {
		// Sums of the same steps in another order differ in the last digits.
		const rounding = 1e-7
		if n.heap == closed || g > n.g-rounding {
			return
		}
		n.g, n.parent = g, from
		s.queue.lower(n.heap, g+s.estimate(x, y))
		return
	}
	*n = node{g: g, parent: from, query: s.query}
	s.queue.push(item{g + s.estimate(x, y), to})
}

// estimate is the length to the goal if nothing were in the way (octile distance). It is consistent, so a closed cell is final.
func (s *Search) estimate(x, y int) float64 {
	dx, dy := abs(x-s.goalX), abs(y-s.goalY)
	return float64(max(dx, dy)) + float64((math.Sqrt2-1)*float64(min(dx, dy)))
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}

func sign(a int) int {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return -1
	}
	return 0
}
