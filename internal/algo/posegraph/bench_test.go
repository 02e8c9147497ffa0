package posegraph

import (
	"testing"
)

// An iteration of a graph of a long run; the target is that of a front end that must not wait for it.
func BenchmarkIteration(b *testing.B) {
	w := manhattan(b, 1, 3000, 2000)
	w.Optimize(Options{})
	b.Run("sarathi", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			w.sys.moved()
			w.linearize()
			if !w.sys.factorize(0) {
				b.Fatal("not positive definite")
			}
			w.sys.solve(w.sys.delta)
			n++
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(n), "ms/iteration:max")
		b.ReportMetric(float64(w.sys.fac.blocks()), "blocks")
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
