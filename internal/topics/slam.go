package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// SLAM and fusion beside any robot (specification 004): under sarathi slam only. Of the map that slam makes, and of the truth, the
// declarations are Map and GroundTruth.
var (
	IMU = bus.NewTopic[sensor.Imu]("/imu", bus.Queue(64),
		"rate gyro and accelerometer, for fusion")
	Odom = bus.NewTopic[nav.Odometry]("/odom", bus.Queue(32),
		"wheel odometry, odom to base_link, for fusion and slam")
	Scan = bus.NewTopic[sensor.LaserScan]("/scan", bus.Queue(4),
		"planar laser scan, for slam")
	FusedPose = bus.NewTopic[geometry.PoseWithCovarianceStamped]("/fused_pose", bus.Latched,
		"pose from gyro, odometry and scan matches, map to base_link")
	ScanMatchPose = bus.NewTopic[geometry.PoseWithCovarianceStamped]("/scan_match_pose", bus.Queue(8),
		"where slam's map puts a scan, map to base_link at the scan's time")
	SlamDiagnostics = bus.NewTopic[diagnostic.DiagnosticArray]("/slam/diagnostics", bus.Latched,
		"what became of slam's scans, loops closed, size of the map (Sarathi)")
	FusionDiagnostics = bus.NewTopic[diagnostic.DiagnosticArray]("/fusion/diagnostics", bus.Latched,
		"bias of the gyro, and what became of fusion's inputs (Sarathi)")
)
