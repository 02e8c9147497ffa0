package ekf

import (
	"fmt"
	"math"

	"sarathi/internal/geom"
)

// turnGate is the squared Mahalanobis distance beyond which odometry's turn is no word on the gyro's: a wheel spins, or the robot is
// lifted. It is wide, since it is asked a hundred times a second.
const turnGate = 25

// compareTurns updates the state with what odometry says about the turn that the gyro measured.
func (s *state) compareTurns(m *motion, c *Config, d, turn, turnVar float64, g *vec) {
	nu := geom.AngleDiff(m.odo.Theta, turn)
	// How strongly slip and noise work on odometry's turn is taken from a moment ago: what the sensors say now has the noise that ν
	// has, and a gain that depends on it pulls to one side.
	before := s.wz * m.dt
	h := vec{ibias: -m.dt, islip: before}
	var ph vec
	for i := range dim {
		ph[i] = s.p[i][ibias]*h[ibias] + s.p[i][islip]*h[islip]
	}
	r := turnVar + c.odoTurnVariance(m, d, math.Abs(before))
	// The error of the prediction holds -g·n and ν holds -n, the same noise n of the gyro.
	var cross, k vec
	for i := range 3 {
		cross[i] = g[i] * turnVar
	}
	v := h[ibias]*ph[ibias] + h[islip]*ph[islip] + r // H·C is zero
	if !(v > 0) || nu*nu > turnGate*v {
		return
	}
	for i := range dim {
		k[i] = (ph[i] + cross[i]) / v
	}
	for i := range dim {
		s.x[i] += k[i] * nu
	}
	s.bound()
	// Joseph's form for any gain and correlated noise, multiplied out for one measurement:
	// P - K(PHᵀ+C)ᵀ - (PHᵀ+C)Kᵀ + K·S·Kᵀ.
	for i := range dim {
		for j := range dim {
			s.p[i][j] += k[i]*k[j]*v - k[i]*(ph[j]+cross[j]) - (ph[i]+cross[i])*k[j]
		}
	}
	s.symmetrise()
}

// Verdict is what became of an input.
type Verdict uint8

// Verdicts.
const (
	// Used: it is part of the estimate.
	Used Verdict = iota
	// Refused: an absolute pose contradicts the estimate.
	Refused
	// Adopted: an absolute pose contradicts the estimate, like several before it, and the filter moved there.
	Adopted
	// TooLate: it is older than what is kept.
	TooLate
	// TooEarly: it is far ahead of everything else.
	TooEarly
	// Malformed: not finite, beyond what the sensor can measure, or a covariance that is none.
	Malformed
	// Repeated: an input of the same kind and stamp was there before.
	Repeated

	verdicts = iota
)

// Verdicts are all there are, in order.
func Verdicts() []Verdict {
	return []Verdict{Used, Refused, Adopted, TooLate, TooEarly, Malformed, Repeated}
}

// String is one word for a key, such as used or too_late.
func (v Verdict) String() string {
	if names := [verdicts]string{"used", "refused", "adopted", "too_late", "too_early", "malformed", "repeated"}; v < verdicts {
		return names[v]
	}
	return fmt.Sprintf("verdict(%d)", uint8(v))
}

// correction is an absolute pose with its covariance.
type correction struct {
	pose geom.Pose2
	r    [3][3]float64
}

// correct updates the state with an absolute pose, and returns what became of it and its squared Mahalanobis distance.
func (s *state) correct(z *correction, c *Config) (Verdict, float64) {
	nu := [3]float64{z.pose.X - s.x[ix], z.pose.Y - s.x[iy], geom.AngleDiff(z.pose.Theta, s.x[itheta])}
	var in [3][3]float64
	for i := range 3 {
		for j := range 3 {
			in[i][j] = s.p[i][j] + z.r[i][j]
		}
	}
	inv, ok := invert(&in)
	if !ok {
		return Malformed, math.Inf(1)
	}
	d2 := quadratic(&inv, &nu)
	if !(d2 <= c.Gate) {
		return s.doubt(z, c), d2
	}
	s.refused = 0
	var k [dim][3]float64
	for i := range dim {
		for j := range 3 {
			k[i][j] = s.p[i][0]*inv[0][j] + s.p[i][1]*inv[1][j] + s.p[i][2]*inv[2][j]
		}
	}
	for i := range dim {
		s.x[i] += k[i][0]*nu[0] + k[i][1]*nu[1] + k[i][2]*nu[2]
	}
	s.bound()
	s.joseph(&k, &z.r)
	return Used, d2
}

