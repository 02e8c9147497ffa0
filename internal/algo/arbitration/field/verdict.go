package field

import (
	"math"

	"sarathi/internal/geom"
)

// verdict is what the scan says about one motion.
type verdict struct {
	state    State     // Clear, Limited, Stop or Blind
	scale    float64   // factor that makes the motion stoppable, 0..1; 0 for Stop and Blind
	distance float64   // free way of what limits it [m]; infinite when nothing is near enough to matter
	blocker  geom.Vec2 // what limits it
}

const (
	// leastSpeed is where an approach ends [m/s]: the last millimetres would take for ever.
	leastSpeed = 0.02
	// touching widens the contact zone beyond the clearance [m], so that a sweep never starts on the border itself.
	touching = 1e-6
)

// judge decides about u when margin [m] must be left and u is held for hold seconds before the body is told to stop.
func (f *Field) judge(u geom.Velocity, margin, hold float64) verdict {
	v := verdict{state: Clear, scale: 1, distance: math.Inf(1)}
	if u.IsZero() {
		return v
	}
	s := newSweep(f.outline, u)
	brake := f.model.brakeTime(u)
	seconds := hold + brake/2
	// No part of the footprint gets further than this before the body has stopped.
	span := (u.Speed()+math.Abs(u.WZ)*f.grown)*seconds + margin
	free, contact := f.nearestObstacle(&s, span, margin)
	dark := f.nearestUnknown(&s, u, span, margin)

	if !math.IsInf(contact.depth, 1) {
		v.blocker, v.distance = contact.point, 0
		scale := f.creepScale(u)
		switch {
		case dark.seconds < scale*seconds:
			v.state, v.scale, v.blocker = Blind, 0, dark.point
		case f.escapes(u.Scale(scale), contact.depth):
			v.state, v.scale = Limited, scale
		default:
			v.state, v.scale = Stop, 0
		}
		return v
	}
	hit, stop := free, Stop
	if dark.seconds < free.seconds {
		hit, stop = dark, Blind
	}
	if hit.seconds >= seconds {
		return v
	}
	v.blocker, v.distance = hit.point, hit.way
	// Scaled by k, u covers k·hold + k²·brake/2 seconds of the path before it stands; that must fit into hit.seconds.
	k := 2 * hit.seconds / (hold + math.Sqrt(hold*hold+2*brake*hit.seconds))
	if !(k*hit.speed >= leastSpeed) { // also when 0/0
		v.state, v.scale = stop, 0
		return v
	}
	v.state, v.scale = Limited, min(k, 1)
	return v
}

// hit is the point that a motion meets first.
type hit struct {
	seconds float64 // of the motion until the margin is used up; infinite: nothing is met
	way     float64 // [m] of the point until it is within the clearance
	speed   float64 // [m/s] of the point along that way
	point   geom.Vec2
}

// consider takes p when the motion meets it earlier.
func (h *hit) consider(p geom.Vec2, way, speed, margin float64) {
	if t := max(way-margin, 0) / speed; t < h.seconds {
		h.seconds, h.way, h.speed, h.point = t, way, speed, p
	}
}

// touch is the obstacle nearest to the footprint, if it is within the clearance.
type touch struct {
	point geom.Vec2
	depth float64 // distance from the footprint [m], negative inside; infinite: nothing is that near
}

// nearestObstacle sweeps over the obstacles no further than span [m] from the grown footprint.
func (f *Field) nearestObstacle(s *sweep, span, margin float64) (hit, touch) {
	h, t := hit{seconds: math.Inf(1)}, touch{depth: math.Inf(1)}
	for _, p := range f.obstacles {
		r2 := p.Dot(p)
		if !s.mayMeet(p, r2, span) {
			continue
		}
		if r2 < f.grown*f.grown {
			if d := f.outline.distance(p); d < f.outline.clearance+touching {
				if d < t.depth {
					t = touch{p, d}
				}
				continue
			}
		}
		way, speed := s.contact(p)
		h.consider(p, way, speed, margin)
	}
	return h, t
}

// nearestUnknown does the same for the border of the unknown. A border point within the clearance, where the robot has moved since
// the scan, matters only if u leads towards it.
func (f *Field) nearestUnknown(s *sweep, u geom.Velocity, span, margin float64) hit {
	h := hit{seconds: math.Inf(1)}
	for _, p := range f.unknown {
		r2 := p.Dot(p)
		if !s.mayMeet(p, r2, span) {
			continue
		}
		if r2 < f.grown*f.grown {
			if d := f.outline.distance(p); d < f.outline.clearance+touching {
				v := u.At(p)
				if speed := v.Norm(); speed > 0 && f.outline.distance(p.Sub(v.Scale(1e-3/speed))) < d-touching {
					h.consider(p, 0, speed, margin)
				}
				continue
			}
		}
		way, speed := s.contact(p)
		h.consider(p, way, speed, margin)
	}
	return h
}
