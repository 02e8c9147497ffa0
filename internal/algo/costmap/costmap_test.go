package costmap

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
)

const res = 0.05

var epoch = time.Unix(1_700_000_000, 0)

// flat is a map of free cells, changed by draw.
func flat(tb testing.TB, width, height int, draw func(x, y int) int8) *Map {
	tb.Helper()
	occupancy := make([]int8, width*height)
	for i := range occupancy {
		if draw != nil {
			occupancy[i] = draw(i%width, i/width)
		}
	}
	m, err := New(Default(), Geometry{Width: width, Height: height, Resolution: res}, occupancy)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// check fails when the costs are not what a map that is made anew has.
func check(t *testing.T, m *Map) {
	t.Helper()
	costs, inflated := slices.Clone(m.costs), slices.Clone(m.inflated)
	m.rebuild(m.all())
	for i := range costs {
		if costs[i] != m.costs[i] || inflated[i] != m.inflated[i] {
			t.Fatalf("cell %v costs %d (inflation %d), made anew %d (%d)", m.CellAt(i), costs[i], inflated[i], m.costs[i], m.inflated[i])
		}
	}
}

// fan is a scan of a full turn, all beams r metres long.
func fan(robot geom.Pose2, beams int, r float64) *Scan {
	s := &Scan{Pose: robot, Robot: robot, AngleMin: -math.Pi, AngleIncrement: 2 * math.Pi / float64(beams), RangeMin: 0.1, RangeMax: 8}
	for range beams {
		s.Ranges = append(s.Ranges, float32(r))
	}
	return s
}

// beam is the index of the beam nearest to a bearing.
func beam(s *Scan, bearing float64) int {
	return int(math.Round((bearing-s.AngleMin)/s.AngleIncrement)) % len(s.Ranges)
}

func TestInflation(t *testing.T) {
	m := flat(t, 61, 61, func(x, y int) int8 {
		if x == 30 && y == 30 {
			return 100
		}
		return 0
	})
	for _, tt := range []struct {
		cells int
		want  uint8
	}{
		{0, Lethal},
		{1, Inscribed},
		{5, Inscribed}, // 0.25 m; the inscribed radius is 0.28
		{6, uint8(252 * math.Exp(-3*0.02))},
		{10, uint8(252 * math.Exp(-3*0.22))},
		{14, uint8(252 * math.Exp(-3*0.42))}, // 0.70 m, the inflation radius
		{15, Free},
	} {
		for _, c := range []Cell{{30 + tt.cells, 30}, {30, 30 - tt.cells}} {
			if got := m.At(c); got != tt.want {
				t.Errorf("%d cells away, at %v: %d, want %d", tt.cells, c, got, tt.want)
			}
		}
	}
	if got := m.At(Cell{-1, 3}); got != Unknown {
		t.Errorf("off the map: %d, want unknown", got)
	}
}

func TestUnknownSurvivesEveryLayer(t *testing.T) {
	m := flat(t, 80, 40, func(x, y int) int8 {
		switch {
		case x >= 40:
			return -1
		case x == 0:
			return 100
		}
		return 0
	})
	robot := geom.Pose2{X: 1, Y: 1}
	if err := m.AddScan(epoch, fan(robot, 360, math.Inf(1))); err != nil {
		t.Fatal(err)
	}
	m.SetPeople([]Person{{geom.Vec2{X: 2.1, Y: 1}, geom.Vec2{X: 1}}})
	if err := m.SetKeepOut(make([]bool, 80*40)); err != nil {
		t.Fatal(err)
	}
	m.ClearMarks()
	for i, c := range m.Costs() {
		if at := m.CellAt(i); at.X >= 40 && c != Unknown {
			t.Fatalf("%v was unknown and costs %d", at, c)
		}
	}
	// An obstacle in the unknown is one, with the zone where the robot would touch it.
	s := fan(robot, 360, math.Inf(1))
	s.Ranges[beam(s, 0)] = 1.52
	if err := m.AddScan(epoch, s); err != nil {
		t.Fatal(err)
	}
	if got := []uint8{m.At(Cell{50, 20}), m.At(Cell{54, 20}), m.At(Cell{57, 20})}; !slices.Equal(got, []uint8{Lethal, Inscribed, Unknown}) {
		t.Errorf("an obstacle in the unknown, 4 and 7 cells beside it: %v", got)
	}
	check(t, m)
}

func TestReturnsMarkAndSilenceClears(t *testing.T) {
	m := flat(t, 200, 200, nil)
	robot := geom.Pose2{X: 5, Y: 5, Theta: 0.3}
	person := m.Cell(robot.Apply(geom.Vec2{X: 2}))
	seen := fan(robot, 360, math.Inf(1))
	seen.Ranges[beam(seen, 0)] = 2
	for _, tt := range []struct {
		name    string
		reading float32
		cleared bool
	}{
		{"no return", float32(math.Inf(1)), true},
		{"beyond range_max", 9, true},
		{"a wall behind", 3, true},
		{"the same", 2, false},
		{"one cell farther", 2.06, false},
		{"something before it", 1, false},
		{"not a number", float32(math.NaN()), false},
		{"zero", 0, false},
		{"negative", -1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m.ClearMarks()
			if err := m.AddScan(epoch, seen); err != nil {
				t.Fatal(err)
			}
			if m.At(person) != Lethal || !m.Solid(person) || m.Marks() != 1 {
				t.Fatalf("the person costs %d, %d marks", m.At(person), m.Marks())
			}
			s := fan(robot, 360, math.Inf(1))
			for i := -2; i <= 2; i++ {
				s.Ranges[beam(s, 0)+i] = tt.reading
			}
			if err := m.AddScan(epoch, s); err != nil {
				t.Fatal(err)
			}
			if got := !m.Solid(person); got != tt.cleared {
				t.Errorf("cleared: %t, want %t", got, tt.cleared)
			}
			check(t, m)
		})
	}
}

