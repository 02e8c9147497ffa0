package arbitration

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/geom"
)

const tick = 20 * time.Millisecond

func epoch() time.Time { return time.Unix(1_700_000_000, 0) }

func dog() Body {
	return Body{
		Limits:    geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5},
		Footprint: geom.Polygon{{X: 0.35, Y: 0.2}, {X: -0.35, Y: 0.2}, {X: -0.35, Y: -0.2}, {X: 0.35, Y: -0.2}},
	}
}

// bench is an Arbiter with a clock, free surroundings unless told otherwise, and a scan every 100 ms.
type bench struct {
	*Arbiter
	t        testing.TB
	now      time.Time
	scanning bool
	ranges   []float32
	ticks    int
}

func newBench(t testing.TB, edit ...func(*Config)) *bench {
	t.Helper()
	cfg := DefaultConfig()
	for _, e := range edit {
		e(&cfg)
	}
	a, err := New(cfg, dog())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Arbiter: a, t: t, now: epoch(), scanning: true, ranges: make([]float32, 360)}
	for i := range b.ranges {
		b.ranges[i] = float32(math.Inf(1))
	}
	return b
}

// fieldOff leaves out the protective field where a test is about something else.
func fieldOff(c *Config) { c.Field.Enabled = false }

// tick lets a period pass.
func (b *bench) tick() Output {
	b.t.Helper()
	b.now = b.now.Add(tick)
	if b.scanning && b.ticks%5 == 0 {
		scan := field.Scan{Stamp: b.now, AngleMin: -math.Pi, AngleIncrement: math.Pi / 180, RangeMax: 8, Ranges: b.ranges}
		if _, err := b.ObserveScan(b.now, scan); err != nil {
			b.t.Fatal(err)
		}
	}
	b.ticks++
	return b.Tick(b.now)
}

// hold lets d pass while source repeats v with every tick.
func (b *bench) hold(d time.Duration, source Source, v geom.Velocity) (last Output) {
	b.t.Helper()
	for range int(d / tick) {
		b.Command(b.now, source, v)
		last = b.tick()
	}
	return last
}

func (b *bench) wait(d time.Duration) (last Output) {
	b.t.Helper()
	return b.hold(d, None, geom.Velocity{})
}

func (b *bench) mode(mode, source string) Output {
	b.t.Helper()
	out, err := b.SetMode(b.now, mode, source)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) wantZero(what string) {
	b.t.Helper()
	s := b.Status()
	if !s.Sent.IsZero() {
		b.t.Errorf("%s: sent %v, want zero", what, s.Sent)
	}
	if s.Message == "" {
		b.t.Errorf("%s: stands still and does not say why", what)
	}
}

func (b *bench) wantMoving(what string) {
	b.t.Helper()
	if s := b.Status(); s.Sent.IsZero() {
		b.t.Errorf("%s: stands still (%s), want motion", what, s.Message)
	}
}

func wantPublishedZero(t *testing.T, what string, out Output) {
	t.Helper()
	if !out.Publish || !out.Velocity.IsZero() {
		t.Errorf("%s: got %+v, want a zero published at once", what, out)
	}
}

func ahead() geom.Velocity { return geom.Velocity{VX: 0.5} }

// drivingRemote is a bench on which source drives ahead at full speed.
func drivingRemote(t *testing.T, source Source, edit ...func(*Config)) *bench {
	t.Helper()
	b := newBench(t, edit...)
	b.wait(1200 * time.Millisecond)
	b.mode("remote", source.String())
	b.hold(3*tick, source, geom.Velocity{})
	b.hold(2*time.Second, source, ahead())
	b.wantMoving("driving")
	return b
}

func drivingAuto(t *testing.T, edit ...func(*Config)) *bench {
	t.Helper()
	b := newBench(t, edit...)
	b.wait(1200 * time.Millisecond)
	b.NavigationStarted(b.now)
	b.hold(2*time.Second, Navigation, ahead())
	b.wantMoving("driving")
	return b
}

func TestStartsStoppedAndDisarmed(t *testing.T) {
	b := newBench(t)
	b.wantZero("at start")
	got := b.Status()
	if got.Mode != Auto || got.Armed || got.EStop || got.Field != field.Stale {
		t.Errorf("at start: %+v", got)
	}
	b.wait(1200 * time.Millisecond)
	b.hold(time.Second, Navigation, ahead())
	b.wantZero("navigation sends, but was not started")
	if m := b.Status().Message; !strings.Contains(m, "not been started") {
		t.Errorf("message %q", m)
	}
}

