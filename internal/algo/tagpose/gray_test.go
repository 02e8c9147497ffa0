package tagpose

import (
	"image"
	"image/color"
	"testing"
)

func TestGray(t *testing.T) {
	rgb := image.NewRGBA(image.Rect(1, 1, 3, 2))
	rgb.Set(2, 1, color.White)
	if g := Gray(rgb); g.GrayAt(1, 1).Y != 0 || g.GrayAt(2, 1).Y != 255 {
		t.Errorf("%+v", g)
	}
	g := image.NewGray(image.Rect(0, 0, 2, 2))
	if Gray(g) != g {
		t.Error("a grey image was copied")
	}
	y := image.NewYCbCr(image.Rect(0, 0, 4, 4), image.YCbCrSubsampleRatio420)
	y.Y[5] = 77
	if Gray(y).GrayAt(1, 1).Y != 77 {
		t.Error("the brightness of a JPEG is wrong")
	}
}
