package posegraph

import (
	"math"

	"sarathi/internal/geom"
)

// residual is an edge at the present poses.
type residual struct {
	e    vec3 // measured minus expected, in the axes of From
	d    geom.Vec2
	s, c float64 // sine and cosine of From's heading
	chi2 float64
}

// residual compares an edge with the poses:
//
//	e = [ R(θᵢ)ᵀ(tⱼ - tᵢ) - t_z ,  θⱼ - θᵢ - θ_z ]      (Konolige et al., "Efficient Sparse Pose Adjustment for 2D Mapping", IROS 2010)
func (g *Graph) residual(e *edge) residual {
	a, b := &g.nodes[e.From].pose, &g.nodes[e.To].pose
	return relative(a, b, &e.Z, &e.Info)
}

func relative(a, b, z *geom.Pose2, info *Matrix) residual {
	var r residual
	r.s, r.c = math.Sincos(a.Theta)
	r.d = geom.Vec2{X: b.X - a.X, Y: b.Y - a.Y}
	r.e = vec3{
		r.c*r.d.X + r.s*r.d.Y - z.X,
		r.c*r.d.Y - r.s*r.d.X - z.Y,
		geom.NormalizeAngle(b.Theta - a.Theta - z.Theta),
	}
	m := mat3(*info)
	r.chi2 = m.quadratic(&r.e)
	return r
}

// cost is the sum of the costs of all edges that are on.
func (g *Graph) cost() float64 {
	sum := 0.0
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live || e.off {
			continue
		}
		r := g.residual(e)
		c, _ := e.Kernel.apply(r.chi2)
		sum += c
	}
	return sum
}

// linearize fills the system with the normal equations at the present poses, H·δ = -b, where δ moves x, y and θ of the nodes in the
// axes of the map, and returns the cost.
//
// With B the derivative of e by To, M = BᵀΩB is the information in the axes of the map. The derivative by From is -B·T, T moving To
// with From, so that the blocks of the edge are M, -TᵀM and TᵀMT.
func (g *Graph) linearize() float64 {
	s := &g.sys
	s.zero()
	sum := 0.0
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live || e.off {
			continue
		}
		r := g.residual(e)
		cost, w := e.Kernel.apply(r.chi2)
		sum += cost
		if w < minWeight {
			continue
		}
		m, v := r.rotate(&e.Info, w)
		g.assemble(e, &r, &m, &v)
	}
	for _, p := range s.anchors {
		s.diag[p] = identity3()
		s.grad[p] = vec3{}
	}
	return sum
}

// minWeight is the weight below which an edge counts as off: its part of the system would be lost in rounding.
const minWeight = 1e-12

// rotate brings the information and the gradient of an edge, weighted, into the axes of the map.
func (r *residual) rotate(info *Matrix, w float64) (m mat3, v vec3) {
	s, c := r.s, r.c
	a, b, d := w*info[0], w*info[1], w*info[4]
	x, y := w*info[2], w*info[5]
	// R·Ωtt·Rᵀ with R = [c -s; s c].
	m[0] = c*c*a - 2*c*s*b + s*s*d
	m[1] = c*s*(a-d) + (c*c-s*s)*b
	m[4] = s*s*a + 2*c*s*b + c*c*d
	m[2], m[5] = c*x-s*y, s*x+c*y
	m[3], m[6], m[7] = m[1], m[2], m[5]
	m[8] = w * info[8]
	o := vec3{
		w * (info[0]*r.e[0] + info[1]*r.e[1] + info[2]*r.e[2]),
		w * (info[3]*r.e[0] + info[4]*r.e[1] + info[5]*r.e[2]),
		w * (info[6]*r.e[0] + info[7]*r.e[1] + info[8]*r.e[2]),
	}
	return m, vec3{c*o[0] - s*o[1], s*o[0] + c*o[1], o[2]}
}

// assemble adds the blocks of an edge to the system.
func (g *Graph) assemble(e *edge, r *residual, m *mat3, v *vec3) {
	s := &g.sys
	i, j := s.at[e.From], s.at[e.To]
	// TᵀM, where the third column of T is (-dy, dx, 1) and the others are those of the identity.
	tm := *m
	for k := range 3 {
		tm[6+k] += r.d.X*m[3+k] - r.d.Y*m[k]
	}
	tmt := tm
	for k := range 3 {
		tmt[3*k+2] += r.d.X*tm[3*k+1] - r.d.Y*tm[3*k]
	}
	free := !s.fixed[i] && !s.fixed[j]
	if !s.fixed[j] {
		s.diag[j].add(m)
		for k := range 3 {
			s.grad[j][k] += v[k]
		}
	}
	if !s.fixed[i] {
		s.diag[i].add(&tmt)
		s.grad[i][0] -= v[0]
		s.grad[i][1] -= v[1]
		s.grad[i][2] -= v[2] + r.d.X*v[1] - r.d.Y*v[0]
	}
	if !free {
		return
	}
	b := &s.off[e.block]
	if e.swapped { // rows are To: -(TᵀM)ᵀ
		t := tm.transpose()
		tm = t
	}
	for k := range tm {
		b[k] -= tm[k]
	}
}

// step moves all nodes by a part of the solution of the system.
func (g *Graph) step(delta []vec3, scale float64) {
	for i := range g.nodes {
		n := &g.nodes[i]
		if !n.live {
			continue
		}
		d := &delta[g.sys.at[i]]
		n.pose.X += scale * d[0]
		n.pose.Y += scale * d[1]
		n.pose.Theta = geom.NormalizeAngle(n.pose.Theta + scale*d[2])
	}
}
