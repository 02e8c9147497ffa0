package sim

import (
	"errors"
	"math"

	"sarathi/internal/geom"
	"sarathi/internal/sim/raycast"
)

// LidarSpec describes a level laser scanner.
type LidarSpec struct {
	Beams              int     // number of beams
	AngleMin           float64 // direction of the first beam in the sensor's frame [rad]
	FOV                float64 // from the first beam to the last; 2π spaces them evenly all around [rad]
	RangeMin, RangeMax float64 // [m]
	Noise              float64 // standard deviation of a range [m]
	Mount              Mount
}

func (s LidarSpec) validate() error {
	switch {
	case s.Beams < 2 || s.Beams > 1<<16:
		return errors.New("beams are not between 2 and 65536")
	case !(s.FOV > 0 && s.FOV <= 2*math.Pi+1e-9):
		return errors.New("fov is not between 0 and 2π")
	case !geom.Finite(s.AngleMin) || !s.Mount.isFinite():
		return errors.New("angle_min or mount is not finite")
	case !(s.RangeMin >= 0 && s.RangeMin < s.RangeMax && s.RangeMax <= 1000):
		return errors.New("range_min and range_max are not 0 ≤ min < max ≤ 1000 m")
	}
	return nonNegative([]string{"noise"}, s.Noise)
}

// increment is the angle between two beams in the sensor's frame.
func (s LidarSpec) increment() float64 { return spacing(s.FOV, s.Beams) }

// spacing divides a field of view: a full turn has as many gaps as beams, a sector one less.
func spacing(fov float64, beams int) float64 {
	if fov >= 2*math.Pi-1e-9 {
		return 2 * math.Pi / float64(beams)
	}
	return fov / float64(beams-1)
}

// Scan is one turn of a scanner, all beams at one instant.
type Scan struct {
	AngleMin, AngleIncrement float64 // in the sensor's frame [rad]
	RangeMin, RangeMax       float64 // [m]
	// Ranges [m] follow REP 117: +Inf nothing within RangeMax, -Inf something nearer than RangeMin, NaN a fault.
	Ranges []float32
}

type lidar struct {
	spec  LidarSpec
	noise *noise
	sweep *raycast.Sweep
}

func newLidar(s LidarSpec, n *noise) *lidar {
	turn := s.Mount.turn()
	return &lidar{spec: s, noise: n, sweep: raycast.NewSweep(turn*s.AngleMin, turn*s.increment(), s.Beams)}
}

// Scan is a scan at the present tick; its slice is new. False when the robot has no such sensor, or it is silent.
func (r *Robot) Scan() (Scan, bool) {
	if r.lidar == nil || r.faults[SensorLidar] == FaultSilent {
		return Scan{}, false
	}
	s := r.lidar.spec
	out := Scan{
		AngleMin: s.AngleMin, AngleIncrement: s.increment(), RangeMin: s.RangeMin, RangeMax: s.RangeMax,
		Ranges: make([]float32, s.Beams),
	}
	if r.faults[SensorLidar] == FaultNaN {
		for i := range out.Ranges {
			out.Ranges[i] = float32(math.NaN())
		}
		return out, true
	}
	r.look(r.lidar.sweep, s.Mount, s.RangeMax)
	n := r.lidar.noise.at(r.world.tick)
	for i, d := range r.lidar.sweep.Ranges() {
		out.Ranges[i] = float32(reading(d, n.gauss(s.Noise), s.RangeMin, s.RangeMax))
	}
	return out, true
}

// reading is what a sensor makes of a distance.
func reading(d, noise, lo, hi float64) float64 {
	switch {
	case d >= hi:
		return math.Inf(1)
	case d < lo:
		return math.Inf(-1)
	}
	return min(max(d+noise, lo), hi)
}

// look sweeps the world from a sensor of the robot.
func (r *Robot) look(s *raycast.Sweep, m Mount, limit float64) {
	w, z := r.world, r.spec.BaseHeight+m.Z
	at := r.pose.Mul(m.pose())
	s.Begin(at, z, limit)
	s.Field(w.static)
	for _, c := range w.pillars {
		if z >= c.bottom && z < c.top {
			s.Disc(c.center, c.radius)
		}
	}
	for _, p := range w.people {
		if z < p.height {
			s.Disc(p.pos, p.radius)
		}
	}
	for _, d := range w.doors {
		if leaf, ok := d.leaf(); ok {
			s.Wall(raycast.Wall{Segment: leaf, Top: d.height})
		}
	}
	for _, o := range w.robots {
		if o == r || at.Position().Distance(o.pose.Position()) > limit+o.reach {
			continue
		}
		for i := range o.outline {
			s.Wall(raycast.Wall{Segment: o.outline.Edge(i), Top: o.spec.Height})
		}
	}
}