func TestBackingAwayClearsNothing(t *testing.T) { // Nav2 #5476
	m := flat(t, 300, 60, nil)
	box := geom.Vec2{X: 12, Y: 1.5}
	for x := 9.0; x > 1; x -= 0.1 {
		robot := geom.Pose2{X: x, Y: 1.5}
		s := fan(robot, 360, math.Inf(1))
		if d := box.X - x; d <= 8 {
			s.Ranges[beam(s, 0)] = float32(d)
		}
		if err := m.AddScan(epoch, s); err != nil {
			t.Fatal(err)
		}
		if !m.Solid(m.Cell(box)) {
			t.Fatalf("the box is gone when the robot is %.1f m away", box.X-x)
		}
	}
}

func TestMarksAreForgotten(t *testing.T) {
	m := flat(t, 200, 200, nil)
	robot := geom.Pose2{X: 5, Y: 5}
	s := fan(robot, 360, math.NaN())
	s.Ranges[beam(s, 0)] = 2
	blind := fan(robot, 360, math.NaN())
	for _, step := range []struct {
		scan *Scan
		at   time.Duration
		want int
	}{{s, 0, 1}, {blind, 29 * time.Second, 1}, {s, 30 * time.Second, 1}, {blind, 59 * time.Second, 1}, {blind, 61 * time.Second, 0}} {
		if err := m.AddScan(epoch.Add(step.at), step.scan); err != nil {
			t.Fatal(err)
		}
		if m.Marks() != step.want {
			t.Fatalf("at %s: %d marks, want %d", step.at, m.Marks(), step.want)
		}
	}
	check(t, m)
}

func TestWallsOfTheMapAreNotMarked(t *testing.T) {
	wall := func(x, _ int) int8 {
		if x == 100 {
			return 100
		}
		return 0
	}
	m := flat(t, 200, 200, wall)
	robot := geom.Pose2{X: 3, Y: 5}
	for _, r := range []float64{2.02, 1.98, 2.07} { // in the wall, and in the cells beside it
		s := fan(robot, 360, math.Inf(1))
		s.Ranges[beam(s, 0)] = float32(r)
		if err := m.AddScan(epoch, s); err != nil {
			t.Fatal(err)
		}
		if m.Marks() != 0 {
			t.Errorf("a return at %g m, where the wall is at 2 m, left %d marks", r, m.Marks())
		}
	}
	// A beam that passes through a wall of the map does not remove the wall.
	if err := m.AddScan(epoch, fan(robot, 360, math.Inf(1))); err != nil {
		t.Fatal(err)
	}
	if !m.Solid(Cell{100, 100}) {
		t.Error("a beam removed a wall of the map")
	}
}

