package sim

import (
	"math"

	"sarathi/internal/geom"
)

// DriftSpec describes an odometry: how its estimate of the motion differs from the motion.
type DriftSpec struct {
	Slip            float64 // part by which every motion is overestimated: 0.03 for wheels that slip by 3 %
	Position        float64 // random walk of the position [m/√m]
	Heading         float64 // random walk of the heading by turning [rad/√rad]
	HeadingPerMetre float64 // random walk of the heading by driving [rad/√m]
}

func (s DriftSpec) validate() error {
	return nonNegative([]string{"slip", "position", "heading", "heading_per_metre"}, s.Slip, s.Position, s.Heading, s.HeadingPerMetre)
}

// Odometry is an estimate of the motion since the beginning.
type Odometry struct {
	Pose     geom.Pose2    // in the frame where the estimate began
	Velocity geom.Velocity // in the moving frame
}

// drift accumulates the estimate of base_link's motion.
type drift struct {
	spec     DriftSpec
	noise    *noise
	pose     geom.Pose2
	velocity geom.Velocity
}

func (d *drift) step(v geom.Velocity) {
	d.velocity = v.Scale(1 + d.spec.Slip)
	if v.IsZero() {
		return
	}
	distance, turn := v.Speed()*tickSeconds, math.Abs(v.WZ)*tickSeconds
	felt := d.velocity.Integrate(tickSeconds)
	felt.X += d.noise.walk(d.spec.Position, distance)
	if v.VY != 0 { // wheels that cannot roll sideways do not believe they did
		felt.Y += d.noise.walk(d.spec.Position, distance)
	}
	felt.Theta += d.noise.walk(d.spec.Heading, turn) + d.noise.walk(d.spec.HeadingPerMetre, distance)
	d.pose = d.pose.Mul(felt)
}

// Odometry is what the wheels or legs report: odom → base_link. False when the robot has none, or it is silent.
func (r *Robot) Odometry() (Odometry, bool) {
	if r.odometry == nil || r.faults[SensorOdometry] == FaultSilent {
		return Odometry{}, false
	}
	o := Odometry{r.odometry.pose, r.odometry.velocity}
	if r.faults[SensorOdometry] == FaultNaN {
		nan := math.NaN()
		o = Odometry{geom.Pose2{X: nan, Y: nan, Theta: nan}, geom.Velocity{VX: nan, VY: nan, WZ: nan}}
	}
	return o, true
}

// LidarOdometry is what FAST-LIO2 reports: camera_init → body, where camera_init is the pose of body at the beginning. The
// velocity is that of body, in its own axes. False when the robot has none, or it is silent.
func (r *Robot) LidarOdometry() (Odometry, bool) {
	if r.lidarOdometry == nil || r.faults[SensorLidarOdometry] == FaultSilent {
		return Odometry{}, false
	}
	if r.faults[SensorLidarOdometry] == FaultNaN {
		nan := math.NaN()
		return Odometry{geom.Pose2{X: nan, Y: nan, Theta: nan}, geom.Velocity{VX: nan, VY: nan, WZ: nan}}, true
	}
	m := r.spec.LidarBody.pose()
	v := r.lidarOdometry.velocity
	at := v.At(m.Position()).Rotate(-m.Theta)
	return Odometry{
		Pose:     m.Inverse().Mul(r.lidarOdometry.pose).Mul(m),
		Velocity: geom.Velocity{VX: at.X, VY: at.Y, WZ: v.WZ},
	}, true
}
