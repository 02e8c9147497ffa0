package astar

import (
	"errors"
	"slices"
)

// Why there is no way.
var (
	ErrBlocked = errors.New("start or goal cannot be passed")
	ErrNoPath  = errors.New("no way leads to the goal")
	ErrBudget  = errors.New("the search was given up")
)

const (
	straight   = 70
	diagonal   = 99
	weight     = 4   // what the dearest cell costs more, as a multiple of its length
	dearest    = 252 // cost of the dearest cell that may be entered
	unknown    = 255
	unknownFee = dearest / 2 // what a cell costs that nobody knows, where it may be entered

	// labelAfter is after which part of the map the search makes sure that there is a way: looking costs as much as a few of that.
	labelAfter = 1. / 8
)

// Options of a search.
type Options struct {
	Unknown bool // cells that nobody knows may be entered
	Budget  int  // cells to look at before giving up; 0: all
	Exact   bool // the cheapest way of all, not one that may cost a few percent more; it takes longer
}

// node is what a search knows about a cell.
type node struct {
	g     uint32 // cost of the best way to it so far
	state uint32 // number of the search, and below it whether it is final and where it was reached from
}

const (
	fromBits = 7 // direction of the step that led here
	final    = 8
	begun    = 16 // searches are numbered in units of this
)

// step leads to a neighbour. The even ones are straight, and each diagonal one lies between the two that it needs free.
type step struct{ x, y, offset int32 }

// Search finds ways on maps of one size. Use [New]; not for two goroutines at once.
type Search struct {
	width, height int
	nodes         []node
	number        uint32
	stepTo        [256]uint32 // by cost of the cell: what a straight step costs, 0: not allowed
	diagonalTo    [256]uint32
	steps         [8]step

	queue queue
	guide guide

	labels []int32 // scratch of connected
	parent []int32

	goal, goalX, goalY int32
	guided             bool
	found              bool
	visited            int
}

// New returns a search for maps of width × height cells, at most 2²⁶.
func New(width, height int) *Search {
	s := &Search{width: width, height: height, nodes: make([]node, width*height)}
	for d, by := range [8][2]int32{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}} {
		s.steps[d] = step{by[0], by[1], by[1]*int32(width) + by[0]}
	}
	return s
}

// allow fills the tables of what steps cost.
func (s *Search) allow(o Options) {
	price := func(c int) (uint32, uint32) {
		extra := func(length int) uint32 { return uint32((length*weight*c + dearest/2) / dearest) }
		return straight + extra(straight), diagonal + extra(diagonal)
	}
	for c := range 256 {
		s.stepTo[c], s.diagonalTo[c] = 0, 0
		if c <= dearest {
			s.stepTo[c], s.diagonalTo[c] = price(c)
		}
	}
	if o.Unknown {
		s.stepTo[unknown], s.diagonalTo[unknown] = price(unknownFee)
	}
}

// Find looks for the cheapest way between two cells, given by their places in costs, the costs of all cells row by row. The error is one
// of this package's.
func (s *Search) Find(costs []uint8, from, to int, o Options) error {
	s.begin(o)
	if !s.passable(costs, from) || !s.passable(costs, to) {
		return ErrBlocked
	}
	s.goal, s.goalX, s.goalY = int32(to), int32(to%s.width), int32(to/s.width)
	if s.guided = !o.Exact && octile(abs(int32(from%s.width)-s.goalX), abs(int32(from/s.width)-s.goalY)) > guideFrom*straight; s.guided && !s.guide.make(s, costs, from) {
		return ErrNoPath
	}
	doubtAfter := int(labelAfter * float64(len(s.nodes)))
	s.nodes[from] = node{0, s.number}
	s.queue.reset(s.estimate(int32(from%s.width), int32(from/s.width)))
	s.queue.push(s.queue.least, int32(from))
	for {
		at, found := s.queue.pop()
		if !found {
			return ErrNoPath
		}
		n := &s.nodes[at]
		if n.state&final != 0 {
			continue
		}
		n.state |= final
		if int(at) == to {
			s.found = true
			return nil
		}
		s.visited++
		switch {
		case s.visited == o.Budget:
			return ErrBudget
		case s.visited == doubtAfter && !s.connected(costs, from, to):
			return ErrNoPath
		}
		s.expand(costs, at)
	}
}

// Visited is how many cells the last search looked at.
func (s *Search) Visited() int { return s.visited }

// AppendPath appends the cells of the way that was found last, from start to goal, to dst.
func (s *Search) AppendPath(dst []int32) []int32 {
	if !s.found {
		return dst
	}
	begin, at := len(dst), s.goal
	for {
		dst = append(dst, at)
		n := s.nodes[at]
		if n.g == 0 {
			break
		}
		at -= s.steps[n.state&fromBits].offset
	}
	slices.Reverse(dst[begin:])
	return dst
}

func (s *Search) begin(o Options) {
	s.allow(o)
	s.found, s.visited = false, 0
	if s.number += begun; s.number == 0 { // after 2²⁸ searches
		clear(s.nodes)
		s.number = begun
	}
}

// passable reports whether the robot's centre may be in a cell.
func (s *Search) passable(costs []uint8, i int) bool {
	x, y := i%s.width, i/s.width
	return i >= 0 && x > 0 && y > 0 && x < s.width-1 && y < s.height-1 && s.stepTo[costs[i]] != 0
}

func (s *Search) expand(costs []uint8, at int32) {
	width, height := int32(s.width), int32(s.height)
	x, y := at%width, at/width
	g := s.nodes[at].g
	atEdge := x == 1 || y == 1 || x == width-2 || y == height-2
	open := 0 // a bit for each straight direction
	for d := uint32(0); d < 8; d += 2 {
		to := at + s.steps[d].offset
		price := s.stepTo[costs[to]]
		nx, ny := x+s.steps[d].x, y+s.steps[d].y
		if price == 0 || atEdge && (nx == 0 || ny == 0 || nx == width-1 || ny == height-1) {
			continue
		}
		open |= 1 << d
		s.reach(to, nx, ny, g+price, d)
	}
	open |= open << 8 // for the last diagonal
	for d := uint32(1); d < 8; d += 2 {
		if open>>(d-1)&5 != 5 {
			continue
		}
		to := at + s.steps[d].offset
		if price := s.diagonalTo[costs[to]]; price != 0 {
			s.reach(to, x+s.steps[d].x, y+s.steps[d].y, g+price, d)
		}
	}
}

// reach notes a way of cost g to a cell, if it is the best so far.
func (s *Search) reach(to, x, y int32, g, direction uint32) {
	n := &s.nodes[to]
	if n.state >= s.number && (n.state&final != 0 || n.g <= g) {
		return
	}
	*n = node{g, s.number | direction}
	s.queue.push(g+s.estimate(x, y), to)
}

// estimate is what the way from a cell to the goal will cost.
func (s *Search) estimate(x, y int32) uint32 {
	if s.guided {
		return s.guide.estimate(x, y)
	}
	return octile(abs(x-s.goalX), abs(y-s.goalY))
}

// octile is what a way costs at least.
func octile(dx, dy int32) uint32 {
	if dx < dy {
		dx, dy = dy, dx
	}
	return uint32(straight*(dx-dy) + diagonal*dy)
}

func abs(a int32) int32 {
	if a < 0 {
		return -a
	}
	return a
}
