package raycast

import (
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

// tol is the tolerance of distances [m]: the sum of rounding over some tens of metres.
const tol = 1e-9

func rng(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(7, stream)) }

func uniform(r *rand.Rand, span float64) float64 { return (2*r.Float64() - 1) * span }

func unit(a float64) geom.Vec2 {
	s, c := math.Sincos(a)
	return geom.Vec2{X: c, Y: s}
}

// clutter is n walls of random length, direction and height in a square of 20 m; some are axis-aligned, some share corners.
func clutter(r *rand.Rand, n int) []Wall {
	walls := make([]Wall, n)
	for i := range walls {
		a := geom.Vec2{X: uniform(r, 10), Y: uniform(r, 10)}
		if i > 0 && r.IntN(3) == 0 {
			a = walls[i-1].B
		}
		b := a.Add(unit(uniform(r, math.Pi)).Scale(3 * r.Float64()))
		switch r.IntN(4) {
		case 0:
			b.X = a.X
		case 1:
			b.Y = a.Y
		}
		walls[i] = Wall{
			Segment: geom.Segment{A: a, B: b}, Bottom: r.Float64() / 2, Top: 0.5 + r.Float64()*2, Owner: i, OneSided: r.IntN(3) == 0,
		}
	}
	return walls
}

// bruteForce tests every wall with textbook formulas, independent of the code under test.
func bruteForce(walls []Wall, o, d geom.Vec2, z, limit float64) float64 {
	best := limit
	for _, w := range walls {
		if z < w.Bottom || z >= w.Top {
			continue
		}
		e := w.B.Sub(w.A)
		det := d.Cross(e)
		if math.Abs(det) < 1e-12 || w.OneSided && e.Cross(o.Sub(w.A)) < 0 {
			continue
		}
		t, u := w.A.Sub(o).Cross(e)/det, w.A.Sub(o).Cross(d)/det
		if t >= 0 && u >= 0 && u <= 1 {
			best = min(best, t)
		}
	}
	return best
}

func TestCastAgainstBruteForce(t *testing.T) {
	r := rng(1)
	for range 60 {
		walls := clutter(r, 1+r.IntN(120))
		f := New(walls)
		for range 400 {
			o := geom.Vec2{X: uniform(r, 14), Y: uniform(r, 14)} // also from outside the grid
			d := unit(uniform(r, math.Pi))
			if r.IntN(8) == 0 {
				d = [4]geom.Vec2{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}}[r.IntN(4)]
			}
			z, limit := r.Float64()*3, 1+r.Float64()*30
			want := bruteForce(walls, o, d, z, limit)
			got, wall := f.Cast(o, d, z, limit)
			if math.Abs(got-want) > tol {
				t.Fatalf("ray %v %v z %g limit %g: %.12g, by brute force %.12g", o, d, z, limit, got, want)
			}
			if (wall < 0) != (got == limit) {
				t.Fatalf("distance %g of %g with wall %d", got, limit, wall)
			}
			if wall >= 0 {
				if p := o.Add(d.Scale(got)); walls[wall].DistanceToPoint(p) > 1e-6 {
					t.Fatalf("the hit at %v is not on its wall %v", p, walls[wall].Segment)
				}
			}
		}
	}
}

