package odometrymonitor

import (
	"time"

	"sarathi/internal/algo/trip"
	"sarathi/internal/config"
)

// Config is what an operator can choose about the trip meter.
type Config struct {
	Trip     trip.Config   `doc:"how way and speed are measured"`
	Fallback bool          `doc:"use the body's own odometry while lidar odometry is silent"`
	Period   time.Duration `doc:"how often the status is published"`
	Frame    string        `doc:"frame that the status names"`
	Base     string        `doc:"frame of the robot whose way is measured"`
}

// DefaultConfig publishes twice a second, and trusts the body's odometry while there is no other.
func DefaultConfig() Config {
	return Config{Trip: trip.DefaultConfig(), Fallback: true, Period: 500 * time.Millisecond, Frame: "odom", Base: "base_link"}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.Nested("trip", c.Trip.Validate())
	p.DurationInRange("period", c.Period, 200*time.Millisecond, time.Second)
	p.NotEmpty("frame", c.Frame)
	p.NotEmpty("base", c.Base)
	return p.Err()
}
