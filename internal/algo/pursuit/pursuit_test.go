package pursuit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

const dt = 0.05

// noisy is a way along corners with points every 0.2 m, each off by 3 cm, smoothed as the loader does.
func noisy(tb testing.TB, r *rand.Rand, corners ...geom.Vec2) []route.Point {
	tb.Helper()
	var out []route.Point
	for i := 1; i < len(corners); i++ {
		a, b := corners[i-1], corners[i]
		n := int(math.Round(a.Distance(b) / 0.2))
		for k := range n {
			p := a.Lerp(b, float64(k)/float64(n))
			out = append(out, route.Point{X: p.X + 0.03*r.NormFloat64(), Y: p.Y + 0.03*r.NormFloat64(), Yaw: b.Sub(a).Angle()})
		}
	}
	end := corners[len(corners)-1]
	out = append(out, route.Point{X: end.X, Y: end.Y})
	prepared, err := route.Prepare(out, route.Default())
	if err != nil {
		tb.Fatal(err)
	}
	return prepared.Points
}

// loop and lanes are the public robots' tests: 10 × 4 m around, and 10 m there and back 0.8 m beside.
func loop() []geom.Vec2 {
	return []geom.Vec2{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 4}, {X: 0, Y: 4}, {X: 0, Y: 0.4}}
}

func lanes() []geom.Vec2 {
	return []geom.Vec2{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 0.8}, {X: 0, Y: 0.8}}
}

// body is a robot whose wheels slip.
type body struct {
	pose geom.Pose2
	slip float64
}

func (b *body) drive(v geom.Velocity) { b.pose = b.pose.Mul(v.Scale(1 - b.slip).Integrate(dt)) }

// follow drives a body along a track to its end and returns the mean and the largest distance from it [m], and the time [s].
func follow(t *testing.T, track *Track, b *body, cfg Config) (mean, worst, took float64) {
	t.Helper()
	var p Pursuit
	var at Progress
	n := 0
	for ; took < 200; took += dt {
		before := at.Way()
		d := at.Update(track, b.pose, cfg)
		if at.Way() < before || n > 0 && at.Way() > before+0.5 {
			t.Fatalf("after %.2f s progress jumped from %.2f to %.2f m", took, before, at.Way())
		}
		if track.Length()-at.Way() < 0.3 {
			return mean / float64(n), worst, took
		}
		mean, worst, n = mean+d, max(worst, d), n+1
		v := p.Step(track, b.pose, at.Way(), dt, Target{Limit: cfg.MaxSpeed, Until: track.Length(), Scale: 1}, cfg)
		if math.Abs(v.VX) > cfg.MaxSpeed || math.Abs(v.WZ) > cfg.MaxTurn {
			t.Fatalf("after %.2f s: velocity %v", took, v)
		}
		b.drive(v)
	}
	t.Fatalf("not at the end after 200 s: at %.2f of %.2f m, %v", at.Way(), track.Length(), b.pose)
	return 0, 0, 0
}

func TestFollowsWithinCentimetres(t *testing.T) {
	for name, corners := range map[string][]geom.Vec2{"loop": loop(), "out and back": lanes()} {
		for seed := range uint64(10) {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				track, err := NewTrack(noisy(t, rand.New(rand.NewPCG(8, seed)), corners...), Default())
				if err != nil {
					t.Fatal(err)
				}
				mean, worst, took := follow(t, track, &body{geom.Pose2{Y: 0.1}, 0.03}, Default())
				if mean > 0.03 || worst > 0.15 {
					t.Errorf("mean %.3f m, worst %.3f m", mean, worst)
				}
				if most := 2.2 * track.Length() / Default().Cruise; took > most {
					t.Errorf("%.1f s for %.1f m, want at most %.1f s", took, track.Length(), most)
				}
			})
		}
	}
}

func TestTurnsRoundAtTheStart(t *testing.T) {
	track, err := NewTrack(noisy(t, rand.New(rand.NewPCG(8, 20)), geom.Vec2{}, geom.Vec2{X: 5}), Default())
	if err != nil {
		t.Fatal(err)
	}
	if _, worst, _ := follow(t, track, &body{geom.Pose2{Theta: 3}, 0}, Default()); worst > 0.15 {
		t.Errorf("it strays by %.2f m", worst)
	}
}

func TestProgressOnACrossing(t *testing.T) { // navigation2 #2622
	eight := []geom.Vec2{{X: 0}, {X: 6}, {X: 6, Y: 3}, {X: 3, Y: 3}, {X: 3, Y: -3}}
	track, err := NewTrack(noisy(t, rand.New(rand.NewPCG(8, 21)), eight...), Default())
	if err != nil {
		t.Fatal(err)
	}
	follow(t, track, &body{geom.Pose2{}, 0.03}, Default())
}

