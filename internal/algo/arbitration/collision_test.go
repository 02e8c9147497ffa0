package arbitration

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/geom"
)

// world drives the whole mux and a body that keeps its contract and no more, among points that stand still.
type world struct {
	*bench
	points   []geom.Vec2
	pose     geom.Pose2
	velocity geom.Velocity
	wire     []geom.Velocity // commands on their way to the body
	nearest  float64
	moved    float64
}

func newWorld(t testing.TB, edit ...func(*Config)) *world {
	w := &world{bench: newBench(t, edit...), nearest: math.Inf(1)}
	w.scanning = false
	w.wire = make([]geom.Velocity, int(w.cfg.Field.Latency/tick))
	return w
}

func (w *world) step() {
	w.t.Helper()
	if w.ticks%5 == 0 {
		inv := w.pose.Inverse()
		for i := range w.ranges {
			w.ranges[i] = float32(math.Inf(1))
		}
		for _, p := range w.points {
			q := inv.Apply(p)
			i := int((q.Angle() + math.Pi) * 180 / math.Pi)
			w.ranges[i%360] = min(w.ranges[i%360], float32(q.Norm()))
		}
		s := field.Scan{Stamp: w.now, AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMax: 8, Ranges: w.ranges}
		if _, err := w.ObserveScan(w.now, s); err != nil {
			w.t.Fatal(err)
		}
	}
	w.ticks++
	w.wire = append(w.wire, w.Tick(w.now).Velocity)
	target := w.wire[0]
	w.wire = w.wire[1:]
	axis := func(v, to, brake float64) float64 {
		rate := 8.0
		if math.Abs(to) < math.Abs(v) || v*to < 0 {
			rate = brake
		}
		return v + min(max(to-v, -rate*tick.Seconds()), rate*tick.Seconds())
	}
	c := w.cfg.Field
	w.velocity = geom.Velocity{
		VX: axis(w.velocity.VX, target.VX, c.Deceleration), VY: axis(w.velocity.VY, target.VY, c.Deceleration),
		WZ: axis(w.velocity.WZ, target.WZ, c.AngularDeceleration),
	}
	w.pose = w.pose.Mul(w.velocity.Integrate(tick.Seconds()))
	w.moved += w.velocity.Speed() * tick.Seconds()
	inv := w.pose.Inverse()
	for _, p := range w.points {
		w.nearest = min(w.nearest, dog().Footprint.DistanceToPoint(inv.Apply(p)))
	}
	w.now = w.now.Add(tick)
}

// Whatever people and navigation do, in a world that stands still nothing is touched.
func TestNeverTouchesAnything(t *testing.T) {
	moved := 0.0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 21))
		w := newWorld(t)
		for range 4 + r.IntN(12) {
			p := geom.Vec2{X: 6*r.Float64() - 3, Y: 6*r.Float64() - 3}
			if dog().Footprint.DistanceToPoint(p) > 0.05 {
				w.points = append(w.points, p)
			}
		}
		source, v, rest := Navigation, geom.Velocity{}, 0
		w.NavigationStarted(w.now)
		for range 1500 {
			switch r.IntN(60) {
			case 0, 1:
				v = geom.Velocity{VX: 2*r.Float64() - 1, VY: r.Float64() - 0.5, WZ: 3*r.Float64() - 1.5}
			case 2:
				v = geom.Velocity{VX: 1}
			case 3:
				rest = 4
				source = []Source{Navigation, Handheld, Dashboard}[r.IntN(3)]
				if source == Navigation {
					w.mode("auto", "")
					w.NavigationStarted(w.now)
				} else {
					w.mode("remote", source.String())
				}
			case 4:
				if r.IntN(10) == 0 {
					w.EngageEStop(w.now, "test")
					w.release()
					w.NavigationStarted(w.now)
					rest = 4
				}
			}
			u := v
			if rest > 0 {
				u = geom.Velocity{}
			}
			rest--
			w.Command(w.now, source, u)
			w.step()
		}
		if w.nearest <= 0 {
			t.Errorf("seed %d: touched something", seed)
		}
		moved += w.moved
	}
	if moved < 100 {
		t.Errorf("moved only %.0f m in all: the test shows little", moved)
	}
	t.Logf("%.0f m without touching anything", moved)
}

