package follower

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/pursuit"
)

// ErrConfig is what errors of [Config.Validate] wrap.
var ErrConfig = errors.New("invalid follower")

// Config of a follower.
type Config struct {
	Pursuit pursuit.Config

	Period       time.Duration // between steps; what a step that comes too late or too early counts as
	PoseMaxAge   time.Duration // an older pose stops the robot
	AvoidMaxAge  time.Duration // older advice on obstacles stops the robot; 0: there is none to wait for
	AimAhead     float64       // [m] how far ahead on the path the robot aims while it steers around something
	BlockedAfter time.Duration // held by obstacles for so long is blocked
	BlockedBelow float64       // a speed scale below it holds the robot
	StuckAfter   time.Duration // without progress for so long, and nothing in the way, it has failed; 0: never

	StopWithin      float64       // [m] how far before a stop it is approached
	SkipAfter       float64       // [m] how far past a stop it is skipped
	ApproachTimeout time.Duration // then the stop counts as reached
	JoinWithin      float64       // [m] the path is joined when it is nearer
	SlowBeyond      float64       // [m] farther from the path the robot goes at its least speed
	OffPathBeyond   float64       // [m] farther it stops, until started anew

	SpeedMin, SpeedMax float64 // [m/s] range of the walking speed
	Laps               bool    // loops are followed again and again
}

// Default are the numbers of the public robots.
func Default() Config {
	return Config{
		Pursuit: pursuit.Default(), Period: 50 * time.Millisecond,
		PoseMaxAge: 500 * time.Millisecond, AvoidMaxAge: 500 * time.Millisecond, AimAhead: 1.2,
		BlockedAfter: 30 * time.Second, BlockedBelow: 0.05, StuckAfter: 60 * time.Second,
		StopWithin: 0.5, SkipAfter: 0.5, ApproachTimeout: 20 * time.Second, JoinWithin: 0.3, SlowBeyond: 0.6, OffPathBeyond: 1.5,
		SpeedMin: 0.1, SpeedMax: 0.6, Laps: true,
	}
}

// Validate reports the first value that cannot be worked with.
func (c Config) Validate() error {
	for _, v := range []struct {
		name            string
		value, min, max float64
	}{
		{"period", c.Period.Seconds(), 0.005, 0.5},
		{"pose max age", c.PoseMaxAge.Seconds(), 0.05, 5},
		{"avoid max age", c.AvoidMaxAge.Seconds(), 0, 5},
		{"aim ahead", c.AimAhead, 0.2, 5},
		{"blocked after", c.BlockedAfter.Seconds(), 0.1, 3600},
		{"blocked below", c.BlockedBelow, 0, 0.5},
		{"stuck after", c.StuckAfter.Seconds(), 0, 3600},
		{"stop within", c.StopWithin, 0.05, 3},
		{"skip after", c.SkipAfter, 0.05, 5},
		{"approach timeout", c.ApproachTimeout.Seconds(), 1, 600},
		{"slow beyond", c.SlowBeyond, 0.05, 5},
		{"join within", c.JoinWithin, 0.02, c.SlowBeyond},
		{"off path beyond", c.OffPathBeyond, c.SlowBeyond, 20},
		{"speed max", c.SpeedMax, 0.05, c.Pursuit.MaxSpeed},
		{"speed min", c.SpeedMin, 0.02, c.SpeedMax},
		{"cruise", c.Pursuit.Cruise, c.SpeedMin, c.SpeedMax},
	} {
		if !(v.value >= v.min && v.value <= v.max) {
			return fmt.Errorf("%w: %s is %g: write %g to %g", ErrConfig, v.name, v.value, v.min, v.max)
		}
	}
	return c.Pursuit.Validate()
}
