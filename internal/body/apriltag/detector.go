package apriltag

import (
	"errors"
	"image"

	"sarathi/internal/geom"
)

// ErrMissing is matched by the errors of [Open] where the library is not installed, is another version than this program knows, or was left
// out of the program.
var ErrMissing = errors.New("AprilTags cannot be detected")

// Install is what a user does about a missing library.
const Install = "apt-get install libapriltag3"

// Family is the family of all tags, by its name in the library.
const Family = "36h11"

// A Detection is one tag in an image.
type Detection struct {
	ID      int
	Hamming int     // bits that were corrected
	Margin  float64 // contrast between the bits, higher is better
	// Corners run counter-clockwise as one looks at the tag, from its lower left one [px]. The centre of the first pixel is (0.5, 0.5).
	Corners [4]geom.Vec2
}

// smallest is the least width and height of an image in which a tag could be [px].
const smallest = 16

// Gray returns the brightness of an image. The image of a JPEG is not copied.
func Gray(img image.Image) *image.Gray {
	switch m := img.(type) {
	case *image.Gray:
		return m
	case *image.YCbCr:
		return &image.Gray{Pix: m.Y, Stride: m.YStride, Rect: m.Rect}
	}
	out := image.NewGray(img.Bounds())
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			out.Set(x, y, img.At(x, y))
		}
	}
	return out
}
