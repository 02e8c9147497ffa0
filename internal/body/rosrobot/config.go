package rosrobot

import (
	"fmt"
	"os"
	"slices"
	"time"

	"sarathi/driver"
	"sarathi/internal/config"
	"sarathi/rosbridge"
)

// Body is what everybody knows of the robot; the profile says it once for all nodes.
type Body struct {
	Kind   string // label, such as "turtlebot4"
	Drive  driver.Drive
	Limits driver.Limits
	Odom   string // frame of odometry
	Base   string // frame of the body
}

// Config is how a robot with ROS is reached, and what its topics and services are called.
type Config struct {
	URL      string        `doc:"rosbridge server of the robot, such as ws://10.0.0.7:9090"`
	Token    string        `doc:"what the server wants to know; empty: see token_env"`
	TokenEnv string        `doc:"environment variable that holds the token when token is empty"`
	ROS      int           `doc:"ROS generation of the robot, 1 or 2"`
	Contact  time.Duration `doc:"how long the robot may take to answer at the start, with its first odometry"`

	CmdVel     string        `doc:"topic of velocities"`
	CmdType    string        `doc:"their type, geometry_msgs/Twist or geometry_msgs/TwistStamped"`
	CmdPeriod  time.Duration `doc:"time between velocities while they are commanded"`
	OdometryHz float64       `unit:"Hz" doc:"how often the robot reports odometry"`

	Odometry    Topic `doc:"nav_msgs/Odometry"`
	IMU         Topic `doc:"sensor_msgs/Imu"`
	Joints      Topic `doc:"sensor_msgs/JointState"`
	Battery     Topic `doc:"sensor_msgs/BatteryState"`
	Diagnostics Topic `doc:"diagnostic_msgs/DiagnosticArray"`
	Scan        Topic `doc:"sensor_msgs/LaserScan"`
	Points      Topic `doc:"sensor_msgs/PointCloud2"`
	Image       Topic `doc:"sensor_msgs/CompressedImage"`
	CameraInfo  Topic `doc:"sensor_msgs/CameraInfo"`

	EStop        EStop         `doc:"e-stop of the robot itself; the driver's own latch works without it"`
	Skills       []Skill       `doc:"what the robot can do besides, as std_srvs/Trigger services"`
	SkillTimeout time.Duration `doc:"a service that has not answered after this has failed"`
}

// Topic is where one stream comes from.
type Topic struct {
	Topic       string        `doc:"its name at the robot; empty: the robot has none"`
	Frame       string        `doc:"frame of its messages here; empty: as the robot says"`
	Compression string        `doc:"none, png, cbor or cbor-raw; cbor-raw is exact and needs the least work, but the robot's definition of the type must be the standard one"`
	Throttle    time.Duration `doc:"least time between two messages; 0: all"`
	Stale       time.Duration `doc:"silence after which the stream is reported as stale; 0: never"`
}

// EStop is what a robot has of its own.
type EStop struct {
	Held    string `doc:"topic of std_msgs/Bool, true while the robot's own e-stop, such as a button, holds it; empty: none"`
	Engage  string `doc:"std_srvs/Trigger service that stops the robot; called besides sending zero; empty: none"`
	Release string `doc:"std_srvs/Trigger service that undoes it; empty: none"`
}

// Skill is a service of the robot.
type Skill struct {
	Name    string `doc:"name of the skill here"`
	Service string `doc:"its std_srvs/Trigger service at the robot"`
}

// DefaultConfig returns the names of a usual ROS 2 base.
func DefaultConfig() Config {
	exact := func(topic string, stale time.Duration) Topic {
		return Topic{Topic: topic, Compression: rosbridge.CompressionCBORRaw, Stale: stale}
	}
	return Config{
		URL: "ws://127.0.0.1:9090", TokenEnv: "SARATHI_ROSBRIDGE_TOKEN", ROS: 2, Contact: 10 * time.Second,
		CmdVel: "/cmd_vel", CmdType: typeTwist, CmdPeriod: 50 * time.Millisecond, OdometryHz: 20,
		Odometry: exact("/odom", 500*time.Millisecond), IMU: exact("/imu", time.Second), Scan: exact("/scan", time.Second),
		Joints: exact("", 0), Points: exact("", 2*time.Second), Image: exact("", 5*time.Second), CameraInfo: exact("", 0),
		// Their definitions differ between releases.
		Battery:      Topic{Compression: rosbridge.CompressionCBOR, Stale: time.Minute},
		Diagnostics:  Topic{Compression: rosbridge.CompressionCBOR},
		SkillTimeout: 30 * time.Second,
	}
}

