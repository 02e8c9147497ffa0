package fusion

import (
	"time"

	"sarathi/internal/algo/ekf"
	"sarathi/internal/config"
)

// Config says how good the sensors are and which frames are meant.
type Config struct {
	Filter          ekf.Config    `doc:"noise of the sensors, gates"`
	StartPosition   float64       `unit:"m" doc:"how far from the map's origin the robot may begin (standard deviation)"`
	StartHeadingDeg float64       `doc:"by how much it may be turned at the beginning (standard deviation)"`
	MinPosition     float64       `unit:"m" doc:"scan matches that claim to be more exact than this are not (standard deviation)"`
	MinHeading      float64       `unit:"rad" doc:"the same for the heading"`
	DefaultPosition float64       `unit:"m" doc:"standard deviation of scan matches that give none"`
	DefaultHeading  float64       `unit:"rad" doc:"the same for the heading"`
	Period          time.Duration `doc:"the fused pose is published at most this often"`
	MapFrame        string        `doc:"frame of the fused pose and of the scan matches"`
	BaseFrame       string        `doc:"frame of the robot"`
}

// DefaultConfig suits the robot of specification 004, whose map begins where it stands.
func DefaultConfig() Config {
	return Config{
		Filter:        ekf.DefaultConfig(),
		StartPosition: 0.01, StartHeadingDeg: 0.5,
		MinPosition: 0.03, MinHeading: 0.01,
		DefaultPosition: 0.05, DefaultHeading: 0.02,
		Period: 20 * time.Millisecond, MapFrame: "map", BaseFrame: "base_link",
	}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.Nested("filter", c.Filter.Validate())
	p.InRange("start_position", c.StartPosition, 1e-6, 1000, "m")
	p.InRange("start_heading_deg", c.StartHeadingDeg, 1e-3, 180, "deg")
	p.InRange("min_position", c.MinPosition, 1e-4, 1, "m")
	p.InRange("min_heading", c.MinHeading, 1e-4, 1, "rad")
	p.InRange("default_position", c.DefaultPosition, 1e-4, 10, "m")
	p.InRange("default_heading", c.DefaultHeading, 1e-4, 3, "rad")
	p.DurationInRange("period", c.Period, 0, time.Second)
	p.NotEmpty("map_frame", c.MapFrame)
	p.NotEmpty("base_frame", c.BaseFrame)
	return p.Err()
}
