package lidarsector

import (
	"math"
	"time"

	"sarathi/internal/algo/sectors"
	"sarathi/internal/config"
	"sarathi/internal/geom"
)

// Config says which sensors are used, and what of them is an obstacle.
type Config struct {
	Scan             bool          `doc:"use the planar scan"`
	Cloud            bool          `doc:"use the cloud; a simulated one is computed only then"`
	CloudMaxAge      time.Duration `doc:"with both: how much older than the scan the cloud may be"`
	CloudSilenceFree bool          `doc:"believe that a direction without any point is free: for a lidar that cannot see the floor"`
	BaseFrame        string        `doc:"frame of the sectors"`
	FrontSectors     int           `doc:"number of sectors ahead"`
	FrontFOVDeg      float64       `doc:"angle that the front sectors cover, centred ahead"`
	SafetySectors    int           `doc:"number of sectors around the robot"`
	RangeMin         float64       `unit:"m" doc:"nearer obstacles are reported at this distance"`
	RangeMax         float64       `unit:"m" doc:"farther obstacles are not reported"`
	ZMin             float64       `unit:"m" doc:"lower is floor, in base_link"`
	ZMax             float64       `unit:"m" doc:"higher passes over the robot, in base_link"`
	Self             Box           `doc:"returns from within are the robot itself"`
	MaxGapDeg        float64       `doc:"gap between two beams that leaves no doubt about what is between them"`
}

// Box is the outline of the robot in base_link.
type Box struct {
	XMin float64 `unit:"m" doc:"rear"`
	XMax float64 `unit:"m" doc:"front"`
	YMin float64 `unit:"m" doc:"right"`
	YMax float64 `unit:"m" doc:"left"`
}

// DefaultConfig returns the numbers of a quadruped whose base_link is 0.35 m above the floor.
func DefaultConfig() Config {
	return Config{
		Scan:          true,
		CloudMaxAge:   300 * time.Millisecond,
		BaseFrame:     "base_link",
		FrontSectors:  32,
		FrontFOVDeg:   180,
		SafetySectors: 120,
		RangeMin:      0.2,
		RangeMax:      8,
		ZMin:          -0.25,
		ZMax:          1.2,
		Self:          Box{XMin: -0.4, XMax: 0.4, YMin: -0.28, YMax: 0.28},
		MaxGapDeg:     5,
	}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.Require(c.Scan || c.Cloud, "scan", "neither scan nor cloud is used: without one the robot never moves")
	p.DurationInRange("cloud_max_age", c.CloudMaxAge, 0, time.Second)
	p.NotEmpty("base_frame", c.BaseFrame)
	p.IntInRange("front_sectors", c.FrontSectors, 4, 720)
	p.InRange("front_fov_deg", c.FrontFOVDeg, 10, 360, "deg")
	p.IntInRange("safety_sectors", c.SafetySectors, 36, 720)
	p.InRange("range_min", c.RangeMin, 0.01, 1, "m")
	p.InRange("range_max", c.RangeMax, 1, 100, "m")
	p.InRange("z_min", c.ZMin, -3, 3, "m")
	p.InRange("z_max", c.ZMax, -3, 3, "m")
	p.Require(c.ZMin < c.ZMax, "z_min", "is not below z_max: lower it below %g", c.ZMax)
	p.InRange("self.x_min", c.Self.XMin, -3, -0.01, "m")
	p.InRange("self.x_max", c.Self.XMax, 0.01, 3, "m")
	p.InRange("self.y_min", c.Self.YMin, -3, -0.01, "m")
	p.InRange("self.y_max", c.Self.YMax, 0.01, 3, "m")
	p.InRange("max_gap_deg", c.MaxGapDeg, 0.1, 30, "deg")
	return p.Err()
}

const rad = math.Pi / 180

// obstacles is the part that says what an obstacle is.
func (c Config) obstacles() sectors.Config {
	return sectors.Config{
		ZMin: c.ZMin, ZMax: c.ZMax,
		Self:     geom.Rect{Min: geom.Vec2{X: c.Self.XMin, Y: c.Self.YMin}, Max: geom.Vec2{X: c.Self.XMax, Y: c.Self.YMax}},
		RangeMin: c.RangeMin, RangeMax: c.RangeMax,
		MaxGap: c.MaxGapDeg * rad, SilenceIsFree: c.CloudSilenceFree,
	}
}