const (
	typeTwist        = "geometry_msgs/Twist"
	typeTwistStamped = "geometry_msgs/TwistStamped"
)

// source is a stream and where it comes from.
type source struct {
	stream driver.Stream
	key    string // in the configuration
	Topic
}

// sources returns all streams, in their order.
func (c Config) sources() []source {
	return []source{
		{driver.StreamOdometry, "odometry", c.Odometry},
		{driver.StreamIMU, "imu", c.IMU},
		{driver.StreamJoints, "joints", c.Joints},
		{driver.StreamBattery, "battery", c.Battery},
		{driver.StreamDiagnostics, "diagnostics", c.Diagnostics},
		{driver.StreamScan, "scan", c.Scan},
		{driver.StreamPoints, "points", c.Points},
		{driver.StreamImage, "image", c.Image},
		{driver.StreamCameraInfo, "camera_info", c.CameraInfo},
	}
}

// Validate reports what cannot work with any robot.
func (c Config) Validate() error {
	var p config.Problems
	p.Nested("url", rosbridge.ClientConfig{URL: c.URL}.Validate())
	p.IntInRange("ros", c.ROS, 1, 2)
	p.DurationInRange("contact", c.Contact, 100*time.Millisecond, 10*time.Minute)
	p.OneOf("cmd_type", c.CmdType, typeTwist, typeTwistStamped)
	p.DurationInRange("cmd_period", c.CmdPeriod, 10*time.Millisecond, 200*time.Millisecond)
	p.InRange("odometry_hz", c.OdometryHz, 1, 1000, "Hz")
	p.DurationInRange("skill_timeout", c.SkillTimeout, 100*time.Millisecond, 10*time.Minute)
	p.NotEmpty("odometry.topic", c.Odometry.Topic)
	checkName(&p, "cmd_vel", c.CmdVel, true)
	for _, s := range c.sources() {
		checkName(&p, s.key+".topic", s.Topic.Topic, false)
		p.OneOf(s.key+".compression", s.Compression,
			rosbridge.CompressionNone, rosbridge.CompressionPNG, rosbridge.CompressionCBOR, rosbridge.CompressionCBORRaw)
		p.DurationInRange(s.key+".throttle", s.Throttle, 0, time.Hour)
		p.DurationInRange(s.key+".stale", s.Stale, 0, time.Hour)
	}
	p.Require(c.Odometry.Stale > 0, "odometry.stale", "is 0: a robot whose odometry is not watched must not be driven")
	checkName(&p, "e_stop.held", c.EStop.Held, false)
	checkName(&p, "e_stop.engage", c.EStop.Engage, false)
	checkName(&p, "e_stop.release", c.EStop.Release, false)
	p.Require((c.EStop.Engage == "") == (c.EStop.Release == ""), "e_stop.release", "engage and release come in pairs: write both or none")
	for i, s := range c.Skills {
		key := fmt.Sprintf("skills[%d]", i)
		checkName(&p, key+".service", s.Service, true)
		p.Require(s.Name != driver.SkillEmergencyStop && s.Name != driver.SkillSetJoints, key+".name", "%s is no Trigger service: see e_stop", s.Name)
		p.Require(!slices.ContainsFunc(c.Skills[:i], func(o Skill) bool { return o.Name == s.Name }), key+".name", "%s is listed twice", s.Name)
	}
	return p.Err()
}

// checkName reports what is no name in ROS.
func checkName(p *config.Problems, key, name string, needed bool) {
	if needed {
		p.NotEmpty(key, name)
	}
	bad := slices.ContainsFunc([]rune(name), func(r rune) bool { return r <= ' ' || r == 0x7f })
	p.Require(!bad, key, "%q has spaces in it", name)
}

func (c Config) token() string {
	if c.Token != "" || c.TokenEnv == "" {
		return c.Token
	}
	return os.Getenv(c.TokenEnv)
}

func (c Config) dialect() rosbridge.Dialect {
	if c.ROS == 1 {
		return rosbridge.ROS1
	}
	return rosbridge.ROS2
}

// capabilities is what the host is told.
func (c Config) capabilities(b Body) driver.Capabilities {
	out := driver.Capabilities{
		Kind: b.Kind, Drive: b.Drive, Limits: b.Limits, Frame: b.Odom, RateHz: c.OdometryHz,
		Units: driver.Units{Len: "m", Ang: "rad"}, Skills: []string{driver.SkillEmergencyStop},
	}
	for _, s := range c.Skills {
		out.Skills = append(out.Skills, s.Name)
	}
	for _, s := range c.sources() {
		if s.Topic.Topic != "" {
			out.Streams = append(out.Streams, s.stream)
		}
	}
	return out
}
