package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/dharma"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// The robot body: its driver publishes these and takes the mux's velocity.
var (
	BodyCmdVel = bus.NewTopic[geometry.Twist]("/{robot_ns}/cmd_vel", bus.Latest,
		"velocity asked of the body, base_link, m/s and rad/s, 50 Hz; only control_mux_node publishes it")
	BodyOdometry = bus.NewTopic[nav.Odometry]("/{robot_ns}/odom", bus.Queue(32),
		"wheel or leg odometry, odom to base_link; never on /tf")
	BodyIMU = bus.NewTopic[sensor.Imu]("/{robot_ns}/imu", bus.Queue(64),
		"rate gyro and accelerometer, imu_link")
	BodyJointStates = bus.NewTopic[sensor.JointState]("/{robot_ns}/joint_states", bus.Latest,
		"joint positions, rad")
	BodyBattery = bus.NewTopic[sensor.BatteryState]("/{robot_ns}/battery", bus.Latched,
		"battery; current is negative while it discharges")
	BodyDiagnostics = bus.NewTopic[diagnostic.DiagnosticArray]("/{robot_ns}/diagnostics", bus.Queue(8),
		"condition and faults of the body")
	BodyScan = bus.NewTopic[sensor.LaserScan]("/{robot_ns}/scan", bus.Queue(4),
		"planar laser scan, 10 Hz")
	BodyPoints = bus.NewTopic[sensor.PointCloud2]("/{robot_ns}/points", bus.Queue(2),
		"lidar cloud, livox_frame; computed while somebody subscribes")
	BodyImage = bus.NewTopic[sensor.CompressedImage]("/{robot_ns}/camera/image/compressed", bus.Queue(2),
		"front camera, JPEG, front_camera_optical_frame; computed while somebody subscribes")
	BodyCameraInfo = bus.NewTopic[sensor.CameraInfo]("/{robot_ns}/camera/camera_info", bus.Latest,
		"intrinsics of the front camera, with each image")
	BodyStatus = bus.NewTopic[dharma.BodyStatus]("/{robot_ns}/status", bus.Latched,
		"contact, e-stop latch and skill of the body (Sarathi)")
)

// Simulation only: what no sensor tells.
var (
	GroundTruth = bus.NewTopic[nav.Odometry]("/ground_truth", bus.Latest,
		"true pose and velocity of the simulated body, map to base_link")
	SimStatus = bus.NewTopic[dharma.SimStatus]("/sim/status", bus.Latched,
		"true contacts of the simulated body (Sarathi)")
	SimHardwareEStop = bus.NewService[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse]("/sim/hardware_estop", stdsrvs.SetBoolService,
		"press (true) or pull out (false) the e-stop button of the simulated body (Sarathi)")
)

// Skill declares the service of one body skill under the robot's namespace, such as
// stand_up, sit_down or emergency_stop.
func Skill(name string) *bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse] {
	return bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/{robot_ns}/"+name, stdsrvs.TriggerService,
		"body skill "+name)
}

// LidarOdometry is what FAST-LIO2 publishes on the robots.
var LidarOdometry = bus.NewTopic[nav.Odometry]("/Odometry", bus.Queue(16),
	"lidar odometry, camera_init to body, the best relative motion there is (FAST-LIO2's topic)")

// InitialPose is RViz's "2D Pose Estimate".
var InitialPose = bus.NewTopic[geometry.PoseWithCovarianceStamped]("/initialpose", bus.Queue(4),
	"pose estimate of a person, map to base_link")

// SayText is for anyone who wants the robot to speak, without an answer.
var SayText = bus.NewTopic[std.String]("/interaction/say_text", bus.Queue(16), "speak, fire and forget")
