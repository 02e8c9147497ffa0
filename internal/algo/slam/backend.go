package slam

import (
	"math"

	"sarathi/internal/algo/posegraph"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

// backEnd is the graph and all that is done with it. Only one piece of work touches it at a time.
type backEnd struct {
	cfg    *Config
	graph  posegraph.Graph
	frames []*keyframe  // keyframe i is node i
	poses  []geom.Pose2 // of frames, as the graph has them
	fresh  int          // frames from here on were added by the last extend

	links    int // matches between visits, and loops
	pending  []candidate
	searched float64 // travel at the last search [m]

	cluster  cluster
	searcher scanmatch.Searcher
	field    scanmatch.Field
	index    index
	spare    *scanmatch.Grid // the front end's map before the last one

	active    []bool // frames in the map of the front end; later ones are
	rebuiltAt geom.Pose2

	proximity, closures, rejected, rebuilds int
}

func newBackEnd(cfg *Config) *backEnd { return &backEnd{cfg: cfg} }

// extend adds the keyframes that are new.
func (b *backEnd) extend(frames []*keyframe) {
	b.fresh = len(b.frames)
	for i := b.fresh; i < len(frames); i++ {
		k := frames[i]
		pose := geom.Pose2{}
		if i > 0 {
			pose = b.poses[i-1].Mul(k.step)
		}
		id := b.graph.AddNode(pose)
		if int(id) != i {
			panic("slam: nodes are not numbered as keyframes")
		}
		b.frames, b.poses = append(b.frames, k), append(b.poses, pose)
		if i > 0 {
			b.addEdge(posegraph.Edge{From: id - 1, To: id, Z: k.step, Info: k.stepInfo})
		}
	}
}

func (b *backEnd) addEdge(e posegraph.Edge) posegraph.EdgeID {
	id, err := b.graph.AddEdge(e)
	if err != nil {
		panic(err) // nodes exist, and soften makes valid informations
	}
	return id
}

// close matches the new keyframes to earlier visits, closes loops and optimises.
func (b *backEnd) close() {
	b.index.build(b.poses, b.cfg.Near)
	before := b.links
	b.cluster.forget()
	for _, p := range b.plans() {
		if p.search {
			b.searchVisit(p.frame, p.middle, p.sigma)
		} else {
			b.matchVisit(p.frame, p.middle)
		}
	}
	b.settleLoops()
	if b.links > before {
		b.optimize()
	}
}

func (b *backEnd) optimize() {
	b.graph.Optimize(posegraph.Options{})
	for i := range b.poses {
		b.poses[i] = b.graph.Pose(posegraph.NodeID(i))
	}
}

const (
	wornMove   = 0.02         // [m] and
	wornTurn   = 0.3 * degree // by which the graph may differ from the front end's map
	wornTravel = 8.0          // [m] after which the map is built anew for the place
	mapRadius  = 20.0         // [m] around the robot that the front end's map holds
	mapRecent  = 15.0         // [m] travelled, of which all keyframes are in the map
	mapSigma   = 0.2          // [m] uncertainty up to which another visit is in the map
	mapShare   = 2            // keyframes in the map of each half metre and quarter turn
)

// worn says whether the front end needs a new map, given where it has its keyframes.
func (b *backEnd) worn(front []geom.Pose2) bool {
	last := len(b.poses) - 1
	if d, _ := size(b.rebuiltAt.Between(b.poses[last])); d > wornTravel {
		return true
	}
	shift := b.poses[last].Mul(front[last].Inverse())
	for j := range b.poses {
		if j < len(b.active) && !b.active[j] {
			continue
		}
		if b.poses[j].Position().Distance(b.poses[last].Position()) > mapRadius/2 {
			continue
		}
		d, a := size(b.poses[j].Between(shift.Mul(front[j])))
		if d > wornMove || a > wornTurn {
			return true
		}
	}
	return false
}

// rebuild makes a map of what surrounds the last keyframe: the way there, and other visits whose place is known well.
func (b *backEnd) rebuild() *scanmatch.Grid {
	b.rebuilds++
	last := len(b.poses) - 1
	here := b.poses[last]
	b.active = append(b.active[:0], make([]bool, len(b.poses))...)
	share := map[[3]int]int{}
	sigma, at := math.Inf(1), -mapStride
	for j := last; j >= 0; j-- {
		p := b.poses[j]
		if p.Position().Distance(here.Position()) > mapRadius {
			continue
		}
		if b.frames[last].travel-b.frames[j].travel > mapRecent {
			if at < 0 || at-j >= mapStride {
				sigma, at = b.uncertainty(last, j).Translation, j
			}
			if sigma > mapSigma {
				continue
			}
			key := [3]int{int(math.Floor(p.X * 2)), int(math.Floor(p.Y * 2)), int(math.Floor(p.Theta / (math.Pi / 2)))}
			if share[key]++; share[key] > mapShare {
				continue
			}
		}
		b.active[j] = true
	}
	g := b.spare
	b.spare = nil
	if g == nil {
		g = scanmatch.NewGrid(b.cfg.Resolution, b.cfg.Reach)
	}
	g.Reset()
	g.BeginBulk()
	for j := range b.poses {
		if b.active[j] {
			g.Insert(b.poses[j], &b.frames[j].scan)
		}
	}
	g.EndBulk()
	b.rebuiltAt = here
	return g
}

// mapStride is how many keyframes in a row are taken as equally uncertain.
const mapStride = 8

// uncertainty is how well keyframe j is known from keyframe i.
func (b *backEnd) uncertainty(i, j int) Sigma {
	rel, ok := b.graph.Between(posegraph.NodeID(i), posegraph.NodeID(j))
	if !ok {
		return Sigma{math.Inf(1), math.Inf(1)}
	}
	c := &rel.Cov
	mid, r := (c[0]+c[4])/2, math.Hypot((c[0]-c[4])/2, c[1])
	return Sigma{math.Sqrt(max(mid+r, 0)), math.Sqrt(max(c[8], 0))}
}