func TestModeNames(t *testing.T) {
	b := drivingAuto(t)
	for _, tt := range []struct{ mode, source, text string }{
		{"AUTO", "", "unknown mode"},
		{"", "", "unknown mode"},
		{"manual", "handheld", "unknown mode"},
		{"remote", "", "unknown remote source"},
		{"remote", "navigation", "unknown remote source"},
		{"remote", "Handheld", "unknown remote source"},
		{"remote", strings.Repeat("x", 10_000), "unknown remote source"},
	} {
		before := b.Status()
		out, err := b.SetMode(b.now, tt.mode, tt.source)
		if err == nil || !strings.Contains(err.Error(), tt.text) || len(err.Error()) > 200 {
			t.Errorf("SetMode(%.20q, %.20q): error %v, want one with %q", tt.mode, tt.source, err, tt.text)
		}
		if d := cmp.Diff(before, b.Status(), cmp.Comparer(sameFloat)); d != "" || out.Publish {
			t.Errorf("SetMode(%.20q, %.20q) was refused, yet changed something: %s", tt.mode, tt.source, d)
		}
	}
}

func sameFloat(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestEveryModeChangeSendsZero(t *testing.T) {
	for _, to := range [][2]string{{"auto", ""}, {"remote", "handheld"}, {"remote", "dashboard"}} {
		b := drivingRemote(t, Handheld)
		wantPublishedZero(t, "handheld drives, then "+to[0]+" "+to[1], b.mode(to[0], to[1]))
		b.hold(200*time.Millisecond, Handheld, ahead())
		b.wantZero("after the change, stick still held")

		b = drivingAuto(t)
		wantPublishedZero(t, "navigation drives, then "+to[0]+" "+to[1], b.mode(to[0], to[1]))
	}
}

func TestUnselectedSourcesNeverReachTheOutput(t *testing.T) {
	b := drivingRemote(t, Handheld)
	for range 100 {
		for _, other := range []Source{Navigation, Dashboard, None, Source(77)} {
			if out := b.Command(b.now, other, geom.Velocity{VX: -1, WZ: 1}); out.Publish {
				t.Fatalf("%v is not selected and was answered", other)
			}
		}
		b.hold(tick, Handheld, ahead())
		if got := b.Status(); got.Sent != ahead() || got.Active != Handheld {
			t.Fatalf("sent %v for %v, want the handheld's %v", got.Sent, got.Active, ahead())
		}
	}
}

func TestSelectedSourceIsAnsweredAtOnce(t *testing.T) {
	b := drivingRemote(t, Handheld)
	b.now = b.now.Add(tick / 4)
	if out := b.Command(b.now, Handheld, geom.Velocity{VX: 0.1}); !out.Publish || out.Velocity.VX >= 0.5 {
		t.Errorf("got %+v, want the answer in this call", out)
	}
}

func TestArming(t *testing.T) {
	zero, small := geom.Velocity{}, geom.Velocity{VX: 0.9e-3, VY: -0.9e-3, WZ: 0.9e-3}
	tests := []struct {
		name  string
		sends []geom.Velocity
		armed bool
	}{
		{"three neutral", []geom.Velocity{zero, zero, zero}, true},
		{"nearly neutral is neutral", []geom.Velocity{small, small, small}, true},
		{"two are not enough", []geom.Velocity{zero, zero}, false},
		{"stick held", []geom.Velocity{ahead(), ahead(), ahead(), ahead()}, false},
		{"in a row", []geom.Velocity{zero, zero, ahead(), zero, zero}, false},
		{"again from the start", []geom.Velocity{zero, ahead(), zero, zero, zero}, true},
		{"one axis is off", []geom.Velocity{{WZ: 1e-3}, {WZ: 1e-3}, {WZ: 1e-3}}, false},
		{"garbage in between", []geom.Velocity{zero, zero, {VX: math.NaN()}, zero, zero}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.wait(1200 * time.Millisecond)
			b.mode("remote", "handheld")
			for _, v := range tt.sends {
				b.hold(tick, Handheld, v)
				b.wantZero("arming")
			}
			if got := b.Status(); got.Armed != tt.armed || (got.ArmingLeft == 0) != tt.armed {
				t.Errorf("armed %v, %d left, want %v", got.Armed, got.ArmingLeft, tt.armed)
			}
			b.hold(100*time.Millisecond, Handheld, ahead())
			if moving := !b.Status().Sent.IsZero(); moving != tt.armed {
				t.Errorf("moving %v, want %v", moving, tt.armed)
			}
		})
	}
}

