package raycast

import (
	"math"

	"sarathi/internal/geom"
)

// Sweep casts a whole fan of level beams at once. In place of asking for each beam which wall it meets, it asks for each wall
// which beams may meet it, and computes exactly those crossings: a scan of 360 beams in a furnished house takes a tenth of
// the time that as many calls of Cast take, with the same results to the last bit. Use NewSweep; it is not safe for
// concurrent use.
type Sweep struct {
	start, step float64     // of the fan, in the sensor's frame [rad]
	turn        float64     // beams in a full turn
	local       []geom.Vec2 // directions in the sensor's frame
	dirs        []geom.Vec2 // the same in the world
	ranges      []float64
	origin      geom.Vec2
	heading     float64
	z, limit    float64
}

// angleSlack covers the error of angle [rad].
const angleSlack = 3e-5

// NewSweep prepares n beams at start + i·step radians in the sensor's frame; step is negative for a sensor that turns
// clockwise, or that hangs upside down.
func NewSweep(start, step float64, n int) *Sweep {
	s := &Sweep{
		start: start, step: step, turn: 2 * math.Pi / math.Abs(step),
		local: make([]geom.Vec2, n), dirs: make([]geom.Vec2, n), ranges: make([]float64, n),
	}
	for i := range s.local {
		sin, cos := math.Sincos(start + float64(i)*step)
		s.local[i] = geom.Vec2{X: cos, Y: sin}
	}
	return s
}

// Begin puts the sensor at pose and height z in the world and forgets what was seen before.
func (s *Sweep) Begin(pose geom.Pose2, z, limit float64) {
	s.origin, s.heading, s.z, s.limit = pose.Position(), pose.Theta, z, limit
	sin, cos := math.Sincos(pose.Theta)
	for i, d := range s.local {
		s.dirs[i] = geom.Vec2{X: cos*d.X - sin*d.Y, Y: sin*d.X + cos*d.Y}
		s.ranges[i] = limit
	}
}

// Ranges are the distances to what the beams met so far, or the limit [m]. The slice is overwritten by the next Begin.
func (s *Sweep) Ranges() []float64 { return s.ranges }

// manyWalls is the number of walls per beam above which casting beam by beam takes less time than showing every wall.
const manyWalls = 8

// Field shows the walls to the beams.
func (s *Sweep) Field(f *Field) {
	if len(f.faces) > manyWalls*len(s.dirs) {
		for i, d := range s.dirs {
			s.ranges[i], _ = f.Cast(s.origin, d, s.z, s.ranges[i])
		}
		return
	}
	for i := range f.faces {
		s.face(&f.faces[i])
	}
}

// Wall shows one wall to the beams.
func (s *Sweep) Wall(w Wall) {
	f := newFace(w)
	s.face(&f)
}

// Disc shows an upright cylinder to the beams.
func (s *Sweep) Disc(center geom.Vec2, radius float64) {
	m := center.Sub(s.origin)
	d := m.Norm()
	if d-radius >= s.limit {
		return
	}
	middle, half := angle(m.X, m.Y), math.Pi
	if d > radius {
		half = math.Asin(radius / d)
	}
	first, last, wrapped := s.beams(middle-half, middle+half)
	for i := first; i <= last; i++ {
		s.disc(i, center, radius)
	}
	for i := 0; i <= wrapped; i++ {
		s.disc(i, center, radius)
	}
}

func (s *Sweep) disc(i int, center geom.Vec2, radius float64) {
	if t, ok := Circle(s.origin, s.dirs[i], center, radius); ok && t < s.ranges[i] {
		s.ranges[i] = t
	}
}

func (s *Sweep) face(f *face) {
	if s.z < f.bottom || s.z >= f.top {
		return
	}
	ax, ay := f.ax-s.origin.X, f.ay-s.origin.Y
	bx, by := ax+f.ex, ay+f.ey
	if l := s.limit; ax > l && bx > l || ax < -l && bx < -l || ay > l && by > l || ay < -l && by < -l {
		return
	}
	cross := ax*by - ay*bx // twice the area of the triangle with the sensor: positive when it is left of the wall
	edgeOn := math.Abs(cross) <= 1e-6*(math.Abs(f.ex)+math.Abs(f.ey))
	if f.oneSided && cross < 0 && !edgeOn {
		return
	}
	from, to := 0.0, 2*math.Pi
	if !edgeOn { // otherwise there is no telling the sides, and every beam is tried
		from, to = angle(ax, ay), angle(bx, by)
		if cross < 0 {
			from, to = to, from
		}
		if to < from {
			to += 2 * math.Pi
		}
	}
	first, last, wrapped := s.beams(from, to)
	for i := first; i <= last; i++ {
		if t := f.crossing(s.origin, s.dirs[i]); t < s.ranges[i] {
			s.ranges[i] = t
		}
	}
	for i := 0; i <= wrapped; i++ {
		if t := f.crossing(s.origin, s.dirs[i]); t < s.ranges[i] {
			s.ranges[i] = t
		}
	}
}

// beams are those between two world angles, from ≤ to, and perhaps a few beside them: first to last, and 0 to wrapped.
func (s *Sweep) beams(from, to float64) (first, last, wrapped int) {
	a := (from - angleSlack - s.heading - s.start) / s.step
	b := (to + angleSlack - s.heading - s.start) / s.step
	if a > b {
		a, b = b, a
	}
	n := len(s.dirs)
	if b-a >= s.turn {
		return 0, n - 1, -1
	}
	back := math.Floor(a/s.turn) * s.turn // brings a into the first turn
	a, b = a-back, b-back
	wrapped = -1
	if b >= s.turn-1 {
		wrapped = min(int(b-s.turn+1), n-1)
	}
	return int(a), min(int(b)+1, n-1), wrapped
}

// angle is the direction of (x, y) in [-π, π], to 1e-5 rad: Abramowitz and Stegun, Handbook of Mathematical Functions, 4.4.49
// (in the form with five terms), on the octant where |y/x| ≤ 1.
func angle(x, y float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	low, high := min(ax, ay), max(ax, ay)
	if high == 0 {
		return 0
	}
	q := low / high
	q2 := q * q
	a := q * (0.9998660 + q2*(-0.3302995+q2*(0.1801410+q2*(-0.0851330+q2*0.0208351))))
	if ay > ax {
		a = math.Pi/2 - a
	}
	if x < 0 {
		a = math.Pi - a
	}
	return math.Copysign(a, y)
}
