package slam

import (
	"time"

	"sarathi/internal/config"
)

// Config says when scans are used and what is published.
type Config struct {
	MaxWait   time.Duration `doc:"how long a scan waits for the fused pose of its time"`
	MapPeriod time.Duration `doc:"the map is published this often, if it changed"`
	MapFrame  string        `doc:"frame of the map"`
	BaseFrame string        `doc:"frame of the robot"`
}

// DefaultConfig suits a lidar of 10 Hz and a fused pose of 50 Hz.
func DefaultConfig() Config {
	return Config{MaxWait: 100 * time.Millisecond, MapPeriod: time.Second, MapFrame: "map", BaseFrame: "base_link"}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.DurationInRange("max_wait", c.MaxWait, 0, time.Second)
	p.DurationInRange("map_period", c.MapPeriod, 100*time.Millisecond, time.Minute)
	p.NotEmpty("map_frame", c.MapFrame)
	p.NotEmpty("base_frame", c.BaseFrame)
	return p.Err()
}
