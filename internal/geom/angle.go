package geom

import "math"

// NormalizeAngle brings an angle in radians into (-π, π]. NaN and infinities give NaN.
func NormalizeAngle(a float64) float64 {
	r := math.Remainder(a, 2*math.Pi)
	if r <= -math.Pi {
		return math.Pi
	}
	return r
}

// AngleDiff is the shortest turn that leads from angle b to angle a, in (-π, π].
func AngleDiff(a, b float64) float64 { return NormalizeAngle(a - b) }

// Finite reports whether no value is NaN or infinite.
func Finite(values ...float64) bool {
	for _, v := range values {
		// v-v is 0 for every finite number and NaN for the rest.
		if v-v != 0 {
			return false
		}
	}
	return true
}
