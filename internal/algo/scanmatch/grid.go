package scanmatch

import (
	"math"

	"sarathi/internal/geom"
)

const (
	tileBits = 5
	tileSize = 1 << tileBits // [cells]
	tileMask = tileSize - 1
)

// Log-odds of a cell in units of 1/100, after Moravec & Elfes 1985: what a hit and a pass add, and where belief stops, so that what has
// moved away is forgotten.
const (
	oddsHit  = 85
	oddsPass = -40
	oddsMin  = -200
	oddsMax  = 350
)

// maxMean bounds how many hits the mean of a cell remembers: it follows what moves.
const maxMean = 60

// noWall is the offset to the nearest wall of a cell that has none within reach.
const noWall = math.MaxInt8

// cell is a square of the map.
type cell struct {
	mx, my float32 // mean of the hits, from the middle of the cell [cells]
	odds   int16
	seen   uint16  // number of the scan that changed it last
	ox, oy int8    // offset to the nearest occupied cell [cells]; ox is noWall if there is none within reach
	hits   uint8   // that the mean is of, at most maxMean
	state  uint8   // known, fresh and planar
	nx, ny float32 // of an occupied cell, across the wall: of length one; valid while fresh and planar
}

const (
	known  = 1 << iota // a beam passed or ended here
	fresh              // nothing changed since the normal was looked for
	planar             // the neighbourhood is a wall
)

type tile [tileSize * tileSize]cell

// Grid is an occupancy grid that knows, for each cell, the nearest occupied one: a truncated exact Euclidean distance field that is kept up
// to date while scans are added. It grows as needed; its tiles are allocated where scans came.
type Grid struct {
	res, inv float64
	reach    int // [cells] of the distance field
	disk     []offset
	half     []int8    // half width of the disk by row
	dist     []float64 // [m] by the square of cells

	x0, y0, w, h int // the tile directory
	tiles        []*tile
	scan         uint16
	bulk         bool   // the distance field waits for EndBulk
	changed      []spot // cells whose log-odds changed sign in this scan
	cleared      []spot
	allocated    int
	spare        []*tile
}

type offset struct{ x, y, sq int }

type spot struct{ x, y int }

// NewGrid makes an empty grid of square cells of size res [m], whose distance field reaches as far as reach [m]: at most 50 cells.
func NewGrid(res, reach float64) *Grid {
	g := &Grid{res: res, inv: 1 / res, reach: min(int(math.Ceil(reach/res)), 50)}
	for sq := range g.reach*g.reach + 1 {
		g.dist = append(g.dist, math.Sqrt(float64(sq))*res)
	}
	for y := range g.reach + 1 {
		g.half = append(g.half, int8(math.Sqrt(float64(g.reach*g.reach-y*y))))
	}
	for y := -g.reach; y <= g.reach; y++ {
		for x := -g.reach; x <= g.reach; x++ {
			if sq := x*x + y*y; sq <= g.reach*g.reach {
				g.disk = append(g.disk, offset{x, y, sq})
			}
		}
	}
	return g
}

// Reset empties the grid and keeps its memory for what comes.
func (g *Grid) Reset() {
	for _, t := range g.tiles {
		if t != nil {
			g.spare = append(g.spare, t)
		}
	}
	g.tiles, g.w, g.h, g.scan, g.allocated = g.tiles[:0], 0, 0, 0, 0
}

// Resolution is the size of a cell [m].
func (g *Grid) Resolution() float64 { return g.res }

// Reach is how far the distance field sees [m].
func (g *Grid) Reach() float64 { return float64(g.reach) * g.res }

// Tiles is how many tiles hold something, of 16 kB each.
func (g *Grid) Tiles() int { return g.allocated }

// index is the cell of a coordinate [m].
func (g *Grid) index(v float64) int { return int(math.Floor(v * g.inv)) }

// at is the cell, or nil where nothing was ever seen.
func (g *Grid) at(x, y int) *cell {
	tx, ty := x>>tileBits-g.x0, y>>tileBits-g.y0
	if uint(tx) >= uint(g.w) || uint(ty) >= uint(g.h) {
		return nil
	}
	t := g.tiles[ty*g.w+tx]
	if t == nil {
		return nil
	}
	return &t[(y&tileMask)<<tileBits|x&tileMask]
}

// make is the cell, which is there afterwards. The directory must cover it.
func (g *Grid) make(x, y int) *cell {
	return &g.tile(x>>tileBits, y>>tileBits)[(y&tileMask)<<tileBits|x&tileMask]
}

