package astar

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

// price is what the way along cells costs, in straight steps through free cells; it fails the test on a step that is not allowed.
func price(t *testing.T, costs []uint8, width int, path []int32) float64 {
	t.Helper()
	sum := 0.0
	for i := 1; i < len(path); i++ {
		a, b := int(path[i-1]), int(path[i])
		dx, dy := b%width-a%width, b/width-a/width
		if max(dx*dx, dy*dy) != 1 {
			t.Fatalf("%d to %d is no step", a, b)
		}
		if costs[b] > dearest || costs[a+dx] > dearest || costs[a+dy*width] > dearest {
			t.Fatalf("the step from %d to %d is through cells of cost %d, %d, %d", a, b, costs[b], costs[a+dx], costs[a+dy*width])
		}
		sum += math.Sqrt(float64(dx*dx+dy*dy)) * (1 + weight*float64(costs[b])/dearest)
	}
	return sum
}

// cheapest is the least price of any way, found slowly and simply.
func cheapest(s *Search, costs []uint8, width, height, from, to int) float64 {
	best := make([]float64, len(costs))
	for i := range best {
		best[i] = math.Inf(1)
	}
	best[from] = 0
	for changed := true; changed; {
		changed = false
		for y := 1; y < height-1; y++ {
			for x := 1; x < width-1; x++ {
				a := y*width + x
				for d := range 8 {
					nx, ny := x+int(s.steps[d].x), y+int(s.steps[d].y)
					b := ny*width + nx
					if nx == 0 || ny == 0 || nx == width-1 || ny == height-1 || costs[b] > dearest || costs[y*width+nx] > dearest || costs[ny*width+x] > dearest {
						continue
					}
					length := math.Hypot(float64(s.steps[d].x), float64(s.steps[d].y))
					if c := best[a] + length*(1+weight*float64(costs[b])/dearest); c < best[b]-1e-9 {
						best[b], changed = c, true
					}
				}
			}
		}
	}
	return best[to]
}

func TestRandomMapsAgainstDijkstra(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	for range 120 {
		width, height := 3+r.IntN(25), 3+r.IntN(25)
		costs := make([]uint8, width*height)
		for i := range costs {
			switch r.IntN(4) {
			case 0:
				costs[i] = 253 + uint8(r.IntN(3))
			case 1:
				costs[i] = uint8(r.IntN(253))
			}
		}
		s := New(width, height)
		for range 5 {
			from := (1+r.IntN(height-2))*width + 1 + r.IntN(width-2)
			to := (1+r.IntN(height-2))*width + 1 + r.IntN(width-2)
			err := s.Find(costs, from, to, Options{})
			want := math.Inf(1)
			if costs[from] <= dearest && costs[to] <= dearest {
				want = cheapest(s, costs, width, height, from, to)
			}
			if err != nil {
				if !math.IsInf(want, 1) {
					t.Fatalf("%v, and a way of %g exists", err, want)
				}
				if blocked := costs[from] > dearest || costs[to] > dearest; errors.Is(err, ErrBlocked) != blocked || errors.Is(err, ErrNoPath) == blocked {
					t.Fatalf("error %v, blocked %t", err, blocked)
				}
				continue
			}
			path := s.AppendPath(nil)
			if int(path[0]) != from || int(path[len(path)-1]) != to {
				t.Fatalf("a way from %d to %d, not %d to %d", path[0], path[len(path)-1], from, to)
			}
			if got := price(t, costs, width, path); got > want*1.005 {
				t.Fatalf("the way costs %g, the cheapest %g", got, want)
			}
			if s.connected(costs, from, to) != (err == nil) {
				t.Fatal("connected is wrong")
			}
		}
	}
}

