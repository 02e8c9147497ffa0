package jps

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// picture makes a grid of a drawing in which '#' is blocked.
func picture(tb testing.TB, rows ...string) *Grid {
	tb.Helper()
	g, err := NewGrid(len(rows[0]), len(rows), func(x, y int) bool { return rows[y][x] != '#' })
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// checkPath fails unless path is a chain of allowed steps of the given length.
func checkPath(t *testing.T, g *Grid, path []Cell, from, to Cell, length float64) {
	t.Helper()
	if len(path) == 0 || path[0] != from || path[len(path)-1] != to {
		t.Fatalf("the path %v does not lead from %v to %v", path, from, to)
	}
	sum := 0.0
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		dx, dy := abs(b.X-a.X), abs(b.Y-a.Y)
		if max(dx, dy) != 1 || !g.Free(b) || !g.Free(Cell{a.X, b.Y}) || !g.Free(Cell{b.X, a.Y}) {
			t.Fatalf("%v to %v is no step", a, b)
		}
		sum += math.Sqrt(float64(dx + dy))
	}
	if math.Abs(sum-length) > 1e-6 {
		t.Errorf("the path is %.6f long, not %.6f", sum, length)
	}
}

func TestSmallMaps(t *testing.T) {
	const r2 = math.Sqrt2
	tests := []struct {
		name     string
		rows     []string
		from, to Cell
		want     float64 // negative: none
	}{
		{"one cell", []string{"."}, Cell{0, 0}, Cell{0, 0}, 0},
		{"diagonal", []string{"...", "...", "..."}, Cell{0, 0}, Cell{2, 2}, 2 * r2},
		{"no corner is cut", []string{".#", ".."}, Cell{0, 0}, Cell{1, 1}, 2},
		{"no gap between corners", []string{".#", "#."}, Cell{0, 0}, Cell{1, 1}, -1},
		{"around a post", []string{"...", ".#.", "..."}, Cell{0, 1}, Cell{2, 1}, 4},
		{"through a door", []string{"..#..", "..#..", ".....", "..#.."}, Cell{0, 0}, Cell{4, 0}, 4 + 2*r2},
		{"walled off", []string{".#.", ".#."}, Cell{0, 0}, Cell{2, 0}, -1},
		{"from a wall", []string{"#.."}, Cell{0, 0}, Cell{2, 0}, -1},
		{"to a wall", []string{"..#"}, Cell{0, 0}, Cell{2, 0}, -1},
		{"from outside", []string{"..."}, Cell{-1, 0}, Cell{2, 0}, -1},
		{"to outside", []string{"..."}, Cell{0, 0}, Cell{0, 1}, -1},
		{"a long row", []string{strings.Repeat(".", 300)}, Cell{299, 0}, Cell{0, 0}, 299},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := picture(t, tt.rows...)
			s := NewSearch(g)
			got, ok := s.Length(tt.from, tt.to)
			if ok != (tt.want >= 0) || (ok && math.Abs(got-tt.want) > 1e-9) {
				t.Fatalf("length %g, %t; want %g", got, ok, tt.want)
			}
			if ok {
				checkPath(t, g, s.AppendPath(nil), tt.from, tt.to, got)
			} else if p := s.AppendPath(nil); len(p) > 0 {
				t.Errorf("a path %v without a way", p)
			}
		})
	}
}

// dijkstra returns the length of the shortest path from one cell to every other, slowly and simply.
func dijkstra(g *Grid, from Cell) []float64 {
	out := make([]float64, g.width*g.height)
	for i := range out {
		out[i] = math.Inf(1)
	}
	out[from.Y*g.width+from.X] = 0
	for changed := true; changed; {
		changed = false
		for i := range out {
			c := Cell{i % g.width, i / g.width}
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					b := Cell{c.X + dx, c.Y + dy}
					if !g.Free(b) || !g.Free(Cell{c.X, b.Y}) || !g.Free(Cell{b.X, c.Y}) {
						continue
					}
					if d := out[i] + math.Sqrt(float64(dx*dx+dy*dy)); d < out[b.Y*g.width+b.X]-1e-9 {
						out[b.Y*g.width+b.X] = d
						changed = true
					}
				}
			}
		}
	}
	return out
}

func TestRandomMapsAgainstDijkstra(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 60 {
		width, height, density := 1+r.IntN(90), 1+r.IntN(14), 0.5*r.Float64()
		blocked := make([]bool, width*height)
		for i := range blocked {
			blocked[i] = r.Float64() < density
		}
		g, err := NewGrid(width, height, func(x, y int) bool { return !blocked[y*width+x] })
		if err != nil {
			t.Fatal(err)
		}
		from := Cell{r.IntN(width), r.IntN(height)}
		if !g.Free(from) {
			continue
		}
		s, want := NewSearch(g), dijkstra(g, from)
		for i, w := range want {
			to := Cell{i % width, i / width}
			got, ok := s.Length(from, to)
			if ok != !math.IsInf(w, 1) || (ok && math.Abs(got-w) > 1e-6) {
				t.Fatalf("%d × %d, %v to %v: %g, %t; want %g", width, height, from, to, got, ok, w)
			}
			if ok {
				checkPath(t, g, s.AppendPath(nil), from, to, got)
			}
		}
	}
}

func TestGridSizes(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 5}, {1 << 14, 1 << 14}} {
		if _, err := NewGrid(size[0], size[1], func(int, int) bool { return true }); err == nil {
			t.Errorf("a grid of %v cells is accepted", size)
		}
	}
}

func TestQueriesDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	blocked := make([]bool, 200*200)
	for i := range blocked {
		blocked[i] = r.Float64() < 0.2
	}
	g, err := NewGrid(200, 200, func(x, y int) bool { return !blocked[y*200+x] })
	if err != nil {
		t.Fatal(err)
	}
	s := NewSearch(g)
	path := make([]Cell, 0, 200*200)
	n := testing.AllocsPerRun(100, func() {
		s.Length(Cell{r.IntN(200), r.IntN(200)}, Cell{r.IntN(200), r.IntN(200)})
		path = s.AppendPath(path[:0])
	})
	if n != 0 {
		t.Errorf("%g allocations a query", n)
	}
}

func TestManyQueriesBegin(t *testing.T) {
	g := picture(t, "....", ".##.", "....")
	s := NewSearch(g)
	s.query = math.MaxUint32 - 1
	for range 4 {
		if got, ok := s.Length(Cell{0, 1}, Cell{3, 1}); !ok || got != 5 {
			t.Errorf("query %d: length %g, %t", s.query, got, ok)
		}
	}
}
