package sim

import (
	"math"

	"sarathi/internal/geom"
)

// IMUSpec describes an inertial sensor in base_link.
type IMUSpec struct {
	GyroNoise  float64 // of one reading [rad/s]
	GyroBias   float64 // standard deviation of the bias it wakes up with [rad/s]
	GyroWalk   float64 // random walk of the bias [rad/s/√s]
	AccelNoise float64 // of one reading, per axis [m/s²]
}

func (s IMUSpec) validate() error {
	return nonNegative([]string{"gyro_noise", "gyro_bias", "gyro_walk", "accel_noise"}, s.GyroNoise, s.GyroBias, s.GyroWalk, s.AccelNoise)
}

const (
	gravity  = 9.80665       // [m/s²]
	maxAccel = 16 * gravity  // what the sensor can show [m/s²]
	maxRate  = math.Pi * 100 // what the sensor can show [rad/s]
)

// IMUReading is one reading, in base_link.
type IMUReading struct {
	Orientation  geom.Quat // yaw integrated from the gyro since the beginning, with its bias
	Rate         geom.Vec3 // [rad/s]
	Acceleration geom.Vec3 // with gravity, +9.8 upwards at rest [m/s²]
}

type imu struct {
	spec IMUSpec
	walk *noise // of the bias, drawn at every tick
	read *noise // of a reading, drawn for its tick
	bias float64
	yaw  float64
}

func newIMU(s IMUSpec, n *noise) *imu {
	return &imu{spec: s, walk: n, read: newNoise(n.seed^n.id, "reading"), bias: n.gauss(s.GyroBias)}
}

func (i *imu) step(wz float64) {
	i.bias += i.walk.walk(i.spec.GyroWalk, tickSeconds)
	i.yaw = geom.NormalizeAngle(i.yaw + (wz+i.bias)*tickSeconds)
}

// IMU is a reading at the present tick. False when the robot has no such sensor, or it is silent.
func (r *Robot) IMU() (IMUReading, bool) {
	if r.imu == nil || r.faults[SensorIMU] == FaultSilent {
		return IMUReading{}, false
	}
	i, n := r.imu, r.imu.read.at(r.world.tick)
	rate := func(v float64) float64 { return min(max(v+n.gauss(i.spec.GyroNoise), -maxRate), maxRate) }
	accel := func(v float64) float64 { return min(max(v+n.gauss(i.spec.AccelNoise), -maxAccel), maxAccel) }
	out := IMUReading{
		Orientation:  geom.FromYaw(i.yaw),
		Rate:         geom.Vec3{X: rate(0), Y: rate(0), Z: rate(r.velocity.WZ + i.bias)},
		Acceleration: geom.Vec3{X: accel(r.accel.X), Y: accel(r.accel.Y), Z: accel(gravity)},
	}
	if r.faults[SensorIMU] == FaultNaN {
		nan := math.NaN()
		out.Rate, out.Acceleration = geom.Vec3{X: nan, Y: nan, Z: nan}, geom.Vec3{X: nan, Y: nan, Z: nan}
	}
	return out, true
}

// GyroBias is the present bias of the gyro about z [rad/s]: a ground truth for tests.
func (r *Robot) GyroBias() float64 {
	if r.imu == nil {
		return 0
	}
	return r.imu.bias
}