func TestTheRobotIsNoObstacle(t *testing.T) {
	m := flat(t, 200, 200, nil)
	away := geom.Pose2{X: 3, Y: 5}
	s := fan(away, 360, math.NaN())
	s.Ranges[beam(s, 0)] = 2
	if err := m.AddScan(epoch, s); err != nil || m.Marks() != 1 {
		t.Fatalf("%d marks, %v", m.Marks(), err)
	}
	here := geom.Pose2{X: 5, Y: 5, Theta: 1}
	s = fan(here, 360, math.NaN())
	s.Ranges[0] = 0.2 // a leg
	if err := m.AddScan(epoch, s); err != nil || m.Marks() != 0 {
		t.Errorf("%d marks under the robot, %v", m.Marks(), err)
	}
	if m.Collides(here) {
		t.Error("the robot collides with itself")
	}
}

func TestKeepOutAndSpeed(t *testing.T) {
	m := flat(t, 100, 100, nil)
	mask, speed := make([]bool, 100*100), make([]uint8, 100*100)
	for i := range mask {
		mask[i] = i%100 >= 80
		speed[i] = 100
		if i%100 < 20 {
			speed[i] = 40
		}
	}
	if err := errors.Join(m.SetKeepOut(mask), m.SetSpeed(speed)); err != nil {
		t.Fatal(err)
	}
	if m.At(Cell{90, 50}) != Lethal || m.At(Cell{76, 50}) != Inscribed || m.Solid(Cell{90, 50}) {
		t.Errorf("kept out: %d, %d before it, solid %t", m.At(Cell{90, 50}), m.At(Cell{76, 50}), m.Solid(Cell{90, 50}))
	}
	if got := []float64{m.SpeedScale(geom.Vec2{X: 0.5, Y: 1}), m.SpeedScale(geom.Vec2{X: 3, Y: 1}), m.SpeedScale(geom.Vec2{X: -3})}; !slices.Equal(got, []float64{0.4, 1, 1}) {
		t.Errorf("speed scales %v", got)
	}
	if err := errors.Join(m.SetKeepOut(nil), m.SetSpeed(nil)); err != nil || m.At(Cell{90, 50}) != Free || m.SpeedScale(geom.Vec2{X: 0.5}) != 1 {
		t.Errorf("masks taken away: cost %d, %v", m.At(Cell{90, 50}), err)
	}
	if m.SetKeepOut(mask[1:]) == nil || m.SetSpeed(speed[1:]) == nil {
		t.Error("masks of another size are accepted")
	}
}

func TestPeopleCostWhereTheyWalk(t *testing.T) {
	m := flat(t, 200, 100, nil)
	m.SetPeople([]Person{
		{geom.Vec2{X: 2, Y: 2.5}, geom.Vec2{X: 1}},
		{geom.Vec2{X: math.NaN()}, geom.Vec2{}},
		{geom.Vec2{X: 5, Y: 2.5}, geom.Vec2{X: 1e300}},
		{geom.Vec2{X: -50, Y: 2.5}, geom.Vec2{}},
	})
	here, ahead, behind := m.At(m.Cell(geom.Vec2{X: 2, Y: 2.5})), m.At(m.Cell(geom.Vec2{X: 4, Y: 2.5})), m.At(m.Cell(geom.Vec2{X: 1.3, Y: 2.5}))
	if here != 200 || ahead < 100 || ahead >= here || behind != Free {
		t.Errorf("costs %d here, %d ahead, %d behind", here, ahead, behind)
	}
	check(t, m)
	m.SetPeople(nil)
	for i, c := range m.Costs() {
		if c != Free {
			t.Fatalf("%v still costs %d", m.CellAt(i), c)
		}
	}
}