func TestHitsAgainstCasts(t *testing.T) {
	r := rng(2)
	var hits []Hit
	for range 40 {
		walls := clutter(r, 60)
		for i := range walls {
			if i%10 == 0 {
				walls[i].Bottom, walls[i].Top = 0, 9
			}
		}
		f := New(walls)
		for range 100 {
			o, d, limit := geom.Vec2{X: uniform(r, 12), Y: uniform(r, 12)}, unit(uniform(r, math.Pi)), 1+r.Float64()*20
			view := View{Z: r.Float64() * 2, Low: -r.Float64(), High: r.Float64()}
			hits = f.Hits(hits[:0], o, d, limit, view)
			for i := 1; i < len(hits); i++ {
				if hits[i].Distance < hits[i-1].Distance {
					t.Fatalf("hits out of order: %v", hits)
				}
			}
			// What a ray of each slope meets above the floor follows from the list.
			for slope := view.Low; slope <= view.High; slope += 0.05 {
				floor := limit
				if slope < 0 {
					floor = min(limit, view.Z/-slope)
				}
				want := sloped(walls, o, d, view.Z, slope, floor)
				got := floor
				for _, h := range hits {
					w := f.Wall(h.Wall)
					if z := view.Z + h.Distance*slope; h.Distance < floor && z >= w.Bottom && z < w.Top {
						got = h.Distance
						break
					}
				}
				if math.Abs(got-want) > tol {
					t.Fatalf("at slope %g the list gives %g, brute force %g", slope, got, want)
				}
			}
		}
	}
}

// sloped is the first wall a ray meets that rises by slope, by trying all.
func sloped(walls []Wall, o, d geom.Vec2, z, slope, limit float64) float64 {
	best := limit
	for _, w := range walls {
		t := bruteForce([]Wall{{Segment: w.Segment, Top: 1, OneSided: w.OneSided}}, o, d, 0, limit)
		if at := z + t*slope; t < best && at >= w.Bottom && at < w.Top {
			best = t
		}
	}
	return best
}

func TestCorners(t *testing.T) {
	// A closed room: no ray from inside may escape, through its corners least of all.
	c := []geom.Vec2{{X: -3, Y: -2}, {X: 4, Y: -2}, {X: 4.1, Y: 3}, {X: -2.7, Y: 2.6}}
	var walls []Wall
	for i := range c {
		walls = append(walls, Wall{Segment: geom.Segment{A: c[i], B: c[(i+1)%4]}, Top: 1})
	}
	f := New(walls)
	r := rng(3)
	for range 5000 {
		o := geom.Vec2{X: uniform(r, 2), Y: uniform(r, 1.5)}
		target := c[r.IntN(4)]
		d := target.Sub(o).Scale(1 / o.Distance(target))
		if got, wall := f.Cast(o, d, 0.5, 50); wall < 0 || math.Abs(got-o.Distance(target)) > 1e-6 {
			t.Fatalf("the ray from %v to the corner %v ends after %g, want %g", o, target, got, o.Distance(target))
		}
	}
}