// When a turn is cut short by an e-stop the path straightens, because most bodies brake each axis on its own. In a round room there is
// a wall wherever that leads.
func TestEStopInACurve(t *testing.T) {
	for phase := range 12 {
		w := newWorld(t, func(c *Config) { c.Field.Deceleration = 0.3 })
		for i := range 180 {
			w.points = append(w.points, geom.Vec2{X: 1.3}.Rotate(float64(i)*math.Pi/90).Add(geom.Vec2{Y: 0.8}))
		}
		w.mode("remote", "handheld")
		for i := range 200 + phase*13 {
			v := geom.Velocity{VX: 0.8, WZ: 1}
			if i < 70 {
				v = geom.Velocity{}
			}
			w.Command(w.now, Handheld, v)
			w.step()
		}
		w.EngageEStop(w.now, "test")
		for range 150 {
			w.step()
		}
		if w.nearest <= 0 {
			t.Fatalf("phase %d: hit the wall after %.1f m", phase, w.moved)
		}
		if w.moved < 1 {
			t.Fatalf("phase %d: moved only %.2f m: the test shows little", phase, w.moved)
		}
	}
}

// A person steps in front at any distance: the robot is at zero at once when it has to stop, and does not drive on into the person.
func TestPersonStepsInFront(t *testing.T) {
	const needed = 1.0/(2*0.8) + 0.2 // v²/(2a) + v·latency at 1 m/s
	for gap := 0.05; gap < 2.5; gap += 0.1 {
		w := newWorld(t)
		w.mode("remote", "handheld")
		for range 250 {
			v := geom.Velocity{VX: 1}
			if w.ticks < 60 {
				v = geom.Velocity{}
			}
			w.Command(w.now, Handheld, v)
			w.step()
		}
		w.points = []geom.Vec2{w.pose.Apply(geom.Vec2{X: 0.35 + gap})}
		w.ticks = 0 // the scan shows it in the next tick
		for i := range 300 {
			w.step()
			w.Command(w.now, Handheld, geom.Velocity{VX: 1})
			if gap < needed && i < 50 && !w.Status().Sent.IsZero() {
				t.Fatalf("gap %.2f m: still sends %v after %d ticks", gap, w.Status().Sent, i+1)
			}
		}
		if clear := gap > needed+w.cfg.Field.Clearance+w.cfg.Field.Margin/2+0.02; clear && w.nearest <= 0 {
			t.Errorf("gap %.2f m: ran into the person, although %.2f m suffice to stop", gap, needed)
		}
	}
}

// busy is a bench with something in every sector, on which the handheld drives a curve.
func busy(t testing.TB) (*bench, func()) {
	b := newBench(t)
	r := rand.New(rand.NewPCG(8, 8))
	for i := range b.ranges {
		b.ranges[i] = 0.9 + float32(r.Float64())
	}
	b.wait(1200 * time.Millisecond)
	b.mode("remote", "handheld")
	b.hold(3*tick, Handheld, geom.Velocity{})
	v := geom.Velocity{VX: 0.3, WZ: 0.3}
	b.hold(time.Second, Handheld, v)
	return b, func() {
		b.Command(b.now, Handheld, v)
		b.tick()
		_ = b.Status()
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	b, run := busy(t)
	b.wantMoving("for the measurement")
	if n := testing.AllocsPerRun(300, run); n != 0 {
		t.Errorf("driving: %g allocations per tick, want none", n)
	}
	b.EngageEStop(b.now, "test")
	b.Hold(b.now, HardwareEStop)
	run()
	again := func() {
		b.EngageEStop(b.now, "test")
		b.Hold(b.now, HardwareEStop)
		run()
	}
	if n := testing.AllocsPerRun(300, again); n > 4 {
		t.Errorf("e-stopped: %g allocations per repeated request, want a few at most", n)
	}
}

func BenchmarkTick(b *testing.B) {
	bench, _ := busy(b)
	b.ReportAllocs()
	for b.Loop() {
		bench.Tick(bench.now)
	}
}
