package routerecorder

import (
	"time"

	"sarathi/internal/algo/teach"
	"sarathi/internal/config"
)

// Config of the node.
type Config struct {
	Spacing    float64       `unit:"m" doc:"between points of a route"`
	MaxJump    float64       `unit:"m" doc:"a pose that moves farther at once ends teaching"`
	SavePeriod time.Duration `doc:"between savings while a route is taught"`
	PoseMaxAge time.Duration `doc:"an older pose is no place for a stop point"`
}

// DefaultConfig returns the numbers of the public robots.
func DefaultConfig() Config {
	t := teach.Default()
	return Config{Spacing: t.Spacing, MaxJump: t.MaxJump, SavePeriod: 2 * time.Second, PoseMaxAge: 500 * time.Millisecond}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.InRange("spacing", c.Spacing, 0.05, 2, "m")
	p.InRange("max_jump", c.MaxJump, c.Spacing, 10, "m")
	p.DurationInRange("save_period", c.SavePeriod, 200*time.Millisecond, time.Minute)
	p.DurationInRange("pose_max_age", c.PoseMaxAge, 50*time.Millisecond, 5*time.Second)
	return p.Err()
}
