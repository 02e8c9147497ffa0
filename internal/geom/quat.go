package geom

import "math"

// Quat is a rotation in space as a unit quaternion, in the field order of ROS. The zero value means no rotation, as does
// anything that cannot be normalised; all methods return unit quaternions.
type Quat struct{ X, Y, Z, W float64 }

// IdentityQuat is the rotation by nothing, {0, 0, 0, 1}.
func IdentityQuat() Quat { return Quat{W: 1} }

// FromYaw is the rotation by yaw radians about z.
func FromYaw(yaw float64) Quat {
	s, c := math.Sincos(yaw / 2)
	return Quat{Z: s, W: c}
}

// FromRPY is the rotation by fixed-axis roll about x, then pitch about y, then yaw about z (the convention of URDF and tf2).
func FromRPY(roll, pitch, yaw float64) Quat {
	sr, cr := math.Sincos(roll / 2)
	sp, cp := math.Sincos(pitch / 2)
	sy, cy := math.Sincos(yaw / 2)
	return Quat{
		X: sr*cp*cy - cr*sp*sy,
		Y: cr*sp*cy + sr*cp*sy,
		Z: cr*cp*sy - sr*sp*cy,
		W: cr*cp*cy + sr*sp*sy,
	}
}

// Normalized scales q to unit length; zero, NaN and infinite quaternions give the identity.
func (q Quat) Normalized() Quat {
	// Dividing by the largest component first keeps the squares in range for very large and very small input.
	m := max(math.Abs(q.X), math.Abs(q.Y), math.Abs(q.Z), math.Abs(q.W))
	if m == 0 || !Finite(m) {
		return IdentityQuat()
	}
	q = Quat{q.X / m, q.Y / m, q.Z / m, q.W / m}
	n := math.Sqrt(q.dot(q))
	return Quat{q.X / n, q.Y / n, q.Z / n, q.W / n}
}

// Mul chains two rotations: q.Mul(r) rotates by r first, then by q.
func (q Quat) Mul(r Quat) Quat {
	q, r = q.orIdentity(), r.orIdentity()
	return Quat{
		X: q.W*r.X + q.X*r.W + q.Y*r.Z - q.Z*r.Y,
		Y: q.W*r.Y - q.X*r.Z + q.Y*r.W + q.Z*r.X,
		Z: q.W*r.Z + q.X*r.Y - q.Y*r.X + q.Z*r.W,
		W: q.W*r.W - q.X*r.X - q.Y*r.Y - q.Z*r.Z,
	}.Normalized()
}

// Inverse is the opposite rotation.
func (q Quat) Inverse() Quat {
	q = q.orIdentity()
	return Quat{-q.X, -q.Y, -q.Z, q.W}
}

// Rotate applies the rotation to v. q must be of unit length or zero.
func (q Quat) Rotate(v Vec3) Vec3 {
	u := Vec3{q.X, q.Y, q.Z}
	t := u.Cross(v).Scale(2)
	return v.Add(t.Scale(q.W)).Add(u.Cross(t))
}

// Yaw is the rotation about z of the roll-pitch-yaw decomposition, in (-π, π].
func (q Quat) Yaw() float64 {
	q = q.orIdentity()
	return math.Atan2(2*(q.W*q.Z+q.X*q.Y), 1-2*(q.Y*q.Y+q.Z*q.Z))
}

// RPY is the decomposition [FromRPY] composes. Pitch lies in [-π/2, π/2]; at its ends only yaw - roll (or + roll) is defined.
func (q Quat) RPY() (roll, pitch, yaw float64) {
	q = q.orIdentity()
	roll = math.Atan2(2*(q.W*q.X+q.Y*q.Z), 1-2*(q.X*q.X+q.Y*q.Y))
	pitch = math.Asin(min(max(2*(q.W*q.Y-q.Z*q.X), -1), 1))
	return roll, pitch, q.Yaw()
}

// Angle is the size of the rotation, in [0, π].
func (q Quat) Angle() float64 {
	q = q.orIdentity()
	return 2 * math.Atan2(math.Sqrt(q.X*q.X+q.Y*q.Y+q.Z*q.Z), math.Abs(q.W))
}

// Slerp is the rotation a fraction t of the shorter way from q to r, at constant angular speed.
func (q Quat) Slerp(r Quat, t float64) Quat {
	q, r = q.orIdentity(), r.orIdentity()
	d := q.dot(r)
	if d < 0 { // r and -r are the same rotation; take the nearer one
		r, d = Quat{-r.X, -r.Y, -r.Z, -r.W}, -d
	}
	a, b := 1-t, t
	if d < 1-1e-9 {
		th := math.Acos(d)
		s := math.Sin(th)
		a, b = math.Sin((1-t)*th)/s, math.Sin(t*th)/s
	}
	return Quat{
		a*q.X + b*r.X,
		a*q.Y + b*r.Y,
		a*q.Z + b*r.Z,
		a*q.W + b*r.W,
	}.Normalized()
}

// IsFinite reports whether no component is NaN or infinite.
func (q Quat) IsFinite() bool { return Finite(q.X, q.Y, q.Z, q.W) }

func (q Quat) dot(r Quat) float64 { return q.X*r.X + q.Y*r.Y + q.Z*r.Z + q.W*r.W }

func (q Quat) orIdentity() Quat {
	if q == (Quat{}) {
		return IdentityQuat()
	}
	return q
}
