package field

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// MaxSectors is the largest number of sectors a scan may have.
const MaxSectors = 4096

// ErrScan is what every error of [Field.Observe] wraps.
var ErrScan = errors.New("scan refused")

// Scan is one look around the robot, in base_link. Sector i covers the bearings from AngleMin + i·AngleIncrement to
// AngleMin + (i+1)·AngleIncrement, counter-clockwise from the x axis.
type Scan struct {
	Stamp          time.Time // when the oldest data in it was taken, on the clock of the caller's now
	AngleMin       float64   // [rad]
	AngleIncrement float64   // [rad], positive
	RangeMax       float64   // [m] how far the sensors look
	// Ranges are the nearest returns [m]. NaN, zero and negative values: not observed. RangeMax and more: observed and free.
	// Observe only reads the slice and does not keep it.
	Ranges []float32
}

// validate reports why the scan says nothing.
func (s *Scan) validate() error {
	switch n := len(s.Ranges); {
	case n == 0 || n > MaxSectors:
		return fmt.Errorf("%w: %d sectors, want 1 to %d", ErrScan, n, MaxSectors)
	case !(s.AngleIncrement > 0) || float64(n)*s.AngleIncrement > 2*math.Pi*1.001:
		return fmt.Errorf("%w: %d sectors of %g rad, want a positive width and at most one turn", ErrScan, n, s.AngleIncrement)
	case !(math.Abs(s.AngleMin) <= 2*math.Pi):
		return fmt.Errorf("%w: angle_min %g rad, want at most one turn", ErrScan, s.AngleMin)
	case !(s.RangeMax > 0) || math.IsInf(s.RangeMax, 1):
		return fmt.Errorf("%w: range_max %g m, want a positive number", ErrScan, s.RangeMax)
	}
	return nil
}

// sectors is the fixed part of scans of one shape: where the sectors lie, and where a sector that was not observed becomes unknown.
// Bearings that the scan leaves out are appended as sectors that are never observed.
type sectors struct {
	angleMin, increment float64
	observed            int // sectors of the scan; the rest is the gap

	edges []geom.Vec2 // unit vectors to the edges, one more than there are sectors
	width []float64   // [rad] of each sector
	brink []geom.Vec2 // points on the border to the unknown next to the footprint …
	first []int       // … those of sector i are brink[first[i]:first[i+1]]
	start []float64   // [m] range of the brink at each edge
}

// newSectors lays out the sectors of scans like s around o. Spacing is the distance of samples [m].
func newSectors(s *Scan, o *outline, spacing float64) *sectors {
	n := len(s.Ranges)
	g := &sectors{angleMin: s.AngleMin, increment: s.AngleIncrement, observed: n}
	for range n {
		g.width = append(g.width, s.AngleIncrement)
	}
	// Angles travel as float32; a gap of less than a milliradian is rounding.
	if gap := 2*math.Pi - float64(n)*s.AngleIncrement; gap > 1e-3 {
		parts := math.Ceil(gap / max(s.AngleIncrement, 2*math.Pi/MaxSectors))
		for range int(parts) {
			g.width = append(g.width, gap/parts)
		}
	}
	bearing := s.AngleMin
	for _, w := range g.width {
		g.addEdge(bearing, o, spacing)
		g.first = append(g.first, len(g.brink))
		// Two spacings away everything between two samples is further from the footprint than the clearance.
		steps := math.Ceil(w * (o.reach + 2*spacing) / spacing)
		for j := range int(steps) + 1 {
			sin, cos := math.Sincos(bearing + w*float64(j)/steps)
			dir := geom.Vec2{X: cos, Y: sin}
			g.brink = append(g.brink, dir.Scale(o.outside(dir, spacing)))
		}
		bearing += w
	}
	g.addEdge(bearing, o, spacing)
	g.first = append(g.first, len(g.brink))
	return g
}

func (g *sectors) addEdge(bearing float64, o *outline, spacing float64) {
	sin, cos := math.Sincos(bearing)
	dir := geom.Vec2{X: cos, Y: sin}
	g.edges = append(g.edges, dir)
	g.start = append(g.start, o.outside(dir, spacing))
}

func (g *sectors) fits(s *Scan) bool {
	return g != nil && g.observed == len(s.Ranges) && g.angleMin == s.AngleMin && g.increment == s.AngleIncrement
}

// world is what a scan says about the surroundings, as points in the frame that base_link had when it was taken. Whatever is not a
// point is free. Samples lie so close that a footprint grown by the clearance cannot slip between two of them.
type world struct {
	obstacles []geom.Vec2 // along the arcs of the returns
	unknown   []geom.Vec2 // along the border of what was not observed
}

// read replaces the world by what s says. Points beyond lookahead [m] are left out.
func (w *world) read(s *Scan, g *sectors, spacing, lookahead float64) {
	w.obstacles, w.unknown = w.obstacles[:0], w.unknown[:0]
	for i := range g.width {
		r := g.rangeOf(s, i)
		if r > 0 {
			if r < lookahead {
				w.addArc(g, i, r, spacing)
			}
			continue
		}
		w.unknown = append(w.unknown, g.brink[g.first[i]:g.first[i+1]]...)
		// The unknown is closed off sideways where it meets sectors that were observed.
		last := len(g.width) - 1
		if g.rangeOf(s, (i+last)%(last+1)) > 0 {
			w.addRay(g, i, spacing, lookahead)
		}
		if g.rangeOf(s, (i+1)%(last+1)) > 0 {
			w.addRay(g, i+1, spacing, lookahead)
		}
	}
}

// rangeOf is the range up to which sector i is known to be free, or 0 when it was not observed. Beyond range_max nothing is known.
func (g *sectors) rangeOf(s *Scan, i int) float64 {
	if i >= g.observed {
		return 0
	}
	if r := float64(s.Ranges[i]); r > 0 { // false for NaN
		return min(r, s.RangeMax)
	}
	return 0
}

// addArc samples the arc at range r across sector i, both ends included.
func (w *world) addArc(g *sectors, i int, r, spacing float64) {
	w.obstacles = append(w.obstacles, g.edges[i].Scale(r))
	if steps := math.Ceil(r * g.width[i] / spacing); steps > 1 {
		sin, cos := math.Sincos(g.width[i] / steps)
		p := g.edges[i].Scale(r)
		for range int(steps) - 1 {
			p = geom.Vec2{X: cos*p.X - sin*p.Y, Y: sin*p.X + cos*p.Y}
			w.obstacles = append(w.obstacles, p)
		}
	}
	w.obstacles = append(w.obstacles, g.edges[i+1].Scale(r))
}

// addRay samples edge i from the brink to the lookahead.
func (w *world) addRay(g *sectors, i int, spacing, lookahead float64) {
	for r := g.start[i]; r < lookahead; r += spacing {
		w.unknown = append(w.unknown, g.edges[i].Scale(r))
	}
}
