package handheld

import (
	"errors"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sarathi/teleop"
)

// A rig is a model with a clock that the test moves, connected to a robot in remote mode.
type rig struct {
	t   *testing.T
	m   *Model
	now time.Time
	st  teleop.State
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, m: New(teleop.Molly()), now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	r.event(teleop.Event{Kind: teleop.EventConnected, Welcome: &teleop.Welcome{
		Name: "Molly", Commands: []string{"estop", "estop_release", "set_mode", "site_list", "say", "stand_up"},
		Limits: teleop.Velocity{VX: 1, VY: 0.5, WZ: 2},
	}})
	r.st = teleop.State{Mode: teleop.Some("remote"), EStop: teleop.Some(false)}
	r.state()
	r.wait(time.Second)
	return r
}

func (r *rig) event(e teleop.Event) []Effect { return r.m.Event(r.now, e) }

func (r *rig) state() []Effect {
	st := r.st
	return r.event(teleop.Event{Kind: teleop.EventState, State: &st})
}

// wait lets time pass, tick by tick, and returns the effects.
func (r *rig) wait(d time.Duration) []Effect {
	var out []Effect
	for end := r.now.Add(d); r.now.Before(end); {
		r.now = r.now.Add(TickPeriod)
		out = append(out, r.m.Tick(r.now, r.m.snap)...)
	}
	return out
}

func key(name string) Key {
	code := []rune(name)[0]
	if code >= 'A' && code <= 'Z' {
		code += 'a' - 'A'
	}
	if utf8.RuneCountInString(name) > 1 {
		return Key{Name: name, Code: -code}
	}
	return Key{Name: name, Text: name, Code: code}
}

func (r *rig) press(name string) []Effect { return r.m.Key(r.now, key(name)) }

func (r *rig) let(name string) []Effect {
	k := key(name)
	k.Release = true
	return r.m.Key(r.now, k)
}

func drive(vx, vy, wz float64) Effect {
	return Effect{Kind: EffectDrive, Velocity: teleop.Velocity{VX: vx, VY: vy, WZ: wz}}
}

// want compares effects. That the stick is shown at rest in remote mode, again and again, and let go again, is left out where it is not
// wanted: it is tested by itself.
func (r *rig) want(what string, got []Effect, want ...Effect) {
	r.t.Helper()
	released := slices.ContainsFunc(want, func(e Effect) bool { return e.Kind == EffectRelease })
	got = slices.DeleteFunc(got, func(e Effect) bool { return atRest(e) || e.Kind == EffectRelease && !released })
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(teleop.Value{})); diff != "" {
		r.t.Errorf("%s: %s", what, diff)
	}
}

func atRest(e Effect) bool { return e.Kind == EffectDrive && e.Velocity.IsZero() }

// rests wants the stick to be shown at rest and nothing else.
func (r *rig) rests(what string, got []Effect) {
	r.t.Helper()
	if len(got) == 0 || slices.ContainsFunc(got, func(e Effect) bool { return !atRest(e) }) {
		r.t.Errorf("%s: %+v", what, got)
	}
}

