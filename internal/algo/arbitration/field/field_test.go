package field

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

func (s *scene) wantState(want State) {
	s.t.Helper()
	if got := s.field.Report().State; got != want {
		s.t.Errorf("at %s: state %v, want %v", s.now.Sub(epoch()), got, want)
	}
}

func (s *scene) wantZero(what string) {
	s.t.Helper()
	if !s.sent.IsZero() {
		s.t.Errorf("at %s, %s: sent %v, want zero", s.now.Sub(epoch()), what, s.sent)
	}
}

func (s *scene) wantMoving(what string) {
	s.t.Helper()
	if s.sent.IsZero() {
		s.t.Errorf("at %s, %s: sent zero in state %v, want motion", s.now.Sub(epoch()), what, s.field.Report().State)
	}
}

// ready is a scene in which the first second after start-up is over.
func ready(t testing.TB, cfg Config, body Body, build func(*scene)) *scene {
	t.Helper()
	s := newScene(t, cfg, body)
	build(s)
	s.run(cfg.ReleaseAfter+2*tick, geom.Velocity{})
	return s
}

func facingWall(at float64) func(*scene) {
	return func(s *scene) { s.wall(geom.Vec2{X: at, Y: -3}, geom.Vec2{X: at, Y: 3}) }
}

func TestStaleStopsAndRecoversLate(t *testing.T) {
	forward := geom.Velocity{VX: 1}
	s := newScene(t, DefaultConfig(), dog())
	s.scanning = false
	s.step(forward)
	s.wantState(Stale)
	s.wantZero("before the first scan")

	s.scanning = true
	seen := s.now
	for s.sent.IsZero() {
		s.step(forward)
		if s.now.Sub(seen) > 3*time.Second {
			t.Fatal("never released")
		}
	}
	if d := s.now.Sub(seen); d < time.Second {
		t.Errorf("drove %s after the first scan, want at least 1s", d)
	}
	s.run(2*time.Second, forward)
	s.wantState(Clear)

	s.scanning = false
	last := s.field.stamp
	for !s.sent.IsZero() {
		s.step(forward)
	}
	if d := s.now.Add(-tick).Sub(last); d > 500*time.Millisecond {
		t.Errorf("zero %s after the last scan, want at most 500ms", d)
	}
	s.wantState(Stale)
	if !s.hardest {
		t.Error("a stale scan must stop past the ramp")
	}
}

