package field

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
)

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

// A strip that was not seen limits the speed as soon as the path leads into it, also far from the robot.
func TestUnseenStripFarAhead(t *testing.T) {
	for _, side := range []float64{1, -1} {
		cfg := DefaultConfig()
		cfg.Deceleration, cfg.AngularDeceleration = 0.3, 0.3
		f := mustNew(t, cfg, dog())
		scan := newScene(t, cfg, dog()).scan()
		for deg := 60; deg < 70; deg++ {
			i := 180 + deg
			if side < 0 {
				i = 179 - deg
			}
			scan.Ranges[i] = float32(math.NaN())
		}
		if err := f.Observe(scan.Stamp, scan); err != nil {
			t.Fatal(err)
		}
		f.Limit(scan.Stamp, geom.Velocity{VX: 1, WZ: side})
		if got := f.judge(geom.Velocity{VX: 1, WZ: side}, f.model.margin, f.model.period); got.state != Limited || got.distance < 0.5 {
			t.Errorf("curve into the strip at %+g: %+v, want it limited from afar", side, got)
		}
		if got := f.judge(geom.Velocity{VX: 1}, f.model.margin, f.model.period); got.state != Clear {
			t.Errorf("straight past the strip at %+g: %v", side, got.state)
		}
	}
}

// Where the robot has moved since the scan it may be right beside what was not seen; that matters only in that direction.
func TestUnknownNextToTheRobot(t *testing.T) {
	f := mustNew(t, DefaultConfig(), dog())
	f.unknown = []geom.Vec2{{X: 0, Y: 0.21}}
	for _, tt := range []struct {
		u    geom.Velocity
		want State
	}{
		{geom.Velocity{VY: 0.3}, Blind},
		{geom.Velocity{VY: 0.01}, Blind},
		{geom.Velocity{VY: -0.3}, Clear},
		{geom.Velocity{VX: 0.3}, Clear},
	} {
		if got := f.judge(tt.u, f.model.margin, f.model.period); got.state != tt.want {
			t.Errorf("%v: %v, want %v", tt.u, got.state, tt.want)
		}
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

	// The clock is set back by a minute.
	back := epoch().Add(-time.Minute)
	f.Limit(back, geom.Velocity{})
	if got := f.Report().State; got != Stale {
		t.Errorf("a scan from the future counts: %v", got)
	}
	late := good()
	late.Stamp = back
	if err := f.Observe(back, late); err != nil {
		t.Errorf("the first scan after the clock was set back: %v", err)
	}
}
