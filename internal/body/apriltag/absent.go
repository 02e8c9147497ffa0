//go:build !linux || static

package apriltag

import (
	"fmt"
	"image"

	"sarathi/internal/algo/tag36h11"
)

// A Detector finds tags. This program has none.
type Detector struct{}

// Open returns an error that matches [ErrMissing].
func Open() (*Detector, error) {
	return nil, fmt.Errorf("%w: this program was built without it: build it for Linux without the tag static", ErrMissing)
}

// Detect is not reached.
func (*Detector) Detect(*image.Gray) []tag36h11.Detection { return nil }

// Close is not reached.
func (*Detector) Close() {}
