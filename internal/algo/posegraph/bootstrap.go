package posegraph

import (
	"math"

	"sarathi/internal/geom"
)

// Bootstrap forgets the poses and finds new ones from the enabled edges alone, for a graph whose first guess is too bad for Optimize,
// which follows. The anchors keep their poses. It is two linear problems (Carlone et al., "Initialization techniques for 3D SLAM", ICRA
// 2015): first the headings, as vectors that need not have length one (chordal relaxation), then the positions with these headings.
//
// It has no means against false closures: an edge with a robust kernel counts as if it had none. Switch off what is in doubt.
//
// It reports whether the graph could be solved; if not, the poses are as before.
func (g *Graph) Bootstrap() bool {
	if g.count == 0 {
		return true
	}
	g.prepare()
	s := &g.sys
	s.delta = resize(s.delta, int32(len(s.order)))
	g.save(&s.before)
	if !g.solveHeadings() || !g.solvePositions() {
		copy(g.nodes, s.before)
		return false
	}
	s.moved()
	return true
}

// solveHeadings minimises Σ w |uⱼ - R(θ_z)uᵢ|² over the heading vectors u of all nodes but the anchors, whose own are given.
func (g *Graph) solveHeadings() bool {
	s := &g.sys
	s.zero()
	for k := range g.edges {
		e := &g.edges[k]
		if !e.live || e.off {
			continue
		}
		i, j, w := s.at[e.From], s.at[e.To], e.Info[8]
		sin, cos := math.Sincos(e.Z.Theta)
		rot := mat3{w * cos, -w * sin, 0, w * sin, w * cos, 0, 0, 0, 0}
		g.link(e, mat3{w, 0, 0, 0, w, 0, 0, 0, 0}, rot)
		switch {
		case s.fixed[i] && !s.fixed[j]:
			u := heading(g.nodes[e.From].pose.Theta)
			s.grad[j].sub(rot.mulVec(&u))
		case s.fixed[j] && !s.fixed[i]:
			u, t := heading(g.nodes[e.To].pose.Theta), rot.transpose()
			s.grad[i].sub(t.mulVec(&u))
		}
	}
	if !s.finish() {
		return false
	}
	for p, id := range s.order {
		if u := &s.delta[p]; !s.fixed[p] && (u[0] != 0 || u[1] != 0) {
			g.nodes[id].pose.Theta = math.Atan2(u[1], u[0])
		}
	}
	return true
}

func heading(theta float64) vec3 {
	s, c := math.Sincos(theta)
	return vec3{c, s, 0}
}

// solvePositions minimises Σ |tⱼ - tᵢ - R(θᵢ)t_z|² with the information of the edges about the position, headings fixed.
func (g *Graph) solvePositions() bool {
	s := &g.sys
	s.zero()
	for k := range g.edges {
		e := &g.edges[k]
		if !e.live || e.off {
			continue
		}
		i, j := s.at[e.From], s.at[e.To]
		a := &g.nodes[e.From].pose
		b := geom.Pose2{X: a.X, Y: a.Y, Theta: a.Theta} // the error of two nodes at the same place is -t_z
		r := relative(a, &b, &e.Z, &e.Info)
		r.e[2] = 0
		m, v := r.rotate(&e.Info, 1)
		m[2], m[5], m[6], m[7], m[8] = 0, 0, 0, 0, 0
		v[2] = 0
		g.link(e, m, m)
		// v is -M·R·t_z.
		if !s.fixed[j] {
			s.grad[j].add(v)
		}
		if !s.fixed[i] {
			s.grad[i].sub(v)
		}
		switch {
		case s.fixed[i] && !s.fixed[j]:
			t := vec3{a.X, a.Y, 0}
			s.grad[j].sub(m.mulVec(&t))
		case s.fixed[j] && !s.fixed[i]:
			t := vec3{g.nodes[e.To].pose.X, g.nodes[e.To].pose.Y, 0}
			s.grad[i].sub(m.mulVec(&t))
		}
	}
	if !s.finish() {
		return false
	}
	for p, id := range s.order {
		if !s.fixed[p] {
			g.nodes[id].pose.X, g.nodes[id].pose.Y = s.delta[p][0], s.delta[p][1]
		}
	}
	return true
}

// link adds own to the diagonal blocks of an edge's nodes and takes cross from the block with row To and column From.
func (g *Graph) link(e *edge, own, cross mat3) {
	s := &g.sys
	i, j := s.at[e.From], s.at[e.To]
	if !s.fixed[i] {
		s.diag[i].add(&own)
	}
	if !s.fixed[j] {
		s.diag[j].add(&own)
	}
	if s.fixed[i] || s.fixed[j] {
		return
	}
	if !e.swapped {
		cross = cross.transpose()
	}
	b := &s.off[e.block]
	for k := range cross {
		b[k] -= cross[k]
	}
}

func (s *system) zero() {
	clear(s.diag)
	clear(s.off)
	clear(s.grad)
}

// finish solves a system in which some coordinates may not occur.
func (s *system) finish() bool {
	for _, p := range s.anchors {
		s.diag[p], s.grad[p] = identity3(), vec3{}
	}
	for p := range s.diag {
		if s.diag[p][8] == 0 {
			s.diag[p][8] = 1
		}
	}
	if !s.factorize(0) {
		return false
	}
	s.solve(s.delta)
	return true
}

func (v *vec3) add(u vec3) { v[0], v[1], v[2] = v[0]+u[0], v[1]+u[1], v[2]+u[2] }
func (v *vec3) sub(u vec3) { v[0], v[1], v[2] = v[0]-u[0], v[1]-u[1], v[2]-u[2] }
