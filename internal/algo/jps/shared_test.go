package jps

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"sarathi/internal/algo/movingai"
)

// benchmarkMaps is the folder of MovingAI maps, which is too large for the repository.
func benchmarkMaps(tb testing.TB) string {
	tb.Helper()
	root := os.Getenv("SARATHI_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir := filepath.Join(root, "movingai")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("no maps in %s; set SARATHI_DATA", dir)
		}
		tb.Skipf("no maps in %s; set SARATHI_DATA", dir)
	}
	return dir
}

func loadBenchmark(tb testing.TB, file string) (*Grid, []movingai.Query) {
	tb.Helper()
	m, queries, err := movingai.Load(file, file+".scen")
	if err != nil {
		tb.Fatal(err)
	}
	g, err := NewGrid(m.Width, m.Height, m.Free)
	if err != nil {
		tb.Fatal(err)
	}
	return g, queries
}

func ask(s *Search, q movingai.Query) (float64, bool) {
	return s.Length(Cell{q.StartX, q.StartY}, Cell{q.GoalX, q.GoalY})
}

// The benchmark below checks every row; under the race detector that would take a minute.
func TestBenchmarkRowsAreOptimal(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(benchmarkMaps(t), "*", "*.map"))
	if err != nil || len(files) == 0 {
		t.Fatalf("maps: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			g, queries := loadBenchmark(t, file)
			s := NewSearch(g)
			var path []Cell
			for i := 0; i < len(queries); i += 37 {
				q := queries[i]
				got, ok := ask(s, q)
				if ok != q.Reachable() || math.Abs(got-q.Optimal) > 0.01 {
					t.Errorf("query %d %+v: length %.5f, found %t", i, q, got, ok)
				}
				if path = s.AppendPath(path[:0]); ok {
					checkPath(t, g, path, Cell{q.StartX, q.StartY}, Cell{q.GoalX, q.GoalY}, got)
				} else if len(path) > 0 {
					t.Errorf("query %d: a path of %d cells without a way", i, len(path))
				}
			}
		})
	}
}

// BenchmarkMovingAI reports the mean time of a query, with the grid's preparation shared among the queries.
func BenchmarkMovingAI(b *testing.B) {
	dir := benchmarkMaps(b)
	for _, m := range []struct {
		name, file string
		limit      float64 // [ms] mean of NavFn's A*
	}{
		{"AR0011SR", "bg512/AR0011SR.map", 0.6},
		{"Berlin", "cities/Berlin_0_512.map", 1.3},
		{"random-10", "random/random512-10-0.map", 1.9},
		{"maze512-8", "mazes/maze512-8-0.map", 5.8},
	} {
		b.Run(m.name, func(b *testing.B) {
			file := filepath.Join(dir, filepath.FromSlash(m.file))
			grid, _, err := movingai.Load(file, file+".scen")
			if err != nil {
				b.Fatal(err)
			}
			_, queries := loadBenchmark(b, file)
			for b.Loop() {
				g, err := NewGrid(grid.Width, grid.Height, grid.Free)
				if err != nil {
					b.Fatal(err)
				}
				s := NewSearch(g)
				for i, q := range queries {
					if length, ok := ask(s, q); ok != q.Reachable() || math.Abs(length-q.Optimal) > 0.01 {
						b.Fatalf("query %d %+v: length %.5f, found %t", i, q, length, ok)
					}
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*len(queries)), "ms")
			b.ReportMetric(m.limit, "ms:max")
		})
	}
}
