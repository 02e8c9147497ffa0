package avoidance

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Method says how a way around is chosen.
type Method string

// The methods.
const (
	VFH       Method = "vfh"
	FollowGap Method = "follow_gap"
)

// Errors.
var (
	ErrConfig = errors.New("invalid avoidance")
	ErrScan   = errors.New("sectors refused")
)

// Config of avoidance.
type Config struct {
	Method       Method
	SafeDistance float64       // [m] from base_link; nearer things ahead are avoided
	Emergency    float64       // [m] nearer things ahead stop the robot
	Cone         float64       // [rad] angle that is ahead, on both sides together
	MinGap       float64       // [rad] narrower gaps are none
	HalfWidth    float64       // [m] of the robot, with some room: what is at a side grows by it
	Bubble       float64       // [m] radius around the nearest obstacle, follow_gap
	SpeedGain    float64       // how much of the speed goes with the distance, 0 to 1
	Smoothing    float64       // part of the last advice that is kept each step, 0 to below 1
	Waver        float64       // [rad] how much nearer a gap on the other side must be
	ReleaseAfter time.Duration // an emergency ends when all was clear for so long
}

// Default are the numbers of the public robots.
func Default() Config {
	const deg = math.Pi / 180
	return Config{
		Method: VFH, SafeDistance: 1.5, Emergency: 0.75, Cone: 60 * deg, MinGap: 20 * deg, HalfWidth: 0.4, Bubble: 0.45,
		SpeedGain: 1, Smoothing: 0.7, Waver: 20 * deg, ReleaseAfter: time.Second,
	}
}

// Validate reports the first value that cannot be worked with.
func (c Config) Validate() error {
	if c.Method != VFH && c.Method != FollowGap {
		return fmt.Errorf("%w: method %q: write %s or %s", ErrConfig, c.Method, VFH, FollowGap)
	}
	for _, v := range []struct {
		name            string
		value, min, max float64
	}{
		{"safe distance", c.SafeDistance, 0.2, 10},
		{"emergency distance", c.Emergency, 0.1, c.SafeDistance},
		{"cone", c.Cone, 0.1, math.Pi},
		{"least gap", c.MinGap, 0.02, math.Pi},
		{"half width", c.HalfWidth, 0.05, 2},
		{"bubble", c.Bubble, 0.05, 3},
		{"speed gain", c.SpeedGain, 0, 1},
		{"smoothing", c.Smoothing, 0, 0.99},
		{"waver", c.Waver, 0, math.Pi},
		{"release after", c.ReleaseAfter.Seconds(), 0, 30},
	} {
		if !(v.value >= v.min && v.value <= v.max) {
			return fmt.Errorf("%w: %s is %g: write %g to %g", ErrConfig, v.name, v.value, v.min, v.max)
		}
	}
	return nil
}

// Sectors are what is ahead: the nearest obstacle [m] in each of equal angles, counter-clockwise. NaN: nobody looked.
type Sectors struct {
	AngleMin, Increment float64 // [rad] where the first sector begins, and how wide each is
	RangeMax            float64 // [m] stands for nothing seen
	Ranges              []float32
}

func (s *Sectors) center(i int) float64 { return s.AngleMin + (float64(i)+0.5)*s.Increment }

// Advice is what to do.
type Advice struct {
	Scale     float64 // 0 to 1, of the speed
	Aside     float64 // [rad] to the left of where the path leads
	Emergency bool    // stand still
	Front     float64 // [m] nearest obstacle ahead; the range of the sensor when there is none
	Shut      bool    // there is no gap
}

// Avoider gives advice. Use [New].
type Avoider struct {
	cfg     Config
	aside   float64
	side    float64   // +1 left, -1 right, 0 none: where the last gap was
	latched bool      // an emergency
	clear   time.Time // since when it is not there any more; zero: it is there
	open    []bool    // scratch
}

// New returns an avoider.
func New(cfg Config) (*Avoider, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Avoider{cfg: cfg}, nil
}

const maxSectors = 1440

