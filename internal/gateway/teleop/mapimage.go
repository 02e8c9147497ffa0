package teleop

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"

	"sarathi/msg/nav"
	"sarathi/teleop"
)

// Pixels of the map stream.
const (
	pixelOccupied = 0
	pixelUnknown  = 205
	pixelFree     = 254
)

// Occupancies from which a cell counts as occupied and up to which as free [%], as in ROS's map_server.
const (
	occupiedFrom = 65
	freeUpTo     = 19
)

// drawable reports whether a grid is one, with as many cells as it says.
func drawable(m *nav.OccupancyGrid) bool {
	w, h := uint64(m.Info.Width), uint64(m.Info.Height)
	return w > 0 && h > 0 && w*h == uint64(len(m.Data)) && m.Info.Resolution > 0 && !math.IsInf(float64(m.Info.Resolution), 0)
}

// drawMap makes the map stream's image of a grid that is drawable. A grid with more than most cells in a row or column is scaled down by
// a whole number. Of the cells that become one pixel an occupied one counts first, so that no wall disappears, and then a free one.
func drawMap(m *nav.OccupancyGrid, site string, most int) (*teleop.Map, error) {
	w, h := int(m.Info.Width), int(m.Info.Height)
	scale := (max(w, h) + most - 1) / most
	out := image.NewGray(image.Rect(0, 0, (w+scale-1)/scale, (h+scale-1)/scale))
	for i := range out.Pix {
		out.Pix[i] = pixelUnknown
	}
	high := out.Rect.Dy()
	for y := range h {
		row := out.Pix[(high-1-y/scale)*out.Stride:] // the grid begins at the bottom, the image at the top
		for x, v := range m.Data[y*w : (y+1)*w] {
			switch pixel := &row[x/scale]; {
			case v >= occupiedFrom:
				*pixel = pixelOccupied
			case v >= 0 && v <= freeUpTo && *pixel != pixelOccupied:
				*pixel = pixelFree
			}
		}
	}
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buf, out); err != nil {
		return nil, fmt.Errorf("map of %d by %d pixels: %w", out.Rect.Dx(), high, err)
	}
	return &teleop.Map{
		Resolution: shortest(m.Info.Resolution) * float64(scale), OX: m.Info.Origin.Position.X, OY: m.Info.Origin.Position.Y,
		W: out.Rect.Dx(), H: high, Site: site, PNG: buf.Bytes(),
	}, nil
}

// shortest is the float64 nearest to what a float32 was written as: 0.05, not 0.05000000074505806.
func shortest(f float32) float64 {
	const digits = 1e6
	return math.Round(float64(f)*digits) / digits
}
