package avoidance

import (
	"errors"
	"math"
	"testing"
	"time"

	"sarathi/internal/algo/pursuit"
	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

const deg = math.Pi / 180

var epoch = time.Unix(1_700_000_000, 0)

// sectors are 32 over 180 degrees, as the robots have.
func sectors(distance func(angle float64) float64) *Sectors {
	s := &Sectors{AngleMin: -90 * deg, Increment: 180 * deg / 32, RangeMax: 8}
	for i := range 32 {
		s.Ranges = append(s.Ranges, float32(distance(s.center(i)/deg)))
	}
	return s
}

func avoider(tb testing.TB, change func(*Config)) *Avoider {
	tb.Helper()
	cfg := Default()
	if change != nil {
		change(&cfg)
	}
	a, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// settle steps until smoothing has settled.
func settle(tb testing.TB, a *Avoider, s *Sectors) Advice {
	tb.Helper()
	var out Advice
	for i := range 60 {
		var err error
		if out, err = a.Step(epoch.Add(time.Duration(i)*50*time.Millisecond), s, 0); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

func TestAdvice(t *testing.T) {
	nan := math.NaN()
	between := func(lo, hi, d float64) func(float64) float64 {
		return func(a float64) float64 {
			if a >= lo && a <= hi {
				return d
			}
			return 8
		}
	}
	tests := []struct {
		name     string
		distance func(float64) float64
		want     func(Advice) bool
	}{
		{"clear", func(float64) float64 { return 8 }, func(a Advice) bool { return a == Advice{Scale: 1, Front: 8} }},
		{"nothing comes back", func(float64) float64 { return math.Inf(1) }, func(a Advice) bool { return a == Advice{Scale: 1, Front: 8} }},
		{"a wall at 0.6 m", func(a float64) float64 { return 0.6 / math.Cos(a*deg) }, func(a Advice) bool { return a.Emergency && a.Scale == 0 }},
		{"left at 1 m", between(0, 20, 1), func(a Advice) bool { return a.Aside < -0.1 && !a.Emergency && a.Scale > 0.6 && a.Scale < 0.7 }},
		{"right at 1 m", between(-20, 0, 1), func(a Advice) bool { return a.Aside > 0.1 && !a.Emergency }},
		{"beside the cone", between(40, 60, 1), func(a Advice) bool { return a.Aside == 0 && a.Scale == 1 }},
		{"a wall at 1.2 m, as wide as the view", func(float64) float64 { return 1.2 }, func(a Advice) bool { return a.Shut && a.Scale == 0 && a.Aside == 0 }},
		{"a gap nobody looked into", func(a float64) float64 {
			if a > 30 {
				return nan
			}
			return 1.2
		}, func(a Advice) bool { return a.Shut && a.Scale == 0 }},
		{"nobody looks at all", func(float64) float64 { return nan }, func(a Advice) bool { return a.Scale == 1 && a.Aside == 0 }},
	}
	for _, tt := range tests {
		for _, m := range []Method{VFH, FollowGap} {
			t.Run(tt.name+" "+string(m), func(t *testing.T) {
				if got := settle(t, avoider(t, func(c *Config) { c.Method = m }), sectors(tt.distance)); !tt.want(got) {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

func TestEmergencyIsHeld(t *testing.T) {
	a := avoider(t, nil)
	near, free := sectors(func(float64) float64 { return 0.6 }), sectors(func(float64) float64 { return 8 })
	for _, tt := range []struct {
		at   int // [ms]
		s    *Sectors
		want bool
	}{
		{0, near, true}, {100, free, true}, {1000, free, true}, {1050, near, true}, {1100, free, true}, {2050, free, true}, {2100, free, false},
	} {
		if got, err := a.Step(epoch.Add(time.Duration(tt.at)*time.Millisecond), tt.s, 0); err != nil || got.Emergency != tt.want {
			t.Errorf("after %d ms: %+v, %v", tt.at, got, err)
		}
	}
}

func TestSideIsKept(t *testing.T) {
	a := avoider(t, nil)
	post := func(middle float64) *Sectors {
		return sectors(func(x float64) float64 {
			if math.Abs(x-middle) < 8 {
				return 1.2
			}
			return 8
		})
	}
	if settle(t, a, post(4)).Aside >= 0 {
		t.Fatal("a post on the left is passed on the left")
	}
	if got := settle(t, a, post(-4)); got.Aside >= 0 { // a little nearer on the other side now
		t.Errorf("it wavers: %+v", got)
	}
}

// TestPassesAPerson follows a straight path on which somebody stands, a little to one side.
func TestPassesAPerson(t *testing.T) {
	for _, offset := range []float64{-0.3, -0.1, 0.05, 0.25} {
		cfg := pursuit.Default()
		var points []route.Point
		for i := range 101 {
			points = append(points, route.Point{X: 0.1 * float64(i)})
		}
		track, err := pursuit.NewTrack(points, cfg)
		if err != nil {
			t.Fatal(err)
		}
		a := avoider(t, nil)
		person, radius := geom.Vec2{X: 5, Y: offset}, 0.2
		var p pursuit.Pursuit
		var at pursuit.Progress
		pose, nearest := geom.Pose2{}, math.Inf(1)
		for i := range 2000 {
			seen := pose.Inverse().Apply(person)
			s := sectors(func(angle float64) float64 {
				off := math.Abs(geom.AngleDiff(angle*deg, seen.Angle()))
				if off < math.Asin(min(radius/seen.Norm(), 1))+3*deg {
					return seen.Norm() - radius
				}
				return 8
			})
			aim := pose.Inverse().Apply(track.Position(at.Way() + 1.2)).Angle()
			advice, err := a.Step(epoch.Add(time.Duration(i)*50*time.Millisecond), s, aim)
			if err != nil {
				t.Fatal(err)
			}
			at.Update(track, pose, cfg)
			to := pursuit.Target{Limit: 1, Until: 10, Scale: advice.Scale, Aside: advice.Aside}
			if to.Aside != 0 {
				to.Ahead = 1.2
			}
			v := p.Step(track, pose, at.Way(), 0.05, to, cfg)
			pose = pose.Mul(v.Integrate(0.05))
			nearest = min(nearest, pose.Position().Distance(person)-radius)
			if at.Way() > 9.5 {
				break
			}
		}
		if at.Way() < 9.5 || nearest < 0.28 {
			t.Errorf("somebody %.2f m to the left: at %.2f m of the way, passed with %.2f m", offset, at.Way(), nearest)
		}
	}
}

func TestBadInput(t *testing.T) {
	a := avoider(t, nil)
	for i, s := range []*Sectors{
		{},
		{Increment: 0.1, RangeMax: 8, Ranges: make([]float32, 3)},
		{Increment: 0, RangeMax: 8, Ranges: make([]float32, 32)},
		{Increment: math.NaN(), RangeMax: 8, Ranges: make([]float32, 32)},
		{Increment: 0.1, RangeMax: math.Inf(1), Ranges: make([]float32, 32)},
		{AngleMin: math.NaN(), Increment: 0.1, RangeMax: 8, Ranges: make([]float32, 32)},
		{Increment: 0.1, RangeMax: 8, Ranges: make([]float32, 5000)},
	} {
		if _, err := a.Step(epoch, s, 0); !errors.Is(err, ErrScan) {
			t.Errorf("%d: error %v", i, err)
		}
	}
	for i, change := range []func(*Config){
		func(c *Config) { c.Method = "braitenberg" }, func(c *Config) { c.Emergency = 9 }, func(c *Config) { c.Smoothing = 1 }, func(c *Config) { c.MinGap = math.NaN() },
	} {
		cfg := Default()
		change(&cfg)
		if _, err := New(cfg); !errors.Is(err, ErrConfig) {
			t.Errorf("%d: error %v", i, err)
		}
	}
}
