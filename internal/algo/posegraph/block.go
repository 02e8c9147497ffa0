package posegraph

import "math"

// mat3 is a 3×3 matrix, row by row.
type mat3 [9]float64

// vec3 is x, y, θ of a node.
type vec3 [3]float64

func identity3() mat3 { return mat3{1, 0, 0, 0, 1, 0, 0, 0, 1} }

func (m *mat3) transpose() mat3 {
	return mat3{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}
}

func (m *mat3) mul(b *mat3) mat3 {
	return mat3{
		m[0]*b[0] + m[1]*b[3] + m[2]*b[6], m[0]*b[1] + m[1]*b[4] + m[2]*b[7], m[0]*b[2] + m[1]*b[5] + m[2]*b[8],
		m[3]*b[0] + m[4]*b[3] + m[5]*b[6], m[3]*b[1] + m[4]*b[4] + m[5]*b[7], m[3]*b[2] + m[4]*b[5] + m[5]*b[8],
		m[6]*b[0] + m[7]*b[3] + m[8]*b[6], m[6]*b[1] + m[7]*b[4] + m[8]*b[7], m[6]*b[2] + m[7]*b[5] + m[8]*b[8],
	}
}

// tmul is mᵀ·b.
func (m *mat3) tmul(b *mat3) mat3 {
	t := m.transpose()
	return t.mul(b)
}

func (m *mat3) add(b *mat3) {
	for i, v := range b {
		m[i] += v
	}
}

// sandwich is j·m·jᵀ.
func (m *mat3) sandwich(j *mat3) mat3 {
	ja, jt := j.mul(m), j.transpose()
	return ja.mul(&jt)
}

// subMulT takes a·bᵀ from m.
func (m *mat3) subMulT(a, b *mat3) {
	m[0] -= a[0]*b[0] + a[1]*b[1] + a[2]*b[2]
	m[1] -= a[0]*b[3] + a[1]*b[4] + a[2]*b[5]
	m[2] -= a[0]*b[6] + a[1]*b[7] + a[2]*b[8]
	m[3] -= a[3]*b[0] + a[4]*b[1] + a[5]*b[2]
	m[4] -= a[3]*b[3] + a[4]*b[4] + a[5]*b[5]
	m[5] -= a[3]*b[6] + a[4]*b[7] + a[5]*b[8]
	m[6] -= a[6]*b[0] + a[7]*b[1] + a[8]*b[2]
	m[7] -= a[6]*b[3] + a[7]*b[4] + a[8]*b[5]
	m[8] -= a[6]*b[6] + a[7]*b[7] + a[8]*b[8]
}

// subMul takes a·b from m.
func (m *mat3) subMul(a, b *mat3) {
	p := a.mul(b)
	for i, v := range p {
		m[i] -= v
	}
}

// cholesky replaces m, of which the lower half is read, by its lower factor l with l·lᵀ = m. It reports whether m was positive
// definite; if not, m is spoilt.
func (m *mat3) cholesky() bool {
	if !(m[0] > 0) {
		return false
	}
	l00 := math.Sqrt(m[0])
	l10, l20 := m[3]/l00, m[6]/l00
	d1 := m[4] - l10*l10
	if !(d1 > 0) {
		return false
	}
	l11 := math.Sqrt(d1)
	l21 := (m[7] - l20*l10) / l11
	d2 := m[8] - l20*l20 - l21*l21
	if !(d2 > 0) || math.IsInf(d2, 1) {
		return false
	}
	*m = mat3{l00, 0, 0, l10, l11, 0, l20, l21, math.Sqrt(d2)}
	return true
}

// divT replaces m by m·l⁻ᵀ, l lower triangular.
func (m *mat3) divT(l *mat3) {
	i0, i1, i2 := 1/l[0], 1/l[4], 1/l[8]
	for r := 0; r < 9; r += 3 {
		x := m[r] * i0
		y := (m[r+1] - x*l[3]) * i1
		m[r], m[r+1], m[r+2] = x, y, (m[r+2]-x*l[6]-y*l[7])*i2
	}
}

// lowerSolve replaces m by l⁻¹·m, l lower triangular.
func (m *mat3) lowerSolve(l *mat3) {
	for c := range 3 {
		x := m[c] / l[0]
		y := (m[3+c] - l[3]*x) / l[4]
		m[c], m[3+c], m[6+c] = x, y, (m[6+c]-l[6]*x-l[7]*y)/l[8]
	}
}

// lowerSolveVec replaces v by m⁻¹·v, m lower triangular.
func (m *mat3) lowerSolveVec(v *vec3) {
	v[0] /= m[0]
	v[1] = (v[1] - m[3]*v[0]) / m[4]
	v[2] = (v[2] - m[6]*v[0] - m[7]*v[1]) / m[8]
}

// upperSolveVec replaces v by m⁻ᵀ·v, m lower triangular.
func (m *mat3) upperSolveVec(v *vec3) {
	v[2] /= m[8]
	v[1] = (v[1] - m[7]*v[2]) / m[4]
	v[0] = (v[0] - m[3]*v[1] - m[6]*v[2]) / m[0]
}

// mulVec is m·v.
func (m *mat3) mulVec(v *vec3) vec3 {
	return vec3{
		m[0]*v[0] + m[1]*v[1] + m[2]*v[2],
		m[3]*v[0] + m[4]*v[1] + m[5]*v[2],
		m[6]*v[0] + m[7]*v[1] + m[8]*v[2],
	}
}

// quadratic is vᵀ·m·v.
func (m *mat3) quadratic(v *vec3) float64 {
	av := m.mulVec(v)
	return v[0]*av[0] + v[1]*av[1] + v[2]*av[2]
}

// solve3 returns the solution x of m·x = v, by elimination with row exchange, and whether m is regular.
func (m *mat3) solve3(v vec3) (vec3, bool) {
	w := *m
	for c := range 3 {
		best := c
		for r := c + 1; r < 3; r++ {
			if math.Abs(w[3*r+c]) > math.Abs(w[3*best+c]) {
				best = r
			}
		}
		if !(math.Abs(w[3*best+c]) > 0) {
			return vec3{}, false
		}
		for k := range 3 {
			w[3*c+k], w[3*best+k] = w[3*best+k], w[3*c+k]
		}
		v[c], v[best] = v[best], v[c]
		for r := c + 1; r < 3; r++ {
			f := w[3*r+c] / w[3*c+c]
			for k := c; k < 3; k++ {
				w[3*r+k] -= f * w[3*c+k]
			}
			v[r] -= f * v[c]
		}
	}
	for r := 2; r >= 0; r-- {
		for k := r + 1; k < 3; k++ {
			v[r] -= w[3*r+k] * v[k]
		}
		v[r] /= w[4*r]
	}
	return v, true
}
