package posegraph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sarathi/internal/geom"
)

// Errors that calls with a wrong argument wrap.
var (
	ErrNode  = errors.New("no such node")
	ErrEdge  = errors.New("invalid edge")
	ErrLimit = errors.New("graph is full")
)

// MaxNodes and MaxEdges bound a graph.
const (
	MaxNodes = 1 << 20
	MaxEdges = 1 << 22
)

// NodeID names a node of one graph. Ids are small: they begin at 0, and those of removed nodes are given again, the latest first.
type NodeID int32

// EdgeID names an edge of one graph, in the manner of NodeID.
type EdgeID int32

// NoNode is what no node is called.
const NoNode NodeID = -1

// NoEdge is what no edge is called.
const NoEdge EdgeID = -1

// Matrix is a symmetric 3×3 matrix over x, y and θ, row by row: a covariance [m², m·rad, rad²] or its inverse, an information.
type Matrix = [9]float64

// Diagonal is the information of independent errors with these standard deviations [m, m, rad].
func Diagonal(sx, sy, stheta float64) Matrix {
	return Matrix{1 / (sx * sx), 0, 0, 0, 1 / (sy * sy), 0, 0, 0, 1 / (stheta * stheta)}
}

// Edge is a measurement of where one node is, seen from another.
type Edge struct {
	From, To NodeID
	Z        geom.Pose2 // pose of To in the frame of From
	Info     Matrix     // of Z, in the axes of From
	Kernel   Kernel
}

type node struct {
	pose geom.Pose2
	live bool
}

type edge struct {
	Edge
	live, off bool
	block     int32 // of the system, for the pair of nodes
	swapped   bool  // the block is that of (To, From)
}

// Graph is a set of poses in a common frame, and measurements between them.
//
// The zero value is an empty graph. A graph is not for use by several goroutines at once; see [Graph.Clone] and [Graph.Adopt].
type Graph struct {
	nodes     []node
	edges     []edge
	freeNodes []NodeID
	freeEdges []EdgeID
	count     int // live nodes
	edgeCount int // live edges

	sys system
}

// AddNode adds a node with a first guess of its pose and returns its id: NoNode when the pose is not finite or the graph is full.
func (g *Graph) AddNode(pose geom.Pose2) NodeID {
	if !usable(pose) || g.count >= MaxNodes {
		return NoNode
	}
	pose.Theta = geom.NormalizeAngle(pose.Theta)
	g.sys.changed()
	g.count++
	if n := len(g.freeNodes); n > 0 {
		id := g.freeNodes[n-1]
		g.freeNodes = g.freeNodes[:n-1]
		g.nodes[id] = node{pose, true}
		return id
	}
	g.nodes = append(g.nodes, node{pose, true})
	return NodeID(len(g.nodes) - 1)
}

// maxCoordinate keeps squares of coordinates far from the end of float64 [m].
const maxCoordinate = 1e7

func usable(p geom.Pose2) bool {
	return p.IsFinite() && math.Abs(p.X) <= maxCoordinate && math.Abs(p.Y) <= maxCoordinate && math.Abs(p.Theta) <= maxCoordinate
}

// RemoveNode removes a node with all its edges. It does nothing when there is no such node.
func (g *Graph) RemoveNode(id NodeID) {
	if !g.Has(id) {
		return
	}
	for i := range g.edges {
		if e := &g.edges[i]; e.live && (e.From == id || e.To == id) {
			g.RemoveEdge(EdgeID(i))
		}
	}
	g.nodes[id] = node{}
	g.freeNodes = append(g.freeNodes, id)
	g.count--
	g.sys.changed()
}

// Has reports whether a node exists.
func (g *Graph) Has(id NodeID) bool { return id >= 0 && int(id) < len(g.nodes) && g.nodes[id].live }

// HasEdge reports whether an edge exists, switched off or not.
func (g *Graph) HasEdge(id EdgeID) bool { return id >= 0 && int(id) < len(g.edges) && g.edges[id].live }

// Len is the number of nodes.
func (g *Graph) Len() int { return g.count }

// Edges is the number of edges, including those that are switched off.
func (g *Graph) Edges() int { return g.edgeCount }

