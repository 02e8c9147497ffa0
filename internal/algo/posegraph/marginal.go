package posegraph

import (
	"math"

	"sarathi/internal/geom"
)

// Relative is where one node is seen from another, and how well that is known.
type Relative struct {
	Pose geom.Pose2 // in the frame of the other node
	Cov  Matrix     // of x, y and θ, in the axes of that frame
}

// Then chains two independent relative poses: of b seen from a, and of c seen from b.
func (r Relative) Then(q Relative) Relative {
	s, c := math.Sincos(r.Pose.Theta)
	p := r.Pose.Mul(q.Pose)
	d := geom.Vec2{X: p.X - r.Pose.X, Y: p.Y - r.Pose.Y}
	jr := mat3{1, 0, -d.Y, 0, 1, d.X, 0, 0, 1}
	jq := mat3{c, -s, 0, s, c, 0, 0, 0, 1}
	cr, cq := mat3(r.Cov), mat3(q.Cov)
	cov, add := cr.sandwich(&jr), cq.sandwich(&jq)
	cov.add(&add)
	return Relative{p, Matrix(cov)}
}

// Covariance is the marginal covariance of a node's pose in the axes of the map, given the anchor of its part of the graph, whose own
// is zero. It panics when there is no such node.
func (g *Graph) Covariance(id NodeID) (Matrix, bool) {
	g.mustNode(id)
	if !g.refresh() {
		return Matrix{}, false
	}
	s := &g.sys
	s.column(&s.colA, id)
	return Matrix(s.colA.dot(&s.colA)), true
}

// Between is where node b is seen from node a, with the marginal covariance that the enabled edges give to it: exact for the linear
// system at the present poses. It is false when no enabled edges lead from a to b. It panics when there is no such node.
//
// The first call after a change costs an iteration of Optimize, each further one the length of the node's way through the elimination
// tree; that of a is kept, so ask for many b with the same a.
func (g *Graph) Between(a, b NodeID) (Relative, bool) {
	g.mustNode(a)
	g.mustNode(b)
	if a == b {
		return Relative{}, true
	}
	if !g.refresh() || !g.connected(a, b) {
		return Relative{}, false
	}
	s := &g.sys
	s.column(&s.colA, a)
	s.column(&s.colB, b)
	aa, ab, bb := s.colA.dot(&s.colA), s.colA.dot(&s.colB), s.colB.dot(&s.colB)
	pa, pb := &g.nodes[a].pose, &g.nodes[b].pose
	r := relative(pa, pb, &geom.Pose2{}, &Matrix{})
	jb := mat3{r.c, r.s, 0, -r.s, r.c, 0, 0, 0, 1}
	shift := mat3{-1, 0, r.d.Y, 0, -1, -r.d.X, 0, 0, -1}
	ja := jb.mul(&shift)
	cov, bbj := aa.sandwich(&ja), bb.sandwich(&jb)
	cov.add(&bbj)
	t := jb.transpose()
	x := ja.mul(&ab)
	x = x.mul(&t)
	cov.add(&x)
	x = x.transpose()
	cov.add(&x)
	return Relative{pa.Between(*pb), Matrix(cov)}, true
}

// refresh makes the factor that of the present poses.
func (g *Graph) refresh() bool {
	s := &g.sys
	if s.ready {
		return true
	}
	g.prepare()
	g.linearize()
	for damping := 0.0; damping < 1e-6; damping = max(1e-12, 10*damping) {
		if s.factorize(damping) {
			s.ready = true
			return true
		}
	}
	return false
}

// column is L⁻¹ times the columns of the identity that belong to one node. It is zero but on the node's way to the root of the
// elimination tree, and products of two such columns are blocks of the inverse: H⁻¹ = L⁻ᵀL⁻¹.
type column struct {
	node    NodeID
	version uint64 // of the factor; 0: none yet
	val     []mat3 // by position
	path    []int32
}

func (s *system) column(c *column, id NodeID) {
	if c.version == s.version && c.node == id {
		return
	}
	n := int32(len(s.order))
	if int32(len(c.val)) == n {
		for _, p := range c.path {
			c.val[p] = mat3{}
		}
	} else {
		c.val = resize(c.val, n)
		clear(c.val)
	}
	c.path = c.path[:0]
	c.node, c.version = id, s.version
	p := s.at[id]
	if s.fixed[p] {
		return
	}
	c.val[p] = identity3()
	f := &s.fac
	for ; p >= 0; p = f.parent[p] {
		c.path = append(c.path, p)
		v := &c.val[p]
		v.lowerSolve(&f.val[f.ptr[p]])
		for q := f.ptr[p] + 1; q < f.ptr[p+1]; q++ {
			c.val[f.rows[q]].subMul(&f.val[q], v)
		}
	}
}

// dot is the block of the inverse for the nodes of two columns.
func (c *column) dot(o *column) mat3 {
	var sum mat3
	for _, p := range c.path {
		x := c.val[p].tmul(&o.val[p])
		sum.add(&x)
	}
	return sum
}
