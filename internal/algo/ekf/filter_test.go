package ekf

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"sarathi/internal/geom"
)

// input is one call of the filter.
type input struct {
	at   time.Time
	kind kind
	rate float64
	pose geom.Pose2
	vel  geom.Velocity
	cov  [3][3]float64
}

func (i *input) give(f *Filter) Verdict {
	switch i.kind {
	case kindIMU:
		return f.AddIMU(i.at, i.rate)
	case kindOdometry:
		return f.AddOdometry(i.at, i.pose, i.vel)
	case kindCorrection:
		v, _ := f.AddCorrection(i.at, i.pose, i.cov)
		return v
	}
	panic("unknown kind")
}

// drive is what the sensors say on a winding way of d.
func drive(seed uint64, d time.Duration) []input {
	r := rand.New(rand.NewPCG(seed, 5))
	var in []input
	truth := geom.Pose2{}
	cov := [3][3]float64{{4e-4, 1e-5, 0}, {1e-5, 4e-4, 0}, {0, 0, 1e-4}}
	for k := range int(d / tick) {
		at := begin().Add(time.Duration(k) * tick)
		v := geom.Velocity{VX: 0.5, WZ: math.Sin(float64(k) / 100)}
		truth = truth.Mul(v.Integrate(tick.Seconds()))
		in = append(in, input{at: at.Add(3 * time.Millisecond), kind: kindIMU, rate: v.WZ + 0.02 + 0.01*r.NormFloat64()})
		if k%2 == 0 {
			in = append(in, input{at: at.Add(7 * time.Millisecond), kind: kindOdometry, pose: truth, vel: v})
		}
		if k%10 == 5 {
			in = append(in, input{at: at.Add(5 * time.Millisecond), kind: kindCorrection, pose: truth, cov: cov})
		}
	}
	return in
}

func newFilter(tb testing.TB, spoil func(*Config)) *Filter {
	tb.Helper()
	cfg := DefaultConfig()
	if spoil != nil {
		spoil(&cfg)
	}
	f, err := New(cfg, Start{PositionSD: 0.1, HeadingSD: 0.1})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// The estimate depends on the set of inputs, not on the order in which they arrive.
func TestLateInputsAreAsGoodAsPunctualOnes(t *testing.T) {
	in := drive(1, 4*time.Second)
	want := newFilter(t, nil)
	for i := range in {
		if v := in[i].give(want); v != Used {
			t.Fatalf("input %d: verdict %d", i, v)
		}
	}
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 1))
		late := append([]input(nil), in...)
		// Each input is delayed by up to 300 ms.
		due := make([]int, len(late))
		for i := range due {
			due[i] = i + r.IntN(48)
		}
		f := newFilter(t, nil)
		for step := range len(in) + 48 {
			for i := range late {
				if due[i] == step || step == 0 && i == 0 {
					late[i].give(f)
				}
			}
		}
		if *f.newest() != *want.newest() {
			t.Errorf("seed %d: %+v\nin order: %+v", seed, f.Estimate(), want.Estimate())
		}
	}
}

func TestEstimateOfAnotherTime(t *testing.T) {
	in := drive(1, 4*time.Second)
	f := newFilter(t, nil)
	for i := range in {
		in[i].give(f)
	}
	now := f.Estimate()
	ahead := f.At(now.Time.Add(100 * time.Millisecond))
	want := now.Pose.Mul(now.Velocity.Integrate(0.1))
	if d := ahead.Pose.Position().Distance(want.Position()); d > 0.002 || ahead.Cov[0][0] <= now.Cov[0][0] {
		t.Errorf("100 ms ahead: %+v, want %v", ahead, want)
	}
	back := f.At(now.Time.Add(-time.Second))
	if d := back.Pose.Position().Distance(now.Pose.Position()); math.Abs(d-0.5) > 0.03 || !back.Time.Before(now.Time) {
		t.Errorf("a second ago: %+v", back)
	}
	if f.Estimate() != now {
		t.Error("asking changed the estimate")
	}
	if e := newFilter(t, nil).At(begin()); e.Pose != (geom.Pose2{}) {
		t.Errorf("before any input: %+v", e)
	}
}

