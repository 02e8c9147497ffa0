package mapfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/geom"
)

// metaText is a complete description; extra lines override nothing, they are appended.
func metaText(extra string) string {
	return "image: map.pgm\nresolution: 0.05\norigin: [-1, -2, 0.5]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n" + extra
}

func TestParseMeta(t *testing.T) {
	want := Meta{
		Image: "map.pgm", Mode: Trinary, Resolution: 0.05, Origin: geom.Pose2{X: -1, Y: -2, Theta: 0.5},
		OccupiedThresh: 0.65, FreeThresh: 0.196, ImageLine: 1,
	}
	tests := []struct {
		name, text string
		change     func(*Meta)
	}{
		{"plain", metaText(""), func(*Meta) {}},
		{"extra keys", metaText("floor: 2\nmeta: {site: lobby}\nlist:\n  - a\n"), func(*Meta) {}},
		{"crlf", strings.ReplaceAll(metaText(""), "\n", "\r\n"), func(*Meta) {}},
		{"document markers", "---\n" + metaText("...\n"), func(m *Meta) { m.ImageLine = 2 }},
		{"scale", metaText("mode: scale\n"), func(m *Meta) { m.Mode = Scale }},
		{"raw quoted", metaText("mode: \"raw\"\n"), func(m *Meta) { m.Mode = Raw }},
		{"negate 1", strings.Replace(metaText(""), "negate: 0", "negate: 1", 1), func(m *Meta) { m.Negate = true }},
		{"negate true", strings.Replace(metaText(""), "negate: 0", "negate: true", 1), func(m *Meta) { m.Negate = true }},
		{"negate no", strings.Replace(metaText(""), "negate: 0", "negate: no", 1), func(*Meta) {}},
		{"numbers", strings.NewReplacer("0.05", "5e-2", "0.65", ".65", "[-1, -2, 0.5]", "\n  - -1.0\n  - -2\n  - +0.5").Replace(metaText("")), func(*Meta) {}},
		{"yaw beyond π", strings.Replace(metaText(""), "0.5]", "6.283185307179586]", 1), func(m *Meta) { m.Origin.Theta = 0 }},
		{"quoted image", strings.Replace(metaText(""), "map.pgm", "'my map.pgm'", 1), func(m *Meta) { m.Image = "my map.pgm" }},
		{"yaw -nan", strings.Replace(metaText(""), "0.5]", "-nan]", 1), func(m *Meta) {
			m.Origin.Theta = 0
			m.Warnings = []string{"m.yaml:3: yaw of `origin` is -nan, taken as 0"}
		}},
		{"yaw .nan", strings.Replace(metaText(""), "0.5]", ".nan]", 1), func(m *Meta) {
			m.Origin.Theta = 0
			m.Warnings = []string{"m.yaml:3: yaw of `origin` is .nan, taken as 0"}
		}},
	}
	for _, tt := range tests {
		w := want
		tt.change(&w)
		got, err := ParseMeta("m.yaml", []byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(w, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, d)
		}
	}
}