// joseph is P ← (1-KH)P(1-KH)ᵀ + KRKᵀ with H = [1 0]: for any gain, symmetric and never negative.
func (s *state) joseph(k *[dim][3]float64, r *[3][3]float64) {
	var a, ap, p sym
	for i := range dim {
		a[i][i] = 1
		for j := range 3 {
			a[i][j] -= k[i][j]
		}
	}
	for i := range dim {
		for j := range dim {
			for l := range dim {
				ap[i][j] += a[i][l] * s.p[l][j]
			}
		}
	}
	for i := range dim {
		for j := range i + 1 {
			v := 0.0
			for l := range dim {
				v += ap[i][l] * a[j][l]
			}
			for l := range 3 {
				v += k[i][l] * (r[l][0]*k[j][0] + r[l][1]*k[j][1] + r[l][2]*k[j][2])
			}
			p[i][j], p[j][i] = v, v
		}
	}
	s.p = p
}

// doubt decides about an absolute pose that contradicts the estimate.
func (s *state) doubt(z *correction, c *Config) Verdict {
	here := s.pose()
	if s.refused > 0 {
		// Where this one would be if it erred like the last.
		want := s.offset.Mul(here)
		nu := [3]float64{z.pose.X - want.X, z.pose.Y - want.Y, geom.AngleDiff(z.pose.Theta, want.Theta)}
		var in [3][3]float64
		for i := range 3 {
			for j := range 3 {
				in[i][j] = 2 * z.r[i][j]
			}
		}
		in[0][0] += agreement * agreement
		in[1][1] += agreement * agreement
		in[2][2] += agreement * agreement
		if inv, ok := invert(&in); !ok || quadratic(&inv, &nu) > c.Gate {
			s.refused = 0
		}
	}
	s.offset = z.pose.Mul(here.Inverse())
	s.refused++
	if s.refused < c.Patience {
		return Refused
	}
	s.refused = 0
	s.x[ix], s.x[iy], s.x[itheta] = z.pose.X, z.pose.Y, geom.NormalizeAngle(z.pose.Theta)
	for i := range 3 {
		for j := range dim {
			s.p[i][j], s.p[j][i] = 0, 0
		}
	}
	for i := range 3 {
		for j := range 3 {
			s.p[i][j] = z.r[i][j]
		}
	}
	return Adopted
}

// agreement is by how much two refused poses may differ beyond their noise, for the drift between them [m, rad].
const agreement = 0.05

func (s *state) pose() geom.Pose2 { return geom.Pose2{X: s.x[ix], Y: s.x[iy], Theta: s.x[itheta]} }

// invert is the inverse of a symmetric positive definite matrix, and whether it was one.
func invert(m *[3][3]float64) (inv [3][3]float64, ok bool) {
	a, b, c, d, e, f := m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]
	co0, co1, co2 := d*f-e*e, c*e-b*f, b*e-c*d
	det := a*co0 + b*co1 + c*co2
	if !(a > 0 && a*d-b*b > 0 && det > 0) || math.IsInf(det, 0) {
		return inv, false
	}
	i01, i02, i12 := co1/det, co2/det, (b*c-a*e)/det
	return [3][3]float64{{co0 / det, i01, i02}, {i01, (a*f - c*c) / det, i12}, {i02, i12, (a*d - b*b) / det}}, true
}

func quadratic(m *[3][3]float64, v *[3]float64) float64 {
	q := 0.0
	for i := range 3 {
		q += v[i] * (m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2])
	}
	return q
}
