package arbitration

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/arbitration/field"
	"sarathi/internal/algo/velramp"
	"sarathi/internal/geom"
)

const (
	// MinTimeout is the shortest time-out of a source: sources repeat their command 20 to 30 times a second.
	MinTimeout = 100 * time.Millisecond
	// MaxTimeout is how long a silent source may go on moving the robot at most.
	MaxTimeout = time.Second
	// MaxStep is how far the time may advance between two calls. After a longer step nothing received before counts.
	MaxStep = 500 * time.Millisecond
	// ArmingCommands is how many neutral commands in a row arm a remote source.
	ArmingCommands = 3
	// Neutral is the magnitude below which a component counts as neutral [m/s, rad/s].
	Neutral = 1e-3

	// ScaleSlow is for how long the last word of a health monitor that has fallen silent counts in full.
	ScaleSlow = 3 * time.Second
	// ScaleStop is for how long it counts at all; then the robot stands.
	ScaleStop = 10 * time.Second
	slowScale = 0.5 // in between

	// longestRamp bounds what one step of the ramp may gain: time that nobody decided in must not add up.
	longestRamp = 100 * time.Millisecond
)

// Config is what an operator can choose about the control mux.
type Config struct {
	Rate              float64        `unit:"Hz" doc:"how often the command is repeated while no new one arrives"`
	RemoteTimeout     time.Duration  `doc:"a remote source that is silent for this long stops the robot and must arm again"`
	NavigationTimeout time.Duration  `doc:"navigation that is silent for this long stops the robot"`
	RemoteLimits      [3]float64     `doc:"clamp on what a remote source asks for: |vx|, |vy| (m/s), |wz| (rad/s)"`
	NavigationLimits  [3]float64     `doc:"clamp on what navigation asks for: |vx|, |vy| (m/s), |wz| (rad/s)"`
	Ramp              velramp.Limits `doc:"how fast the command may change while driving"`
	Field             field.Config   `doc:"the protective field"`
}

// DefaultConfig suits a robot of the size of a dog at up to 1 m/s.
func DefaultConfig() Config {
	return Config{
		Rate:              50,
		RemoteTimeout:     300 * time.Millisecond,
		NavigationTimeout: 500 * time.Millisecond,
		RemoteLimits:      [3]float64{1, 0.5, 1.5},
		NavigationLimits:  [3]float64{0.6, 0.3, 1},
		Ramp: velramp.Limits{
			Acceleration: [3]float64{0.8, 0.8, 3},
			Deceleration: [3]float64{1, 1, 3},
		},
		Field: field.DefaultConfig(),
	}
}

// Validate reports every value outside its safe bounds, in texts that begin with the key. It looks at its own values and at relations
// between its parts; the parts validate themselves.
func (c Config) Validate() error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !(c.Rate >= 20 && c.Rate <= 200) {
		refuse("rate: %g Hz is out of range 20..200 Hz: write a value between them", c.Rate)
	}
	for _, t := range []struct {
		key string
		d   time.Duration
	}{{"remote_timeout", c.RemoteTimeout}, {"navigation_timeout", c.NavigationTimeout}} {
		if t.d < MinTimeout || t.d > MaxTimeout {
			refuse("%s: %s is out of range %s..%s: write a duration between them", t.key, t.d, MinTimeout, MaxTimeout)
		}
	}
	for _, l := range []struct {
		key    string
		limits [3]float64
	}{{"remote_limits", c.RemoteLimits}, {"navigation_limits", c.NavigationLimits}} {
		for i, v := range l.limits {
			if !(v >= 0 && v <= 10) {
				refuse("%s[%d]: %g is out of range 0..10: write a limit between them", l.key, i, v)
			}
		}
	}
	// The field counts on gentle braking in front of an obstacle being at least as hard as its own figure.
	if weakest := min(c.Ramp.Deceleration[0], c.Ramp.Deceleration[1]); c.Field.Enabled && c.Field.Deceleration > weakest {
		refuse("field.deceleration: %g m/s² is more than the ramp brakes with, %g m/s²: raise ramp.deceleration or lower this",
			c.Field.Deceleration, weakest)
	}
	if c.Field.Enabled && c.Field.AngularDeceleration > c.Ramp.Deceleration[2] {
		refuse("field.angular_deceleration: %g rad/s² is more than the ramp brakes with, %g rad/s²: raise ramp.deceleration[2] or lower this",
			c.Field.AngularDeceleration, c.Ramp.Deceleration[2])
	}
	return errors.Join(errs...)
}

// Body is what the mux must know about the robot.
type Body struct {
	Limits    geom.Velocity // largest |vx|, |vy| [m/s], |wz| [rad/s] it is ever sent
	Footprint geom.Polygon  // outline in base_link [m], used by the protective field
}

// period is the longest time between two decisions.
func (c Config) period() time.Duration { return time.Duration(float64(time.Second) / c.Rate) }

func velocity(limits [3]float64) geom.Velocity {
	return geom.Velocity{VX: limits[0], VY: limits[1], WZ: limits[2]}
}
