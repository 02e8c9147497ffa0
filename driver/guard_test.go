package driver

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestZeroGuardStandsStill(t *testing.T) {
	var g Guard
	for _, now := range []time.Time{{}, start, start.Add(time.Hour)} {
		if v := g.Velocity(now); v != (Velocity{}) {
			t.Errorf("at %v: %v", now, v)
		}
	}
	if s := g.State(); s != (EStopState{}) {
		t.Errorf("state %+v", s)
	}
}

func TestWatchdogEdge(t *testing.T) {
	for _, c := range []struct {
		timeout time.Duration
		age     time.Duration
		moves   bool
	}{
		{0, 0, true},
		{0, WatchdogTimeout - 1, true},
		{0, WatchdogTimeout, false},
		{100 * time.Millisecond, 100*time.Millisecond - 1, true},
		{100 * time.Millisecond, 100 * time.Millisecond, false},
		{time.Hour, WatchdogTimeout, false}, // nothing longer is allowed
		{-1, WatchdogTimeout - 1, true},
	} {
		g := Guard{Timeout: c.timeout}
		want := Velocity{VX: 1}
		if err := g.Command(start, want); err != nil {
			t.Fatal(err)
		}
		if !c.moves {
			want = Velocity{}
		}
		if v := g.Velocity(start.Add(c.age)); v != want {
			t.Errorf("time-out %v, age %v: %v, want %v", c.timeout, c.age, v, want)
		}
	}
}

// Joint motion lives as long as commands come, whatever their velocity, and a refresh keeps the velocity.
func TestRefresh(t *testing.T) {
	var g Guard
	at := func(d time.Duration) time.Time { return start.Add(d) }
	if g.Fresh(start) {
		t.Error("fresh before the first command")
	}
	if err := g.Refresh(start); err != nil || !g.Fresh(at(WatchdogTimeout-1)) || g.Velocity(at(WatchdogTimeout-1)) != (Velocity{}) {
		t.Errorf("a refresh alone is a command of zero: %v", err)
	}
	if g.Fresh(at(WatchdogTimeout)) {
		t.Error("fresh after the time-out")
	}
	now := at(time.Second)
	if err := g.Command(now, Velocity{VX: 1}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		now = now.Add(WatchdogTimeout / 2)
		if err := g.Refresh(now); err != nil {
			t.Fatal(err)
		}
	}
	if v := g.Velocity(now); v != (Velocity{VX: 1}) {
		t.Errorf("refreshed in time: %v", v)
	}
	now = now.Add(WatchdogTimeout)
	if err := g.Refresh(now); err != nil || g.Velocity(now) != (Velocity{}) || !g.Fresh(now) {
		t.Errorf("a refresh after the time-out brings the velocity back: %v", err)
	}
	g.EStop("test")
	if err := g.Refresh(now); !errors.Is(err, ErrEStopped) || g.Fresh(now) {
		t.Errorf("refresh while latched: %v", err)
	}
}

// A time-out is final: an older time afterwards brings nothing back.
func TestTimeOutStays(t *testing.T) {
	var g Guard
	if err := g.Command(start, Velocity{WZ: 1}); err != nil {
		t.Fatal(err)
	}
	g.Velocity(start.Add(time.Second))
	if v := g.Velocity(start.Add(time.Millisecond)); v != (Velocity{}) {
		t.Errorf("moves again: %v", v)
	}
}

func TestClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []time.Duration // of the clock, after the command
		moves bool
	}{
		{"steady", []time.Duration{200 * time.Millisecond}, true},
		{"jumps ahead", []time.Duration{time.Hour}, false},
		{"jumps back", []time.Duration{-time.Hour}, false},
		{"jumps back by less than has passed", []time.Duration{400 * time.Millisecond, -300 * time.Millisecond}, false},
		{"another goroutine's time", []time.Duration{100 * time.Millisecond, -5 * time.Millisecond}, true},
		{"small steps back", []time.Duration{
			480 * time.Millisecond, -15 * time.Millisecond, 15 * time.Millisecond, -15 * time.Millisecond, 15 * time.Millisecond,
		}, false},
	} {
		var g Guard
		now := start
		if err := g.Command(now, Velocity{VX: 1}); err != nil {
			t.Fatal(err)
		}
		var v Velocity
		for _, d := range c.steps {
			now = now.Add(d)
			v = g.Velocity(now)
		}
		if (v != Velocity{}) != c.moves {
			t.Errorf("%s: %v", c.name, v)
		}
		if err := g.Command(now, Velocity{VX: 2}); err != nil || g.Velocity(now) != (Velocity{VX: 2}) {
			t.Errorf("%s: no command is taken afterwards: %v", c.name, err)
		}
	}
}

