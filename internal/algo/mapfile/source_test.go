package mapfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

// greys is the map of testdata in 8 bits, which has 7939 cells of 254, 795 of 0 and 138722 of 205.
func greys(tb testing.TB) (pixels []byte, width, height int) {
	tb.Helper()
	data, err := os.ReadFile("testdata/gray.png")
	if err != nil {
		tb.Fatal(err)
	}
	pic, err := decodePicture("gray.png", data)
	if err != nil {
		tb.Fatal(err)
	}
	return pic.grey, pic.width, pic.height
}

// mapped is an 8-bit PGM whose greys went through f.
func mapped(pixels []byte, head string, f func(byte) byte) []byte {
	out := []byte(head)
	for _, g := range pixels {
		out = append(out, f(g))
	}
	return out
}

// Every way to write one map that is found in the world, made of the map in testdata. TestVariants reads them as they were found.
func TestWaysToWriteOneMap(t *testing.T) {
	pixels, w, h := greys(t)
	head := fmt.Sprintf("P5\n%d %d\n255\n", w, h)
	same := func(g byte) byte { return g }
	plain := mapped(pixels, head, same)
	wide, ascii := fmt.Appendf(nil, "P5\n%d %d\n65535\n", w, h), fmt.Appendf(nil, "P2\n# by hand\n%d # width\n%d\n# max\n255\n", w, h)
	for _, g := range pixels {
		wide = binary.BigEndian.AppendUint16(wide, uint16(g)*257)
		ascii = fmt.Appendf(ascii, "%d ", g)
	}
	edit := func(pairs ...string) string {
		return strings.NewReplacer(pairs...).Replace("image: m.pgm\nresolution: 0.05\norigin: [-10.0, -10.0, 0.0]\nnegate: 0\n" +
			"occupied_thresh: 0.65\nfree_thresh: 0.196\n")
	}
	usual := Counts{7939, 795, 138722, 0}
	tests := []struct {
		name, yaml string
		image      []byte
		want       Counts
		err        string // or a part of the refusal
		warning    string
	}{
		{"negate 1", edit("negate: 0", "negate: 1"), mapped(pixels, head, func(g byte) byte { return 255 - g }), usual, "", ""},
		{"negate true", edit("negate: 0", "negate: true"), mapped(pixels, head, func(g byte) byte { return 255 - g }), usual, "", ""},
		{"negate that was not meant", edit("negate: 0", "negate: 1"), plain, Counts{795, 146661, 0, 0}, "", "grey 205"},
		{"ascii with comments", edit(), ascii, usual, "", ""},
		{"crlf header", edit(), mapped(pixels, fmt.Sprintf("P5\r\n# windows\r\n%d %d\r\n255\n", w, h), same), usual, "", ""},
		{"maxval 100", edit(), mapped(pixels, fmt.Sprintf("P5\n%d %d\n100\n", w, h), func(g byte) byte {
			return byte((int(g)*100 + 127) / 255)
		}), usual, "", ""},
		{"16 bit", edit(), wide, usual, "", ""},
		{"trailing bytes", edit(), append(bytes.Clone(plain), "\n\n"...), usual, "", ""},
		{"scale", edit("0.65", "1.0", "0.196", "0.0\nmode: scale"), plain, Counts{0, 795, 0, 146661}, "", ""},
		{"raw", edit("0.196", "0.196\nmode: raw"), mapped(pixels, head, func(g byte) byte {
			return map[byte]byte{0: 100, 254: 0, 205: 255}[g]
		}), usual, "", ""},
		{"yaw", edit("[-10.0, -10.0, 0.0]", "[25.9, 48.5, 3.14]"), plain, usual, "", ""},
		{"extra keys", edit("negate: 0", "negate: 0\nfloor: 2\nmeta: {site: lobby}"), plain, usual, "", ""},
		{"free at 0.25", edit("0.196", "0.25"), plain, Counts{146661, 795, 0, 0}, "", "138722 cells of grey 205"},
		{"yaw not known", edit("0.0]", "-nan]"), plain, usual, "", "m.yaml:3: yaw of `origin` is -nan, taken as 0"},
		{"inverted thresholds", edit("0.65", "0.1", "0.196", "0.9"), plain, Counts{}, "m.yaml:5: `occupied_thresh` 0.1 is below", ""},
		{"two in origin", edit("[-10.0, -10.0, 0.0]", "[0.0, 0.0]"), plain, Counts{}, "m.yaml:3: `origin` has 2 numbers", ""},
		{"zero resolution", edit("0.05", "0.0"), plain, Counts{}, "m.yaml:2: `resolution` is 0", ""},
		{"missing file", edit("m.pgm", "other.pgm"), plain, Counts{}, "m.yaml:1: image other.pgm cannot be read", ""},
		{"truncated", edit(), plain[:1015], Counts{}, "m.pgm: the image ends early", ""},
		{"nothing free", edit(), mapped(pixels, head, func(byte) byte { return 0 }), Counts{0, w * h, 0, 0}, "", "no cell is free"},
	}
	for _, tt := range tests {
		src, err := OpenFS(fstest.MapFS{"m.yaml": {Data: []byte(tt.yaml)}, "m.pgm": {Data: tt.image}}, "m.yaml")
		if tt.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), tt.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := src.Count(Nav2); got != tt.want || got.Total() != w*h {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		if got := strings.Join(src.Warnings(), "\n"); (got == "") != (tt.warning == "") || !strings.Contains(got, tt.warning) {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.warning)
		}
	}
}