func TestGate(t *testing.T) {
	in := drive(1, 3*time.Second)
	far := func(p geom.Pose2, d float64) geom.Pose2 { return geom.Pose2{X: p.X + d, Y: p.Y, Theta: p.Theta} }
	t.Run("an outlier is refused", func(t *testing.T) {
		f, n := newFilter(t, nil), 0
		for i := range in {
			z := in[i]
			outlier := z.kind == kindCorrection && i > len(in)/2 && i%3 == 0
			if outlier {
				z.pose = far(z.pose, float64(1+i%5))
				n++
			}
			if v := z.give(f); outlier != (v == Refused) {
				t.Fatalf("input %d: outlier %v, verdict %d", i, outlier, v)
			}
		}
		if got := f.Stats().Corrections[Refused]; got != uint64(n) || n == 0 {
			t.Errorf("%d refused of %d", got, n)
		}
	})
	t.Run("a map that moved is followed", func(t *testing.T) {
		f := newFilter(t, nil)
		var verdicts []Verdict
		for i := range in {
			z := in[i]
			moved := z.kind == kindCorrection && i > len(in)/2
			if moved {
				z.pose = geom.Pose2{X: 2, Y: -1, Theta: 0.3}.Mul(z.pose) // a loop was closed
			}
			if v := z.give(f); moved {
				verdicts = append(verdicts, v)
			}
		}
		for i, v := range verdicts {
			want := Used
			if i < 4 {
				want = Refused
			} else if i == 4 {
				want = Adopted
			}
			if v != want {
				t.Fatalf("verdicts %v", verdicts)
			}
		}
	})
	t.Run("outliers that disagree are never followed", func(t *testing.T) {
		f := newFilter(t, nil)
		for i := range in {
			z := in[i]
			if z.kind == kindCorrection && i > len(in)/2 {
				z.pose = far(z.pose, 3+float64(i%7))
			}
			if v := z.give(f); v == Adopted {
				t.Fatalf("input %d adopted", i)
			}
		}
	})
}

// Odometry that begins anew, or that is carried away, moves nothing.
func TestJumpOfOdometry(t *testing.T) {
	in := drive(1, 3*time.Second)
	want, f := newFilter(t, nil), newFilter(t, nil)
	for i := range in {
		in[i].give(want)
		z := in[i]
		if z.kind == kindOdometry && i > len(in)/2 {
			z.pose = geom.Pose2{X: -40, Y: 7, Theta: 2}.Mul(z.pose)
		}
		z.give(f)
	}
	a, b := want.Estimate().Pose, f.Estimate().Pose
	if a.Position().Distance(b.Position()) > 0.02 || math.Abs(a.Theta-b.Theta) > 0.01 {
		t.Errorf("%v, without the jump %v", b, a)
	}
}

// A spinning wheel says nothing about the gyro.
func TestSpinningWheelDoesNotSpoilTheBias(t *testing.T) {
	in := drive(1, 6*time.Second)
	f := newFilter(t, nil)
	spin := geom.Pose2{}
	for i := range in {
		z := in[i]
		if z.kind == kindOdometry && i > len(in)/2 {
			spin.Theta += 0.03 // 1.5 rad/s that the body does not turn
			z.pose = z.pose.Mul(spin)
			z.pose.X, z.pose.Y = in[i].pose.X, in[i].pose.Y
		}
		z.give(f)
	}
	if b := f.Estimate().Bias; math.Abs(b-0.02) > 0.01 {
		t.Errorf("bias %.3f, truth 0.02", b)
	}
}

func TestSilence(t *testing.T) {
	in := drive(1, 6*time.Second)
	last := in[len(in)-1]
	tests := []struct {
		name   string
		silent kind
		far    float64 // how far off the pose may be [m]
		sd     float64 // how uncertain it must be at least [m]
	}{
		{"gyro: odometry turns", kindIMU, 0.02, 0},
		{"absolute poses: dead reckoning", kindCorrection, 0.25, 0.005},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFilter(t, nil)
			for i := range in {
				if i < len(in)/2 || in[i].kind != tt.silent {
					in[i].give(f)
				}
			}
			e := f.Estimate()
			want := newFilter(t, nil)
			for i := range in {
				in[i].give(want)
			}
			if d := e.Pose.Position().Distance(want.Estimate().Pose.Position()); d > tt.far || math.Sqrt(e.Cov[0][0]+e.Cov[1][1]) < tt.sd {
				t.Errorf("%g m off, standard deviation %g m", d, math.Sqrt(e.Cov[0][0]))
			}
		})
	}
	t.Run("everything: the uncertainty grows", func(t *testing.T) {
		f := newFilter(t, nil)
		for i := range in {
			in[i].give(f)
		}
		e := f.At(last.at.Add(5 * time.Second))
		if e.Cov[0][0] < 0.5 || e.Cov[2][2] < 0.5 {
			t.Errorf("covariance %v after 5 s of silence", e.Cov)
		}
	})
}

