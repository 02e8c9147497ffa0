package posegraph

import (
	"math"
	"math/bits"
	"slices"

	"sarathi/internal/geom"
)

// Closure is a measurement between two nodes that is not trusted yet.
type Closure struct {
	From, To NodeID
	Relative // of To, seen from From
}

// Disagreement is the squared Mahalanobis length of the error around the loop of two closures: from a.From over closure a to a.To and
// on to b.To, against from a.From to b.From and over closure b to b.To. from is where b.From is seen from a.From, to where b.To is
// seen from a.To, both without the closures. For two true closures it is χ² of three degrees of freedom (Mangelson et al., "Pairwise
// Consistent Measurement Set Maximization", ICRA 2018).
//
// Closures that were found in the same place are less independent than assumed here, which makes it smaller, never larger.
func Disagreement(a, b *Closure, from, to Relative) float64 {
	l, r := a.Then(to), from.Then(b.Relative)
	e := vec3{l.Pose.X - r.Pose.X, l.Pose.Y - r.Pose.Y, geom.AngleDiff(l.Pose.Theta, r.Pose.Theta)}
	cov, add := mat3(l.Cov), mat3(r.Cov)
	cov.add(&add)
	if !cov.cholesky() {
		return math.Inf(1)
	}
	cov.lowerSolveVec(&e)
	return e[0]*e[0] + e[1]*e[1] + e[2]*e[2]
}

// MaxConsistent returns the largest set of the items 0..n-1 of which each two are consistent, ascending. consistent(i, j) is asked
// once for each i < j. With equal size, the set found first wins, and the search begins with the items that agree with the most others.
//
// It is exact, by branch and bound with a greedy colouring (Tomita, Seki, DMTCS 2003), up to MaxSearch branches; then it is the best
// set found until then, which on such large groups is one of the largest in practice. It uses n²/8 bytes.
func MaxConsistent(n int, consistent func(i, j int) bool) []int {
	if n <= 0 {
		return nil
	}
	words := (n + 63) / 64
	adj := make([]uint64, n*words)
	degree := make([]int, n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			if consistent(i, j) {
				adj[i*words+j/64] |= 1 << (j % 64)
				adj[j*words+i/64] |= 1 << (i % 64)
				degree[i]++
				degree[j]++
			}
		}
	}
	// The search looks at items by rank: those that agree with many first.
	byRank := make([]int, n)
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortStableFunc(byRank, func(i, j int) int { return degree[j] - degree[i] })
	rank := make([]int, n)
	for r, i := range byRank {
		rank[i] = r
	}
	c := clique{words: words, adj: make([]uint64, n*words), budget: MaxSearch}
	for i := range n {
		for j := range n {
			if adj[i*words+j/64]>>(j%64)&1 != 0 {
				c.adj[rank[i]*words+rank[j]/64] |= 1 << (rank[j] % 64)
			}
		}
	}
	all := make([]uint64, words)
	for i := range n {
		all[i/64] |= 1 << (i % 64)
	}
	c.search(all)
	out := make([]int, len(c.best))
	for k, r := range c.best {
		out[k] = byRank[r]
	}
	slices.Sort(out)
	return out
}

// MaxSearch bounds the branches that MaxConsistent looks at.
const MaxSearch = 200_000

// clique is the search for the largest set of vertices of which each two are adjacent.
type clique struct {
	words  int
	adj    []uint64
	now    []int
	best   []int
	budget int
}

// search extends the present set by vertices of candidates, all of which are adjacent to all of it.
func (c *clique) search(candidates []uint64) {
	order, color := c.paint(candidates)
	rest := slices.Clone(candidates)
	inner := make([]uint64, c.words)
	for k, v := range slices.Backward(order) {
		// Vertices of one colour are not adjacent, so each adds at most one.
		if len(c.now)+color[k] <= len(c.best) || c.budget <= 0 {
			return
		}
		c.budget--
		c.now = append(c.now, v)
		some := uint64(0)
		for w := range inner {
			inner[w] = rest[w] & c.adj[v*c.words+w]
			some |= inner[w]
		}
		if some != 0 {
			c.search(inner)
		} else if len(c.now) > len(c.best) {
			c.best = slices.Clone(c.now)
		}
		c.now = c.now[:len(c.now)-1]
		rest[v/64] &^= 1 << (v % 64)
	}
}

// paint colours vertices so that no two of one colour are adjacent, and lists them by colour, beginning with 1.
func (c *clique) paint(candidates []uint64) (order, color []int) {
	left := slices.Clone(candidates)
	class := make([]uint64, c.words)
	for k := 1; ; k++ {
		copy(class, left)
		found := false
		for w := range class {
			for class[w] != 0 {
				v := 64*w + bits.TrailingZeros64(class[w])
				found = true
				order, color = append(order, v), append(color, k)
				left[w] &^= 1 << (v % 64)
				class[w] &^= 1 << (v % 64)
				for x := w; x < c.words; x++ {
					class[x] &^= c.adj[v*c.words+x]
				}
			}
		}
		if !found {
			return order, color
		}
	}
}
