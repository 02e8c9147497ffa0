package tag36h11

import "sarathi/internal/geom"

// Family is the family's name.
const Family = "36h11"

// A Detection is one tag in an image.
type Detection struct {
	ID      int
	Hamming int     // bits that were corrected
	Margin  float64 // contrast between the bits, higher is better
	// Corners run counter-clockwise as one looks at the tag, from its lower left one [px]. The centre of the first pixel is (0.5, 0.5).
	Corners [4]geom.Vec2
}
