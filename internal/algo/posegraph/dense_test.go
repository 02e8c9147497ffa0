package posegraph

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sarathi/internal/geom"
)

// dense is Gauss-Newton over all nodes but the first, with numerical derivatives and gonum's dense solver: slow, and written without
// a look at the code under test.
type dense struct {
	poses []geom.Pose2
	edges []Edge
}

func denseOf(g *Graph) *dense {
	d := &dense{}
	for i := range g.NodeLimit() {
		d.poses = append(d.poses, g.Pose(i))
	}
	for i := range g.EdgeLimit() {
		if g.Enabled(i) {
			d.edges = append(d.edges, g.Edge(i))
		}
	}
	return d
}

func (d *dense) moved(node, axis int, by float64) []geom.Pose2 {
	p := append([]geom.Pose2(nil), d.poses...)
	switch axis {
	case 0:
		p[node].X += by
	case 1:
		p[node].Y += by
	case 2:
		p[node].Theta += by
	}
	return p
}

func denseError(poses []geom.Pose2, e *Edge) [3]float64 {
	rel := poses[e.From].Between(poses[e.To])
	return [3]float64{rel.X - e.Z.X, rel.Y - e.Z.Y, geom.AngleDiff(rel.Theta, e.Z.Theta)}
}

// normal returns H and b of the normal equations; node 0 is left out.
func (d *dense) normal() (*mat.SymDense, *mat.VecDense) {
	n := 3 * (len(d.poses) - 1)
	j := mat.NewDense(3*len(d.edges), n, nil)
	wj := mat.NewDense(3*len(d.edges), n, nil)
	err := mat.NewVecDense(3*len(d.edges), nil)
	const h = 1e-6
	for k := range d.edges {
		e := &d.edges[k]
		r := denseError(d.poses, e)
		for c := range 3 {
			err.SetVec(3*k+c, r[c])
		}
		for _, node := range []int{int(e.From), int(e.To)} {
			if node == 0 {
				continue
			}
			for axis := range 3 {
				hi, lo := denseError(d.moved(node, axis, h), e), denseError(d.moved(node, axis, -h), e)
				for c := range 3 {
					diff := hi[c] - lo[c]
					if c == 2 {
						diff = math.Remainder(diff, 2*math.Pi)
					}
					j.Set(3*k+c, 3*(node-1)+axis, diff/(2*h))
				}
			}
		}
		info := mat.NewDense(3, 3, append([]float64(nil), e.Info[:]...))
		var rows mat.Dense
		rows.Mul(info, j.Slice(3*k, 3*k+3, 0, n))
		wj.Slice(3*k, 3*k+3, 0, n).(*mat.Dense).Copy(&rows)
	}
	var full mat.Dense
	full.Mul(j.T(), wj)
	sym := mat.NewSymDense(n, nil)
	for r := range n {
		for c := r; c < n; c++ {
			sym.SetSym(r, c, (full.At(r, c)+full.At(c, r))/2)
		}
	}
	b := mat.NewVecDense(n, nil)
	b.MulVec(wj.T(), err)
	return sym, b
}

func (d *dense) optimize(t *testing.T) {
	t.Helper()
	for range 30 {
		h, b := d.normal()
		var chol mat.Cholesky
		if !chol.Factorize(h) {
			t.Fatal("the dense system is not positive definite")
		}
		var x mat.VecDense
		if err := chol.SolveVecTo(&x, b); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(d.poses); i++ {
			d.poses[i].X -= x.AtVec(3 * (i - 1))
			d.poses[i].Y -= x.AtVec(3*(i-1) + 1)
			d.poses[i].Theta -= x.AtVec(3*(i-1) + 2)
		}
		if mat.Norm(&x, 2) < 1e-10 {
			return
		}
	}
}

// randomInfo is a full information matrix with standard deviations around those of the step.
func randomInfo(r *rand.Rand) Matrix {
	a := mat3{}
	for i := range a {
		a[i] = r.NormFloat64()
	}
	m := a.tmul(&a)
	for i := 0; i < 9; i += 4 {
		m[i] += 0.5
	}
	scale := vec3{1 / stepSigma, 1 / stepSigma, 1 / turnSigma}
	for i := range 3 {
		for k := range 3 {
			m[3*i+k] *= scale[i] * scale[k]
		}
	}
	return Matrix(m)
}

