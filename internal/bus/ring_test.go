package bus

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// word is big enough to be torn: all its parts must be equal.
type word [8]uint64

func wordOf(n uint64) (w word) {
	for i := range w {
		w[i] = n
	}
	return w
}

func (w word) whole() bool { return w == wordOf(w[0]) }

func newRing[T any](depth int) *ring[T] {
	r := &ring[T]{}
	r.init(depth)
	return r
}

func pushWord(r *ring[word], n uint64) int { return r.push(&entry[word]{seq: n, value: wordOf(n)}) }

func TestRingKeepsTheLastExactly(t *testing.T) {
	for _, depth := range []int{1, 2, 3, 4, 7, 8, 300} {
		for _, pushed := range []int{0, 1, depth - 1, depth, depth + 1, 2*depth + 3, 5 * depth} {
			t.Run(fmt.Sprintf("depth %d pushed %d", depth, pushed), func(t *testing.T) {
				r := newRing[word](depth)
				dropped := 0
				for n := range pushed {
					dropped += pushWord(r, uint64(n))
				}
				if want := max(pushed-depth, 0); dropped != want {
					t.Errorf("%d dropped, want %d", dropped, want)
				}
				for n := max(pushed-depth, 0); n < pushed; n++ {
					if e, ok := r.pop(); !ok || e.value != wordOf(uint64(n)) {
						t.Fatalf("popped %v (%v), want %d", e.value, ok, n)
					}
				}
				if e, ok := r.pop(); ok || !r.empty() {
					t.Errorf("popped %v from what should be empty", e.value)
				}
			})
		}
	}
}

// TestRingAgainstModel compares with a slice over random pushes and pops.
func TestRingAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		depth := 1 + rng.IntN(9)
		r := newRing[word](depth)
		var model []uint64
		for n := range uint64(2000) {
			if rng.IntN(2) == 0 {
				want := 0
				if model = append(model, n); len(model) > depth {
					model, want = model[1:], 1
				}
				if got := pushWord(r, n); got != want {
					t.Fatalf("seed %d: push dropped %d, want %d", seed, got, want)
				}
				continue
			}
			e, ok := r.pop()
			if ok != (len(model) > 0) {
				t.Fatalf("seed %d: pop said %v with %d entries", seed, ok, len(model))
			}
			if ok {
				if e.value != wordOf(model[0]) {
					t.Fatalf("seed %d: popped %d, want %d", seed, e.seq, model[0])
				}
				model = model[1:]
			}
		}
	}
}

func TestRingLetsGoOfWhatWasTaken(t *testing.T) {
	r := newRing[*int](2)
	for n := range 5 {
		r.push(&entry[*int]{value: &n})
	}
	for _, ok := r.pop(); ok; _, ok = r.pop() {
	}
	for i := range r.cells {
		if r.cells[i].entry.value != nil {
			t.Errorf("cell %d still holds a message", i)
		}
	}
}

// TestRingWithManyProducers has several goroutines push while one pops, at times
// slowly: each producer's entries come whole and in order, what is missing is what
// was counted, and the last entries of all are there in the end.
func TestRingWithManyProducers(t *testing.T) {
	const producers, rounds = 4, 5000
	for _, depth := range []int{1, 2, 5, 64} {
		t.Run(fmt.Sprint("depth ", depth), func(t *testing.T) {
			r := newRing[word](depth)
			var dropped [producers]int
			var wg sync.WaitGroup
			for p := range producers {
				wg.Go(func() {
					for n := 1; n <= rounds; n++ {
						dropped[p] += pushWord(r, uint64(p*rounds*2+n))
					}
				})
			}
			done := make(chan struct{})
			go func() { wg.Wait(); close(done) }()

			received := 0
			var last [producers]uint64
			take := func() (burst int) {
				for e, ok := r.pop(); ok; e, ok = r.pop() {
					p, n := e.value[0]/(rounds*2), e.value[0]%(rounds*2)
					if !e.value.whole() {
						t.Fatalf("torn value %v", e.value)
					}
					if n <= last[p] {
						t.Fatalf("producer %d: %d came after %d", p, n, last[p])
					}
					last[p] = n
					received++
					burst++
				}
				return burst
			}
			for running := true; running; take() {
				select {
				case <-done:
					running = false
				default:
				}
			}
			total := received
			for _, n := range dropped {
				total += n
			}
			if total != producers*rounds {
				t.Errorf("%d received and dropped, want %d", total, producers*rounds)
			}
		})
	}
}

// TestRingFullAtTheEnd has nobody pop until all producers are done: exactly depth
// entries are left, and they are each producer's last.
func TestRingFullAtTheEnd(t *testing.T) {
	const producers, rounds = 4, 5000
	for _, depth := range []int{1, 3, 8} {
		r := newRing[word](depth)
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for n := range rounds {
					pushWord(r, uint64(p*rounds+n))
				}
			})
		}
		wg.Wait()
		left, newest := 0, false
		for e, ok := r.pop(); ok; e, ok = r.pop() {
			left++
			newest = newest || e.value[0]%rounds == rounds-1
		}
		if left != depth || !newest {
			t.Errorf("depth %d: %d left, some producer's last among them: %v", depth, left, newest)
		}
	}
}

// TestRingDropsOnlyTheOverflow has a consumer that always keeps up with a bounded
// burst: nothing may be dropped, whatever the interleaving.
func TestRingDropsOnlyTheOverflow(t *testing.T) {
	const depth, rounds = 4, 20000
	r := newRing[word](depth)
	tokens := make(chan struct{}, depth) // as many as may wait
	dropped := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range uint64(rounds) {
			tokens <- struct{}{}
			dropped += pushWord(r, n)
		}
	}()
	for n := uint64(0); n < rounds; {
		if e, ok := r.pop(); ok {
			if e.seq != n {
				t.Fatalf("popped %d, want %d", e.seq, n)
			}
			n++
			<-tokens
		}
	}
	<-done
	if dropped != 0 {
		t.Errorf("%d dropped although there was room", dropped)
	}
}

func TestRingAllocatesNothing(t *testing.T) {
	r := newRing[word](4)
	n := uint64(0)
	if allocs := testing.AllocsPerRun(1000, func() { n++; pushWord(r, n); pushWord(r, n); r.pop() }); allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}
