package raycast

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"sarathi/internal/algo/mapfile"
	"sarathi/internal/geom"
)

func TestSweepAgainstCasts(t *testing.T) {
	r := rng(20)
	for range 150 {
		walls := clutter(r, 1+r.IntN(80))
		f := New(walls)
		n := 1 + r.IntN(400)
		if r.IntN(4) == 0 {
			n = 1 + r.IntN(8) // more walls than it pays to show one by one
		}
		start := uniform(r, 2*math.Pi)
		step := r.Float64() * 2 * math.Pi / float64(n) // up to a full turn
		if r.IntN(2) == 0 {
			step = -step
		}
		s := NewSweep(start, step, n)
		for range 10 {
			pose := geom.Pose2{X: uniform(r, 11), Y: uniform(r, 11), Theta: uniform(r, 4)}
			switch r.IntN(8) {
			case 0: // on a wall
				pose.X, pose.Y = walls[0].A.Lerp(walls[0].B, 0.4).X, walls[0].A.Lerp(walls[0].B, 0.4).Y
			case 1: // in line with a wall
				p := walls[0].A.Lerp(walls[0].B, -0.4)
				pose.X, pose.Y = p.X, p.Y
			}
			z, limit := r.Float64()*2, 1+r.Float64()*15
			disc, radius := geom.Vec2{X: uniform(r, 10), Y: uniform(r, 10)}, r.Float64()
			extra := clutter(r, 1)[0]
			s.Begin(pose, z, limit)
			s.Field(f)
			s.Disc(disc, radius)
			s.Wall(extra)
			for i, got := range s.Ranges() {
				d := s.dirs[i]
				want, _ := f.Cast(pose.Position(), d, z, limit)
				if c, ok := Circle(pose.Position(), d, disc, radius); ok {
					want = min(want, c)
				}
				if z >= extra.Bottom && z < extra.Top {
					c, _ := New([]Wall{extra}).Cast(pose.Position(), d, z, limit)
					want = min(want, c)
				}
				if got != want {
					t.Fatalf("beam %d of %d from %v, fan %g by %g: %.15g, a cast gives %.15g", i, n, pose, start, step, got, want)
				}
				if e := unit(pose.Theta + start + float64(i)*step); e.Distance(d) > 1e-9 {
					t.Fatalf("beam %d points to %v, want %v", i, d, e)
				}
			}
		}
	}
}

func TestAngle(t *testing.T) {
	r := rng(21)
	for range 100_000 {
		x, y := r.NormFloat64(), r.NormFloat64()
		if got, want := angle(x, y), math.Atan2(y, x); math.Abs(got-want) > 1.2e-5 {
			t.Fatalf("angle of (%g, %g) is %g, want %g", x, y, got, want)
		}
	}
	for _, v := range [][2]float64{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		if got, want := angle(v[0], v[1]), math.Atan2(v[1], v[0]); math.Abs(got-want) > 1.2e-5 {
			t.Errorf("angle of %v is %g, want %g", v, got, want)
		}
	}
}

func TestSweepDoesNotAllocate(t *testing.T) {
	f, s := New(clutter(rng(22), 50)), NewSweep(-math.Pi, math.Pi/180, 360)
	n := testing.AllocsPerRun(20, func() {
		s.Begin(geom.Pose2{X: 1}, 0.5, 10)
		s.Field(f)
		s.Disc(geom.Vec2{X: 2}, 0.3)
		f.Cast(geom.Vec2{}, geom.Vec2{X: 1}, 0.5, 10)
	})
	if n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// mapAt is a real map and a free place in it.
type mapAt struct {
	file string
	at   geom.Vec2
}

func realMaps() []mapAt {
	return []mapAt{
		{"aws_small_house/map.yaml", geom.Vec2{}},
		{"turtlebot3_world/map.yaml", geom.Vec2{X: -1, Y: -0.5}},
		{"nav2_bringup/depot.yaml", geom.Vec2{X: 8, Y: 8}},
		{"nav2_bringup/warehouse.yaml", geom.Vec2{X: 2, Y: 2}},
		{"f1tenth_columbia/columbia.yaml", geom.Vec2{X: 5, Y: 5}},
		{"willow_garage/willow-2010-02-18-0.10.yaml", geom.Vec2{X: 25, Y: 25}},
		{"mit_stata_basement/stata_basement.yaml", geom.Vec2{}},
	}
}

// benchFields runs body on a cluttered square and on real maps, where these are present.
func benchFields(b *testing.B, body func(b *testing.B, f *Field, at geom.Vec2)) {
	b.Run("80_walls", func(b *testing.B) { body(b, New(clutter(rng(8), 80)), geom.Vec2{}) })
	root := os.Getenv("SARATHI_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	for _, c := range realMaps() {
		b.Run(filepath.Base(c.file), func(b *testing.B) {
			m, err := mapfile.Load(filepath.Join(root, "maps", c.file))
			if err != nil {
				b.Skip(err)
			}
			f := New(Outline(m, 2, 0))
			body(b, f, c.at)
			b.ReportMetric(float64(f.Len()), "walls")
		})
	}
}

// BenchmarkScan is one scan of 360 beams up to 12 m.
func BenchmarkScan(b *testing.B) {
	benchFields(b, func(b *testing.B, f *Field, at geom.Vec2) {
		s := NewSweep(-math.Pi, math.Pi/180, 360)
		for b.Loop() {
			s.Begin(geom.Pose2{X: at.X, Y: at.Y}, 0.4, 12)
			s.Field(f)
		}
	})
}

// BenchmarkCast360 is the same beam by beam.
func BenchmarkCast360(b *testing.B) {
	benchFields(b, func(b *testing.B, f *Field, at geom.Vec2) {
		s := NewSweep(-math.Pi, math.Pi/180, 360)
		for b.Loop() {
			for _, d := range s.local {
				f.Cast(at, d, 0.4, 12)
			}
		}
	})
}
