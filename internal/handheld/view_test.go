package handheld

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/teleop"
)

var update = flag.Bool("update", false, "rewrite the expected screens in testdata")

// room is a map of 4 by 3 m with a wall around it, in which the robot stands.
func room(t testing.TB) *teleop.Map {
	t.Helper()
	const w, h = 80, 60
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			shade := uint8(254)
			if x == 0 || y == 0 || x == w-1 || y == h-1 {
				shade = 0
			}
			img.SetGray(x, y, color.Gray{shade})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return &teleop.Map{Resolution: 0.05, OX: -1, OY: -1, W: w, H: h, PNG: b.Bytes()}
}

func fullRig(t *testing.T) *rig {
	r := newRig(t)
	r.st.Field, r.st.Battery = teleop.Some("limited"), teleop.Some(teleop.Battery{Percent: 82, Volts: 25.2, Amps: 3.1, Temp: 31})
	r.st.Pose, r.st.Cmd = teleop.Some(teleop.Pose{X: 0.5, Y: 0.5, Yaw: math.Pi / 4}), teleop.Some(teleop.Velocity{VX: 0.3})
	r.st.Nav, r.st.NavMsg, r.st.Pause = teleop.Some("PAUSED"), teleop.Some("remote"), []string{"remote mode"}
	r.st.Site = teleop.Some(teleop.SiteStatus{Name: "museum", POIs: 3, Tours: 1})
	r.st.Docking = teleop.Some(teleop.Docking{State: "idle"})
	r.state()
	r.wait(time.Second)
	r.m.snap.Robot = netip.MustParseAddrPort("10.0.0.7:9880")
	r.m.snap.Link = teleop.Link{RTT: 1400 * time.Microsecond, StateLoss: 0.02}
	r.event(teleop.Event{Kind: teleop.EventMap, Map: room(t)})
	r.event(teleop.Event{Kind: teleop.EventRoute, Route: []teleop.RoutePoint{{X: 1, Y: 0}, {X: 2, Y: 0}}})
	r.event(teleop.Event{Kind: teleop.EventLidar, Points: []teleop.LidarPoint{{X: 100, Y: 0, Z: 50}, {X: 100, Y: 10, Z: 50}, {X: 50, Y: 0, Z: 0}}})
	r.event(teleop.Event{Kind: teleop.EventResult, Command: "set_mode", Ack: teleop.Ack{OK: true}})
	return r
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestScreens(t *testing.T) {
	for name, act := range map[string]func(r *rig){
		"map":   func(r *rig) { r.press("w") },
		"state": func(r *rig) { r.press("tab") },
		"help":  func(r *rig) { r.press("?") },
		"palette": func(r *rig) {
			for _, c := range ":st" {
				r.press(string(c))
			}
		},
		"stopped": func(r *rig) {
			r.st.EStop, r.st.EStopReasons = teleop.Some(true), []string{"handheld 10.0.0.2"}
			r.state()
			r.press("ctrl+r")
		},
		"blurred": func(r *rig) { r.m.Focus(false) },
		"lost":    func(r *rig) { r.event(teleop.Event{Kind: teleop.EventLost, Reason: "the robot is silent"}) },
		"lidar": func(r *rig) { // without a pose the robot looks up
			r.st.Pose = teleop.Opt[teleop.Pose]{}
			r.state()
		},
		"small": func(r *rig) { r.m.Resize(30, 10) },
	} {
		r := fullRig(t)
		act(r)
		got := escapes.ReplaceAllString(r.m.View(r.now), "") + "\n"
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got; -update accepts it):\n%s", name, diff)
		}
	}
}

func TestAViewFitsItsTerminal(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {20, 8}, {80, 24}, {300, 90}} {
		r := fullRig(t)
		r.m.Resize(size[0], size[1])
		lines := strings.Split(escapes.ReplaceAllString(r.m.View(r.now), ""), "\n")
		if len(lines) > max(size[1], 8) {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > max(size[0], 20) {
				t.Errorf("%v: %d columns in %q", size, n, line)
			}
		}
	}
}

func TestTheCanvasNumbersDotsAsBrailleDoes(t *testing.T) {
	for _, tt := range []struct {
		x, y int
		want string
	}{{0, 0, "⠁"}, {1, 0, "⠈"}, {0, 2, "⠄"}, {0, 3, "⡀"}, {1, 3, "⢀"}, {2, 0, " ⠁"}, {-1, 0, ""}, {0, 4, ""}, {4, 0, ""}} {
		c := newCanvas(2, 1)
		c.set(tt.x, tt.y, layerWall)
		got := c.lines(func(_ layer, s string) string { return s })[0]
		if strings.TrimRight(got, " ") != tt.want {
			t.Errorf("%d, %d: %q, want %q", tt.x, tt.y, got, tt.want)
		}
	}
}

func TestMapsThatLieAreRefused(t *testing.T) {
	for name, change := range map[string]func(*teleop.Map){
		"no image":   func(m *teleop.Map) { m.PNG = []byte("x") },
		"other size": func(m *teleop.Map) { m.W++ },
		"cut":        func(m *teleop.Map) { m.PNG = m.PNG[:len(m.PNG)/2] },
	} {
		m := room(t)
		change(m)
		var s scene
		if err := s.setMap(m); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestTheRobotIsDrawnAsItLooks(t *testing.T) {
	for yaw, want := range map[float64]string{0: "→", 1.5: "↑", 3.1: "←", -3.1: "←", -1.6: "↓", 40 * math.Pi: "→", math.NaN(): "→", math.Inf(1): "→"} {
		s := scene{scale: 0.05}
		lines := s.draw(3, 3, teleop.Some(teleop.Pose{Yaw: yaw})).lines(func(_ layer, s string) string { return s })
		if !strings.Contains(strings.Join(lines, ""), want) {
			t.Errorf("%g: %q, want %s", yaw, lines, want)
		}
	}
}
