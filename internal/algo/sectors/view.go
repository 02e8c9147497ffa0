package sectors

import (
	"errors"
	"fmt"
	"math"

	"sarathi/internal/geom"
)

const (
	bins     = 720 // directions of a View, counter-clockwise from straight behind
	binWidth = 2 * math.Pi / bins
)

// Config says what counts as an obstacle, in base_link.
type Config struct {
	ZMin, ZMax         float64   // [m] height band: lower is floor, higher passes over the robot
	Self               geom.Rect // [m] outline of the robot, base_link inside; returns from within are the robot
	RangeMin, RangeMax float64   // [m] from base_link
	MaxGap             float64   // [rad] between two beams that leaves no doubt about what is between them
	SilenceIsFree      bool      // a cloud of at least one point says: free, where it has no point
}

// Validate reports every value that a View cannot work with, in texts that begin with the key.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !(c.ZMin < c.ZMax) || !geom.Finite(c.ZMin, c.ZMax) {
		bad("z_min: %g m is not below z_max, %g m", c.ZMin, c.ZMax)
	}
	if b := c.Self; !(b.Min.X < 0 && b.Max.X > 0 && b.Min.Y < 0 && b.Max.Y > 0) || !b.Min.IsFinite() || !b.Max.IsFinite() {
		bad("self: %v is no box around base_link", b)
	}
	if !(c.RangeMin > 0 && c.RangeMin < c.RangeMax) || math.IsInf(c.RangeMax, 1) {
		bad("range_min: %g m is not between 0 and range_max, %g m", c.RangeMin, c.RangeMax)
	}
	if !(c.MaxGap >= 0 && c.MaxGap <= math.Pi/4) {
		bad("max_gap: %g rad is out of range 0..0.785 rad", c.MaxGap)
	}
	return errors.Join(errs...)
}

// View is what is known about the surroundings at one instant. Use [New]; one View serves many instants.
type View struct {
	cfg  Config
	edge [bins + 1]geom.Vec2 // unit vectors to the beginnings of the directions; the last is the first again
	hint [hints]int16        // see bin

	// of this instant
	near  [bins]float64 // squared distance to the nearest obstacle or border of what was seen [m²]
	seen  [bins]bool
	reach float64 // [m] how far the sources look

	plan  *plan      // of the scan added last
	blind [bins]bool // scratch of AddScan
	beams []float64  // scratch of AddScan
}

// New returns a View that has seen nothing. It panics on a Config that Validate refuses.
func New(cfg Config) *View {
	if err := cfg.Validate(); err != nil {
		panic(fmt.Sprintf("sectors.New: %v", err))
	}
	v := &View{cfg: cfg}
	for i := range v.edge {
		s, c := math.Sincos(-math.Pi + float64(i)*binWidth)
		v.edge[i] = geom.Vec2{X: c, Y: s}
	}
	v.edge[bins] = v.edge[0]
	v.makeHints()
	v.Begin()
	return v
}

// Begin forgets everything, for the next instant.
func (v *View) Begin() {
	v.reach = v.cfg.RangeMax
	for i := range v.near {
		v.near[i], v.seen[i] = math.Inf(1), false
	}
}

// RangeMax is how far the sources added so far look, at most the configured range_max [m].
func (v *View) RangeMax() float64 { return v.reach }

// hints is the number of equal parts into which bin cuts the turn to begin its search.
const hints = 4096

// makeHints finds for each part the first direction that reaches into it.
func (v *View) makeHints() {
	k := 0
	for i := range v.hint {
		from := 4*float64(i)/hints - 2
		for k < bins-1 && diamond(v.edge[k+1]) <= from {
			k++
		}
		v.hint[i] = int16(k)
	}
}

// diamond grows with the bearing of p like an angle does, from -2 straight behind, over 0 ahead, to 2, but costs no arctangent.
func diamond(p geom.Vec2) float64 {
	d := p.Y / (math.Abs(p.X) + math.Abs(p.Y))
	switch {
	case p.X >= 0:
		return d
	case p.Y >= 0:
		return 2 - d
	default:
		return -2 - d
	}
}

// bin returns the direction that p lies in; p is finite and not the origin.
func (v *View) bin(p geom.Vec2) int {
	i := int((diamond(p) + 2) * (hints / 4))
	k := int(v.hint[min(max(i, 0), hints-1)])
	for k < bins-1 && v.edge[k+1].Cross(p) >= 0 {
		k++
	}
	return k
}

// Layout is a set of equal sectors. Use [NewLayout].
type Layout struct {
	AngleMin  float64 // [rad] beginning of the first sector, counter-clockwise from the x axis
	Increment float64 // [rad] width of a sector
	Count     int

	first, last []int // directions that a sector reaches into; last may lie beyond the turn
}

// NewLayout cuts fov radians, centred on straight ahead, into n sectors; fov is at most a full turn.
func NewLayout(n int, fov float64) (Layout, error) {
	if n < 1 || n > bins || !(fov > 0 && fov <= 2*math.Pi+1e-9) {
		return Layout{}, fmt.Errorf("%d sectors over %g rad: want 1 to %d over at most a full turn", n, fov, bins)
	}
	l := Layout{AngleMin: -fov / 2, Increment: fov / float64(n), Count: n}
	const rounding = 1e-6 // of a direction; a sector that ends on an edge does not reach beyond it
	for i := range n {
		from := (l.AngleMin + float64(i)*l.Increment + math.Pi) / binWidth
		to := from + l.Increment/binWidth
		l.first = append(l.first, int(math.Floor(from+rounding)))
		l.last = append(l.last, int(math.Ceil(to-rounding))-1)
	}
	return l, nil
}

// Append appends the ranges of the sectors of l to dst [m]: the nearest obstacle, at least range_min; RangeMax when it is free as far
// as the sources look; NaN when part of the sector was not seen.
func (v *View) Append(dst []float32, l *Layout) []float32 {
	limit := v.reach * v.reach
	for i := range l.Count {
		near, seen := limit, true
		for k := l.first[i]; k <= l.last[i]; k++ {
			at := k
			if at >= bins {
				at -= bins
			}
			seen = seen && v.seen[at]
			if v.near[at] < near {
				near = v.near[at]
			}
		}
		switch {
		case !seen:
			dst = append(dst, float32(math.NaN()))
		case near >= limit:
			dst = append(dst, float32(v.reach))
		default:
			dst = append(dst, float32(max(math.Sqrt(near), v.cfg.RangeMin)))
		}
	}
	return dst
}