// The control mux arms on a stick at rest, and disarms when it hears nothing: in remote mode the stick is sent all the time.
func TestTheStickAtRestIsSentInRemoteMode(t *testing.T) {
	r := newRig(t)
	if out := r.wait(time.Minute); len(out) != int(time.Minute/TickPeriod) {
		t.Errorf("%d effects in a minute", len(out))
	}
	r.rests("a minute later", r.wait(time.Second))
	r.want("a key drives at once", r.press("w"), drive(0.5, 0, 0))
	for name, change := range map[string]func(){
		"auto":    func() { r.st.Mode = teleop.Some("auto"); r.state() },
		"stopped": func() { r.st.EStop = teleop.Some(true); r.state() },
		"blurred": func() { r.m.Focus(false) },
		"lost":    func() { r.event(teleop.Event{Kind: teleop.EventLost}) },
	} {
		r = newRig(t)
		change()
		if out := r.wait(time.Second); len(out) > 0 {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// What begins anew begins at rest for long enough, also with a key held.
func TestDrivingBeginsAtRest(t *testing.T) {
	r := newRig(t)
	r.press("g") // ends all input
	r.rests("the first moments", append(r.press("w"), r.wait(neutralFor-2*TickPeriod)...))
	r.press("w")
	r.want("afterwards", r.wait(3 * TickPeriod)[2:], drive(0.5, 0, 0))
}

func TestKeysDrive(t *testing.T) {
	for name, want := range map[string]Effect{
		"w": drive(0.5, 0, 0), "up": drive(0.5, 0, 0), "s": drive(-0.5, 0, 0), "down": drive(-0.5, 0, 0),
		"a": drive(0, 0, 1), "left": drive(0, 0, 1), "d": drive(0, 0, -1), "right": drive(0, 0, -1),
		"A": drive(0, 0.25, 0), "D": drive(0, -0.25, 0),
		"u": drive(0.5, 0, 1), "i": drive(0.5, 0, 0), "o": drive(0.5, 0, -1), "j": drive(0, 0, 1), "l": drive(0, 0, -1),
		"m": drive(-0.5, 0, -1), ",": drive(-0.5, 0, 0), ".": drive(-0.5, 0, 1),
		"U": drive(0.5, 0.25, 0), "O": drive(0.5, -0.25, 0), "M": drive(-0.5, 0.25, 0), ">": drive(-0.5, -0.25, 0),
	} {
		r := newRig(t)
		r.want(name, r.press(name), want)
	}
}

func TestAKeyThatIsNotRepeatedTimesOut(t *testing.T) {
	for _, reports := range []bool{false, true} {
		r := newRig(t)
		r.m.keys.reports = reports
		r.press("w")
		out := r.wait(KeyTimeout - TickPeriod)
		if len(out) != 11 || slices.ContainsFunc(out, func(e Effect) bool { return e.Kind != EffectDrive || e.Velocity.VX != 0.5 }) {
			t.Errorf("before the time-out: %v", out)
		}
		r.rests("after it", r.wait(time.Second))
	}
}

func TestReleasesStopAtOnce(t *testing.T) {
	r := newRig(t)
	r.m.ReportsReleases()
	r.press("w")
	r.want("two keys", r.press("a"), drive(0.5, 0, 1))
	r.want("one left", r.let("w"), drive(0, 0, 1))
	r.rests("none left", r.let("a"))
	r.press("A")
	r.rests("shift let go first", r.let("a"))
}

func TestWithoutReportsTheLastKeyCounts(t *testing.T) {
	r := newRig(t)
	r.press("w")
	r.want("turns", r.press("a"), drive(0, 0, 1))
}

func TestSpeedChangesByTenPercent(t *testing.T) {
	r := newRig(t)
	r.press("w")
	r.want("faster", r.press("q"), drive(0.55, 0, 0))
	for range 50 {
		r.press("q")
	}
	r.want("not above the limit", r.press("w"), drive(1, 0, 0))
	for range 50 {
		r.press("z")
	}
	r.want("not below the least", r.press("w"), drive(leastSpeed, 0, 0))
}

func TestEveryOtherKeyStops(t *testing.T) {
	for _, name := range []string{"space", "k", "g", "f1", "enter", "tab", "?", ":"} {
		r := newRig(t)
		r.press("w")
		r.want(name, r.press(name), Effect{Kind: EffectRelease})
		r.want(name+", then silence", r.wait(time.Second))
	}
}

func TestEStopWorksInEveryScreen(t *testing.T) {
	stop := Effect{Kind: EffectCommand, Name: "estop"}
	for name, enter := range map[string][]string{
		"map": nil, "state": {"tab"}, "help": {"?"}, "palette": {":", "a", "b"}, "confirming": {"ctrl+r"},
	} {
		r := newRig(t)
		for _, k := range enter {
			r.press(k)
		}
		r.want(name, r.press("esc"), stop)
	}
	// Without reports of releases an ESC before another key comes as that key with alt.
	for _, name := range []string{"alt+esc", "shift+esc", "alt+a", "alt+up", "alt+W"} {
		r := newRig(t)
		r.press("w")
		r.want(name, r.press(name), Effect{Kind: EffectRelease}, stop)
		r.m.ReportsReleases()
		r.wait(time.Second)
		if out := r.press("alt+a"); slices.ContainsFunc(out, func(e Effect) bool { return e.Kind == EffectCommand }) {
			t.Errorf("alt+a where the terminal tells ESC from alt: %+v", out)
		}
	}
	r := newRig(t)
	r.press("w")
	r.want("while driving", r.press("esc"), Effect{Kind: EffectRelease}, stop)
	r.m.Event(r.now, teleop.Event{Kind: teleop.EventLost})
	r.want("without a connection", r.press("esc"), stop)
}

func TestReleaseOfTheEStopTakesTwoKeys(t *testing.T) {
	release := Effect{Kind: EffectCommand, Name: "estop_release"}
	r := newRig(t)
	r.want("y alone", r.press("y"))
	r.want("first key", r.press("ctrl+r"))
	r.want("second", r.press("y"), release)
	r.want("once", r.press("y"))
	r.press("ctrl+r")
	r.press("g")
	r.want("another key between", r.press("y"))
	r.press("ctrl+r")
	r.now = r.now.Add(confirmTime)
	r.want("too late", r.press("y"))
}

func TestLosingTheKeyboardStops(t *testing.T) {
	r := newRig(t)
	r.press("w")
	r.want("blur", r.m.Focus(false), Effect{Kind: EffectRelease})
	r.want("a key that comes all the same", r.press("w"))
	r.m.Focus(true)
	r.m.keys.clear()
	r.wait(time.Second)
	r.want("with focus", r.press("w"), drive(0.5, 0, 0))
}

func TestWhatWasHeldAcrossAChangeDoesNotCount(t *testing.T) {
	for name, change := range map[string]func(r *rig){
		"mode": func(r *rig) {
			r.st.Mode = teleop.Some("auto")
			r.state()
			r.st.Mode = teleop.Some("remote")
			r.state()
		},
		"e-stop": func(r *rig) {
			r.st.EStop = teleop.Some(true)
			r.state()
			r.st.EStop = teleop.Some(false)
			r.state()
		},
	} {
		r := newRig(t)
		r.press("w")
		change(r)
		var out []Effect
		for range 20 { // the key goes on repeating
			out = append(out, r.press("w")...)
			out = append(out, r.wait(TickPeriod)...)
		}
		if !slices.ContainsFunc(out, func(e Effect) bool { return e.Kind == EffectDrive && e.Velocity.IsZero() }) {
			t.Errorf("%s: no stick at rest, on which the mux arms", name)
		}
		for _, e := range out {
			if !e.Velocity.IsZero() {
				t.Errorf("%s: a held key drives with %v", name, e.Velocity)
			}
		}
		r.wait(time.Second)
		r.want(name+": pressed anew", r.press("w"), drive(0.5, 0, 0))
	}
}

func TestNothingDrivesWithoutAConnection(t *testing.T) {
	r := newRig(t)
	r.press("w")
	r.want("lost", r.event(teleop.Event{Kind: teleop.EventLost, Reason: "silence"}), Effect{Kind: EffectRelease})
	r.want("a key", r.press("w"))
	m := New(teleop.Molly())
	r.want("before the first welcome", m.Key(r.now, key("w")))
}

func TestPaletteSendsCommands(t *testing.T) {
	type typed struct{ line, want string }
	for _, tt := range []typed{
		{"set_mode mode=auto", `set_mode {"mode":"auto"}`},
		{`say text="good day" interrupt=true`, `say {"text":"good day","interrupt":true}`},
		{"stand_up", "stand_up {}"},
		{"  ", ""},
		{"set_mode mode=fly", ""},
		{"set_mode fly", ""},
	} {
		r := newRig(t)
		r.press(":")
		for _, c := range tt.line {
			r.press(string(c))
		}
		got := ""
		for _, e := range r.press("enter") {
			got = e.Name + " " + string(e.Args.AppendJSON(nil))
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.line, got, tt.want)
		}
		if r.m.screen != screenMap {
			t.Errorf("%q: the palette stayed open", tt.line)
		}
	}
}

func TestPaletteEdits(t *testing.T) {
	r := newRig(t)
	r.press(":")
	r.press("s")
	r.press("i")
	r.press("tab")
	r.press("ü")
	r.press("backspace")
	if r.m.palette.text != "site_list " {
		t.Errorf("%q", r.m.palette.text)
	}
	r.press("ctrl+u")
	r.want("driving keys type", r.press("w"))
	r.press("backspace")
	r.press("backspace")
	if r.m.screen != screenMap {
		t.Error("an empty palette does not close")
	}
}

func TestModeStreamsAndQuit(t *testing.T) {
	r := newRig(t)
	r.want("remote", r.press("r"), Effect{Kind: EffectCommand, Name: "set_mode", Args: teleop.Args{{Name: "mode", Value: teleop.Text("remote")}}})
	r.want("auto", r.press("t"), Effect{Kind: EffectCommand, Name: "set_mode", Args: teleop.Args{{Name: "mode", Value: teleop.Text("auto")}}})
	r.want("lidar off", r.press("x"), Effect{Kind: EffectStreams})
	r.want("lidar on", r.press("x"), Effect{Kind: EffectStreams, Streams: teleop.Streams{Lidar: true}})
	r.press("w")
	r.want("quit", r.press("ctrl+c"), Effect{Kind: EffectRelease}, Effect{Kind: EffectQuit})
}

func TestTheLogIsBounded(t *testing.T) {
	r := newRig(t)
	for range 10 * mostLines {
		r.event(teleop.Event{Kind: teleop.EventResult, Command: "dock", Err: errors.New("no \x1b[2J answer")})
	}
	if len(r.m.log) > mostLines || r.m.log[0] != "no [2J answer" {
		t.Errorf("%d lines, %q", len(r.m.log), r.m.log[0])
	}
}
