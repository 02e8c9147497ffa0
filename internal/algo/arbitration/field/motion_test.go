package field

import (
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/geom"
)

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

// A burst of commands must not push the past out of the memory.
func TestMotionSurvivesABurst(t *testing.T) {
	f := mustNew(t, DefaultConfig(), dog())
	m, now := &f.motion, epoch()
	m.advance(now)
	m.command(geom.Velocity{VX: 0.5, WZ: 0.3})
	for range 3000 {
		now = now.Add(500 * time.Microsecond)
		m.advance(now)
		m.command(geom.Velocity{VX: 0.5, WZ: 0.3})
	}
	got, want := m.since(now.Add(-1200*time.Millisecond)), geom.Velocity{VX: 0.5, WZ: 0.3}.Integrate(1.2)
	if d := got.Position().Distance(want.Position()); d > 1e-6 {
		t.Errorf("moved to %v, want %v", got, want)
	}
}

// A body that still rolls forward and is told to turn on the spot does neither: what it does must be free too.
func TestAdmitLooksAtTheMixture(t *testing.T) {
	f := mustNew(t, DefaultConfig(), dog())
	f.motion.velocity = geom.Velocity{VX: 0.8}
	turn := geom.Velocity{WZ: 0.3}
	if !f.Admit(turn) {
		t.Fatal("nothing is near, yet the turn is refused")
	}
	f.obstacles = []geom.Vec2{{X: 0.65, Y: 0.25}} // beside the straight way, beyond every corner of a turn on the spot
	for _, u := range []geom.Velocity{f.motion.velocity, turn} {
		if !f.stoppable(u) {
			t.Fatalf("%v alone is not free", u)
		}
	}
	if f.Admit(turn) {
		t.Error("a turn into the pillar was admitted")
	}
}
