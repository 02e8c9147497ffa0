package posegraph

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"sarathi/internal/geom"
)

func TestMaxConsistentEqualsTryingAll(t *testing.T) {
	for seed := range uint64(200) {
		r := rng(seed)
		n := 1 + r.IntN(12)
		share := r.Float64()
		adj := make([][]bool, n)
		for i := range adj {
			adj[i] = make([]bool, n)
		}
		for i := range n {
			for j := range i {
				adj[i][j] = r.Float64() < share
				adj[j][i] = adj[i][j]
			}
		}
		consistent := func(set []int) bool {
			for k, i := range set {
				for _, j := range set[:k] {
					if !adj[i][j] {
						return false
					}
				}
			}
			return true
		}
		want := 0
		for m := range uint(1) << n {
			var set []int
			for i := range n {
				if m>>i&1 != 0 {
					set = append(set, i)
				}
			}
			if bits.OnesCount(m) > want && consistent(set) {
				want = len(set)
			}
		}
		asked := 0
		got := MaxConsistent(n, func(i, j int) bool {
			asked++
			if i >= j {
				t.Fatalf("asked for (%d, %d)", i, j)
			}
			return adj[i][j]
		})
		if len(got) != want || !consistent(got) || !slices.IsSorted(got) || asked != n*(n-1)/2 {
			t.Fatalf("seed %d: %v of %d, want %d items; asked %d times", seed, got, n, want, asked)
		}
	}
	if got := MaxConsistent(0, nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// A hard case: half of all pairs agree at random. The search must come to an end, and find the planted group.
func TestMaxConsistentIsBounded(t *testing.T) {
	const n = 400
	r := rng(1)
	adj := make([]bool, n*n)
	for i := range adj {
		adj[i] = r.IntN(2) == 0
	}
	got := MaxConsistent(n, func(i, j int) bool { return i%10 == 0 && j%10 == 0 || adj[i*n+j] })
	if len(got) < 40 {
		t.Errorf("found %d, want the 40 that were planted", len(got))
	}
}

// True closures of a drifting robot agree with each other, whatever the drift; false ones, even similar ones, do not.
func TestDisagreement(t *testing.T) {
	sum, n := 0.0, 0
	for seed := range uint64(20) {
		w := manhattan(t, seed, 120, 0)
		w.Optimize(Options{}) // odometry alone: nothing moves
		r := rng(seed + 7)
		var cs []Closure
		for len(cs) < 12 {
			a, b := NodeID(r.IntN(40)), NodeID(80+r.IntN(40))
			rel := Relative{noisy(r, w.truth[a].Between(w.truth[b]), stepSigma, turnSigma), covariance(stepSigma, turnSigma)}
			if len(cs) >= 8 {
				rel.Pose = noisy(r, geom.Pose2{}, 0.1, 0.1) // "the same place": false
			}
			cs = append(cs, Closure{a, b, rel})
		}
		got := MaxConsistent(len(cs), func(i, j int) bool {
			from, _ := w.Between(cs[i].From, cs[j].From)
			to, _ := w.Between(cs[i].To, cs[j].To)
			d := Disagreement(&cs[i], &cs[j], from, to)
			if i < 8 && j < 8 {
				sum += d
				n++
			}
			return d < Chi2Of999
		})
		if len(got) < 7 || slices.Max(got) >= 8 {
			t.Errorf("seed %d: group %v, want 0..7", seed, got)
		}
	}
	if mean := sum / float64(n); math.Abs(mean-3) > 0.4 {
		t.Errorf("mean disagreement of true closures %g, want 3", mean)
	}
}

func covariance(sx, st float64) Matrix {
	return Matrix{sx * sx, 0, 0, 0, sx * sx, 0, 0, 0, st * st}
}

// Chaining relative poses gives what the graph of a chain says.
func TestThenEqualsAChain(t *testing.T) {
	w := tangle(t, 11, 6, 0)
	g := &Graph{}
	r := rng(3)
	chain := Relative{}
	g.AddNode(w.truth[0])
	for i := 1; i < 6; i++ {
		z := noisy(r, w.truth[i-1].Between(w.truth[i]), 0.1, 0.1)
		info := randomInfo(r)
		g.AddNode(g.Pose(NodeID(i - 1)).Mul(z))
		mustEdge(t, g, Edge{From: NodeID(i - 1), To: NodeID(i), Z: z, Info: info})
		m := mat3(info)
		cov, _ := m.inverse()
		chain = chain.Then(Relative{z, Matrix(cov)})
	}
	rel, ok := g.Between(0, 5)
	if !ok || !about(rel.Pose, chain.Pose, 1e-9) {
		t.Fatalf("%v, chain %v", rel, chain)
	}
	for k := range 9 {
		if math.Abs(rel.Cov[k]-chain.Cov[k]) > 1e-5*math.Sqrt(chain.Cov[k/3*4]*chain.Cov[k%3*4]) {
			t.Errorf("covariance %v, chain %v", rel.Cov, chain.Cov)
		}
	}
}
