package pursuit

import (
	"math"

	"sarathi/internal/geom"
)

// Pursuit follows a track. The zero value stands still.
type Pursuit struct {
	turning bool // on the spot
	ramp    Ramp
}

// Target is what the robot may do at this moment.
type Target struct {
	Limit float64 // [m/s] no faster than this
	Until float64 // [m] the way from the start that the lookahead does not pass: the next stop
	Scale float64 // 0 to 1, of the speed
	Aside float64 // [rad] to the left of the path's direction, to steer around something
	Ahead float64 // [m] least lookahead; more than the settings' while the robot steers around something
	Side  float64 // [m/s] to the left, for bodies that can
}

// Reset makes the robot start from standing.
func (p *Pursuit) Reset() { *p = Pursuit{} }

// Step returns the velocity along a track from a pose, a way s from its start, dt after the last step [s].
func (p *Pursuit) Step(t *Track, pose geom.Pose2, s, dt float64, to Target, cfg Config) geom.Velocity {
	v := min(t.Speed(s), to.Limit, cfg.MaxSpeed) * to.Scale
	ahead := min(max(cfg.LookaheadTime*max(p.ramp.v.VX, v), cfg.MinLookahead), cfg.MaxLookahead)
	ahead = max(ahead, to.Ahead)
	aim := pose.Inverse().Apply(t.Position(min(s+ahead, to.Until)))
	bearing, distance := aim.Angle(), aim.Norm()
	if distance < 1e-6 {
		bearing = 0
	}
	bearing = geom.NormalizeAngle(bearing + to.Aside)
	if turn := math.Abs(bearing); turn > cfg.RotateAbove || p.turning && turn > cfg.RotateBelow {
		p.turning = true
		w := min(max(cfg.RotateGain*bearing, -cfg.MaxTurn), cfg.MaxTurn)
		return p.ramp.Step(geom.Velocity{WZ: w * to.Scale}, dt, cfg)
	}
	p.turning = false
	// The arc through the aim, no tighter than through one at the least lookahead.
	bend := 2 * math.Sin(bearing) / max(distance, cfg.MinLookahead)
	if k := math.Abs(bend); k > 0 {
		v = min(v, max(math.Sqrt(cfg.MaxLateral/k), cfg.MinSpeed*to.Scale), cfg.MaxTurn/k)
	}
	out := geom.Velocity{VX: v, WZ: bend * v}
	if cfg.Holonomic {
		out.VY = min(max(to.Side, -cfg.MaxSpeed), cfg.MaxSpeed)
	}
	out.WZ = min(max(out.WZ, -cfg.MaxTurn), cfg.MaxTurn)
	return p.ramp.Step(out, dt, cfg)
}

// Ramp limits how fast a velocity changes.
type Ramp struct{ v geom.Velocity }

// Step returns the velocity dt after the last one [s], on the way to want.
func (r *Ramp) Step(want geom.Velocity, dt float64, cfg Config) geom.Velocity {
	toward := func(from, to, most float64) float64 { return from + min(max(to-from, -most), most) }
	r.v.VX = toward(r.v.VX, want.VX, cfg.Accel*dt)
	r.v.VY = toward(r.v.VY, want.VY, cfg.Accel*dt)
	r.v.WZ = toward(r.v.WZ, want.WZ, cfg.TurnAccel*dt)
	return r.v
}

// Halt makes the velocity zero at once.
func (r *Ramp) Halt() { r.v = geom.Velocity{} }