// one is a source of pixels with these greys.
func one(t *testing.T, change func(*Meta), pixels ...byte) *Source {
	t.Helper()
	meta := Meta{Mode: Trinary, Resolution: 0.05, OccupiedThresh: 0.65, FreeThresh: 0.25}
	change(&meta)
	s, err := NewSource("m", meta, append(fmt.Appendf(nil, "P5 %d 1 255\n", len(pixels)), pixels...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheRuleOfSites(t *testing.T) {
	pixels := []byte{0, 254, 205, 255, 60, 128, 206, 204}
	tests := []struct {
		name       string
		change     func(*Meta)
		nav2, site []int8
	}{
		{"as written", func(*Meta) {}, []int8{100, 0, 0, 0, 100, -1, 0, 0}, []int8{100, 0, -1, 0, 100, -1, 0, 0}},
		{
			"thresholds at their ends", func(m *Meta) { m.OccupiedThresh, m.FreeThresh = 1, 0 },
			[]int8{100, -1, -1, 0, -1, -1, -1, -1},
			[]int8{100, 0, -1, 0, -1, -1, -1, -1},
		},
		{
			"scale", func(m *Meta) { m.Mode = Scale; m.OccupiedThresh, m.FreeThresh = 1, 0 },
			[]int8{100, 0, 20, 0, 76, 50, 19, 20},
			[]int8{100, 0, -1, 0, 76, 50, 19, 20},
		},
		{
			"negated as Nav2", func(m *Meta) { m.Negate = true },
			[]int8{0, 100, 100, 100, 0, -1, 100, 100},
			[]int8{0, 100, 100, 100, 0, -1, 100, 100},
		},
		{"raw as Nav2", func(m *Meta) { m.Mode = Raw }, []int8{0, -1, -1, -1, 60, -1, -1, -1}, []int8{0, -1, -1, -1, 60, -1, -1, -1}},
	}
	for _, tt := range tests {
		s := one(t, tt.change, pixels...)
		for r, want := range map[Rule][]int8{Nav2: tt.nav2, Site: tt.site} {
			m := s.Map(r)
			if d := cmp.Diff(want, m.Cells); d != "" {
				t.Errorf("%s, rule %d (-want +got)\n%s", tt.name, r, d)
			}
			if got, value := s.Count(r), m.Count(); got.Unknown != value.Unknown || got.Total() != len(pixels) {
				t.Errorf("%s, rule %d: counts %+v of %+v", tt.name, r, got, value)
			}
		}
	}
}

func TestWarningsAndForm(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*Meta)
		pixels   []byte
		warnings []string
		form     string
	}{
		{"of a robot", func(*Meta) {}, []byte{0, 254, 205}, []string{
			"1 cell of grey 205, which map savers write for unknown, is free by the thresholds (p = 0.196)",
		}, ""},
		{"of a saver", func(m *Meta) { m.FreeThresh = 0.196 }, []byte{0, 254, 205}, nil, "the thresholds are 0.65 and 0.196, not 0.65 and 0.25"},
		{"greys between", func(m *Meta) { m.FreeThresh = 0.196 }, []byte{0, 254, 206, 90, 89, 89}, []string{
			"4 cells of grey 89 to 206 are within one grey of a threshold: other readers may see them differently",
		}, "the thresholds are 0.65 and 0.196, not 0.65 and 0.25"},
		{"one between", func(*Meta) {}, []byte{0, 254, 120}, nil, "1 cell is neither 0, 254 nor 205"},
		{"one near", func(*Meta) {}, []byte{0, 254, 191}, []string{
			"1 cell of grey 191 is within one grey of a threshold: other readers may see them differently",
		}, "1 cell is neither 0, 254 nor 205"},
		{"negated", func(m *Meta) { m.Negate = true }, []byte{0, 50, 205}, []string{
			"1 cell of grey 205, which map savers write for unknown, is occupied by the thresholds (p = 0.804)",
			"1 cell of grey 50, which map savers write for unknown, is free by the thresholds (p = 0.196)",
		}, "negate is set"},
		{"scale", func(m *Meta) { m.Mode = Scale }, []byte{0, 254, 205, 90}, nil, "mode is scale, not trinary"},
		{"raw", func(m *Meta) { m.Mode = Raw }, []byte{205}, nil, "mode is raw, not trinary"},
		{"walls only", func(*Meta) {}, []byte{0}, []string{"no cell is free: the robot could drive nowhere"}, ""},
	}
	for _, tt := range tests {
		s := one(t, tt.change, tt.pixels...)
		if d := cmp.Diff(tt.warnings, s.Warnings()); d != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, d)
		}
		if got := s.InSiteForm(); got != tt.form {
			t.Errorf("%s: form %q, want %q", tt.name, got, tt.form)
		}
	}
}

