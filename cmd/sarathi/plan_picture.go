package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/geom"
)

// pathPicture draws costs and a path as a PNG, a pixel a cell, the top row first: obstacles black, the zone around them where the robot
// would touch blue, costs in paler blue, unknown grey, the path red from green to orange.
func pathPicture(m *costmap.Map, path []geom.Pose2) ([]byte, error) {
	img := image.NewPaletted(image.Rect(0, 0, m.Width, m.Height), picturePalette())
	for y := range m.Height {
		for x := range m.Width {
			img.SetColorIndex(x, m.Height-1-y, pictureIndex(m, costmap.Cell{X: x, Y: y}))
		}
	}
	dot := func(p geom.Vec2, index uint8, size int) {
		c := m.Cell(p)
		for dy := -size; dy <= size; dy++ {
			for dx := -size; dx <= size; dx++ {
				if q := image.Pt(c.X+dx, m.Height-1-c.Y+dy); q.In(img.Rect) {
					img.SetColorIndex(q.X, q.Y, index)
				}
			}
		}
	}
	for i := 1; i < len(path); i++ {
		for k := range 8 {
			dot(path[i-1].Position().Lerp(path[i].Position(), float64(k)/8), pathColor, 0)
		}
	}
	dot(path[0].Position(), startColor, 2)
	dot(path[len(path)-1].Position(), goalColor, 2)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw a map of %d × %d cells: %w", m.Width, m.Height, err)
	}
	return b.Bytes(), nil
}

// savePicture writes the picture that --png asks for.
func savePicture(file string, m *costmap.Map, path []geom.Pose2) error {
	data, err := pathPicture(m, path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // a picture for everybody to look at
		return usage("--png %s: %w: name a file that can be written, in a folder that exists", file, cause(err))
	}
	return nil
}

// Colours of the picture below the shades of costs.
const (
	wallColor = iota
	zoneColor
	unknownColor
	pathColor
	startColor
	goalColor
	shades // the first of them
)

const shadeCount = 64

func picturePalette() color.Palette {
	p := color.Palette{
		wallColor: color.RGBA{0, 0, 0, 255}, zoneColor: color.RGBA{70, 110, 190, 255}, unknownColor: color.RGBA{150, 150, 150, 255},
		pathColor: color.RGBA{220, 30, 30, 255}, startColor: color.RGBA{20, 150, 60, 255}, goalColor: color.RGBA{240, 150, 0, 255},
	}
	for i := range shadeCount {
		fade := uint8(i * 2)
		p = append(p, color.RGBA{255 - fade, 255 - fade/2, 255, 255})
	}
	return p
}

func pictureIndex(m *costmap.Map, c costmap.Cell) uint8 {
	switch cost := m.At(c); cost {
	case costmap.Lethal:
		return wallColor
	case costmap.Inscribed:
		return zoneColor
	case costmap.Unknown:
		return unknownColor
	default:
		return shades + uint8(int(cost)*(shadeCount-1)/int(costmap.Dearest))
	}
}