func TestUnknownAndEdge(t *testing.T) {
	// A corridor of three rows: the middle one is all that may be entered.
	costs := make([]uint8, 3*9)
	s := New(9, 3)
	row := func(x int) int { return 9 + x }
	if err := s.Find(costs, row(1), row(7), Options{}); err != nil {
		t.Errorf("a free corridor: %v", err)
	}
	if p := s.AppendPath(nil); len(p) != 7 {
		t.Errorf("a way of %d cells, want 7", len(p))
	}
	costs[row(4)] = unknown
	if err := s.Find(costs, row(1), row(7), Options{}); !errors.Is(err, ErrNoPath) {
		t.Errorf("through the unknown: %v", err)
	}
	if p := s.AppendPath(nil); len(p) != 0 {
		t.Errorf("a path of %d cells without a way", len(p))
	}
	if err := s.Find(costs, row(1), row(7), Options{Unknown: true}); err != nil {
		t.Errorf("through the unknown where it is allowed: %v", err)
	}
	for _, edge := range []int{0, 4, row(0), row(8), 26, -1} {
		if err := s.Find(costs, edge, row(7), Options{}); !errors.Is(err, ErrBlocked) {
			t.Errorf("from the edge %d: %v", edge, err)
		}
	}
	if err := s.Find(costs, row(1), row(3), Options{Budget: 1}); !errors.Is(err, ErrBudget) {
		t.Errorf("with a budget of one cell: %v", err)
	}
	if err := s.Find(costs, row(2), row(2), Options{}); err != nil || len(s.AppendPath(nil)) != 1 {
		t.Errorf("to where one is: %v", err)
	}
}

func TestSearchNumbersBeginAgain(t *testing.T) {
	s := New(5, 5)
	s.number = math.MaxUint32 - begun*2 + 1
	for range 4 {
		if err := s.Find(make([]uint8, 25), 6, 18, Options{}); err != nil || len(s.AppendPath(nil)) != 3 {
			t.Errorf("search %d: %v, path %v", s.number, err, s.AppendPath(nil))
		}
	}
}

