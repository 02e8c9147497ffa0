package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

func TestDriveLimits(t *testing.T) {
	for _, kind := range []Drive{Diff, Omni, Holonomic} {
		spec := plain(geom.Pose2{})
		spec.Drive, spec.Lag = kind, 60*time.Millisecond
		spec.MaxSpeed = geom.Velocity{VX: 1, VY: 0.5, WZ: 2}
		spec.Accel = geom.Velocity{VX: 1, VY: 0.8, WZ: 3}
		spec.Decel = geom.Velocity{VX: 2, VY: 1.6, WZ: 5}
		p := play(t, scenes.Default(), 1)
		r := p.add(spec)
		orders := rand.New(rand.NewPCG(4, 5))
		last := geom.Velocity{}
		for i := range 20_000 {
			if i%50 == 0 {
				r.Command(geom.Velocity{VX: 4*orders.Float64() - 2, VY: 4*orders.Float64() - 2, WZ: 8*orders.Float64() - 4})
			}
			p.run(Tick)
			v := r.Truth().Velocity
			const slack = 1e-3 // the last thousandth is done in one tick
			if math.Abs(v.VX) > 1 || math.Abs(v.VY) > 1 || math.Abs(v.WZ) > 2 {
				t.Fatalf("%s: velocity %v is beyond the limits", kind, v)
			}
			switch {
			case kind == Diff && v.VY != 0:
				t.Fatalf("diff moves sideways: %v", v)
			case kind == Omni && v.Speed() > 1+slack:
				t.Fatalf("omni is faster than its wheels: %v", v)
			case kind == Holonomic && math.Abs(v.VY) > 0.5:
				t.Fatalf("holonomic: %v is beyond the sideways limit", v)
			}
			limit := 1.0
			if math.Abs(v.VX) < math.Abs(last.VX) {
				limit = 2
			}
			if a := math.Abs(v.VX - last.VX); a > limit*tickSeconds+slack {
				t.Fatalf("%s: vx changes by %g in a tick, from %g to %g", kind, a, last.VX, v.VX)
			}
			last = v
		}
	}
}

func TestLatencyAndLag(t *testing.T) {
	spec := plain(geom.Pose2{})
	spec.Latency, spec.Lag = 100*time.Millisecond, 200*time.Millisecond
	p := play(t, scenes.Default(), 1)
	r := p.add(spec)
	r.Command(geom.Velocity{VX: 1})
	p.run(95 * time.Millisecond)
	if v := r.Truth().Velocity; !v.IsZero() {
		t.Errorf("after 95 ms of a latency of 100 ms the body moves: %v", v)
	}
	p.run(200 * time.Millisecond)
	near(t, "speed one time constant after the latency", r.Truth().Velocity.VX, 1-1/math.E, 0.02)
	p.run(2 * time.Second)
	near(t, "speed in the end", r.Truth().Velocity.VX, 1, 0)
}

func TestCommandThatIsNotFiniteStops(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		p := play(t, scenes.Default(), 1)
		r := p.add(plain(geom.Pose2{}))
		r.Command(geom.Velocity{VX: 1})
		p.run(time.Second)
		r.Command(geom.Velocity{VX: 1, WZ: bad})
		p.run(time.Second)
		if v := r.Truth().Velocity; !v.IsZero() {
			t.Errorf("after a command with %g the body moves: %v", bad, v)
		}
	}
}

func TestArcIsExact(t *testing.T) {
	p := play(t, scenes.Default(), 1)
	r := p.add(plain(geom.Pose2{}))
	r.Command(geom.Velocity{VX: 0.5, WZ: 0.5})
	p.run(time.Second) // reach the speed
	from := r.Truth()
	p.run(3 * time.Second)
	want := from.Pose.Mul(geom.Velocity{VX: 0.5, WZ: 0.5}.Integrate(3))
	got := r.Truth().Pose
	if got.Position().Distance(want.Position()) > 1e-9 || math.Abs(geom.AngleDiff(got.Theta, want.Theta)) > 1e-9 {
		t.Errorf("the body is at %v, want %v", got, want)
	}
	near(t, "distance", r.Truth().Distance-from.Distance, 1.5, 1e-3)
	near(t, "centripetal acceleration", r.Truth().Acceleration.Y, 0.25, 1e-9)
	near(t, "longitudinal acceleration", r.Truth().Acceleration.X, 0, 1e-9)
	r.Command(geom.Velocity{VY: 0.6, WZ: 0.5})
	p.run(time.Second)
	near(t, "centripetal acceleration of a sideways arc", r.Truth().Acceleration.X, -0.3, 1e-9)
}

