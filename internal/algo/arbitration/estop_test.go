package arbitration

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

func TestEStopIsZeroAtOnceAndStays(t *testing.T) {
	for _, b := range []*bench{drivingRemote(t, Handheld), drivingAuto(t)} {
		out := b.EngageEStop(b.now, "button on the dashboard")
		wantPublishedZero(t, "e-stop", out)
		if !out.PauseNavigation {
			t.Error("navigation is not paused")
		}
		for range 200 {
			for s := range sourceCount {
				if out := b.Command(b.now, s, ahead()); !out.Velocity.IsZero() {
					t.Fatalf("%v moves the robot during an e-stop", s)
				}
			}
			b.NavigationStarted(b.now)
			wantPublishedZero(t, "tick during an e-stop", b.tick())
		}
		for _, to := range [][2]string{{"auto", ""}, {"remote", "handheld"}} {
			b.mode(to[0], to[1])
			b.hold(5*tick, Handheld, geom.Velocity{})
			b.hold(5*tick, Handheld, ahead())
			b.wantZero("mode change during an e-stop")
		}
		if s := b.Status(); !s.EStop || !strings.Contains(s.Message, "button on the dashboard") {
			t.Errorf("status %+v", s)
		}
	}
}

func TestReleaseNeverMoves(t *testing.T) {
	b := drivingRemote(t, Handheld)
	b.EngageEStop(b.now, "test")
	b.hold(2*time.Second, Handheld, ahead())
	out, err := b.ReleaseEStop(b.now)
	if err != nil {
		t.Fatal(err)
	}
	wantPublishedZero(t, "release with the stick held", out)
	b.hold(2*time.Second, Handheld, ahead())
	b.wantZero("stick still held")
	b.hold(3*tick, Handheld, geom.Velocity{})
	out = b.hold(tick, Handheld, ahead())
	if v := out.Velocity.VX; v > 0.8*0.02+1e-9 || v == 0 {
		t.Errorf("first command after the release: %g m/s, want a ramp from zero", v)
	}

	b = drivingAuto(t)
	b.EngageEStop(b.now, "test")
	b.hold(2*time.Second, Navigation, ahead())
	b.NavigationStarted(b.now) // during the e-stop it does not count
	b.release()
	b.hold(2*time.Second, Navigation, ahead())
	b.wantZero("navigation went on by itself")
	b.NavigationStarted(b.now)
	b.wantZero("the old command of navigation")
	b.hold(5*tick, Navigation, ahead())
	b.wantMoving("navigation was resumed")
}

func TestReleaseOfNothingChangesNothing(t *testing.T) {
	b := drivingRemote(t, Handheld)
	if out, err := b.ReleaseEStop(b.now); err != nil || out.Publish {
		t.Errorf("got %+v, %v", out, err)
	}
	b.hold(tick, Handheld, ahead())
	b.wantMoving("a release without e-stop must not disturb")
}

func TestReleaseIsRefusedWhileHeld(t *testing.T) {
	b := drivingRemote(t, Handheld)
	wantPublishedZero(t, "hardware e-stop", b.Hold(b.now, HardwareEStop))
	b.Hold(b.now, BodyLatch)
	wantHeld := func(want ...Cause) {
		t.Helper()
		out, err := b.ReleaseEStop(b.now)
		var refused *ReleaseError
		if !errors.As(err, &refused) || !slices.Equal(refused.Held, want) || out.Publish && !out.Velocity.IsZero() {
			t.Errorf("release: %+v, error %v, want it to name %v", out, err, want)
		}
		for _, c := range want {
			if err != nil && !strings.Contains(err.Error(), c.String()) {
				t.Errorf("error %q does not name %q", err, c)
			}
		}
		if !b.Status().EStop {
			t.Error("a refused release opened the latch")
		}
	}
	wantHeld(HardwareEStop, BodyLatch)
	b.Drop(b.now, HardwareEStop)
	if s := b.Status(); s.HardwareEStop || !s.EStop {
		t.Errorf("button let go: %+v, want the latch to stay", s)
	}
	b.hold(time.Second, Handheld, geom.Velocity{})
	wantHeld(BodyLatch)
	b.Drop(b.now, BodyLatch)
	b.Hold(b.now, MuxFault)
	wantHeld(MuxFault)
	b.Drop(b.now, MuxFault)
	if d := cmp.Diff([]string{HardwareEStop.String(), BodyLatch.String(), MuxFault.String()}, b.Status().Reasons); d != "" {
		t.Error(d)
	}
	b.release()
	if s := b.Status(); s.EStop || len(s.Reasons) != 0 || len(s.Holds) != 0 {
		t.Errorf("after the release: %+v", s)
	}
}

