package trip

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
)

func begin() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func after(seconds float64) time.Time {
	return begin().Add(time.Duration(math.Round(seconds * 1e9)))
}

// drive feeds a meter with a path at a rate for a time.
func drive(m *Meter, from, seconds, hz float64, path func(t float64) geom.Vec2) {
	for k := range int(seconds * hz) {
		t := from + float64(k)/hz
		m.Update(after(t), after(t), path(t-from))
	}
}

func noise(r *rand.Rand, sigma float64) geom.Vec2 {
	return geom.Vec2{X: sigma * r.NormFloat64(), Y: sigma * r.NormFloat64()}
}

// square is a walk along a square of 5 m sides at a speed, starting and ending at the same corner.
func square(speed float64) func(t float64) geom.Vec2 {
	return func(t float64) geom.Vec2 {
		s := math.Min(speed*t, 20)
		a := math.Mod(s, 5)
		switch int(s/5) % 4 {
		case 0:
			return geom.Vec2{X: a}
		case 1:
			return geom.Vec2{X: 5, Y: a}
		case 2:
			return geom.Vec2{X: 5 - a, Y: 5}
		default:
			return geom.Vec2{Y: 5 - a}
		}
	}
}

func TestSquareUnderNoise(t *testing.T) {
	for _, tt := range []struct{ hz, sigma, speed float64 }{
		{10, 0, 0.5}, {10, 0.003, 0.5}, {10, 0.005, 0.3}, {50, 0.005, 0.5}, {50, 0.003, 1}, {100, 0.002, 0.1},
	} {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 1))
			m := New(DefaultConfig(), begin())
			walk := square(tt.speed)
			seconds := 20 / tt.speed
			drive(m, 0, seconds+5, tt.hz, func(t float64) geom.Vec2 {
				if t > seconds-0.001 {
					return noise(r, tt.sigma)
				}
				return walk(t).Add(noise(r, tt.sigma))
			})
			s := m.Status()
			if math.Abs(s.Distance-20) > 0.2 {
				t.Errorf("%+v: %.3f m, want 20 m ± 1 %%", tt, s.Distance)
			}
			if math.Abs(s.MovingTime-seconds) > 1.5 {
				t.Errorf("%+v: moving for %.2f s, want %.2f s", tt, s.MovingTime, seconds)
			}
			if math.Abs(s.Average()-tt.speed) > 0.05*tt.speed+0.01 || s.Top < 0.95*tt.speed || s.Top > tt.speed+0.05 {
				t.Errorf("%+v: average %.3f m/s, top %.3f m/s", tt, s.Average(), s.Top)
			}
			if s.Speed != 0 {
				t.Errorf("%+v: %.3f m/s at the end, want to stand", tt, s.Speed)
			}
		}
	}
}

func TestStandingAddsNothing(t *testing.T) {
	for _, sigma := range []float64{0.002, 0.005, 0.008} {
		r := rand.New(rand.NewPCG(9, 9))
		m := New(DefaultConfig(), begin())
		drive(m, 0, 3600, 10, func(float64) geom.Vec2 { return geom.Vec2{X: 3, Y: -2}.Add(noise(r, sigma)) })
		if s := m.Status(); s.Distance >= 0.1 || s.MovingTime > 72 {
			t.Errorf("an hour of noise of %g m adds %.3f m and %.1f s", sigma, s.Distance, s.MovingTime)
		}
	}
}

func TestSidewaysCountsTurningDoesNot(t *testing.T) {
	m := New(DefaultConfig(), begin())
	drive(m, 0, 10.05, 20, func(t float64) geom.Vec2 { return geom.Vec2{Y: -0.2 * t} })
	if d := m.Status().Distance; math.Abs(d-2) > 0.06 {
		t.Errorf("2 m sideways are %.3f m", d)
	}
	before := m.Status()
	drive(m, 11, 10, 20, func(float64) geom.Vec2 { return geom.Vec2{Y: -2} }) // turning on the spot
	if s := m.Status(); s.Distance-before.Distance > 0.06 {
		t.Errorf("turning adds %.3f m", s.Distance-before.Distance)
	}
}

func TestJumpsAddNothing(t *testing.T) {
	m := New(DefaultConfig(), begin())
	forward := func(t float64) geom.Vec2 { return geom.Vec2{X: 0.5 * t} }
	drive(m, 0, 10, 10, forward)
	drive(m, 10, 10, 10, func(t float64) geom.Vec2 { return forward(t).Add(geom.Vec2{X: 500}) }) // teleported
	drive(m, 20, 10, 10, forward)                                                                // odometry began anew
	m.Update(after(30), after(5), forward(10))                                                   // its clock went back
	s := m.Status()
	if math.Abs(s.Distance-15) > 0.5 || s.Top > 0.55 {
		t.Errorf("%.2f m at up to %.2f m/s, want 15 m at 0.5 m/s", s.Distance, s.Top)
	}
	if n := m.Stats().Jumps; n != 3 {
		t.Errorf("%d jumps are counted, want 3", n)
	}
}