// hall is a map of 50 m with rooms, doors and furniture, inflated.
func hall(tb testing.TB) *costmap.Map {
	tb.Helper()
	const n = 1000
	r := rand.New(rand.NewPCG(8, 6))
	occupancy := make([]int8, n*n)
	fill := func(x0, y0, x1, y1 int, v int8) {
		for y := max(y0, 0); y < min(y1, n); y++ {
			for x := max(x0, 0); x < min(x1, n); x++ {
				occupancy[y*n+x] = v
			}
		}
	}
	for k := 0; k <= n; k += 125 {
		fill(k-2, 0, k+2, n, 100)
		fill(0, k-2, n, k+2, 100)
	}
	for k := 0; k < n; k += 125 {
		for j := 125; j < n; j += 125 {
			at := k + 20 + r.IntN(60)
			fill(j-2, at, j+2, at+28, 0)
			at = k + 20 + r.IntN(60)
			fill(at, j-2, at+28, j+2, 0)
		}
	}
	for range 400 {
		x, y := r.IntN(n), r.IntN(n)
		fill(x, y, x+4+r.IntN(20), y+4+r.IntN(20), 100)
	}
	m, err := costmap.New(costmap.Default(), costmap.Geometry{Width: n, Height: n, Resolution: 0.05}, occupancy)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// pairs draws passable cells that are far apart and joined.
func pairs(s *Search, m *costmap.Map, count int, distance float64) [][2]int {
	r := rand.New(rand.NewPCG(8, 7))
	s.begin(Options{})
	var out [][2]int
	for range 1_000_000 {
		a, b := r.IntN(len(m.Costs())), r.IntN(len(m.Costs()))
		dx, dy := float64(a%m.Width-b%m.Width), float64(a/m.Width-b/m.Width)
		if math.Hypot(dx, dy) < distance || !s.passable(m.Costs(), a) || !s.passable(m.Costs(), b) {
			continue
		}
		if s.component(m, a) == s.component(m, b) {
			out = append(out, [2]int{a, b})
		}
		if len(out) == count {
			break
		}
	}
	return out
}

// component is the component of a cell.
func (s *Search) component(m *costmap.Map, i int) int32 {
	if len(s.parent) == 0 {
		s.connected(m.Costs(), i, i)
	}
	return s.root(s.labels[i])
}

func TestNoWayIsKnownSoon(t *testing.T) {
	const n = 600
	from, to := 300*n+50, 300*n+550
	for _, tt := range []struct {
		name    string
		wall    int // cells
		door    bool
		visited int // at most
	}{
		{"a wall that the guide sees", 8, false, 0},
		{"a thin wall", 1, false, n * n / 8},
		{"a thin wall with a far door", 1, true, n * n},
	} {
		t.Run(tt.name, func(t *testing.T) {
			costs := make([]uint8, n*n)
			for y := range n {
				for x := 400; x < 400+tt.wall; x++ {
					costs[y*n+x] = 254
				}
			}
			if tt.door {
				costs[3*n+400] = 0
			}
			s := New(n, n)
			err := s.Find(costs, from, to, Options{})
			if tt.door != (err == nil) || !tt.door && !errors.Is(err, ErrNoPath) {
				t.Error(err)
			}
			if s.Visited() > tt.visited {
				t.Errorf("%d cells were visited", s.Visited())
			}
		})
	}
}

func TestSearchesDoNotAllocate(t *testing.T) {
	m := hall(t)
	s := New(m.Width, m.Height)
	p := pairs(s, m, 2, 300)
	var path []int32
	all := func() {
		for _, p := range p {
			if err := s.Find(m.Costs(), p[0], p[1], Options{}); err != nil {
				t.Fatal(err)
			}
			path = s.AppendPath(path[:0])
		}
	}
	all()
	if n := testing.AllocsPerRun(1, all); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// processorTime is what the process has used; other than the wall clock it is not longer on a busy computer.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchmarkPairs(b *testing.B, m *costmap.Map, distance, limit float64) {
	b.Helper()
	s := New(m.Width, m.Height)
	p := pairs(s, m, 200, distance)
	if len(p) == 0 {
		b.Skip("no cells that are far apart are joined")
	}
	for _, p := range p { // the first searches allocate
		if err := s.Find(m.Costs(), p[0], p[1], Options{}); err != nil {
			b.Fatal(err)
		}
	}
	visited, began := 0, processorTime(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range p {
			if err := s.Find(m.Costs(), p[0], p[1], Options{}); err != nil {
				b.Fatal(err)
			}
			visited += s.Visited()
		}
	}
	b.ReportMetric((processorTime(b)-began).Seconds()*1e3/float64(b.N*len(p)), "ms")
	b.ReportMetric(float64(visited)/float64(b.N*len(p)), "cells")
	if limit > 0 {
		b.ReportMetric(limit, "ms:max")
	}
}

func BenchmarkHall(b *testing.B) { benchmarkPairs(b, hall(b), 500, 15) }

// BenchmarkRealMaps plans across maps that robots made.
func BenchmarkRealMaps(b *testing.B) {
	root := os.Getenv("SARATHI_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	files, err := filepath.Glob(filepath.Join(root, "maps", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		b.Skipf("no maps in %s; set SARATHI_DATA", root)
	}
	for _, file := range files {
		f, err := mapfile.LoadSite(file)
		if err != nil || filepath.Base(filepath.Dir(file)) == "variants" {
			continue
		}
		b.Run(filepath.Base(filepath.Dir(file))+"-"+filepath.Base(file), func(b *testing.B) {
			cfg := costmap.Default()
			cfg.Footprint = geom.Polygon{{X: 0.1, Y: 0.1}, {X: -0.1, Y: 0.1}, {X: -0.1, Y: -0.1}, {X: 0.1, Y: -0.1}}
			g := costmap.Geometry{Width: f.Width, Height: f.Height, Resolution: f.Meta.Resolution}
			m, err := costmap.New(cfg, g, f.Cells)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkPairs(b, m, float64(min(f.Width, f.Height))/2, 0)
		})
	}
}

func TestGuidedWaysAreNearlyCheapest(t *testing.T) {
	m := hall(t)
	s := New(m.Width, m.Height)
	sum, worst := 0.0, 0.0
	p := pairs(s, m, 2, 500)
	for _, p := range p {
		if err := s.Find(m.Costs(), p[0], p[1], Options{}); err != nil {
			t.Fatal(err)
		}
		guided := price(t, m.Costs(), m.Width, s.AppendPath(nil))
		if err := s.Find(m.Costs(), p[0], p[1], Options{Exact: true}); err != nil {
			t.Fatal(err)
		}
		ratio := guided/price(t, m.Costs(), m.Width, s.AppendPath(nil)) - 1
		sum, worst = sum+ratio, max(worst, ratio)
	}
	if mean := sum / float64(len(p)); !(mean < 0.02 && worst < 0.04) {
		t.Errorf("ways cost %.1f %% more than the cheapest on average, %.1f %% at worst", 100*mean, 100*worst)
	}
}
