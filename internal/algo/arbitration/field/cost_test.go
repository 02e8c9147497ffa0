package field

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/geom"
)

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
	for range 100 { // until the memory of past scans has its size
		run()
	}
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
