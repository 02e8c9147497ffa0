package posegraph

import (
	"math"
	"slices"
)

// Prune removes a node and keeps what its edges said about its neighbours, so that a graph of the same place need not grow for ever. It
// returns the new edges between the neighbours.
//
// The edges of the node that are on are replaced by a tree of edges between its neighbours: of all pairs those whose relative pose is
// known best, each with the pose and the marginal covariance that the old edges give it (Kretzschmar, Stachniss, "Information-Theoretic
// Compression of Pose Graphs for Laser-Based Robot Mapping", IJRR 31(11), 2012). Between two neighbours, as in the chain of a path, that
// loses nothing; between more it loses what a tree cannot hold, and claims nothing that was not known. Edges whose kernel lets less than
// a tenth of them through count as off. New edges have no kernel.
//
// It panics when there is no such node. When the anchor of a part goes, the node with the next id is the anchor.
func (g *Graph) Prune(id NodeID) []EdgeID {
	g.mustNode(id)
	star, ids := g.star(id)
	g.RemoveNode(id)
	if len(ids) < 3 { // the node and at most one neighbour: nothing to keep
		return nil
	}
	star.Optimize(Options{})
	links := star.spanningTree()
	out := make([]EdgeID, 0, len(links))
	for _, l := range links {
		e := Edge{From: ids[l.a], To: ids[l.b], Z: l.rel.Pose, Info: l.info}
		if edge, err := g.AddEdge(e); err == nil { // the information of a covariance is one
			out = append(out, edge)
		}
	}
	return out
}

// keptWeight is how much of an edge its kernel must let through for Prune to count it.
const keptWeight = 0.1

// star is the graph of a node, its neighbours and the edges between it and them. ids are the nodes' ids in g; the node itself is 0.
func (g *Graph) star(id NodeID) (star *Graph, ids []NodeID) {
	star = &Graph{}
	ids = []NodeID{id}
	star.AddNode(g.nodes[id].pose)
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live || e.off || e.From != id && e.To != id || g.Weight(EdgeID(i)) < keptWeight {
			continue
		}
		other := e.From
		if other == id {
			other = e.To
		}
		k := slices.Index(ids, other)
		if k < 0 {
			k = len(ids)
			ids = append(ids, other)
			star.AddNode(g.nodes[other].pose)
		}
		local := e.Edge
		local.From, local.To, local.Kernel = NodeID(k), 0, Kernel{}
		if e.From == id {
			local.From, local.To = 0, NodeID(k)
		}
		star.insert(local)
	}
	return star, ids
}

// link is a possible edge between two neighbours of a pruned node.
type link struct {
	a, b NodeID
	rel  Relative
	info Matrix
	cost float64 // the logarithm of the determinant of the covariance
}

// spanningTree finds the edges between nodes 1, 2, … that hold them together with the least uncertainty (Prim).
func (g *Graph) spanningTree() []link {
	n := g.NodeLimit()
	var tree []link
	best := make([]link, n)
	inside := make([]bool, n)
	for at := NodeID(1); ; {
		inside[at] = true
		next := NoNode
		for k := NodeID(1); k < n; k++ {
			if inside[k] {
				continue
			}
			if l, ok := g.pair(at, k); ok && (best[k].b == 0 || l.cost < best[k].cost) {
				best[k] = l
			}
			if best[k].b != 0 && (next == NoNode || best[k].cost < best[next].cost) {
				next = k
			}
		}
		if next == NoNode {
			return tree
		}
		tree = append(tree, best[next])
		at = next
	}
}

// pair is the edge that a graph gives between two of its nodes; false when it knows nothing.
func (g *Graph) pair(a, b NodeID) (link, bool) {
	rel, ok := g.Between(a, b)
	if !ok {
		return link{}, false
	}
	l := mat3(rel.Cov)
	if !l.cholesky() {
		return link{}, false
	}
	inv := identity3()
	inv.lowerSolve(&l)
	info := inv.tmul(&inv)
	info[3], info[6], info[7] = info[1], info[2], info[5]
	return link{a, b, rel, Matrix(info), 2 * math.Log(l[0]*l[4]*l[8])}, true
}
