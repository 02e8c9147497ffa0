package main

import (
	"math"
	"testing"
	"time"
)

func TestRateMeter(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := newRateMeter(4)
	if f := m.facts(); f != (rateFacts{}) {
		t.Errorf("of nothing: %+v", f)
	}
	m.add(at)
	if f := m.facts(); f != (rateFacts{Messages: 1, Window: 1}) {
		t.Errorf("of one: %+v", f)
	}
	// The window holds the last four: 0.1, 0.1 and 0.4 s apart.
	for _, ms := range []int{5000, 6000, 6100, 6200, 6600} {
		m.add(at.Add(time.Duration(ms) * time.Millisecond))
	}
	f := m.facts()
	want := rateFacts{Messages: 6, Window: 4, Rate: 5, Shortest: 0.1, Longest: 0.4, Deviation: math.Sqrt(0.02)}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if f.Messages != want.Messages || f.Window != want.Window || !near(f.Rate, want.Rate) || !near(f.Shortest, want.Shortest) ||
		!near(f.Longest, want.Longest) || !near(f.Deviation, want.Deviation) {
		t.Errorf("got %+v, want %+v", f, want)
	}
}

func TestRateMeterOfSimultaneousMessages(t *testing.T) {
	m := newRateMeter(4)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m.add(at)
	m.add(at)
	if f := m.facts(); f.Rate != 0 || f.Longest != 0 {
		t.Errorf("got %+v, want no rate: it is not finite", f)
	}
}
