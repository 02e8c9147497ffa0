package posegraph

import "slices"

// system is the sparse linear system of a graph: which node stands where, the blocks of the normal equations, and their factor.
//
// Every node stands in it at a position, which is its place in the order of elimination. The first node of each part of the graph
// that edges hold together is an anchor: it keeps its pose, for edges only say how nodes lie to each other.
type system struct {
	stale bool // nodes or edges came or went since analyze
	cut   bool // edges were switched since the anchors were found
	ready bool // the factor is that of the present poses, without damping

	order   []NodeID // position → node
	at      []int32  // node → position
	fixed   []bool   // by position
	anchors []int32  // positions

	diag    []mat3
	off     []mat3  // one for each pair of nodes with an edge: row is From unless swapped
	offSlot []int32 // where in the factor
	grad    []vec3

	fac     factor
	version uint64  // of the numbers in the factor
	ratio   float64 // blocks of the factor per block of the system at the last reordering

	orderer  orderer
	ptr, adj []int32
	mark     []int32
	perm     []int32
	root     []int32 // union-find over nodes
	slotOff  []int32

	delta         []vec3
	before, trial []node

	colA, colB column
}

func (s *system) changed()  { s.stale, s.cut, s.ready = true, true, false }
func (s *system) switched() { s.cut, s.ready = true, false }
func (s *system) moved()    { s.ready = false }

// maxGrowth is how much fuller than right after the last ordering the factor may become before the nodes are ordered anew.
const maxGrowth = 1.4

// prepare brings the structure up to date with the graph. It reports whether the nodes were ordered anew.
func (g *Graph) prepare() (reordered bool) {
	s := &g.sys
	if s.stale {
		g.place()
		g.neighbours(s.order)
		s.fac.analyze(s.ptr, s.adj)
		blocks := float64(s.fac.blocks()) / float64(len(s.order)+len(s.adj)/2)
		if blocks > maxGrowth*s.ratio {
			reordered = true
			s.perm = s.orderer.run(s.ptr, s.adj, s.perm[:0])
			g.permute()
			g.neighbours(s.order)
			s.fac.analyze(s.ptr, s.adj)
			s.ratio = float64(s.fac.blocks()) / float64(len(s.order)+len(s.adj)/2)
		}
		g.allocate()
		s.stale = false
	}
	if s.cut {
		g.anchor()
		s.cut = false
	}
	return reordered
}

// place gives every live node a position: those that had one keep their order, new ones follow.
func (g *Graph) place() {
	s := &g.sys
	s.at = resize(s.at, int32(len(g.nodes)))
	for i := range s.at {
		s.at[i] = -1
	}
	kept := s.order[:0]
	for _, id := range s.order {
		if g.Has(id) && s.at[id] < 0 {
			s.at[id] = int32(len(kept))
			kept = append(kept, id)
		}
	}
	for i := range g.nodes {
		if g.nodes[i].live && s.at[i] < 0 {
			s.at[i] = int32(len(kept))
			kept = append(kept, NodeID(i))
		}
	}
	s.order = kept
}

// permute applies the new order of elimination, perm, to the old one.
func (g *Graph) permute() {
	s := &g.sys
	for k, p := range s.perm {
		s.perm[k] = int32(s.order[p])
	}
	for k, id := range s.perm {
		s.order[k] = NodeID(id)
		s.at[id] = int32(k)
	}
}

// neighbours lists, for each position, those of the nodes it has edges with, without repetition.
func (g *Graph) neighbours(order []NodeID) {
	s := &g.sys
	n := int32(len(order))
	s.ptr = resize(s.ptr, n+1)
	clear(s.ptr)
	for i := range g.edges {
		if e := &g.edges[i]; e.live {
			s.ptr[s.at[e.From]]++
			s.ptr[s.at[e.To]]++
		}
	}
	sum := int32(0)
	for i := range s.ptr {
		c := s.ptr[i]
		s.ptr[i] = sum
		sum += c
	}
	s.adj = resize(s.adj, sum)
	s.mark = resize(s.mark, n)
	copy(s.mark, s.ptr)
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live {
			continue
		}
		a, b := s.at[e.From], s.at[e.To]
		s.adj[s.mark[a]] = b
		s.mark[a]++
		s.adj[s.mark[b]] = a
		s.mark[b]++
	}
	s.unique(n)
}

