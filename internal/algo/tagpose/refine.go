package tagpose

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"sarathi/internal/geom"
)

const (
	steps     = 30
	converged = 1e-10 // of the step [m, rad]
	nearest   = 1e-3  // of a corner to the camera [m]
)

// pose is a rotation and a translation.
type pose struct {
	r matrix
	t geom.Vec3
}

// refine moves a pose to the least squares of the distances in the image, by Levenberg-Marquardt, and returns it with its covariance.
func refine(c Camera, corners Corners, size float64, at pose) (Solution, bool) {
	residual, jacobian, ok := linearize(c, corners, size, at)
	if !ok {
		return Solution{}, false
	}
	cost, lambda := mat.Dot(residual, residual), 1e-6
	for range steps {
		step, ok := descend(jacobian, residual, lambda)
		if !ok {
			return Solution{}, false
		}
		next := at.moved(step)
		r, j, ok := linearize(c, corners, size, next)
		if !ok || mat.Dot(r, r) > cost {
			if lambda *= 10; lambda > 1e6 {
				break
			}
			continue
		}
		at, residual, jacobian, cost, lambda = next, r, j, mat.Dot(r, r), lambda/10
		if mat.Norm(step, 2) < converged {
			break
		}
	}
	out := Solution{Pose: geom.Transform{T: at.t, R: quaternion(at.r)}, Error: math.Sqrt(cost / 4)}
	var normal, inverse mat.Dense
	normal.Mul(jacobian.T(), jacobian)
	if err := inverse.Inverse(&normal); err != nil {
		return Solution{}, false
	}
	for i := range 6 {
		for k := range 6 {
			out.Covariance[i][k] = (inverse.At(i, k) + inverse.At(k, i)) / 2
		}
	}
	return out, out.Pose.IsFinite()
}

// descend solves the damped normal equations.
func descend(jacobian *mat.Dense, residual *mat.VecDense, lambda float64) (*mat.VecDense, bool) {
	var normal mat.Dense
	normal.Mul(jacobian.T(), jacobian)
	for i := range 6 {
		normal.Set(i, i, normal.At(i, i)*(1+lambda))
	}
	var gradient, step mat.VecDense
	gradient.MulVec(jacobian.T(), residual)
	if err := step.SolveVec(&normal, &gradient); err != nil {
		return nil, false
	}
	step.ScaleVec(-1, &step)
	return &step, true
}

// linearize returns how far the projected corners are from the seen ones, and how that changes with a small translation and rotation of
// the tag about its centre; false when a corner is not ahead of the camera.
func linearize(c Camera, corners Corners, size float64, at pose) (residual *mat.VecDense, jacobian *mat.Dense, ok bool) {
	residual, jacobian = mat.NewVecDense(8, nil), mat.NewDense(8, 6, nil)
	for i, m := range model(size) {
		arm := apply(at.r, m)
		p := arm.Add(at.t)
		if !(p.Z > nearest) {
			return nil, nil, false
		}
		seen := c.Project(p)
		residual.SetVec(2*i, seen.X-corners[i].X)
		residual.SetVec(2*i+1, seen.Y-corners[i].Y)
		du := geom.Vec3{X: c.FX / p.Z, Z: -c.FX * p.X / (p.Z * p.Z)} // of the column by the point
		dv := geom.Vec3{Y: c.FY / p.Z, Z: -c.FY * p.Y / (p.Z * p.Z)} // of the row
		for k, d := range [2]geom.Vec3{du, dv} {
			turn := arm.Cross(d) // d · (w × arm) = w · (arm × d)
			jacobian.SetRow(2*i+k, []float64{d.X, d.Y, d.Z, turn.X, turn.Y, turn.Z})
		}
	}
	return residual, jacobian, true
}

// moved returns the pose after a small step: a translation and a rotation vector.
func (p pose) moved(step *mat.VecDense) pose {
	w := geom.Vec3{X: step.AtVec(3), Y: step.AtVec(4), Z: step.AtVec(5)}
	return pose{
		times(rodrigues(w), p.r),
		p.t.Add(geom.Vec3{X: step.AtVec(0), Y: step.AtVec(1), Z: step.AtVec(2)}),
	}
}

// rodrigues returns the rotation about w by its length.
func rodrigues(w geom.Vec3) matrix {
	angle := w.Norm()
	s, c := 1.0, 0.5 // sin(angle)/angle, (1 - cos(angle))/angle²
	if angle > 1e-6 {
		s, c = math.Sin(angle)/angle, (1-math.Cos(angle))/(angle*angle)
	}
	return matrix{
		{1 - c*(w.Y*w.Y+w.Z*w.Z), c*w.X*w.Y - s*w.Z, c*w.X*w.Z + s*w.Y},
		{c*w.X*w.Y + s*w.Z, 1 - c*(w.X*w.X+w.Z*w.Z), c*w.Y*w.Z - s*w.X},
		{c*w.X*w.Z - s*w.Y, c*w.Y*w.Z + s*w.X, 1 - c*(w.X*w.X+w.Y*w.Y)},
	}
}

// quaternion returns the same rotation, by the largest of its four parts.
func quaternion(r matrix) geom.Quat {
	trace := r[0][0] + r[1][1] + r[2][2]
	w, x, y, z := 1+trace, 1+2*r[0][0]-trace, 1+2*r[1][1]-trace, 1+2*r[2][2]-trace // four times their squares
	var q geom.Quat
	switch max(w, x, y, z) {
	case w:
		q = geom.Quat{W: w, X: r[2][1] - r[1][2], Y: r[0][2] - r[2][0], Z: r[1][0] - r[0][1]}
	case x:
		q = geom.Quat{W: r[2][1] - r[1][2], X: x, Y: r[0][1] + r[1][0], Z: r[0][2] + r[2][0]}
	case y:
		q = geom.Quat{W: r[0][2] - r[2][0], X: r[0][1] + r[1][0], Y: y, Z: r[1][2] + r[2][1]}
	default:
		q = geom.Quat{W: r[1][0] - r[0][1], X: r[0][2] + r[2][0], Y: r[1][2] + r[2][1], Z: z}
	}
	return q.Normalized()
}