// tile is a tile by its place, which is there afterwards.
func (g *Grid) tile(tx, ty int) *tile {
	i := (ty-g.y0)*g.w + tx - g.x0
	if t := g.tiles[i]; t != nil {
		return t
	}
	t := g.newTile()
	g.tiles[i] = t
	return t
}

func (g *Grid) newTile() *tile {
	g.allocated++
	var t *tile
	if n := len(g.spare); n > 0 {
		t, g.spare = g.spare[n-1], g.spare[:n-1]
		*t = tile{}
	} else {
		t = new(tile)
	}
	for i := range t {
		t[i].ox = noWall
	}
	return t
}

// cover makes the directory reach over the cells from (x0, y0) to (x1, y1).
func (g *Grid) cover(x0, y0, x1, y1 int) {
	x0, y0, x1, y1 = x0>>tileBits, y0>>tileBits, x1>>tileBits, y1>>tileBits
	if g.w > 0 && x0 >= g.x0 && y0 >= g.y0 && x1 < g.x0+g.w && y1 < g.y0+g.h {
		return
	}
	const spare = 8 // tiles, so that growing is rare
	if g.w == 0 {
		g.x0, g.y0 = x0-spare, y0-spare
		g.w, g.h = x1-x0+1+2*spare, y1-y0+1+2*spare
		g.tiles = append(g.tiles[:0], make([]*tile, g.w*g.h)...)
		return
	}
	nx0, ny0, nx1, ny1 := g.x0, g.y0, g.x0+g.w, g.y0+g.h
	if x0 < nx0 {
		nx0 = x0 - spare
	}
	if y0 < ny0 {
		ny0 = y0 - spare
	}
	if x1 >= nx1 {
		nx1 = x1 + 1 + spare
	}
	if y1 >= ny1 {
		ny1 = y1 + 1 + spare
	}
	w, h := nx1-nx0, ny1-ny0
	tiles := make([]*tile, w*h)
	for y := range g.h {
		copy(tiles[(y+g.y0-ny0)*w+g.x0-nx0:], g.tiles[y*g.w:(y+1)*g.w])
	}
	g.x0, g.y0, g.w, g.h, g.tiles = nx0, ny0, w, h, tiles
}

// occupied says whether the cell is more likely full than empty.
func (c *cell) occupied() bool { return c.odds > 0 }

// Insert adds a scan taken at pose: each cell in which a beam ended gets likelier to be occupied, each cell that a beam crossed gets less so,
// once a scan. A cell with a hit is never crossed by the same scan.
func (g *Grid) Insert(pose geom.Pose2, s *Scan) {
	f := frameAt(pose)
	o := f.world(s.Origin)
	g.nextScan()
	g.coverScan(f, s)
	for _, p := range s.Hits {
		g.hit(f.world(p))
	}
	for i, p := range s.Hits {
		if g.bulk && i&1 != int(g.scan)&1 {
			continue // every other one is enough where many scans come together
		}
		g.ray(o, f.world(p))
	}
	for _, p := range s.Clear {
		g.ray(o, f.world(p))
	}
	g.settle()
}

func (g *Grid) nextScan() {
	g.scan++
	if g.scan != 0 {
		return
	}
	for _, t := range g.tiles { // the number wrapped round: marks of 65536 scans ago must not count
		if t == nil {
			continue
		}
		for i := range t {
			t[i].seen = 0
		}
	}
	g.scan = 1
}

// frame is a pose with the sine and cosine of its heading.
type frame struct{ x, y, sin, cos float64 }

func frameAt(p geom.Pose2) frame {
	sin, cos := math.Sincos(p.Theta)
	return frame{p.X, p.Y, sin, cos}
}

func (f *frame) world(p geom.Vec2) geom.Vec2 {
	return geom.Vec2{X: f.x + f.cos*p.X - f.sin*p.Y, Y: f.y + f.sin*p.X + f.cos*p.Y}
}

func (g *Grid) coverScan(f frame, s *Scan) {
	lo := f.world(s.Origin)
	hi := lo
	for _, list := range [2][]geom.Vec2{s.Hits, s.Clear} {
		for _, p := range list {
			q := f.world(p)
			lo = geom.Vec2{X: min(lo.X, q.X), Y: min(lo.Y, q.Y)}
			hi = geom.Vec2{X: max(hi.X, q.X), Y: max(hi.Y, q.Y)}
		}
	}
	g.cover(g.index(lo.X)-g.reach, g.index(lo.Y)-g.reach, g.index(hi.X)+g.reach, g.index(hi.Y)+g.reach)
}

