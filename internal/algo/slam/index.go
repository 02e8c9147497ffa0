package slam

import (
	"math"

	"sarathi/internal/geom"
)

// index finds keyframes by place.
type index struct {
	size  float64 // [m] of its squares
	cells map[[2]int][]int
}

// build takes the present poses.
func (x *index) build(poses []geom.Pose2, size float64) {
	x.size = size
	if x.cells == nil {
		x.cells = map[[2]int][]int{}
	}
	clear(x.cells)
	for i, p := range poses {
		k := x.key(p.X, p.Y)
		x.cells[k] = append(x.cells[k], i)
	}
}

func (x *index) key(px, py float64) [2]int {
	return [2]int{int(math.Floor(px / x.size)), int(math.Floor(py / x.size))}
}

// around appends the keyframes of all squares within radius of p, in a fixed order.
func (x *index) around(dst []int, p geom.Pose2, radius float64) []int {
	lo, hi := x.key(p.X-radius, p.Y-radius), x.key(p.X+radius, p.Y+radius)
	for cy := lo[1]; cy <= hi[1]; cy++ {
		for cx := lo[0]; cx <= hi[0]; cx++ {
			dst = append(dst, x.cells[[2]int{cx, cy}]...)
		}
	}
	return dst
}