// tangle is a random connected graph with edges in both directions, several between the same nodes, and full information matrices.
func tangle(t *testing.T, seed uint64, n, extra int) *ring {
	t.Helper()
	r := rng(seed)
	w := &ring{Graph: &Graph{}}
	for range n {
		truth := geom.Pose2{X: 10 * r.Float64(), Y: 10 * r.Float64(), Theta: 6 * r.Float64()}
		w.add(truth, noisy(r, truth, 0.1, 0.05))
	}
	link := func(a, b int) {
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		mustEdge(t, w.Graph, Edge{
			From: NodeID(a), To: NodeID(b), Z: noisy(r, w.truth[a].Between(w.truth[b]), stepSigma, turnSigma), Info: randomInfo(r),
		})
	}
	for i := 1; i < n; i++ {
		link(i, r.IntN(i))
	}
	for range extra {
		if a, b := r.IntN(n), r.IntN(n); a != b {
			link(a, b)
		}
	}
	return w
}

func TestEqualsADenseSolver(t *testing.T) {
	for seed := range uint64(20) {
		w := tangle(t, seed, 3+int(seed), int(3*seed))
		d := denseOf(w.Graph)
		d.optimize(t)
		res := w.Optimize(Options{Tolerance: 1e-14})
		if !res.Converged {
			t.Fatalf("seed %d: %+v", seed, res)
		}
		for i, want := range d.poses {
			got := w.Pose(NodeID(i))
			diff := max(math.Abs(got.X-want.X), math.Abs(got.Y-want.Y), math.Abs(geom.AngleDiff(got.Theta, want.Theta)))
			if diff > 1e-6 {
				t.Fatalf("seed %d, node %d of %d: %v, dense solver %v", seed, i, len(d.poses), got, want)
			}
		}
	}
}

func TestMarginalsEqualADenseInverse(t *testing.T) {
	for seed := range uint64(10) {
		w := tangle(t, seed, 12, 20)
		w.Optimize(Options{})
		d := denseOf(w.Graph)
		h, _ := d.normal()
		var inv mat.SymDense
		var chol mat.Cholesky
		if !chol.Factorize(h) {
			t.Fatal("not positive definite")
		}
		if err := chol.InverseTo(&inv); err != nil {
			t.Fatal(err)
		}
		r := rng(seed)
		for range 20 {
			a, b := 1+r.IntN(11), r.IntN(12)
			if a == b {
				continue
			}
			cov, ok := w.Covariance(NodeID(a))
			if !ok {
				t.Fatal("no covariance")
			}
			for k := range 9 {
				if want := inv.At(3*(a-1)+k/3, 3*(a-1)+k%3); math.Abs(cov[k]-want) > 1e-4*math.Abs(want)+1e-9 {
					t.Fatalf("seed %d: covariance of %d is %v, its element %d should be %g", seed, a, cov, k, want)
				}
			}
			rel, ok := w.Between(NodeID(a), NodeID(b))
			if !ok {
				t.Fatal("not connected")
			}
			// The covariance of the error of an edge with no measurement, by its numerical derivative.
			e := &Edge{From: NodeID(a), To: NodeID(b)}
			j := mat.NewDense(3, 3*len(d.poses)-3, nil)
			for _, node := range []int{a, b} {
				for axis := range 3 {
					hi, lo := denseError(d.moved(node, axis, 1e-6), e), denseError(d.moved(node, axis, -1e-6), e)
					for c := range 3 {
						if node > 0 {
							j.Set(c, 3*(node-1)+axis, (hi[c]-lo[c])/2e-6)
						}
					}
				}
			}
			var js, want mat.Dense
			js.Mul(j, &inv)
			want.Mul(&js, j.T())
			for k := range 9 {
				if v := want.At(k/3, k%3); math.Abs(rel.Cov[k]-v) > 1e-3*math.Sqrt(want.At(k/3, k/3)*want.At(k%3, k%3)) {
					t.Fatalf("seed %d: covariance of %d seen from %d is %v, want %v", seed, b, a, rel.Cov, mat.Formatted(&want))
				}
			}
		}
	}
}

// inverse is the inverse of a symmetric positive definite matrix, and whether it was one.
func (m *mat3) inverse() (mat3, bool) {
	l := *m
	if !l.cholesky() {
		return mat3{}, false
	}
	inv := identity3()
	inv.lowerSolve(&l)
	return inv.tmul(&inv), true
}
