package rosconv

// Planar is the covariance of a planar pose or velocity: rows and columns are x, y and yaw [m², m·rad, rad²].
type Planar [3][3]float64

// planarAxes are the rows of x, y and rotation about z in the 6×6 covariances of geometry_msgs, whose order is x, y, z, roll, pitch, yaw.
func planarAxes() [3]int { return [3]int{0, 1, 5} }

// Covariance returns the 6×6 covariance of a planar one. The axes that a planar pose does not have are zero.
func Covariance(c Planar) [36]float64 {
	var out [36]float64
	for i, row := range planarAxes() {
		for j, col := range planarAxes() {
			out[6*row+col] = c[i][j]
		}
	}
	return out
}

// FromCovariance returns the planar part of a 6×6 covariance, unchecked.
func FromCovariance(m [36]float64) Planar {
	var out Planar
	for i, row := range planarAxes() {
		for j, col := range planarAxes() {
			out[i][j] = m[6*row+col]
		}
	}
	return out
}
