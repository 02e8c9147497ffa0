package costmap

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// ErrScan is what every error of [Map.AddScan] wraps.
var ErrScan = errors.New("scan refused")

const maxBeams = 1 << 15

// Scan is one turn of a planar range sensor.
type Scan struct {
	Pose                     geom.Pose2 // [m, rad] of the sensor in the map frame, when the scan was taken
	Robot                    geom.Pose2 // [m, rad] of base_link then; what lies under the footprint is the robot itself
	AngleMin, AngleIncrement float64    // [rad] bearing of the first beam, and from one to the next, in the sensor's frame
	RangeMin, RangeMax       float64    // [m]
	Ranges                   []float32  // [m]
}

func (s *Scan) validate() error {
	full := 2*math.Pi + 0.01
	switch {
	case len(s.Ranges) == 0 || len(s.Ranges) > maxBeams:
		return fmt.Errorf("%w: %d beams: from 1 to %d can be used", ErrScan, len(s.Ranges), maxBeams)
	case !s.Pose.IsFinite() || !s.Robot.IsFinite() || !geom.Finite(s.AngleMin, s.AngleIncrement, s.RangeMin, s.RangeMax):
		return fmt.Errorf("%w: pose, angles or limits are not finite", ErrScan)
	case math.Abs(s.AngleIncrement) < 1e-6 || math.Abs(s.AngleIncrement)*float64(len(s.Ranges)-1) > full:
		return fmt.Errorf("%w: %d beams, %g rad apart, are no part of a turn", ErrScan, len(s.Ranges), s.AngleIncrement)
	case s.RangeMin < 0 || s.RangeMax <= s.RangeMin:
		return fmt.Errorf("%w: ranges from %g to %g m", ErrScan, s.RangeMin, s.RangeMax)
	}
	return nil
}

// reading says what beam i proves: it is free up to free [m], and an obstacle stands there when hit.
func (s *Scan) reading(i int) (free float64, hit bool) {
	r := float64(s.Ranges[i])
	switch {
	case r > s.RangeMax: // +Inf too
		return s.RangeMax, false
	case r > 0:
		return r, true
	case math.IsInf(r, -1):
		return s.RangeMin, true
	}
	return 0, false // NaN, zero, negative
}

// AddScan marks what a scan sees and clears what it sees past. On an error nothing changes.
func (m *Map) AddScan(now time.Time, s *Scan) error {
	if err := s.validate(); err != nil {
		return err
	}
	m.markReturns(now, s)
	m.clearPassed(now, s)
	m.update()
	return nil
}

// markReturns flags the cells of all returns and marks those that are new.
func (m *Map) markReturns(now time.Time, s *Scan) {
	sensor := m.Origin.Between(s.Pose)
	robot := s.Robot.Inverse()
	for i := range s.Ranges {
		r, hit := s.reading(i)
		if !hit || r > m.cfg.MarkRange {
			continue
		}
		sin, cos := math.Sincos(sensor.Theta + s.AngleMin + float64(float64(i)*s.AngleIncrement))
		c := Cell{toCell((sensor.X + r*cos) / m.Resolution), toCell((sensor.Y + r*sin) / m.Resolution)}
		if !m.Holds(c) {
			continue
		}
		f := &m.flags[m.Index(c)]
		if *f&explained != 0 || m.under(robot, c) {
			continue
		}
		*f |= seenNow
		if *f&marked == 0 {
			if *f&obstacle == 0 {
				m.added = append(m.added, c)
			}
			*f |= marked
			m.marks = append(m.marks, mark{c, now})
		}
	}
}

// clearPassed drops the marks that the scan sees past, and those that nobody has seen for long.
func (m *Map) clearPassed(now time.Time, s *Scan) {
	kept := m.marks[:0]
	robot := s.Robot.Inverse()
	for _, k := range m.marks {
		f := &m.flags[m.Index(k.cell)]
		if *f&seenNow != 0 {
			*f &^= seenNow
			kept = append(kept, mark{k.cell, now})
			continue
		}
		old := m.cfg.ForgetAfter > 0 && now.Sub(k.seen) > m.cfg.ForgetAfter
		if !old && !m.passed(k.cell, s) && !m.under(robot, k.cell) {
			kept = append(kept, k)
			continue
		}
		if *f &^= marked; *f&obstacle == 0 {
			m.gone = append(m.gone, k.cell)
		}
	}
	m.marks = kept
}

// under reports whether the middle of a cell lies under the footprint; robot maps the map frame into base_link.
func (m *Map) under(robot geom.Pose2, c Cell) bool {
	p := robot.Apply(m.Center(c))
	return p.Dot(p) <= m.reach*m.reach && m.cfg.Footprint.Contains(p)
}

// passed reports whether all beams that cross the middle half of a cell, at least the nearest one, prove free what lies beyond it.
func (m *Map) passed(c Cell, s *Scan) bool {
	at := s.Pose.Inverse().Apply(m.Center(c))
	distance := at.Norm()
	if distance > m.cfg.ClearRange || distance == 0 {
		return false
	}
	step := math.Abs(s.AngleIncrement)
	turn := at.Angle() - s.AngleMin
	if s.AngleIncrement < 0 {
		turn = -turn
	}
	if turn = math.Mod(turn, 2*math.Pi); turn < 0 {
		turn += 2 * math.Pi
	}
	half := min(m.Resolution/4/distance, math.Pi)
	first, last := int(math.Ceil((turn-half)/step)), int(math.Floor((turn+half)/step))
	if first > last { // none crosses it
		first = int(math.Round(turn / step))
		last = first
	}
	for i := first; i <= last; i++ {
		if !m.beyond(s, i, distance) {
			return false
		}
	}
	return true
}

// beyond reports whether beam i, which may be counted beyond a full turn, proves free what lies past a mark at a distance.
func (m *Map) beyond(s *Scan, i int, distance float64) bool {
	n := len(s.Ranges)
	if full := int(math.Round(2 * math.Pi / math.Abs(s.AngleIncrement))); full <= n {
		i = (i + full) % full
	}
	if i < 0 || i >= n {
		return false // the scan does not look there
	}
	free, hit := s.reading(i)
	if hit { // within the cell, or in the next, it is what the mark stands for, seen a little farther away
		return free > distance+1.5*m.Resolution
	}
	return free > distance+0.5*m.Resolution
}