// Step takes in sectors and where the path leads [rad, seen from base_link], and returns the advice.
func (a *Avoider) Step(now time.Time, s *Sectors, aim float64) (Advice, error) {
	n := len(s.Ranges)
	if n < 4 || n > maxSectors || !(s.Increment > 0 && s.Increment*float64(n) < 7) || !(s.RangeMax > 0) || math.IsInf(s.RangeMax, 0) || math.IsNaN(s.AngleMin+aim) {
		return Advice{}, fmt.Errorf("%w: %d sectors of %g rad, the path at %g rad", ErrScan, n, s.Increment, aim)
	}
	c := &a.cfg
	aim = min(max(aim, s.AngleMin), s.AngleMin+float64(n)*s.Increment)
	front, towards := s.RangeMax, s.RangeMax
	for i := range s.Ranges {
		d := s.distance(i)
		if math.Abs(s.center(i)) <= c.Cone/2 {
			front = min(front, d)
		}
		if math.Abs(s.center(i)-aim) <= c.Cone/2 {
			towards = min(towards, d)
		}
	}
	out := Advice{Scale: 1, Front: front, Emergency: a.emergency(now, front)}
	if front < c.SafeDistance {
		out.Scale = 1 - c.SpeedGain*(1-front/c.SafeDistance)
	}
	target := 0.0
	if min(front, towards) < c.SafeDistance {
		angle, found := a.choose(s, aim)
		if target = angle - aim; !found {
			target, out.Scale, out.Shut = 0, 0, true
		}
	} else {
		a.side = 0
	}
	a.aside = c.Smoothing*a.aside + (1-c.Smoothing)*target
	if math.Abs(a.aside) < 1e-4 {
		a.aside = 0
	}
	if out.Aside = a.aside; out.Emergency {
		out.Scale = 0
	}
	return out, nil
}

// distance is that of the obstacle in a sector, or the range where there is none or nobody looked.
func (s *Sectors) distance(i int) float64 {
	if r := float64(s.Ranges[i]); r >= 0 && r < s.RangeMax {
		return r
	}
	return s.RangeMax
}

// emergency reports whether something is too near, or was until lately.
func (a *Avoider) emergency(now time.Time, front float64) bool {
	switch {
	case front < a.cfg.Emergency:
		a.latched, a.clear = true, time.Time{}
	case a.latched && a.clear.IsZero():
		a.clear = now
	}
	if a.latched && !a.clear.IsZero() && now.Sub(a.clear) >= a.cfg.ReleaseAfter {
		a.latched = false
	}
	return a.latched
}

// choose returns the angle to steer to, when the path leads to aim.
func (a *Avoider) choose(s *Sectors, aim float64) (angle float64, found bool) {
	a.open = a.open[:0]
	for i := range s.Ranges {
		a.open = append(a.open, !math.IsNaN(float64(s.Ranges[i])) && s.distance(i) >= a.cfg.SafeDistance)
	}
	grow := a.cfg.HalfWidth
	if a.cfg.Method == FollowGap {
		grow = a.cfg.Bubble
	}
	for i := range s.Ranges {
		if d := s.distance(i); d < a.cfg.SafeDistance {
			half := math.Asin(min(grow/max(d, grow), 1))
			for k := range a.open {
				if math.Abs(s.center(k)-s.center(i)) <= half {
					a.open[k] = false
				}
			}
		}
	}
	best := math.Inf(1)
	for i := 0; i < len(a.open); i++ {
		if !a.open[i] {
			continue
		}
		from := i
		for i < len(a.open) && a.open[i] {
			i++
		}
		lo, hi := s.AngleMin+float64(from)*s.Increment, s.AngleMin+float64(i)*s.Increment
		if hi-lo < a.cfg.MinGap {
			continue
		}
		at, cost := a.into(lo, hi, aim)
		if (at-aim)*a.side < 0 {
			cost += a.cfg.Waver
		}
		if cost < best {
			best, angle, found = cost, at, true
		}
	}
	if found && angle != aim {
		a.side = math.Copysign(1, angle-aim)
	}
	return angle, found
}

// into is the angle at which a gap is taken, and how dear that is [rad].
func (a *Avoider) into(lo, hi, aim float64) (angle, cost float64) {
	if a.cfg.Method == FollowGap {
		middle := (lo + hi) / 2
		return middle, 2*math.Pi - (hi - lo)
	}
	inset := a.cfg.MinGap / 2
	at := min(max(aim, lo+inset), hi-inset)
	return at, math.Abs(at - aim)
}
