package tagpose

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"sarathi/internal/geom"
)

// Camera is an ideal pinhole camera: a point (x, y, z) of the optical frame, x right, y down, z ahead [m], is seen at
// (CX + FX x/z, CY + FY y/z) [px].
type Camera struct{ FX, FY, CX, CY float64 }

// Project returns where a point of the optical frame is seen [px]. Points that are not ahead have no meaning.
func (c Camera) Project(p geom.Vec3) geom.Vec2 {
	return geom.Vec2{X: c.CX + c.FX*p.X/p.Z, Y: c.CY + c.FY*p.Y/p.Z}
}

// Corners are the corners of a tag in the image [px], counter-clockwise as one looks at the tag, from its lower left one.
type Corners [4]geom.Vec2

// A Solution is a pose of the tag in the optical frame of the camera: x right, y down, z into the tag.
type Solution struct {
	Pose geom.Transform // [m]
	// Error is the root mean square distance between the corners and where this pose puts them [px].
	Error float64
	// Covariance of the pose for corners that are wrong by 1 px (one standard deviation, independent), row by row: translation [m] and then
	// rotation [rad], both in the optical frame about the centre of the tag. It grows with the square of the corners' deviation.
	Covariance [6][6]float64
}

// Errors of [Solve].
var (
	ErrSize    = errors.New("the tag has no positive size")
	ErrCamera  = errors.New("the camera has no positive focal length")
	ErrCorners = errors.New("the corners are no convex quadrangle that is seen from its front")
)

// Solve returns both poses of a tag with edges of the given length [m], the better one first. The second is equal to the first when the
// tag is seen exactly from the front.
func Solve(c Camera, corners Corners, size float64) ([2]Solution, error) {
	switch {
	case !(size > 0) || math.IsInf(size, 1):
		return [2]Solution{}, ErrSize
	case !(c.FX > 0 && c.FY > 0) || !geom.Finite(c.FX, c.FY, c.CX, c.CY):
		return [2]Solution{}, ErrCamera
	case !seenFromTheFront(corners):
		return [2]Solution{}, ErrCorners
	}
	var image Corners // on the plane z = 1
	for i, p := range corners {
		image[i] = geom.Vec2{X: (p.X - c.CX) / c.FX, Y: (p.Y - c.CY) / c.FY}
	}
	h, ok := homography(image, size)
	if !ok {
		return [2]Solution{}, ErrCorners
	}
	rotations, ok := rotations(h)
	if !ok {
		return [2]Solution{}, ErrCorners
	}
	var out [2]Solution
	for i, r := range rotations {
		start := pose{r, translation(r, image, size)}
		if out[i], ok = refine(c, corners, size, start); !ok {
			return [2]Solution{}, ErrCorners
		}
	}
	if out[1].Error < out[0].Error {
		out[0], out[1] = out[1], out[0]
	}
	return out, nil
}

// model returns the corners in the frame of the tag, in the order of [Corners].
func model(size float64) [4]geom.Vec2 {
	s := size / 2
	return [4]geom.Vec2{{X: -s, Y: s}, {X: s, Y: s}, {X: s, Y: -s}, {X: -s, Y: -s}}
}

// seenFromTheFront reports whether the corners run as they must, with some area. In the image y points down.
func seenFromTheFront(corners Corners) bool {
	const least = 1e-9 // px²
	for i, p := range corners {
		a, b := corners[(i+1)%4].Sub(p), corners[(i+2)%4].Sub(p)
		if !p.IsFinite() || !(a.Cross(b) < -least) {
			return false
		}
	}
	return true
}

type matrix = [3][3]float64

// homography maps the plane of the tag to the plane z = 1 of the camera, with 1 in its last place.
func homography(image Corners, size float64) (h matrix, ok bool) {
	a, b := mat.NewDense(8, 8, nil), mat.NewVecDense(8, nil)
	for i, m := range model(size) {
		u, v := image[i].X, image[i].Y
		a.SetRow(2*i, []float64{m.X, m.Y, 1, 0, 0, 0, -u * m.X, -u * m.Y})
		a.SetRow(2*i+1, []float64{0, 0, 0, m.X, m.Y, 1, -v * m.X, -v * m.Y})
		b.SetVec(2*i, u)
		b.SetVec(2*i+1, v)
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return h, false
	}
	return matrix{{x.AtVec(0), x.AtVec(1), x.AtVec(2)}, {x.AtVec(3), x.AtVec(4), x.AtVec(5)}, {x.AtVec(6), x.AtVec(7), 1}}, true
}

