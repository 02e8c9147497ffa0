package simulated

import (
	"time"

	"sarathi/driver"
	"sarathi/internal/sim"
)

// DefaultConfig returns that of [Molly].
func DefaultConfig() Config {
	_, c := Molly()
	return c
}

// Molly is the robot of specifications 000–002: a quadruped that walks in any direction, with a scan and a cloud all around.
func Molly() (Body, Config) {
	b, c := from("molly", sim.Molly())
	c.Joints = Joints{Rate: 25, Legs: legs()}
	c.Skills = legSkills()
	c.Gestures = gestures()
	return b, c
}

// Pashupati is the robot of the reference, an L1W: a quadruped on wheels that patrols. Full scale of its sticks is 1.0 m/s, 0.5 m/s and
// 1.5 rad/s; its size is what its lidar filter ignores as its own body, the same as Molly's.
func Pashupati() (Body, Config) {
	s := sim.Molly()
	s.Name = "pashupati"
	s.Latency, s.Lag = 60*time.Millisecond, 100*time.Millisecond
	b, c := from("pashupati", s)
	c.Points.Rate = 10
	c.Joints = Joints{
		Rate: 25, Legs: legs(), WheelRadius: 0.09, Track: 0.4,
		Wheels: []string{"FL_foot_joint", "FR_foot_joint", "RL_foot_joint", "RR_foot_joint"},
	}
	c.Skills = legSkills()
	return b, c
}

// Zelpi is the robot of specification 004: differential drive, 180 beams, wheels that slip by 3 %, a gyro with a bias.
func Zelpi() (Body, Config) {
	b, c := from("zelpi", sim.Zelpi())
	c.Joints = Joints{Rate: 25, WheelRadius: 0.05, Track: 0.3, Wheels: []string{"left_wheel_joint", "right_wheel_joint"}}
	c.Skills = []string{driver.SkillEmergencyStop, driver.SkillSlow, driver.SkillNormal, driver.SkillFast}
	return b, c
}

func legs() []string { return []string{"FL", "FR", "RL", "RR"} }

func legSkills() []string {
	return []string{
		driver.SkillStandUp, driver.SkillSitDown, driver.SkillEmergencyStop, driver.SkillMoveMode, driver.SkillBalanceStand,
		driver.SkillLock, driver.SkillSlow, driver.SkillNormal, driver.SkillFast, driver.SkillSetJoints,
	}
}

func gestures() []Gesture {
	return []Gesture{
		{"hello", 3 * time.Second},
		{"stretch", 5 * time.Second},
		{"dance", 8 * time.Second},
		{"bow", 2 * time.Second},
	}
}

// Rates of real robots of this family [Hz].
const (
	scanRate          = 10
	pointsRate        = 5
	cameraRate        = 8
	imuRate           = 100
	odometryRate      = 50
	lidarOdometryRate = 10
)

// from splits a robot of the simulator into what everybody knows and what only the simulator does.
func from(kind string, s sim.RobotSpec) (Body, Config) {
	b := Body{
		Kind: kind, Drive: driver.Drive(s.Drive), Limits: driver.Limits(s.MaxSpeed), Footprint: s.Footprint,
		Frames: DefaultFrames(), Mounts: Mounts{LidarBody: s.LidarBody}, Start: s.Start,
	}
	c := Config{
		World: "house", Height: s.Height, BaseHeight: s.BaseHeight, Latency: s.Latency, Lag: s.Lag,
		Accel:     [3]float64{s.Accel.VX, s.Accel.VY, s.Accel.WZ},
		Decel:     [3]float64{s.Decel.VX, s.Decel.VY, s.Decel.WZ},
		StandTime: 2 * time.Second, Speeds: Speeds{Slow: 0.4, Normal: 1, Fast: 1},
		Odometry: driftConfig(s.Odometry, odometryRate), LidarOdometry: driftConfig(s.LidarOdometry, lidarOdometryRate),
	}
	if v := s.Lidar; v != nil {
		b.Mounts.Scan = v.Mount
		c.Scan = Scan{scanRate, v.Beams, v.AngleMin, v.FOV, v.RangeMin, v.RangeMax, v.Noise}
	}
	if v := s.Cloud; v != nil {
		b.Mounts.Points = v.Mount
		c.Points = Points{
			pointsRate, v.Rings, v.ElevationMin, v.ElevationMax, v.Beams, v.RangeMin, v.RangeMax, v.Noise, v.Floor,
		}
	}
	if v := s.Camera; v != nil {
		b.Mounts.Camera = v.Mount
		c.Camera = Camera{cameraRate, v.Width, v.Height, v.FOV}
	}
	if v := s.IMU; v != nil {
		c.IMU = IMU{imuRate, v.GyroNoise, v.GyroBias, v.GyroWalk, v.AccelNoise}
	}
	if v := s.Battery; v != nil {
		c.Battery = Battery(*v)
	}
	return b, c
}

func driftConfig(d *sim.DriftSpec, rate float64) Drift {
	if d == nil {
		return Drift{}
	}
	return Drift{rate, d.Slip, d.Position, d.Heading, d.HeadingPerMetre}
}
