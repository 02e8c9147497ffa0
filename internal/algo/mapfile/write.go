package mapfile

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strconv"
)

// The thresholds that a site's map.yaml names (specification 002, "Sites").
const (
	siteOccupiedThresh = 0.65
	siteFreeThresh     = 0.25
)

// EncodeSite gives the content of map.yaml and map.pgm of a site. Only the size, resolution, origin and cells of m are used:
// 65 and more is occupied, 25 and less is free, the rest unknown. imageName is the path of the PGM relative to the YAML file.
// [LoadSite] reads the same cells back.
func EncodeSite(m *Map, imageName string) (yaml, pgm []byte) {
	var y bytes.Buffer
	o := m.Meta.Origin
	fmt.Fprintf(&y, "image: %s\n", strconv.Quote(imageName))
	fmt.Fprintf(&y, "mode: %s\n", Trinary)
	fmt.Fprintf(&y, "resolution: %s\n", decimal(m.Meta.Resolution))
	fmt.Fprintf(&y, "origin: [%s, %s, %s]\n", decimal(o.X), decimal(o.Y), decimal(o.Theta))
	fmt.Fprintf(&y, "negate: 0\noccupied_thresh: %g\nfree_thresh: %g\n", siteOccupiedThresh, siteFreeThresh)

	pgm = fmt.Appendf(nil, "P5\n%d %d\n255\n", m.Width, m.Height)
	return y.Bytes(), append(pgm, siteGreys(m)...)
}

// EncodePNG draws a map in the greys of a site's map, row 0 at the top.
func EncodePNG(m *Map) ([]byte, error) {
	img := &image.Gray{Pix: siteGreys(m), Stride: m.Width, Rect: image.Rect(0, 0, m.Width, m.Height)}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw a map of %d × %d cells: %w", m.Width, m.Height, err)
	}
	return b.Bytes(), nil
}

// siteGreys is the image of a map, row 0 at the top.
func siteGreys(m *Map) []byte {
	out := make([]byte, 0, len(m.Cells))
	for row := m.Height - 1; row >= 0; row-- {
		for _, v := range m.Cells[row*m.Width : (row+1)*m.Width] {
			out = append(out, siteGrey(v))
		}
	}
	return out
}

func siteGrey(cell int8) byte {
	switch {
	case cell < 0:
		return siteUnknown
	case float64(cell) >= 100*siteOccupiedThresh:
		return siteOccupied
	case float64(cell) <= 100*siteFreeThresh:
		return siteFree
	}
	return siteUnknown
}

// decimal writes a number without exponent, with all its digits: some YAML readers take 1e-05 for text.
func decimal(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !bytes.ContainsRune([]byte(s), '.') {
		s += ".0"
	}
	return s
}
