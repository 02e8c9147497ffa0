package astar

import "math"

const (
	// block is the side of what counts as one cell for the guide.
	block = 4
	// guideFrom is the distance from which a guide is worth making [cells].
	guideFrom = 64

	nowhere = math.MaxUint32
)

// guide estimates what the way to the goal costs: from a map that is coarser by the factor block, on which the cheapest ways from the goal
// to everywhere are found first. A block costs what its cheapest cell costs and can be passed where one of its cells can, so the guide
// knows walls and detours, and errs to the cheap side but for the position within a block.
type guide struct {
	width, height int
	price         []uint32 // of a straight step in the block; 0: impassable
	rest          []uint32 // to the goal, from the middle of the block
	far           uint32   // that at least to what was not reached
	queue         queue
}

// make prepares the guide. It returns false when the start cannot be reached even on the coarse map, which shows more ways than there are.
func (g *guide) make(s *Search, costs []uint8, from int) bool {
	g.width, g.height = (s.width+block-1)/block, (s.height+block-1)/block
	if g.price == nil {
		g.price, g.rest = make([]uint32, g.width*g.height), make([]uint32, g.width*g.height)
	}
	g.pool(s, costs)
	for i := range g.rest {
		g.rest[i] = nowhere
	}
	goal := g.blockOf(s.goalX, s.goalY)
	start := g.blockOf(int32(from%s.width), int32(from/s.width))
	g.queue.reset(0)
	g.rest[goal] = 0
	g.queue.push(0, int32(goal))
	// Some way beyond the start: what lies farther is estimated as if it were there.
	limit := uint32(nowhere)
	for {
		at, found := g.queue.pop()
		if !found || g.queue.least > limit {
			break
		}
		if int(at) == start {
			limit = g.queue.least + g.queue.least/8 + 8*block*diagonal
		}
		if g.queue.least > g.rest[at] {
			continue // entered again with less
		}
		g.expand(s, int(at))
	}
	g.far = g.queue.least
	return g.rest[start] != nowhere
}

// pool finds the cheapest cell of each block: the least cost, where what cannot be passed costs most.
func (g *guide) pool(s *Search, costs []uint8) {
	var rank, price [256]uint32 // price is by rank
	for c, p := range &s.stepTo {
		rank[c] = math.MaxUint8
		if p != 0 {
			if rank[c] = uint32(c); c == unknown {
				rank[c] = unknownFee
			}
			price[rank[c]] = p
		}
	}
	inner := s.width / block
	for by := range g.height {
		row := g.price[by*g.width : (by+1)*g.width]
		for i := range row {
			row[i] = math.MaxUint8
		}
		for y := by * block; y < min((by+1)*block, s.height); y++ {
			line := costs[y*s.width : (y+1)*s.width]
			for i := range inner {
				c := line[i*block : i*block+block : i*block+block]
				row[i] = min(row[i], rank[c[0]], rank[c[1]], rank[c[2]], rank[c[3]])
			}
			for x := inner * block; x < s.width; x++ {
				row[x/block] = min(row[x/block], rank[line[x]])
			}
		}
		for i, r := range row {
			row[i] = price[r]
		}
	}
}

func (g *guide) blockOf(x, y int32) int { return int(y/block)*g.width + int(x/block) }

func (g *guide) expand(s *Search, at int) {
	x, y := at%g.width, at/g.width
	here, rest := g.price[at], g.rest[at]
	for d := range 8 {
		nx, ny := x+int(s.steps[d].x), y+int(s.steps[d].y)
		if nx < 0 || ny < 0 || nx >= g.width || ny >= g.height {
			continue
		}
		to := ny*g.width + nx
		there := g.price[to]
		if there == 0 {
			continue
		}
		cost := (here + there) * (block / 2)
		if d%2 == 1 {
			cost = cost * diagonal / straight
		}
		if rest+cost < g.rest[to] {
			g.rest[to] = rest + cost
			g.queue.push(rest+cost, int32(to))
		}
	}
}

// estimate is the least over the four blocks around a cell of what remains from their middle and the way there. An eighth more than that
// makes the search look at few cells beside the way that the guide suggests.
func (g *guide) estimate(x, y int32) uint32 {
	bx, by := (x-block/2)/block, (y-block/2)/block
	best := g.far
	for j := by; j <= min(by+1, int32(g.height)-1); j++ {
		for i := bx; i <= min(bx+1, int32(g.width)-1); i++ {
			at := int(j)*g.width + int(i)
			if rest := g.rest[at]; rest != nowhere {
				best = min(best, rest+octile(abs(x-i*block-block/2), abs(y-j*block-block/2))*g.price[at]/straight)
			}
		}
	}
	return best / 8 * 9
}