// A cause nobody knows is a fault of whoever reports it, and stops all the same.
func TestUnknownCauseIsAFault(t *testing.T) {
	b := newBench(t)
	b.Hold(b.now, Cause(99))
	if s := b.Status(); !s.EStop || !slices.Contains(s.Holds, MuxFault.String()) {
		t.Errorf("status %+v", s)
	}
	b.Drop(b.now, Cause(99))
	if _, err := b.ReleaseEStop(b.now); err == nil {
		t.Error("released")
	}
}

func TestReasons(t *testing.T) {
	b := newBench(t)
	for _, r := range []string{"one", "two", "one", "  two\n", "", "\x00\xff", "a\tb\n\nc"} {
		b.EngageEStop(b.now, r)
	}
	if d := cmp.Diff([]string{"one", "two", noReason, "a b c"}, b.Status().Reasons); d != "" {
		t.Error(d)
	}
	snapshot := b.Status().Reasons
	for i := range 1000 {
		b.EngageEStop(b.now, strings.Repeat("ä", i))
	}
	b.Hold(b.now, HardwareEStop)
	got := b.Status().Reasons
	if len(got) != MaxReasons+2 || got[MaxReasons] != moreReasons || got[MaxReasons+1] != HardwareEStop.String() {
		t.Errorf("%d reasons, want %d, one line for the rest, and the hardware: %q", len(got), MaxReasons, got)
	}
	for _, r := range got {
		if len(r) > MaxReasonLength || !utf8.ValidString(r) || r == "" {
			t.Errorf("reason of %d bytes: %q", len(r), r)
		}
	}
	if d := cmp.Diff([]string{"one", "two", noReason, "a b c"}, snapshot); d != "" {
		t.Errorf("a snapshot changed afterwards: %s", d)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "button", "\xff\xfe", strings.Repeat("日本", 100), "a\x00b\u2028c", " \t "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if got == "" || len(got) > MaxReasonLength || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\t\x00") {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if again := clean(got); again != got {
			t.Errorf("clean is not stable: %q, then %q", got, again)
		}
	})
}

func TestNavigationIsPausedAndResumed(t *testing.T) {
	b := drivingAuto(t)
	if out := b.mode("remote", "handheld"); !out.PauseNavigation {
		t.Error("selecting remote does not pause navigation")
	}
	b.NavigationPaused(b.now)
	if out := b.NavigationStarted(b.now); !out.PauseNavigation || b.navStarted {
		t.Error("navigation may start in mode remote")
	}
	out := b.mode("auto", "")
	if !out.ResumeNavigation || out.PauseNavigation {
		t.Errorf("back in auto: %+v, want navigation to be resumed", out)
	}
	b.hold(time.Second, Navigation, ahead())
	b.wantZero("navigation has not resumed yet")
	b.NavigationStarted(b.now)
	b.hold(5*tick, Navigation, ahead())
	b.wantMoving("resumed")
	if out := b.mode("auto", ""); out.ResumeNavigation {
		t.Error("nothing was paused, yet it is resumed")
	}

	b.mode("remote", "handheld")
	b.mode("remote", "dashboard")
	if out := b.mode("auto", ""); !out.ResumeNavigation {
		t.Error("another remote source in between, and navigation is forgotten")
	}

	for name, between := range map[string]func(){
		"an e-stop":             func() { b.EngageEStop(b.now, "x"); b.release() },
		"navigation was ended":  func() { b.NavigationStopped(b.now) },
		"an e-stop, still held": func() { b.EngageEStop(b.now, "x") },
	} {
		if b.Status().EStop {
			b.release()
		}
		b.mode("auto", "")
		b.NavigationStarted(b.now)
		b.mode("remote", "dashboard")
		between()
		if out := b.mode("auto", ""); out.ResumeNavigation {
			t.Errorf("resumed by itself after %s", name)
		}
	}
}

func TestPausedNavigationStopsAtOnce(t *testing.T) {
	for name, end := range map[string]func(*bench) Output{
		"paused":  func(b *bench) Output { return b.NavigationPaused(b.now) },
		"stopped": func(b *bench) Output { return b.NavigationStopped(b.now) },
	} {
		b := drivingAuto(t)
		wantPublishedZero(t, "navigation "+name, end(b))
		b.hold(time.Second, Navigation, ahead())
		b.wantZero("navigation " + name + " and sends on")
	}
}
