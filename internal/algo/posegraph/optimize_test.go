package posegraph

import (
	"errors"
	"math"
	"testing"

	"sarathi/internal/geom"
)

func about(a, b geom.Pose2, tol float64) bool {
	return math.Abs(a.X-b.X) <= tol && math.Abs(a.Y-b.Y) <= tol && math.Abs(geom.AngleDiff(a.Theta, b.Theta)) <= tol
}

func TestPerfectMeasurementsGiveThePoses(t *testing.T) {
	w := manhattan(t, 1, 300, 0)
	r := rng(1)
	for i := range w.EdgeLimit() {
		e := w.Edge(i)
		w.RemoveEdge(i)
		e.Z = w.truth[e.From].Between(w.truth[e.To])
		mustEdge(t, w.Graph, e)
	}
	for range 100 {
		a, b := r.IntN(300), r.IntN(300)
		if a != b {
			mustEdge(t, w.Graph, Edge{From: NodeID(a), To: NodeID(b), Z: w.truth[a].Between(w.truth[b]), Info: Diagonal(1, 1, 1)})
		}
	}
	res := w.Optimize(Options{})
	if !res.Converged || res.After > 1e-12 || w.worst() > 1e-6 {
		t.Errorf("%+v, worst %g m", res, w.worst())
	}
}

// Three steps around a triangle, each of the same uncertainty, share the error of closing by thirds.
func TestClosingErrorIsShared(t *testing.T) {
	g := &Graph{}
	third := 2 * math.Pi / 3
	step := geom.Pose2{X: 1, Theta: third}
	pose := geom.Pose2{}
	for range 3 {
		g.AddNode(pose)
		pose = pose.Mul(step)
	}
	for i := range 3 {
		z := step
		z.Theta += 0.03
		mustEdge(t, g, Edge{From: NodeID(i), To: NodeID((i + 1) % 3), Z: z, Info: Diagonal(0.1, 0.1, 0.01)})
	}
	res := g.Optimize(Options{})
	for i := range 3 {
		if got := g.Chi2(EdgeID(i)); math.Abs(got-9) > 1e-6 {
			t.Errorf("χ² of edge %d is %g, want (0.03/0.01)²", i, got)
		}
	}
	if math.Abs(res.After-27) > 1e-6 || g.Pose(0) != (geom.Pose2{}) {
		t.Errorf("%+v, first node %v", res, g.Pose(0))
	}
}

func TestConvergesFromBadStarts(t *testing.T) {
	tests := []struct {
		name      string
		sx, st    float64
		bootstrap bool
	}{
		{"half a metre, 30°", 0.5, 0.5, false},
		{"two metres, 60°, bootstrap", 2, 1, true},
		{"anything, bootstrap", 100, 100, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(10) {
				w := manhattan(t, seed, 200, 150)
				w.Optimize(Options{})
				best := w.cost()
				r := rng(seed)
				for i := NodeID(1); i < w.NodeLimit(); i++ {
					w.SetPose(i, noisy(r, w.Pose(i), tt.sx, tt.st))
				}
				if tt.bootstrap && !w.Bootstrap() {
					t.Fatalf("seed %d: no bootstrap", seed)
				}
				if res := w.Optimize(Options{}); !res.Converged || res.After > best*1.001 {
					t.Errorf("seed %d: %+v, the minimum is %g", seed, res, best)
				}
			}
		})
	}
}

// With headings that fit, the bootstrap of perfect measurements is exact, wherever the anchor stands.
func TestBootstrapOfPerfectMeasurements(t *testing.T) {
	w := tangle(t, 3, 30, 30)
	for i := range w.EdgeLimit() {
		e := w.Edge(i)
		w.RemoveEdge(i)
		e.Z = w.truth[e.From].Between(w.truth[e.To])
		mustEdge(t, w.Graph, e)
	}
	for i := range w.NodeLimit() {
		w.SetPose(i, geom.Pose2{X: 3, Theta: 2})
	}
	w.SetPose(0, w.truth[0])
	if !w.Bootstrap() {
		t.Fatal("no bootstrap")
	}
	if d := w.worst(); d > 1e-4 {
		t.Errorf("worst node %g m away", d)
	}
}

func TestClosuresCorrectDrift(t *testing.T) {
	w := manhattan(t, 3, 1000, 700)
	before := w.worst()
	res := w.Optimize(Options{})
	if !res.Converged || res.Iterations > 10 {
		t.Errorf("%+v", res)
	}
	if after := w.worst(); after > before/5 {
		t.Errorf("worst node %g m away, before %g m", after, before)
	}
	// The cost is χ² of three degrees of freedom an edge, less three a node.
	if dof := float64(3*w.Edges() - 3*(w.Len()-1)); math.Abs(res.After-dof) > 4*math.Sqrt(2*dof) {
		t.Errorf("cost %g, want about %g", res.After, dof)
	}
}

