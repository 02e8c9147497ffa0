package scanmatch

import "math"

const (
	wallReach   = 2    // [cells] the neighbourhood in which the direction of a wall is looked for
	wallHits    = 4    // hits of a cell that count there, so that no cell outweighs the others
	minHits     = 3    // of the neighbourhood, for a direction
	minExtent   = 0.5  // [cells²] variance of hits along the wall, at least
	maxFlatness = 0.15 // variance of hits across the wall, against that along it
)

// stale marks the normals that a hit in (x, y) changes.
func (g *Grid) stale(x, y int) {
	for ny := y - wallReach; ny <= y+wallReach; ny++ {
		for nx := x - wallReach; nx <= x+wallReach; nx++ {
			if c := g.at(nx, ny); c != nil {
				c.state &^= fresh
			}
		}
	}
}

// wall is the occupied cell nearest to a point that is given in cells, and the way from the mean of its hits to the point [m]. It is nil
// where none is within reach.
func (g *Grid) wall(px, py float64) (c *cell, ex, ey float64) {
	x, y := int(math.Floor(px)), int(math.Floor(py))
	at := g.at(x, y)
	if at == nil || at.ox == noWall {
		return nil, 0, 0
	}
	x, y = x+int(at.ox), y+int(at.oy)
	c = g.at(x, y)
	if c.state&fresh == 0 {
		g.orient(c, x, y)
	}
	return c, (px - float64(x) - 0.5 - float64(c.mx)) * g.res, (py - float64(y) - 0.5 - float64(c.my)) * g.res
}

// orient looks for the direction of the wall at an occupied cell: the small axis of the hits around it.
func (g *Grid) orient(c *cell, x, y int) {
	c.state = c.state&^planar | fresh
	var n, sx, sy, sxx, sxy, syy float64
	for dy := -wallReach; dy <= wallReach; dy++ {
		for dx := -wallReach; dx <= wallReach; dx++ {
			o := g.at(x+dx, y+dy)
			if o == nil || !o.occupied() {
				continue
			}
			w := float64(min(o.hits, wallHits))
			px, py := float64(dx)+float64(o.mx), float64(dy)+float64(o.my)
			n += w
			sx += w * px
			sy += w * py
			sxx += w * px * px
			sxy += w * px * py
			syy += w * py * py
		}
	}
	if n < minHits {
		return
	}
	sx, sy = sx/n, sy/n
	a, b, d := sxx/n-sx*sx, sxy/n-sx*sy, syy/n-sy*sy
	middle, radius := (a+d)/2, math.Hypot((a-d)/2, b)
	if along, across := middle+radius, middle-radius; along < minExtent || across > maxFlatness*along {
		return
	}
	sin, cos := math.Sincos(math.Atan2(2*b, a-d) / 2) // of the long axis
	c.nx, c.ny = float32(-sin), float32(cos)
	c.state |= planar
}
