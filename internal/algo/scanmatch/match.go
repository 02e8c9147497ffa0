package scanmatch

import (
	"math"

	"sarathi/internal/geom"
)

// Information is the inverse of a covariance of a pose, row by row, over x, y [1/m²] and θ [1/rad²]. It is symmetric.
type Information = [9]float64

// Prior is what is known about a pose before matching, in the axes of the map. A zero information is no knowledge.
type Prior struct {
	Pose        geom.Pose2
	Information Information
}

// Tuning is how hits are weighed.
type Tuning struct {
	Sigma   float64 // [m] noise of a hit against the map
	Outlier float64 // [m] scale of the robust kernel: hits this far off count half
	Weight  float64 // of a hit, below 1 because neighbouring beams err together
	Point   float64 // of a hit on what is no wall (corners, poles), against one on a wall
}

// DefaultTuning fits lidars with an error of one to three centimetres.
func DefaultTuning() Tuning { return Tuning{Sigma: 0.03, Outlier: 0.13, Weight: 0.1, Point: 0.1} }

// Match is where a scan fits a map.
type Match struct {
	Pose        geom.Pose2
	Information Information // of the scan alone, in the axes of the map: the curvature of the response surface at Pose
	Inliers     float64     // part of the hits within two cells of a wall
	Mean        float64     // [m] mean distance of the hits from the walls, each at most the reach of the field
	Steps       int         // Gauss-Newton steps of both stages
}

const (
	coarseSteps = 12
	fineSteps   = 12
	maxStep     = 0.3 // [m] and
	maxTurn     = 0.2 // [rad] of one step

	coarseMove, coarseTurn = 2e-3, 5e-4 // [m], [rad] smaller steps end the first stage
	fineMove, fineTurn     = 2e-4, 2e-5 // and the second
)

// Refine moves start to where the scan fits the grid and the prior best. The first stage is Gauss-Newton on the interpolated distance field,
// which has a wide basin; the second one measures to the walls themselves: across them (point to line) with the mean of all hits in a cell and
// the normal of its neighbourhood, which has no error from the size of the cells. It converges to the nearest minimum: within some two
// decimetres and ten degrees, in the first place.
//
// Refine fills in normals of the grid that changed since they were last asked for, so a grid serves one goroutine at a time.
func Refine(g *Grid, s *Scan, prior *Prior, start geom.Pose2, t *Tuning) Match {
	pose, coarse := problem{g, s, prior, t, false}.descend(start, coarseSteps, coarseMove, coarseTurn)
	pose, fine := problem{g, s, prior, t, true}.descend(pose, fineSteps, fineMove, fineTurn)
	return match(g, s, pose, t, coarse+fine)
}

// Evaluate is the match at a pose, without moving it.
func Evaluate(g *Grid, s *Scan, pose geom.Pose2, t *Tuning) Match { return match(g, s, pose, t, 0) }

func match(g *Grid, s *Scan, pose geom.Pose2, t *Tuning, steps int) Match {
	var n normal
	n.walls(g, s, pose, t)
	m := Match{Pose: pose, Information: n.h, Steps: steps}
	if hits := float64(len(s.Hits)); hits > 0 {
		m.Inliers, m.Mean = float64(n.inliers)/hits, n.distance/hits
	}
	return m
}

// normal is the normal equation of one step, H·δ = -b, and what it costs to be here.
type normal struct {
	h        Information
	b        [3]float64
	cost     float64
	inliers  int
	distance float64 // sum over the hits
}

// problem is what a stage of Refine minimises.
type problem struct {
	g      *Grid
	s      *Scan
	prior  *Prior
	t      *Tuning
	second bool // stage: by walls, not by the field
}

// at fills in the normal equation at a pose.
func (p *problem) at(pose geom.Pose2, n *normal) {
	*n = normal{}
	if p.second {
		n.walls(p.g, p.s, pose, p.t)
	} else {
		n.field(p.g, p.s, pose, p.t)
	}
	n.add(p.prior, pose)
}

// descend is Gauss-Newton with Levenberg's damping when a step does not help. Steps smaller than move [m] and turn [rad] end it.
func (p problem) descend(pose geom.Pose2, steps int, move, turn float64) (geom.Pose2, int) {
	var (
		best, next normal
		damping    float64
	)
	p.at(pose, &best)
	for i := range steps {
		d, ok := best.solve(damping)
		if !ok {
			return pose, i
		}
		to := geom.Pose2{X: pose.X + d[0], Y: pose.Y + d[1], Theta: geom.NormalizeAngle(pose.Theta + d[2])}
		p.at(to, &next)
		small := math.Hypot(d[0], d[1]) < move && math.Abs(d[2]) < turn
		if next.cost < best.cost {
			pose, best, damping = to, next, damping/4
		} else {
			damping = max(damping*8, 0.05)
		}
		if small || damping > 100 {
			return pose, i + 1
		}
	}
	return pose, steps
}

