package simulated

import (
	"fmt"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/config"
)

// Config is what the simulator needs to know of a robot and nobody else does. What the robot is like for everybody is a [Body].
// A sensor whose rate is 0 is not there.
type Config struct {
	World      string        `doc:"built-in world (corridor, empty, house), or path of a scene or of a map_server map"`
	Height     float64       `doc:"of the body: what hangs higher is no obstacle" unit:"m"`
	BaseHeight float64       `doc:"of base_link above the floor" unit:"m"`
	Accel      [3]float64    `doc:"when speeding up: vx, vy (m/s²), wz (rad/s²)"`
	Decel      [3]float64    `doc:"when slowing down: vx, vy (m/s²), wz (rad/s²)"`
	Latency    time.Duration `doc:"from a command to its effect"`
	Lag        time.Duration `doc:"time constant of the motors"`

	Scan          Scan          `doc:"level laser scanner"`
	Points        Points        `doc:"lidar with rings"`
	Camera        Camera        `doc:"front camera"`
	IMU           IMU           `doc:"gyro and accelerometer"`
	Odometry      Drift         `doc:"of wheels or legs"`
	LidarOdometry Drift         `doc:"of a FAST-LIO2 at work"`
	Battery       Battery       `doc:"battery"`
	Joints        Joints        `doc:"legs and wheels"`
	Skills        []string      `doc:"skills: stand_up, sit_down, emergency_stop, move_mode, balance_stand_mode, lock_mode, slow_speed, normal_speed, fast_speed, setJoints"`
	Gestures      []Gesture     `doc:"further skills, made while standing still"`
	StandTime     time.Duration `doc:"how long standing up and sitting down take"`
	Speeds        Speeds        `doc:"part of the limits that each speed allows"`
}

// Scan is a level laser scanner.
type Scan struct {
	Rate     float64 `doc:"scans per second; 0: none" unit:"Hz"`
	Beams    int     `doc:"number of beams"`
	AngleMin float64 `doc:"direction of the first beam" unit:"rad"`
	FOV      float64 `doc:"from the first beam to the last; a full turn spaces them evenly" unit:"rad"`
	RangeMin float64 `doc:"nearest distance" unit:"m"`
	RangeMax float64 `doc:"farthest distance" unit:"m"`
	Noise    float64 `doc:"standard deviation of a distance" unit:"m"`
}

// Points is a lidar with rings of beams.
type Points struct {
	Rate         float64 `doc:"clouds per second; 0: none" unit:"Hz"`
	Rings        int     `doc:"number of rings"`
	ElevationMin float64 `doc:"of the lowest ring" unit:"rad"`
	ElevationMax float64 `doc:"of the highest ring" unit:"rad"`
	Beams        int     `doc:"beams of a ring"`
	RangeMin     float64 `doc:"nearest distance" unit:"m"`
	RangeMax     float64 `doc:"farthest distance" unit:"m"`
	Noise        float64 `doc:"standard deviation of a distance" unit:"m"`
	Floor        bool    `doc:"beams that meet the floor give points"`
}

// Camera is a level pinhole camera.
type Camera struct {
	Rate   float64 `doc:"images per second; 0: none" unit:"Hz"`
	Width  int     `doc:"pixels in a row"`
	Height int     `doc:"rows"`
	FOV    float64 `doc:"horizontal field of view" unit:"rad"`
}

// IMU is an inertial sensor.
type IMU struct {
	Rate       float64 `doc:"readings per second; 0: none" unit:"Hz"`
	GyroNoise  float64 `doc:"standard deviation of a reading" unit:"rad/s"`
	GyroBias   float64 `doc:"standard deviation of the bias it wakes up with" unit:"rad/s"`
	GyroWalk   float64 `doc:"random walk of the bias" unit:"rad/s/√s"`
	AccelNoise float64 `doc:"standard deviation of a reading" unit:"m/s²"`
}

// Drift is an odometry and its errors.
type Drift struct {
	Rate            float64 `doc:"messages per second; 0: none" unit:"Hz"`
	Slip            float64 `doc:"part by which every motion is overestimated"`
	Position        float64 `doc:"random walk of the position" unit:"m/√m"`
	Heading         float64 `doc:"random walk of the heading by turning" unit:"rad/√rad"`
	HeadingPerMetre float64 `doc:"random walk of the heading by driving" unit:"rad/√m"`
}

