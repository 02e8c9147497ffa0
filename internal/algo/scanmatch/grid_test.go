package scanmatch

import (
	"math"
	"testing"

	"sarathi/internal/geom"
)

// fieldIsExact compares the distance field with a search over all occupied cells.
func fieldIsExact(t *testing.T, g *Grid) {
	t.Helper()
	var occupied []spot
	g.each(func(x, y int, c *cell) {
		if c.occupied() {
			occupied = append(occupied, spot{x, y})
		}
	})
	wrong, cells := 0, 0
	g.each(func(x, y int, _ *cell) {
		best := g.reach*g.reach + 1
		for _, o := range occupied {
			best = min(best, (o.x-x)*(o.x-x)+(o.y-y)*(o.y-y))
		}
		want := g.Reach()
		if best <= g.reach*g.reach {
			want = math.Sqrt(float64(best)) * g.res
		}
		cells++
		if math.Abs(g.distance(x, y)-want) > 1e-9 {
			wrong++
		}
	})
	if wrong > 0 || cells == 0 {
		t.Errorf("the distance of %d of %d cells is wrong", wrong, cells)
	}
}

// Walls come and go: the field must be that of what is there now, however it came to be.
func TestDistanceFieldFollowsTheMap(t *testing.T) {
	r := rng(t)
	g := NewGrid(0.05, 0.3)
	for i := range 12 {
		w := box(-1, -1, 1+0.1*float64(i%4), 1)
		pose := geom.Pose2{X: 0.3 * r.NormFloat64(), Y: 0.3 * r.NormFloat64(), Theta: r.Float64()}
		g.Insert(pose, w.scan(pose, 0.02, r))
		if i%3 == 2 {
			fieldIsExact(t, g)
		}
	}
}

func TestBulkMakesTheSameField(t *testing.T) {
	r := rng(t)
	g := NewGrid(0.05, 0.3)
	g.BeginBulk()
	for range 8 {
		pose := geom.Pose2{X: r.Float64(), Y: r.Float64()}
		g.Insert(pose, room().scan(pose, 0.02, r))
	}
	g.EndBulk()
	fieldIsExact(t, g)
}

func TestInsert(t *testing.T) {
	g := NewGrid(0.1, 0.5)
	s := &Scan{Hits: []geom.Vec2{{X: 1.04, Y: 0.02}}, Clear: []geom.Vec2{{Y: 1.05}}}
	g.Insert(geom.Pose2{X: 0.05, Y: 0.05}, s)
	at := func(x, y int) int16 {
		if c := g.at(x, y); c != nil && c.state&known != 0 {
			return c.odds
		}
		return 0
	}
	for _, tt := range []struct {
		x, y int
		want int16
	}{{0, 0, oddsPass}, {5, 0, oddsPass}, {9, 0, oddsPass}, {10, 0, oddsHit}, {11, 0, 0}, {0, 5, oddsPass}, {0, 11, 0}, {3, 3, 0}} {
		if got := at(tt.x, tt.y); got != tt.want {
			t.Errorf("cell (%d, %d) has %d, not %d", tt.x, tt.y, got, tt.want)
		}
	}
}

func TestPeopleAreForgotten(t *testing.T) {
	r, w := rng(t), room()
	g := w.mapped(r, geom.Pose2{})
	person := append(room(), box(1, -0.2, 1.3, 0.2)...)
	for range 3 {
		g.Insert(geom.Pose2{}, person.scan(geom.Pose2{}, 0, r))
	}
	p := geom.Vec2{X: 1.0, Y: 0.02}
	if d, _, _ := g.Distance(p); d > 0.06 {
		t.Fatalf("a person is %.2f m from the map", d)
	}
	for range 12 {
		g.Insert(geom.Pose2{}, w.scan(geom.Pose2{}, 0, r))
	}
	if d, _, far := g.Distance(p); !far && d < 0.3 {
		t.Errorf("who has left is still %.2f m from the map", d)
	}
}

func TestRaster(t *testing.T) {
	if r := NewGrid(0.1, 0.5).Raster(); r.Width != 0 || len(r.Cells) != 0 {
		t.Errorf("nothing seen: %+v", r)
	}
	r := rng(t)
	m := room().mapped(r, geom.Pose2{}).Raster()
	cell := func(x, y float64) int8 {
		return m.Cells[int((y-m.Origin.Y)/m.Resolution)*m.Width+int((x-m.Origin.X)/m.Resolution)]
	}
	wall := int8(-1)
	for y := -0.5; y < 0.5; y += m.Resolution {
		wall = max(wall, cell(3.98, y), cell(4.02, y))
	}
	if free, inside := cell(0, 0.5), cell(1.9, 1.5); free < 0 || free > 40 || wall < 60 || inside != -1 {
		t.Errorf("free %d, wall %d, inside a box %d", free, wall, inside)
	}
}

func TestResetForgets(t *testing.T) {
	r := rng(t)
	g := room().mapped(r, geom.Pose2{})
	n := g.Tiles()
	g.Reset()
	if g.Tiles() != 0 || len(g.Raster().Cells) != 0 {
		t.Error("something is left")
	}
	g.Insert(geom.Pose2{}, room().scan(geom.Pose2{}, 0, r))
	fieldIsExact(t, g)
	if g.Tiles() > n {
		t.Errorf("%d tiles, not %d", g.Tiles(), n)
	}
}

// The marks of scans wrap round after 65535 of them.
func TestScanNumbersWrap(t *testing.T) {
	g := NewGrid(0.1, 0.2)
	s := &Scan{Hits: []geom.Vec2{{X: 0.5}}}
	g.Insert(geom.Pose2{}, s)
	before := g.at(5, 0).odds
	g.scan = math.MaxUint16
	g.Insert(geom.Pose2{}, s)
	if after := g.at(5, 0).odds; after != before+oddsHit {
		t.Errorf("%d after %d", after, before)
	}
}