func TestArmingIsLost(t *testing.T) {
	tests := []struct {
		name string
		do   func(*bench)
	}{
		{"same source selected again", func(b *bench) { b.mode("remote", "handheld") }},
		{"another source and back", func(b *bench) { b.mode("remote", "dashboard"); b.mode("remote", "handheld") }},
		{"auto and back", func(b *bench) { b.mode("auto", ""); b.mode("remote", "handheld") }},
		{"time-out", func(b *bench) { b.wait(320 * time.Millisecond) }},
		{"time-out noticed by the next command", func(b *bench) { b.now = b.now.Add(310 * time.Millisecond) }},
		{"garbage", func(b *bench) { b.Command(b.now, Handheld, geom.Velocity{WZ: math.Inf(-1)}) }},
		{"e-stop", func(b *bench) { b.EngageEStop(b.now, "test"); b.release() }},
		{"clock jump", func(b *bench) { b.now = b.now.Add(time.Hour) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := drivingRemote(t, Handheld, fieldOff)
			tt.do(b)
			b.hold(time.Second, Handheld, ahead())
			b.wantZero("stick held after " + tt.name)
			b.hold(3*tick, Handheld, geom.Velocity{})
			b.hold(5*tick, Handheld, ahead())
			b.wantMoving("armed again")
		})
	}
}

func (b *bench) release() {
	b.t.Helper()
	if _, err := b.ReleaseEStop(b.now); err != nil {
		b.t.Fatal(err)
	}
}

// The dashboard's neutral commands do not arm the handheld, nor do those sent while the e-stop is engaged.
func TestArmingIsPersonal(t *testing.T) {
	b := newBench(t, fieldOff)
	b.mode("remote", "handheld")
	b.hold(5*tick, Dashboard, geom.Velocity{})
	b.hold(5*tick, Handheld, ahead())
	b.wantZero("armed by somebody else")

	b.EngageEStop(b.now, "test")
	b.hold(10*tick, Handheld, geom.Velocity{})
	b.release()
	b.hold(5*tick, Handheld, ahead())
	b.wantZero("armed before the release")
}

func TestZeroWithinTheTimeout(t *testing.T) {
	for _, tt := range []struct {
		name    string
		b       *bench
		source  Source
		timeout time.Duration
	}{
		{"handheld", drivingRemote(t, Handheld), Handheld, 300 * time.Millisecond},
		{"dashboard", drivingRemote(t, Dashboard), Dashboard, 300 * time.Millisecond},
		{"navigation", drivingAuto(t), Navigation, 500 * time.Millisecond},
	} {
		for phase := time.Duration(0); phase < tick; phase += tick / 4 {
			b := tt.b
			b.hold(2*time.Second, tt.source, ahead())
			if tt.source != Navigation {
				b.mode("remote", tt.source.String())
				b.hold(3*tick, tt.source, geom.Velocity{})
				b.hold(2*time.Second, tt.source, ahead())
			}
			b.now = b.now.Add(phase)
			b.Command(b.now, tt.source, ahead())
			said := b.now
			b.wantMoving(tt.name)
			for !b.Status().Sent.IsZero() {
				b.tick()
			}
			if d := b.now.Sub(said); d > tt.timeout || d < tt.timeout-2*tick {
				t.Errorf("%s, phase %s: zero %s after the last command, want just within %s", tt.name, phase, d, tt.timeout)
			}
			b.wantZero(tt.name + " is silent")
		}
	}
}

func TestEqualValuesRefreshTheWatchdog(t *testing.T) {
	b := drivingRemote(t, Handheld)
	for range 40 {
		b.Command(b.now, Handheld, ahead())
		b.wait(240 * time.Millisecond)
		b.wantMoving("the same command every 240 ms")
	}
}

