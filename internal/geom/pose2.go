package geom

import "math"

// Pose2 is an element of SE(2): a position [m] and a heading [rad]. As `aTb` it maps coordinates of frame b into frame a.
// The zero value is the identity. Theta is not normalised by construction; every method here returns it in (-π, π].
type Pose2 struct{ X, Y, Theta float64 }

// Mul chains two poses: aTc = aTb.Mul(bTc).
func (p Pose2) Mul(q Pose2) Pose2 {
	t := p.Apply(Vec2{q.X, q.Y})
	return Pose2{t.X, t.Y, NormalizeAngle(p.Theta + q.Theta)}
}

// Inverse turns aTb into bTa.
func (p Pose2) Inverse() Pose2 {
	t := Vec2{-p.X, -p.Y}.Rotate(-p.Theta)
	return Pose2{t.X, t.Y, NormalizeAngle(-p.Theta)}
}

// Between is q seen from p: p.Mul(p.Between(q)) = q.
func (p Pose2) Between(q Pose2) Pose2 { return p.Inverse().Mul(q) }

// Apply maps a point from the child frame into the parent frame.
func (p Pose2) Apply(v Vec2) Vec2 { return v.Rotate(p.Theta).Add(Vec2{p.X, p.Y}) }

// Position is the translation part.
func (p Pose2) Position() Vec2 { return Vec2{p.X, p.Y} }

// Interpolate is the pose a fraction t of the way from p to q: straight in position, the shorter way round in heading.
func (p Pose2) Interpolate(q Pose2, t float64) Pose2 {
	v := p.Position().Lerp(q.Position(), t)
	return Pose2{v.X, v.Y, NormalizeAngle(p.Theta + t*AngleDiff(q.Theta, p.Theta))}
}

// Log is the inverse of [Velocity.Integrate]: the constant body velocity that leads from the identity to p in one second.
func (p Pose2) Log() Velocity {
	th := NormalizeAngle(p.Theta)
	// The inverse of the left Jacobian is [[a, b], [-b, a]] with a = (θ/2)·cot(θ/2), b = θ/2.
	a, b := 1-th*th/12, th/2
	if math.Abs(th) > 1e-4 {
		a = b / math.Tan(b)
	}
	return Velocity{a*p.X + b*p.Y, a*p.Y - b*p.X, th}
}

// Transform lifts the pose into space: z, roll and pitch are zero.
func (p Pose2) Transform() Transform { return Transform{Vec3{p.X, p.Y, 0}, FromYaw(p.Theta)} }

// IsFinite reports whether no component is NaN or infinite.
func (p Pose2) IsFinite() bool { return Finite(p.X, p.Y, p.Theta) }
