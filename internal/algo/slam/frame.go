package slam

import (
	"math"

	"sarathi/internal/algo/posegraph"
	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/geom"
)

// Sample is the pose of the robot at a time [s].
type Sample struct {
	Time float64
	Pose geom.Pose2
}

// keyframe is a scan that is a node of the graph. What it holds never changes, so both ends of the engine may read it.
type keyframe struct {
	time     float64
	scan     scanmatch.Scan
	step     geom.Pose2       // from the keyframe before, by the front end
	stepInfo posegraph.Matrix // of step, in the axes of the keyframe before
	travel   float64          // [m] of the way up to here
}

// hung is a scan that is no keyframe: it hangs between two.
type hung struct {
	time float64
	base int        // keyframe before it
	rel  geom.Pose2 // seen from that
}

// rotate turns the information of a pose in the axes of the map into those of a frame with heading theta, or back with -theta.
func rotate(m *scanmatch.Information, theta float64) scanmatch.Information {
	s, c := math.Sincos(theta)
	// R·M·Rᵀ with R the rotation by -theta of the position
	a, b, d := m[0], m[1], m[4]
	x, y := c*m[2]+s*m[5], -s*m[2]+c*m[5]
	p := c*c*a + 2*s*c*b + s*s*d
	q := -s*c*a + (c*c-s*s)*b + s*c*d
	r := s*s*a - 2*s*c*b + c*c*d
	return scanmatch.Information{p, q, x, q, r, y, x, y, m[8]}
}

// soften limits an information to what errors that are not in the matcher's model allow: it adds sigma's variance to the covariance.
func soften(m *scanmatch.Information, s Sigma) posegraph.Matrix {
	loose := *m
	for i, v := range [3]float64{looseTranslation, looseTranslation, looseRotation} {
		loose[4*i] += 1 / (v * v) // a direction in which nothing was measured
	}
	cov, ok := scanmatch.Invert(&loose)
	if !ok {
		return posegraph.Diagonal(looseTranslation, looseTranslation, looseRotation)
	}
	cov[0] += s.Translation * s.Translation
	cov[4] += s.Translation * s.Translation
	cov[8] += s.Rotation * s.Rotation
	info, ok := scanmatch.Invert(&cov)
	if !ok {
		return posegraph.Diagonal(looseTranslation, looseTranslation, looseRotation)
	}
	return info
}

const (
	looseTranslation = 10 // [m]
	looseRotation    = 1  // [rad]
)

// size is the length of a motion [m] and its turn [rad].
func size(p geom.Pose2) (distance, angle float64) {
	return math.Hypot(p.X, p.Y), math.Abs(geom.NormalizeAngle(p.Theta))
}

// over reports whether a motion is more than a step.
func (s Step) over(p geom.Pose2) bool {
	d, a := size(p)
	return d > s.Translation || a > s.Rotation
}
