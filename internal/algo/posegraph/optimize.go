package posegraph

import "math"

// Options say how far an optimisation goes. The zero value is for daily use.
type Options struct {
	Iterations int     // at most so many solutions of the linear system; 0 means 20
	Tolerance  float64 // stop when the cost falls by less than this part of it; 0 means 1e-6
}

// Result is what an optimisation did.
type Result struct {
	Iterations    int     // solutions of the linear system
	Before, After float64 // the cost: the sum of χ² over the edges that are on, each bounded by its kernel
	Converged     bool    // false: Iterations were not enough, or the numbers not good enough
	Reordered     bool    // the nodes were ordered anew
	Blocks        int     // 3×3 blocks of the factor
	Moved         float64 // largest distance that a node was moved [m]
	Turned        float64 // largest angle that a node was turned [rad]
}

const (
	maxIterations = 20
	tolerance     = 1e-6
	firstDamping  = 1e-4
	maxDamping    = 1e10
	noStep        = 1e-10 // [m, rad] a step of nothing
)

// Optimize moves the nodes to where the cost is least near their present poses: Gauss-Newton, which from a good first guess converges
// in three or four iterations, with a search along each step, and Levenberg-Marquardt's damping where that does not help. The cost
// never grows.
//
// In each part of the graph that enabled edges hold together the node with the lowest id keeps its pose.
func (g *Graph) Optimize(opts Options) Result {
	if opts.Iterations <= 0 {
		opts.Iterations = maxIterations
	}
	if !(opts.Tolerance > 0) {
		opts.Tolerance = tolerance
	}
	var res Result
	if g.count == 0 {
		res.Converged = true
		return res
	}
	res.Reordered = g.prepare()
	res.Blocks = g.sys.fac.blocks()
	g.save(&g.sys.before)
	g.descend(opts, &res)
	for i, n := range g.nodes {
		if n.live {
			p, q := g.sys.before[i].pose, n.pose
			res.Moved = max(res.Moved, math.Hypot(q.X-p.X, q.Y-p.Y))
			res.Turned = max(res.Turned, math.Abs(math.Remainder(q.Theta-p.Theta, 2*math.Pi)))
		}
	}
	return res
}

func (g *Graph) descend(opts Options, res *Result) {
	s := &g.sys
	s.delta = resize(s.delta, int32(len(s.order)))
	cost := g.linearize()
	res.Before, res.After = cost, cost
	damping := 0.0
	for res.Iterations < opts.Iterations {
		res.Iterations++
		if !s.factorize(damping) {
			if damping = raise(damping); damping > maxDamping {
				return
			}
			continue
		}
		s.solve(s.delta)
		if largest(s.delta) < noStep {
			res.Converged = true
			s.ready = damping == 0
			return
		}
		after, scale := g.search(cost)
		if scale == 0 {
			// At the minimum rounding alone may raise the cost.
			if after-cost <= 1e-12*cost {
				res.Converged = true
				return
			}
			if damping = raise(damping); damping > maxDamping {
				return
			}
			continue
		}
		res.After = after
		// A step that was damped or cut is small because of that.
		if damping == 0 && scale == 1 && cost-after <= opts.Tolerance*cost {
			res.Converged = true
			return
		}
		damping = lower(damping)
		cost = g.linearize()
	}
}

// search goes the way of the solution, or a half, a quarter … of it: as far as the cost falls by a part of what the slope promises. It
// returns the cost there and how much of the way that was. When nothing helps that is 0, the cost that of the whole way, and no node
// was moved. Trying is cheap beside solving.
func (g *Graph) search(cost float64) (after, scale float64) {
	s := &g.sys
	g.save(&s.trial)
	slope := 0.0
	for i, d := range s.delta {
		v := &s.grad[i]
		slope += 2 * (v[0]*d[0] + v[1]*d[1] + v[2]*d[2])
	}
	whole := math.Inf(1)
	for scale = 1; scale > smallestPart; scale /= 2 {
		g.step(s.delta, scale)
		after = g.cost()
		if after <= cost+1e-4*scale*slope {
			return after, scale
		}
		if scale == 1 {
			whole = after
		}
		copy(g.nodes, s.trial)
	}
	return whole, 0
}

// smallestPart of a solution that is tried; after that the solution is damped.
const smallestPart = 1.0 / 100

func raise(damping float64) float64 { return max(firstDamping, 10*damping) }

func lower(damping float64) float64 {
	if damping <= firstDamping {
		return 0
	}
	return damping / 10
}

func largest(delta []vec3) float64 {
	m := 0.0
	for _, d := range delta {
		m = max(m, math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2]))
	}
	return m
}

// save copies the nodes to a buffer that keeps its memory.
func (g *Graph) save(to *[]node) { *to = append((*to)[:0], g.nodes...) }