func TestParseMetaFaults(t *testing.T) {
	edit := func(old, text string) string { return strings.Replace(metaText(""), old, text, 1) }
	tests := []struct{ name, text, want string }{
		{"no image", edit("image: map.pgm\n", ""), "m.yaml: key `image` is missing; name the image file"},
		{"empty image", edit("map.pgm", `""`), "m.yaml:1: `image` is not a name; name the image file"},
		{"image is a list", edit("map.pgm", "[a]"), "m.yaml:1: `image` is not a name; name the image file"},
		{"zero resolution", edit("0.05", "0.0"), "m.yaml:2: `resolution` is 0; give the edge of a cell in metres, above 0"},
		{"negative resolution", edit("0.05", "-1"), "m.yaml:2: `resolution` is -1; give the edge of a cell in metres, above 0"},
		{"resolution with unit", edit("0.05", "5 cm"), "m.yaml:2: `resolution` is \"5 cm\"; give a finite number"},
		{"infinite resolution", edit("0.05", ".inf"), "m.yaml:2: `resolution` is \".inf\"; give a finite number"},
		{
			"two in origin", edit("[-1, -2, 0.5]", "[0, 0]"),
			"m.yaml:3: `origin` has 2 numbers in place of 3; give [x, y, yaw] of the image's lower left corner in metres and radians",
		},
		{
			"origin no list", edit("[-1, -2, 0.5]", "5"),
			"m.yaml:3: `origin` has 0 numbers in place of 3; give [x, y, yaw] of the image's lower left corner in metres and radians",
		},
		{
			"nan x", edit("[-1,", "[nan,"),
			"m.yaml:3: number 1 of `origin` is \"nan\"; give [x, y, yaw] of the image's lower left corner in metres and radians",
		},
		{"negate maybe", edit("negate: 0", "negate: maybe"), "m.yaml:4: `negate` is \"maybe\"; choose 0 or 1"},
		{"no negate", edit("negate: 0\n", ""), "m.yaml: key `negate` is missing; add `negate: 0`"},
		{"odd mode", metaText("mode: binary\n"), "m.yaml:7: `mode` is \"binary\"; choose trinary, scale or raw"},
		{
			"inverted thresholds", strings.NewReplacer("0.65", "0.1", "0.196", "0.9").Replace(metaText("")),
			"m.yaml:5: `occupied_thresh` 0.1 is below `free_thresh` 0.9, so that walls would be read as free; swap the two",
		},
		{"a list", "- 1\n- 2\n", "m.yaml:1: holds no map description; write `key: value` lines as map_server does"},
		{"nothing", "", "m.yaml:1: holds no map description; write `key: value` lines as map_server does"},
		{"too long", strings.Repeat("#", maxMeta+1), "m.yaml: 16385 bytes are too many for a map description; give the map's YAML file, not its image"},
		{
			"all at once", edit("0.05", "x") + "mode: y\n",
			"m.yaml:7: `mode` is \"y\"; choose trinary, scale or raw\nm.yaml:2: `resolution` is \"x\"; give a finite number",
		},
	}
	for _, tt := range tests {
		_, err := ParseMeta("m.yaml", []byte(tt.text))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
	_, err := ParseMeta("m.yaml", []byte("image: [\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "m.yaml:1: not a YAML file: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("broken YAML gives %v", err)
	}
}

func TestMeaning(t *testing.T) {
	trinary := Meta{Mode: Trinary, OccupiedThresh: 0.65, FreeThresh: 0.196}
	with := func(m Meta, change func(*Meta)) Meta { change(&m); return m }
	negated := with(trinary, func(m *Meta) { m.Negate = true })
	scale := Meta{Mode: Scale, OccupiedThresh: 1, FreeThresh: 0}
	tests := []struct {
		name string
		meta Meta
		grey int
		want int8
	}{
		{"black", trinary, 0, Occupied},
		{"white", trinary, 255, Free},
		{"saver's free", trinary, 254, Free},
		{"saver's unknown", trinary, 205, Unknown},
		{"206 is free", trinary, 206, Free},
		{"205 at 0.25", with(trinary, func(m *Meta) { m.FreeThresh = 0.25 }), 205, Free},
		{"89 is p 0.651", trinary, 89, Occupied},
		{"90 is p 0.647", trinary, 90, Unknown},
		{"thresholds count as reached", with(trinary, func(m *Meta) { m.OccupiedThresh = 0.8 }), 51, Occupied},
		{"free threshold counts as reached", with(negated, func(m *Meta) { m.FreeThresh = 0.2 }), 51, Free},
		{"free wins where both hold", with(trinary, func(m *Meta) { m.OccupiedThresh, m.FreeThresh = 0.2, 0.2 }), 204, Free},
		{"negated black", negated, 0, Free},
		{"negated white", negated, 255, Occupied},
		{"negated 205", negated, 205, Occupied},
		{"scale middle", scale, 205, 20},
		{"scale ends", scale, 254, 0},
		{"scale dark", scale, 1, 100},
		{"scale between thresholds", with(trinary, func(m *Meta) { m.Mode = Scale }), 128, 67},
		{"raw", Meta{Mode: Raw, Negate: true}, 42, 42},
		{"raw 100", Meta{Mode: Raw}, 100, Occupied},
		{"raw beyond", Meta{Mode: Raw}, 101, Unknown},
		{"raw 255", Meta{Mode: Raw}, 255, Unknown},
	}
	for _, tt := range tests {
		if got := tt.meta.meaning(tt.grey).value; got != tt.want {
			t.Errorf("%s: grey %d is %d, want %d", tt.name, tt.grey, got, tt.want)
		}
	}
}

func TestDecodeOrientation(t *testing.T) {
	m, err := Decode([]byte(metaText("")), []byte("P2 3 2 255\n0 254 254\n205 0 254\n"))
	if err != nil {
		t.Fatal(err)
	}
	// The lower image row comes first.
	want := []int8{Unknown, Occupied, Free, Occupied, Free, Free}
	if !slices.Equal(m.Cells, want) || m.Width != 3 || m.Height != 2 {
		t.Errorf("%d × %d %v, want %v", m.Width, m.Height, m.Cells, want)
	}
	if m.At(1, 0) != Occupied || m.At(0, 1) != Occupied || m.At(-1, 0) != Unknown || m.At(3, 0) != Unknown || m.At(0, 2) != Unknown {
		t.Error("At looks elsewhere")
	}
	c := m.Center(2, 1)
	s, co := math.Sincos(0.5)
	if x, y := -1+co*0.125-s*0.075, -2+s*0.125+co*0.075; math.Abs(c.X-x) > 1e-12 || math.Abs(c.Y-y) > 1e-12 {
		t.Errorf("centre of (2, 1) is %v, want (%g, %g)", c, x, y)
	}
	for row := range 2 {
		for col := range 3 {
			if gotCol, gotRow := m.Cell(m.Center(col, row)); gotCol != col || gotRow != row {
				t.Errorf("the centre of (%d, %d) lies in (%d, %d)", col, row, gotCol, gotRow)
			}
		}
	}
	if col, row := m.Cell(m.Meta.Origin.Apply(geom.Vec2{X: -0.01, Y: -0.01})); col != -1 || row != -1 {
		t.Errorf("a point below the origin lies in (%d, %d), want (-1, -1)", col, row)
	}
}

func TestLoadPaths(t *testing.T) {
	pgm := []byte("P5\n1 1\n255\n\x00")
	fsys := fstest.MapFS{
		"site/map.yaml":    {Data: []byte(strings.Replace(metaText(""), "map.pgm", "img/../img/map.pgm", 1))},
		"site/img/map.pgm": {Data: pgm},
		"abs.yaml":         {Data: []byte(strings.Replace(metaText(""), "map.pgm", "/img/map.pgm", 1))},
		"bad.yaml":         {Data: []byte(strings.Replace(metaText(""), "map.pgm", "bad.pgm", 1))},
		"bad.pgm":          {Data: []byte("P5 4 4 255 abc")},
	}
	m, err := LoadFS(fsys, "site/map.yaml")
	if err != nil || m.At(0, 0) != Occupied {
		t.Errorf("relative path: %v", err)
	}
	for _, tt := range []struct{ file, want string }{
		{"abs.yaml", "abs.yaml:1: image /img/map.pgm cannot be read: "},
		{"none.yaml", "none.yaml: cannot be read: "},
		{"bad.yaml", "bad.pgm: the image ends early: 3 bytes of pixels in place of 16; "},
	} {
		if _, err := LoadFS(fsys, tt.file); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.file, err, tt.want)
		}
	}
	dir := t.TempDir()
	yaml := strings.Replace(metaText(""), "map.pgm", dir+"/elsewhere.pgm", 1)
	if err := errors.Join(
		os.WriteFile(dir+"/elsewhere.pgm", pgm, 0o600),
		os.Mkdir(dir+"/sub", 0o700),
		os.WriteFile(dir+"/sub/map.yaml", []byte(yaml), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir + "/sub/map.yaml"); err != nil {
		t.Errorf("absolute path: %v", err)
	}
	_, err = Load(dir + "/none.yaml")
	var fault *Error
	if !errors.Is(err, os.ErrNotExist) && !errors.As(err, &fault) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := readBounded(osFiles{}, dir+"/sub/map.yaml", 10); err == nil {
		t.Error("a file above the limit was read")
	}
}

func TestEncodeSite(t *testing.T) {
	m := &Map{
		Meta:  Meta{Resolution: 0.05, Origin: geom.Pose2{X: -1.25, Y: 2, Theta: 0.1}},
		Width: 3, Height: 2,
		Cells: []int8{0, 100, -1, 25, 26, 65},
	}
	yaml, pgm := EncodeSite(m, "map.pgm")
	wantYAML := "image: \"map.pgm\"\nmode: trinary\nresolution: 0.05\norigin: [-1.25, 2.0, 0.1]\nnegate: 0\n" +
		"occupied_thresh: 0.65\nfree_thresh: 0.25\n"
	if d := cmp.Diff(wantYAML, string(yaml)); d != "" {
		t.Errorf("yaml (-want +got)\n%s", d)
	}
	if want := "P5\n3 2\n255\n\xfe\xcd\x00\xfe\x00\xcd"; string(pgm) != want {
		t.Errorf("pgm %q, want %q", pgm, want)
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(dir+"/map.yaml", yaml, 0o600), os.WriteFile(dir+"/map.pgm", pgm, 0o600)); err != nil {
		t.Fatal(err)
	}
	back, err := LoadSite(dir + "/map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := []int8{Free, Occupied, Unknown, Free, Unknown, Occupied}; !slices.Equal(back.Cells, want) {
		t.Errorf("read back %v, want %v", back.Cells, want)
	}
	if back.Meta.Origin != m.Meta.Origin || back.Meta.Resolution != m.Meta.Resolution {
		t.Errorf("read back %+v", back.Meta)
	}
	again, pgmAgain := EncodeSite(back, "map.pgm")
	if !slices.Equal(again, yaml) || !slices.Equal(pgmAgain, pgm) {
		t.Error("writing what was read changes it")
	}
}

func FuzzParseMeta(f *testing.F) {
	f.Add([]byte(metaText("mode: scale\n")))
	f.Add([]byte("image: [\n"))
	f.Add([]byte("a: &a [*a]\nimage: *a\n? b\n: c\n"))
	f.Add([]byte("resolution: 5e-2\norigin:\n  - -10\n  - .nan\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMeta("m.yaml", data)
		if err == nil && (m.Image == "" || !(m.Resolution > 0) || !m.Origin.IsFinite()) {
			t.Fatalf("accepted %+v", m)
		}
	})
}

func FuzzDecodeImage(f *testing.F) {
	for name := range pictures(f) {
		f.Add([]byte(pictures(f)[name]))
	}
	f.Add([]byte("P5 99999999 99999999 255\n"))
	meta := Meta{Mode: Trinary, OccupiedThresh: 0.65, FreeThresh: 0.196}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeImage("m", meta, data)
		if err != nil {
			return
		}
		if c := m.Count(); len(m.Cells) != m.Width*m.Height || c.Between != 0 {
			t.Fatalf("%d × %d map of %d cells, %+v", m.Width, m.Height, len(m.Cells), c)
		}
		if n := len(m.Cells); n > len(data)*deflateRatio*8 {
			t.Fatalf("%d bytes made %d cells", len(data), n)
		}
	})
}

