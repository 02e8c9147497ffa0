package planner

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/geom"
)

const res = 0.05

// room makes a costmap of a drawing in which one letter is 0.25 m: '#' is a wall, '?' unknown. The first row is the top.
func room(tb testing.TB, rows ...string) *costmap.Map {
	tb.Helper()
	const scale = 5
	w, h := len(rows[0])*scale, len(rows)*scale
	occupancy := make([]int8, w*h)
	for i := range occupancy {
		switch rows[len(rows)-1-i/w/scale][i%w/scale] {
		case '#':
			occupancy[i] = 100
		case '?':
			occupancy[i] = -1
		}
	}
	m, err := costmap.New(costmap.Default(), costmap.Geometry{Width: w, Height: h, Resolution: res}, occupancy)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// open is a room of 10 × 6 m with a wall across and a door in it.
func open(tb testing.TB) *costmap.Map {
	tb.Helper()
	var rows []string
	for y := range 24 {
		row := "#" + strings.Repeat(".", 18) + "." + strings.Repeat(".", 19) + "#"
		switch {
		case y == 0 || y == 23:
			row = strings.Repeat("#", 39)
		case y < 14 || y > 19:
			row = "#" + strings.Repeat(".", 18) + "#" + strings.Repeat(".", 18) + "#"
		default:
			row = row[:38] + "#"
		}
		rows = append(rows, row)
	}
	return room(tb, rows...)
}

func planner(tb testing.TB, change func(*Config)) *Planner {
	tb.Helper()
	cfg := Default()
	if change != nil {
		change(&cfg)
	}
	p, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// checkPath fails unless a path leads from start to goal without touching anything, in even steps, heading where it goes.
func checkPath(t *testing.T, m *costmap.Map, path Path, from, to geom.Pose2) {
	t.Helper()
	poses := path.Poses
	first, last := poses[0], poses[len(poses)-1]
	if first.Position() != from.Position() || last.Position().Distance(to.Position()) > path.Short+1e-9 || math.Abs(geom.AngleDiff(last.Theta, to.Theta)) > 1e-9 {
		t.Errorf("the path leads from %v to %v", first, last)
	}
	length := 0.0
	for i, p := range poses {
		if c := m.At(m.Cell(p.Position())); c >= costmap.Inscribed {
			t.Fatalf("point %d of %d, %v, costs %d", i, len(poses), p, c)
		}
		if i == 0 {
			continue
		}
		d := p.Position().Distance(poses[i-1].Position())
		length += d
		if d < 0.03 || d > 0.15 {
			t.Errorf("points %d and %d are %.3f m apart", i-1, i, d)
		}
		if i+1 < len(poses) && math.Abs(geom.AngleDiff(p.Theta, poses[i-1].Theta)) > 0.6 {
			t.Errorf("the path turns by %.2f rad at point %d", geom.AngleDiff(p.Theta, poses[i-1].Theta), i)
		}
	}
	if math.Abs(length-path.Length) > 1e-9 {
		t.Errorf("length %g, summed %g", path.Length, length)
	}
}

func TestThroughADoor(t *testing.T) {
	m := open(t)
	from, to := geom.Pose2{X: 1.3, Y: 4.9, Theta: 1}, geom.Pose2{X: 8.2, Y: 4.6, Theta: -2}
	path, err := planner(t, nil).Plan(m, from, to)
	if err != nil {
		t.Fatal(err)
	}
	checkPath(t, m, path, from, to)
	if path.Length > 10.5 || path.Length < 9 || path.Short != 0 {
		t.Errorf("the way is %.2f m long and ends %.2f m short", path.Length, path.Short)
	}
	for _, p := range path.Poses { // 0.45 m from the nearest wall
		if c := m.At(m.Cell(p.Position())); c > 150 {
			t.Errorf("the way passes %v, which costs %d", p, c)
		}
	}
}

func TestAnyAngle(t *testing.T) {
	m := room(t, strings.Split(strings.Repeat(strings.Repeat(".", 60)+"\n", 30)+strings.Repeat(".", 60), "\n")...)
	from, to := geom.Pose2{X: 1, Y: 1}, geom.Pose2{X: 14, Y: 4.3}
	path, err := planner(t, nil).Plan(m, from, to)
	if err != nil {
		t.Fatal(err)
	}
	checkPath(t, m, path, from, to)
	if straight := from.Position().Distance(to.Position()); path.Length > straight*1.002 {
		t.Errorf("the way across an empty hall is %.3f m long, straight %.3f m", path.Length, straight)
	}
}

func TestReasons(t *testing.T) {
	m := open(t)
	unknown := room(t, "..................", ".......????.......", ".......????.......", ".......????.......", ".......????.......", "..................")
	inside := geom.Pose2{X: 1.5, Y: 4}
	nan := math.NaN()
	for _, tt := range []struct {
		name     string
		m        *costmap.Map
		from, to geom.Pose2
		want     error
	}{
		{"goal off the map", m, inside, geom.Pose2{X: 30, Y: 2}, ErrGoalOutside},
		{"goal NaN", m, inside, geom.Pose2{X: nan, Y: 2}, ErrGoalOutside},
		{"heading NaN", m, inside, geom.Pose2{X: 2, Y: 2, Theta: nan}, ErrGoalOutside},
		{"start off the map", m, geom.Pose2{X: -1}, inside, ErrStartOutside},
		{"start NaN", m, geom.Pose2{X: 2, Y: nan}, inside, ErrStartOutside},
		{"goal in a wall", m, inside, geom.Pose2{X: 4.75, Y: 5}, ErrGoalOccupied},
		{"goal unknown", unknown, geom.Pose2{X: 0.3, Y: 0.6}, geom.Pose2{X: 2.25, Y: 0.75}, ErrGoalUnknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, err := planner(t, nil).Plan(tt.m, tt.from, tt.to)
			if !errors.Is(err, tt.want) || len(path.Poses) != 0 {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := planner(t, func(c *Config) { c.Budget = 5 }).Plan(m, inside, geom.Pose2{X: 8, Y: 4}); !errors.Is(err, ErrTooLong) {
		t.Errorf("with a budget of 5 cells: %v", err)
	}
}

func TestNeverThroughAWall(t *testing.T) { // navigation2 #1999
	m := room(t,
		"####################",
		"#........##........#",
		"#........##........#",
		"#........##........#",
		"#........##........#",
		"####################")
	_, err := planner(t, nil).Plan(m, geom.Pose2{X: 1, Y: 0.8}, geom.Pose2{X: 4, Y: 0.8})
	if !errors.Is(err, ErrNoPath) {
		t.Errorf("error %v", err)
	}
}

func TestUnknownIsCrossedOnlyWhenAllowed(t *testing.T) {
	m := room(t,
		"####################",
		"#........??........#",
		"#........??........#",
		"#........??........#",
		"#........??........#",
		"#........??........#",
		"#........??........#",
		"####################")
	from, to := geom.Pose2{X: 1, Y: 1}, geom.Pose2{X: 4, Y: 1}
	if _, err := planner(t, nil).Plan(m, from, to); !errors.Is(err, ErrNoPath) {
		t.Errorf("error %v", err)
	}
	path, err := planner(t, func(c *Config) { c.AllowUnknown = true }).Plan(m, from, to)
	if err != nil || path.Length > 3.2 {
		t.Errorf("%.2f m, error %v", path.Length, err)
	}
}

func TestEscape(t *testing.T) { // navigation2 #5685, #6120, #4271, #5139
	m := open(t)
	goal := geom.Pose2{X: 2.4, Y: 3}
	for _, tt := range []struct {
		name string
		from geom.Pose2
		want error
	}{
		{"inside inflation", geom.Pose2{X: 0.4, Y: 3}, nil},
		{"in the wall's first cells", geom.Pose2{X: 0.2, Y: 3}, nil},
		{"beside a wall, on the other side of it", geom.Pose2{X: 4.4, Y: 5}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, err := planner(t, nil).Plan(m, tt.from, goal)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v", err)
			}
			if at, blocked := Blocked(m, path.Poses, 0, 100); blocked {
				t.Errorf("after the way out it touches something again, after %.2f m", at)
			}
		})
	}
	// Deep inside something solid there is no way out.
	solid := room(t, "............", ".##########.", ".##########.", ".##########.", ".##########.", ".##########.", ".##########.", ".##########.", "............")
	if _, err := planner(t, nil).Plan(solid, geom.Pose2{X: 1.5, Y: 1.1}, geom.Pose2{X: 0.1, Y: 1}); err == nil {
		t.Error("out of something solid")
	}

	mask := make([]bool, len(m.Costs()))
	for i := range mask {
		mask[i] = i%m.Width > 20 && i%m.Width < 60 && i/m.Width > 20 && i/m.Width < 60
	}
	if err := m.SetKeepOut(mask); err != nil {
		t.Fatal(err)
	}
	inside := geom.Pose2{X: 2, Y: 2}
	if _, err := planner(t, func(c *Config) { c.EscapeDistance = 0.9 }).Plan(m, inside, geom.Pose2{X: 1, Y: 5}); !errors.Is(err, ErrStartOccupied) {
		t.Errorf("the way out of a zone is longer than allowed: %v", err)
	}
	if _, err := planner(t, nil).Plan(m, inside, geom.Pose2{X: 1, Y: 5}); err != nil {
		t.Errorf("out of a zone that is kept out: %v", err)
	}
	if _, err := planner(t, nil).Plan(m, geom.Pose2{X: 1, Y: 5}, inside); !errors.Is(err, ErrGoalOccupied) {
		t.Errorf("into a zone that is kept out: %v", err)
	}
}

func TestGoalTolerance(t *testing.T) {
	m := open(t)
	to := geom.Pose2{X: 0.4, Y: 3, Theta: 2}
	path, err := planner(t, nil).Plan(m, geom.Pose2{X: 3, Y: 3}, to)
	if err != nil {
		t.Fatal(err)
	}
	checkPath(t, m, path, geom.Pose2{X: 3, Y: 3}, to)
	if path.Short < 0.05 || path.Short > 0.25 {
		t.Errorf("the path ends %.2f m from the goal", path.Short)
	}
	if _, err := planner(t, func(c *Config) { c.GoalTolerance = 0 }).Plan(m, geom.Pose2{X: 3, Y: 3}, to); !errors.Is(err, ErrGoalOccupied) {
		t.Errorf("without tolerance: %v", err)
	}
}

func TestGoalWhereTheRobotIs(t *testing.T) { // navigation2 #4281
	m := open(t)
	from, to := geom.Pose2{X: 3, Y: 3}, geom.Pose2{X: 3.01, Y: 3, Theta: 3}
	path, err := planner(t, nil).Plan(m, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if last := path.Poses[len(path.Poses)-1]; last != to || len(path.Poses) != 2 {
		t.Errorf("path %v", path.Poses)
	}
}

func TestRandomRoomsAreCrossedSafely(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	found := 0
	for range 25 {
		rows := make([]string, 32)
		for y := range rows {
			row := []byte(strings.Repeat(".", 44))
			for x := range row {
				if r.IntN(28) == 0 {
					row[x] = '#'
				}
			}
			rows[y] = string(row)
		}
		m := room(t, rows...)
		from, to := geom.Pose2{X: 0.5 + 10*r.Float64(), Y: 0.5 + 7*r.Float64()}, geom.Pose2{X: 0.5 + 10*r.Float64(), Y: 0.5 + 7*r.Float64()}
		if m.At(m.Cell(from.Position())) >= costmap.Inscribed || m.At(m.Cell(to.Position())) >= costmap.Inscribed {
			continue
		}
		path, err := planner(t, nil).Plan(m, from, to)
		if err != nil {
			continue
		}
		found++
		for i := 1; i < len(path.Poses); i++ {
			a, b := path.Poses[i-1].Position(), path.Poses[i].Position()
			for k := range 5 {
				if c := m.At(m.Cell(a.Lerp(b, float64(k)/5))); c >= costmap.Inscribed {
					t.Fatalf("%v to %v touches something between points %d and %d", from, to, i-1, i)
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d paths", found)
	}
}

func TestBlockedAndDeviation(t *testing.T) {
	m := open(t)
	p := planner(t, nil)
	from, to := geom.Pose2{X: 1, Y: 1.8}, geom.Pose2{X: 8, Y: 1.8}
	path, err := p.Plan(m, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, blocked := Blocked(m, path.Poses, 0, 100); blocked {
		t.Error("a new path is blocked")
	}
	// Somebody stands in the way, three metres ahead of the robot.
	s := costmap.Scan{Pose: from, Robot: from, AngleIncrement: 0.01, RangeMin: 0.1, RangeMax: 8, Ranges: []float32{3, 3}}
	if err := m.AddScan(time.Unix(0, 0), &s); err != nil {
		t.Fatal(err)
	}
	at, blocked := Blocked(m, path.Poses, 0, 100)
	if !blocked || math.Abs(at-2.75) > 0.15 {
		t.Errorf("blocked %t after %.2f m, want 2.75 m", blocked, at)
	}
	if _, blocked := Blocked(m, path.Poses, 0, 2); blocked {
		t.Error("blocked within 2 m")
	}
	if _, blocked := Blocked(m, path.Poses, 40, 100); blocked {
		t.Error("blocked behind the robot")
	}
	around, err := p.Plan(m, from, to)
	if err != nil {
		t.Fatal(err)
	}
	if d := Deviation(path.Poses, around.Poses, 100); d < 0.2 || d > 1.5 {
		t.Errorf("the way around is up to %.2f m beside", d)
	}
	if d := Deviation(path.Poses, around.Poses, 1); d > 0.25 {
		t.Errorf("in the first metre it is %.2f m beside", d)
	}
	if d := Deviation(path.Poses, path.Poses[3:], 100); d > 1e-9 {
		t.Errorf("a path deviates from itself by %g m", d)
	}
	if d := Deviation(nil, path.Poses, 100); !math.IsInf(d, 1) {
		t.Errorf("from no path: %g", d)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.GoalTolerance = -1 }, func(c *Config) { c.EscapeDistance = math.NaN() },
		func(c *Config) { c.Spacing = 0 }, func(c *Config) { c.Budget = -1 },
	} {
		cfg := Default()
		change(&cfg)
		if _, err := New(cfg); !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: error %v", cfg, err)
		}
	}
}

// BenchmarkPlan plans across a hall of 50 m with pillars.
func BenchmarkPlan(b *testing.B) {
	rows := make([]string, 200)
	for y := range rows {
		row := []byte(strings.Repeat(".", 200))
		for x := range row {
			if x%8 == 3 && y%8 == 5 {
				row[x] = '#'
			}
		}
		rows[y] = string(row)
	}
	m := room(b, rows...)
	p := planner(b, nil)
	for b.Loop() {
		if _, err := p.Plan(m, geom.Pose2{X: 1, Y: 1}, geom.Pose2{X: 48, Y: 40}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
	b.ReportMetric(50, "ms:max")
}