func TestStrayStamps(t *testing.T) {
	in := drive(1, 3*time.Second)
	f := newFilter(t, nil)
	for i := range in {
		in[i].give(f)
	}
	now := f.Estimate()
	for _, tt := range []struct {
		name string
		by   time.Duration
		want Verdict
	}{{"an hour ahead", time.Hour, TooEarly}, {"an hour ago", -time.Hour, TooLate}, {"older than the window", -2100 * time.Millisecond, TooLate}} {
		if v := f.AddIMU(now.Time.Add(tt.by), 0); v != tt.want {
			t.Errorf("%s: verdict %d, want %d", tt.name, v, tt.want)
		}
	}
	if f.Estimate() != now {
		t.Error("strays changed the estimate")
	}
	// Time itself goes back: the robot goes on from where it was.
	var last Verdict
	for i := range in[:100] {
		z := in[i]
		z.at = z.at.Add(-time.Hour)
		if z.kind != kindCorrection {
			last = z.give(f)
		}
	}
	e := f.Estimate()
	if last != Used || f.Stats().Restarts != 1 || !e.Time.Before(begin()) {
		t.Fatalf("verdict %d, %+v, time %v", last, f.Stats(), e.Time)
	}
	if d := e.Pose.Position().Distance(now.Pose.Position()); d > 1 || e.Cov[0][0] < 0.2 {
		t.Errorf("moved by %g m, covariance %v", d, e.Cov)
	}
}

