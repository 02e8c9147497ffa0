package velramp

import (
	"errors"
	"fmt"
	"math"

	"sarathi/internal/geom"
)

// MaxRate is the largest rate that Validate accepts [m/s², rad/s²].
const MaxRate = 50.0

// Limits are the largest rates of change of [vx, vy, wz], in m/s², m/s² and rad/s². A velocity that grows in magnitude is bound by
// Acceleration, one that shrinks by Deceleration.
type Limits struct {
	Acceleration [3]float64 `doc:"largest gain of |vx|, |vy| (m/s²) and |wz| (rad/s²) per second"`
	Deceleration [3]float64 `doc:"largest loss of |vx|, |vy| (m/s²) and |wz| (rad/s²) per second"`
}

// Validate reports every rate that is not a number in (0, MaxRate]. The texts begin with the key, as package config wants it.
func (l Limits) Validate() error {
	var errs []error
	check := func(key string, rates [3]float64) {
		for i, r := range rates {
			if !(r > 0 && r <= MaxRate) {
				errs = append(errs, fmt.Errorf("%s[%d]: %g is not a rate: write a value above 0 and up to %g", key, i, r, MaxRate))
			}
		}
	}
	check("acceleration", l.Acceleration)
	check("deceleration", l.Deceleration)
	return errors.Join(errs...)
}

// Step is the velocity nearest to `to` that may follow `from` after dt seconds. It never overshoots, and equals `to` exactly once it
// gets there. A dt that is not positive changes nothing.
//
// Axes that slow down do so in proportion, so a velocity that is only scaled down keeps its direction and its curvature: the body
// brakes along the arc it is on. Axes that speed up are in proportion too, but never make the others wait. An axis that changes
// sign stops at zero first, at the rate of Deceleration.
func (l Limits) Step(from, to geom.Velocity, dt float64) geom.Velocity {
	if !(dt > 0) {
		return from
	}
	a := [3]float64{from.VX, from.VY, from.WZ}
	b := [3]float64{to.VX, to.VY, to.WZ}
	braking, gaining := 1.0, 1.0 // fraction of the wanted change that fits into dt
	for i := range a {
		if a[i]*b[i] < 0 {
			b[i] = 0
		}
		change := math.Abs(b[i] - a[i])
		if slows(a[i], b[i]) {
			braking = min(braking, fraction(l.Deceleration[i]*dt, change))
		} else {
			gaining = min(gaining, fraction(l.Acceleration[i]*dt, change))
		}
	}
	for i := range a {
		f := gaining
		if slows(a[i], b[i]) {
			f = braking
		}
		if f < 1 {
			b[i] = a[i] + f*(b[i]-a[i])
		}
	}
	return geom.Velocity{VX: b[0], VY: b[1], WZ: b[2]}
}

func slows(from, to float64) bool { return math.Abs(to) < math.Abs(from) }

// fraction is part/whole, at most 1; a whole of zero is there already.
func fraction(part, whole float64) float64 {
	if whole <= part {
		return 1
	}
	return part / whole
}
