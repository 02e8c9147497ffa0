package sectors

import (
	"errors"
	"fmt"
	"math"

	"sarathi/internal/geom"
)

// ErrScan is what every error of [View.AddScan] wraps.
var ErrScan = errors.New("scan refused")

const (
	maxBeams = 1 << 15
	maxTilt  = 30 * math.Pi / 180 // of the scan plane; a steeper one sees the floor and the ceiling
)

// Scan is one turn of a planar range finder. Beam i looks along AngleMin + i·AngleIncrement in the sensor's xy plane.
type Scan struct {
	AngleMin, AngleIncrement float64        // [rad]
	RangeMin, RangeMax       float64        // [m] what the device can measure
	Ranges                   []float32      // [m] see the package comment; only read
	Mount                    geom.Transform // the sensor in base_link
}

// plan is all about scans of one shape that does not depend on what they measured. Beams are numbered counter-clockwise as seen from
// above, whichever way the sensor counts.
type plan struct {
	of      Scan // without ranges
	n       int
	reverse bool
	step    float64 // [rad] between beams, positive

	o      geom.Vec2   // the sensor in the plane of base_link
	middle []geom.Vec2 // where beams point, in that plane; as long as a metre along the beam is there
	edge   []geom.Vec2 // borders between beams: beam j lies between edge[j] and edge[j+1]
	limit  []float64   // [m] where a beam ends that meets nothing
	near   float64     // [m] only returns nearer than this can be the robot
	reach  float64     // [m] how far the scan looks from base_link, at least
	wrap   float64     // [rad] between the last beam and the first one
	vouch  float64     // beams by which a beam speaks for more than its own width beside a gap
}

// AddScan adds a scan, as far as it can be believed. The scan must be the first source after Begin. The error says what is wrong with
// its shape or its mount; the View is as before then.
func (v *View) AddScan(s Scan) error {
	if v.plan == nil || !v.plan.fits(&s) {
		p, err := v.newPlan(&s)
		if err != nil {
			return err
		}
		v.plan = p
	}
	p := v.plan
	v.beams = v.beams[:0]
	for j := range p.n {
		v.beams = append(v.beams, v.reading(p, j, s.Ranges[p.index(j)]))
	}
	v.reach = min(v.reach, p.reach)
	v.walk(p)
	return nil
}

func (p *plan) fits(s *Scan) bool {
	o := &p.of
	return p.n == len(s.Ranges) && o.AngleMin == s.AngleMin && o.AngleIncrement == s.AngleIncrement &&
		o.RangeMin == s.RangeMin && o.RangeMax == s.RangeMax && o.Mount == s.Mount
}

func (v *View) newPlan(s *Scan) (*plan, error) {
	up := s.Mount.R.Rotate(geom.Vec3{Z: 1}).Z
	if err := v.checkScan(s, up); err != nil {
		return nil, err
	}
	p := &plan{
		of: *s, n: len(s.Ranges), step: math.Abs(s.AngleIncrement), o: s.Mount.T.XY(),
		reverse: (s.AngleIncrement > 0) != (up > 0), // seen from above it turns clockwise
	}
	p.of.Ranges = nil
	box := v.cfg.Self
	for _, corner := range []geom.Vec2{box.Min, box.Max, {X: box.Min.X, Y: box.Max.Y}, {X: box.Max.X, Y: box.Min.Y}} {
		p.near = max(p.near, corner.Distance(p.o)/math.Abs(up)) // a metre of a beam is at least |up| in the plane
	}
	for j := range p.n {
		u := p.direction(float64(j))
		p.middle = append(p.middle, u.XY())
		p.limit = append(p.limit, min(s.RangeMax, leave(s.Mount.T.Z, u.Z, v.cfg.ZMin, v.cfg.ZMax)))
		p.edge = append(p.edge, p.direction(float64(j)-0.5).XY())
	}
	p.edge = append(p.edge, p.direction(float64(p.n)-0.5).XY())
	p.reach = s.RangeMax*math.Abs(up) - p.o.Norm()
	p.wrap = max(2*math.Pi-float64(p.n-1)*p.step, 0)
	p.vouch = max(0, v.cfg.MaxGap/(2*p.step)-0.5)
	if p.reach <= v.cfg.RangeMin {
		return nil, fmt.Errorf("%w: range_max %g m does not reach beyond the robot", ErrScan, s.RangeMax)
	}
	return p, nil
}