func TestMalformedInputs(t *testing.T) {
	f := newFilter(t, nil)
	nan, inf := math.NaN(), math.Inf(1)
	good := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	at := begin()
	for name, v := range map[string]Verdict{
		"rate NaN":       f.AddIMU(at, nan),
		"rate infinite":  f.AddIMU(at, inf),
		"rate too large": f.AddIMU(at, 1e3),
		"odometry NaN":   f.AddOdometry(at, geom.Pose2{X: nan}, geom.Velocity{}),
		"velocity NaN":   f.AddOdometry(at, geom.Pose2{}, geom.Velocity{WZ: nan}),
	} {
		if v != Malformed {
			t.Errorf("%s: verdict %d", name, v)
		}
	}
	for name, cov := range map[string][3][3]float64{
		"zero":       {},
		"NaN":        {{nan, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"infinite":   {{inf, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"indefinite": {{1, 2, 0}, {2, 1, 0}, {0, 0, 1}},
		"negative":   {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
	} {
		if v, _ := f.AddCorrection(at, geom.Pose2{}, cov); v != Malformed {
			t.Errorf("covariance %s: verdict %d", name, v)
		}
	}
	if v, _ := f.AddCorrection(at, geom.Pose2{Y: inf}, good); v != Malformed || f.Started() {
		t.Errorf("verdict %d, started %v", v, f.Started())
	}
	if f.AddIMU(at, 0.1) != Used || f.AddIMU(at, 0.2) != Repeated {
		t.Error("the same stamp twice")
	}
}

func TestInvalidConfig(t *testing.T) {
	for key, spoil := range map[string]func(*Config){
		"gyro_noise: 0": func(c *Config) { c.GyroNoise = 0 },
		"slip: NaN":     func(c *Config) { c.Slip = math.NaN() },
		"patience: 0":   func(c *Config) { c.Patience = 0 },
		"window: 1m0s":  func(c *Config) { c.Window = time.Minute },
		"max_turn: -1":  func(c *Config) { c.MaxTurn = -1 },
	} {
		cfg := DefaultConfig()
		spoil(&cfg)
		if _, err := New(cfg, Start{}); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v, want %q", err, key)
		}
	}
	if _, err := New(DefaultConfig(), Start{HeadingSD: math.NaN()}); err == nil {
		t.Error("a start that is no start")
	}
}

// healthy reports what is wrong with a state: its numbers are finite and its covariance is symmetric and not negative.
func healthy(s *state) string {
	for i := range dim {
		if !geom.Finite(s.x[i]) {
			return "the state is not finite"
		}
		for j := range dim {
			if s.p[i][j] != s.p[j][i] || !geom.Finite(s.p[i][j]) {
				return "the covariance is not symmetric and finite"
			}
		}
	}
	sym := mat.NewSymDense(dim, nil)
	for i := range dim {
		for j := i; j < dim; j++ {
			// Scaled, so that rounding is compared to what it rounds.
			scale := math.Sqrt(s.p[i][i]*s.p[j][j]) + 1e-30
			sym.SetSym(i, j, s.p[i][j]/scale)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, false) {
		return "no eigenvalues"
	}
	if least := eigen.Values(nil)[0]; least < -1e-6 {
		return "the covariance has a negative eigenvalue"
	}
	return ""
}

// Whatever comes, in whatever order, the filter stays healthy.
func FuzzFilter(f *testing.F) {
	f.Add([]byte{1, 10, 0, 0, 2, 20, 5, 9, 0, 30, 100, 7})
	f.Add([]byte(strings.Repeat("abcdefgh12345678", 20)))
	f.Fuzz(func(t *testing.T, data []byte) {
		filter := newFilter(t, func(c *Config) { c.Patience = 2 })
		at := begin()
		for n := 0; len(data) >= 8 && n < 400; n++ {
			at = at.Add(time.Duration(int8(data[1])) * 2 * time.Millisecond)
			a := float64(int16(binary.LittleEndian.Uint16(data[2:]))) / 1000
			b := float64(int16(binary.LittleEndian.Uint16(data[4:]))) / 1000
			c := math.Exp(float64(int8(data[6])) / 8)
			in := input{at: at, kind: kind(data[0] % 3), rate: a, pose: geom.Pose2{X: a, Y: b, Theta: a - b}, vel: geom.Velocity{VX: a, WZ: b}}
			for i := range 3 {
				in.cov[i][i] = c
			}
			in.give(filter)
			data = data[8:]
			if n%20 != 19 && len(data) >= 8 {
				continue // looking costs more than filtering
			}
			if fault := healthy(filter.newest()); fault != "" {
				t.Fatalf("after input %d %+v: %s: %+v", n, in, fault, *filter.newest())
			}
		}
		e := filter.At(at.Add(time.Second))
		if !e.Pose.IsFinite() {
			t.Fatalf("%+v", e)
		}
	})
}

func TestHealthyOverARandomMinute(t *testing.T) {
	w := newWorld(4)
	w.fixEvery = 50
	f := w.filter(t)
	for range 12 {
		w.run(f, 5*time.Second)
		if fault := healthy(f.newest()); fault != "" {
			t.Fatalf("%s: %+v", fault, *f.newest())
		}
	}
	if cap(f.events) != maxEvents {
		t.Errorf("the buffer grew to %d", cap(f.events))
	}
}

func TestNoAllocations(t *testing.T) {
	in := drive(1, 8*time.Second)
	f := newFilter(t, nil)
	i := 0
	for ; i < len(in)/2; i++ {
		in[i].give(f)
	}
	if n := testing.AllocsPerRun(100, func() {
		in[i].give(f)
		f.Estimate()
		i++
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// A second of inputs: 100 of the gyro, 50 of odometry, 10 poses that are 60 ms late.
func BenchmarkSecond(b *testing.B) {
	in := drive(1, time.Second)
	f := newFilter(b, nil)
	b.ReportAllocs()
	rounds := 0
	for ; b.Loop(); rounds++ {
		for i := range in {
			z := in[i]
			z.at = z.at.Add(time.Duration(rounds) * time.Second)
			if z.kind == kindCorrection {
				z.at = z.at.Add(-60 * time.Millisecond)
			}
			z.give(f)
		}
	}
	b.ReportMetric(float64(rounds)/b.Elapsed().Seconds(), "x-real-time")
	b.ReportMetric(100, "x-real-time:min")
	b.ReportMetric(0, "allocs/op:max")
}
