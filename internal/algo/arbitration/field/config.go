package field

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// Bounds of the values an operator may choose.
const (
	MinScanTimeout  = 100 * time.Millisecond
	MaxScanTimeout  = time.Second
	MinReleaseAfter = time.Second
	MaxReleaseAfter = 10 * time.Second
	MaxLatency      = 500 * time.Millisecond
)

// Config is what an operator can choose about the protective field.
type Config struct {
	Enabled bool `doc:"stop and slow down for obstacles in the direction of travel; off trusts the driver alone"`
	// The body must brake at least this hard when it is sent zero; everything rests on it.
	Deceleration        float64       `unit:"m/s²" doc:"braking the body is sure to reach"`
	AngularDeceleration float64       `unit:"rad/s²" doc:"braking of a turn the body is sure to reach"`
	Latency             time.Duration `doc:"from sending a command to the body following it, and any delay of the scan that its stamp does not show"`
	Margin              float64       `unit:"m" doc:"way that is left to an obstacle ahead after stopping; half of it is spent before the hard stop"`
	Clearance           float64       `unit:"m" doc:"distance kept to everything beside the path; also how coarsely obstacles are sampled"`
	CreepSpeed          float64       `unit:"m/s" doc:"fastest that any corner moves while the robot works itself free"`
	ScanTimeout         time.Duration `doc:"a scan older than this is stale and stops the robot"`
	ReleaseAfter        time.Duration `doc:"how long the way must stay clear after a stop"`
}

// DefaultConfig suits a robot of the size of a dog at up to 1 m/s.
func DefaultConfig() Config {
	return Config{
		Enabled:             true,
		Deceleration:        0.8,
		AngularDeceleration: 2.5,
		Latency:             200 * time.Millisecond,
		Margin:              0.10,
		Clearance:           0.03,
		CreepSpeed:          0.10,
		ScanTimeout:         500 * time.Millisecond,
		ReleaseAfter:        time.Second,
	}
}

// Validate reports every value outside its safe bounds, in texts that begin with the key.
func (c Config) Validate() error {
	var errs []error
	number := func(key string, v, lo, hi float64, unit string) {
		if !(v >= lo && v <= hi) {
			errs = append(errs, fmt.Errorf("%s: %g %s is out of range %g..%g %s: write a value between them", key, v, unit, lo, hi, unit))
		}
	}
	duration := func(key string, v, lo, hi time.Duration) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("%s: %s is out of range %s..%s: write a duration between them", key, v, lo, hi))
		}
	}
	number("deceleration", c.Deceleration, 0.1, 20, "m/s²")
	number("angular_deceleration", c.AngularDeceleration, 0.1, 50, "rad/s²")
	duration("latency", c.Latency, 0, MaxLatency)
	number("margin", c.Margin, 0.02, 1, "m")
	number("clearance", c.Clearance, 0.01, 0.5, "m")
	number("creep_speed", c.CreepSpeed, 0.02, 0.3, "m/s")
	duration("scan_timeout", c.ScanTimeout, MinScanTimeout, MaxScanTimeout)
	duration("release_after", c.ReleaseAfter, MinReleaseAfter, MaxReleaseAfter)
	return errors.Join(errs...)
}

// Body is what the field must know about the robot.
type Body struct {
	Footprint geom.Polygon  // outline in base_link [m], convex or not, the origin inside; the field copies it
	Limits    geom.Velocity // largest |vx|, |vy| [m/s], |wz| [rad/s] it will ever be sent
	Period    time.Duration // longest time between two decisions
}

// Validate reports why no field can be built around the body.
func (b Body) Validate() error {
	if err := b.Footprint.Validate(); err != nil {
		return fmt.Errorf("footprint: %w", err)
	}
	if !b.Footprint.Contains(geom.Vec2{}) {
		return errors.New("footprint: the origin of base_link is outside: give the corners relative to base_link, around it")
	}
	if r := b.Footprint.Circumradius(); r > maxReach {
		return fmt.Errorf("footprint: reaches %g m from base_link, at most %g m are supported: write the corners in metres", r, maxReach)
	}
	for _, v := range []float64{b.Limits.VX, b.Limits.VY, b.Limits.WZ} {
		if !(v >= 0 && v <= maxLimit) {
			return fmt.Errorf("limits: %g is out of range 0..%g: write the maxima of [vx, vy, wz]", v, maxLimit)
		}
	}
	if b.Limits.IsZero() {
		return errors.New("limits: all are 0: write the maxima of [vx, vy, wz]")
	}
	if b.Period <= 0 || b.Period > 100*time.Millisecond {
		return fmt.Errorf("period: %s is out of range 0..100ms: decide more often", b.Period)
	}
	return nil
}

const (
	maxReach = 5.0  // [m] farthest corner of a footprint
	maxLimit = 10.0 // [m/s, rad/s] fastest body
)

// model holds the derived constants that the geometry works with.
type model struct {
	decel, angularDecel float64 // [m/s²], [rad/s²]
	period, latency     float64 // [s]
	margin, clearance   float64 // [m]
	creep               float64 // [m/s]
	lookahead           float64 // [m] from the origin: what is farther cannot matter before the next scan
}

func newModel(c Config, b Body, reach float64) model {
	m := model{
		decel: c.Deceleration, angularDecel: c.AngularDeceleration,
		period: b.Period.Seconds(), latency: c.Latency.Seconds(),
		margin: c.Margin, clearance: c.Clearance, creep: c.CreepSpeed,
	}
	fastest := b.Limits.Speed() + b.Limits.WZ*reach
	// The scan may be as old as the time-out and is moved by the latency on top.
	drift := fastest * (c.ScanTimeout + c.Latency).Seconds()
	m.lookahead = reach + m.clearance + m.margin + fastest*(m.brakeTime(b.Limits)/2+m.period) + drift
	return m
}

// brakeTime is how long the body takes to stop from u while it keeps its arc [s].
func (m *model) brakeTime(u geom.Velocity) float64 {
	return max(u.Speed()/m.decel, math.Abs(u.WZ)/m.angularDecel)
}