func TestBlind(t *testing.T) {
	type v = geom.Velocity
	circle := geom.Polygon{}
	for i := range 16 {
		circle = append(circle, geom.Vec2{X: 0.2}.Rotate(float64(i)*math.Pi/8))
	}
	nan := float32(math.NaN())
	tests := []struct {
		name  string
		arc   float64 // of the scan
		shape geom.Polygon
		spoil func(deg int) bool // sectors that were not observed, by bearing
		want  v
		state State
	}{
		{"all round, forward", 2 * math.Pi, nil, nil, v{VX: 0.5}, Clear},
		{"front half, forward", math.Pi, nil, nil, v{VX: 0.5}, Clear},
		{"front half, backward", math.Pi, nil, nil, v{VX: -0.1}, Blind},
		{"front half, sideways leads out of it", math.Pi, nil, nil, v{VY: 0.2}, Blind},
		{"front half, turning sweeps the rear corners", math.Pi, nil, nil, v{WZ: 0.5}, Blind},
		{"front half, a round robot may turn", math.Pi, circle, nil, v{WZ: 0.5}, Clear},
		{"front half, standing", math.Pi, nil, nil, v{}, Clear},
		{"one degree ahead is missing", 2 * math.Pi, nil, func(d int) bool { return d == 0 }, v{VX: 0.5}, Blind},
		{"one degree ahead is missing, backward", 2 * math.Pi, nil, func(d int) bool { return d == 0 }, v{VX: -0.5}, Clear},
		{"the sides are missing, forward", 2 * math.Pi, nil, func(d int) bool { return d > 60 && d < 120 || d < -60 && d > -120 }, v{VX: 0.5}, Clear},
		{"the rear is missing, in a curve", 2 * math.Pi, nil, func(d int) bool { return d > 150 || d < -150 }, v{VX: 0.5, WZ: 0.5}, Clear},
		{"the inner side is missing in a curve", 2 * math.Pi, nil, func(d int) bool { return d > 30 && d < 80 }, v{VX: 0.5, WZ: 0.7}, Blind},
		{"nothing is seen", 2 * math.Pi, nil, func(int) bool { return true }, v{VX: 0.01}, Blind},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := dog()
			if tt.shape != nil {
				body.Footprint = tt.shape
			}
			s := newScene(t, DefaultConfig(), body)
			s.arc, s.sectors = tt.arc, int(tt.arc*180/math.Pi)
			for range 70 {
				scan := s.scan()
				for i := range scan.Ranges {
					deg := int(math.Floor((scan.AngleMin + (float64(i)+0.5)*scan.AngleIncrement) * 180 / math.Pi))
					if tt.spoil != nil && tt.spoil(deg) {
						scan.Ranges[i] = nan
					}
				}
				if err := s.field.Observe(s.now, scan); err != nil {
					t.Fatal(err)
				}
				s.scanning = false
				s.step(tt.want)
				s.pose = geom.Pose2{}
			}
			s.wantState(tt.state)
			if tt.state == Blind {
				s.wantZero("blind")
			}
		})
	}
}

func TestStopsGentlyInFrontOfAWall(t *testing.T) {
	for _, u := range []geom.Velocity{{VX: 1}, {VX: 0.5}, {VX: 0.15}} {
		s := ready(t, DefaultConfig(), dog(), facingWall(3))
		limited := false
		for range 1000 {
			before := s.sent.VX
			s.step(u)
			limited = limited || s.field.Report().State == Limited
			if s.hardest && before > 0.1 {
				t.Fatalf("%v: hard stop at %g m/s in front of a wall that stood there all the time", u, before)
			}
		}
		s.wantState(Stop)
		if gap := s.nearest; gap < 0.10 || gap > 0.20 {
			t.Errorf("%v: stopped %.3f m from the wall, want margin and clearance, 0.13 m", u, gap)
		}
		if !limited {
			t.Errorf("%v: was never limited", u)
		}
	}
}

// v²/(2a) + v·latency + margin, with the numbers of the safety checklist: 0.6 m/s, 0.3 m/s², 0.2 s: 0.72 m.
func TestStoppingDistance(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Deceleration = 0.3
	s := ready(t, cfg, dog(), func(*scene) {})
	s.run(3*time.Second, geom.Velocity{VX: 0.6})
	stop := 0.6*0.6/(2*0.3) + 0.6*0.2
	for _, tt := range []struct {
		more float64
		want State
	}{
		// One more tick may pass before the next decision; half of the margin is left by the hard stop.
		{cfg.Margin + 0.6*tick.Seconds() + 0.01, Clear},
		{cfg.Margin - 0.01, Limited},
		{cfg.Margin/2 + 0.01, Limited},
		{cfg.Margin/2 - 0.01, Stop},
	} {
		g := *s.field
		g.world.obstacles = []geom.Vec2{{X: 0.35 + cfg.Clearance + stop + tt.more}}
		g.stamp = s.now
		g.Limit(s.now, geom.Velocity{VX: 0.6})
		if got := g.Report().State; got != tt.want {
			t.Errorf("obstacle at the stopping distance + %.3f m: %v, want %v", tt.more, got, tt.want)
		}
	}
}

