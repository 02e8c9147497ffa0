package handheld

import (
	"strings"
	"testing"

	"sarathi/teleop"
)

// FuzzPalette types anything: nothing but a checked command, or a stop, comes out.
func FuzzPalette(f *testing.F) {
	for _, seed := range []string{"set_mode mode=remote", `say text="good day"`, `poi_update poi={"id":"a"}`, `"`, `a="b" "c"`, "\x00\xff", "= = ="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r := newRig(t)
		r.press(":")
		for _, c := range line {
			r.m.Key(r.now, Key{Name: string(c), Text: string(c), Code: c})
		}
		if len(r.m.palette.text) > mostTyped {
			t.Fatalf("%d bytes", len(r.m.palette.text))
		}
		for _, e := range r.press("enter") {
			if _, err := r.m.dialect.Check(e.Name, e.Args); e.Kind != EffectCommand || err != nil {
				t.Errorf("%+v: %v", e, err)
			}
		}
		if strings.ContainsAny(escapes.ReplaceAllString(r.m.View(r.now), ""), "\x1b\r\x07") {
			t.Error("what was typed moves the cursor")
		}
	})
}

// FuzzMapImage takes anything as a map's image: it is refused, or its walls lie within it.
func FuzzMapImage(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"), 1, 1)
	m := room(f)
	f.Add(m.PNG, m.W, m.H)
	f.Fuzz(func(t *testing.T, image []byte, w, h int) {
		s := scene{scale: firstScale}
		if s.setMap(&teleop.Map{Resolution: 1, W: w, H: h, PNG: image}) != nil {
			return
		}
		for _, p := range s.walls {
			if p[0] < 0 || p[1] < 0 || p[0] > float64(w) || p[1] > float64(h) {
				t.Fatalf("a wall at %v of a map of %d by %d", p, w, h)
			}
		}
	})
}
