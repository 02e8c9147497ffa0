package pursuit

import (
	"errors"
	"fmt"
	"math"
)

// ErrConfig is what errors of [Config.Validate] wrap.
var ErrConfig = errors.New("invalid follower settings")

// Config of following.
type Config struct {
	Holonomic bool // the body can move sideways

	Cruise     float64 // [m/s] speed on straight pieces
	MinSpeed   float64 // [m/s] speed in the sharpest turn
	StopSpeed  float64 // [m/s] speed at stop points and at the end
	MaxSpeed   float64 // [m/s] never faster
	MaxTurn    float64 // [rad/s] never faster
	MaxLateral float64 // [m/s²] lateral acceleration
	Braking    float64 // [m/s²] that the profile counts on
	Accel      float64 // [m/s²] ramp of the speed
	TurnAccel  float64 // [rad/s²] ramp of the turning rate

	LookaheadTime float64 // [s] the lookahead is the way of so long,
	MinLookahead  float64 // [m] but not nearer
	MaxLookahead  float64 // [m] and not farther than that
	RotateAbove   float64 // [rad] turn on the spot when the path lies farther to the side
	RotateBelow   float64 // [rad] until it lies within that
	RotateGain    float64 // [1/s] turning rate on the spot, by what is left to turn

	Window        float64 // [m] how far ahead of the last progress the robot is looked for
	HeadingWeight float64 // [m] what a piece that heads the opposite way is worth in distance

	Approach ApproachConfig
}

// ApproachConfig is about the last half metre to a pose.
type ApproachConfig struct {
	PositionTolerance float64 // [m]
	HeadingTolerance  float64 // [rad]
	PositionGain      float64 // [1/s]
	HeadingGain       float64 // [1/s]
	MaxSpeed          float64 // [m/s]
	MinSpeed          float64 // [m/s] below it bodies do not move
	MaxTurn           float64 // [rad/s]
	MinTurn           float64 // [rad/s]
	AimWithin         float64 // [rad] a differential body drives only when the target lies within, ahead or behind
}

const deg = math.Pi / 180

// Default are the numbers of the public robots, but for the lookahead, which is short enough to stay within centimetres of the path.
func Default() Config {
	return Config{
		Cruise: 0.4, MinSpeed: 0.1, StopSpeed: 0.15, MaxSpeed: 0.6, MaxTurn: 1, MaxLateral: 0.3, Braking: 0.3, Accel: 0.5, TurnAccel: 3,
		LookaheadTime: 0.8, MinLookahead: 0.25, MaxLookahead: 0.8, RotateAbove: 60 * deg, RotateBelow: 10 * deg, RotateGain: 2,
		Window: 2, HeadingWeight: 0.3,
		Approach: ApproachConfig{
			PositionTolerance: 0.05, HeadingTolerance: 3 * deg, PositionGain: 1.2, HeadingGain: 1.5,
			MaxSpeed: 0.2, MinSpeed: 0.04, MaxTurn: 0.6, MinTurn: 0.1, AimWithin: 20 * deg,
		},
	}
}

// Validate reports the first value that cannot be worked with.
func (c Config) Validate() error {
	a := c.Approach
	for _, v := range []struct {
		name            string
		value, min, max float64
	}{
		{"max speed", c.MaxSpeed, 0.05, 3},
		{"cruise", c.Cruise, 0.05, c.MaxSpeed},
		{"min speed", c.MinSpeed, 0.02, c.Cruise},
		{"stop speed", c.StopSpeed, 0.02, c.MaxSpeed},
		{"max turn", c.MaxTurn, 0.1, 5},
		{"max lateral", c.MaxLateral, 0.05, 5},
		{"braking", c.Braking, 0.05, 5},
		{"accel", c.Accel, 0.05, 10},
		{"turn accel", c.TurnAccel, 0.1, 50},
		{"lookahead time", c.LookaheadTime, 0, 5},
		{"min lookahead", c.MinLookahead, 0.05, 3},
		{"max lookahead", c.MaxLookahead, c.MinLookahead, 5},
		{"rotate above", c.RotateAbove, 0.1, math.Pi},
		{"rotate below", c.RotateBelow, 0.01, c.RotateAbove},
		{"rotate gain", c.RotateGain, 0.1, 10},
		{"window", c.Window, 0.2, 50},
		{"heading weight", c.HeadingWeight, 0, 5},
		{"approach position tolerance", a.PositionTolerance, 0.005, 1},
		{"approach heading tolerance", a.HeadingTolerance, 0.005, 1},
		{"approach position gain", a.PositionGain, 0.1, 10},
		{"approach heading gain", a.HeadingGain, 0.1, 10},
		{"approach max speed", a.MaxSpeed, 0.02, c.MaxSpeed},
		{"approach min speed", a.MinSpeed, 0, a.MaxSpeed},
		{"approach max turn", a.MaxTurn, 0.05, c.MaxTurn},
		{"approach min turn", a.MinTurn, 0, a.MaxTurn},
		{"approach aim within", a.AimWithin, 0.05, 1.5},
	} {
		if !(v.value >= v.min && v.value <= v.max) {
			return fmt.Errorf("%w: %s is %g: write %g to %g", ErrConfig, v.name, v.value, v.min, v.max)
		}
	}
	return nil
}
