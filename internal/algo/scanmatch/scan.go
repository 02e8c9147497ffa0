package scanmatch

import (
	"math"

	"sarathi/internal/geom"
)

// Reading is one turn of a planar lidar, as the device reports it. Beam i points along AngleMin + i·AngleIncrement in the xy plane of the
// sensor; a negative increment is a sensor that turns clockwise.
type Reading struct {
	AngleMin, AngleIncrement float64        // [rad]
	RangeMin, RangeMax       float64        // [m] what the device can measure; 0 for a limit it does not state
	Ranges                   []float32      // [m] NaN, infinite, zero and negative readings are allowed, and so are scans of any length
	Mount                    geom.Transform // the sensor in the frame of the robot's base; a roll of π is an upside-down sensor
	Duration                 float64        // [s] from the first beam to the last; 0 takes them as of one instant
}

// Limits says which beams are used.
type Limits struct {
	Near    float64 // [m] nearer readings are the robot itself, or dirt
	Far     float64 // [m] readings beyond are too coarse to match; the space before them is taken as free up to Clear
	Clear   float64 // [m] how far a beam that met nothing proves free space
	NoEcho  float64 // [m] a reading of this and more is the device's way to say that nothing came back
	Spacing float64 // [m] hits of neighbouring beams nearer than this are thinned out; 0 keeps all
}

// Scan is a reading made ready: where its beams ended, in the base frame at the time of the reading's stamp.
type Scan struct {
	Origin geom.Vec2   // the sensor
	Hits   []geom.Vec2 // where beams met something
	Clear  []geom.Vec2 // how far beams came that met nothing within range
}

// Set makes s the reading r. motion is the velocity of the base during the turn: beams measured after the first one are moved to where they
// would have been seen at the stamp (zero leaves them). The slices of s are reused. Readings that say nothing (NaN, zero, below the near
// limit) are left out; infinite and out-of-range ones clear space but hit nothing.
func (s *Scan) Set(r *Reading, motion geom.Velocity, lim Limits) {
	s.Hits, s.Clear = s.Hits[:0], s.Clear[:0]
	s.Origin = r.Mount.T.XY()
	near := max(lim.Near, r.RangeMin)
	noEcho := lim.NoEcho
	if r.RangeMax > 0 {
		noEcho = min(noEcho, r.RangeMax)
	}
	deskew := r.Duration > 0 && !motion.IsZero() && len(r.Ranges) > 1
	for i, raw := range r.Ranges {
		d := float64(raw)
		if math.IsNaN(d) || d < near || d <= 0 {
			continue
		}
		hit := d < noEcho && d <= lim.Far
		if !hit {
			d = min(d, lim.Clear)
		}
		sin, cos := math.Sincos(r.AngleMin + float64(i)*r.AngleIncrement)
		p := r.Mount.Apply(geom.Vec3{X: d * cos, Y: d * sin}).XY()
		if deskew {
			p = motion.Integrate(r.Duration * float64(i) / float64(len(r.Ranges)-1)).Apply(p)
		}
		if hit {
			s.Hits = append(s.Hits, p)
		} else {
			s.Clear = append(s.Clear, p)
		}
	}
}

// Clone is a copy that shares nothing with s.
func (s *Scan) Clone() Scan {
	return Scan{s.Origin, append([]geom.Vec2(nil), s.Hits...), append([]geom.Vec2(nil), s.Clear...)}
}
