package mapfile

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// BenchmarkOpenPNG reads an RGB PNG of the size of the largest map that is found in the world (1730 × 1300). The yardstick is the
// standard library's decoder alone.
func BenchmarkOpenPNG(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 1730, 1300))
	for y := range 1300 {
		for x := range 1730 {
			g := []uint8{254, 205, 0}[(x/97+y/61)%3]
			img.SetRGBA(x, y, color.RGBA{g, g, g, 255})
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		b.Fatal(err)
	}
	meta := Meta{Mode: Trinary, OccupiedThresh: 0.65, FreeThresh: 0.196}
	b.Run("sarathi", func(b *testing.B) {
		for b.Loop() {
			s, err := NewSource("m", meta, data.Bytes())
			if err != nil {
				b.Fatal(err)
			}
			if m := s.Map(Site); m.Width != 1730 {
				b.Fatal(m.Width)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
		b.ReportMetric(100, "ms:max")
	})
	b.Run("stdlib", func(b *testing.B) {
		for b.Loop() {
			if _, err := png.Decode(bytes.NewReader(data.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
	})
}