func TestFalseClosuresAreLetGo(t *testing.T) {
	for _, shape := range []Shape{Switchable, Cauchy} {
		t.Run(shape.String(), func(t *testing.T) {
			for seed := range uint64(3) {
				w := manhattan(t, seed, 300, 180)
				for _, id := range w.closures {
					if err := w.SetKernel(id, Kernel{shape, 3}); err != nil {
						t.Fatal(err)
					}
				}
				clean := w.Clone()
				clean.Optimize(Options{Iterations: 50})
				r := rng(100 + seed)
				var lies []EdgeID
				for len(lies) < 36 { // one in six closures is false
					a, b := r.IntN(300), r.IntN(300)
					if w.truth[a].Position().Distance(w.truth[b].Position()) < 3 {
						continue
					}
					lies = append(lies, mustEdge(t, w.Graph, Edge{
						From: NodeID(a), To: NodeID(b), Z: noisy(r, geom.Pose2{}, 0.3, 0.3), Info: Diagonal(stepSigma, stepSigma, turnSigma),
						Kernel: Kernel{shape, 3},
					}))
				}
				w.Optimize(Options{Iterations: 50})
				w.Gate(Chi2Of999)
				w.Optimize(Options{Iterations: 50})
				for _, id := range lies {
					if w.Enabled(id) {
						t.Errorf("seed %d: false closure %d survived with χ² %g", seed, id, w.Chi2(id))
					}
				}
				kept := 0
				for _, id := range w.closures {
					if w.Enabled(id) {
						kept++
					}
				}
				if kept < 176 {
					t.Errorf("seed %d: only %d of 180 true closures are left", seed, kept)
				}
				for i := range w.NodeLimit() {
					if !about(w.Pose(i), clean.Pose(i), 0.1) {
						t.Fatalf("seed %d: node %d is at %v, without the lies at %v", seed, i, w.Pose(i), clean.Pose(i))
					}
				}
			}
		})
	}
}

func TestKernelsAreCostAndDerivative(t *testing.T) {
	for shape := range Shape(shapes) {
		k := Kernel{shape, 2}
		for _, chi2 := range []float64{0, 0.5, 3.9, 4.1, 30, 1e4} {
			const h = 1e-4
			hi, w := k.apply(chi2 + h)
			lo, _ := k.apply(max(0, chi2-h))
			got := (hi - lo) / (chi2 + h - max(0, chi2-h))
			if math.Abs(got-w) > 1e-3 {
				t.Errorf("%v at χ² %g: slope %g, weight %g", shape, chi2, got, w)
			}
			if chi2 <= 4 && shape != Cauchy && w != 1 {
				t.Errorf("%v at χ² %g: weight %g below the width", shape, chi2, w)
			}
		}
	}
}

func TestWorksPieceByPiece(t *testing.T) {
	whole := manhattan(t, 5, 250, 180)
	g := &Graph{}
	added := map[EdgeID]bool{}
	orderings := 0
	for i := range whole.NodeLimit() {
		g.AddNode(whole.Pose(i)) // where odometry alone would put it
		if i > 0 {
			// Begin where the last node has moved to.
			for e := range whole.EdgeLimit() {
				if ed := whole.Edge(e); ed.To == i && ed.From == i-1 {
					g.SetPose(i, g.Pose(i-1).Mul(ed.Z))
				}
			}
		}
		for e := range whole.EdgeLimit() {
			ed := whole.Edge(e)
			if !added[e] && ed.From <= i && ed.To <= i {
				added[e] = true
				mustEdge(t, g, ed)
			}
		}
		if i%10 == 9 {
			res := g.Optimize(Options{})
			if !res.Converged {
				t.Fatalf("at node %d: %+v", i, res)
			}
			if res.Reordered {
				orderings++
			}
		}
	}
	whole.Optimize(Options{Tolerance: 1e-12})
	g.Optimize(Options{Tolerance: 1e-12})
	for i := range whole.NodeLimit() {
		if !about(g.Pose(i), whole.Pose(i), 1e-5) {
			t.Fatalf("node %d is at %v, at once %v", i, g.Pose(i), whole.Pose(i))
		}
	}
	if orderings > 15 {
		t.Errorf("ordered anew %d times in 25", orderings)
	}
}