// checkScan reports why nothing can be made of scans like s; up is the vertical part of its plane's normal.
func (v *View) checkScan(s *Scan, up float64) error {
	n := len(s.Ranges)
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrScan}, args...)...)
	}
	step := math.Abs(s.AngleIncrement)
	switch z := s.Mount.T.Z; {
	case n < 2 || n > maxBeams:
		return refuse("%d beams, want 2 to %d", n, maxBeams)
	case !geom.Finite(s.AngleMin) || !(step > 0) || step*(float64(n)-1.5) > 2*math.Pi:
		return refuse("%d beams from %g rad in steps of %g rad, want at most one turn", n, s.AngleMin, s.AngleIncrement)
	case !(s.RangeMin >= 0 && s.RangeMin < s.RangeMax) || math.IsInf(s.RangeMax, 1):
		return refuse("ranges from %g to %g m, want 0 <= range_min < range_max", s.RangeMin, s.RangeMax)
	case step > v.cfg.MaxGap:
		return refuse("beams are %.2g deg apart and max_gap_deg is %.2g: raise it, if the gaps hide nothing", deg(step), deg(v.cfg.MaxGap))
	case !s.Mount.IsFinite():
		return refuse("the mount is not finite")
	case math.Abs(up) < math.Cos(maxTilt):
		return refuse("its plane is tilted by more than %.0f deg: correct the mount of the sensor", deg(maxTilt))
	case z <= v.cfg.ZMin || z >= v.cfg.ZMax:
		return refuse("the sensor is mounted at height %g m, outside of the band %g..%g m", z, v.cfg.ZMin, v.cfg.ZMax)
	}
	return nil
}

func deg(rad float64) float64 { return rad * 180 / math.Pi }

// index returns where beam j is in the ranges.
func (p *plan) index(j int) int {
	if p.reverse {
		return p.n - 1 - j
	}
	return j
}

// direction returns where beam j points in base_link; halves lie between beams.
func (p *plan) direction(j float64) geom.Vec3 {
	if p.reverse {
		j = float64(p.n-1) - j
	}
	sin, cos := math.Sincos(p.of.AngleMin + j*p.of.AngleIncrement)
	return p.of.Mount.R.Rotate(geom.Vec3{X: cos, Y: sin})
}

// unknown is the length of a beam that says nothing.
const unknown = -1.0

// reading returns how far beam j is free [m], or unknown.
func (v *View) reading(p *plan, j int, measured float32) float64 {
	r := float64(measured)
	switch {
	case r >= p.limit[j]:
		return p.limit[j]
	case math.IsInf(r, -1):
		r = p.of.RangeMin
	case !(r > 0):
		return unknown
	}
	if r < p.near && v.cfg.Self.Contains(p.o.Add(p.middle[j].Scale(r))) {
		return unknown
	}
	return r
}

// walk goes once along the outline of all beams.
func (v *View) walk(p *plan) {
	first := 0
	for first < p.n && v.beams[first] == unknown {
		first++
	}
	if first == p.n {
		return
	}
	v.blind = [bins]bool{}
	start := p.o.Add(p.edge[first].Scale(v.beams[first]))
	pen, k := start, v.bin(start)
	last := first
	for j := first; j < p.n; j++ {
		r := v.beams[j]
		if r == unknown {
			continue
		}
		from, to := p.o.Add(p.edge[j].Scale(r)), p.o.Add(p.edge[j+1].Scale(r))
		if gap := float64(j-last) * p.step; gap <= v.cfg.MaxGap+1e-9 {
			k = v.line(pen, from, k)
		} else {
			v.gap(p, pen, k, last, from, float64(j))
			k = v.bin(from)
		}
		pen, k, last = to, v.line(from, to, k), j
	}
	missing := float64(p.n-1-last) + float64(first)
	if missing*p.step+p.wrap <= v.cfg.MaxGap+1e-9 {
		v.line(pen, start, k)
	} else {
		v.gap(p, pen, k, last, start, float64(p.n-1)+p.wrap/p.step+float64(first))
	}
	for i := range v.blind {
		if v.blind[i] {
			v.seen[i] = false
		}
	}
}

// gap handles what was not seen between beam last, whose outline ends at pen in direction k, and the next beam, whose outline begins
// at from. next is the number of that beam; after the last of the turn the numbers go on.
func (v *View) gap(p *plan, pen geom.Vec2, k, last int, from geom.Vec2, next float64) {
	begin, end := float64(last)+0.5, next-0.5
	if p.vouch > 0 {
		// Both neighbours speak for a little more than their own width, with their own range.
		begin, end = begin+p.vouch, end-p.vouch
		r := pen.Distance(p.o)
		v.line(pen, p.o.Add(p.heading(begin).Scale(r)), k)
		r = from.Distance(p.o)
		before := p.o.Add(p.heading(end).Scale(r))
		v.line(before, from, v.bin(before))
	}
	const stride = 10 * math.Pi / 180 // a chord of the arc around the gap
	steps := math.Ceil((end - begin) * p.step / stride)
	var exit, far geom.Vec2
	for i := 0.0; i <= steps; i++ {
		u := p.heading(begin + (end-begin)*i/steps)
		e, f := p.o.Add(u.Scale(v.exit(p.o, u))), p.o.Add(u.Scale(p.of.RangeMax))
		if i > 0 {
			v.hide(exit, e)
			v.hide(far, f)
		}
		if i == 0 || i == steps {
			v.hide(e, f)
		}
		exit, far = e, f
	}
}

// heading is the unit vector in the plane of base_link along which beam j looks; the numbers go on beyond the last beam.
func (p *plan) heading(j float64) geom.Vec2 {
	u := p.direction(j).XY()
	return u.Scale(1 / u.Norm())
}
