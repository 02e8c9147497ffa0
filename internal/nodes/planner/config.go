package planner

import (
	"time"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/algo/planner"
	"sarathi/internal/config"
	"sarathi/internal/geom"
)

// Config of the node.
type Config struct {
	GoalTolerance   float64       `unit:"m" doc:"how far from a goal that cannot be reached the path may end"`
	EscapeDistance  float64       `unit:"m" doc:"how far the robot may go to leave where it should not be"`
	AllowUnknown    bool          `doc:"paths may lead through what nobody knows"`
	InflationRadius float64       `unit:"m" doc:"how far obstacles are avoided; raised to what the footprint needs"`
	InflationDecay  float64       `unit:"1/m" doc:"how fast the cost of obstacles falls with the distance"`
	MarkRange       float64       `unit:"m" doc:"farther returns of the scan are not marked"`
	ClearRange      float64       `unit:"m" doc:"farther marks are not cleared"`
	ForgetAfter     time.Duration `doc:"obstacles that were not seen for so long are forgotten"`
	ReplanPeriod    time.Duration `doc:"between looks at the way ahead"`
	LookAhead       float64       `unit:"m" doc:"way ahead that must be free"`
	Patience        time.Duration `doc:"a way that is blocked for so long has failed"`
	PoseMaxAge      time.Duration `doc:"an older pose is not planned from"`
	CostmapPeriod   time.Duration `doc:"between costmaps on the bus, while somebody wants them"`
}

// DefaultConfig returns what suits a robot of the size of a dog.
func DefaultConfig() Config {
	m, p := costmap.Default(), planner.Default()
	return Config{
		GoalTolerance: p.GoalTolerance, EscapeDistance: p.EscapeDistance,
		InflationRadius: m.InflationRadius, InflationDecay: m.Decay, MarkRange: m.MarkRange, ClearRange: m.ClearRange, ForgetAfter: m.ForgetAfter,
		ReplanPeriod: 500 * time.Millisecond, LookAhead: 5, Patience: time.Minute,
		PoseMaxAge: 500 * time.Millisecond, CostmapPeriod: 2 * time.Second,
	}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.InRange("goal_tolerance", c.GoalTolerance, 0, 5, "m")
	p.InRange("escape_distance", c.EscapeDistance, 0, 5, "m")
	p.InRange("inflation_radius", c.InflationRadius, 0, 5, "m")
	p.InRange("inflation_decay", c.InflationDecay, 0, 100, "1/m")
	p.InRange("mark_range", c.MarkRange, 0, 100, "m")
	p.InRange("clear_range", c.ClearRange, 0, 100, "m")
	p.DurationInRange("forget_after", c.ForgetAfter, 0, time.Hour)
	p.DurationInRange("replan_period", c.ReplanPeriod, 100*time.Millisecond, time.Minute)
	p.InRange("look_ahead", c.LookAhead, 0.5, 100, "m")
	p.DurationInRange("patience", c.Patience, time.Second, time.Hour)
	p.DurationInRange("pose_max_age", c.PoseMaxAge, 50*time.Millisecond, 5*time.Second)
	p.DurationInRange("costmap_period", c.CostmapPeriod, 200*time.Millisecond, time.Minute)
	return p.Err()
}

// costmap is what the map is made with.
func (c Config) costmap(footprint geom.Polygon) costmap.Config {
	m := costmap.Default()
	m.Footprint, m.Decay = footprint, c.InflationDecay
	m.InflationRadius = max(c.InflationRadius, footprint.Circumradius())
	m.MarkRange, m.ClearRange, m.ForgetAfter = c.MarkRange, c.ClearRange, c.ForgetAfter
	return m
}

// planner is what paths are found with.
func (c Config) planner() planner.Config {
	p := planner.Default()
	p.GoalTolerance, p.EscapeDistance, p.AllowUnknown = c.GoalTolerance, c.EscapeDistance, c.AllowUnknown
	return p
}
