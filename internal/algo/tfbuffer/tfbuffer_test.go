package tfbuffer

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
)

// tolerance of products of a few transforms with numbers of a few metres.
const tolerance = 1e-9

func at(seconds float64) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(math.Round(seconds * 1e9))).UTC()
}

func shift(x float64) geom.Transform {
	return geom.Transform{T: geom.Vec3{X: x}, R: geom.IdentityQuat()}
}

func near(t *testing.T, what string, got, want geom.Transform) {
	t.Helper()
	d := want.Inverse().Mul(got)
	// The angle of a rotation near none is the square root of rounding.
	if d.T.Norm() > tolerance || d.R.Angle() > 1e-7 {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func random(r *rand.Rand) geom.Transform {
	v := func() float64 { return 10*r.Float64() - 5 }
	return geom.Transform{T: geom.Vec3{X: v(), Y: v(), Z: v()}, R: geom.FromRPY(v(), v(), v())}
}

func set(t *testing.T, b *Buffer, parent, child string, when float64, tf geom.Transform) {
	t.Helper()
	if err := b.Set(parent, child, at(when), tf); err != nil {
		t.Fatal(err)
	}
}

func static(t *testing.T, b *Buffer, parent, child string, tf geom.Transform) {
	t.Helper()
	if err := b.SetStatic(parent, child, tf); err != nil {
		t.Fatal(err)
	}
}

func lookup(t *testing.T, b *Buffer, target, source string, when float64) geom.Transform {
	t.Helper()
	tf, err := b.Lookup(target, source, at(when))
	if err != nil {
		t.Fatal(err)
	}
	return tf
}

func TestInterpolation(t *testing.T) {
	b := New(DefaultConfig())
	p := geom.Transform{T: geom.Vec3{X: 1, Y: 2}, R: geom.FromYaw(0.3)}
	q := geom.Transform{T: geom.Vec3{X: 2, Y: 0}, R: geom.FromYaw(1.3)}
	set(t, b, "odom", "base", 10, p)
	set(t, b, "odom", "base", 11, q)
	if got := lookup(t, b, "odom", "base", 10); got != unit(p) {
		t.Errorf("on the first sample: got %v, want exactly %v", got, p)
	}
	if got := lookup(t, b, "odom", "base", 11); got != unit(q) {
		t.Errorf("on the last sample: got %v, want exactly %v", got, q)
	}
	want := geom.Transform{T: geom.Vec3{X: 1.25, Y: 1.5}, R: geom.FromYaw(0.55)}
	near(t, "a quarter of the way", lookup(t, b, "odom", "base", 10.25), want)
}

// TestWalksThroughRandomTrees checks inverse and composition, and the link itself at its knots, over random trees.
func TestWalksThroughRandomTrees(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := New(DefaultConfig())
		const n = 8
		name := func(i int) string { return fmt.Sprintf("f%d", i) }
		for i := 1; i < n; i++ {
			parent := name(r.IntN(i))
			if r.IntN(3) == 0 {
				static(t, b, parent, name(i), random(r))
				continue
			}
			for k := range 6 {
				tf := random(r)
				set(t, b, parent, name(i), float64(k), tf)
				if got := lookup(t, b, parent, name(i), float64(k)); got != unit(tf) {
					t.Fatalf("seed %d: at its knot %s -> %s is %v, want %v", seed, parent, name(i), got, tf)
				}
			}
		}
		when := 5 * r.Float64()
		x, y, z := name(r.IntN(n)), name(r.IntN(n)), name(r.IntN(n))
		xy, yz, xz := lookup(t, b, x, y, when), lookup(t, b, y, z, when), lookup(t, b, x, z, when)
		near(t, fmt.Sprintf("seed %d: composition", seed), xy.Mul(yz), xz)
		near(t, fmt.Sprintf("seed %d: inverse", seed), lookup(t, b, y, x, when).Mul(xy), geom.IdentityTransform())
		near(t, fmt.Sprintf("seed %d: itself", seed), lookup(t, b, x, x, when), geom.IdentityTransform())
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	b := New(DefaultConfig())
	set(t, b, "map", "odom", 10, shift(1))
	set(t, b, "map", "odom", 12, shift(1))
	static(t, b, "odom", "base", shift(1))
	static(t, b, "earth", "moon", shift(1))

	_, err := b.Lookup("map", "bse", at(11))
	if e, ok := errors.AsType[*UnknownFrameError](err); !ok || e.Frame != "bse" || !strings.Contains(err.Error(), "known are base, earth, map, moon, odom") {
		t.Errorf("unknown frame: %v", err)
	}
	_, err = b.Lookup("base", "moon", at(11))
	if e, ok := errors.AsType[*ConnectivityError](err); !ok || e.TargetRoot != "map" || e.SourceRoot != "earth" {
		t.Errorf("two trees: %v", err)
	}
	_, err = b.Lookup("map", "base", at(12.5))
	if e, ok := errors.AsType[*ExtrapolationError](err); !ok || e.By() != 500*time.Millisecond || !strings.Contains(err.Error(), "map -> odom is not known yet: the time is 500ms after") {
		t.Errorf("the future: %v", err)
	}
	_, err = b.Lookup("base", "map", at(9))
	if e, ok := errors.AsType[*ExtrapolationError](err); !ok || e.By() != -time.Second || !strings.Contains(err.Error(), "1s before its oldest") {
		t.Errorf("the past: %v", err)
	}
	if _, err = b.Lookup("base", "map", time.Time{}); err == nil {
		t.Error("no time: want an error")
	}
	if _, err = New(DefaultConfig()).Lookup("a", "b", at(0)); err == nil || !strings.Contains(err.Error(), "no transform has arrived") {
		t.Errorf("empty buffer: %v", err)
	}
}

func TestRefusalsChangeNothing(t *testing.T) {
	b := New(DefaultConfig())
	set(t, b, "a", "b", 1, shift(1))
	set(t, b, "b", "c", 1, shift(2))
	static(t, b, "c", "d", shift(3))
	before := fmt.Sprint(lookup(t, b, "a", "d", 1), b.Frames())
	nan := geom.Transform{T: geom.Vec3{Z: math.NaN()}}
	tests := []struct {
		name string
		do   func() error
		want any
	}{
		{"loop", func() error { return b.Set("d", "a", at(2), shift(1)) }, new(*LoopError)},
		{"static loop", func() error { return b.SetStatic("c", "b", shift(1)) }, new(*LoopError)},
		{"own parent", func() error { return b.Set("b", "b", at(2), shift(1)) }, new(*LoopError)},
		{"not a number", func() error { return b.Set("a", "b", at(2), nan) }, new(*RefusedError)},
		{"no number, new frame", func() error { return b.SetStatic("a", "x", nan) }, new(*RefusedError)},
		{"no name", func() error { return b.Set("", "b", at(2), shift(1)) }, new(*RefusedError)},
		{"no time", func() error { return b.Set("a", "b", time.Time{}, shift(1)) }, new(*RefusedError)},
		{"moving the static", func() error { return b.Set("c", "d", at(2), shift(9)) }, new(*RefusedError)},
		{"straggler of another parent", func() error { return b.Set("a", "c", at(0.5), shift(9)) }, new(*RefusedError)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do()
			if err == nil || !errors.As(err, tt.want) {
				t.Errorf("got %v, want a %T", err, tt.want)
			}
			if after := fmt.Sprint(lookup(t, b, "a", "d", 1), b.Frames()); after != before {
				t.Errorf("the buffer changed from %s to %s", before, after)
			}
		})
	}
	if err := b.Set("d", "a", at(2), shift(1)); err == nil || !strings.Contains(err.Error(), "d <- c <- b <- a") {
		t.Errorf("the loop is not spelled out: %v", err)
	}
}

func TestMovingToAnotherParent(t *testing.T) {
	b := New(DefaultConfig())
	set(t, b, "table", "cup", 1, shift(1))
	set(t, b, "room", "table", 1, shift(5))
	set(t, b, "room", "cup", 2, shift(7))
	near(t, "after the move", lookup(t, b, "room", "cup", 2), shift(7))
	if _, err := b.Lookup("room", "cup", at(1)); !errors.As(err, new(*ExtrapolationError)) {
		t.Errorf("the past below the former parent was kept: %v", err)
	}
	static(t, b, "table", "cup", shift(0.5))
	near(t, "fixed to the table", lookup(t, b, "room", "cup", 1), shift(5.5))
	if got := b.Stats().Moves; got != 2 {
		t.Errorf("%d moves are counted, want 2", got)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	b := New(Config{History: 2 * time.Second, MaxSamples: 1000, MaxFrames: 4})
	for k := range 10_000 {
		set(t, b, "a", "b", float64(k)/100, shift(float64(k)))
	}
	if _, err := b.Lookup("a", "b", at(97.9)); !errors.As(err, new(*ExtrapolationError)) {
		t.Errorf("more than two seconds are kept: %v", err)
	}
	near(t, "two seconds back", lookup(t, b, "a", "b", 98.005), shift(9800.5))
	if c := cap(b.frames["b"].track.buf); c > 1000 {
		t.Errorf("200 samples take room for %d", c)
	}
	few := New(Config{History: time.Minute, MaxSamples: 10, MaxFrames: 4})
	for k := range 100 {
		set(t, few, "a", "b", float64(k)/10, shift(1))
	}
	if n := len(few.frames["b"].track.samples()); n != 10 {
		t.Errorf("%d samples are kept, want 10", n)
	}
	static(t, few, "a", "c", shift(1))
	static(t, few, "a", "d", shift(1))
	if err := few.SetStatic("a", "e", shift(1)); !errors.As(err, new(*RefusedError)) {
		t.Errorf("a fifth frame: %v", err)
	}
}

func TestLateSamplesAreSortedIn(t *testing.T) {
	b := New(DefaultConfig())
	for _, s := range []float64{1, 1.4, 1.2, 1.3, 0.9} {
		set(t, b, "a", "b", s, shift(10*s))
	}
	for s := 0.9; s <= 1.4; s += 0.01 {
		near(t, fmt.Sprintf("at %.2f", s), lookup(t, b, "a", "b", s), shift(10*s))
	}
	set(t, b, "a", "b", 1.2, shift(99))
	if got := lookup(t, b, "a", "b", 1.2); got.T.X != 99 {
		t.Errorf("the later word about an instant does not count: %v", got)
	}
}

func TestClockGoingBack(t *testing.T) {
	b := New(DefaultConfig())
	for k := range 100 {
		set(t, b, "map", "odom", 1000+float64(k)/10, shift(1))
		set(t, b, "odom", "base", 1000+float64(k)/10, shift(1))
	}
	set(t, b, "odom", "base", 3, shift(5)) // a recording starts over
	if _, _, err := b.Latest("map", "base", at(3), time.Second); !errors.As(err, new(*ExtrapolationError)) {
		t.Errorf("two pasts were mixed: %v", err)
	}
	set(t, b, "map", "odom", 3, shift(2))
	tf, when, err := b.Latest("map", "base", at(3), time.Second)
	if err != nil || !when.Equal(at(3)) || tf.T.X != 7 {
		t.Errorf("after both have begun anew: %v at %v, %v", tf, when, err)
	}
	if got := b.Stats().Restarts; got != 2 {
		t.Errorf("%d restarts are counted, want 2", got)
	}
	set(t, b, "map", "odom", 5000, shift(9)) // one wild stamp
	set(t, b, "map", "odom", 3.1, shift(2))
	near(t, "healed", lookup(t, b, "map", "odom", 3.1), shift(2))
}

func TestLatestIsWhatAllLinksKnow(t *testing.T) {
	b := New(DefaultConfig())
	static(t, b, "base", "lidar", shift(0.5))
	if tf, when, err := b.Latest("base", "lidar", at(99), time.Second); err != nil || !when.IsZero() || tf.T.X != 0.5 {
		t.Errorf("static links have no age: %v at %v, %v", tf, when, err)
	}
	set(t, b, "map", "odom", 1, shift(1))
	set(t, b, "map", "odom", 2, shift(1))
	set(t, b, "odom", "base", 1.5, shift(1))
	set(t, b, "odom", "base", 1.8, shift(2))
	tf, when, err := b.Latest("map", "lidar", at(2), 300*time.Millisecond)
	if err != nil || !when.Equal(at(1.8)) || math.Abs(tf.T.X-3.5) > tolerance {
		t.Errorf("got %v at %v, %v", tf, when, err)
	}
	_, _, err = b.Latest("map", "lidar", at(2.2), 300*time.Millisecond)
	if e, ok := errors.AsType[*AgeError](err); !ok || e.Age != 400*time.Millisecond {
		t.Errorf("too old: %v", err)
	}
	if _, _, err = b.Latest("map", "lidar", at(1.5), time.Hour); !errors.As(err, new(*AgeError)) {
		t.Errorf("a stamp 300 ms ahead is no fresh one: %v", err)
	}
	if _, _, err = b.Latest("map", "nowhere", at(2), time.Hour); !errors.As(err, new(*UnknownFrameError)) {
		t.Errorf("unknown frame: %v", err)
	}
}

func TestNamesWithSlashes(t *testing.T) {
	b := New(DefaultConfig())
	static(t, b, "/base", "lidar", shift(1))
	if tf, err := b.Lookup("base", "/lidar", at(0)); err != nil || tf.T.X != 1 {
		t.Errorf("got %v, %v", tf, err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	err := Config{}.Validate()
	for _, key := range []string{"history: ", "max_samples: ", "max_frames: "} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v does not name %s", err, key)
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	b := New(DefaultConfig())
	static(t, b, "base", "lidar", shift(1))
	k := 0.0
	step := func() {
		k += 0.02
		set(t, b, "odom", "base", k, shift(k))
		if _, err := b.Lookup("odom", "lidar", at(k)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3000 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%g allocations for each sample and lookup", n)
	}
}

func BenchmarkLookup(b *testing.B) {
	buf := New(DefaultConfig())
	for k := range 500 {
		for _, l := range [][2]string{{"map", "odom"}, {"camera_init", "body"}} {
			if err := buf.Set(l[0], l[1], at(float64(k)/50), shift(float64(k))); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, l := range [][2]string{{"odom", "camera_init"}, {"body", "base_link"}, {"base_link", "livox_frame"}} {
		if err := buf.SetStatic(l[0], l[1], shift(1)); err != nil {
			b.Fatal(err)
		}
	}
	when := at(5.013)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := buf.Lookup("map", "livox_frame", when); err != nil {
			b.Fatal(err)
		}
	}
}