func TestReleaseIsDebouncedAndTheTriggerIsNot(t *testing.T) {
	forward := geom.Velocity{VX: 1}
	s := ready(t, DefaultConfig(), dog(), func(*scene) {})
	s.run(3*time.Second, forward)
	s.wantMoving("the way is free")

	stepIn := func(gap float64) { // a person steps in, right ahead
		s.points = append(s.points, s.pose.Apply(geom.Vec2{X: 0.35 + s.cfg.Clearance + gap}))
	}
	stepIn(0.86) // 0.825 m are needed
	s.scanTick = 1
	s.step(forward)
	s.wantZero("the tick of the scan that shows the person")
	s.wantState(Stop)
	s.run(2*time.Second, forward)
	s.wantZero("the person stands there")

	s.points = nil
	left := s.now
	s.run(500*time.Millisecond, forward)
	s.wantZero("half a second after the person left")
	stepIn(0.05)
	s.run(200*time.Millisecond, forward)
	s.points = nil
	back := s.now
	for s.sent.IsZero() {
		s.step(forward)
		if s.now.Sub(back) > 3*time.Second {
			t.Fatal("never released")
		}
	}
	if d := s.now.Add(-tick).Sub(back); d < time.Second {
		t.Errorf("moved %s after the way was clear again (%s after it was first clear), want 1s", d, back.Sub(left))
	}
	if s.sent.VX > 0.8*tick.Seconds()+1e-9 {
		t.Errorf("resumed at %g m/s, want a ramp", s.sent.VX)
	}
}

func TestDirectionAware(t *testing.T) {
	s := ready(t, DefaultConfig(), dog(), facingWall(1))
	s.run(6*time.Second, geom.Velocity{VX: 1})
	s.wantState(Stop)
	s.wantZero("in front of the wall")

	s.step(geom.Velocity{VX: -1})
	s.wantMoving("driving away is allowed at once")
	s.run(500*time.Millisecond, geom.Velocity{VX: -1})
	if v := -s.sent.VX; v > s.cfg.CreepSpeed+1e-9 || v < s.cfg.CreepSpeed/2 {
		t.Errorf("drives away at %g m/s, want creep speed while the stop is held", v)
	}
	s.run(2*time.Second, geom.Velocity{VX: -1})
	if -s.sent.VX < 0.5 {
		t.Errorf("still %g m/s after 2 s of free way", -s.sent.VX)
	}
	if s.nearest < 0 {
		t.Error("touched the wall")
	}
}

func TestTurnsBesideAWall(t *testing.T) {
	body := dog()
	body.Footprint = box(0.6, 0.6, 0.15)
	for _, turn := range []float64{0.8, -0.8} {
		for _, at := range []float64{0.25, 0.4, 0.55} {
			s := ready(t, DefaultConfig(), body, func(s *scene) { s.wall(geom.Vec2{X: -2, Y: at}, geom.Vec2{X: 2, Y: at}) })
			s.run(8*time.Second, geom.Velocity{WZ: turn})
			s.wantState(Stop)
			if s.nearest < 0.03 || s.nearest > 0.2 {
				t.Errorf("wall at %g m, turning %g: stopped %.3f m from it", at, turn, s.nearest)
			}
			if turned := math.Abs(s.pose.Theta); at > 0.3 && turned < 0.1 {
				t.Errorf("wall at %g m: turned only %.3f rad", at, turned)
			}
		}
		s := ready(t, DefaultConfig(), body, func(s *scene) { s.wall(geom.Vec2{X: -2, Y: 0.9}, geom.Vec2{X: 2, Y: 0.9}) })
		s.run(8*time.Second, geom.Velocity{WZ: turn})
		s.wantState(Clear)
	}
}

