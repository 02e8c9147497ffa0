package sim

import (
	"image"
	"image/color"
)

// grainSigma is the noise of the sensor (one standard deviation) [grey levels]: a small camera in a lit room.
const grainSigma = 1.0

// blur is what an ordinary lens does to an image: each pixel takes a quarter of its light from each side (binomial, three by three).
func (c *camera) blur(img *image.RGBA) {
	w, h := c.spec.Width, c.spec.Height
	c.sharp = append(c.sharp[:0], make([]color.RGBA, max(w, h))...)
	for v := range h {
		c.soften(img.Pix[img.PixOffset(0, v):], w, 4)
	}
	for u := range w {
		c.soften(img.Pix[img.PixOffset(u, 0):], h, img.Stride)
	}
}

// soften blurs a line of pixels, n of them, step bytes apart.
func (c *camera) soften(pix []uint8, n, step int) {
	line := c.sharp[:n]
	for i := range line {
		p := pix[i*step : i*step+3]
		line[i] = color.RGBA{R: p[0], G: p[1], B: p[2]}
	}
	for i := range line {
		a, b, d := line[max(i-1, 0)], line[i], line[min(i+1, n-1)]
		p := pix[i*step : i*step+3]
		p[0] = uint8((int(a.R) + 2*int(b.R) + int(d.R) + 2) / 4)
		p[1] = uint8((int(a.G) + 2*int(b.G) + int(d.G) + 2) / 4)
		p[2] = uint8((int(a.B) + 2*int(b.B) + int(d.B) + 2) / 4)
	}
}

// grain adds the noise of the sensor, the same for an image of the same tick.
func (c *camera) grain(img *image.RGBA, tick int64) {
	rng := c.noise.at(tick)
	for i := 0; i < len(img.Pix); i += 4 {
		d := int(rng.gauss(grainSigma)+128.5) - 128
		for k := range 3 {
			img.Pix[i+k] = uint8(min(max(int(img.Pix[i+k])+d, 0), 255))
		}
	}
}
