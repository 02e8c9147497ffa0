package clock_test

import (
	"sync"
	"testing"
	"time"

	"sarathi/internal/clock"
)

func epoch() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func TestManualStandsStillUntilMoved(t *testing.T) {
	m := clock.NewManual(epoch())
	if got := m.Now(); !got.Equal(epoch()) {
		t.Fatalf("Now() = %v, want %v", got, epoch())
	}
	if got, want := m.Advance(250*time.Millisecond), epoch().Add(250*time.Millisecond); !got.Equal(want) || !m.Now().Equal(want) {
		t.Errorf("after Advance: returned %v, Now() = %v, want %v", got, m.Now(), want)
	}
	if m.Advance(-time.Hour); !m.Now().Before(epoch()) {
		t.Errorf("a negative Advance did not move the clock back: %v", m.Now())
	}
	m.Set(epoch())
	if got := m.Now(); !got.Equal(epoch()) {
		t.Errorf("after Set: Now() = %v, want %v", got, epoch())
	}
}

func TestManualLosesNoConcurrentAdvance(t *testing.T) {
	const workers, steps = 8, 200
	m := clock.NewManual(epoch())
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range steps {
				before := m.Now()
				if after := m.Advance(time.Millisecond); !after.After(before) {
					t.Errorf("Advance returned %v, not after %v", after, before)
				}
			}
		})
	}
	wg.Wait()
	if got, want := m.Now().Sub(epoch()), workers*steps*time.Millisecond; got != want {
		t.Errorf("moved by %v, want %v", got, want)
	}
}

func TestRealKeepsAMonotonicReading(t *testing.T) {
	a := clock.Real{}.Now()
	b := clock.Real{}.Now()
	if b.Sub(a) < 0 {
		t.Errorf("time ran backwards: %v then %v", a, b)
	}
	// Round(0) strips the monotonic reading; a time that had none is unchanged by it.
	if a == a.Round(0) { //nolint:staticcheck // compares the readings, not the instants
		t.Error("Real returned a time without a monotonic reading: differences would not survive a clock jump")
	}
}