func TestStopsAtWallAndSaysSo(t *testing.T) {
	s := scenes.Default()
	s.Walls = []scenes.Wall{{Name: "north", Points: [][2]float64{{3, -5}, {3, 5}}, Height: 2}}
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{}))
	r.Command(geom.Velocity{VX: 2})
	p.run(10 * time.Second)
	near(t, "x of the nose", r.Truth().Pose.X+0.3, 3, 1e-3)
	if nose := r.Truth().Pose.X + 0.3; nose > 3 {
		t.Errorf("the nose is %g m inside the wall", nose-3)
	}
	c := p.Contacts(0)
	if len(c) != 1 || p.Collisions() != 1 {
		t.Fatalf("contacts %v, want one while the body pushes", c)
	}
	want := Contact{
		Seq: 1, At: c[0].At, Robot: "plain", Thing: Thing{KindWall, "north"}, Point: geom.Vec2{X: 3}, Speed: 2, ByRobot: true,
	}
	if c[0] != want {
		t.Errorf("contact %+v, want %+v", c[0], want)
	}
	// It can leave, and a second touch is a second contact.
	r.Command(geom.Velocity{VX: -1})
	p.run(time.Second)
	if x := r.Truth().Pose.X; x > 2 {
		t.Errorf("the body cannot leave the wall: x is %g", x)
	}
	r.Command(geom.Velocity{VX: 1})
	p.run(3 * time.Second)
	if got := p.Contacts(1); len(got) != 1 || got[0].Seq != 2 {
		t.Errorf("contacts after the first: %v, want one", got)
	}
}

func TestThingsAboveTheBodyAreNoObstacle(t *testing.T) {
	s := scenes.Default()
	s.Boxes = []scenes.Box{{Name: "shelf", X: 2, Y: 0, Size: [2]float64{0.4, 2}, Bottom: 1.2, Height: 1.6}}
	s.Circles = []scenes.Circle{{Name: "lamp", X: 3, Y: 0, Radius: 0.4, Bottom: 0.6, Height: 1}}
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{}))
	r.Command(geom.Velocity{VX: 1})
	p.run(6 * time.Second)
	if p.Collisions() != 0 {
		t.Errorf("contacts %v under things higher than the body", p.Contacts(0))
	}
}

// fits checks that the footprint overlaps nothing by more than a millimetre.
func fits(t *testing.T, w *World, r *Robot) {
	t.Helper()
	inner := make(geom.Polygon, len(r.spec.Footprint))
	for i, c := range r.spec.Footprint {
		inner[i] = c.Scale(1 - 1e-3/c.Norm()) // a millimetre in from every corner
	}
	inner = inner.Transform(r.Truth().Pose)
	for i := range w.static.Len() {
		if s := w.static.Wall(i); s.Bottom < r.spec.Height && inner.IntersectsSegment(s.Segment) {
			t.Fatalf("at %v %v is inside the footprint", w.Elapsed(), w.things[s.Owner])
		}
	}
	for _, c := range w.pillars {
		if inner.DistanceToPoint(c.center) < c.radius {
			t.Fatalf("at %v %v is inside the footprint", w.Elapsed(), c.Thing)
		}
	}
	for _, c := range w.people {
		if inner.DistanceToPoint(c.pos) < c.radius {
			t.Fatalf("at %v %v is inside the footprint", w.Elapsed(), c.Thing)
		}
	}
	for _, d := range w.doors {
		if leaf, ok := d.leaf(); ok && inner.IntersectsSegment(leaf) {
			t.Fatalf("at %v %v is inside the footprint", w.Elapsed(), d.Thing)
		}
	}
	for _, o := range w.robots {
		for i := range o.outline {
			if o != r && inner.IntersectsSegment(o.outline.Edge(i)) {
				t.Fatalf("at %v robot %q is inside the footprint", w.Elapsed(), o.spec.Name)
			}
		}
	}
}