func (g *Grid) hit(p geom.Vec2) {
	x, y := g.index(p.X), g.index(p.Y)
	c := g.make(x, y)
	dx, dy := float32(p.X*g.inv-float64(x)-0.5), float32(p.Y*g.inv-float64(y)-0.5)
	if c.hits < maxMean {
		c.hits++
	}
	c.mx += (dx - c.mx) / float32(c.hits)
	c.my += (dy - c.my) / float32(c.hits)
	if !g.bulk { // the normals of a grid in the making are not looked at yet
		g.stale(x, y)
	}
	if c.seen != g.scan {
		g.change(c, x, y, oddsHit)
	}
}

// ray lowers the cells that the segment crosses, but not the one it ends in (Amanatides & Woo 1987).
func (g *Grid) ray(o, p geom.Vec2) {
	x, y := g.index(o.X), g.index(o.Y)
	ex, ey := g.index(p.X), g.index(p.Y)
	dx, dy := p.X-o.X, p.Y-o.Y
	sx, tx, stepX := axis(o.X*g.inv, dx*g.inv, x)
	sy, ty, stepY := axis(o.Y*g.inv, dy*g.inv, y)
	var t *tile
	tx0, ty0 := x>>tileBits, y>>tileBits
	for range abs(ex-x) + abs(ey-y) {
		if t == nil || x>>tileBits != tx0 || y>>tileBits != ty0 {
			tx0, ty0 = x>>tileBits, y>>tileBits
			t = g.tile(tx0, ty0)
		}
		if c := &t[(y&tileMask)<<tileBits|x&tileMask]; c.seen != g.scan {
			g.change(c, x, y, oddsPass)
		}
		if tx < ty {
			tx += stepX
			x += sx
		} else {
			ty += stepY
			y += sy
		}
	}
}