// pictures are 2 × 2 images in every format: black, white over half grey, black.
func pictures(tb testing.TB) map[string]string {
	tb.Helper()
	list := map[string]string{
		"p2":          "P2\n# a\n2 2 # b\n255\n0 255 128\n0",
		"p5":          "P5 2 2 255\n\x00\xff\x80\x00",
		"p5 16 bit":   "P5 2 2 65535\n\x00\x00\xff\xff\x80\x80\x00\x00",
		"p5 maxval 2": "P5 2 2 2\n\x00\x02\x01\x00",
		"p5 crlf":     "P5\r\n2 2\r\n255\r\n\x00\xff\x80\x00",
	}
	for name, data := range bitmaps() {
		list["bmp "+name] = string(data)
	}
	for name, data := range pngs(tb) {
		list["png "+name] = string(data)
	}
	return list
}

func TestEveryFormat(t *testing.T) {
	for name, data := range pictures(t) {
		pic, err := decodePicture("m", []byte(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []uint8{0, 255, 128, 0}
		if strings.Contains(name, "1 bit") { // black and white only
			want[2] = 255
		}
		if pic.width != 2 || pic.height != 2 || !slices.Equal(pic.grey, want) {
			t.Errorf("%s: %d × %d %v, want %v", name, pic.width, pic.height, pic.grey, want)
		}
		if wantAlpha := strings.Contains(name, "alpha"); (pic.translucent != nil) != wantAlpha {
			t.Errorf("%s: transparency %v", name, pic.translucent)
		} else if wantAlpha && !slices.Equal(pic.translucent, []bool{false, false, false, true}) {
			t.Errorf("%s: transparency %v, want the last pixel only", name, pic.translucent)
		}
	}
}

func TestDamagedImages(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"empty", "", "is no PGM"},
		{"text", "hello", "is no PGM"},
		{"header ends", "P5 2", "the PGM header has no height"},
		{"word for a number", "P2 2 two 255\n", "the PGM header has no height"},
		{"zero width", "P5 0 2 255\n", "0 × 2 pixels"},
		{"maxval 0", "P5 1 1 0\n\x00", "the largest grey is 0"},
		{"maxval 65536", "P5 1 1 65536\n\x00", "the largest grey is 65536"},
		{"binary too short", "P5 2 2 255\n\x00", "ends early: 1 bytes of pixels in place of 4"},
		{"ends after maxval", "P5 2 2 255", "ends early: 0 bytes"},
		{"ascii too short", "P2 2 2 255\n0", "ends early"},
		{"ascii word", "P2 2 2 255\n0 0 x000", "pixel 3 of 4"},
		{"huge", "P5 100000 100000 255\n", "more than"},
		{"overflowing", "P5 99999999999999999999 3 255\n", "more than"},
		{"bmp header", "BM123", "the BMP header is damaged"},
	}
	for name, data := range pictures(t) {
		if strings.HasPrefix(name, "p") {
			tests = append(tests, struct{ name, data, want string }{name + " cut", data[:len(data)-len(data)/3], ""})
		}
	}
	for name, data := range bitmaps() {
		cut := string(data[:len(data)-1])
		tests = append(tests, struct{ name, data, want string }{name + " cut", cut, "ends early"})
	}
	for _, tt := range tests {
		_, err := DecodeImage("m.pgm", Meta{}, []byte(tt.data))
		var fault *Error
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "m.pgm: ") {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestNumbersOfManyDigits(t *testing.T) {
	r := pgmReader{data: []byte(" 007 #x\r 123456789012345678901")}
	for _, want := range []int{7, 1 << 30} {
		if got, ok := r.number(); !ok || got != want {
			t.Errorf("number %d, want %d", got, want)
		}
	}
	if got := fmt.Sprint(scaleGrey(999, 100), scaleGrey(50, 100), scaleGrey(1, 2)); got != "255 128 128" {
		t.Errorf("scaled greys %s", got)
	}
}