func TestRaysAlongWallsAndGridLines(t *testing.T) {
	f := New([]Wall{
		{Segment: geom.Segment{A: geom.Vec2{X: 2, Y: 0}, B: geom.Vec2{X: 5, Y: 0}}, Top: 1},
		{Segment: geom.Segment{A: geom.Vec2{X: 6, Y: -1}, B: geom.Vec2{X: 6, Y: 1}}, Top: 1},
	})
	tests := []struct {
		name string
		o, d geom.Vec2
		want float64
	}{
		{"edge on", geom.Vec2{}, geom.Vec2{X: 1}, 2},
		{"edge on from the other end", geom.Vec2{X: 5.5}, geom.Vec2{X: -1}, 0.5},
		{"starting on it", geom.Vec2{X: 3}, geom.Vec2{X: 1}, 0},
		{"beside it", geom.Vec2{Y: 1e-3}, geom.Vec2{X: 1}, 6},
		{"away", geom.Vec2{X: 1}, geom.Vec2{X: -1}, 9},
		{"its end point", geom.Vec2{X: 2, Y: -1}, geom.Vec2{Y: 1}, 1},
	}
	for _, tt := range tests {
		if got, _ := f.Cast(tt.o, tt.d, 0.5, 9); math.Abs(got-tt.want) > tol {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

func TestHeights(t *testing.T) {
	f := New([]Wall{
		{Segment: geom.Segment{A: geom.Vec2{X: 1, Y: -1}, B: geom.Vec2{X: 1, Y: 1}}, Top: 0.3},
		{Segment: geom.Segment{A: geom.Vec2{X: 2, Y: -1}, B: geom.Vec2{X: 2, Y: 1}}, Bottom: 0.6, Top: 2},
	})
	for _, tt := range []struct{ z, want float64 }{{0, 1}, {0.29, 1}, {0.3, 5}, {0.5, 5}, {0.6, 2}, {2, 5}} {
		if got, _ := f.Cast(geom.Vec2{}, geom.Vec2{X: 1}, tt.z, 5); got != tt.want {
			t.Errorf("at height %g: %g, want %g", tt.z, got, tt.want)
		}
	}
}

func TestEmptyField(t *testing.T) {
	f := New(nil)
	if d, w := f.Cast(geom.Vec2{}, geom.Vec2{X: 1}, 0, 5); d != 5 || w != -1 || f.Len() != 0 {
		t.Errorf("empty field: %g, %d", d, w)
	}
	if h := f.Hits(nil, geom.Vec2{}, geom.Vec2{X: 1}, 5, View{}); len(h) != 0 {
		t.Errorf("empty field: %v", h)
	}
	f.Near(geom.Rect{}, func(int) bool { t.Error("empty field has a wall"); return true })
}

func TestCircle(t *testing.T) {
	tests := []struct {
		name   string
		o, d   geom.Vec2
		want   float64
		wantOK bool
	}{
		{"through the middle", geom.Vec2{X: -5}, geom.Vec2{X: 1}, 4, true},
		{"off the middle", geom.Vec2{X: -5, Y: 0.6}, geom.Vec2{X: 1}, 4.2, true},
		{"miss", geom.Vec2{X: -5, Y: 1.01}, geom.Vec2{X: 1}, 0, false},
		{"behind", geom.Vec2{X: 5}, geom.Vec2{X: 1}, 0, false},
		{"inside", geom.Vec2{X: 0.5}, geom.Vec2{X: 1}, 0, true},
	}
	for _, tt := range tests {
		if got, ok := Circle(tt.o, tt.d, geom.Vec2{}, 1); ok != tt.wantOK || math.Abs(got-tt.want) > tol {
			t.Errorf("%s: %g %t, want %g %t", tt.name, got, ok, tt.want, tt.wantOK)
		}
	}
	r := rng(4)
	for range 5000 {
		o, d := geom.Vec2{X: uniform(r, 40), Y: uniform(r, 40)}, unit(uniform(r, math.Pi))
		c, radius := geom.Vec2{X: uniform(r, 5), Y: uniform(r, 5)}, 0.1+r.Float64()
		if got, ok := Circle(o, d, c, radius); ok && got > 0 && math.Abs(o.Add(d.Scale(got)).Distance(c)-radius) > 1e-9 {
			t.Fatalf("the hit of %v %v lies %g from the centre, want %g", o, d, o.Add(d.Scale(got)).Distance(c), radius)
		}
	}
}

func TestSegment(t *testing.T) {
	s := geom.Segment{A: geom.Vec2{X: 2, Y: -1}, B: geom.Vec2{X: 2, Y: 1}}
	if got := Segment(geom.Vec2{}, geom.Vec2{X: 1}, s); got != 2 {
		t.Errorf("distance %g, want 2", got)
	}
	if got := Segment(geom.Vec2{}, geom.Vec2{X: -1}, s); !math.IsInf(got, 1) {
		t.Errorf("distance %g behind, want infinity", got)
	}
	point := geom.Segment{A: geom.Vec2{X: 3}, B: geom.Vec2{X: 3}}
	if got := Segment(geom.Vec2{}, geom.Vec2{X: 1}, point); got != 3 {
		t.Errorf("a wall without length is met after %g, want 3", got)
	}
}

func TestNear(t *testing.T) {
	r := rng(5)
	walls := clutter(r, 200)
	f := New(walls)
	for range 500 {
		lo := geom.Vec2{X: uniform(r, 12), Y: uniform(r, 12)}
		box := geom.Rect{Min: lo, Max: lo.Add(geom.Vec2{X: r.Float64() * 2, Y: r.Float64() * 2})}
		found := make(map[int]bool)
		f.Near(box, func(i int) bool { found[i] = true; return true })
		for i, w := range walls {
			if touches := overlap(boxOf(w.Segment), box); touches && crosses(w.Segment, box) && !found[i] {
				t.Fatalf("wall %v touches %v and was not found", w.Segment, box)
			}
		}
	}
	calls := 0
	f.Near(f.Bounds(), func(int) bool { calls++; return false })
	if calls != 1 {
		t.Errorf("%d calls after the visitor ended it, want 1", calls)
	}
}

func crosses(s geom.Segment, b geom.Rect) bool {
	p := geom.Polygon{b.Min, {X: b.Max.X, Y: b.Min.Y}, b.Max, {X: b.Min.X, Y: b.Max.Y}}
	return p.IntersectsSegment(s)
}

// randomMap is a map of w × h cells, a third of them occupied.
func randomMap(r *rand.Rand, w, h int) *mapfile.Map {
	m := &mapfile.Map{
		Meta:  mapfile.Meta{Resolution: 0.05, Origin: geom.Pose2{X: -1, Y: 2, Theta: 0.3}},
		Width: w, Height: h, Cells: make([]int8, w*h),
	}
	for i := range m.Cells {
		if r.IntN(3) == 0 {
			m.Cells[i] = mapfile.Occupied
		} else if r.IntN(3) == 0 {
			m.Cells[i] = mapfile.Unknown
		}
	}
	return m
}

// A ray that starts in a free cell ends where the first occupied cell begins.
func TestOutlineAgainstCells(t *testing.T) {
	r := rng(6)
	for range 20 {
		m := randomMap(r, 40, 30)
		f := New(Outline(m, 2, 9))
		for range 200 {
			col, row := r.IntN(40), r.IntN(30)
			if m.At(col, row) == mapfile.Occupied {
				continue
			}
			o, d := m.Center(col, row), unit(uniform(r, math.Pi))
			got, wall := f.Cast(o, d, 1, 5)
			if wall >= 0 && f.Wall(wall).Owner != 9 {
				t.Fatal("owner lost")
			}
			for s := 0.0005; s < got-1e-6; s += 0.001 {
				if c, w := m.Cell(o.Add(d.Scale(s))); m.At(c, w) == mapfile.Occupied {
					t.Fatalf("the ray ends after %g, yet %g is occupied", got, s)
				}
			}
			if wall >= 0 && !solidNear(m, o.Add(d.Scale(got))) {
				t.Fatalf("the ray ends after %g, yet no cell there is occupied", got)
			}
		}
	}
}

// solidNear reports whether an occupied cell touches p.
func solidNear(m *mapfile.Map, p geom.Vec2) bool {
	for _, e := range []geom.Vec2{{X: 1e-7, Y: 1e-7}, {X: -1e-7, Y: 1e-7}, {X: 1e-7, Y: -1e-7}, {X: -1e-7, Y: -1e-7}} {
		if c, r := m.Cell(p.Add(e.Rotate(m.Meta.Origin.Theta))); m.At(c, r) == mapfile.Occupied {
			return true
		}
	}
	return false
}

func TestOutlineMerges(t *testing.T) {
	m := &mapfile.Map{Meta: mapfile.Meta{Resolution: 1}, Width: 3, Height: 1, Cells: []int8{100, 100, 100}}
	if got := len(Outline(m, 1, 0)); got != 4 {
		t.Errorf("a bar of three cells has %d walls, want 4", got)
	}
	checker := &mapfile.Map{Meta: mapfile.Meta{Resolution: 1}, Width: 2, Height: 2, Cells: []int8{100, 0, 0, 100}}
	if got := len(Outline(checker, 1, 0)); got != 8 {
		t.Errorf("two cells that touch at a corner have %d walls, want 8", got)
	}
}