func TestTransparencyIsUnknown(t *testing.T) {
	data, err := os.ReadFile("testdata/rgba.png")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSource("m", Meta{Mode: Trinary, OccupiedThresh: 0.65, FreeThresh: 0.25}, data)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{7939, 795, 138722, 0}); s.Count(Nav2) != want || s.Map(Site).Count() != want {
		t.Errorf("counts %+v, cells %+v", s.Count(Nav2), s.Map(Site).Count())
	}
	if s.InSiteForm() != "138722 cells are neither 0, 254 nor 205" && s.Meta.FreeThresh == 0.25 {
		t.Errorf("form %q", s.InSiteForm())
	}
	greys := s.Greys()
	if greys[254] != 7939 || greys[0] != 795 {
		t.Errorf("greys %v", greys)
	}
}

func TestEncodePNG(t *testing.T) {
	m := &Map{Meta: Meta{Resolution: 0.05, Origin: geom.Pose2{}}, Width: 3, Height: 2, Cells: []int8{0, 100, -1, 25, 26, 65}}
	data, err := EncodePNG(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	s, err := NewSource("m", Meta{Mode: Trinary, OccupiedThresh: 0.65, FreeThresh: 0.196}, data)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int8{Free, Occupied, Unknown, Free, Unknown, Occupied}; !slices.Equal(s.Map(Site).Cells, want) {
		t.Errorf("drawn %v, want %v", s.Map(Site).Cells, want)
	}
	if _, err := EncodePNG(&Map{}); err == nil {
		t.Error("a map without cells was drawn")
	}
}
