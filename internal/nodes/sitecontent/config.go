package sitecontent

import (
	"time"

	"sarathi/internal/config"
)

// Config is what can be chosen about the node.
type Config struct {
	PoseMaxAge time.Duration `doc:"how old the robot's pose may be for a POI at that pose"`
}

// DefaultConfig returns the values for the robots of the specification.
func DefaultConfig() Config { return Config{PoseMaxAge: time.Second} }

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.DurationInRange("pose_max_age", c.PoseMaxAge, 50*time.Millisecond, 10*time.Second)
	return p.Err()
}
