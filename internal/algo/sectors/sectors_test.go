package sectors

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"sarathi/internal/geom"
)

const turn = 2 * math.Pi

func testConfig() Config {
	return Config{
		ZMin: -0.25, ZMax: 1.2,
		Self:     geom.Rect{Min: geom.Vec2{X: -0.4, Y: -0.28}, Max: geom.Vec2{X: 0.4, Y: 0.28}},
		RangeMin: 0.2, RangeMax: 8, MaxGap: 5 * math.Pi / 180,
	}
}

func layout(t testing.TB, n int, fov float64) *Layout {
	t.Helper()
	l, err := NewLayout(n, fov)
	if err != nil {
		t.Fatal(err)
	}
	return &l
}

// fullScan is a scan all around with n beams of length r.
func fullScan(n int, r float64, mount geom.Transform) Scan {
	s := Scan{AngleMin: -math.Pi, AngleIncrement: turn / float64(n), RangeMin: 0.1, RangeMax: 12, Mount: mount, Ranges: make([]float32, n)}
	for i := range s.Ranges {
		s.Ranges[i] = float32(r)
	}
	return s
}

func ranges(t testing.TB, v *View, s Scan, l *Layout) []float32 {
	t.Helper()
	v.Begin()
	if err := v.AddScan(s); err != nil {
		t.Fatal(err)
	}
	return v.Append(nil, l)
}

func at(l *Layout, degrees float64) int {
	return int((degrees*math.Pi/180 - l.AngleMin) / l.Increment)
}

func isNaN(f float32) bool { return f != f }

func TestWhatAReadingMeans(t *testing.T) {
	l := layout(t, 120, turn)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tests := []struct {
		name string
		beam float32
		want float32 // NaN: not seen
	}{
		{"no return", inf, 8},
		{"beyond the device", 12.5, 8},
		{"beyond the configuration", 9, 8},
		{"obstacle", 3, 3},
		{"too near to measure", -inf, 0.5},
		{"nearer than the device is sure of", 0.45, 0.45},
		{"no reading", nan, nan},
		{"zero", 0, nan},
		{"negative", -3, nan},
		{"on the robot", 0.3, nan},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fullScan(360, 5, geom.IdentityTransform())
			s.RangeMin = 0.5
			for i := 180 - 8; i <= 180+8; i++ { // more than two gaps around straight ahead
				s.Ranges[i] = tt.beam
			}
			got := ranges(t, New(testConfig()), s, l)[at(l, 1)]
			if isNaN(tt.want) != isNaN(got) || math.Abs(float64(got-tt.want)) > 0.01 {
				t.Errorf("got %g, want %g", got, tt.want)
			}
			if left := ranges(t, New(testConfig()), s, l)[at(l, 90)]; math.Abs(float64(left-5)) > 0.01 {
				t.Errorf("to the left: got %g, want 5", left)
			}
		})
	}
}

func TestGaps(t *testing.T) {
	l := layout(t, 120, turn)
	for missing := range 12 {
		s := fullScan(360, 5, geom.IdentityTransform())
		for i := range missing {
			s.Ranges[180+i] = float32(math.NaN())
		}
		blind := 0
		for _, r := range ranges(t, New(testConfig()), s, l) {
			if isNaN(r) {
				blind++
			}
		}
		// Four missing beams leave a gap of 5° between those beside them, which is allowed.
		if wide := missing > 4; (blind > 0) != wide {
			t.Errorf("%d beams missing: %d sectors of 3 degrees are not seen", missing, blind)
		}
	}
	s := fullScan(360, 5, geom.IdentityTransform())
	for i := range s.Ranges {
		s.Ranges[i] = float32(math.NaN())
	}
	for i, r := range ranges(t, New(testConfig()), s, l) {
		if !isNaN(r) {
			t.Fatalf("a scan without a reading: sector %d is %g", i, r)
		}
	}
	s.Ranges[180] = 5 // one beam alone speaks for 5 degrees
	seen := 0
	for _, r := range ranges(t, New(testConfig()), s, l) {
		if !isNaN(r) {
			seen++
		}
	}
	if seen > 2 {
		t.Errorf("one beam of 360 makes %d of 120 sectors seen", seen)
	}
}