// rotations returns the two rotations that have the homography's first derivative at the centre of the tag.
func rotations(h matrix) (out [2]matrix, ok bool) {
	p, q := h[0][2], h[1][2] // the centre in the image
	j := [2][2]float64{{h[0][0] - h[2][0]*p, h[0][1] - h[2][1]*p}, {h[1][0] - h[2][0]*q, h[1][1] - h[2][1]*q}}
	v := towards(p, q)
	b := [2][2]float64{{v[0][0] - p*v[2][0], v[0][1] - p*v[2][1]}, {v[1][0] - q*v[2][0], v[1][1] - q*v[2][1]}}
	det := b[0][0]*b[1][1] - b[0][1]*b[1][0]
	var a [2][2]float64 // b⁻¹ j
	for k := range 2 {
		a[0][k] = (b[1][1]*j[0][k] - b[0][1]*j[1][k]) / det
		a[1][k] = (b[0][0]*j[1][k] - b[1][0]*j[0][k]) / det
	}
	// The larger singular value of a is the inverse of the distance.
	sum := a[0][0]*a[0][0] + a[0][1]*a[0][1] + a[1][0]*a[1][0] + a[1][1]*a[1][1]
	area := a[0][0]*a[1][1] - a[0][1]*a[1][0]
	gamma := math.Sqrt((sum + math.Sqrt(max(0, sum*sum-4*area*area))) / 2)
	if !(gamma > 0) || math.IsInf(gamma, 1) || !(area > 0) {
		return out, false
	}
	for i := range a {
		for k := range a[i] {
			a[i][k] /= gamma
		}
	}
	x := math.Sqrt(max(0, 1-a[0][0]*a[0][0]-a[1][0]*a[1][0]))
	y := math.Sqrt(max(0, 1-a[0][1]*a[0][1]-a[1][1]*a[1][1]))
	if a[0][0]*a[0][1]+a[1][0]*a[1][1] > 0 {
		y = -y
	}
	for i, sign := range [2]float64{1, -1} {
		first := geom.Vec3{X: a[0][0], Y: a[1][0], Z: sign * x}
		second := geom.Vec3{X: a[0][1], Y: a[1][1], Z: sign * y}
		out[i] = times(v, columns(first, second, first.Cross(second)))
	}
	return out, true
}

// towards returns the rotation that turns the line of sight to the direction (p, q, 1) on the shortest way.
func towards(p, q float64) matrix {
	n := math.Sqrt(p*p + q*q + 1)
	x, y, z := p/n, q/n, 1/n
	k := 1 / (1 + z)
	return matrix{{1 - k*x*x, -k * x * y, x}, {-k * x * y, 1 - k*y*y, y}, {-x, -y, z}}
}

// translation returns the place of the tag that suits a rotation best, in the sense of linear least squares.
func translation(r matrix, image Corners, size float64) geom.Vec3 {
	a, b := mat.NewDense(8, 3, nil), mat.NewVecDense(8, nil)
	for i, m := range model(size) {
		p := apply(r, m)
		u, v := image[i].X, image[i].Y
		a.SetRow(2*i, []float64{1, 0, -u})
		a.SetRow(2*i+1, []float64{0, 1, -v})
		b.SetVec(2*i, u*p.Z-p.X)
		b.SetVec(2*i+1, v*p.Z-p.Y)
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil { // four points in the image that are not the same: cannot be
		return geom.Vec3{Z: 1}
	}
	return geom.Vec3{X: x.AtVec(0), Y: x.AtVec(1), Z: x.AtVec(2)}
}

func apply(r matrix, m geom.Vec2) geom.Vec3 {
	return geom.Vec3{X: r[0][0]*m.X + r[0][1]*m.Y, Y: r[1][0]*m.X + r[1][1]*m.Y, Z: r[2][0]*m.X + r[2][1]*m.Y}
}

func columns(a, b, c geom.Vec3) matrix {
	return matrix{{a.X, b.X, c.X}, {a.Y, b.Y, c.Y}, {a.Z, b.Z, c.Z}}
}

func times(a, b matrix) (c matrix) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}
