package posegraph

import (
	"math"
	"testing"

	"sarathi/internal/geom"
)

// Whatever is done to a graph, in whatever order, poses stay finite, the cost never grows, and covariances have no negative variance.
func FuzzGraph(f *testing.F) {
	f.Add([]byte("aababcdbcdbefbghaibcjkbcal"))
	f.Add([]byte{0, 1, 2, 0, 5, 6, 1, 1, 0, 1, 1, 2, 9, 0, 0, 3, 2, 1, 4, 4, 0, 5, 1, 0, 7, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &Graph{}
		for n := 0; len(data) >= 3 && n < 300; n++ {
			op, a, b := data[0], int(data[1]), int(data[2])
			data = data[3:]
			value := func(k int) float64 { return math.Sinh(float64(int8(k)) / 20) }
			node := func(k int) NodeID { return NodeID(k % (int(g.NodeLimit()) + 1)) }
			switch op % 10 {
			case 0, 1:
				g.AddNode(geom.Pose2{X: value(a), Y: value(b), Theta: value(a ^ b)})
			case 2, 3, 4:
				id, err := g.AddEdge(Edge{
					From: node(a), To: node(b), Z: geom.Pose2{X: value(a + b), Theta: value(a - b)},
					Info: Diagonal(math.Exp(value(a)/100), 1, math.Exp(value(b)/100)), Kernel: Kernel{Shape(op / 10 % shapes), 1},
				})
				if (err == nil) != g.HasEdge(id) {
					t.Fatalf("edge %d, %v", id, err)
				}
			case 5:
				g.RemoveEdge(EdgeID(a))
			case 6:
				if b%2 == 0 {
					g.Disable(EdgeID(a))
				} else {
					g.Enable(EdgeID(a))
				}
			case 7:
				if g.Has(node(a)) && b%4 == 0 {
					g.Prune(node(a))
				}
			case 8:
				g.Gate(value(a))
			case 9:
				if res := g.Optimize(Options{Iterations: 4}); !(res.After <= res.Before) {
					t.Fatalf("%+v", res)
				}
				if i, k := node(a), node(b); g.Has(i) && g.Has(k) {
					if rel, ok := g.Between(i, k); ok && !(rel.Cov[0] >= 0 && rel.Cov[4] >= 0 && rel.Cov[8] >= 0) {
						t.Fatalf("%d to %d: %+v", i, k, rel)
					}
				}
			}
			for i := range g.NodeLimit() {
				if g.Has(i) && !g.Pose(i).IsFinite() {
					t.Fatalf("node %d is at %v", i, g.Pose(i))
				}
			}
		}
	})
}
