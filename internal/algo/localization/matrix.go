package localization

// Covariance is that of a planar pose: rows and columns are x [m], y [m] and heading [rad], in the axes of the map.
type Covariance = [3][3]float64

func multiply(a, b Covariance) (c Covariance) {
	for i := range 3 {
		for k := range 3 {
			c[i][k] = a[i][0]*b[0][k] + a[i][1]*b[1][k] + a[i][2]*b[2][k]
		}
	}
	return c
}

func transposed(a Covariance) (c Covariance) {
	for i := range 3 {
		for k := range 3 {
			c[i][k] = a[k][i]
		}
	}
	return c
}

func sum(a, b Covariance) (c Covariance) {
	for i := range 3 {
		for k := range 3 {
			c[i][k] = a[i][k] + b[i][k]
		}
	}
	return c
}

// sandwich is a s aᵀ, made symmetric.
func sandwich(a, s Covariance) Covariance {
	c := multiply(multiply(a, s), transposed(a))
	for i := range 3 {
		for k := range i {
			m := (c[i][k] + c[k][i]) / 2
			c[i][k], c[k][i] = m, m
		}
	}
	return c
}

// inverse returns a⁻¹ by the adjugate; false when a is singular.
func inverse(a Covariance) (c Covariance, ok bool) {
	cofactor := func(i, k int) float64 {
		r, s, u, v := (i+1)%3, (i+2)%3, (k+1)%3, (k+2)%3
		return a[r][u]*a[s][v] - a[r][v]*a[s][u]
	}
	det := a[0][0]*cofactor(0, 0) + a[0][1]*cofactor(0, 1) + a[0][2]*cofactor(0, 2)
	if !(det > 0) {
		return c, false
	}
	for i := range 3 {
		for k := range 3 {
			c[k][i] = cofactor(i, k) / det
		}
	}
	return c, true
}

// quadratic is vᵀ a v.
func quadratic(a Covariance, v [3]float64) (q float64) {
	for i := range 3 {
		for k := range 3 {
			q += v[i] * a[i][k] * v[k]
		}
	}
	return q
}
