package mapfile

import (
	"bytes"
	"fmt"
	"strconv"
)

// What a site's map.yaml says, and the greys of its map.pgm (specification 002, "Sites").
const (
	siteOccupiedThresh = 0.65
	siteFreeThresh     = 0.25
	siteOccupied       = 0
	siteFree           = 254
)

// EncodeSite gives the content of map.yaml and map.pgm of a site. Only the size, resolution, origin and cells of m are used:
// 65 and more is occupied, 25 and less is free, the rest unknown. image is the name of the PGM relative to the YAML file.
// [LoadSite] reads the same cells back.
func EncodeSite(m *Map, image string) (yaml, pgm []byte) {
	var y bytes.Buffer
	o := m.Meta.Origin
	fmt.Fprintf(&y, "image: %s\n", strconv.Quote(image))
	fmt.Fprintf(&y, "mode: %s\n", Trinary)
	fmt.Fprintf(&y, "resolution: %s\n", decimal(m.Meta.Resolution))
	fmt.Fprintf(&y, "origin: [%s, %s, %s]\n", decimal(o.X), decimal(o.Y), decimal(o.Theta))
	fmt.Fprintf(&y, "negate: 0\noccupied_thresh: %g\nfree_thresh: %g\n", siteOccupiedThresh, siteFreeThresh)

	var p bytes.Buffer
	fmt.Fprintf(&p, "P5\n%d %d\n255\n", m.Width, m.Height)
	for row := m.Height - 1; row >= 0; row-- {
		for _, v := range m.Cells[row*m.Width : (row+1)*m.Width] {
			p.WriteByte(siteGrey(v))
		}
	}
	return y.Bytes(), p.Bytes()
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