// However a body is driven, for however long between two looks, it stays in its room and out of everything.
func TestNothingIsPenetrated(t *testing.T) {
	for seed := range uint64(3) {
		p := play(t, builtin(t, "house"), seed)
		fast := Molly()
		fast.MaxSpeed, fast.Accel = geom.Velocity{VX: 3, VY: 3, WZ: 6}, geom.Velocity{VX: 30, VY: 30, WZ: 60}
		small := Zelpi()
		small.Start = &geom.Pose2{X: 4, Y: 5}
		robots := []*Robot{p.add(fast), p.add(small)}
		orders := rand.New(rand.NewPCG(seed, 9))
		for range 150 {
			for _, r := range robots {
				r.Command(geom.Velocity{VX: 8*orders.Float64() - 4, VY: 8*orders.Float64() - 4, WZ: 12*orders.Float64() - 6})
			}
			p.run(time.Duration(1+orders.IntN(2000)) * time.Millisecond)
			for _, r := range robots {
				fits(t, p.World, r)
				if at := r.Truth().Pose; at.X < 0 || at.X > 12 || at.Y < 0 || at.Y > 10 {
					t.Fatalf("seed %d: %q left the house: %v", seed, r.spec.Name, at)
				}
			}
		}
		if p.Collisions() == 0 {
			t.Errorf("seed %d: nothing was touched; the test tests nothing", seed)
		}
	}
}

