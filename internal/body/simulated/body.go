package simulated

import (
	"slices"

	"sarathi/driver"
	"sarathi/internal/geom"
	"sarathi/internal/sim"
)

// Body is what everybody knows of the robot; the profile says it once for all nodes.
type Body struct {
	Kind      string // label, also the robot's name in the world
	Drive     driver.Drive
	Limits    driver.Limits
	Footprint geom.Polygon // outline in base_link [m]
	Frames    Frames
	Mounts    Mounts
	Start     *geom.Pose2 // in the map frame; nil: the start of the scene
}

// Frames are the names of the frames that messages carry.
type Frames struct {
	Map        string
	Odom       string
	CameraInit string
	Body       string // moves in CameraInit as lidar odometry says
	Base       string
	Scan       string
	Points     string
	IMU        string
	Optical    string // of the camera
}

// Mounts are the places of sensors in base_link. They are those of the static frames.
type Mounts struct {
	Scan      sim.Mount
	Points    sim.Mount
	Camera    sim.Mount // of the lens, looking along x
	LidarBody sim.Mount // of the frame Body
}

// DefaultFrames returns the names of specification 002, and scan_frame for a planar scan, which has none there.
func DefaultFrames() Frames {
	return Frames{
		Map: "map", Odom: "odom", CameraInit: "camera_init", Body: "body", Base: "base_link", Scan: "scan_frame",
		Points: "livox_frame", IMU: "imu_link", Optical: "front_camera_optical_frame",
	}
}

// spec is the robot as the world sees it.
func spec(b Body, c Config) sim.RobotSpec {
	s := sim.RobotSpec{
		Name: b.Kind, Drive: sim.Drive(b.Drive), Footprint: b.Footprint, Height: c.Height, BaseHeight: c.BaseHeight,
		MaxSpeed: geom.Velocity(b.Limits), Accel: velocity(c.Accel), Decel: velocity(c.Decel),
		Latency: c.Latency, Lag: c.Lag, LidarBody: b.Mounts.LidarBody, Start: b.Start,
	}
	if v := c.Scan; v.Rate > 0 {
		s.Lidar = &sim.LidarSpec{
			Beams: v.Beams, AngleMin: v.AngleMin, FOV: v.FOV, RangeMin: v.RangeMin, RangeMax: v.RangeMax, Noise: v.Noise, Mount: b.Mounts.Scan,
		}
	}
	if v := c.Points; v.Rate > 0 {
		s.Cloud = &sim.CloudSpec{
			Rings: v.Rings, ElevationMin: v.ElevationMin, ElevationMax: v.ElevationMax, Beams: v.Beams,
			RangeMin: v.RangeMin, RangeMax: v.RangeMax, Noise: v.Noise, Floor: v.Floor, Mount: b.Mounts.Points,
		}
	}
	if v := c.Camera; v.Rate > 0 {
		s.Camera = &sim.CameraSpec{Width: v.Width, Height: v.Height, FOV: v.FOV, Mount: b.Mounts.Camera, MinTag: minTag}
	}
	if v := c.IMU; v.Rate > 0 {
		s.IMU = &sim.IMUSpec{GyroNoise: v.GyroNoise, GyroBias: v.GyroBias, GyroWalk: v.GyroWalk, AccelNoise: v.AccelNoise}
	}
	s.Odometry, s.LidarOdometry = drift(c.Odometry), drift(c.LidarOdometry)
	if v := c.Battery; v.Cells > 0 {
		battery := sim.BatterySpec(v)
		s.Battery = &battery
	}
	return s
}

// minTag is the smallest edge of an AprilTag that a detector reads [pixels].
const minTag = 16

func velocity(v [3]float64) geom.Velocity { return geom.Velocity{VX: v[0], VY: v[1], WZ: v[2]} }

func drift(d Drift) *sim.DriftSpec {
	if d.Rate == 0 {
		return nil
	}
	return &sim.DriftSpec{Slip: d.Slip, Position: d.Position, Heading: d.Heading, HeadingPerMetre: d.HeadingPerMetre}
}

// capabilities are what the driver says of itself.
func capabilities(b Body, c Config) driver.Capabilities {
	caps := driver.Capabilities{
		Kind: b.Kind, Drive: b.Drive, Units: driver.Units{Len: "m", Ang: "rad"}, Frame: b.Frames.Odom, Limits: b.Limits,
		RateHz: c.Odometry.Rate, Skills: slices.Clone(c.Skills), Streams: []driver.Stream{driver.StreamOdometry},
	}
	for _, g := range c.Gestures {
		caps.Skills = append(caps.Skills, g.Name)
	}
	if slices.Contains(c.Skills, driver.SkillSetJoints) {
		caps.DOF = len(c.Joints.Legs) * jointsPerLeg
	}
	for _, s := range []struct {
		is     bool
		stream driver.Stream
	}{
		{c.IMU.Rate > 0, driver.StreamIMU},
		{c.Joints.Rate > 0, driver.StreamJoints},
		{c.Battery.Cells > 0, driver.StreamBattery},
		{true, driver.StreamDiagnostics},
		{c.Scan.Rate > 0, driver.StreamScan},
		{c.Points.Rate > 0, driver.StreamPoints},
		{c.Camera.Rate > 0, driver.StreamImage},
		{c.Camera.Rate > 0, driver.StreamCameraInfo},
	} {
		if s.is {
			caps.Streams = append(caps.Streams, s.stream)
		}
	}
	return caps
}
