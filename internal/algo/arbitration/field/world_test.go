package field

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/algo/velramp"
	"sarathi/internal/geom"
)

// tick is the period of decisions in every test.
const tick = 20 * time.Millisecond

func epoch() time.Time { return time.Unix(1_700_000_000, 0) }

func box(front, rear, half float64) geom.Polygon {
	return geom.Polygon{{X: front, Y: half}, {X: -rear, Y: half}, {X: -rear, Y: -half}, {X: front, Y: -half}}
}

// tee is a concave footprint, wide in front.
func tee() geom.Polygon {
	return geom.Polygon{
		{X: 0.30, Y: 0.30},
		{X: 0.10, Y: 0.30},
		{X: 0.10, Y: 0.12},
		{X: -0.40, Y: 0.12},
		{X: -0.40, Y: -0.12},
		{X: 0.10, Y: -0.12},
		{X: 0.10, Y: -0.30},
		{X: 0.30, Y: -0.30},
	}
}

func dog() Body {
	return Body{Footprint: box(0.35, 0.35, 0.20), Limits: geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5}, Period: tick}
}

func ramp() velramp.Limits {
	return velramp.Limits{Acceleration: [3]float64{0.8, 0.8, 3}, Deceleration: [3]float64{1, 1, 3}}
}