func TestNoGhosts(t *testing.T) { // navigation #388
	r := rand.New(rand.NewPCG(8, 3))
	m := flat(t, 150, 110, func(x, y int) int8 {
		switch {
		case x == 0 || y == 0 || (x == 70 && y > 30):
			return 100
		case x > 130:
			return -1
		}
		return 0
	})
	now := epoch
	for range 60 {
		now = now.Add(time.Second)
		s := fan(geom.Pose2{X: 1 + 4*r.Float64(), Y: 1 + 3*r.Float64(), Theta: 7 * r.Float64()}, 90, math.Inf(1))
		for i := range s.Ranges {
			if r.IntN(3) == 0 {
				s.Ranges[i] = float32(5 * r.Float64())
			}
		}
		if err := m.AddScan(now, s); err != nil {
			t.Fatal(err)
		}
		m.SetPeople([]Person{{geom.Vec2{X: 6 * r.Float64(), Y: 5 * r.Float64()}, geom.Vec2{X: r.Float64(), Y: r.Float64()}}})
		check(t, m)
		marks := 0
		for _, f := range m.flags {
			if f&marked != 0 {
				marks++
			}
			if f&seenNow != 0 {
				t.Fatal("a flag of the last scan is left")
			}
		}
		if marks != m.Marks() {
			t.Fatalf("%d cells are marked, %d listed", marks, m.Marks())
		}
	}
	m.ClearMarks()
	check(t, m)
	if m.Marks() != 0 {
		t.Errorf("%d marks are left", m.Marks())
	}
}

func TestGeometryWithHeading(t *testing.T) { // navigation #166
	g := Geometry{Width: 40, Height: 20, Resolution: 0.1, Origin: geom.Pose2{X: 3, Y: -2, Theta: 3.14}}
	for i := range g.Width * g.Height {
		if c := g.CellAt(i); g.Cell(g.Center(c)) != c || g.Index(c) != i {
			t.Fatalf("%v does not survive", c)
		}
	}
	if c := g.Cell(geom.Vec2{X: math.NaN()}); g.Holds(c) {
		t.Errorf("NaN is on the map, at %v", c)
	}
	m, err := New(Default(), g, make([]int8, 800))
	if err != nil {
		t.Fatal(err)
	}
	robot := g.Origin.Mul(geom.Pose2{X: 1, Y: 1})
	s := fan(robot, 360, math.Inf(1))
	s.Ranges[beam(s, 0)] = 1.05
	if err := m.AddScan(epoch, s); err != nil {
		t.Fatal(err)
	}
	if !m.Solid(Cell{20, 10}) {
		t.Errorf("the return is not where the map's heading puts it: %v", m.marks)
	}
}

func TestCollides(t *testing.T) {
	m := flat(t, 100, 100, func(x, y int) int8 {
		if x == 60 {
			return 100
		}
		return 0
	})
	for _, tt := range []struct {
		pose geom.Pose2
		want bool
	}{
		{geom.Pose2{X: 2.5, Y: 2.5}, false},
		{geom.Pose2{X: 2.7, Y: 2.5}, true},
		{geom.Pose2{X: 2.7, Y: 2.5, Theta: math.Pi / 2}, false}, // the robot is longer than wide
		{geom.Pose2{X: 2.8, Y: 2.5, Theta: math.Pi / 2}, true},
		{geom.Pose2{X: 0.2, Y: 2.5}, true}, // beyond the edge of the map
	} {
		if got := m.Collides(tt.pose); got != tt.want {
			t.Errorf("%v: %t, want %t", tt.pose, got, tt.want)
		}
	}
}

func TestSnapshotStays(t *testing.T) {
	m := flat(t, 100, 100, nil)
	robot := geom.Pose2{X: 1, Y: 2.5}
	s := fan(robot, 360, math.NaN())
	s.Ranges[beam(s, 0)] = 2
	snap := m.Snapshot(nil)
	if err := m.AddScan(epoch, s); err != nil {
		t.Fatal(err)
	}
	at := Cell{60, 50}
	if snap.At(at) != Free || snap.Solid(at) || m.At(at) != Lethal {
		t.Errorf("snapshot %d, map %d", snap.At(at), m.At(at))
	}
	if again := m.Snapshot(snap); again != snap || snap.At(at) != Lethal || !snap.Solid(at) || snap.Geometry != m.Geometry || !snap.Collides(geom.Pose2{X: 3, Y: 2.5}) {
		t.Error("the second snapshot is not of the map as it is, in the memory of the first")
	}
}