// unique drops repeated neighbours.
func (s *system) unique(n int32) {
	for i := range s.mark {
		s.mark[i] = -1
	}
	out := int32(0)
	begin := int32(0)
	for i := range n {
		end := s.ptr[i+1]
		first := out
		for _, j := range s.adj[begin:end] {
			if s.mark[j] != i {
				s.mark[j] = i
				s.adj[out] = j
				out++
			}
		}
		begin = end
		s.ptr[i] = first
	}
	s.ptr[n] = out
	s.adj = s.adj[:out]
}

// allocate sizes the blocks and tells every edge where its own is.
func (g *Graph) allocate() {
	s := &g.sys
	n := int32(len(s.order))
	s.diag, s.grad, s.fixed = resize(s.diag, n), resize(s.grad, n), resize(s.fixed, n)
	s.slotOff = resize(s.slotOff, int32(s.fac.blocks()))
	for i := range s.slotOff {
		s.slotOff[i] = -1
	}
	s.offSlot = s.offSlot[:0]
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live {
			continue
		}
		hi, lo := s.at[e.From], s.at[e.To]
		e.swapped = hi < lo
		if e.swapped {
			hi, lo = lo, hi
		}
		slot := s.fac.slot(hi, lo)
		if s.slotOff[slot] < 0 {
			s.slotOff[slot] = int32(len(s.offSlot))
			s.offSlot = append(s.offSlot, slot)
		}
		e.block = s.slotOff[slot]
	}
	s.off = resize(s.off, int32(len(s.offSlot)))
}

// anchor finds the nodes that keep their poses: in each part that enabled edges hold together, the one with the lowest id.
func (g *Graph) anchor() {
	s := &g.sys
	s.root = resize(s.root, int32(len(g.nodes)))
	for i := range s.root {
		s.root[i] = int32(i)
	}
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live || e.off {
			continue
		}
		a, b := s.find(int32(e.From)), s.find(int32(e.To))
		s.root[max(a, b)] = min(a, b)
	}
	clear(s.fixed)
	s.anchors = s.anchors[:0]
	for i := range g.nodes {
		if g.nodes[i].live && s.find(int32(i)) == int32(i) {
			s.anchors = append(s.anchors, s.at[i])
			s.fixed[s.at[i]] = true
		}
	}
}

func (s *system) find(i int32) int32 {
	for s.root[i] != i {
		s.root[i] = s.root[s.root[i]]
		i = s.root[i]
	}
	return i
}

// factorize decomposes H + damping·diag(H), and reports whether that was possible.
func (s *system) factorize(damping float64) bool {
	s.ready = false
	s.version++
	f := &s.fac
	clear(f.val)
	for p := range s.diag {
		d := s.diag[p]
		for k := 0; k < 9; k += 4 {
			d[k] += damping*d[k] + weakest
		}
		f.val[f.ptr[p]] = d
	}
	for k, slot := range s.offSlot {
		f.val[slot] = s.off[k]
	}
	return f.factorize()
}

// weakest is an information that every coordinate of every node has of its own: a standard deviation of 10 km. It keeps the system
// solvable where no edge says anything, such as along a corridor without features.
const weakest = 1e-8

// solve writes the solution of the factored system to x.
func (s *system) solve(x []vec3) {
	for i, g := range s.grad {
		x[i] = vec3{-g[0], -g[1], -g[2]}
	}
	s.fac.solve(x)
	for _, p := range s.anchors {
		x[p] = vec3{}
	}
}

// connected reports whether enabled edges hold two nodes together, over others or directly.
func (g *Graph) connected(a, b NodeID) bool {
	return g.sys.find(int32(a)) == g.sys.find(int32(b))
}

// slot is where the block of row hi and column lo is; it exists.
func (f *factor) slot(hi, lo int32) int32 {
	k, _ := slices.BinarySearch(f.rows[f.ptr[lo]:f.ptr[lo+1]], hi)
	return f.ptr[lo] + int32(k)
}