func TestHalfScan(t *testing.T) {
	s := Scan{AngleMin: -math.Pi / 2, AngleIncrement: math.Pi / 180, RangeMin: 0.1, RangeMax: 12, Mount: geom.IdentityTransform(), Ranges: make([]float32, 181)}
	for i := range s.Ranges {
		s.Ranges[i] = float32(math.Inf(1))
	}
	v := New(testConfig())
	for i, r := range ranges(t, v, s, layout(t, 32, math.Pi)) {
		if r != 8 {
			t.Errorf("front sector %d is %g, want 8: free", i, r)
		}
	}
	l := layout(t, 120, turn)
	for i, r := range ranges(t, v, s, l) {
		bearing := deg(l.AngleMin + (float64(i)+0.5)*l.Increment)
		if rear := math.Abs(bearing) > 93; rear != isNaN(r) && math.Abs(math.Abs(bearing)-93) > 3 {
			t.Errorf("sector at %g deg is %g", bearing, r)
		}
	}
}

// TestMounts sees the same post from the same place with the sensor mounted in every way.
func TestMounts(t *testing.T) {
	l := layout(t, 120, turn)
	post := geom.Vec2{X: 1.5, Y: 1}
	for _, tt := range []struct {
		name  string
		mount geom.Transform
		flip  bool
	}{
		{"centred", geom.IdentityTransform(), false},
		{"ahead", geom.Pose2{X: 0.3, Y: 0.1}.Transform(), false},
		{"turned", geom.Pose2{X: -0.3, Theta: 2}.Transform(), false},
		{"upside down", geom.Transform{T: geom.Vec3{X: 0.2}, R: geom.FromRPY(math.Pi, 0, 0.5)}, false},
		{"clockwise device", geom.Pose2{X: 0.3}.Transform(), true},
		{"clockwise device upside down", geom.Transform{T: geom.Vec3{X: 0.2}, R: geom.FromRPY(math.Pi, 0, 0.5)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fullScan(720, 6, tt.mount)
			if tt.flip {
				s.AngleMin, s.AngleIncrement = -s.AngleMin, -s.AngleIncrement
			}
			inSensor := tt.mount.Inverse().Apply(geom.Vec3{X: post.X, Y: post.Y, Z: tt.mount.T.Z}).XY()
			i := int(math.Round((inSensor.Angle() - s.AngleMin) / s.AngleIncrement))
			s.Ranges[(i+len(s.Ranges))%len(s.Ranges)] = float32(inSensor.Norm())
			got := ranges(t, New(testConfig()), s, l)
			nearest := 0
			for i := range got {
				if got[i] < got[nearest] {
					nearest = i
				}
			}
			if want := at(l, deg(post.Angle())); nearest != want || math.Abs(float64(got[nearest])-post.Norm()) > 0.02 {
				t.Errorf("the post is seen in sector %d at %g m, want %d at %g m", nearest, got[nearest], want, post.Norm())
			}
		})
	}
}

// TestFreeIsWhatBeamsPassed draws random scans with a random mount, and checks points that the sectors call free, outside of the
// robot: each must lie in a beam that is longer, or in a gap small enough to be ignored.
func TestFreeIsWhatBeamsPassed(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		cfg := testConfig()
		n := 180 + r.IntN(400)
		s := fullScan(n, 0, geom.Pose2{X: 0.5*r.Float64() - 0.25, Y: 0.4*r.Float64() - 0.2, Theta: turn * r.Float64()}.Transform())
		length := 1 + 5*r.Float64()
		for i := range s.Ranges {
			if r.IntN(12) == 0 {
				length = 0.6 + 10*r.Float64()
			}
			s.Ranges[i] = float32(length + 0.05*r.Float64())
		}
		for range r.IntN(4) { // shadows
			from, width := r.IntN(n), r.IntN(n/4)
			for i := range width {
				s.Ranges[(from+i)%n] = float32(math.NaN())
			}
		}
		v := New(cfg)
		l := layout(t, 120, turn)
		got := ranges(t, v, s, l)
		for range 2000 {
			bearing, distance := turn*r.Float64()-math.Pi, 8*r.Float64()
			p := geom.Vec2{X: distance}.Rotate(bearing)
			sector := min(int((bearing-l.AngleMin)/l.Increment), l.Count-1)
			if cfg.Self.Contains(p) || isNaN(got[sector]) || distance >= float64(got[sector]) {
				continue
			}
			if !passed(&s, cfg, p) {
				t.Fatalf("seed %d: %v at %.1f deg, %.3f m is called free up to %.3f m, but no beam passed it", seed, p, deg(bearing), distance, got[sector])
			}
		}
	}
}

