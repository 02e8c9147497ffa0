package geom

import "math"

// Velocity is a planar twist in the body frame: VX forward [m/s], VY left [m/s], WZ counter-clockwise [rad/s].
// The zero value is standing still.
type Velocity struct{ VX, VY, WZ float64 }

// IsFinite reports whether no component is NaN or infinite.
func (v Velocity) IsFinite() bool { return Finite(v.VX, v.VY, v.WZ) }

// Scale is s times v.
func (v Velocity) Scale(s float64) Velocity { return Velocity{v.VX * s, v.VY * s, v.WZ * s} }

// Add is v + u.
func (v Velocity) Add(u Velocity) Velocity { return Velocity{v.VX + u.VX, v.VY + u.VY, v.WZ + u.WZ} }

// Sub is v - u.
func (v Velocity) Sub(u Velocity) Velocity { return Velocity{v.VX - u.VX, v.VY - u.VY, v.WZ - u.WZ} }

// Speed is the length of the linear part [m/s].
func (v Velocity) Speed() float64 { return math.Hypot(v.VX, v.VY) }

// IsZero reports whether every component is exactly zero.
func (v Velocity) IsZero() bool { return v == Velocity{} }

// Clamp limits each component to ±limit of the same component; limits are not negative. NaN stays NaN.
func (v Velocity) Clamp(limit Velocity) Velocity {
	return Velocity{
		VX: min(max(v.VX, -limit.VX), limit.VX),
		VY: min(max(v.VY, -limit.VY), limit.VY),
		WZ: min(max(v.WZ, -limit.WZ), limit.WZ),
	}
}

// Integrate is the pose increment after holding v for dt seconds: the exponential map of SE(2), exact for an arc.
// The pose of a body after the motion is pose.Mul(v.Integrate(dt)).
func (v Velocity) Integrate(dt float64) Pose2 {
	th := v.WZ * dt
	// s = sin θ/θ and c = (1-cos θ)/θ, the latter through the half angle, which does not cancel; both by series near zero.
	s, c := 1-th*th/6, th/2
	if math.Abs(th) > 1e-4 {
		h := math.Sin(th / 2)
		s, c = math.Sin(th)/th, 2*h*h/th
	}
	return Pose2{(v.VX*s - v.VY*c) * dt, (v.VX*c + v.VY*s) * dt, NormalizeAngle(th)}
}

// At is the velocity of a point fixed to the body, offset from its origin by p [m], in body axes.
func (v Velocity) At(p Vec2) Vec2 { return Vec2{v.VX - v.WZ*p.Y, v.VY + v.WZ*p.X} }
