package rosbridge

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

func TestPNGHoldsTheText(t *testing.T) {
	for n := range 70 {
		text := strings.Repeat("é1", n) + strings.Repeat("x", n%4)
		data := EncodePNG([]byte(text))
		got, err := DecodePNG(data, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != text {
			t.Errorf("%q came back as %q", text, got)
		}
		head, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
		if err != nil || head.ColorModel != color.RGBAModel || 3*head.Width*head.Height < len(text) {
			t.Errorf("picture %+v, %v, for %d bytes", head, err, len(text))
		}
	}
}

// TestPNGOfTheSpecification has the size that the protocol's formula gives, which decoders may rely on.
func TestPNGOfTheSpecification(t *testing.T) {
	for _, test := range []struct{ n, w, h int }{{1, 1, 1}, {3, 1, 1}, {100, 5, 7}, {3000, 31, 33}} {
		file, _ := base64.StdEncoding.DecodeString(EncodePNG(bytes.Repeat([]byte{'x'}, test.n)))
		head, err := png.DecodeConfig(bytes.NewReader(file))
		if err != nil || head.Width != test.w || head.Height != test.h {
			t.Errorf("%d bytes in %d x %d, want %d x %d", test.n, head.Width, head.Height, test.w, test.h)
		}
	}
}

func TestPNGOfOtherKinds(t *testing.T) {
	want := "0123456789ab"
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2)) // with an alpha channel
	for i := range 4 {
		copy(img.Pix[4*i:], want[3*i:3*i+3])
		img.Pix[4*i+3] = byte(200 + i)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	got, err := DecodePNG(base64.StdEncoding.EncodeToString(file.Bytes()), 100)
	if err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPNGBombs(t *testing.T) {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 600, 600))); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"too many pixels": base64.StdEncoding.EncodeToString(file.Bytes()),
		"no base64":       "*",
		"no picture":      "AAAA",
		"cut off":         base64.StdEncoding.EncodeToString(file.Bytes()[:40]),
	} {
		if got, err := DecodePNG(data, 1<<20); err == nil {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

func FuzzDecodePNG(f *testing.F) {
	f.Add(EncodePNG([]byte(`{"op":"publish","topic":"/t","msg":{}}`)))
	f.Fuzz(func(t *testing.T, data string) {
		if got, err := DecodePNG(data, 4096); err == nil && len(got) > 4096 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
