package posegraph

import (
	"slices"
	"testing"
)

// pattern is an undirected graph as lists of neighbours.
type pattern [][]int32

func (p pattern) flat() (ptr, adj []int32) {
	ptr = []int32{0}
	for _, l := range p {
		adj = append(adj, l...)
		ptr = append(ptr, int32(len(adj)))
	}
	return ptr, adj
}

func (p pattern) link(a, b int) {
	if a != b && !slices.Contains(p[a], int32(b)) {
		p[a] = append(p[a], int32(b))
		p[b] = append(p[b], int32(a))
	}
}

// fill plays the elimination and counts the blocks of the factor.
func (p pattern) fill(order []int32) int {
	sets := make([]map[int32]bool, len(p))
	for i, l := range p {
		sets[i] = map[int32]bool{}
		for _, j := range l {
			sets[i][j] = true
		}
	}
	blocks := 0
	for _, v := range order {
		blocks += 1 + len(sets[v])
		for a := range sets[v] {
			delete(sets[a], v)
			for b := range sets[v] {
				if a != b {
					sets[a][b] = true
				}
			}
		}
	}
	return blocks
}

// exact is the order of exact minimum degree.
func (p pattern) exact() []int32 {
	sets := make([]map[int32]bool, len(p))
	for i, l := range p {
		sets[i] = map[int32]bool{}
		for _, j := range l {
			sets[i][j] = true
		}
	}
	var order []int32
	gone := make([]bool, len(p))
	for range p {
		best := -1
		for i := range p {
			if !gone[i] && (best < 0 || len(sets[i]) < len(sets[best])) {
				best = i
			}
		}
		gone[best] = true
		order = append(order, int32(best))
		for a := range sets[best] {
			delete(sets[a], int32(best))
			for b := range sets[best] {
				if a != b {
					sets[a][b] = true
				}
			}
		}
	}
	return order
}

func grid(w, h int) pattern {
	p := make(pattern, w*h)
	for y := range h {
		for x := range w {
			if x+1 < w {
				p.link(y*w+x, y*w+x+1)
			}
			if y+1 < h {
				p.link(y*w+x, (y+1)*w+x)
			}
		}
	}
	return p
}

func randomPattern(seed uint64, n, links int) pattern {
	r := rng(seed)
	p := make(pattern, n)
	for i := 1; i < n; i++ {
		p.link(i, i-1)
	}
	for range links {
		p.link(r.IntN(n), r.IntN(n))
	}
	return p
}

func natural(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

func TestOrderIsAPermutationOfLittleFill(t *testing.T) {
	star := make(pattern, 50)
	for i := 1; i < 50; i++ {
		star.link(0, i)
	}
	full := make(pattern, 20)
	for i := range full {
		for j := range i {
			full.link(i, j)
		}
	}
	tests := []struct {
		name string
		p    pattern
		most int // blocks
	}{
		{"nothing", pattern{}, 0},
		{"one", make(pattern, 1), 1},
		{"apart", make(pattern, 9), 9},
		{"star", star, 99},
		{"full", full, 210},
		{"grid", grid(25, 25), 6500},
	}
	for seed := range uint64(30) {
		tests = append(tests, struct {
			name string
			p    pattern
			most int
		}{"random", randomPattern(seed, 40+int(seed), int(2*seed)), 0})
	}
	var o orderer
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ptr, adj := tt.p.flat()
			order := o.run(ptr, adj, nil)
			sorted := slices.Clone(order)
			slices.Sort(sorted)
			if !slices.Equal(sorted, natural(len(tt.p))) {
				t.Fatalf("not a permutation: %v", order)
			}
			most := tt.most
			if most == 0 {
				most = 5 + tt.p.fill(tt.p.exact())*115/100
			}
			if got := tt.p.fill(order); got > most && len(tt.p) > 0 {
				t.Errorf("%d blocks, want at most %d; natural order %d", got, most, tt.p.fill(natural(len(tt.p))))
			}
		})
	}
}

func TestFactorHasTheBlocksOfTheElimination(t *testing.T) {
	var o orderer
	var f factor
	for seed := range uint64(20) {
		p := randomPattern(seed, 30, 40)
		ptr, adj := p.flat()
		order := o.run(ptr, adj, nil)
		at := make([]int32, len(order))
		for k, i := range order {
			at[i] = int32(k)
		}
		q := make(pattern, len(p))
		for i, l := range p {
			for _, j := range l {
				q.link(int(at[i]), int(at[j]))
			}
		}
		ptr, adj = q.flat()
		f.analyze(ptr, adj)
		if got, want := f.blocks(), p.fill(order); got != want {
			t.Errorf("seed %d: %d blocks, elimination makes %d", seed, got, want)
		}
		for j := range int32(len(q)) {
			rows := f.rows[f.ptr[j]:f.ptr[j+1]]
			if rows[0] != j || !slices.IsSorted(rows) {
				t.Fatalf("seed %d: rows %v of column %d", seed, rows, j)
			}
		}
	}
}
