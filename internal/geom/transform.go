package geom

// Transform is an element of SE(3): a translation [m] and a rotation. As `aTb` it maps coordinates of frame b into frame a.
// The zero value is the identity.
type Transform struct {
	T Vec3
	R Quat
}

// IdentityTransform is the transform that changes nothing, with an explicit unit quaternion.
func IdentityTransform() Transform { return Transform{R: IdentityQuat()} }

// Mul chains two transforms: aTc = aTb.Mul(bTc).
func (a Transform) Mul(b Transform) Transform { return Transform{a.Apply(b.T), a.R.Mul(b.R)} }

// Inverse turns aTb into bTa.
func (a Transform) Inverse() Transform {
	r := a.R.Inverse()
	return Transform{r.Rotate(a.T).Scale(-1), r}
}

// Apply maps a point from the child frame into the parent frame.
func (a Transform) Apply(v Vec3) Vec3 { return a.R.Rotate(v).Add(a.T) }

// Interpolate is the transform a fraction t of the way from a to b: straight in position, at constant rate in rotation.
func (a Transform) Interpolate(b Transform, t float64) Transform {
	return Transform{a.T.Lerp(b.T, t), a.R.Slerp(b.R, t)}
}

// Pose2 is the planar part: x, y and yaw.
func (a Transform) Pose2() Pose2 { return Pose2{a.T.X, a.T.Y, a.R.Yaw()} }

// IsFinite reports whether no component is NaN or infinite.
func (a Transform) IsFinite() bool { return a.T.IsFinite() && a.R.IsFinite() }