func TestUndo(t *testing.T) {
	w := manhattan(t, 6, 150, 60)
	w.Optimize(Options{Tolerance: 1e-12})
	want := make([]geom.Pose2, w.NodeLimit())
	for i := range want {
		want[i] = w.Pose(NodeID(i))
	}
	same := func(what string) {
		t.Helper()
		w.Optimize(Options{Tolerance: 1e-12, Iterations: 100})
		for i, p := range want {
			if !about(w.Pose(NodeID(i)), p, 1e-5) {
				t.Fatalf("%s: node %d is at %v, before %v", what, i, w.Pose(NodeID(i)), p)
			}
		}
	}
	lie := Edge{From: 3, To: 120, Info: Diagonal(0.1, 0.1, 0.1)}
	id := mustEdge(t, w.Graph, lie)
	if res := w.Optimize(Options{}); res.Moved < 0.1 {
		t.Fatalf("the false edge moved nothing: %+v", res)
	}
	w.Disable(id)
	same("switched off")
	w.Enable(id)
	w.Optimize(Options{})
	w.RemoveEdge(id)
	same("removed")
	if w.HasEdge(id) || w.Edges() != 149+60 {
		t.Errorf("%d edges", w.Edges())
	}
	if again := mustEdge(t, w.Graph, lie); again != id {
		t.Errorf("the id %d was not given again but %d", id, again)
	}
	w.RemoveEdge(id)
	extra := w.AddNode(geom.Pose2{X: 1})
	mustEdge(t, w.Graph, Edge{From: 7, To: extra, Z: geom.Pose2{X: 1}, Info: Diagonal(1, 1, 1)})
	w.Optimize(Options{})
	w.RemoveNode(extra)
	same("a node removed")
}

// Parts that no edge holds together have an anchor each, so that nothing is singular.
func TestParts(t *testing.T) {
	g := &Graph{}
	var ids []NodeID
	for i := range 6 {
		ids = append(ids, g.AddNode(geom.Pose2{X: float64(i), Y: 0.1 * float64(i)}))
	}
	var edges []EdgeID
	for i := range 5 {
		edges = append(edges, mustEdge(t, g, Edge{From: ids[i], To: ids[i+1], Z: geom.Pose2{X: 1}, Info: Diagonal(0.1, 0.1, 0.1)}))
	}
	if res := g.Optimize(Options{}); !res.Converged || !about(g.Pose(5), geom.Pose2{X: 5}, 1e-6) {
		t.Errorf("%+v, last node %v", res, g.Pose(5))
	}
	g.Disable(edges[2])
	g.SetPose(4, geom.Pose2{X: 9, Theta: 1})
	if res := g.Optimize(Options{}); !res.Converged || !about(g.Pose(3), geom.Pose2{X: 3}, 1e-6) || !about(g.Pose(4), geom.Pose2{X: 4}, 1e-6) {
		t.Errorf("%+v: %v, %v", res, g.Pose(3), g.Pose(4))
	}
	if _, ok := g.Between(0, 5); ok {
		t.Error("the parts are apart, but a covariance is claimed")
	}
	if _, known, err := g.Mahalanobis(Edge{From: 0, To: 5, Info: Diagonal(1, 1, 1)}); known || err != nil {
		t.Errorf("known %v, %v", known, err)
	}
	if rel, ok := g.Between(3, 5); !ok || math.Abs(rel.Cov[0]-0.02) > 1e-6 {
		t.Errorf("%v, %v", rel, ok)
	}
	for _, id := range edges {
		g.RemoveEdge(id)
	}
	if res := g.Optimize(Options{}); !res.Converged {
		t.Errorf("without edges: %+v", res)
	}
	for _, id := range ids {
		g.RemoveNode(id)
	}
	if res := g.Optimize(Options{}); !res.Converged || g.Len() != 0 {
		t.Errorf("without nodes: %+v", res)
	}
}

// A corridor tells nothing along its axis: such edges have no information there, and neither has the sum.
func TestNoInformationInOneDirection(t *testing.T) {
	g := &Graph{}
	g.AddNode(geom.Pose2{})
	g.AddNode(geom.Pose2{X: 5, Y: 0.3, Theta: 0.1})
	mustEdge(t, g, Edge{From: 0, To: 1, Z: geom.Pose2{X: 100}, Info: Matrix{0, 0, 0, 0, 100, 0, 0, 0, 100}})
	res := g.Optimize(Options{})
	if !res.Converged || !about(g.Pose(1), geom.Pose2{X: 5}, 1e-3) {
		t.Errorf("%+v: %v", res, g.Pose(1))
	}
	rel, ok := g.Between(0, 1)
	if !ok || rel.Cov[0] < 1e6 || math.Abs(rel.Cov[4]-0.01) > 1e-4 {
		t.Errorf("%v: %v", ok, rel.Cov)
	}
	if d2, known, err := g.Mahalanobis(Edge{From: 0, To: 1, Z: geom.Pose2{X: 50}, Info: Diagonal(0.1, 0.1, 0.1)}); err != nil || !known || d2 > 0.1 {
		t.Errorf("%g, %v, %v", d2, known, err)
	}
}

