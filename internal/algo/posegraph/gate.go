package posegraph

// Limits of χ² with three degrees of freedom, as that of an edge: a true one is above them once in twenty, a hundred and a thousand.
const (
	Chi2Of95  = 7.815
	Chi2Of99  = 11.345
	Chi2Of999 = 16.266
)

// Mahalanobis is the squared Mahalanobis distance between a measurement that is not in the graph and what the graph expects, with
// the uncertainty of both: for a true closure, χ² of three degrees of freedom. Compare it with Chi2Of999 before the edge is added.
// It is false when the graph does not know how the nodes lie to each other. The error wraps ErrNode or ErrEdge.
func (g *Graph) Mahalanobis(e Edge) (d2 float64, known bool, err error) {
	if err := g.check(&e); err != nil {
		return 0, false, err
	}
	rel, ok := g.Between(e.From, e.To)
	if !ok {
		return 0, false, nil
	}
	r := relative(&g.nodes[e.From].pose, &g.nodes[e.To].pose, &e.Z, &e.Info)
	// eᵀ(Σ + Ω⁻¹)⁻¹e = eᵀΩ(1 + ΣΩ)⁻¹e, which asks for no inverse of Ω.
	info, cov := mat3(e.Info), mat3(rel.Cov)
	m := cov.mul(&info)
	m[0]++
	m[4]++
	m[8]++
	x, ok := m.solve3(r.e)
	if !ok {
		return 0, false, nil
	}
	y := info.mulVec(&x)
	return max(0, r.e[0]*y[0]+r.e[1]*y[1]+r.e[2]*y[2]), true, nil
}

// Gate switches off the edges with a robust kernel whose χ² at the present poses is above limit, and on again those that fit: whose
// χ² is below half of it. It returns how many it switched; optimise again unless that is 0. Edges without a kernel are trusted.
//
// Optimise before: the kernels move the poses to where the majority of the edges wants them.
func (g *Graph) Gate(limit float64) (off, on int) {
	for i := range g.edges {
		e := &g.edges[i]
		if !e.live || e.Kernel.Shape == Quadratic {
			continue
		}
		chi2 := g.Chi2(EdgeID(i))
		switch {
		case !e.off && chi2 > limit:
			g.Disable(EdgeID(i))
			off++
		case e.off && chi2 < limit/2:
			g.Enable(EdgeID(i))
			on++
		}
	}
	return off, on
}
