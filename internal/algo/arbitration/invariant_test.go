package arbitration

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/geom"
)

// witness knows the rules independently of the code: from the inputs alone it says what must not happen.
type witness struct {
	t   testing.TB
	a   *Arbiter
	cfg Config
	now time.Time

	mode       Mode
	remote     Source
	engaged    bool
	held       [causeCount]bool
	scale      float64
	navStarted bool
	navSince   bool // a finite command since it was started
	neutrals   int  // in a row, of the selected remote source, since something disarmed it
	lastWord   [sourceCount]time.Time
	hasWord    [sourceCount]bool
	lastScan   time.Time
	hasScan    bool

	sent    geom.Velocity
	sentAt  time.Time
	started bool
	moved   int
	stamps  int
}

func newWitness(t testing.TB, withField bool) *witness {
	cfg := DefaultConfig()
	cfg.Field.Enabled = withField
	a, err := New(cfg, dog())
	if err != nil {
		t.Fatal(err)
	}
	return &witness{t: t, a: a, cfg: cfg, now: epoch(), remote: Handheld, scale: 1}
}

// pass lets time go by; a jump makes everything that was heard worthless.
func (w *witness) pass(d time.Duration) {
	w.now = w.now.Add(d)
	if w.started && (d < 0 || d > MaxStep) {
		w.hasWord = [sourceCount]bool{}
		w.hasScan, w.neutrals, w.navSince = false, 0, false
	}
}

// silenced notices the time-out of the selected remote source, as late as the rule allows.
func (w *witness) silenced() {
	if w.hasWord[w.remote] && w.now.Sub(w.lastWord[w.remote]) > w.cfg.RemoteTimeout {
		w.neutrals = 0
	}
}

func (w *witness) command(from Source, v geom.Velocity) {
	w.silenced()
	if v.IsFinite() {
		w.lastWord[from], w.hasWord[from] = w.now, true
		if from == Navigation && w.navStarted {
			w.navSince = true
		}
	} else {
		w.hasWord[from] = false
	}
	if w.mode == Remote && from == w.remote && !w.engaged {
		switch {
		case !v.IsFinite():
			w.neutrals = 0
		case neutral(v):
			w.neutrals++
		case w.neutrals < 3:
			w.neutrals = 0
		}
	}
	out := w.a.Command(w.now, from, v)
	selected := w.mode == Auto && from == Navigation || w.mode == Remote && from == w.remote
	if selected != out.Publish && !out.Velocity.IsZero() {
		w.t.Fatalf("command of %v while %v is selected: published %v", from, w.mode, out.Publish)
	}
	w.check(out)
}

func (w *witness) check(out Output) {
	w.t.Helper()
	s := w.a.Status()
	if !out.Velocity.IsFinite() || out.Velocity != out.Velocity.Clamp(dog().Limits) {
		w.t.Fatalf("sent %v: not finite or beyond the body", out.Velocity)
	}
	if out.Velocity != s.Sent {
		w.t.Fatalf("output %v, status %v", out.Velocity, s.Sent)
	}
	if s.EStop != w.engaged || s.EStop != (len(s.Reasons) > 0) {
		w.t.Fatalf("e-stop %v with reasons %q, want %v", s.EStop, s.Reasons, w.engaged)
	}
	if s.Sent.IsZero() && s.Message == "" {
		w.t.Fatalf("stands still without a word: %+v", s)
	}
	if out.Publish {
		w.checkMotion(s, out.Velocity)
		w.sent, w.sentAt = out.Velocity, w.now
	}
	w.started = true
}

