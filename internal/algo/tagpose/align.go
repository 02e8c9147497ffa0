package tagpose

import (
	"image"
	"math"

	"gonum.org/v1/gonum/mat"

	"sarathi/internal/geom"
)

// Cells of a tag of the family 36h11: a black frame around six by six of data, inside of a white margin.
const (
	across = 8
	inside = across - 2
)

const (
	// So many points a cell and direction are compared with the image: about one for each pixel.
	fewest, most = 3, 8
	// beyond is how far the points reach into the margin [cells]. What is around the margin is not known.
	beyond = 0.7
	// softness is how far an ordinary lens, the pixels and the interpolation between them smear an edge (one standard deviation) [px].
	softness = 0.85
	// leastContrast is between black and white [grey levels].
	leastContrast = 15
	alignSteps    = 12
	// alike is how much larger the deviation of the pose is than it would be if the differences of all pixels were independent: what is left
	// of them is the compression of the image and the simple model of its softness, which neighbours share. Measured on rendered images.
	alike = 5
	// scaleError is how wrong the size of the tag and the focal length of the camera may be, as a part of them: no image shows that.
	scaleError = 1e-3
	// aligned is the step at which the alignment has converged [m, rad].
	aligned = 1e-6
)

// Align improves a pose by the whole picture of the tag instead of its four corners: it moves the pose until the tag's pattern, softened as a
// camera softens it, is what the image shows, in the sense of least squares over brightness (direct alignment; S. Baker, I. Matthews,
// "Lucas-Kanade 20 Years On", IJCV 56, 2004). Far away, where the corners of a tag are a fifth of a pixel wrong, this is several times as exact.
//
// code has the 36 cells of the tag's inside row by row from the top left, the highest bit first, 1 is white. Error is the root mean square
// difference to the image as a part of the contrast, and the covariance is for the noise that the image shows. ok is false, and the pose is worth nothing, when the image does not show this tag there.
func Align(c Camera, img *image.Gray, code uint64, size float64, start geom.Transform) (s Solution, ok bool) {
	a := aligner{camera: c, img: img, cell: size / across}
	a.draw(code, start)
	at := pose{rotation(start.R), start.T}
	var normal mat.Dense
	var cost float64
	for range alignSteps {
		var gradient *mat.VecDense
		var n int
		if normal, gradient, cost, n = a.linearize(at); n < len(a.points) {
			return s, false
		}
		var step mat.VecDense
		if err := step.SolveVec(&normal, gradient); err != nil {
			return s, false
		}
		step.ScaleVec(-1, &step)
		a.black += step.AtVec(6)
		a.contrast += step.AtVec(7)
		moved, ok := step.SliceVec(0, 6).(*mat.VecDense)
		if !ok || mat.Norm(moved, 2) > size { // it runs away
			return s, false
		}
		at = at.moved(moved)
		if mat.Norm(moved, 2) < aligned {
			break
		}
	}
	noise := math.Sqrt(cost / float64(len(a.points)))
	if !(a.contrast > leastContrast) || noise > a.contrast/5 {
		return s, false
	}
	return a.solution(at, &normal, noise)
}

// aligner compares the pattern of a tag with an image.
type aligner struct {
	camera Camera
	img    *image.Gray
	cell   float64 // [m]
	points []point
	pitch  float64 // of the points [m]

	black, contrast float64 // brightness of black, and how much brighter white is
}

// point is a place of a tag and how white it is, 0 to 1.
type point struct {
	at    geom.Vec2 // frame of the tag [m]
	white float64
}

// draw computes how white the points of the tag look from a pose.
func (a *aligner) draw(code uint64, from geom.Transform) {
	first, last := -across/2-beyond, across/2+beyond // [cells] from the centre
	// A cell is so many pixels wide and high.
	centre := a.camera.Project(from.T)
	right := a.camera.Project(from.Apply(geom.Vec3{X: a.cell})).Sub(centre).Norm()
	down := a.camera.Project(from.Apply(geom.Vec3{Y: a.cell})).Sub(centre).Norm()
	n := int((last - first) * min(max(right, down, fewest), most))
	place := func(i int) float64 { return first + (float64(i)+0.5)*(last-first)/float64(n) }
	a.pitch = (last - first) / float64(n) * a.cell
	columns, rows := shares(n, place, softness/right), shares(n, place, softness/down)
	for i := range n {
		for k := range n {
			var dark float64
			for row := range across {
				for column := range across {
					if !white(code, row, column) {
						dark += rows[i][row] * columns[k][column]
					}
				}
			}
			a.points = append(a.points, point{geom.Vec2{X: place(k) * a.cell, Y: place(i) * a.cell}, 1 - dark})
		}
	}
	a.contrast, a.black = 150, 50 // the first step finds better ones: they are linear
}

