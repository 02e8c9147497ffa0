package mapfile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"os"
	"runtime"
	"testing"
)

// bitmaps are the 2 × 2 picture of the tests as BMP of every kind; row 0 of the file is the lower one unless it says so.
func bitmaps() map[string][]byte {
	grey := []color.NRGBA{{A: 255}, {255, 255, 255, 255}, {128, 128, 128, 255}}
	return map[string][]byte{
		"24":          bitmap(bmpFile{depth: 24, rows: "\x80\x80\x80\x00\x00\x00\x00\x00" + "\x00\x00\x00\xff\xff\xff\x00\x00"}),
		"24 top down": bitmap(bmpFile{depth: 24, topDown: true, rows: "\x00\x00\x00\xff\xff\xff\x00\x00" + "\x80\x80\x80\x00\x00\x00\x00\x00"}),
		"8":           bitmap(bmpFile{depth: 8, palette: grey, rows: "\x02\x00\x00\x00\x00\x01\x00\x00"}),
		"4":           bitmap(bmpFile{depth: 4, palette: grey, rows: "\x20\x00\x00\x00\x01\x00\x00\x00"}),
		"1 bit":       bitmap(bmpFile{depth: 1, palette: grey[:2], rows: "\x80\x00\x00\x00\x40\x00\x00\x00"}),
		"32":          bitmap(bmpFile{depth: 32, rows: "\x80\x80\x80\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\xff\xff\xff\x00"}),
		"32 alpha": bitmap(bmpFile{
			depth: 32, masks: []uint32{0xff0000, 0xff00, 0xff, 0xff000000},
			rows: "\x80\x80\x80\xff\x00\x00\x00\x00" + "\x00\x00\x00\xff\xff\xff\xff\xff",
		}),
		"32 other order": bitmap(bmpFile{
			depth: 32, masks: []uint32{0xff, 0xff00, 0xff0000},
			rows: "\x80\x80\x80\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\xff\xff\xff\x00",
		}),
		"core": coreBitmap(),
	}
}

type bmpFile struct {
	depth   uint16
	topDown bool
	palette []color.NRGBA
	masks   []uint32
	rows    string
}

func bitmap(f bmpFile) []byte {
	le := binary.LittleEndian
	height, compression := int32(2), uint32(bmpRGB)
	if f.topDown {
		height = -2
	}
	switch len(f.masks) {
	case 3:
		compression = bmpBitFields
	case 4:
		compression = bmpAlphaBitFields
	}
	var h []byte
	h = le.AppendUint32(h, 40)
	h = le.AppendUint32(h, 2)
	h = le.AppendUint32(h, uint32(height))
	h = le.AppendUint16(h, 1)
	h = le.AppendUint16(h, f.depth)
	h = le.AppendUint32(h, compression)
	h = append(h, make([]byte, 12)...) // image size and resolution
	h = le.AppendUint32(h, uint32(len(f.palette)))
	h = le.AppendUint32(h, 0)
	for _, m := range f.masks {
		h = le.AppendUint32(h, m)
	}
	for _, c := range f.palette {
		h = append(h, c.B, c.G, c.R, 0)
	}
	return file(h, f.rows)
}

// coreBitmap has the 12-byte header of OS/2 and a palette of three bytes a colour.
func coreBitmap() []byte {
	le := binary.LittleEndian
	var h []byte
	h = le.AppendUint32(h, 12)
	for _, v := range []uint16{2, 2, 1, 4} {
		h = le.AppendUint16(h, v)
	}
	palette := make([]byte, 3*16)
	copy(palette, "\x00\x00\x00\xff\xff\xff\x80\x80\x80")
	return file(append(h, palette...), "\x20\x00\x00\x00\x01\x00\x00\x00")
}

func file(header []byte, rows string) []byte {
	out := []byte("BM")
	out = binary.LittleEndian.AppendUint32(out, uint32(14+len(header)+len(rows)))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = binary.LittleEndian.AppendUint32(out, uint32(14+len(header)))
	return append(append(out, header...), rows...)
}

