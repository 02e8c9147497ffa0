package sim

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// noise is the randomness of one sensor or person: a PCG generator of its own.
type noise struct {
	seed, id uint64
	pcg      *rand.PCG
	*rand.Rand
}

// newNoise derives the generator from the world's seed and a name that nothing else in the world has.
func newNoise(seed uint64, name string) *noise {
	h := fnv.New64a()
	h.Write([]byte(name))
	n := &noise{seed: seed, id: h.Sum64(), pcg: rand.NewPCG(seed, h.Sum64())}
	n.Rand = rand.New(n.pcg)
	return n
}

// at starts the generator anew for the measurement of one tick.
func (n *noise) at(tick int64) *noise {
	// An odd multiplier spreads neighbouring ticks over all bits (Knuth, The Art of Computer Programming, vol. 3, 6.4).
	n.pcg.Seed(n.seed^uint64(tick)*0x9e3779b97f4a7c15, n.id+uint64(tick))
	return n
}

// spread is a value between -by and by.
func (n *noise) spread(by float64) float64 { return (2*n.Float64() - 1) * by }

// gauss is a normal deviate; without deviation nothing is drawn.
func (n *noise) gauss(sigma float64) float64 {
	if sigma == 0 {
		return 0
	}
	return n.NormFloat64() * sigma
}

// walk is a step of a random walk that spreads by perRoot after one unit of span.
func (n *noise) walk(perRoot, span float64) float64 {
	if perRoot == 0 || span == 0 {
		return 0
	}
	return n.NormFloat64() * perRoot * math.Sqrt(span)
}
