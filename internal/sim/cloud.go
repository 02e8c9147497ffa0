package sim

import (
	"errors"
	"math"
	"slices"

	"sarathi/internal/geom"
	"sarathi/internal/sim/raycast"
)

// CloudSpec describes a lidar with several rings of beams, each at its own elevation.
type CloudSpec struct {
	Rings                      int     // number of rings
	ElevationMin, ElevationMax float64 // of the lowest and the highest ring in the sensor's frame [rad]
	Beams                      int     // beams of a ring, evenly all around
	RangeMin, RangeMax         float64 // [m]
	Noise                      float64 // standard deviation of a range [m]
	Floor                      bool    // beams that meet the floor give points
	Mount                      Mount
}

func (s CloudSpec) validate() error {
	switch {
	case s.Rings < 1 || s.Rings > 256 || s.Beams < 2 || s.Beams > 1<<14:
		return errors.New("rings are not between 1 and 256, or beams not between 2 and 16384")
	case !(s.ElevationMin > -1.5 && s.ElevationMin <= s.ElevationMax && s.ElevationMax < 1.5):
		return errors.New("elevations are not -1.5 < min ≤ max < 1.5 rad")
	case !(s.RangeMin >= 0 && s.RangeMin < s.RangeMax && s.RangeMax <= 1000):
		return errors.New("range_min and range_max are not 0 ≤ min < max ≤ 1000 m")
	case !s.Mount.isFinite():
		return errors.New("mount is not finite")
	}
	return nonNegative([]string{"noise"}, s.Noise)
}

// CloudPoint is a point in the sensor's frame [m].
type CloudPoint struct {
	X, Y, Z float32
	Ring    uint16 // 0 is the lowest elevation
}

// cloud is a lidar with rings. Beams above each other are cast together.
type cloud struct {
	spec       CloudSpec
	noise      *noise
	elevations []float64 // in the sensor's frame
	slopes     []float64 // metres up in the world per metre in the floor plan
	view       raycast.View
	hits       []raycast.Hit
	faces      []crossing
}

// crossing is something upright at a distance in the floor plan.
type crossing struct {
	t, bottom, top float64
}

func newCloud(s CloudSpec, n *noise) *cloud {
	c := &cloud{spec: s, noise: n}
	for i := range s.Rings {
		e := s.ElevationMin
		if s.Rings > 1 {
			e += (s.ElevationMax - s.ElevationMin) * float64(i) / float64(s.Rings-1)
		}
		c.elevations = append(c.elevations, e)
		c.slopes = append(c.slopes, math.Tan(s.Mount.turn()*e)) // upside down, up is down
	}
	c.view = raycast.View{Low: slices.Min(c.slopes), High: slices.Max(c.slopes)}
	return c
}

// Cloud is a cloud at the present tick: the points that beams met, azimuth by azimuth; its slice is new. False when the robot
// has no such sensor, or it is silent.
func (r *Robot) Cloud() ([]CloudPoint, bool) {
	if r.cloud == nil || r.faults[SensorCloud] == FaultSilent {
		return nil, false
	}
	c, s := r.cloud, r.cloud.spec
	points := make([]CloudPoint, 0, s.Rings*s.Beams)
	at := r.pose.Mul(s.Mount.pose())
	c.view.Z = r.spec.BaseHeight + s.Mount.Z
	n := c.noise.at(r.world.tick)
	step := 2 * math.Pi / float64(s.Beams)
	for beam := range s.Beams {
		azimuth := -math.Pi + float64(beam)*step
		sin, cos := math.Sincos(azimuth)
		dir := geom.Vec2{X: cos, Y: s.Mount.turn() * sin}.Rotate(at.Theta)
		c.collect(r, at.Position(), dir)
		for ring, slope := range c.slopes {
			flat, ok := c.meet(slope)
			if !ok {
				continue
			}
			up, level := math.Sincos(c.elevations[ring])
			d := flat / level
			if d < s.RangeMin || d >= s.RangeMax {
				continue
			}
			d += n.gauss(s.Noise)
			points = append(points, CloudPoint{float32(d * level * cos), float32(d * level * sin), float32(d * up), uint16(ring)})
		}
	}
	if r.faults[SensorCloud] == FaultNaN {
		nan := float32(math.NaN())
		for i := range points {
			points[i].X, points[i].Y, points[i].Z = nan, nan, nan
		}
	}
	return points, true
}

// collect lists what stands along a line of the floor plan, nearest first.
func (c *cloud) collect(r *Robot, from, dir geom.Vec2) {
	c.faces = c.faces[:0]
	c.hits = r.world.lineOfSight(c.hits[:0], from, dir, c.spec.RangeMax, c.view, r, func(_ Kind, t, bottom, top float64) {
		c.faces = append(c.faces, crossing{t, bottom, top})
	})
	sortCrossings(c.faces)
}

// sortCrossings orders by distance, and keeps the order of equals; lists are short and nearly sorted.
func sortCrossings(list []crossing) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k-1].t > list[k].t; k-- {
			list[k-1], list[k] = list[k], list[k-1]
		}
	}
}

// meet is the distance in the floor plan at which a beam of the given slope meets something.
func (c *cloud) meet(slope float64) (float64, bool) {
	floor := math.Inf(1)
	if slope < 0 {
		floor = c.view.Z / -slope
	}
	for _, f := range c.faces {
		if f.t >= floor {
			break
		}
		if z := c.view.Z + f.t*slope; z >= f.bottom && z < f.top {
			return f.t, true
		}
	}
	return floor, c.spec.Floor && !math.IsInf(floor, 1)
}