// checkMotion holds what was sent against everything that forbids motion.
func (w *witness) checkMotion(s Status, v geom.Velocity) {
	w.t.Helper()
	if v.IsZero() {
		return
	}
	w.moved++
	owner, timeout := w.remote, w.cfg.RemoteTimeout
	if w.mode == Auto {
		owner, timeout = Navigation, w.cfg.NavigationTimeout
	}
	switch {
	case w.engaged:
		w.t.Fatal("moves during an e-stop")
	case w.cfg.Field.Enabled && (!w.hasScan || w.now.Sub(w.lastScan) > w.cfg.Field.ScanTimeout):
		w.t.Fatal("moves without a scan")
	case s.Field == field.Stop || s.Field == field.Stale || s.Field == field.Blind:
		w.t.Fatalf("moves in field state %v", s.Field)
	case w.scale == 0:
		w.t.Fatal("moves at scale 0")
	case s.Active != owner:
		w.t.Fatalf("moves for %v, want %v", s.Active, owner)
	case !w.hasWord[owner] || w.now.Sub(w.lastWord[owner]) > timeout:
		w.t.Fatalf("moves for %v, which is silent", owner)
	case w.mode == Remote && w.neutrals < 3:
		w.t.Fatalf("moves for %v after %d neutral commands", owner, w.neutrals)
	case w.mode == Auto && !(w.navStarted && w.navSince):
		w.t.Fatal("moves for navigation, which was not started or has said nothing since")
	}
	// Gaining is never faster than the acceleration; losing never faster than the deceleration, but to zero.
	dt := max(w.now.Sub(w.sentAt).Seconds(), 0)
	was, is := axes(w.sent), axes(v)
	for i := range is {
		rate := w.cfg.Ramp.Acceleration[i]
		if math.Abs(is[i]) < math.Abs(was[i]) {
			rate = w.cfg.Ramp.Deceleration[i]
		}
		if math.Abs(is[i]-was[i]) > rate*dt+1e-9 {
			w.t.Fatalf("axis %d: %g to %g in %g s", i, was[i], is[i], dt)
		}
	}
}

func axes(v geom.Velocity) [3]float64 { return [3]float64{v.VX, v.VY, v.WZ} }

func (w *witness) tick() {
	w.silenced()
	w.check(w.a.Tick(w.now))
}

func (w *witness) scan(reach float32, age time.Duration) {
	ranges := make([]float32, 36)
	for i := range ranges {
		ranges[i] = reach
	}
	w.stamps++
	s := field.Scan{Stamp: w.now.Add(-age), AngleMin: -math.Pi, AngleIncrement: 2 * math.Pi / 36, RangeMax: 8, Ranges: ranges}
	out, err := w.a.ObserveScan(w.now, s)
	if err == nil {
		w.lastScan, w.hasScan = s.Stamp, true
	}
	w.check(out)
}

func (w *witness) setMode(mode, source string) {
	out, err := w.a.SetMode(w.now, mode, source)
	if err == nil {
		if !out.Publish || !out.Velocity.IsZero() {
			w.t.Fatalf("mode change answered with %+v", out)
		}
		w.mode, _ = ParseMode(mode)
		if w.mode == Remote {
			w.remote, _ = ParseRemoteSource(source)
			w.navStarted = false
		}
		w.neutrals, w.navSince = 0, false
		w.hasWord = [sourceCount]bool{}
	}
	w.check(out)
}

func (w *witness) engaging(out Output) {
	w.engaged, w.navStarted, w.navSince, w.neutrals = true, false, false, 0
	if !out.Velocity.IsZero() {
		w.t.Fatal("e-stop answered with motion")
	}
	w.check(out)
}

func (w *witness) release() {
	out, err := w.a.ReleaseEStop(w.now)
	anyHeld := false
	for _, h := range w.held {
		anyHeld = anyHeld || h
	}
	if (err != nil) != (w.engaged && anyHeld) {
		w.t.Fatalf("release: error %v with held causes %v", err, w.held)
	}
	if err == nil && w.engaged {
		w.engaged, w.neutrals, w.navStarted, w.navSince = false, 0, false, false
	}
	w.check(out)
}

func (w *witness) startNavigation() {
	out := w.a.NavigationStarted(w.now)
	switch {
	case w.mode != Auto || w.engaged:
		if !out.PauseNavigation {
			w.t.Fatal("navigation may run although the robot is not its")
		}
	case !w.navStarted:
		w.navStarted, w.navSince = true, false
	}
	w.check(out)
}

