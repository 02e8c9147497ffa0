package rosconv

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/geom"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
)

// ErrNotFinite is what the errors of functions that read geometry wrap.
var ErrNotFinite = errors.New("is not a finite number")

// Vector3 returns v as a free vector.
func Vector3(v geom.Vec3) geometry.Vector3 { return geometry.Vector3{X: v.X, Y: v.Y, Z: v.Z} }

// FromVector3 returns a free vector, unchecked.
func FromVector3(m geometry.Vector3) geom.Vec3 { return geom.Vec3{X: m.X, Y: m.Y, Z: m.Z} }

// Point returns v as a place.
func Point(v geom.Vec3) geometry.Point { return geometry.Point{X: v.X, Y: v.Y, Z: v.Z} }

// FromPoint returns a place, unchecked.
func FromPoint(m geometry.Point) geom.Vec3 { return geom.Vec3{X: m.X, Y: m.Y, Z: m.Z} }

// Quaternion returns a rotation as a unit quaternion.
func Quaternion(q geom.Quat) geometry.Quaternion {
	q = q.Normalized()
	return geometry.Quaternion{X: q.X, Y: q.Y, Z: q.Z, W: q.W}
}

// FromQuaternion returns the rotation of a quaternion of any length. All zero, which clients send when they leave the orientation
// out, means no rotation.
func FromQuaternion(m geometry.Quaternion) (geom.Quat, error) {
	q := geom.Quat{X: m.X, Y: m.Y, Z: m.Z, W: m.W}
	if !q.IsFinite() {
		return geom.IdentityQuat(), fmt.Errorf("orientation (%g, %g, %g, %g) %w", m.X, m.Y, m.Z, m.W, ErrNotFinite)
	}
	return q.Normalized(), nil
}

// Pose returns the pose of a child frame, which is the transform aTb, as a message.
func Pose(t geom.Transform) geometry.Pose {
	return geometry.Pose{Position: Point(t.T), Orientation: Quaternion(t.R)}
}

// FromPose returns the transform that a pose stands for.
func FromPose(m geometry.Pose) (geom.Transform, error) {
	return transform("position", FromPoint(m.Position), m.Orientation)
}

// Transform returns t as a message.
func Transform(t geom.Transform) geometry.Transform {
	return geometry.Transform{Translation: Vector3(t.T), Rotation: Quaternion(t.R)}
}

// FromTransform returns the transform of a message.
func FromTransform(m geometry.Transform) (geom.Transform, error) {
	return transform("translation", FromVector3(m.Translation), m.Rotation)
}

func transform(name string, v geom.Vec3, q geometry.Quaternion) (geom.Transform, error) {
	if !v.IsFinite() {
		return geom.IdentityTransform(), fmt.Errorf("%s (%g, %g, %g) %w", name, v.X, v.Y, v.Z, ErrNotFinite)
	}
	r, err := FromQuaternion(q)
	if err != nil {
		return geom.IdentityTransform(), err
	}
	return geom.Transform{T: v, R: r}, nil
}

// TransformStamped returns parentTchild, as it was at t, for /tf and /tf_static.
func TransformStamped(t time.Time, parent, child string, p geom.Transform) geometry.TransformStamped {
	return geometry.TransformStamped{Header: Header(t, parent), ChildFrameID: child, Transform: Transform(p)}
}

// Twist returns a planar velocity as a message.
func Twist(v geom.Velocity) geometry.Twist {
	return geometry.Twist{Linear: geometry.Vector3{X: v.VX, Y: v.VY}, Angular: geometry.Vector3{Z: v.WZ}}
}

// FromTwist returns the planar part of a velocity, unchecked: numbers that are not finite arrive as they are.
func FromTwist(m geometry.Twist) geom.Velocity {
	return geom.Velocity{VX: m.Linear.X, VY: m.Linear.Y, WZ: m.Angular.Z}
}

// Odometry returns the message that says: at t, child was at p in parent and moved at v, seen from itself. Covariances are zero,
// which in ROS means unknown.
func Odometry(t time.Time, parent, child string, p geom.Transform, v geom.Velocity) nav.Odometry {
	return nav.Odometry{
		Header: Header(t, parent), ChildFrameID: child,
		Pose:  geometry.PoseWithCovariance{Pose: Pose(p)},
		Twist: geometry.TwistWithCovariance{Twist: Twist(v)},
	}
}