func TestClearance(t *testing.T) {
	m := flat(t, 100, 100, func(x, _ int) int8 {
		if x == 60 {
			return 100
		}
		return 0
	})
	for _, tt := range []struct{ x, want float64 }{{2.525, 0.5}, {3.025, 0}, {1, 1.5}, {3.525, 0.5}, {90, 1.5}} {
		if got := m.Clearance(geom.Vec2{X: tt.x, Y: 2.525}, 1.5); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("at %g m: %g, want %g", tt.x, got, tt.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	m := flat(t, 50, 50, nil)
	nan := math.NaN()
	for name, change := range map[string]func(*Scan){
		"no beams":       func(s *Scan) { s.Ranges = nil },
		"too many beams": func(s *Scan) { s.Ranges = make([]float32, 40_000) },
		"pose":           func(s *Scan) { s.Pose.X = nan },
		"robot":          func(s *Scan) { s.Robot.Theta = nan },
		"angle":          func(s *Scan) { s.AngleMin = nan },
		"no increment":   func(s *Scan) { s.AngleIncrement = 0 },
		"more than once": func(s *Scan) { s.AngleIncrement *= 2 },
		"ranges":         func(s *Scan) { s.RangeMin = 9 },
	} {
		s := fan(geom.Pose2{X: 1, Y: 1}, 360, 1)
		change(s)
		if err := m.AddScan(epoch, s); !errors.Is(err, ErrScan) || m.Marks() != 0 {
			t.Errorf("%s: error %v, %d marks", name, err, m.Marks())
		}
	}
	for want, change := range map[string]func(*Config, *Geometry, *[]int8){
		"at least 0.488 m":     func(c *Config, _ *Geometry, _ *[]int8) { c.InflationRadius = 0.3 },
		"footprint":            func(c *Config, _ *Geometry, _ *[]int8) { c.Footprint = c.Footprint[:2] },
		"does not hold":        func(c *Config, _ *Geometry, _ *[]int8) { c.Footprint = geom.Polygon{{X: 1}, {X: 2}, {X: 1, Y: 1}} },
		"the decay is -1":      func(c *Config, _ *Geometry, _ *[]int8) { c.Decay = -1 },
		"the person cost":      func(c *Config, _ *Geometry, _ *[]int8) { c.PersonCost = 254 },
		"0 × 5 cells":          func(_ *Config, g *Geometry, _ *[]int8) { g.Width, g.Height = 0, 5 },
		"cells of 0 m":         func(_ *Config, g *Geometry, _ *[]int8) { g.Resolution = 0 },
		"is not finite":        func(_ *Config, g *Geometry, _ *[]int8) { g.Origin.X = nan },
		"24 values for 5 × 5 ": func(_ *Config, _ *Geometry, o *[]int8) { *o = (*o)[1:] },
	} {
		cfg, g, o := Default(), Geometry{Width: 5, Height: 5, Resolution: 0.1}, make([]int8, 25)
		change(&cfg, &g, &o)
		if _, err := New(cfg, g, o); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}

// BenchmarkAddScan walks through a room of 20 m with people, whom the map does not know.
func BenchmarkAddScan(b *testing.B) {
	m := flat(b, 400, 400, func(x, y int) int8 {
		if x == 0 || y == 0 || x == 399 || y == 399 {
			return 100
		}
		return 0
	})
	r := rand.New(rand.NewPCG(8, 4))
	scans := make([]*Scan, 64)
	for k := range scans {
		robot := geom.Pose2{X: 6 + 0.1*float64(k), Y: 10, Theta: 0.02 * float64(k)}
		s := fan(robot, 360, math.Inf(1))
		for person := range 12 {
			at := float64(person)*math.Pi/6 + 0.05*float64(k)
			for i := range 14 {
				s.Ranges[(beam(s, geom.NormalizeAngle(at))+i)%360] = float32(1.5 + 0.25*float64(person) + 0.02*r.NormFloat64())
			}
		}
		scans[k] = s
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if err := m.AddScan(epoch, scans[n%len(scans)]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
	b.ReportMetric(1, "ms:max")
}

func BenchmarkNew(b *testing.B) {
	occupancy := make([]int8, 1000*1000)
	for i := range occupancy {
		if x, y := i%1000, i/1000; x%100 == 0 && y%100 > 20 || y%100 == 0 && x%100 > 20 {
			occupancy[i] = 100
		}
	}
	for b.Loop() {
		if _, err := New(Default(), Geometry{Width: 1000, Height: 1000, Resolution: res}, occupancy); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
}