// act does what three bytes say; most of them are ordinary traffic, so that the robot moves at all.
func (w *witness) act(op, x, y byte) {
	v := geom.Velocity{VX: float64(int8(x)) / 100, VY: float64(int8(y)) / 200, WZ: float64(int8(x^y)) / 80}
	selected := w.remote
	if w.mode == Auto {
		selected = Navigation
	}
	switch op % 48 {
	case 0:
		w.setMode("auto", "")
	case 1:
		w.setMode("remote", "handheld")
	case 2:
		w.setMode("remote", "dashboard")
	case 3:
		w.setMode("remote", "nobody")
	case 4:
		w.engaging(w.a.EngageEStop(w.now, string([]byte{x, y})))
	case 5:
		c := Cause(x % 3)
		if !w.held[c] {
			w.held[c] = true
			w.engaging(w.a.Hold(w.now, c))
		}
	case 6, 7:
		for c := range w.held {
			w.held[c] = false
			w.check(w.a.Drop(w.now, Cause(c)))
		}
		w.release()
	case 8:
		w.release()
	case 9, 10:
		w.startNavigation()
	case 11:
		w.navStarted, w.navSince = false, false
		w.check(w.a.NavigationPaused(w.now))
	case 12:
		w.scale = finiteScale(float64(int8(x)) / 64)
		w.check(w.a.SetSpeedScale(w.now, float64(int8(x))/64))
	case 13:
		w.scale = 1
		w.check(w.a.SetSpeedScale(w.now, 1))
	case 14:
		bad := [...]float64{math.NaN(), math.Inf(1), math.Inf(-1)}
		v.WZ = bad[x%3]
		w.command(Source(1+y%3), v)
	case 15:
		w.pass(time.Duration(int8(x)) * time.Hour)
		w.tick()
	case 16:
		w.pass(time.Duration(x) * 3 * time.Millisecond)
		w.tick()
	case 17, 18:
		w.command(Source(1+y%3), v)
	case 19:
		w.scan(0.3+float32(x)/100, time.Duration(y)*time.Millisecond)
	case 20:
		w.scan(float32(math.NaN()), 0)
	case 21, 22, 23: // a calm spell
		for range 1 + x%80 {
			w.pass(tick)
			if w.stamps++; w.stamps%5 == 0 {
				w.scan(9, 0)
			}
			w.command(selected, geom.Velocity{})
			w.tick()
		}
	default: // ordinary traffic
		for range 1 + x%30 {
			w.pass(time.Duration(y%40) * time.Millisecond)
			if w.stamps++; w.stamps%5 == 0 {
				w.scan(9, 0)
			}
			w.command(selected, v)
			w.tick()
		}
	}
}

func TestInvariants(t *testing.T) {
	moved := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := newWitness(t, seed%2 == 0)
		for range 150 {
			w.act(byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		moved += w.moved
	}
	if moved < 10_000 {
		t.Errorf("the robot moved in only %d answers: the test shows little", moved)
	}
}

func FuzzArbiter(f *testing.F) {
	f.Add(true, []byte{21, 79, 0, 9, 0, 0, 30, 29, 20, 4, 1, 2, 6, 0, 0, 30, 29, 20})
	f.Add(false, []byte{1, 0, 0, 21, 10, 0, 40, 50, 20, 14, 1, 1, 40, 50, 20, 15, 200, 0, 40, 50, 20})
	f.Add(true, []byte{2, 0, 0, 21, 79, 0, 40, 50, 20, 19, 20, 0, 40, 50, 20, 16, 255, 0, 12, 32, 0, 40, 50, 20})
	f.Fuzz(func(t *testing.T, withField bool, script []byte) {
		if len(script) > 600 {
			return
		}
		w := newWitness(t, withField)
		for i := 0; i+2 < len(script); i += 3 {
			w.act(script[i], script[i+1], script[i+2])
		}
	})
}