func TestEscapesFromContact(t *testing.T) {
	type v = geom.Velocity
	tests := []struct {
		name  string
		build func(*scene)
		want  v
		moves bool
	}{
		{"into the wall", facingWall(0.36), v{VX: 0.5}, false},
		{"away from the wall", facingWall(0.36), v{VX: -0.5}, true},
		{"along the wall", facingWall(0.36), v{VY: 0.5}, true},
		{"a turn brings a corner to the wall", facingWall(0.36), v{WZ: 0.5}, false},
		{"away while turning too much", facingWall(0.36), v{VX: -0.05, WZ: 1}, false},
		{"wall beside, ahead", func(s *scene) { s.wall(geom.Vec2{X: -3, Y: 0.21}, geom.Vec2{X: 3, Y: 0.21}) }, v{VX: 0.5}, true},
		{"wall beside, into it", func(s *scene) { s.wall(geom.Vec2{X: -3, Y: 0.21}, geom.Vec2{X: 3, Y: 0.21}) }, v{VX: 0.5, WZ: 0.3}, false},
		{"wedged between two walls", func(s *scene) { facingWall(0.36)(s); facingWall(-0.36)(s) }, v{VX: -0.5}, false},
		{"something inside the footprint, deeper", func(s *scene) { s.points = []geom.Vec2{{X: 0.34}} }, v{VX: 0.1}, false},
		{"something inside the footprint, out", func(s *scene) { s.points = []geom.Vec2{{X: 0.34}} }, v{VX: -0.1}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := ready(t, DefaultConfig(), dog(), func(s *scene) { s.sectors = 1440; tt.build(s) })
			at := s.nearest
			s.run(120*time.Millisecond, tt.want)
			if !tt.moves {
				s.wantZero("must not move")
				s.wantState(Stop)
				return
			}
			s.wantMoving("may work itself free")
			s.wantState(Limited)
			if fast := s.sent.Speed() + math.Abs(s.sent.WZ)*s.field.outline.reach; fast > s.cfg.CreepSpeed+1e-9 {
				t.Errorf("moves at %g m/s, want creep speed", fast)
			}

			if s.nearest < at-2*nearAllowance {
				t.Errorf("came nearer: %.4f m, was %.4f m", s.nearest, at)
			}
		})
	}
}

// An obstacle fills its sector: with few of them it is seen everywhere in it.
func TestSectorsAreConservative(t *testing.T) {
	for _, n := range []int{8, 32, 72, 360} {
		f := mustNew(t, DefaultConfig(), dog())
		scan := Scan{Stamp: epoch(), AngleMin: -math.Pi, AngleIncrement: 2 * math.Pi / float64(n), RangeMax: 8, Ranges: make([]float32, n)}
		for i := range scan.Ranges {
			scan.Ranges[i] = float32(math.Inf(1))
		}
		const r = 1.0
		hit := n/2 + 1
		scan.Ranges[hit] = r
		if err := f.Observe(epoch(), scan); err != nil {
			t.Fatal(err)
		}
		// Every place on the arc lies within the clearance of a sample.
		for k := range 101 {
			a := scan.AngleMin + (float64(hit)+float64(k)/100)*scan.AngleIncrement
			p := geom.Vec2{X: r}.Rotate(a)
			if d := nearestOf(f.world.obstacles, p); d > f.cfg.Clearance+1e-9 {
				t.Fatalf("%d sectors: bearing %g of the arc is %g m from the nearest sample", n, a, d)
			}
		}
		if len(f.world.unknown) != 0 {
			t.Errorf("%d sectors: %d points are unknown in a scan all round", n, len(f.world.unknown))
		}
	}
}

func nearestOf(points []geom.Vec2, p geom.Vec2) float64 {
	d := math.Inf(1)
	for _, q := range points {
		d = min(d, p.Distance(q))
	}
	return d
}

// Beyond range_max nothing is known, so a short-sighted robot is slow.
func TestShortSighted(t *testing.T) {
	f := mustNew(t, DefaultConfig(), dog())
	now := epoch()
	var d Decision
	for range 60 {
		scan := Scan{Stamp: now, AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMax: 0.7, Ranges: make([]float32, 360)}
		for i := range scan.Ranges {
			scan.Ranges[i] = float32(math.Inf(1))
		}
		if err := f.Observe(now, scan); err != nil {
			t.Fatal(err)
		}
		d = f.Limit(now, geom.Velocity{VX: 1})
		now = now.Add(tick)
	}
	// 0.7 - 0.35 - 0.03 - 0.1 = 0.22 m, less one tick of way.
	if v := d.Velocity.VX; v < 0.5 || v > math.Sqrt(2*0.8*0.22) {
		t.Errorf("seeing 0.7 m far: %g m/s", v)
	}
}

