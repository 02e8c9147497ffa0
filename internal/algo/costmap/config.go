package costmap

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// Costs of a cell.
const (
	Free      uint8 = 0
	Inscribed uint8 = 253
	Lethal    uint8 = 254
	Unknown   uint8 = 255
	// Dearest is the highest cost of a cell where the robot's centre may be.
	Dearest uint8 = Inscribed - 1
)

// ErrConfig is what errors of [Config.Validate] wrap.
var ErrConfig = errors.New("invalid costmap")

// Config is what the robot is like and how far its sensors are believed.
type Config struct {
	Footprint geom.Polygon // outline in base_link [m], around the origin

	InflationRadius float64 // [m] how far an obstacle is felt; at least the circumscribed radius of the footprint
	Decay           float64 // [1/m] how fast the cost falls with the distance beyond the inscribed radius

	MarkRange   float64       // [m] farther returns are not marked
	ClearRange  float64       // [m] farther marks are not cleared
	ForgetAfter time.Duration // a mark that was not seen for so long is dropped; 0: never

	PersonRadius  float64       // [m] room that somebody takes
	PersonHorizon time.Duration // how far ahead people are expected to keep their velocity
	PersonCost    uint8         // cost of where somebody is; it falls to half of that at the horizon. At most Dearest
}

// Default is a quadruped of 0.8 × 0.56 m with Nav2's inflation.
func Default() Config {
	return Config{
		Footprint:       geom.Polygon{{X: 0.4, Y: 0.28}, {X: -0.4, Y: 0.28}, {X: -0.4, Y: -0.28}, {X: 0.4, Y: -0.28}},
		InflationRadius: 0.7, Decay: 3,
		MarkRange: 5, ClearRange: 6, ForgetAfter: 30 * time.Second,
		PersonRadius: 0.5, PersonHorizon: 2 * time.Second, PersonCost: 200,
	}
}

// Validate reports the first value that cannot be worked with.
func (c Config) Validate() error {
	if err := c.Footprint.Validate(); err != nil {
		return fmt.Errorf("%w: footprint: %w", ErrConfig, err)
	}
	if r := c.Footprint.Inradius(); r <= 0 {
		return fmt.Errorf("%w: the footprint does not hold the origin of base_link", ErrConfig)
	}
	// A long robot would cut obstacles when it turns (Nav2 #4735).
	if r := c.Footprint.Circumradius(); c.InflationRadius < r {
		return fmt.Errorf("%w: the inflation radius %g m is below the footprint's circumscribed radius: write at least %.3f m", ErrConfig, c.InflationRadius, r)
	}
	for _, v := range []struct {
		name     string
		value    float64
		min, max float64
	}{
		{"inflation radius", c.InflationRadius, 0, 5},
		{"decay", c.Decay, 0, 100},
		{"mark range", c.MarkRange, 0, 100},
		{"clear range", c.ClearRange, 0, 100},
		{"person radius", c.PersonRadius, 0, 2},
		{"person horizon", c.PersonHorizon.Seconds(), 0, 10},
		{"forget after", c.ForgetAfter.Seconds(), 0, math.MaxInt64},
		{"person cost", float64(c.PersonCost), 0, float64(Dearest)},
	} {
		if !(v.value >= v.min && v.value <= v.max) {
			return fmt.Errorf("%w: the %s is %g: write %g to %g", ErrConfig, v.name, v.value, v.min, v.max)
		}
	}
	return nil
}
