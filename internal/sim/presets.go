package sim

import (
	"math"
	"time"

	"sarathi/internal/geom"
)

// Zelpi is the robot of specification 004: differential drive, a laser scanner of 180 beams, wheels that slip by 3 %, a gyro
// with a bias. The specification fixes no more; the rest is a small indoor robot.
func Zelpi() RobotSpec {
	return RobotSpec{
		Name: "zelpi", Drive: Diff,
		Footprint:  geom.Polygon{{X: 0.2, Y: 0.17}, {X: -0.2, Y: 0.17}, {X: -0.2, Y: -0.17}, {X: 0.2, Y: -0.17}},
		Height:     0.4,
		BaseHeight: 0.08,
		MaxSpeed:   geom.Velocity{VX: 0.8, WZ: 1.5},
		Accel:      geom.Velocity{VX: 1, WZ: 3},
		Decel:      geom.Velocity{VX: 1.5, WZ: 4},
		Latency:    20 * time.Millisecond,
		Lag:        50 * time.Millisecond,
		Lidar: &LidarSpec{
			Beams: 180, AngleMin: -math.Pi, FOV: 2 * math.Pi, RangeMin: 0.05, RangeMax: 8, Noise: 0.01, Mount: Mount{Z: 0.17},
		},
		Camera:   &CameraSpec{Width: 320, Height: 240, FOV: 1.2, Mount: Mount{X: 0.15, Z: 0.15}, MinTag: 16},
		IMU:      &IMUSpec{GyroNoise: 0.005, GyroBias: 0.02, GyroWalk: 0.0005, AccelNoise: 0.05},
		Odometry: &DriftSpec{Slip: 0.03, Position: 0.01, Heading: 0.01, HeadingPerMetre: 0.005},
		Battery:  smallBattery(),
	}
}

// Molly is the robot of specifications 000–002: a holonomic quadruped with a scan and a cloud all around. Speed limits are
// those of its teleoperation, the footprint is the one its lidar ignores as its own body.
func Molly() RobotSpec {
	return RobotSpec{
		Name: "molly", Drive: Holonomic,
		Footprint: geom.Polygon{
			{X: 0.4, Y: 0.22},
			{X: 0.34, Y: 0.28},
			{X: -0.34, Y: 0.28},
			{X: -0.4, Y: 0.22},
			{X: -0.4, Y: -0.22},
			{X: -0.34, Y: -0.28},
			{X: 0.34, Y: -0.28},
			{X: 0.4, Y: -0.22},
		},
		Height:     0.6,
		BaseHeight: 0.35,
		MaxSpeed:   geom.Velocity{VX: 1, VY: 0.5, WZ: 1.5},
		Accel:      geom.Velocity{VX: 1.5, VY: 1.2, WZ: 4},
		Decel:      geom.Velocity{VX: 2.5, VY: 2, WZ: 6},
		Latency:    40 * time.Millisecond,
		Lag:        80 * time.Millisecond,
		Lidar: &LidarSpec{
			Beams: 360, AngleMin: -math.Pi, FOV: 2 * math.Pi, RangeMin: 0.1, RangeMax: 12, Noise: 0.01, Mount: Mount{X: 0.2, Z: 0.15},
		},
		Cloud: &CloudSpec{
			Rings: 16, ElevationMin: -0.3, ElevationMax: 0.5, Beams: 360, RangeMin: 0.1, RangeMax: 15, Noise: 0.01, Floor: true,
			Mount: Mount{X: 0.2, Z: 0.2},
		},
		Camera:        &CameraSpec{Width: 640, Height: 480, FOV: 1.2, Mount: Mount{X: 0.38, Z: 0.1}, MinTag: 16},
		IMU:           &IMUSpec{GyroNoise: 0.003, GyroBias: 0.005, GyroWalk: 0.0002, AccelNoise: 0.1},
		Odometry:      &DriftSpec{Slip: 0.02, Position: 0.02, Heading: 0.02, HeadingPerMetre: 0.01},
		LidarOdometry: &DriftSpec{Position: 0.003, Heading: 0.001, HeadingPerMetre: 0.0005},
		LidarBody:     Mount{X: 0.2, Z: 0.2},
		Battery:       largeBattery(),
	}
}

// smallBattery drives a small robot for about four hours.
func smallBattery() *BatterySpec {
	return &BatterySpec{
		Cells: 4, Capacity: 5, Charge: 1, Resistance: 0.1, Idle: 0.6, PerSpeed: 1.5, PerTurn: 0.5, Charging: 2.5,
		Ambient: 22, Heating: 0.6, Cooling: 10 * time.Minute,
	}
}

// largeBattery drives a quadruped for about two hours.
func largeBattery() *BatterySpec {
	return &BatterySpec{
		Cells: 8, Capacity: 10, Charge: 1, Resistance: 0.08, Idle: 3, PerSpeed: 4, PerTurn: 1.5, Charging: 5,
		Ambient: 22, Heating: 0.12, Cooling: 15 * time.Minute,
	}
}