// pngs are the 2 × 2 picture of the tests in the colour types of PNG.
func pngs(tb testing.TB) map[string][]byte {
	tb.Helper()
	rect := image.Rect(0, 0, 2, 2)
	shades := []uint8{0, 255, 128, 0}
	gray, gray16, rgba := image.NewGray(rect), image.NewGray16(rect), image.NewNRGBA(rect)
	clear, clear16 := image.NewNRGBA(rect), image.NewNRGBA64(rect)
	pal := image.NewPaletted(rect, color.Palette{color.Gray{Y: 0}, color.Gray{Y: 255}, color.Gray{Y: 128}})
	clearPal := image.NewPaletted(rect, color.Palette{color.Gray{Y: 0}, color.Gray{Y: 255}, color.Gray{Y: 128}, color.NRGBA{A: 0}})
	for i, y := range shades {
		x, row := i%2, i/2
		alpha := uint8(255)
		if i == 3 {
			alpha = 254
		}
		gray.SetGray(x, row, color.Gray{Y: y})
		gray16.SetGray16(x, row, color.Gray16{Y: uint16(y) * 257})
		rgba.SetNRGBA(x, row, color.NRGBA{y, y, y, 255})
		clear.SetNRGBA(x, row, color.NRGBA{y, y, y, alpha})
		clear16.SetNRGBA64(x, row, color.NRGBA64{uint16(y) * 257, uint16(y) * 257, uint16(y) * 257, uint16(alpha) * 257})
	}
	copy(pal.Pix, []uint8{0, 1, 2, 0})
	copy(clearPal.Pix, []uint8{0, 1, 2, 3})
	out := make(map[string][]byte)
	for name, img := range map[string]image.Image{
		"grey": gray, "grey 16": gray16, "rgb": rgba, "alpha": clear, "alpha 16": clear16, "palette": pal, "palette alpha": clearPal,
	} {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			tb.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	return out
}

// The files of testdata are one map in the colour types that map editors write.
func TestPNG(t *testing.T) {
	meta := Meta{Mode: Trinary, OccupiedThresh: 0.65, FreeThresh: 0.196}
	for _, name := range []string{"gray", "rgb", "rgba", "pal", "color"} {
		data, err := os.ReadFile("testdata/" + name + ".png")
		if err != nil {
			t.Fatal(err)
		}
		m, err := DecodeImage(name, meta, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, want := m.Count(), (Counts{7939, 795, 138722, 0}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestPNGBomb(t *testing.T) {
	data := pngs(t)["rgb"]
	binary.BigEndian.PutUint32(data[16:], 8000)
	binary.BigEndian.PutUint32(data[20:], 8000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := decodePicture("m", data)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Fatalf("%d bytes made a map of 8000 × 8000 cells", len(data))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were taken for a file of %d", took, len(data))
	}
}

func TestUnsupportedBMP(t *testing.T) {
	rle := bitmap(bmpFile{depth: 8, palette: make([]color.NRGBA, 2), rows: "\x00\x00\x00\x00\x00\x00\x00\x00"})
	rle[30] = 1
	deep := bitmap(bmpFile{depth: 64, rows: "0123456789abcdef0123456789abcdef"})
	odd := bitmap(bmpFile{depth: 32, rows: "0123456789abcdef"})
	odd[30] = 4
	for name, data := range map[string][]byte{"rle": rle, "64 bit": deep, "jpeg inside": odd} {
		_, err := decodePicture("m", data)
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("is not read; save it without compression")) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSixteenBitBMP(t *testing.T) {
	// 5-5-5: black, white over (15, 15, 15), black.
	data := bitmap(bmpFile{depth: 16, rows: "\xef\x3d\x00\x00" + "\x00\x00\xff\x7f"})
	pic, err := decodePicture("m", data)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint8{0, 255, 123, 0}; !bytes.Equal(pic.grey, want) {
		t.Errorf("greys %v, want %v", pic.grey, want)
	}
}