// axis prepares the walk along one axis: the direction, and, as fractions of the ray, the way to the first border and between borders.
func axis(from, delta float64, at int) (step int, first, each float64) {
	switch {
	case delta > 0:
		return 1, (float64(at) + 1 - from) / delta, 1 / delta
	case delta < 0:
		return -1, (float64(at) - from) / delta, -1 / delta
	default:
		return 0, math.Inf(1), 0
	}
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

func (g *Grid) change(c *cell, x, y int, by int16) {
	c.seen = g.scan
	c.state |= known
	was := c.occupied()
	c.odds = min(max(c.odds+by, oddsMin), oddsMax)
	if c.occupied() != was {
		g.changed = append(g.changed, spot{x, y})
	}
}

// BeginBulk puts the distance field off until EndBulk: many scans are added in less time. The grid must be empty, and must not be matched to
// before EndBulk.
func (g *Grid) BeginBulk() { g.bulk = true }

// EndBulk makes the distance field of all scans that were added since BeginBulk.
func (g *Grid) EndBulk() {
	g.bulk = false
	for i, t := range g.tiles {
		if t == nil {
			continue
		}
		x0, y0 := (g.x0+i%g.w)<<tileBits, (g.y0+i/g.w)<<tileBits
		for k := range t {
			if t[k].occupied() {
				g.addWall(x0+k&tileMask, y0+k>>tileBits)
			}
		}
	}
}

// settle brings the distance field up to date with the cells that became occupied or free.
func (g *Grid) settle() {
	if g.bulk {
		for _, s := range g.changed {
			if c := g.at(s.x, s.y); !c.occupied() {
				c.hits, c.mx, c.my = 0, 0, 0
			}
		}
		g.changed = g.changed[:0]
		return
	}
	for _, s := range g.changed {
		if c := g.at(s.x, s.y); !c.occupied() {
			c.hits, c.mx, c.my = 0, 0, 0
			g.removeWall(s.x, s.y)
		}
	}
	for _, s := range g.changed {
		if g.at(s.x, s.y).occupied() {
			g.addWall(s.x, s.y)
		}
	}
	g.changed = g.changed[:0]
}

// addWall tells the cells around an occupied one, row by row and tile by tile.
func (g *Grid) addWall(x, y int) {
	for dy := -g.reach; dy <= g.reach; dy++ {
		half := int(g.half[abs(dy)])
		row := (y + dy) & tileMask << tileBits
		for from, end := x-half, x+half+1; from < end; {
			to := min(end, (from>>tileBits+1)<<tileBits)
			cells := g.tile(from>>tileBits, (y+dy)>>tileBits)[row+from&tileMask:][:to-from]
			for i := range cells {
				c, dx := &cells[i], from+i-x
				if sq := dx*dx + dy*dy; c.ox == noWall || sq < c.square() {
					c.ox, c.oy = int8(-dx), int8(-dy)
				}
			}
			from = to
		}
	}
}

func (c *cell) square() int { return int(c.ox)*int(c.ox) + int(c.oy)*int(c.oy) }

// removeWall finds the cells that had (x, y) as their nearest wall and looks for the next nearest.
func (g *Grid) removeWall(x, y int) {
	g.cleared = g.cleared[:0]
	for _, o := range g.disk {
		c := g.at(x+o.x, y+o.y)
		if c != nil && int(c.ox) == -o.x && int(c.oy) == -o.y {
			c.ox = noWall
			g.cleared = append(g.cleared, spot{x + o.x, y + o.y})
		}
	}
	if len(g.cleared) == 0 {
		return
	}
	lo, hi := g.cleared[0], g.cleared[0]
	for _, s := range g.cleared {
		lo, hi = spot{min(lo.x, s.x), min(lo.y, s.y)}, spot{max(hi.x, s.x), max(hi.y, s.y)}
	}
	for wy := lo.y - g.reach; wy <= hi.y+g.reach; wy++ {
		for wx := lo.x - g.reach; wx <= hi.x+g.reach; wx++ {
			if w := g.at(wx, wy); w != nil && w.occupied() {
				g.offer(wx, wy)
			}
		}
	}
}

// offer gives the cleared cells a wall that may be their nearest now.
func (g *Grid) offer(wx, wy int) {
	for _, s := range g.cleared {
		dx, dy := wx-s.x, wy-s.y
		sq := dx*dx + dy*dy
		if sq > g.reach*g.reach {
			continue
		}
		if c := g.at(s.x, s.y); c.ox == noWall || sq < c.square() {
			c.ox, c.oy = int8(dx), int8(dy)
		}
	}
}

// distance is how far the middle of a cell is from that of the nearest occupied one [m], at most Reach.
func (g *Grid) distance(x, y int) float64 {
	c := g.at(x, y)
	if c == nil || c.ox == noWall {
		return g.dist[len(g.dist)-1]
	}
	return g.dist[c.square()]
}

// Distance is the distance field at a point, interpolated between the middles of cells, with its gradient [m/m]. far is true where no wall
// is within reach.
func (g *Grid) Distance(p geom.Vec2) (d float64, grad geom.Vec2, far bool) {
	fx, fy := p.X*g.inv-0.5, p.Y*g.inv-0.5
	x, y := int(math.Floor(fx)), int(math.Floor(fy))
	fx -= float64(x)
	fy -= float64(y)
	d00, d10, d01, d11 := g.distance(x, y), g.distance(x+1, y), g.distance(x, y+1), g.distance(x+1, y+1)
	limit := g.dist[len(g.dist)-1]
	if d00 >= limit && d10 >= limit && d01 >= limit && d11 >= limit {
		return limit, geom.Vec2{}, true
	}
	a, b := d00+(d10-d00)*fx, d01+(d11-d01)*fx
	return a + (b-a)*fy, geom.Vec2{X: ((d10-d00)*(1-fy) + (d11-d01)*fy) * g.inv, Y: (b - a) * g.inv}, false
}

// InsertHits adds only where the beams of a scan ended, not what they crossed: for maps that are matched to once, where people and dirt do
// not matter.
func (g *Grid) InsertHits(pose geom.Pose2, s *Scan) {
	f := frameAt(pose)
	g.nextScan()
	g.coverScan(f, s)
	for _, p := range s.Hits {
		g.hit(f.world(p))
	}
	g.settle()
}

// Contradiction is the part of the hits of a scan at pose that lie in space the map knows to be free, away from walls: people and doors make
// some, a scan of another place makes many.
func Contradiction(g *Grid, s *Scan, pose geom.Pose2) float64 {
	const (
		sure = 2 * oddsPass
		away = 0.25 // [m]
	)
	n := 0
	for _, p := range s.Hits {
		q := pose.Apply(p)
		x, y := g.index(q.X), g.index(q.Y)
		if c := g.at(x, y); c != nil && c.odds <= sure && g.distance(x, y) > away {
			n++
		}
	}
	return float64(n) / float64(max(len(s.Hits), 1))
}