func TestLatch(t *testing.T) {
	var g Guard
	if err := g.Command(start, Velocity{VX: 1}); err != nil {
		t.Fatal(err)
	}
	if !g.EStop("first") || g.EStop("second") {
		t.Error("only the first e-stop changes something")
	}
	if s := g.State(); s != (EStopState{Engaged: true, Reason: "first"}) {
		t.Errorf("state %+v", s)
	}
	if err := g.Command(start, Velocity{VX: 1}); !errors.Is(err, ErrEStopped) {
		t.Errorf("command while latched: %v", err)
	}
	if changed, err := g.Release(); !changed || err != nil {
		t.Errorf("release: %v, %v", changed, err)
	}
	if v := g.Velocity(start); v != (Velocity{}) {
		t.Errorf("an old command moves the body after the release: %v", v)
	}
	if changed, err := g.Release(); changed || err != nil {
		t.Errorf("second release: %v, %v", changed, err)
	}
	g.EStop("")
	if g.State().Reason == "" {
		t.Error("a latch without a reason says nothing")
	}
}

func TestHold(t *testing.T) {
	var g Guard
	g.EStop("software")
	if !g.Hold(true, "button") || g.Hold(true, "button") {
		t.Error("only the press changes something")
	}
	if s := g.State(); s != (EStopState{Engaged: true, Held: true, Reason: "software"}) {
		t.Errorf("state %+v", s)
	}
	_, err := g.Release()
	if !errors.Is(err, ErrHeld) || err.Error() != ErrHeld.Error()+": button" {
		t.Errorf("release while held: %v", err)
	}
	if !g.Hold(false, "") || !g.State().Engaged {
		t.Error("letting go must not release the latch")
	}
	if _, err := g.Release(); err != nil {
		t.Error(err)
	}
	g.Hold(true, "button")
	if s := g.State(); s != (EStopState{Engaged: true, Held: true, Reason: "button"}) {
		t.Errorf("state %+v", s)
	}
}

// TestGuardProperties drives guards with random calls and compares with what the rules say directly.
func TestGuardProperties(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var (
			g        Guard
			now      = start
			elapsed  time.Duration // true time
			valid    time.Duration // of the last valid command in true time
			command  Velocity      // what may still be obeyed
			estopped bool
			held     bool
		)
		for step := range 400 {
			switch rng.IntN(12) {
			case 0:
				v := Velocity{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				err := g.Command(now, v)
				if estopped != errors.Is(err, ErrEStopped) {
					t.Fatalf("seed %d step %d: latched %v, command says %v", seed, step, estopped, err)
				}
				if err == nil {
					command, valid = v, elapsed
				}
			case 1:
				bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.IntN(3)]
				v := [3]float64{1, 1, 1}
				v[rng.IntN(3)] = bad
				if err := g.Command(now, Velocity{v[0], v[1], v[2]}); !errors.Is(err, ErrNotFinite) {
					t.Fatalf("seed %d step %d: %v is taken: %v", seed, step, v, err)
				}
				command = Velocity{}
			case 2:
				if rng.IntN(4) == 0 {
					g.EStop("test")
					estopped, command = true, Velocity{}
				}
			case 3:
				held = rng.IntN(2) == 0
				g.Hold(held, "button")
				if held {
					estopped, command = true, Velocity{}
				}
			case 4:
				if _, err := g.Release(); errors.Is(err, ErrHeld) != held {
					t.Fatalf("seed %d step %d: held %v, release says %v", seed, step, held, err)
				}
				if !held {
					estopped, command = false, Velocity{}
				}
			case 5: // the clock is corrected
				if rng.IntN(2) == 0 {
					now = now.Add(-time.Duration(rng.IntN([]int{20, 2000}[rng.IntN(2)])) * time.Millisecond)
				}
			default:
				d := time.Duration(rng.IntN(120)) * time.Millisecond
				now, elapsed = now.Add(d), elapsed+d
			}
			got := g.Velocity(now)
			if got != (Velocity{}) && (got != command || elapsed-valid >= WatchdogTimeout) {
				t.Fatalf("seed %d step %d: moves by %v, %v after %v", seed, step, got, elapsed-valid, command)
			}
			if s := g.State(); s.Engaged != estopped || s.Held != held {
				t.Fatalf("seed %d step %d: state %+v, want %v %v", seed, step, s, estopped, held)
			}
			if got == (Velocity{}) {
				command = Velocity{} // stopped once is stopped until the next command
			}
		}
	}
}