// NodeLimit is above the id of every node. A loop over all nodes goes up to it and leaves out those that [Graph.Has] denies.
func (g *Graph) NodeLimit() NodeID { return NodeID(len(g.nodes)) }

// EdgeLimit is above the id of every edge. A loop over all edges goes up to it and leaves out those that [Graph.HasEdge] denies.
func (g *Graph) EdgeLimit() EdgeID { return EdgeID(len(g.edges)) }

// AddEdge adds a measurement between two nodes. The error wraps ErrNode, ErrEdge or ErrLimit and says what is wrong with it. The
// information must be symmetric and positive semidefinite: a direction in which nothing was measured has information 0.
func (g *Graph) AddEdge(e Edge) (EdgeID, error) {
	if err := g.check(&e); err != nil {
		return NoEdge, err
	}
	return g.insert(e), nil
}

// insert adds an edge that was checked.
func (g *Graph) insert(e Edge) EdgeID {
	e.Z.Theta = geom.NormalizeAngle(e.Z.Theta)
	g.sys.changed()
	g.edgeCount++
	if n := len(g.freeEdges); n > 0 {
		id := g.freeEdges[n-1]
		g.freeEdges = g.freeEdges[:n-1]
		g.edges[id] = edge{Edge: e, live: true}
		return id
	}
	g.edges = append(g.edges, edge{Edge: e, live: true})
	return EdgeID(len(g.edges) - 1)
}

func (g *Graph) check(e *Edge) error {
	for _, id := range [2]NodeID{e.From, e.To} {
		if !g.Has(id) {
			return fmt.Errorf("edge %d to %d: %w: %d", e.From, e.To, ErrNode, id)
		}
	}
	fault := ""
	switch {
	case e.From == e.To:
		fault = "it leads from a node to itself"
	case !usable(e.Z):
		fault = fmt.Sprintf("the measurement %v is not finite or beyond %g", e.Z, float64(maxCoordinate))
	case !semidefinite(&e.Info):
		fault = fmt.Sprintf("the information %v is not symmetric and positive semidefinite", e.Info)
	case g.edgeCount >= MaxEdges:
		return fmt.Errorf("edge %d to %d: %w: it has %d edges", e.From, e.To, ErrLimit, g.edgeCount)
	default:
		if err := e.Kernel.validate(); err != nil {
			return fmt.Errorf("edge %d to %d: %w: %w", e.From, e.To, ErrEdge, err)
		}
		return nil
	}
	return fmt.Errorf("edge %d to %d: %w: %s", e.From, e.To, ErrEdge, fault)
}

// maxInformation allows standard deviations down to 1 µm and 1 µrad.
const maxInformation = 1e12

// semidefinite reports whether m is an information: finite, symmetric, and of no negative principal minor beyond rounding.
func semidefinite(m *Matrix) bool {
	for _, v := range m {
		if !(math.Abs(v) <= maxInformation) {
			return false
		}
	}
	const tol = 1e-9
	a, b, c := m[0], m[4], m[8]
	if a < 0 || b < 0 || c < 0 {
		return false
	}
	for _, p := range [3][4]float64{{m[1], m[3], a, b}, {m[2], m[6], a, c}, {m[5], m[7], b, c}} {
		upper, lower, d, e := p[0], p[1], p[2], p[3]
		scale := math.Sqrt(d * e)
		if math.Abs(upper-lower) > tol*(scale+math.Abs(upper)) || math.Abs(upper) > scale*(1+tol) {
			return false
		}
	}
	det := a*(b*c-m[5]*m[7]) - m[1]*(m[3]*c-m[5]*m[6]) + m[2]*(m[3]*m[7]-b*m[6])
	return det >= -tol*a*b*c
}

// RemoveEdge removes an edge. It does nothing when there is no such edge.
func (g *Graph) RemoveEdge(id EdgeID) {
	if !g.HasEdge(id) {
		return
	}
	g.edges[id] = edge{}
	g.freeEdges = append(g.freeEdges, id)
	g.edgeCount--
	g.sys.changed()
}

