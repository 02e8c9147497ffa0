package geom

import "math"

// Vec2 is a point or a direction in the plane [m].
type Vec2 struct{ X, Y float64 }

// Add is a + b.
func (a Vec2) Add(b Vec2) Vec2 { return Vec2{a.X + b.X, a.Y + b.Y} }

// Sub is a - b.
func (a Vec2) Sub(b Vec2) Vec2 { return Vec2{a.X - b.X, a.Y - b.Y} }

// Scale is s times a.
func (a Vec2) Scale(s float64) Vec2 { return Vec2{a.X * s, a.Y * s} }

// Dot is the scalar product.
func (a Vec2) Dot(b Vec2) float64 { return a.X*b.X + a.Y*b.Y }

// Cross is the z component of the cross product: positive when b points left of a.
func (a Vec2) Cross(b Vec2) float64 { return a.X*b.Y - a.Y*b.X }

// Norm is the length, for coordinates below 1e150: math.Hypot, which has no such limit, takes several times as long.
func (a Vec2) Norm() float64 { return math.Sqrt(a.X*a.X + a.Y*a.Y) }

// Distance is the length of b - a.
func (a Vec2) Distance(b Vec2) float64 { return b.Sub(a).Norm() }

// Angle is the direction of a, in (-π, π].
func (a Vec2) Angle() float64 { return math.Atan2(a.Y, a.X) }

// Rotate turns a by theta radians counter-clockwise.
func (a Vec2) Rotate(theta float64) Vec2 {
	s, c := math.Sincos(theta)
	return Vec2{c*a.X - s*a.Y, s*a.X + c*a.Y}
}

// Lerp is the point a fraction t of the way from a to b.
func (a Vec2) Lerp(b Vec2, t float64) Vec2 { return a.Add(b.Sub(a).Scale(t)) }

// IsFinite reports whether neither coordinate is NaN or infinite.
func (a Vec2) IsFinite() bool { return Finite(a.X, a.Y) }

// Vec3 is a point or a direction in space [m].
type Vec3 struct{ X, Y, Z float64 }

// Add is a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }

// Sub is a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

// Scale is s times a.
func (a Vec3) Scale(s float64) Vec3 { return Vec3{a.X * s, a.Y * s, a.Z * s} }

// Dot is the scalar product.
func (a Vec3) Dot(b Vec3) float64 { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }

// Cross is the cross product.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{a.Y*b.Z - a.Z*b.Y, a.Z*b.X - a.X*b.Z, a.X*b.Y - a.Y*b.X}
}

// Norm is the length.
func (a Vec3) Norm() float64 { return math.Sqrt(a.Dot(a)) }

// Lerp is the point a fraction t of the way from a to b.
func (a Vec3) Lerp(b Vec3, t float64) Vec3 { return a.Add(b.Sub(a).Scale(t)) }

// XY drops the height.
func (a Vec3) XY() Vec2 { return Vec2{a.X, a.Y} }

// IsFinite reports whether no coordinate is NaN or infinite.
func (a Vec3) IsFinite() bool { return Finite(a.X, a.Y, a.Z) }