func mustNew(t testing.TB, cfg Config, body Body) *Field {
	t.Helper()
	f, err := New(cfg, body)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// scene is a flat world of points around one robot that is driven through a Field as the mux does it.
type scene struct {
	t      testing.TB
	field  *Field
	cfg    Config
	body   Body
	points []geom.Vec2 // in the world
	now    time.Time

	sectors  int
	arc      float64 // [rad] covered by the scan, about the x axis
	scanning bool
	scanTick int // ticks between two scans
	delay    int // ticks from the stamp of a scan to its arrival
	past     []Scan

	pose     geom.Pose2    // of the robot in the world
	velocity geom.Velocity // of the robot, truly
	wire     []geom.Velocity
	sent     geom.Velocity
	ticks    int
	nearest  float64 // smallest distance to a point so far
	hardest  bool    // the last tick was a hard zero
}

func newScene(t testing.TB, cfg Config, body Body) *scene {
	s := &scene{
		t: t, field: mustNew(t, cfg, body), cfg: cfg, body: body, now: epoch(),
		sectors: 360, arc: 2 * math.Pi, scanning: true, scanTick: 5, nearest: math.Inf(1),
	}
	for range int(cfg.Latency / tick) {
		s.wire = append(s.wire, geom.Velocity{})
	}
	return s
}

// scan is what a perfect sensor sees now.
func (s *scene) scan() Scan {
	out := Scan{
		Stamp: s.now, AngleMin: -s.arc / 2, AngleIncrement: s.arc / float64(s.sectors), RangeMax: 8,
		Ranges: make([]float32, s.sectors),
	}
	for i := range out.Ranges {
		out.Ranges[i] = float32(math.Inf(1))
	}
	inv := s.pose.Inverse()
	for _, p := range s.points {
		q := inv.Apply(p)
		if i := int(math.Floor((q.Angle() - out.AngleMin) / out.AngleIncrement)); i >= 0 && i < s.sectors {
			out.Ranges[i] = min(out.Ranges[i], float32(q.Norm()))
		}
	}
	return out
}

// step drives one tick towards want and returns what was sent.
func (s *scene) step(want geom.Velocity) geom.Velocity {
	s.t.Helper()
	if s.scanning && s.ticks%s.scanTick == 0 {
		s.past = append(s.past, s.scan())
	}
	if len(s.past) > 0 && s.now.Sub(s.past[0].Stamp) >= time.Duration(s.delay)*tick {
		if err := s.field.Observe(s.now, s.past[0]); err != nil {
			s.t.Fatal(err)
		}
		s.past = s.past[1:]
	}
	d := s.field.Limit(s.now, want)
	s.hardest = d.Halt
	if d.Halt {
		s.sent = geom.Velocity{}
	} else {
		next := ramp().Step(s.sent, d.Velocity, tick.Seconds())
		if !s.field.Admit(next) {
			next = ramp().Step(s.sent, geom.Velocity{}, tick.Seconds())
		}
		s.sent = next
	}
	s.field.Sent(s.sent)
	s.move()
	return s.sent
}

// move lets the true body follow: late by the latency, each axis on its own, braking as hard as promised and no harder.
func (s *scene) move() {
	s.wire = append(s.wire, s.sent)
	target := s.wire[0]
	s.wire = s.wire[1:]
	const parts = 4
	for range parts {
		dt := tick.Seconds() / parts
		axis := func(v, to, brake float64) float64 {
			rate := 5.0
			if math.Abs(to) < math.Abs(v) || v*to < 0 {
				rate = brake
			}
			return v + min(max(to-v, -rate*dt), rate*dt)
		}
		s.velocity = geom.Velocity{
			VX: axis(s.velocity.VX, target.VX, s.cfg.Deceleration),
			VY: axis(s.velocity.VY, target.VY, s.cfg.Deceleration),
			WZ: axis(s.velocity.WZ, target.WZ, s.cfg.AngularDeceleration),
		}
		s.pose = s.pose.Mul(s.velocity.Integrate(dt))
	}
	inv := s.pose.Inverse()
	for _, p := range s.points {
		s.nearest = min(s.nearest, s.field.outline.distance(inv.Apply(p)))
	}
	s.now = s.now.Add(tick)
	s.ticks++
}

func (s *scene) run(d time.Duration, want geom.Velocity) {
	s.t.Helper()
	for range int(d / tick) {
		s.step(want)
	}
}

// wall adds points every centimetre from a to b.
func (s *scene) wall(a, b geom.Vec2) {
	n := math.Ceil(a.Distance(b) / 0.01)
	for i := range int(n) + 1 {
		s.points = append(s.points, a.Lerp(b, float64(i)/n))
	}
}

func uniform(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

func randVelocity(r *rand.Rand, l geom.Velocity) geom.Velocity {
	v := geom.Velocity{VX: uniform(r, -l.VX, l.VX), VY: uniform(r, -l.VY, l.VY), WZ: uniform(r, -l.WZ, l.WZ)}
	switch r.IntN(5) { // the pure motions are the ones people make
	case 0:
		v.VY, v.WZ = 0, 0
	case 1:
		v.VX, v.VY = 0, 0
	case 2:
		v.VY = 0
	}
	return v
}

// The heart of it: whatever is asked for, in a world that stands still, the body never touches anything.
func TestNeverTouches(t *testing.T) {
	bodies := map[string]geom.Polygon{"box": box(0.35, 0.35, 0.20), "long": box(0.6, 0.1, 0.15), "concave": tee()}
	for _, name := range []string{"box", "long", "concave"} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(50) {
				r := rand.New(rand.NewPCG(seed, 11))
				body := dog()
				body.Footprint = bodies[name]
				s := newScene(t, DefaultConfig(), body)
				s.delay = r.IntN(4)
				for range 1 + r.IntN(12) {
					p := geom.Vec2{X: uniform(r, -3, 3), Y: uniform(r, -3, 3)}
					if s.field.outline.distance(p) > 0.05 {
						s.points = append(s.points, p)
					}
				}
				var moved float64
				want := randVelocity(r, body.Limits)
				for range 500 {
					if r.IntN(40) == 0 {
						want = randVelocity(r, body.Limits)
					}
					moved += s.step(want).Speed() * tick.Seconds()
				}
				if s.nearest < 0 {
					t.Errorf("seed %d: the footprint went %.3f m into an obstacle", seed, -s.nearest)
				}
			}
		})
	}
}