func TestGarbageIsSilence(t *testing.T) {
	for _, bad := range []geom.Velocity{{VX: math.NaN()}, {VY: math.Inf(1)}, {WZ: math.Inf(-1)}, {VX: 0.5, WZ: math.NaN()}} {
		b := drivingRemote(t, Handheld)
		wantPublishedZero(t, "garbage from the handheld", b.Command(b.now, Handheld, bad))
		b.hold(time.Second, Handheld, bad)
		b.wantZero("garbage from the handheld, repeated")

		b = drivingAuto(t)
		wantPublishedZero(t, "garbage from navigation", b.Command(b.now, Navigation, bad))
		b.hold(time.Second, Navigation, bad)
		b.wantZero("garbage from navigation, repeated")
		b.hold(5*tick, Navigation, ahead())
		b.wantMoving("navigation sends numbers again")
	}
}

func TestClampsPerSource(t *testing.T) {
	fast := geom.Velocity{VX: 9, VY: -9, WZ: 9}
	edit := func(c *Config) { c.Field.Enabled, c.NavigationLimits = false, [3]float64{0.6, 0, 1} }
	b := drivingRemote(t, Handheld, edit)
	b.hold(3*time.Second, Handheld, fast)
	if got, want := b.Status().Sent, (geom.Velocity{VX: 1, VY: -0.5, WZ: 1.5}); got != want {
		t.Errorf("handheld: sent %v, want its clamp %v", got, want)
	}
	b = drivingAuto(t, edit)
	b.hold(3*time.Second, Navigation, fast)
	if got, want := b.Status().Sent, (geom.Velocity{VX: 0.6, WZ: 1}); got != want {
		t.Errorf("navigation: sent %v, want its clamp %v", got, want)
	}
	// A body that does less than the clamps wins.
	a, err := New(DefaultConfig(), Body{Limits: geom.Velocity{VX: 0.2, WZ: 0.3}, Footprint: dog().Footprint})
	if err != nil {
		t.Fatal(err)
	}
	b.Arbiter = a
	b.wait(1200 * time.Millisecond)
	b.mode("remote", "handheld")
	b.hold(3*tick, Handheld, geom.Velocity{})
	b.hold(3*time.Second, Handheld, fast)
	if got, want := b.Status().Sent, (geom.Velocity{VX: 0.2, WZ: 0.3}); got != want {
		t.Errorf("slow body: sent %v, want %v", got, want)
	}
}

func TestBurstsCannotExceedTheAcceleration(t *testing.T) {
	b := drivingRemote(t, Handheld, fieldOff)
	b.mode("remote", "handheld")
	b.hold(3*tick, Handheld, geom.Velocity{})
	start := b.now
	for range 1000 {
		b.now = b.now.Add(100 * time.Microsecond)
		b.Command(b.now, Handheld, geom.Velocity{VX: 1})
	}
	if got, most := b.Status().Sent.VX, 0.8*b.now.Sub(start).Seconds(); got > most+1e-9 || got < most-0.8*0.02 {
		t.Errorf("1000 commands in %s reach %g m/s, want %g", b.now.Sub(start), got, most)
	}
}

func TestRampsDownWhileTheSourceTalks(t *testing.T) {
	b := drivingRemote(t, Handheld, fieldOff)
	b.hold(tick, Handheld, geom.Velocity{})
	if v := b.Status().Sent.VX; v < 0.4 || v >= 0.5 {
		t.Errorf("the stick was let go: %g m/s after one tick, want a ramp from 0.5", v)
	}
}

func TestSpeedScale(t *testing.T) {
	b := drivingRemote(t, Handheld, fieldOff)
	b.SetSpeedScale(b.now, 0.5)
	b.hold(time.Second, Handheld, geom.Velocity{VX: 9})
	if v := b.Status().Sent.VX; math.Abs(v-0.5) > 1e-9 {
		t.Errorf("scale 0.5 of the clamp 1: %g m/s, want 0.5: the scale comes after the clamp", v)
	}
	if m := b.Status().Message; !strings.Contains(m, "health") {
		t.Errorf("message %q does not name the health monitor", m)
	}
	b.SetSpeedScale(b.now, 1)
	if v := b.hold(tick, Handheld, geom.Velocity{VX: 9}).Velocity.VX; v > 0.5+0.8*0.02+1e-9 {
		t.Errorf("the scale went up and the speed jumped to %g m/s", v)
	}
	for _, zero := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		b.SetSpeedScale(b.now, 1)
		b.hold(time.Second, Handheld, ahead())
		b.wantMoving("scale 1")
		wantPublishedZero(t, "scale 0", b.SetSpeedScale(b.now, zero))
		b.hold(time.Second, Handheld, ahead())
		b.wantZero("scale 0")
	}
	b.SetSpeedScale(b.now, 7)
	if s := b.Status().SpeedScale; s != 1 {
		t.Errorf("scale 7 counts as %g, want 1", s)
	}
}

func TestClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{-time.Nanosecond, -time.Hour, MaxStep + time.Nanosecond, time.Hour} {
		for _, edit := range []func(*Config){fieldOff, func(*Config) {}} {
			b := drivingRemote(t, Handheld, edit)
			b.now = b.now.Add(jump)
			wantPublishedZero(t, "tick after a jump of "+jump.String(), b.Tick(b.now))

			b = drivingRemote(t, Handheld, edit)
			b.now = b.now.Add(jump)
			wantPublishedZero(t, "handheld after a jump", b.Command(b.now, Handheld, ahead()))

			b = drivingRemote(t, Handheld, edit)
			b.now = b.now.Add(jump)
			wantPublishedZero(t, "another source after a jump", b.Command(b.now, Dashboard, ahead()))

			b = drivingAuto(t, edit)
			b.now = b.now.Add(jump)
			wantPublishedZero(t, "navigation after a jump", b.Command(b.now, Navigation, ahead()))
			b.hold(1500*time.Millisecond, Navigation, ahead())
			b.wantZero("navigation was not started anew")
			b.NavigationStarted(b.now)
			b.hold(1500*time.Millisecond, Navigation, ahead())
			b.wantMoving("navigation was started anew")

			b = drivingAuto(t, edit)
			b.now = b.now.Add(jump)
			if out := b.Tick(b.now); !out.PauseNavigation {
				t.Error("navigation is not told that a jump has ended it")
			}
			if out := b.Tick(b.now); out.PauseNavigation {
				t.Error("navigation is told twice")
			}
		}
	}
	b := drivingRemote(t, Handheld, fieldOff)
	b.now = b.now.Add(100 * time.Millisecond)
	b.Tick(b.now)
	b.wantMoving("a late tick is no jump")
}

func TestScanSafetyReachesTheOutput(t *testing.T) {
	b := drivingRemote(t, Handheld)
	for i := range b.ranges { // a wall all round, too near to stop for
		b.ranges[i] = 0.6
	}
	b.ticks = 0
	wantPublishedZero(t, "something is right ahead", b.tick())
	if s := b.Status(); s.Field != field.Stop {
		t.Errorf("field %v, want stop", s.Field)
	}

	b = drivingAuto(t)
	b.scanning = false
	b.hold(time.Second, Navigation, ahead())
	b.wantZero("no scan")
	if s := b.Status(); s.Field != field.Stale || !strings.Contains(s.Message, "scan") {
		t.Errorf("field %v, message %q", s.Field, s.Message)
	}
	if _, err := b.ObserveScan(b.now, field.Scan{Stamp: b.now}); !errors.Is(err, field.ErrScan) {
		t.Errorf("an empty scan: error %v, want ErrScan", err)
	}
}

func TestMessageIsEmptyOnlyWhenItDoesAsAsked(t *testing.T) {
	b := drivingRemote(t, Dashboard)
	if m := b.Status().Message; m != "" {
		t.Errorf("drives as asked and says %q", m)
	}
	b.hold(2*time.Second, Dashboard, geom.Velocity{})
	if m := b.Status().Message; !strings.Contains(m, "dashboard is at rest") {
		t.Errorf("message %q", m)
	}
	b.wait(time.Second)
	if m := b.Status().Message; !strings.Contains(m, "dashboard sends no commands") {
		t.Errorf("message %q", m)
	}
	b.hold(tick, Dashboard, ahead())
	if m := b.Status().Message; !strings.Contains(m, "not armed") {
		t.Errorf("message %q", m)
	}
}

