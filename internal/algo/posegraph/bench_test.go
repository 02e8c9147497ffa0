package posegraph

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// iterate is one linearisation, factorisation and solution.
func iterate(b *testing.B, g *Graph) {
	b.Helper()
	g.sys.moved()
	g.linearize()
	if !g.sys.factorize(0) {
		b.Fatal("not positive definite")
	}
	g.sys.solve(g.sys.delta)
}

// An iteration of the graph of a long run, of 3000 nodes and 5000 edges.
func BenchmarkIteration(b *testing.B) {
	w := manhattan(b, 1, 3000, 2000)
	w.Optimize(Options{})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		iterate(b, w.Graph)
		n++
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(n), "ms")
	b.ReportMetric(30, "ms:max")
	b.ReportMetric(0, "allocs/op:max")
}

// The same of a small graph, against a dense solver, which could not hold the large one.
func BenchmarkSmallIteration(b *testing.B) {
	w := manhattan(b, 1, 150, 100)
	w.Optimize(Options{})
	b.Run("sarathi", func(b *testing.B) {
		for b.Loop() {
			iterate(b, w.Graph)
		}
		b.ReportMetric(10, "ratio:min")
	})
	d := denseOf(w.Graph)
	h, grad := d.normal()
	b.Run("gonum", func(b *testing.B) { // without linearisation
		for b.Loop() {
			var chol mat.Cholesky
			if !chol.Factorize(h) {
				b.Fatal("not positive definite")
			}
			var x mat.VecDense
			if err := chol.SolveVecTo(&x, grad); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The whole optimisation of the graph of a long run from where odometry alone put the nodes.
func BenchmarkOptimizeFromOdometry(b *testing.B) {
	w := manhattan(b, 1, 3000, 2000)
	b.ReportAllocs()
	for b.Loop() {
		c := w.Clone()
		if res := c.Optimize(Options{}); !res.Converged {
			b.Fatalf("%+v", res)
		}
	}
}

// A node and its edge appended to a long graph, and the optimisation after it.
func BenchmarkAppend(b *testing.B) {
	w := manhattan(b, 1, 3000, 2000)
	w.Optimize(Options{})
	b.ReportAllocs()
	for b.Loop() {
		last := w.NodeLimit() - 1
		e := w.Edge(0)
		id := w.AddNode(w.Pose(last).Mul(e.Z))
		e.From, e.To = last, id
		mustEdge(b, w.Graph, e)
		w.Optimize(Options{})
	}
}

// The covariances of a hundred nodes seen from one, as a search for closures asks for.
func BenchmarkBetween(b *testing.B) {
	w := manhattan(b, 1, 3000, 2000)
	w.Optimize(Options{})
	w.Between(2999, 0)
	b.ReportAllocs()
	for b.Loop() {
		for i := range NodeID(100) {
			w.Between(2999, 29*i)
		}
	}
}

func BenchmarkOrder(b *testing.B) {
	w := manhattan(b, 1, 3000, 2000)
	w.Optimize(Options{})
	s := &w.sys
	b.ReportAllocs()
	for b.Loop() {
		s.perm = s.orderer.run(s.ptr, s.adj, s.perm[:0])
	}
}