// passed reports whether a beam passed p or ended within what a chord of a wedge may differ from its arc, or p lies in a small gap.
func passed(s *Scan, cfg Config, p geom.Vec2) bool {
	const chord = 0.01
	local := s.Mount.Pose2().Inverse().Apply(p)
	index := (geom.NormalizeAngle(local.Angle()) - s.AngleMin) / s.AngleIncrement
	n := len(s.Ranges)
	valid := func(i int) bool {
		r := s.Ranges[(i+n)%n]
		return r > 0 && !cfg.Self.Contains(s.Mount.Pose2().Apply(geom.Vec2{X: float64(r)}.Rotate(s.AngleMin+float64(i)*s.AngleIncrement)))
	}
	at := int(math.Round(index))
	if valid(at) {
		return float64(s.Ranges[(at+n)%n])+chord > local.Norm()
	}
	// In a gap: one of the beams within MaxGap must have gone that far.
	reach := int(cfg.MaxGap/s.AngleIncrement) + 1
	for i := at - reach; i <= at+reach; i++ {
		if valid(i) && float64(s.Ranges[(i+n)%n])+chord > local.Norm() {
			return true
		}
	}
	return false
}

// TestNotTooPessimistic compares with the plain way for a sensor in the centre: the shortest beam that touches a sector.
func TestNotTooPessimistic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := fullScan(360, 0, geom.IdentityTransform())
	for i := range s.Ranges {
		s.Ranges[i] = float32(1 + 6*r.Float64())
	}
	l := layout(t, 120, turn)
	for i, got := range ranges(t, New(testConfig()), s, l) {
		want := math.Inf(1)
		for j := 3*i - 1; j <= 3*i+4; j++ { // the beams of the sector, and those whose half or whole direction reaches into it
			want = min(want, float64(s.Ranges[(j+360)%360]))
		}
		if float64(got) < want-0.01 {
			t.Fatalf("sector %d is %g, although no beam near it is shorter than %g", i, got, want)
		}
	}
}

func TestTiltedScanEndsWhereItLeavesTheBand(t *testing.T) {
	s := fullScan(360, math.Inf(1), geom.Transform{T: geom.Vec3{Z: 0.1}, R: geom.FromRPY(0, 0.1, 0)}) // nose down
	l := layout(t, 120, turn)
	got := ranges(t, New(testConfig()), s, l)
	want := 0.35 / math.Tan(0.1)
	if ahead := got[at(l, 1)]; math.Abs(float64(ahead)-want) > 0.05 {
		t.Errorf("ahead it is free up to %g m, want %g m, where the beam meets the floor", ahead, want)
	}
	if behind := got[at(l, 179)]; behind != 8 {
		t.Errorf("behind it is free up to %g m, want 8 m", behind)
	}
}