func TestOff(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Enabled = false
	f := mustNew(t, cfg, dog())
	want := geom.Velocity{VX: 1, WZ: 1}
	if d := f.Limit(epoch(), want); d.Halt || d.Velocity != want || !f.Admit(want) {
		t.Errorf("a field that is off interferes: %+v", d)
	}
	if got := f.Report().State; got != Off {
		t.Errorf("state %v, want off", got)
	}
}

func TestForget(t *testing.T) {
	s := ready(t, DefaultConfig(), dog(), func(*scene) {})
	s.run(time.Second, geom.Velocity{VX: 1})
	s.field.Forget(s.now)
	s.scanning = false
	s.step(geom.Velocity{VX: 1})
	s.wantState(Stale)
	s.wantZero("after a jump of the clock")
}

func TestObserveRefuses(t *testing.T) {
	good := func() Scan {
		return Scan{Stamp: epoch(), AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMax: 8, Ranges: make([]float32, 360)}
	}
	tests := []struct {
		name string
		edit func(*Scan)
		text string
	}{
		{"no sectors", func(s *Scan) { s.Ranges = nil }, "0 sectors"},
		{"too many", func(s *Scan) { s.Ranges = make([]float32, MaxSectors+1) }, "4097 sectors"},
		{"more than a turn", func(s *Scan) { s.AngleIncrement *= 1.1 }, "at most one turn"},
		{"clockwise", func(s *Scan) { s.AngleIncrement *= -1 }, "positive width"},
		{"increment NaN", func(s *Scan) { s.AngleIncrement = math.NaN() }, "positive width"},
		{"angle NaN", func(s *Scan) { s.AngleMin = math.NaN() }, "angle_min"},
		{"range_max 0", func(s *Scan) { s.RangeMax = 0 }, "range_max"},
		{"range_max inf", func(s *Scan) { s.RangeMax = math.Inf(1) }, "range_max"},
		{"from the future", func(s *Scan) { s.Stamp = s.Stamp.Add(time.Second) }, "in the future"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, s := mustNew(t, DefaultConfig(), dog()), good()
			tt.edit(&s)
			err := f.Observe(epoch(), s)
			if !errors.Is(err, ErrScan) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want ErrScan with %q", err, tt.text)
			}
			if f.haveScan {
				t.Error("the refused scan counts")
			}
		})
	}
	f := mustNew(t, DefaultConfig(), dog())
	if err := f.Observe(epoch(), good()); err != nil {
		t.Fatal(err)
	}
	if err := f.Observe(epoch().Add(tick), good()); !errors.Is(err, ErrScan) {
		t.Errorf("a frozen scan was accepted again: %v", err)
	}
}

func TestConfigValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	bad := Config{Deceleration: math.NaN(), Latency: -1, Margin: math.Inf(1), ReleaseAfter: 500 * time.Millisecond}
	var keys []string
	for line := range strings.SplitSeq(bad.Validate().Error(), "\n") {
		key, _, _ := strings.Cut(line, ": ")
		keys = append(keys, key)
	}
	want := []string{"deceleration", "angular_deceleration", "latency", "margin", "clearance", "creep_speed", "scan_timeout", "release_after"}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
}

