package handheld

import "strings"

// A layer is what a dot of a [canvas] belongs to; the highest one in a cell gives its colour.
type layer uint8

const (
	layerNone layer = iota
	layerWall
	layerRoute
	layerLidar
	layerRobot
)

// A canvas draws dots with braille characters: each cell is two dots wide and four high.
type canvas struct {
	w, h  int // cells
	dots  []uint8
	owner []layer
	glyph []rune // instead of the dots; 0: none
}

func newCanvas(w, h int) *canvas {
	n := w * h
	return &canvas{w, h, make([]uint8, n), make([]layer, n), make([]rune, n)}
}

// set sets the dot at column x from the left and row y from the top; what lies outside is not drawn.
func (c *canvas) set(x, y int, l layer) {
	if x < 0 || y < 0 || x >= 2*c.w || y >= 4*c.h {
		return
	}
	bits := [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}} // of U+2800, as Unicode numbers the dots
	i := y/4*c.w + x/2
	c.dots[i] |= bits[y%4][x%2]
	c.owner[i] = max(c.owner[i], l)
}

// put writes a character over the cell of a dot.
func (c *canvas) put(x, y int, r rune, l layer) {
	if x < 0 || y < 0 || x >= 2*c.w || y >= 4*c.h {
		return
	}
	i := y/4*c.w + x/2
	c.glyph[i], c.owner[i] = r, l
}

// lines returns the drawing; paint colours the cells of one layer.
func (c *canvas) lines(paint func(layer, string) string) []string {
	out := make([]string, c.h)
	for row := range c.h {
		var line, run strings.Builder
		var of layer
		flush := func() {
			if run.Len() > 0 {
				line.WriteString(paint(of, run.String()))
				run.Reset()
			}
		}
		for i := row * c.w; i < (row+1)*c.w; i++ {
			if c.owner[i] != of {
				flush()
				of = c.owner[i]
			}
			switch {
			case c.glyph[i] != 0:
				run.WriteRune(c.glyph[i])
			case c.dots[i] == 0:
				run.WriteByte(' ')
			default:
				run.WriteRune(0x2800 + rune(c.dots[i]))
			}
		}
		flush()
		out[row] = line.String()
	}
	return out
}
