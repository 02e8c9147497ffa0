package slam

import (
	"cmp"
	"math"
	"slices"

	"sarathi/internal/algo/posegraph"
	"sarathi/internal/algo/scanmatch"
)

const (
	visitGap      = 8   // keyframes between two visits of a place
	visitsMatched = 3   // earlier visits that a keyframe is matched to
	clusterStep   = 4   // keyframes: middles of clusters are multiples of it, so that they serve several keyframes
	clusterReach  = 0.3 // [m] of the distance field
	clusterHalf   = 12  // keyframes on either side
	searchEvery   = 1.0 // [m] travelled between searches for loops
	searchVisits  = 2   // earlier visits that are searched

	linkInliers = 0.85       // of a match to a visit whose place is known
	linkOutlier = 0.06       // [m] scale of its robust kernel
	linkWidth   = 2.0        // χ up to which its edge counts fully
	linkShift   = 0.2        // [m] and
	linkTurn    = 5 * degree // by which it may move from where the graph has the keyframe

	loopInliers       = 0.7
	loopWidth         = 3.0  // χ up to which its edge counts fully
	loopFit           = 0.45 // of the search, 0 to 1
	loopContradiction = 0.1  // part of the hits that may lie in free space
	loopGroup         = 3    // candidates that must agree
	loopMemory        = 15.0 // [m] travelled after which a candidate is forgotten
)

// candidate is a loop that is not believed yet.
type candidate struct {
	posegraph.Closure
	travel float64
}

// visits returns the keyframes nearest to keyframe i of each earlier visit within radius, nearest first.
func (b *backEnd) visits(i int, radius float64) []int {
	here := b.poses[i].Position()
	all := b.index.around(nil, b.poses[i], radius)
	slices.Sort(all)
	var (
		out  []int
		last = math.MinInt / 2
	)
	distance := func(j int) float64 { return b.poses[j].Position().Distance(here) }
	for _, j := range all {
		if b.frames[i].travel-b.frames[j].travel < b.cfg.GapDistance || distance(j) > radius {
			continue
		}
		if j-last > visitGap {
			out = append(out, j)
		} else if distance(j) < distance(out[len(out)-1]) {
			out[len(out)-1] = j
		}
		last = j
	}
	slices.SortStableFunc(out, func(a, c int) int { return cmp.Compare(distance(a), distance(c)) })
	return out[:min(len(out), visitsMatched)]
}

// plan is a match to an earlier visit that is to be tried.
type plan struct {
	frame, middle int
	sigma         Sigma
	search        bool
}

