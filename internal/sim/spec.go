package sim

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/geom"
)

// Drive says which motions a body can make.
type Drive string

// Drives, with the names of HAL.
const (
	Diff      Drive = "diff"      // forward and turning; a sideways command is ignored
	Omni      Drive = "omni"      // any direction; vx and vy share the limit of vx, as wheels at an angle do
	Holonomic Drive = "holonomic" // any direction, with a limit of its own for each, as legs do
)

// RobotSpec describes a body and its sensors. A sensor that is nil is not there.
type RobotSpec struct {
	Name       string // of the robot, unique in its world
	Drive      Drive
	Footprint  geom.Polygon // outline in base_link [m]
	Height     float64      // of the body [m]: what hangs higher is no obstacle
	BaseHeight float64      // of base_link above the floor [m]

	MaxSpeed geom.Velocity // largest |v| per component
	Accel    geom.Velocity // when speeding up [m/s², rad/s²]
	Decel    geom.Velocity // when slowing down [m/s², rad/s²]
	Latency  time.Duration // from a command to its effect
	Lag      time.Duration // time constant of the first-order response of the motors; 0: none

	Lidar         *LidarSpec
	Cloud         *CloudSpec
	Camera        *CameraSpec
	IMU           *IMUSpec
	Odometry      *DriftSpec // of the wheels or legs
	LidarOdometry *DriftSpec // of a FAST-LIO2 at work; its pose is that of LidarBody
	LidarBody     Mount      // FAST-LIO2's frame body in base_link
	Battery       *BatterySpec

	Start *geom.Pose2 // in the map frame; nil: the start of the scene
}

// Mount is where a sensor sits in base_link. Sensors stand level, or hang upside down: turned by π about their x axis.
type Mount struct {
	X, Y, Z    float64 // [m]
	Yaw        float64 // [rad]
	UpsideDown bool
}

// Transform is the pose of the sensor's frame in base_link.
func (m Mount) Transform() geom.Transform {
	roll := 0.0
	if m.UpsideDown {
		roll = math.Pi
	}
	return geom.Transform{T: geom.Vec3{X: m.X, Y: m.Y, Z: m.Z}, R: geom.FromRPY(roll, 0, m.Yaw)}
}

// pose is the place and heading of the sensor in the floor plan.
func (m Mount) pose() geom.Pose2 { return geom.Pose2{X: m.X, Y: m.Y, Theta: m.Yaw} }

// turn is the sense in which angles of the sensor grow, seen from above.
func (m Mount) turn() float64 {
	if m.UpsideDown {
		return -1
	}
	return 1
}

func (m Mount) isFinite() bool { return geom.Finite(m.X, m.Y, m.Z, m.Yaw) }

// Validate reports everything in the spec that no body can have, joined.
func (s RobotSpec) Validate() error {
	var errs []error
	require := func(holds bool, format string, args ...any) {
		if !holds {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(s.Name != "", "name: is missing: name the robot")
	require(s.Drive == Diff || s.Drive == Omni || s.Drive == Holonomic, "drive: %q is not known: write diff, omni or holonomic", s.Drive)
	if err := s.Footprint.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("footprint: %w", err))
	} else {
		require(s.Footprint.Contains(geom.Vec2{}), "footprint: does not hold the origin: give it in base_link, around its centre of rotation")
	}
	require(s.Height > 0 && s.Height < 10, "height: %g m is no height of a robot", s.Height)
	require(s.BaseHeight >= 0 && s.BaseHeight < 10, "base_height: %g m is no height of a robot", s.BaseHeight)
	for _, v := range []struct {
		key   string
		value geom.Velocity
	}{{"max_speed", s.MaxSpeed}, {"accel", s.Accel}, {"decel", s.Decel}} {
		ok := v.value.IsFinite() && v.value.VX > 0 && v.value.WZ > 0 && (v.value.VY > 0 || s.Drive != Holonomic && v.value.VY >= 0)
		require(ok, "%s: %v has a component that is not positive", v.key, v.value)
	}
	require(s.Latency >= 0 && s.Latency <= 5*time.Second, "latency: %v is out of range 0s..5s", s.Latency)
	require(s.Lag >= 0 && s.Lag <= 5*time.Second, "lag: %v is out of range 0s..5s", s.Lag)
	require(s.LidarBody.isFinite(), "lidar_body: is not finite")
	require(s.Start == nil || s.Start.IsFinite(), "start: is not finite")
	for _, part := range s.sensors() {
		if err := part.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", part.key, err))
		}
	}
	return errors.Join(errs...)
}

// sensorPart is a sensor that is there, with what checks it.
type sensorPart struct {
	key   string
	check func() error
}

func (s RobotSpec) sensors() []sensorPart {
	var parts []sensorPart
	add := func(there bool, key string, check func() error) {
		if there {
			parts = append(parts, sensorPart{key, check})
		}
	}
	add(s.Lidar != nil, "lidar", func() error { return s.Lidar.validate() })
	add(s.Cloud != nil, "cloud", func() error { return s.Cloud.validate() })
	add(s.Camera != nil, "camera", func() error { return s.Camera.validate() })
	add(s.IMU != nil, "imu", func() error { return s.IMU.validate() })
	add(s.Odometry != nil, "odometry", func() error { return s.Odometry.validate() })
	add(s.LidarOdometry != nil, "lidar_odometry", func() error { return s.LidarOdometry.validate() })
	add(s.Battery != nil, "battery", func() error { return s.Battery.validate() })
	return parts
}

// nonNegative reports the first value that is negative or not finite.
func nonNegative(names []string, values ...float64) error {
	for i, v := range values {
		if !(v >= 0) || !geom.Finite(v) {
			return fmt.Errorf("%s is %g: write 0 or more", names[i], v)
		}
	}
	return nil
}
