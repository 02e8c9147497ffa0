package posegraph

import (
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/geom"
)

// ring is a graph and the poses that its measurements are of.
type ring struct {
	*Graph
	truth    []geom.Pose2
	closures []EdgeID
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 9)) }

func noisy(r *rand.Rand, z geom.Pose2, sx, st float64) geom.Pose2 {
	return geom.Pose2{X: z.X + sx*r.NormFloat64(), Y: z.Y + sx*r.NormFloat64(), Theta: z.Theta + st*r.NormFloat64()}
}

func mustEdge(tb testing.TB, g *Graph, e Edge) EdgeID {
	tb.Helper()
	id, err := g.AddEdge(e)
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

const (
	stepSigma = 0.02
	turnSigma = 0.005
)

// manhattan is a robot that walks n steps of 1 m along the streets of a town, whose crossings are 1 m apart, and recognises some of
// the places where it was before: about as many closures as asked for.
func manhattan(tb testing.TB, seed uint64, n, closures int) *ring {
	tb.Helper()
	r := rng(seed)
	w := &ring{Graph: &Graph{}}
	width := math.Sqrt(float64(n)) / 2
	pose, guess := geom.Pose2{}, geom.Pose2{}
	w.add(pose, guess)
	for i := 1; i < n; i++ {
		step := geom.Pose2{X: 1}
		switch next := pose.Mul(geom.Pose2{X: 2}); {
		case r.IntN(5) == 0, math.Abs(next.X) > width, math.Abs(next.Y) > width:
			step.Theta = math.Pi / 2 * float64(1-2*r.IntN(2))
		}
		pose = pose.Mul(step)
		z := noisy(r, step, stepSigma, turnSigma)
		guess = guess.Mul(z)
		w.add(pose, guess)
		mustEdge(tb, w.Graph, Edge{From: NodeID(i - 1), To: NodeID(i), Z: z, Info: Diagonal(stepSigma, stepSigma, turnSigma)})
	}
	for try := 0; len(w.closures) < closures && try < 1000*closures; try++ {
		a, b := r.IntN(n), r.IntN(n)
		if b-a < 5 || w.truth[a].Position().Distance(w.truth[b].Position()) > 1.5 {
			continue
		}
		z := noisy(r, w.truth[a].Between(w.truth[b]), stepSigma, turnSigma)
		w.closures = append(w.closures, mustEdge(tb, w.Graph, Edge{
			From: NodeID(a), To: NodeID(b), Z: z, Info: Diagonal(stepSigma, stepSigma, turnSigma),
		}))
	}
	return w
}

func (w *ring) add(truth, guess geom.Pose2) {
	w.truth = append(w.truth, truth)
	w.AddNode(guess)
}

// worst is the largest distance of a node from the truth [m].
func (w *ring) worst() float64 {
	d := 0.0
	for i, p := range w.truth {
		d = max(d, p.Position().Distance(w.Pose(NodeID(i)).Position()))
	}
	return d
}