// Disable switches an edge off: it has no influence until [Graph.Enable]. It is cheaper than removing it.
func (g *Graph) Disable(id EdgeID) { g.setOff(id, true) }

// Enable switches an edge on again.
func (g *Graph) Enable(id EdgeID) { g.setOff(id, false) }

func (g *Graph) setOff(id EdgeID, off bool) {
	if g.HasEdge(id) && g.edges[id].off != off {
		g.edges[id].off = off
		g.sys.switched()
	}
}

// Enabled reports whether an edge exists and is on.
func (g *Graph) Enabled(id EdgeID) bool { return g.HasEdge(id) && !g.edges[id].off }

// Edge returns an edge; it panics when there is no such edge, like an index out of range.
func (g *Graph) Edge(id EdgeID) Edge {
	g.mustEdge(id)
	return g.edges[id].Edge
}

// SetKernel gives an edge another kernel. An invalid kernel changes nothing and is an error that wraps ErrEdge.
func (g *Graph) SetKernel(id EdgeID, k Kernel) error {
	g.mustEdge(id)
	if err := k.validate(); err != nil {
		return fmt.Errorf("edge %d: %w: %w", id, ErrEdge, err)
	}
	g.edges[id].Kernel = k
	g.sys.moved()
	return nil
}

// Pose is the pose of a node; it panics when there is no such node, like an index out of range.
func (g *Graph) Pose(id NodeID) geom.Pose2 {
	g.mustNode(id)
	return g.nodes[id].pose
}

// SetPose moves a node, as a better first guess. It panics when there is no such node. A pose that is not finite is ignored.
func (g *Graph) SetPose(id NodeID, pose geom.Pose2) {
	g.mustNode(id)
	if usable(pose) {
		pose.Theta = geom.NormalizeAngle(pose.Theta)
		g.nodes[id].pose = pose
		g.sys.moved()
	}
}

// Chi2 is the squared Mahalanobis length of an edge's error at the present poses, before its kernel. With poses that are true it is
// distributed like χ² of three degrees of freedom.
func (g *Graph) Chi2(id EdgeID) float64 {
	g.mustEdge(id)
	r := g.residual(&g.edges[id])
	return r.chi2
}

// Weight is how much of an edge its kernel lets through at the present poses: 1 fully, 0 for an edge that is off.
func (g *Graph) Weight(id EdgeID) float64 {
	g.mustEdge(id)
	e := &g.edges[id]
	if e.off {
		return 0
	}
	r := g.residual(e)
	_, w := e.Kernel.apply(r.chi2)
	return w
}

func (g *Graph) mustNode(id NodeID) {
	if !g.Has(id) {
		panic(fmt.Sprintf("posegraph: no node %d", id))
	}
}

func (g *Graph) mustEdge(id EdgeID) {
	if !g.HasEdge(id) {
		panic(fmt.Sprintf("posegraph: no edge %d", id))
	}
}

// Clone is a copy that shares nothing with g, with the same ids. Optimising it does not disturb g.
func (g *Graph) Clone() *Graph {
	c := &Graph{
		nodes: slices.Clone(g.nodes), edges: slices.Clone(g.edges),
		freeNodes: slices.Clone(g.freeNodes), freeEdges: slices.Clone(g.freeEdges),
		count: g.count, edgeCount: g.edgeCount,
	}
	c.sys.order = slices.Clone(g.sys.order)
	c.sys.ratio = g.sys.ratio
	c.sys.changed()
	return c
}

// Adopt takes the poses that an optimised clone of g found. Nodes that the clone does not have were added since; they move with last, the
// newest node of the clone, as if they were fixed to it. Without such a node in both graphs nothing is taken.
func (g *Graph) Adopt(solved *Graph, last NodeID) {
	if !g.Has(last) || !solved.Has(last) {
		return
	}
	move := solved.nodes[last].pose.Mul(g.nodes[last].pose.Inverse())
	for i := range g.nodes {
		switch {
		case !g.nodes[i].live:
		case solved.Has(NodeID(i)):
			g.nodes[i].pose = solved.nodes[i].pose
		default:
			g.nodes[i].pose = move.Mul(g.nodes[i].pose)
		}
	}
	g.sys.moved()
}
