package scanmatch

import (
	"cmp"
	"math"
	"slices"

	"sarathi/internal/geom"
)

// Window is where a search looks: every pose within Linear of the middle in x and in y, and within Angular of it.
type Window struct {
	Middle  geom.Pose2
	Linear  float64 // [m]
	Angular float64 // [rad]

	// A pose that is this far from the middle must fit better, by Reluctance; twice as far, by four times as much. Zero values are no
	// reluctance.
	SigmaLinear, SigmaAngular float64 // [m], [rad]
	Reluctance                float64 // in score, 0 to 1
}

// penalty is the least reluctance, in units of the score of n hits, at a heading angle [rad] from the middle and any offset of the square with
// the corner (x, y) and side [cells of size res].
func (w *Window) penalty(n int, angle float64, x, y, side int, res float64) int {
	if w.Reluctance == 0 {
		return 0
	}
	nearest := func(v int) float64 { return float64(max(v, -(v+side), 0)) * res / w.SigmaLinear }
	dx, dy, da := nearest(x), nearest(y), angle/w.SigmaAngular
	return int(w.Reluctance * (dx*dx + dy*dy + da*da) * 255 * float64(n))
}

// Candidate is a pose that a search found.
type Candidate struct {
	Pose  geom.Pose2
	Score float64 // mean fit of the hits, 0 to 1, less the reluctance of the window
}

// Searcher looks for the pose at which a scan fits a field best, in a whole window: correlative scan matching (Olson 2009) by branch and bound
// (Hess, Kohler, Rapp, Andor 2016). It keeps its memory between searches.
type Searcher struct {
	window Window
	points []geom.Vec2
	turns  []turn
	heap   []branch
	cells  []spot
	thin   map[spot]struct{}
}

// turn is the scan at one heading: the cells of its hits when it stands at the middle of the window.
type turn struct {
	theta float64
	first int // of its cells in Searcher.cells
}

// branch is a set of poses: one heading, and a square of 2^level by 2^level offsets of which (x, y) is the lowest.
type branch struct {
	turn, x, y int
	level      int
	score      int // an upper bound of the sum over the hits
}

// searchPoints bounds how many hits a search looks at.
const searchPoints = 150

// Best finds the best pose in the window. It is false when none has a score of at least minScore.
func (s *Searcher) Best(f *Field, scan *Scan, w Window, minScore float64) (Candidate, bool) {
	s.window = w
	s.choose(scan)
	n := len(s.points)
	if n == 0 {
		return Candidate{}, false
	}
	s.rotate(f, w)
	reach := int(math.Ceil(w.Linear * f.inv))
	best := branch{score: int(math.Ceil(minScore*255*float64(n))) - 1, turn: -1}
	top := min(topLevel(reach), f.top)
	s.heap = s.heap[:0]
	for t := range s.turns {
		for y := -reach; y <= reach; y += 1 << top {
			for x := -reach; x <= reach; x += 1 << top {
				b := branch{turn: t, x: x, y: y, level: top}
				b.score = s.score(f, b)
				if b.score > best.score {
					s.heap = append(s.heap, b)
				}
			}
		}
	}
	slices.SortFunc(s.heap, better)
	s.descend(f, s.heap, reach, &best)
	if best.turn < 0 {
		return Candidate{}, false
	}
	return Candidate{
		Pose: geom.Pose2{
			X: w.Middle.X + float64(best.x)*f.res, Y: w.Middle.Y + float64(best.y)*f.res, Theta: geom.NormalizeAngle(s.turns[best.turn].theta),
		},
		Score: float64(best.score) / 255 / float64(n),
	}, true
}

// better puts the higher bound first; equal ones in an order of their own, so that the result is the same every time.
func better(a, b branch) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.turn, b.turn), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
}

// descend visits branches, best first, and splits those that may hold something better than best.
func (s *Searcher) descend(f *Field, branches []branch, reach int, best *branch) {
	for _, b := range branches {
		if b.score <= best.score {
			return
		}
		if b.level == 0 {
			*best = b
			return
		}
		var parts [4]branch
		k, half := 0, 1<<(b.level-1)
		for _, d := range [4]spot{{0, 0}, {half, 0}, {0, half}, {half, half}} {
			p := branch{turn: b.turn, x: b.x + d.x, y: b.y + d.y, level: b.level - 1}
			if p.x > reach || p.y > reach {
				continue
			}
			if p.score = s.score(f, p); p.score > best.score {
				parts[k] = p
				k++
			}
		}
		slices.SortFunc(parts[:k], better)
		s.descend(f, parts[:k], reach, best)
	}
}

// score is the sum of the fits of all hits, at the best offset of the branch for each.
func (s *Searcher) score(f *Field, b branch) int {
	level := f.levels[b.level]
	first := s.turns[b.turn].first
	side := 1<<b.level - 1
	sum := -s.window.penalty(len(s.points), s.turns[b.turn].theta-s.window.Middle.Theta, b.x, b.y, side, f.res)
	for _, c := range s.cells[first : first+len(s.points)] {
		x, y := c.x+b.x, c.y+b.y
		if uint(x) < uint(f.w) && uint(y) < uint(f.h) {
			sum += int(level[y*f.w+x])
			continue
		}
		if x+side >= 0 && y+side >= 0 && x < f.w && y < f.h { // the square sticks out of the picture on its low sides
			sum += int(level[max(y, 0)*f.w+max(x, 0)])
		}
	}
	return sum
}

// choose thins the hits out so that each region counts alike and the search stays quick.
func (s *Searcher) choose(scan *Scan) {
	s.points = s.points[:0]
	if s.thin == nil {
		s.thin = make(map[spot]struct{})
	}
	clear(s.thin)
	const size = 0.1 // [m]
	for _, p := range scan.Hits {
		k := spot{int(math.Floor(p.X / size)), int(math.Floor(p.Y / size))}
		if _, ok := s.thin[k]; ok {
			continue
		}
		s.thin[k] = struct{}{}
		s.points = append(s.points, p)
	}
	if n := len(s.points); n > searchPoints {
		for i := range searchPoints {
			s.points[i] = s.points[i*n/searchPoints]
		}
		s.points = s.points[:searchPoints]
	}
}

// rotate fills turns and cells: all headings of the window, at steps that move the farther hits by about a cell.
func (s *Searcher) rotate(f *Field, w Window) {
	far := make([]float64, 0, searchPoints)
	for _, p := range s.points {
		far = append(far, p.Norm())
	}
	slices.Sort(far)
	step := f.res / max(far[len(far)*3/4], 1)
	steps := int(math.Ceil(w.Angular / step))
	if steps > 0 {
		step = w.Angular / float64(steps)
	}
	s.turns, s.cells = s.turns[:0], s.cells[:0]
	for i := -steps; i <= steps; i++ {
		theta := w.Middle.Theta + float64(i)*step
		s.turns = append(s.turns, turn{theta, len(s.cells)})
		sin, cos := math.Sincos(theta)
		for _, p := range s.points {
			s.cells = append(s.cells, spot{
				int(math.Floor((w.Middle.X+cos*p.X-sin*p.Y)*f.inv)) - f.x0,
				int(math.Floor((w.Middle.Y+sin*p.X+cos*p.Y)*f.inv)) - f.y0,
			})
		}
	}
}