func TestStatusChangedIsToldOnce(t *testing.T) {
	b := newBench(t, fieldOff)
	b.wait(time.Second)
	if b.tick().StatusChanged {
		t.Error("nothing happened, yet the status changed")
	}
	if !b.mode("remote", "handheld").StatusChanged {
		t.Error("the mode changed unnoticed")
	}
	if b.tick().StatusChanged {
		t.Error("told twice")
	}
	if !b.EngageEStop(b.now, "a").StatusChanged || !b.EngageEStop(b.now, "b").StatusChanged {
		t.Error("a new reason went unnoticed")
	}
	if b.EngageEStop(b.now, "b").StatusChanged {
		t.Error("a known reason was told again")
	}
}

func TestConfigValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	bad := DefaultConfig()
	bad.Rate = math.NaN()
	bad.RemoteTimeout, bad.NavigationTimeout = 0, time.Hour
	bad.RemoteLimits[2], bad.NavigationLimits[0] = -1, math.Inf(1)
	bad.Field.Deceleration, bad.Field.AngularDeceleration = 1.1, 3.1
	var keys []string
	for line := range strings.SplitSeq(bad.Validate().Error(), "\n") {
		key, _, _ := strings.Cut(line, ": ")
		keys = append(keys, key)
	}
	want := []string{
		"rate", "remote_timeout", "navigation_timeout", "remote_limits[2]", "navigation_limits[0]",
		"field.deceleration", "field.angular_deceleration",
	}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
	if _, err := New(bad, dog()); err == nil {
		t.Error("New takes a bad configuration")
	}
	ramp := DefaultConfig()
	ramp.Ramp.Acceleration[0] = 0
	if _, err := New(ramp, dog()); err == nil {
		t.Error("New takes a bad ramp")
	}
	if _, err := New(DefaultConfig(), Body{}); err == nil {
		t.Error("New takes a robot without a shape")
	}
}

// A health monitor that has died must not vouch for the robot for ever.
func TestSilentHealthMonitorCountsForLess(t *testing.T) {
	b := drivingRemote(t, Handheld, fieldOff)
	b.hold(12*time.Second, Handheld, ahead())
	b.wantMoving("a monitor that never spoke is not there")
	b.SetSpeedScale(b.now, 1)
	b.hold(ScaleSlow-100*time.Millisecond, Handheld, ahead())
	if s := b.Status().SpeedScale; s != 1 {
		t.Errorf("scale %g before %v of silence", s, ScaleSlow)
	}
	b.hold(time.Second, Handheld, ahead())
	if s := b.Status().SpeedScale; s != slowScale {
		t.Errorf("scale %g after %v of silence", s, ScaleSlow)
	}
	b.hold(ScaleStop, Handheld, ahead())
	b.wantZero("the monitor is dead")
	b.SetSpeedScale(b.now, 1)
	b.hold(time.Second, Handheld, ahead())
	b.wantMoving("it is back")
}

func TestBodyLostMustBeArmedAgain(t *testing.T) {
	b := drivingRemote(t, Handheld, fieldOff)
	wantPublishedZero(t, "body lost", b.BodyLost(b.now))
	b.hold(time.Second, Handheld, ahead())
	b.wantZero("the stick is held")

	b = drivingAuto(t, fieldOff)
	if out := b.BodyLost(b.now); !out.PauseNavigation {
		t.Error("navigation is not told to pause")
	}
	b.hold(time.Second, Navigation, ahead())
	b.wantZero("navigation was not started anew")
}

func TestBodysOwnRefusalIsTold(t *testing.T) {
	b := drivingRemote(t, Handheld, fieldOff)
	b.SetRefusal(b.now, "")
	if m := b.Status().Message; strings.Contains(m, "body") {
		t.Errorf("message of a body that obeys: %q", m)
	}
	b.SetRefusal(b.now, "it sits: call stand_up first")
	if m := b.Status().Message; !strings.Contains(m, "it sits") {
		t.Errorf("message %q", m)
	}
	b.hold(time.Second, Handheld, ahead())
	b.SetRefusal(b.now, "")
	if m := b.Status().Message; strings.Contains(m, "it sits") || strings.Contains(m, "body") {
		t.Errorf("message %q", m)
	}
	b.hold(time.Second, Handheld, ahead())
	b.wantZero("the stick was held while the body refused")
}