func TestScansAreRefused(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Scan)
		want  string
	}{
		{"empty", func(s *Scan) { s.Ranges = nil }, "0 beams"},
		{"two turns", func(s *Scan) { s.AngleIncrement *= 2 }, "at most one turn"},
		{"no increment", func(s *Scan) { s.AngleIncrement = 0 }, "at most one turn"},
		{"NaN", func(s *Scan) { s.AngleMin = math.NaN() }, "at most one turn"},
		{"no range", func(s *Scan) { s.RangeMax = 0 }, "range_min < range_max"},
		{"endless", func(s *Scan) { s.RangeMax = math.Inf(1) }, "range_min < range_max"},
		{"coarse", func(s *Scan) { s.Ranges = s.Ranges[:36]; s.AngleIncrement = turn / 36 }, "10 deg apart and max_gap_deg is 5"},
		{"on its side", func(s *Scan) { s.Mount.R = geom.FromRPY(math.Pi/2, 0, 0) }, "tilted"},
		{"under the floor", func(s *Scan) { s.Mount.T.Z = -0.5 }, "height -0.5 m"},
		{"mount of no number", func(s *Scan) { s.Mount.T.X = math.NaN() }, "mount"},
		{"short-sighted", func(s *Scan) { s.RangeMin, s.RangeMax = 0.05, 0.15 }, "does not reach"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := fullScan(360, 5, geom.IdentityTransform())
			tt.spoil(&s)
			err := New(testConfig()).AddScan(s)
			if !errors.Is(err, ErrScan) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestConfigIsChecked(t *testing.T) {
	err := Config{MaxGap: 2}.Validate()
	for _, key := range []string{"z_min: ", "self: ", "range_min: ", "max_gap: "} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not name %s", err, key)
		}
	}
	if _, err := NewLayout(0, 1); err == nil {
		t.Error("no sectors are accepted")
	}
	if _, err := NewLayout(10, 7); err == nil {
		t.Error("more than a turn is accepted")
	}
}

func TestBinAgreesWithTheArctangent(t *testing.T) {
	v := New(testConfig())
	r := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		a := turn*r.Float64() - math.Pi
		p := geom.Vec2{X: 0.01 + 10*r.Float64()}.Rotate(a)
		want := min(int((math.Atan2(p.Y, p.X)+math.Pi)/binWidth), bins-1)
		if got := v.bin(p); got != want {
			if onEdge := math.Abs(v.edge[max(got, want)].Cross(p)) < 1e-12*p.Norm(); !onEdge {
				t.Fatalf("%v: direction %d, want %d", p, got, want)
			}
		}
	}
	for _, p := range []geom.Vec2{{X: -1}, {X: -1, Y: math.Copysign(0, -1)}, {X: 1}, {Y: 1}, {Y: -1}, {X: -1e-300, Y: 1e-300}} {
		if k := v.bin(p); k < 0 || k >= bins {
			t.Errorf("%v: direction %d", p, k)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add(-3.14, 0.0175, 0.1, 12.0, 0.2, 0.0, 0.1, 0.0, 0.0, 0.0, []byte{1, 2, 3, 255, 254, 253, 0, 9})
	f.Add(3.14, -0.03, 0.0, 8.0, 0.0, 0.9, 0.1, 3.14, 0.1, 1.0, make([]byte, 200))
	f.Fuzz(func(t *testing.T, angle, step, lo, hi, x, y, z, roll, pitch, yaw float64, beams []byte) {
		s := Scan{AngleMin: angle, AngleIncrement: step, RangeMin: lo, RangeMax: hi}
		s.Mount = geom.Transform{T: geom.Vec3{X: x, Y: y, Z: z}, R: geom.FromRPY(roll, pitch, yaw)}
		for _, b := range beams {
			r := float32(b) / 20
			switch b {
			case 255:
				r = float32(math.Inf(1))
			case 254:
				r = float32(math.NaN())
			case 253:
				r = float32(math.Inf(-1))
			}
			s.Ranges = append(s.Ranges, r)
		}
		v := New(testConfig())
		if v.AddScan(s) != nil {
			return
		}
		for i, r := range v.Append(nil, layout(t, 120, turn)) {
			if !isNaN(r) && !(r >= 0.199 && r <= 8.001) {
				t.Fatalf("sector %d is %g", i, r)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	s := fullScan(360, 0, geom.Transform{T: geom.Vec3{X: 0.2, Z: 0.15}, R: geom.IdentityQuat()})
	length := 3.0
	for i := range s.Ranges {
		if r.IntN(8) == 0 {
			length = 1 + 8*r.Float64()
		}
		s.Ranges[i] = float32(length + 0.02*r.NormFloat64())
	}
	v, front, around := New(testConfig()), layout(b, 32, math.Pi), layout(b, 120, turn)
	var out []float32
	b.ReportAllocs()
	for b.Loop() {
		v.Begin()
		if err := v.AddScan(s); err != nil {
			b.Fatal(err)
		}
		out = v.Append(v.Append(out[:0], front), around)
	}
}