func TestNoTunnellingThroughThinWalls(t *testing.T) {
	s := scenes.Default()
	s.Walls = []scenes.Wall{{Name: "room", Points: [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, Closed: true, Height: 1}}
	for _, dt := range []time.Duration{time.Millisecond, 333 * time.Millisecond, 5 * time.Second} {
		p := play(t, s, 1)
		spec := plain(geom.Pose2{})
		spec.MaxSpeed = geom.Velocity{VX: 20, VY: 20, WZ: 40} // far beyond any robot of this size
		spec.Accel = geom.Velocity{VX: 1e4, VY: 1e4, WZ: 1e5}
		r := p.add(spec)
		orders := rand.New(rand.NewPCG(3, uint64(dt)))
		for range 40 {
			r.Command(geom.Velocity{VX: 40*orders.Float64() - 20, VY: 40*orders.Float64() - 20, WZ: 80*orders.Float64() - 40})
			p.run(dt)
			fits(t, p.World, r)
			if at := r.Truth().Pose; math.Abs(at.X) > 1 || math.Abs(at.Y) > 1 {
				t.Fatalf("steps of %v: the body left its room: %v", dt, at)
			}
		}
	}
}

func TestRobotsAreObstaclesToEachOther(t *testing.T) {
	p := play(t, scenes.Default(), 1)
	r := p.add(plain(geom.Pose2{}))
	other := plain(geom.Pose2{X: 2})
	other.Name = "other"
	o := p.add(other)
	r.Command(geom.Velocity{VX: 1})
	p.run(5 * time.Second)
	near(t, "gap", o.Truth().Pose.X-r.Truth().Pose.X, 0.6, 1e-3)
	if c := p.Contacts(0); len(c) != 1 || c[0].Thing != (Thing{KindRobot, "other"}) || c[0].Robot != "plain" {
		t.Errorf("contacts %v", c)
	}
	if !o.Truth().Velocity.IsZero() || o.Truth().Distance != 0 {
		t.Error("the robot that stands was moved")
	}
}

func TestTeleport(t *testing.T) {
	s := builtin(t, "house")
	p := play(t, s, 1)
	r := p.add(Zelpi())
	for name, at := range map[string]geom.Pose2{
		"in a wall":    {X: 1, Y: 4},
		"in a table":   {X: 3, Y: 1.4},
		"on a pillar":  {X: 6, Y: 0.6},
		"on a person":  {X: p.people[0].pos.X, Y: p.people[0].pos.Y},
		"in the bed":   {X: 1.2, Y: 9},
		"on the fence": {X: 0, Y: 5},
	} {
		if err := r.Teleport(at); !errors.Is(err, ErrBlocked) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := r.Teleport(geom.Pose2{X: math.Inf(1)}); err == nil {
		t.Error("the robot went to infinity")
	}
	before, _ := r.Odometry()
	if err := r.Teleport(geom.Pose2{X: 10, Y: 3, Theta: 1}); err != nil {
		t.Fatal(err)
	}
	if after, _ := r.Odometry(); after != before || r.Truth().Pose != (geom.Pose2{X: 10, Y: 3, Theta: 1}) {
		t.Errorf("after teleporting the robot is at %v, odometry at %v", r.Truth().Pose, after)
	}
	if got := r.Outline(); got[0].Distance(r.spec.Footprint.Transform(r.Truth().Pose)[0]) > 1e-12 {
		t.Error("the outline stayed behind")
	}
}

func TestClearance(t *testing.T) {
	s := scenes.Default()
	s.Walls = []scenes.Wall{{Name: "w", Points: [][2]float64{{3, -5}, {3, 5}}, Height: 2}}
	s.Circles = []scenes.Circle{{Name: "c", X: 0, Y: 2, Radius: 0.5, Height: 1}}
	p := play(t, s, 1)
	r := p.add(plain(geom.Pose2{}))
	d, what := r.Clearance()
	near(t, "clearance", d, 1.3, 1e-9)
	if what != (Thing{KindCircle, "c"}) {
		t.Errorf("nearest is %v", what)
	}
	if err := p.AddPerson(walker("p", geom.Vec2{X: -1})); err != nil {
		t.Fatal(err)
	}
	d, what = r.Clearance()
	near(t, "clearance", d, 0.45, 1e-9)
	if what.String() != `person "p"` {
		t.Errorf("nearest is %v", what)
	}
}

// mapRoom is a map of 4 × 3 m with a wall all around, a pillar of one cell, and unknown cells outside.
func mapRoom() *mapfile.Map {
	const w, h = 100, 80
	m := &mapfile.Map{
		Meta:  mapfile.Meta{Image: "room", Resolution: 0.05, Origin: geom.Pose2{X: -0.5, Y: -0.5, Theta: 0.2}},
		Width: w, Height: h, Cells: make([]int8, w*h),
	}
	for i := range m.Cells {
		x, y := i%w, i/w
		switch {
		case x < 9 || y < 9 || x > 90 || y > 70:
			m.Cells[i] = mapfile.Unknown
		case x == 9 || y == 9 || x == 90 || y == 70 || x == 30 && y == 40:
			m.Cells[i] = mapfile.Occupied
		}
	}
	return m
}

func TestMapIsAWorld(t *testing.T) {
	grid := mapRoom()
	p := play(t, scenes.FromMap(grid), 1)
	spec := Zelpi()
	r := p.add(spec) // without a start: the most open place
	if d, _ := r.Clearance(); d < 0.8 {
		t.Errorf("the start is %g m from the nearest wall", d)
	}
	inWall := grid.Center(9, 40)
	if err := r.Teleport(geom.Pose2{X: inWall.X, Y: inWall.Y}); !errors.Is(err, ErrBlocked) {
		t.Errorf("teleporting into a wall: %v", err)
	}
	orders := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		r.Command(geom.Velocity{VX: 2*orders.Float64() - 1, WZ: 3*orders.Float64() - 1.5})
		p.run(700 * time.Millisecond)
		fits(t, p.World, r)
		col, row := grid.Cell(r.Truth().Pose.Position())
		if grid.At(col, row) != mapfile.Free {
			t.Fatalf("the robot is in cell (%d, %d), which is not free", col, row)
		}
	}
	if c := p.Contacts(0); len(c) == 0 || c[0].Thing != (Thing{KindMap, "room"}) {
		t.Errorf("contacts %v", c)
	}
}

func TestRealMapIsAWorld(t *testing.T) {
	root := os.Getenv("SARATHI_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(root, "maps", "aws_small_house", "map.yaml")
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no map: %v; set SARATHI_DATA", err)
	}
	s, err := scenes.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := play(t, s, 1)
	r := p.add(Molly())
	r.Command(geom.Velocity{VX: 1})
	p.run(time.Minute)
	fits(t, p.World, r)
	if p.Collisions() == 0 {
		t.Error("a minute straight ahead in a house, and nothing was touched")
	}
}