// Battery is a pack of lithium-ion cells.
type Battery struct {
	Cells      int           `doc:"in series; 0: no battery"`
	Capacity   float64       `doc:"when full" unit:"Ah"`
	Charge     float64       `doc:"at the beginning, 0 to 1"`
	Resistance float64       `doc:"of the pack" unit:"Ω"`
	Idle       float64       `doc:"current of the standing robot" unit:"A"`
	PerSpeed   float64       `doc:"more of it per speed" unit:"A/(m/s)"`
	PerTurn    float64       `doc:"more of it per turning speed" unit:"A/(rad/s)"`
	Charging   float64       `doc:"largest current of the charger" unit:"A"`
	Ambient    float64       `doc:"temperature around it" unit:"°C"`
	Heating    float64       `doc:"rise in the long run per square of the current" unit:"°C/A²"`
	Cooling    time.Duration `doc:"time constant of its temperature"`
}

// Joints are what moves when the robot does. Each leg has the joints <leg>_hip_joint, <leg>_thigh_joint and <leg>_calf_joint.
type Joints struct {
	Rate        float64  `doc:"messages per second; 0: none" unit:"Hz"`
	Legs        []string `doc:"legs, diagonal ones in step: the first with the last, or with two in between"`
	Wheels      []string `doc:"joints of wheels, left and right in turn"`
	WheelRadius float64  `doc:"of the wheels" unit:"m"`
	Track       float64  `doc:"between left and right wheels" unit:"m"`
}

// Gesture is a skill that takes its time and leaves the robot where it is.
type Gesture struct {
	Name     string        `doc:"name of the skill"`
	Duration time.Duration `doc:"how long it takes"`
}

// Speeds are the parts of the limits that the speed skills allow, 0 to 1.
type Speeds struct {
	Slow   float64 `doc:"of slow_speed"`
	Normal float64 `doc:"of normal_speed, which the robot wakes up with"`
	Fast   float64 `doc:"of fast_speed"`
}

// Period is the time between two steps of the driver. It bounds the rates.
const Period = 10 * time.Millisecond

// maxRate is the rate of a stream that is published in every step [Hz].
const maxRate = float64(time.Second / Period)

// standardSkills are the skills that have a meaning here.
func standardSkills() []string {
	return []string{
		driver.SkillStandUp, driver.SkillSitDown, driver.SkillEmergencyStop, driver.SkillMoveMode, driver.SkillBalanceStand,
		driver.SkillLock, driver.SkillSlow, driver.SkillNormal, driver.SkillFast, driver.SkillSetJoints,
	}
}

// Validate reports what no body here can have. What sensors and motors can be is checked when the world is made.
func (c Config) Validate() error {
	var p config.Problems
	p.NotEmpty("world", c.World)
	for _, r := range []struct {
		key  string
		rate float64
	}{
		{"scan", c.Scan.Rate},
		{"points", c.Points.Rate},
		{"camera", c.Camera.Rate},
		{"imu", c.IMU.Rate},
		{"lidar_odometry", c.LidarOdometry.Rate},
		{"joints", c.Joints.Rate},
	} {
		p.InRange(r.key+".rate", r.rate, 0, maxRate, "Hz")
	}
	p.InRange("odometry.rate", c.Odometry.Rate, 1, maxRate, "Hz")
	p.DurationInRange("stand_time", c.StandTime, Period, time.Minute)
	for key, v := range map[string]float64{"slow": c.Speeds.Slow, "normal": c.Speeds.Normal, "fast": c.Speeds.Fast} {
		p.InRange("speeds."+key, v, 0.05, 1, "")
	}
	c.validateSkills(&p)
	if len(c.Joints.Wheels) > 0 {
		p.Positive("joints.wheel_radius", c.Joints.WheelRadius, "m")
		p.AtLeast("joints.track", c.Joints.Track, 0, "m")
	}
	return p.Err()
}

func (c Config) validateSkills(p *config.Problems) {
	for i, s := range c.Skills {
		key := fmt.Sprintf("skills[%d]", i)
		p.OneOf(key, s, standardSkills()...)
		p.Require(!slices.Contains(c.Skills[:i], s), key, "%s is listed twice", s)
	}
	p.Require(!slices.Contains(c.Skills, driver.SkillSetJoints) || len(c.Joints.Legs) > 0, "skills",
		"%s needs joints.legs: list the legs, or remove the skill", driver.SkillSetJoints)
	for i, g := range c.Gestures {
		key := fmt.Sprintf("gestures[%d]", i)
		p.Require(!slices.Contains(standardSkills(), g.Name), key+".name", "%s is no gesture: list it under skills", g.Name)
		p.Require(!slices.ContainsFunc(c.Gestures[:i], func(o Gesture) bool { return o.Name == g.Name }), key+".name", "%s is listed twice", g.Name)
		p.DurationInRange(key+".duration", g.Duration, 0, 10*time.Minute)
	}
}