func TestBadNumbersAreNoSignOfLife(t *testing.T) {
	m := New(DefaultConfig(), begin())
	drive(m, 0, 5, 10, func(t float64) geom.Vec2 { return geom.Vec2{X: 0.5 * t} })
	before := m.Status()
	if !before.OK || before.Speed < 0.45 || math.Abs(before.Rate-10) > 0.5 {
		t.Fatalf("driving: %+v", before)
	}
	for k := range 20 {
		now := after(5 + float64(k)/10)
		switch k % 3 {
		case 0:
			m.Update(now, now, geom.Vec2{X: math.NaN()})
		case 1:
			m.Update(now, now, geom.Vec2{Y: math.Inf(-1)})
		case 2:
			m.Update(now, before.Stamp, geom.Vec2{X: 9}) // frozen
		}
		m.Tick(now)
	}
	s := m.Status()
	if s.OK || s.Speed != 0 || s.Rate != 0 || s.Distance != before.Distance || s.MovingTime != before.MovingTime {
		t.Errorf("after two seconds of garbage: %+v, was %+v", s, before)
	}
	if n := m.Stats().Dropped; n != 20 {
		t.Errorf("%d are dropped, want 20", n)
	}
}

func TestSilence(t *testing.T) {
	m := New(DefaultConfig(), begin())
	if s := m.Status(); s.OK || s.Speed != 0 {
		t.Errorf("before the first odometry: %+v", s)
	}
	drive(m, 0, 5, 10, func(t float64) geom.Vec2 { return geom.Vec2{X: 0.5 * t} })
	before := m.Status()
	m.Tick(after(5.8))
	if !m.Status().OK {
		t.Error("0.9 s of silence are too long")
	}
	m.Tick(after(6))
	if s := m.Status(); s.OK || s.Speed != 0 || s.Distance != before.Distance {
		t.Errorf("after 1.1 s of silence: %+v", s)
	}
	m.Update(after(8), after(8), geom.Vec2{X: 4})
	if s := m.Status(); !s.OK || s.Distance != before.Distance {
		t.Errorf("the way during the silence is counted: %+v", s)
	}
	m.Tick(begin().Add(-time.Hour)) // the clock jumped
	if m.Status().OK {
		t.Error("odometry from the future is fine")
	}
}

func TestReset(t *testing.T) {
	m := New(DefaultConfig(), begin())
	drive(m, 0, 10, 10, func(t float64) geom.Vec2 { return geom.Vec2{X: 0.5 * t} })
	m.Reset(after(10))
	s := m.Status()
	if s.Distance != 0 || s.MovingTime != 0 || s.Top != 0 || !s.Since.Equal(after(10)) || !s.OK {
		t.Errorf("after a reset: %+v", s)
	}
	if s.Average() != 0 {
		t.Errorf("average %g after a reset", s.Average())
	}
	drive(m, 10, 10, 10, func(t float64) geom.Vec2 { return geom.Vec2{X: 5 + 0.5*t} })
	if s := m.Status(); math.Abs(s.Distance-5) > 0.12 {
		t.Errorf("%.3f m since the reset, want 5 m", s.Distance)
	}
	m.Restart() // another source, another origin
	drive(m, 20, 1, 10, func(float64) geom.Vec2 { return geom.Vec2{X: 4.9} })
	if s := m.Status(); math.Abs(s.Distance-5) > 0.12 || m.Stats().Jumps != 0 {
		t.Errorf("%.3f m after the source changed, %d jumps", s.Distance, m.Stats().Jumps)
	}
}

func TestConfigIsChecked(t *testing.T) {
	err := Config{}.Validate()
	for _, key := range []string{"step: ", "max_speed: ", "window: ", "stale_after: "} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not name %s", err, key)
		}
	}
}

func TestUpdateAllocatesNothing(t *testing.T) {
	m := New(DefaultConfig(), begin())
	k := 0.0
	if n := testing.AllocsPerRun(1000, func() {
		k += 0.01
		m.Update(after(k), after(k), geom.Vec2{X: k})
	}); n != 0 {
		t.Errorf("%g allocations for each update", n)
	}
}

func BenchmarkUpdate(b *testing.B) {
	m := New(DefaultConfig(), begin())
	k := 0.0
	b.ReportAllocs()
	for b.Loop() {
		k += 0.02
		m.Update(after(k), after(k), geom.Vec2{X: 0.5 * k})
	}
}
