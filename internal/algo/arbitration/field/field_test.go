package field

import (
	"math"
	"slices"
	"testing"
	"time"

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

// While it still brakes, a command to drive away would bend its path: zero until it stands.
func TestDrivesAwayOnlyAfterItStands(t *testing.T) {
	s := ready(t, DefaultConfig(), dog(), func(*scene) {})
	s.run(3*time.Second, geom.Velocity{VX: 1})
	s.points = []geom.Vec2{s.pose.Apply(geom.Vec2{X: 0.35 + 0.03 + 0.86})}
	s.scanTick = 1
	for s.velocity.VX > s.cfg.CreepSpeed {
		s.step(geom.Velocity{VX: -1})
		s.wantZero("still rolling")
	}
	s.run(400*time.Millisecond, geom.Velocity{VX: -1})
	s.wantMoving("stands, and may drive away")
}

// The time that the way must be clear also counts, and starts again, while nobody asks for motion.
func TestReleaseWithTheStickAtRest(t *testing.T) {
	s := ready(t, DefaultConfig(), dog(), facingWall(0.6))
	wall := s.points
	s.scanTick = 1
	s.run(4*time.Second, geom.Velocity{VX: 1})
	s.wantState(Stop)
	s.run(2*time.Second, geom.Velocity{})
	s.wantState(Stop)
	for range 3 { // never clear for a whole second
		s.points = nil
		s.run(600*time.Millisecond, geom.Velocity{})
		s.points = wall
		s.run(100*time.Millisecond, geom.Velocity{})
	}
	s.points = nil
	s.run(900*time.Millisecond, geom.Velocity{})
	s.run(3*tick, geom.Velocity{VX: 1})
	s.wantZero("clear for less than a second")
	s.run(200*time.Millisecond+rememberFor, geom.Velocity{VX: 1})
	s.wantMoving("clear for a second, and the memory of the wall has faded")
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

func TestStateNames(t *testing.T) {
	var got []string
	for s := Off; s <= Blind; s++ {
		got = append(got, s.String())
	}
	if want := []string{"off", "clear", "limited", "stop", "stale", "blind"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want the specification's %q", got, want)
	}
}

// A thin wall whose end is turned to the scanner falls between two beams for a scan or two.
func TestWhatOneScanMissesIsNotGone(t *testing.T) {
	s := ready(t, DefaultConfig(), dog(), facingWall(0.8))
	s.scanTick = 1
	s.run(200*time.Millisecond, geom.Velocity{VX: 0.3})
	s.points = nil
	s.run(rememberFor/2, geom.Velocity{VX: 1})
	if s.field.Report().State == Clear {
		t.Error("the wall is forgotten at once")
	}
	s.run(rememberFor+s.cfg.ReleaseAfter, geom.Velocity{VX: 1})
	s.wantState(Clear)
}
