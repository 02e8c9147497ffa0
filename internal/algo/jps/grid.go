package jps

import "fmt"

// MaxCells is the largest grid: 8192 × 8192 cells.
const MaxCells = 1 << 26

// Cell is a cell of a grid, X along a row and Y the row.
type Cell struct{ X, Y int }

// Grid is what is known about a map before any query. It does not change, and any number of searches can share it.
//
// Inside, the map has a frame of blocked cells, so that every scan ends; padded coordinates begin at that frame.
type Grid struct {
	width, height int // without the frame
	rows, columns lines
	stops         [4]lines // by direction; the last two by column
	component     []int32  // by padded cell; 0: blocked
	marks         int      // free cells that stop some scan
}

// The straight directions.
const (
	right = iota
	left
	down
	up
)

// NewGrid prepares a map of width × height cells.
func NewGrid(width, height int, free func(x, y int) bool) (*Grid, error) {
	if width < 1 || height < 1 || height > MaxCells/width {
		return nil, fmt.Errorf("a grid of %d × %d cells: from 1 to %d can be searched", width, height, MaxCells)
	}
	g := &Grid{width: width, height: height}
	g.rows, g.columns = newLines(height+2, width+2), newLines(width+2, height+2)
	for y := range height + 2 {
		for x := range width + 2 {
			if x == 0 || y == 0 || x > width || y > height || !free(x-1, y-1) {
				g.rows.set(y, x)
				g.columns.set(x, y)
			}
		}
	}
	g.markStops()
	g.labelComponents()
	return g, nil
}

// Size is the number of cells along a row and of rows.
func (g *Grid) Size() (width, height int) { return g.width, g.height }

// Free reports whether a cell can be passed; outside the map none can.
func (g *Grid) Free(c Cell) bool {
	return c.X >= 0 && c.Y >= 0 && c.X < g.width && c.Y < g.height && !g.rows.has(c.Y+1, c.X+1)
}

// Connected reports whether some path joins two cells.
func (g *Grid) Connected(a, b Cell) bool {
	return g.Free(a) && g.Free(b) && g.component[g.index(a)] == g.component[g.index(b)]
}

// index numbers the padded cells.
func (g *Grid) index(c Cell) int32 { return int32((c.Y+1)*(g.width+2) + c.X + 1) }

// cell is the inverse of index.
func (g *Grid) cell(i int32) Cell {
	return Cell{int(i)%(g.width+2) - 1, int(i)/(g.width+2) - 1}
}

// markStops fills stops: where a wall beside the line ends behind, and walls across it.
func (g *Grid) markStops() {
	g.stops[right], g.stops[left] = stopsAlong(&g.rows, g.height)
	g.stops[down], g.stops[up] = stopsAlong(&g.columns, g.width)
	marked := newLines(g.height+2, g.width+2)
	for y := 1; y <= g.height; y++ {
		for i := y * g.rows.stride; i < (y+1)*g.rows.stride; i++ {
			marked.words[i] = (g.stops[right].words[i] | g.stops[left].words[i]) &^ g.rows.words[i]
		}
	}
	for x := 1; x <= g.width; x++ {
		for y := 1; y <= g.height; y++ {
			if (g.stops[down].has(x, y) || g.stops[up].has(x, y)) && !g.columns.has(x, y) {
				marked.set(y, x)
			}
		}
	}
	for y := 1; y <= g.height; y++ {
		for x := 1; x <= g.width; x++ {
			if marked.has(y, x) {
				g.marks++
			}
		}
	}
}

// stopsAlong marks the stops of scans along the lines 1 to count, upwards and downwards.
func stopsAlong(blocked *lines, count int) (forward, backward lines) {
	n, w := blocked.stride, blocked.words
	forward, backward = lines{make([]uint64, len(w)), n}, lines{make([]uint64, len(w)), n}
	for line := 1; line <= count; line++ {
		for k := range n {
			i := line*n + k
			f, b := w[i], w[i]
			for _, beside := range [2]int{i - n, i + n} {
				before, after := w[beside]<<1, w[beside]>>1
				if k > 0 {
					before |= w[beside-1] >> 63
				}
				if k+1 < n {
					after |= w[beside+1] << 63
				}
				f |= before &^ w[beside]
				b |= after &^ w[beside]
			}
			forward.words[i], backward.words[i] = f, b
		}
	}
	return forward, backward
}

// labelComponents numbers what hangs together. Steps that cut no corner join exactly what straight steps join, so the runs of free
// cells of each row are joined with those they touch in the row above (union-find over runs).
func (g *Grid) labelComponents() {
	padded := g.width + 2
	g.component = make([]int32, padded*(g.height+2))
	parent := []int32{0}
	find := func(a int32) int32 {
		for parent[a] != a {
			parent[a] = parent[parent[a]]
			a = parent[a]
		}
		return a
	}
	for y := 1; y <= g.height; y++ {
		row, above := g.component[y*padded:(y+1)*padded], g.component[(y-1)*padded:y*padded]
		label, joined := int32(0), int32(0)
		for x := 1; x <= g.width; x++ {
			if g.rows.has(y, x) {
				label, joined = 0, 0
				continue
			}
			if label == 0 {
				label = int32(len(parent))
				parent = append(parent, label)
			}
			row[x] = label
			if a := above[x]; a != 0 && a != joined {
				joined = a
				parent[max(find(a), find(label))] = min(find(a), find(label))
			}
		}
	}
	for i, label := range g.component {
		g.component[i] = find(label)
	}
}