func TestBodyValidate(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Body)
		text string
	}{
		{"no footprint", func(b *Body) { b.Footprint = nil }, "footprint"},
		{"beside the origin", func(b *Body) { b.Footprint = box(2, -1, 0.2) }, "origin"},
		{"in millimetres", func(b *Body) { b.Footprint = box(350, 350, 200) }, "metres"},
		{"negative limit", func(b *Body) { b.Limits.VY = -1 }, "limits"},
		{"limit NaN", func(b *Body) { b.Limits.WZ = math.NaN() }, "limits"},
		{"no limits", func(b *Body) { b.Limits = geom.Velocity{} }, "limits"},
		{"no period", func(b *Body) { b.Period = 0 }, "period"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := dog()
			tt.edit(&b)
			if _, err := New(DefaultConfig(), b); err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want one about %q", err, tt.text)
			}
		})
	}
}

func TestStateNames(t *testing.T) {
	var got []string
	for s := Off; s <= Blind; s++ {
		got = append(got, s.String())
	}
	if want := []string{"off", "clear", "limited", "stop", "stale", "blind"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want the specification's %q", got, want)
	}
}

// The model must place the body where the true one is, at any time after the latency.
func TestMotionFollowsTheBody(t *testing.T) {
	s := ready(t, DefaultConfig(), dog(), func(*scene) {})
	r := rand.New(rand.NewPCG(9, 9))
	want := geom.Velocity{}
	poses := map[time.Time]geom.Pose2{}
	for range 2000 {
		if r.IntN(30) == 0 {
			want = randVelocity(r, s.body.Limits)
		}
		poses[s.now] = s.pose
		s.step(want)
		s.field.motion.advance(s.now)
		from := s.now.Add(-300 * time.Millisecond)
		start, ok := poses[from]
		if !ok {
			continue
		}
		// Between from and now the body did what it was told in the same span, a latency earlier.
		truth := start.Between(s.pose)
		m := s.field.motion
		early, late := m.since(from.Add(-s.cfg.Latency)), m.since(s.now.Add(-s.cfg.Latency))
		model := early.Mul(late.Inverse())
		if d := truth.Position().Distance(model.Position()); d > 0.03 {
			t.Fatalf("at %s: the model is %.3f m off", s.now.Sub(epoch()), d)
		}
	}
}

// crowded is a scan with something in every sector, most of it near.
func crowded() Scan {
	r := rand.New(rand.NewPCG(4, 4))
	s := Scan{Stamp: epoch(), AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMax: 8, Ranges: make([]float32, 360)}
	for i := range s.Ranges {
		s.Ranges[i] = float32(uniform(r, 0.6, 1.5))
	}
	return s
}

func drive(f *Field, now time.Time, u geom.Velocity) {
	d := f.Limit(now, u)
	f.Admit(d.Velocity)
	f.Sent(d.Velocity)
}

func TestNoAllocations(t *testing.T) {
	f := mustNew(t, DefaultConfig(), dog())
	scan, now := crowded(), epoch()
	run := func() {
		now = now.Add(tick)
		scan.Stamp = now
		if err := f.Observe(now, scan); err != nil {
			t.Fatal(err)
		}
		drive(f, now, geom.Velocity{VX: 0.3, VY: 0.05, WZ: 0.2})
	}
	run()
	if n := testing.AllocsPerRun(200, run); n != 0 {
		t.Errorf("%g allocations per tick, want none", n)
	}
}

func BenchmarkLimit(b *testing.B) {
	for name, u := range map[string]geom.Velocity{"straight": {VX: 0.8}, "arc": {VX: 0.5, WZ: 0.5}, "spot": {WZ: 1}} {
		b.Run(name, func(b *testing.B) {
			f := mustNew(b, DefaultConfig(), dog())
			if err := f.Observe(epoch(), crowded()); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				drive(f, epoch(), u)
			}
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	f := mustNew(b, DefaultConfig(), dog())
	s := crowded()
	b.ReportAllocs()
	for b.Loop() {
		s.Stamp = s.Stamp.Add(1)
		if err := f.Observe(s.Stamp, s); err != nil {
			b.Fatal(err)
		}
	}
}
