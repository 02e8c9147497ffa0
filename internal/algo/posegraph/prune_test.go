package posegraph

import (
	"math"
	"testing"

	"sarathi/internal/geom"
)

// Of a chain, the poses and covariances of the nodes that are left do not change when others are pruned.
func TestPruningAChainLosesNothing(t *testing.T) {
	w := tangle(t, 5, 8, 0)
	g := &Graph{}
	r := rng(5)
	for i := range 8 {
		g.AddNode(w.truth[i])
		if i > 0 {
			z := noisy(r, w.truth[i-1].Between(w.truth[i]), stepSigma, turnSigma)
			mustEdge(t, g, Edge{From: NodeID(i - 1), To: NodeID(i), Z: z, Info: randomInfo(r)})
		}
	}
	g.Optimize(Options{})
	want, _ := g.Between(0, 7)
	for _, id := range []NodeID{3, 1, 6, 2} {
		if edges := g.Prune(id); len(edges) != 1 {
			t.Fatalf("pruning node %d made edges %v", id, edges)
		}
	}
	res := g.Optimize(Options{})
	got, ok := g.Between(0, 7)
	if !ok || !res.Converged || g.Len() != 4 || g.Edges() != 3 || !about(got.Pose, want.Pose, 1e-6) {
		t.Fatalf("%+v: %v, before %v", res, got, want)
	}
	for k := range 9 {
		if math.Abs(got.Cov[k]-want.Cov[k]) > 0.01*math.Sqrt(want.Cov[k/3*4]*want.Cov[k%3*4]) {
			t.Errorf("covariance %v, before %v", got.Cov, want.Cov)
		}
	}
}

// Of a net, half of the nodes stand in for all: poses hardly change, and the covariances claim nothing new.
func TestPruningANetIsHonest(t *testing.T) {
	w := manhattan(t, 7, 200, 120)
	w.Optimize(Options{})
	want, _ := w.Between(0, 199)
	before := w.worst()
	edges := w.Edges()
	for id := NodeID(1); id < 199; id += 2 {
		w.Prune(id)
	}
	if res := w.Optimize(Options{}); !res.Converged {
		t.Fatalf("%+v", res)
	}
	got, ok := w.Between(0, 199)
	if !ok || w.Len() != 101 || w.Edges() >= edges {
		t.Fatalf("connected %v, %d nodes, %d edges", ok, w.Len(), w.Edges())
	}
	if d := got.Pose.Position().Distance(want.Pose.Position()); d > 0.3 {
		t.Errorf("the last node moved by %g m", d)
	}
	if got.Cov[0]+got.Cov[4] < 0.7*(want.Cov[0]+want.Cov[4]) {
		t.Errorf("more is claimed than was known: %v, before %v", got.Cov, want.Cov)
	}
	after := 0.0
	for i, p := range w.truth {
		if w.Has(NodeID(i)) {
			after = max(after, p.Position().Distance(w.Pose(NodeID(i)).Position()))
		}
	}
	if after > 2*before {
		t.Errorf("worst node %g m away, before %g m", after, before)
	}
}

func TestPruningWhatHangsLoose(t *testing.T) {
	g := &Graph{}
	for i := range 4 {
		g.AddNode(geom.Pose2{X: float64(i)})
	}
	mustEdge(t, g, Edge{From: 0, To: 1, Z: geom.Pose2{X: 1}, Info: Diagonal(1, 1, 1)})
	mustEdge(t, g, Edge{From: 2, To: 1, Z: geom.Pose2{X: -1}, Info: Diagonal(1, 1, 1)})
	off := mustEdge(t, g, Edge{From: 1, To: 3, Z: geom.Pose2{X: 9}, Info: Diagonal(1, 1, 1)})
	g.Disable(off)
	if edges := g.Prune(3); edges != nil {
		t.Errorf("a node that only an edge that is off held left %v", edges)
	}
	if edges := g.Prune(2); edges != nil {
		t.Errorf("the end of a chain left %v", edges)
	}
	g.Prune(0) // the anchor
	if res := g.Optimize(Options{}); !res.Converged || g.Pose(1) != (geom.Pose2{X: 1}) || g.Edges() != 0 {
		t.Errorf("%+v: %v, %d edges", res, g.Pose(1), g.Edges())
	}
}

// A robot that goes round and round for ever, with nodes pruned as it comes by again, needs no more memory.
func TestPrunedGraphDoesNotGrow(t *testing.T) {
	g := &Graph{}
	const round, laps = 24, 10
	step := geom.Pose2{X: 1, Theta: 2 * math.Pi / round}
	pose := geom.Pose2{}
	last := NoNode
	var at [round]NodeID
	for i := range round * laps {
		id := g.AddNode(pose)
		if last != NoNode {
			mustEdge(t, g, Edge{From: last, To: id, Z: step, Info: Diagonal(stepSigma, stepSigma, turnSigma)})
		}
		if i >= round {
			old := at[i%round]
			mustEdge(t, g, Edge{From: old, To: id, Z: geom.Pose2{}, Info: Diagonal(0.1, 0.1, 0.05)})
			if old != 0 {
				g.Prune(old)
			}
		}
		at[i%round] = id
		last = id
		pose = pose.Mul(step)
		if i%10 == 0 {
			if res := g.Optimize(Options{}); !res.Converged {
				t.Fatalf("node %d: %+v", i, res)
			}
		}
	}
	if g.NodeLimit() > 2*round || g.EdgeLimit() > 8*round {
		t.Errorf("ids up to %d and %d after %d laps", g.NodeLimit(), g.EdgeLimit(), laps)
	}
}