func TestMahalanobisOfTrueClosuresIsChiSquare(t *testing.T) {
	sum, n := 0.0, 0
	for seed := range uint64(60) {
		w := manhattan(t, seed, 60, 8)
		w.Optimize(Options{})
		r := rng(seed + 1000)
		for range 3 {
			a, b := r.IntN(60), r.IntN(60)
			if a == b {
				continue
			}
			z := noisy(r, w.truth[a].Between(w.truth[b]), 0.1, 0.02)
			d2, known, err := w.Mahalanobis(Edge{From: NodeID(a), To: NodeID(b), Z: z, Info: Diagonal(0.1, 0.1, 0.02)})
			if err != nil || !known {
				t.Fatal(known, err)
			}
			sum += d2
			n++
		}
	}
	if mean := sum / float64(n); math.Abs(mean-3) > 4*math.Sqrt(6/float64(n)) {
		t.Errorf("mean %g of %d, want 3", mean, n)
	}
}

func TestCloneIsOptimisedAside(t *testing.T) {
	w := manhattan(t, 8, 200, 150)
	c := w.Clone()
	last := NodeID(199)
	c.Optimize(Options{})
	// Meanwhile the robot goes on.
	next := w.AddNode(w.Pose(last).Mul(geom.Pose2{X: 1, Theta: 0.2}))
	mustEdge(t, w.Graph, Edge{From: last, To: next, Z: geom.Pose2{X: 1, Theta: 0.2}, Info: Diagonal(0.1, 0.1, 0.1)})
	w.Adopt(c, last)
	for i := range last + 1 {
		if w.Pose(i) != c.Pose(i) {
			t.Fatalf("node %d was not adopted", i)
		}
	}
	if got := w.Pose(last).Between(w.Pose(next)); !about(got, geom.Pose2{X: 1, Theta: 0.2}, 1e-9) {
		t.Errorf("the new node did not come along: %v", got)
	}
	if c.Has(next) {
		t.Error("the clone shares nodes")
	}
}

func TestSameCallsSameBits(t *testing.T) {
	run := func() []geom.Pose2 {
		w := manhattan(t, 4, 300, 200)
		w.Optimize(Options{})
		var out []geom.Pose2
		for i := range w.NodeLimit() {
			out = append(out, w.Pose(i))
		}
		return out
	}
	a, b := run(), run()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("node %d: %v and %v", i, a[i], b[i])
		}
	}
}

func TestOptimizeReusesItsMemory(t *testing.T) {
	w := manhattan(t, 4, 300, 200)
	w.Optimize(Options{})
	w.Between(1, 200)
	r := rng(1)
	if n := testing.AllocsPerRun(10, func() {
		w.SetPose(5, noisy(r, w.Pose(5), 0.1, 0.1))
		w.Disable(w.closures[3])
		w.Optimize(Options{})
		w.Enable(w.closures[3])
		w.Between(1, 200)
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestRefusals(t *testing.T) {
	g := &Graph{}
	a, b := g.AddNode(geom.Pose2{}), g.AddNode(geom.Pose2{X: 1})
	if g.AddNode(geom.Pose2{X: math.NaN()}) != NoNode || g.AddNode(geom.Pose2{Theta: math.Inf(1)}) != NoNode {
		t.Error("a node without a pose was accepted")
	}
	good := Edge{From: a, To: b, Z: geom.Pose2{X: 1}, Info: Diagonal(1, 1, 1)}
	tests := []struct {
		name  string
		spoil func(*Edge)
		want  error
	}{
		{"unknown node", func(e *Edge) { e.To = 7 }, ErrNode},
		{"negative node", func(e *Edge) { e.From = NoNode }, ErrNode},
		{"to itself", func(e *Edge) { e.To = e.From }, ErrEdge},
		{"not finite", func(e *Edge) { e.Z.Y = math.Inf(-1) }, ErrEdge},
		{"information NaN", func(e *Edge) { e.Info[3] = math.NaN() }, ErrEdge},
		{"information not symmetric", func(e *Edge) { e.Info[1] = 0.5 }, ErrEdge},
		{"information negative", func(e *Edge) { e.Info[8] = -1 }, ErrEdge},
		{"information indefinite", func(e *Edge) { e.Info[1], e.Info[3] = 2, 2 }, ErrEdge},
		{"kernel without width", func(e *Edge) { e.Kernel.Shape = Huber }, ErrEdge},
		{"unknown kernel", func(e *Edge) { e.Kernel = Kernel{99, 1} }, ErrEdge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := good
			tt.spoil(&e)
			if id, err := g.AddEdge(e); id != NoEdge || !errors.Is(err, tt.want) {
				t.Errorf("%d, %v; want %v", id, err, tt.want)
			}
		})
	}
	if id, err := g.AddEdge(good); err != nil || !g.Enabled(id) {
		t.Errorf("%d, %v", id, err)
	}
}
