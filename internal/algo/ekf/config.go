package ekf

import (
	"errors"
	"fmt"
	"time"
)

// Config says how good the sensors are. Noise densities are standard deviations after one unit of what they grow with, by its root.
type Config struct {
	GyroNoise float64 `unit:"rad/√s" doc:"noise of the gyro's angle"`
	GyroBias  float64 `unit:"rad/s" doc:"how large the bias of the gyro may be at the beginning (standard deviation)"`
	GyroWalk  float64 `unit:"rad/s/√s" doc:"how fast the bias wanders"`

	Slip            float64 `doc:"part by which odometry errs in the same direction for long (standard deviation)"`
	Position        float64 `unit:"m/√m" doc:"noise of odometry's position along the way"`
	Sideways        float64 `unit:"m/√m" doc:"noise of the position across the way"`
	Heading         float64 `unit:"rad/√rad" doc:"noise of odometry's heading by turning"`
	HeadingPerMetre float64 `unit:"rad/√m" doc:"noise of odometry's heading by driving"`
	Rest            float64 `unit:"m/√s" doc:"noise of the position that is there even at rest; the same number of rad/√s for odometry's heading"`

	MaxSpeed float64 `unit:"m/s" doc:"odometry that moves faster has jumped"`
	MaxTurn  float64 `unit:"rad/s" doc:"odometry that turns faster has jumped, a gyro that does is broken"`

	Gate     float64       `doc:"squared Mahalanobis distance up to which an absolute pose is believed; 16.3 refuses a true one in a thousand"`
	Patience int           `doc:"so many refused poses in a row that agree with each other are believed after all"`
	Window   time.Duration `doc:"how late an input may arrive"`
}

// DefaultConfig suits a differential drive with a low-cost gyro, such as that of specification 004's world.
func DefaultConfig() Config {
	return Config{
		GyroNoise: 0.002, GyroBias: 0.05, GyroWalk: 5e-4,
		Slip: 0.03, Position: 0.01, Sideways: 0.003, Heading: 0.02, HeadingPerMetre: 0.01, Rest: 1e-4,
		MaxSpeed: 5, MaxTurn: 10,
		Gate: 16.27, Patience: 5, Window: 2 * time.Second,
	}
}

// Validate reports every value that the filter cannot work with, in texts that begin with the key.
func (c Config) Validate() error {
	var errs []error
	number := func(key string, v, lo, hi float64, unit string) {
		if !(v >= lo && v <= hi) {
			errs = append(errs, fmt.Errorf("%s: %g%s is out of range %g..%g%s: write a value between them", key, v, unit, lo, hi, unit))
		}
	}
	const least = 1e-9
	number("gyro_noise", c.GyroNoise, least, 1, " rad/√s")
	number("gyro_bias", c.GyroBias, least, 10, " rad/s")
	number("gyro_walk", c.GyroWalk, 0, 1, " rad/s/√s")
	number("slip", c.Slip, 0, 0.5, "")
	number("position", c.Position, least, 10, " m/√m")
	number("sideways", c.Sideways, 0, 10, " m/√m")
	number("heading", c.Heading, least, 10, " rad/√rad")
	number("heading_per_metre", c.HeadingPerMetre, 0, 10, " rad/√m")
	number("rest", c.Rest, least, 1, " m/√s")
	number("max_speed", c.MaxSpeed, 0.1, 100, " m/s")
	number("max_turn", c.MaxTurn, 0.1, 100, " rad/s")
	number("gate", c.Gate, 1, 1e6, "")
	number("patience", float64(c.Patience), 1, 1000, "")
	if c.Window < 100*time.Millisecond || c.Window > 10*time.Second {
		errs = append(errs, fmt.Errorf("window: %s is out of range 100ms..10s: write a duration between them", c.Window))
	}
	return errors.Join(errs...)
}