// plans lists what the new keyframes are to be matched to: directly where the place of a visit is known, by a search where it is not. All
// uncertainties are those before any of it, and plans of one cluster follow each other, because both are dear to change.
func (b *backEnd) plans() []plan {
	var out []plan
	for i := b.fresh; i < len(b.frames); i++ {
		search := b.frames[i].travel-b.searched >= searchEvery
		n := 0
		for _, c := range b.visits(i, b.cfg.Near+b.cfg.Window) {
			s := b.uncertainty(b.fresh, c)
			d := b.poses[c].Position().Distance(b.poses[i].Position())
			p := plan{frame: i, middle: c / clusterStep * clusterStep, sigma: s}
			switch {
			case s.Translation < b.cfg.Local && d < b.cfg.Near:
				out = append(out, p)
			case s.Translation >= b.cfg.Local && search && n < searchVisits && d < b.cfg.Near+2*s.Translation:
				n++
				b.searched = b.frames[i].travel
				p.search = true
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y plan) int { return cmp.Compare(x.middle, y.middle) })
	return out
}

// cluster is a map of a stretch of keyframes, in the frame of the one in its middle.
type cluster struct {
	grid   *scanmatch.Grid
	middle int
	rays   bool
}

func (c *cluster) forget() { c.middle = -1 }

// around makes the map of the keyframes around middle.
func (b *backEnd) around(middle, half int, rays bool, until int) *cluster {
	c := &b.cluster
	if c.grid == nil {
		c.grid = scanmatch.NewGrid(b.cfg.Resolution, clusterReach)
		c.middle = -1
	}
	if c.middle == middle && c.rays == rays {
		return c
	}
	c.middle, c.rays = middle, rays
	c.grid.Reset()
	c.grid.BeginBulk()
	origin := b.poses[middle].Inverse()
	for k := max(middle-half, 0); k <= min(middle+half, until); k++ {
		if rays {
			c.grid.Insert(origin.Mul(b.poses[k]), &b.frames[k].scan)
		} else {
			c.grid.InsertHits(origin.Mul(b.poses[k]), &b.frames[k].scan)
		}
	}
	c.grid.EndBulk()
	return c
}

// matchVisit matches keyframe i to the visit around keyframe j, whose place is known well, and adds the result to the graph.
func (b *backEnd) matchVisit(i, j int) {
	c := b.around(j, clusterHalf, false, len(b.frames)-1)
	guess := b.poses[c.middle].Between(b.poses[i])
	prior := scanmatch.Prior{Pose: guess, Information: posegraph.Diagonal(b.cfg.Local, b.cfg.Local, 2*degree)}
	tuning := b.cfg.Tuning
	tuning.Outlier = linkOutlier
	m := scanmatch.Refine(c.grid, &b.frames[i].scan, &prior, guess, &tuning)
	d, a := size(guess.Between(m.Pose))
	if m.Inliers < linkInliers || d > linkShift || a > linkTurn {
		return
	}
	b.proximity++
	b.links++
	b.addEdge(posegraph.Edge{
		From: posegraph.NodeID(c.middle), To: posegraph.NodeID(i), Z: m.Pose, Info: soften(&m.Information, b.cfg.Closure),
		Kernel: posegraph.Kernel{Shape: posegraph.Huber, Width: linkWidth},
	})
}

// searchVisit looks for keyframe i in a window around where the graph thinks the visit around keyframe j is.
func (b *backEnd) searchVisit(i, j int, s Sigma) {
	c := b.around(j, clusterHalf, true, b.fresh-1)
	scan := &b.frames[i].scan
	guess := b.poses[c.middle].Between(b.poses[i])
	w := scanmatch.Window{
		Middle: guess, Linear: min(0.3+3*s.Translation, b.cfg.Window), Angular: min(5*degree+3*s.Rotation, maxSearchTurn),
	}
	b.field.Fill(c.grid, around(scan, w), fieldWidth, w.Linear)
	found, ok := b.searcher.Best(&b.field, scan, w, loopFit)
	if !ok {
		return
	}
	free := scanmatch.Prior{Pose: found.Pose}
	m := scanmatch.Refine(c.grid, scan, &free, found.Pose, &b.cfg.Tuning)
	if m.Inliers < loopInliers || scanmatch.Contradiction(c.grid, scan, m.Pose) > loopContradiction {
		b.rejected++
		return
	}
	b.pending = append(b.pending, candidate{
		Closure: posegraph.Closure{
			From: posegraph.NodeID(c.middle), To: posegraph.NodeID(i),
			Relative: posegraph.Relative{Pose: m.Pose, Cov: covariance(soften(&m.Information, b.cfg.Closure))},
		},
		travel: b.frames[i].travel,
	})
}

func covariance(info posegraph.Matrix) posegraph.Matrix {
	cov, _ := scanmatch.Invert(&info)
	return cov
}

// settleLoops believes the candidates of which enough agree with each other.
func (b *backEnd) settleLoops() {
	now := b.frames[len(b.frames)-1].travel
	kept := b.pending[:0]
	for _, c := range b.pending {
		if now-c.travel < loopMemory {
			kept = append(kept, c)
		} else {
			b.rejected++
		}
	}
	b.pending = kept
	if len(kept) < loopGroup {
		return
	}
	set := posegraph.MaxConsistent(len(kept), func(i, j int) bool { return b.agree(&kept[i], &kept[j]) })
	if len(set) < loopGroup {
		return
	}
	believed := make([]bool, len(kept))
	for _, i := range set {
		believed[i] = true
		c := &kept[i]
		info, ok := scanmatch.Invert(&c.Cov)
		if !ok {
			continue
		}
		b.closures++
		b.links++
		b.addEdge(posegraph.Edge{
			From: c.From, To: c.To, Z: c.Pose, Info: info, Kernel: posegraph.Kernel{Shape: posegraph.Cauchy, Width: loopWidth},
		})
	}
	rest := b.pending[:0]
	for i, c := range kept {
		if !believed[i] {
			rest = append(rest, c)
		}
	}
	b.pending = rest
	b.cluster.forget()
}

// agree says whether two candidates may both be true.
func (b *backEnd) agree(x, y *candidate) bool {
	from, ok := b.graph.Between(x.From, y.From)
	if !ok {
		return false
	}
	to, ok := b.graph.Between(x.To, y.To)
	return ok && posegraph.Disagreement(&x.Closure, &y.Closure, from, to) < posegraph.Chi2Of99
}