func TestSpeedProfile(t *testing.T) {
	var points []route.Point
	for i := range 101 {
		points = append(points, route.Point{X: 0.1 * float64(i)})
	}
	points[50].Dwell = 5
	cfg := Default()
	track, err := NewTrack(points, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := []float64{track.Speed(5), track.Speed(10), track.Speed(2), track.Speed(7)}; got[0] > 0.15 || got[1] > 0.15 || got[2] != cfg.Cruise || got[3] != cfg.Cruise {
		t.Errorf("speeds at the stop, the end, and between: %v", got)
	}
	if !(track.Speed(4.8) < track.Speed(4.5)) {
		t.Errorf("0.2 m before the stop %.3f m/s, 0.5 m before %.3f", track.Speed(4.8), track.Speed(4.5))
	}
	for i := 1; i < track.Len(); i++ {
		a, b, ds := track.Speed(track.At(i-1)), track.Speed(track.At(i)), track.At(i)-track.At(i-1)
		if a*a > b*b+2*cfg.Braking*ds+1e-9 {
			t.Errorf("from point %d braking by %.2f m/s² is needed", i-1, (a*a-b*b)/2/ds)
		}
	}
	cfg.Cruise = 0.2
	track.Profile(cfg)
	if got := track.Speed(2); got != 0.2 {
		t.Errorf("after the speed was changed: %g", got)
	}
}

func TestApproachArrives(t *testing.T) {
	for _, holonomic := range []bool{false, true} {
		cfg := Default()
		cfg.Holonomic = holonomic
		r := rand.New(rand.NewPCG(8, 22))
		starts := []geom.Pose2{{X: -0.4, Y: 0.15, Theta: 20 * deg}} // the public robots' test
		for range 100 {
			starts = append(starts, geom.Pose2{X: r.Float64() - 0.5, Y: r.Float64() - 0.5, Theta: 7 * r.Float64()})
		}
		target := geom.Pose2{Theta: 90 * deg}
		for i, start := range starts {
			b := body{start, 0.03}
			var a Approach
			a.Reset(geom.Velocity{})
			arrived, took := false, 0.0
			for ; !arrived && took < 30; took += dt {
				var v geom.Velocity
				v, arrived = a.Step(b.pose, target, dt, cfg)
				if !holonomic && v.VY != 0 || v.Speed() > cfg.Approach.MaxSpeed+1e-9 || math.Abs(v.WZ) > cfg.Approach.MaxTurn+1e-9 {
					t.Fatalf("holonomic %t, start %d: velocity %v", holonomic, i, v)
				}
				b.drive(v)
			}
			distance, heading := Errors(b.pose, target)
			if !arrived || distance > 0.05 || math.Abs(heading) > 3*deg {
				t.Errorf("holonomic %t, start %d %v: arrived %t after %.1f s, %.3f m and %.1f deg off", holonomic, i, start, arrived, took, distance, heading/deg)
			}
		}
	}
}

func TestHoldsStillWhenScaledToZero(t *testing.T) {
	track, err := NewTrack(noisy(t, rand.New(rand.NewPCG(8, 23)), geom.Vec2{}, geom.Vec2{X: 5}), Default())
	if err != nil {
		t.Fatal(err)
	}
	var p Pursuit
	for range 100 {
		if v := p.Step(track, geom.Pose2{Y: 0.2}, 0, dt, Target{Limit: 1, Until: 5}, Default()); v != (geom.Velocity{}) {
			t.Fatalf("velocity %v", v)
		}
	}
}

func TestBadTracks(t *testing.T) {
	nan := math.NaN()
	for name, points := range map[string][]route.Point{
		"none": nil, "one": {{X: 1}}, "in one place": {{X: 1}, {X: 1}, {X: 1}}, "NaN": {{X: 1}, {X: nan}},
		"infinite": {{X: 1}, {Y: math.Inf(1)}}, "dwell": {{X: 1}, {X: 2, Dwell: -1}},
	} {
		if _, err := NewTrack(points, Default()); !errors.Is(err, ErrTrack) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	track, err := NewTrack([]route.Point{{X: 1}, {X: 1, Dwell: 3}, {X: 2}}, Default())
	if err != nil || len(track.Stops()) != 1 || track.Len() != 2 {
		t.Errorf("a stop in the place of a point: %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(*Config){
		func(c *Config) { c.Cruise = 5 }, func(c *Config) { c.MaxTurn = math.NaN() }, func(c *Config) { c.MaxLookahead = 0.1 },
		func(c *Config) { c.Approach.MaxSpeed = 9 }, func(c *Config) { c.Braking = 0 },
	} {
		cfg := Default()
		change(&cfg)
		if err := cfg.Validate(); !errors.Is(err, ErrConfig) {
			t.Errorf("%d: error %v", i, err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	cfg := Default()
	track, err := NewTrack(noisy(b, rand.New(rand.NewPCG(8, 24)), loop()...), cfg)
	if err != nil {
		b.Fatal(err)
	}
	var p Pursuit
	var at Progress
	robot := body{geom.Pose2{}, 0.03}
	b.ReportAllocs()
	for b.Loop() {
		if at.Update(track, robot.pose, cfg); track.Length()-at.Way() < 0.3 {
			at, robot.pose = Progress{}, geom.Pose2{}
		}
		robot.drive(p.Step(track, robot.pose, at.Way(), dt, Target{Limit: 1, Until: track.Length(), Scale: 1}, cfg))
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms")
	b.ReportMetric(2, "ms:max")
}