// field measures hits by the interpolated distance field.
func (n *normal) field(g *Grid, s *Scan, pose geom.Pose2, t *Tuning) {
	sin, cos := math.Sincos(pose.Theta)
	unit, c2 := t.Weight/(t.Sigma*t.Sigma), t.Outlier*t.Outlier
	for _, p := range s.Hits {
		rx, ry := cos*p.X-sin*p.Y, sin*p.X+cos*p.Y
		d, grad, far := g.Distance(geom.Vec2{X: pose.X + rx, Y: pose.Y + ry})
		q := c2 / (c2 + d*d)
		n.cost += unit * d * d * q
		if !far {
			n.line(grad.X, grad.Y, grad.Y*rx-grad.X*ry, d, unit*q*q)
		}
	}
	n.mirror()
}

// walls measures hits to the nearest occupied cell: across the wall where it is one, else to the mean of its hits.
func (n *normal) walls(g *Grid, s *Scan, pose geom.Pose2, t *Tuning) {
	sin, cos := math.Sincos(pose.Theta)
	unit, c2, limit := t.Weight/(t.Sigma*t.Sigma), t.Outlier*t.Outlier, g.Reach()
	lost := unit * c2 * limit * limit / (c2 + limit*limit)
	for _, p := range s.Hits {
		rx, ry := cos*p.X-sin*p.Y, sin*p.X+cos*p.Y
		w, ex, ey := g.wall((pose.X+rx)*g.inv, (pose.Y+ry)*g.inv)
		if w == nil {
			n.distance += limit
			n.cost += lost
			continue
		}
		var d float64
		if w.state&planar != 0 {
			nx, ny := float64(w.nx), float64(w.ny)
			d = ex*nx + ey*ny
			q := c2 / (c2 + d*d)
			n.cost += unit * d * d * q
			n.line(nx, ny, ny*rx-nx*ry, d, unit*q*q)
			d = math.Abs(d)
		} else {
			d2 := ex*ex + ey*ey
			q := c2 / (c2 + d2)
			n.cost += t.Point * unit * d2 * q
			n.point(rx, ry, ex, ey, t.Point*unit*q*q)
			d = math.Sqrt(d2)
		}
		n.distance += d
		if d < 2*g.res {
			n.inliers++
		}
	}
	n.mirror()
}

// line adds a residual d with the Jacobian (x, y, θ).
func (n *normal) line(x, y, th, d, w float64) {
	wx, wy, wt := w*x, w*y, w*th
	n.h[0] += wx * x
	n.h[1] += wx * y
	n.h[2] += wx * th
	n.h[4] += wy * y
	n.h[5] += wy * th
	n.h[8] += wt * th
	n.b[0] += wx * d
	n.b[1] += wy * d
	n.b[2] += wt * d
}

// point adds the residuals (ex, ey) of a hit that lies at (rx, ry) from the base.
func (n *normal) point(rx, ry, ex, ey, w float64) {
	n.h[0] += w
	n.h[2] -= w * ry
	n.h[4] += w
	n.h[5] += w * rx
	n.h[8] += w * (rx*rx + ry*ry)
	n.b[0] += w * ex
	n.b[1] += w * ey
	n.b[2] += w * (ey*rx - ex*ry)
}

func (n *normal) mirror() { n.h[3], n.h[6], n.h[7] = n.h[1], n.h[2], n.h[5] }

// add adds the prior to the equation at pose.
func (n *normal) add(p *Prior, pose geom.Pose2) {
	e := [3]float64{pose.X - p.Pose.X, pose.Y - p.Pose.Y, geom.AngleDiff(pose.Theta, p.Pose.Theta)}
	for i := range 3 {
		v := 0.0
		for j := range 3 {
			n.h[i*3+j] += p.Information[i*3+j]
			v += p.Information[i*3+j] * e[j]
		}
		n.b[i] += v
		n.cost += v * e[i]
	}
}

// solve gives the step, bounded to where the linearisation means something.
func (n *normal) solve(damping float64) ([3]float64, bool) {
	h := n.h
	for i := range 3 {
		h[4*i] += damping*h[4*i] + 1e-9
	}
	inv, ok := Invert(&h)
	if !ok {
		return [3]float64{}, false
	}
	var d [3]float64
	for i := range 3 {
		d[i] = -(inv[3*i]*n.b[0] + inv[3*i+1]*n.b[1] + inv[3*i+2]*n.b[2])
	}
	if l := math.Hypot(d[0], d[1]); l > maxStep {
		d[0], d[1] = d[0]*maxStep/l, d[1]*maxStep/l
	}
	d[2] = min(max(d[2], -maxTurn), maxTurn)
	return d, true
}

// Invert inverts a symmetric positive definite matrix: an information to a covariance and back. It is false where that does not exist.
func Invert(m *Information) (Information, bool) {
	a, b, c, d, e, f := m[0], m[1], m[2], m[4], m[5], m[8]
	c00, c01, c02 := d*f-e*e, c*e-b*f, b*e-c*d
	det := a*c00 + b*c01 + c*c02
	if !(det > 0) || math.IsInf(1/det, 0) {
		return Information{}, false
	}
	k := 1 / det
	i01, i02, i12 := c01*k, c02*k, (b*c-a*e)*k
	return Information{c00 * k, i01, i02, i01, (a*f - c*c) * k, i12, i02, i12, (a*d - b*b) * k}, true
}