// shares returns for n places how much of what is seen there comes from each cell of the tag.
func shares(n int, place func(int) float64, sigma float64) [][across]float64 {
	out := make([][across]float64, n)
	for i := range out {
		for cell := range out[i] {
			left := float64(cell) - across/2
			out[i][cell] = (math.Erf((place(i)-left)/(math.Sqrt2*sigma)) - math.Erf((place(i)-left-1)/(math.Sqrt2*sigma))) / 2
		}
	}
	return out
}

// white reports the colour of a cell of the black square.
func white(code uint64, row, column int) bool {
	r, c := row-1, column-1
	return r >= 0 && c >= 0 && r < inside && c < inside && code>>(inside*inside-1-(r*inside+c))&1 == 1
}

// linearize returns the normal equations over the pose (translation and rotation vector), the brightness of black, and the contrast, the
// sum of the squared differences, and how many points are in the image.
func (a *aligner) linearize(at pose) (normal mat.Dense, gradient *mat.VecDense, cost float64, n int) {
	var h [8][8]float64
	var g [8]float64
	for _, p := range a.points {
		arm := apply(at.r, p.at)
		q := arm.Add(at.t)
		if !(q.Z > nearest) {
			continue
		}
		value, slope, ok := sample(a.img, a.camera.Project(q))
		if !ok {
			continue
		}
		n++
		// Of the brightness by the point, and by what moves the point.
		d := geom.Vec3{X: slope.X * a.camera.FX / q.Z, Y: slope.Y * a.camera.FY / q.Z}
		d.Z = -(d.X*q.X + d.Y*q.Y) / q.Z
		turn := arm.Cross(d)
		j := [8]float64{d.X, d.Y, d.Z, turn.X, turn.Y, turn.Z, -1, -p.white}
		r := value - a.black - a.contrast*p.white
		cost += r * r
		for i := range j {
			g[i] += j[i] * r
			for k := range i + 1 {
				h[i][k] += j[i] * j[k]
			}
		}
	}
	normal = *mat.NewDense(8, 8, nil)
	for i := range h {
		for k := range i + 1 {
			normal.Set(i, k, h[i][k])
			normal.Set(k, i, h[i][k])
		}
	}
	return normal, mat.NewVecDense(8, g[:]), cost, n
}

// solution returns a pose with its covariance. Points that lie nearer to each other than pixels do not count more than the pixels.
func (a *aligner) solution(at pose, normal *mat.Dense, noise float64) (s Solution, ok bool) {
	var inverse mat.Dense
	if err := inverse.Inverse(normal); err != nil {
		return s, false
	}
	centre := a.camera.Project(at.t)
	width := a.camera.Project(apply(at.r, geom.Vec2{X: a.pitch}).Add(at.t)).Sub(centre).Norm()
	height := a.camera.Project(apply(at.r, geom.Vec2{Y: a.pitch}).Add(at.t)).Sub(centre).Norm()
	scale := alike * alike * noise * noise / min(width*height, 1)
	s = Solution{Pose: geom.Transform{T: at.t, R: quaternion(at.r)}}
	for i := range 6 {
		for k := range 6 {
			s.Covariance[i][k] = scale * (inverse.At(i, k) + inverse.At(k, i)) / 2
		}
	}
	t := [3]float64{at.t.X, at.t.Y, at.t.Z}
	for i := range t {
		for k := range t {
			s.Covariance[i][k] += scaleError * scaleError * t[i] * t[k]
		}
	}
	s.Error = noise / a.contrast
	return s, s.Pose.IsFinite()
}

// sample returns the brightness of a place and its slope, by bilinear interpolation; false outside of the image.
func sample(img *image.Gray, at geom.Vec2) (value float64, slope geom.Vec2, ok bool) {
	x, y := at.X-0.5, at.Y-0.5
	u, v := int(math.Floor(x)), int(math.Floor(y))
	if !(x >= 0 && y >= 0) || u+1 >= img.Rect.Dx() || v+1 >= img.Rect.Dy() {
		return 0, geom.Vec2{}, false
	}
	i := v*img.Stride + u
	p, q := img.Pix[i:i+2], img.Pix[i+img.Stride:i+img.Stride+2]
	fx, fy := x-float64(u), y-float64(v)
	top, bottom := float64(p[1])-float64(p[0]), float64(q[1])-float64(q[0])
	left, right := float64(q[0])-float64(p[0]), float64(q[1])-float64(p[1])
	slope = geom.Vec2{X: top*(1-fy) + bottom*fy, Y: left*(1-fx) + right*fx}
	return float64(p[0]) + top*fx + fy*(left+fx*(right-left)), slope, true
}

// rotation returns the matrix of a quaternion.
func rotation(q geom.Quat) matrix {
	return columns(q.Rotate(geom.Vec3{X: 1}), q.Rotate(geom.Vec3{Y: 1}), q.Rotate(geom.Vec3{Z: 1}))
}
