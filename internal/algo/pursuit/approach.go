package pursuit

import (
	"math"

	"sarathi/internal/geom"
)

// Approach leads to a pose exactly. The zero value has not arrived.
type Approach struct {
	placed  bool // within the position tolerance; until twice that
	driving bool // a differential body that has aimed
	reverse bool
	ramp    Ramp
}

// Reset begins an approach from a velocity.
func (a *Approach) Reset(from geom.Velocity) { *a = Approach{ramp: Ramp{from}} }

// Errors are how far a pose is from a target: distance [m] and heading [rad], the latter signed.
func Errors(pose, target geom.Pose2) (distance, heading float64) {
	return pose.Position().Distance(target.Position()), geom.AngleDiff(target.Theta, pose.Theta)
}

// Step returns the velocity towards a pose, dt after the last step [s], and whether the robot is there.
func (a *Approach) Step(pose, target geom.Pose2, dt float64, cfg Config) (v geom.Velocity, arrived bool) {
	c := cfg.Approach
	distance, turn := Errors(pose, target)
	// The latch keeps a robot that turns from chasing millimetres.
	a.placed = distance <= c.PositionTolerance || a.placed && distance <= 2*c.PositionTolerance
	if a.placed && math.Abs(turn) <= c.HeadingTolerance {
		if distance <= c.PositionTolerance {
			a.ramp.Halt()
			return geom.Velocity{}, true
		}
		a.placed = false // it drifted while it turned
	}
	aim := pose.Inverse().Apply(target.Position())
	var want geom.Velocity
	if cfg.Holonomic {
		if !a.placed {
			speed := min(max(c.PositionGain*distance, c.MinSpeed), c.MaxSpeed)
			want.VX, want.VY = aim.X/distance*speed, aim.Y/distance*speed
		}
		if math.Abs(turn) > c.HeadingTolerance/2 {
			want.WZ = turning(turn, c)
		}
	} else {
		want = a.differential(aim, turn, c)
	}
	return a.ramp.Step(want, dt, cfg), false
}

// differential turns towards the target, drives, and turns to the heading. A target behind is reached backwards.
func (a *Approach) differential(aim geom.Vec2, turn float64, c ApproachConfig) geom.Velocity {
	if a.placed {
		a.driving = false
		return geom.Velocity{WZ: turning(turn, c)}
	}
	bearing := aim.Angle()
	if !a.driving {
		a.reverse = math.Abs(bearing) > math.Pi/2
	}
	forward := 1.0
	if a.reverse {
		forward, bearing = -1, geom.NormalizeAngle(bearing+math.Pi)
	}
	distance := aim.Norm()
	if math.Abs(bearing) > math.Pi/2 { // passed it
		a.driving = false
		return geom.Velocity{}
	}
	within := c.AimWithin / 4
	if a.driving {
		within = c.AimWithin
	}
	if math.Abs(bearing) > within {
		a.driving = false
		return geom.Velocity{WZ: turning(bearing, c)}
	}
	a.driving = true
	speed := min(max(c.PositionGain*distance, c.MinSpeed), c.MaxSpeed)
	return geom.Velocity{VX: forward * speed, WZ: min(max(c.HeadingGain*bearing, -c.MaxTurn), c.MaxTurn)}
}

// turning is the rate that turns by what is left [rad/s].
func turning(left float64, c ApproachConfig) float64 {
	return math.Copysign(min(max(c.HeadingGain*math.Abs(left), c.MinTurn), c.MaxTurn), left)
}
