package pathfollower

import (
	"time"

	"sarathi/internal/algo/avoidance"
	"sarathi/internal/algo/follower"
	"sarathi/internal/config"
)

// AvoidNothing is the value of Avoid that leaves obstacles to the protective field of the mux.
const AvoidNothing = "none"

// Config of the node.
type Config struct {
	Period       time.Duration `doc:"between velocities"`
	StatusPeriod time.Duration `doc:"between statuses when nothing happens"`
	Speed        float64       `unit:"m/s" doc:"walking speed after the start"`
	SpeedMin     float64       `unit:"m/s" doc:"least walking speed that may be chosen"`
	SpeedMax     float64       `unit:"m/s" doc:"highest walking speed that may be chosen"`
	TurnMax      float64       `unit:"rad/s" doc:"highest turning rate"`
	Acceleration float64       `unit:"m/s²" doc:"of the speed"`
	TurnAccel    float64       `unit:"rad/s²" doc:"of the turning rate"`
	PoseMaxAge   time.Duration `doc:"an older pose stops the robot"`
	BlockedAfter time.Duration `doc:"held by obstacles for so long counts as blocked"`
	OffPath      float64       `unit:"m" doc:"farther from the path the robot stops until it is started anew"`
	Avoid        string        `doc:"how to steer around obstacles: vfh, follow_gap, or none, where only the protective field stops the robot"`
	SafeDistance float64       `unit:"m" doc:"nearer things ahead are avoided"`
	StopDistance float64       `unit:"m" doc:"nearer things ahead stop the robot"`
	ScanMaxAge   time.Duration `doc:"older sectors stop the robot, unless it avoids nothing"`
	Laps         bool          `doc:"follow loops again and again"`
	LowBattery   float64       `doc:"below this part of its charge the robot ends its lap and stays"`
}

// DefaultConfig returns the numbers of the public robots.
func DefaultConfig() Config {
	f, a := follower.Default(), avoidance.Default()
	return Config{
		Period: f.Period, StatusPeriod: 200 * time.Millisecond,
		Speed: f.Pursuit.Cruise, SpeedMin: f.SpeedMin, SpeedMax: f.SpeedMax, TurnMax: f.Pursuit.MaxTurn,
		Acceleration: f.Pursuit.Accel, TurnAccel: f.Pursuit.TurnAccel,
		PoseMaxAge: f.PoseMaxAge, BlockedAfter: f.BlockedAfter, OffPath: f.OffPathBeyond,
		Avoid: string(a.Method), SafeDistance: a.SafeDistance, StopDistance: a.Emergency, ScanMaxAge: f.AvoidMaxAge, Laps: true, LowBattery: 0.2,
	}
}

// Validate reports every value that the node cannot work with.
func (c Config) Validate() error {
	var p config.Problems
	p.DurationInRange("period", c.Period, 10*time.Millisecond, 200*time.Millisecond)
	p.DurationInRange("status_period", c.StatusPeriod, 50*time.Millisecond, 5*time.Second)
	p.InRange("speed_max", c.SpeedMax, 0.1, 2, "m/s")
	p.InRange("speed_min", c.SpeedMin, 0.05, c.SpeedMax, "m/s")
	p.InRange("speed", c.Speed, c.SpeedMin, c.SpeedMax, "m/s")
	p.InRange("turn_max", c.TurnMax, 0.6, 5, "rad/s")
	p.InRange("acceleration", c.Acceleration, 0.05, 10, "m/s²")
	p.InRange("turn_accel", c.TurnAccel, 0.1, 50, "rad/s²")
	p.DurationInRange("pose_max_age", c.PoseMaxAge, 50*time.Millisecond, 5*time.Second)
	p.DurationInRange("blocked_after", c.BlockedAfter, time.Second, time.Hour)
	p.InRange("off_path", c.OffPath, 0.6, 20, "m")
	p.OneOf("avoid", c.Avoid, AvoidNothing, string(avoidance.VFH), string(avoidance.FollowGap))
	p.InRange("safe_distance", c.SafeDistance, 0.2, 10, "m")
	p.InRange("stop_distance", c.StopDistance, 0.1, c.SafeDistance, "m")
	p.DurationInRange("scan_max_age", c.ScanMaxAge, 50*time.Millisecond, 5*time.Second)
	p.InRange("low_battery", c.LowBattery, 0, 1, "")
	return p.Err()
}

// follower is the part that decides.
func (c Config) follower(holonomic bool) follower.Config {
	f := follower.Default()
	f.Period, f.PoseMaxAge, f.BlockedAfter, f.OffPathBeyond, f.Laps = c.Period, c.PoseMaxAge, c.BlockedAfter, c.OffPath, c.Laps
	f.SpeedMin, f.SpeedMax = c.SpeedMin, c.SpeedMax
	if f.AvoidMaxAge = c.ScanMaxAge; c.Avoid == AvoidNothing {
		f.AvoidMaxAge = 0
	}
	p := &f.Pursuit
	p.Holonomic, p.Cruise, p.MaxSpeed, p.MaxTurn, p.Accel, p.TurnAccel = holonomic, c.Speed, c.SpeedMax, c.TurnMax, c.Acceleration, c.TurnAccel
	p.MinSpeed = min(p.MinSpeed, c.SpeedMin)
	p.StopSpeed = min(p.StopSpeed, c.SpeedMax)
	p.Approach.MaxSpeed = min(p.Approach.MaxSpeed, c.SpeedMax)
	return f
}

// avoidance is what gives advice on obstacles.
func (c Config) avoidance() avoidance.Config {
	a := avoidance.Default()
	a.Method, a.SafeDistance, a.Emergency = avoidance.Method(c.Avoid), c.SafeDistance, c.StopDistance
	return a
}
