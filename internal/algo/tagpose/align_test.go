package tagpose

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/geom"
)

const id = 2

// draw returns the image of a tag on a grey wall, as a camera with noise takes it, and its code.
func draw(rng *rand.Rand, at geom.Transform, noise float64) (*image.Gray, uint64) {
	code, _ := tag36h11.Code(id)
	img := image.NewGray(image.Rect(0, 0, 640, 480))
	back := at.Inverse()
	const sub = 4
	light := func(u, v float64) float64 {
		ray := geom.Vec3{X: (u - camera.CX) / camera.FX, Y: (v - camera.CY) / camera.FY, Z: 1}
		eye, dir := back.T, back.R.Rotate(ray)
		p := eye.Add(dir.Scale(-eye.Z / dir.Z))
		row, column := math.Floor(p.Y/size*across)+across/2, math.Floor(p.X/size*across)+across/2
		switch {
		case row < -1 || column < -1 || row > across || column > across:
			return 130
		case row < 0 || column < 0 || row >= across || column >= across || white(code, int(row), int(column)):
			return 210
		}
		return 30
	}
	sharp := make([]float64, len(img.Pix))
	for i := range sharp {
		for k := range sub * sub {
			sharp[i] += light(float64(i%640)+(float64(k%sub)+0.5)/sub, float64(i/640)+(float64(k/sub)+0.5)/sub) / (sub * sub)
		}
	}
	weights := [3]float64{0.25, 0.5, 0.25}
	for v := 1; v < 479; v++ {
		for u := 1; u < 639; u++ {
			sum := noise*rng.NormFloat64() + 0.5
			for i, a := range weights {
				for k, b := range weights {
					sum += a * b * sharp[(v+i-1)*640+u+k-1]
				}
			}
			img.Pix[v*img.Stride+u] = uint8(min(max(sum, 0), 255))
		}
	}
	return img, code
}

// From corners that are half a pixel wrong the alignment finds the pose several times as exactly.
func TestAlignIsMoreExactThanCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var before, after float64
	const cases = 6
	for range cases {
		truth := geom.Transform{T: geom.Vec3{X: 0.2, Y: 0.1, Z: 1 + 2*rng.Float64()}, R: geom.FromRPY(0.5, 0.3*rng.Float64(), rng.Float64())}
		img, code := draw(rng, truth, 2)
		corners := see(camera, truth)
		for i := range corners {
			corners[i] = corners[i].Add(geom.Vec2{X: 0.4 * rng.NormFloat64(), Y: 0.4 * rng.NormFloat64()})
		}
		poses, err := Solve(camera, corners, size)
		if err != nil {
			t.Fatal(err)
		}
		s := poses[0]
		if angleTo(poses[1].Pose, truth) < angleTo(s.Pose, truth) {
			s = poses[1]
		}
		a, ok := Align(camera, img, code, size, s.Pose)
		if !ok {
			t.Fatalf("%+v: not aligned", truth)
		}
		m, rad := distance(a.Pose, truth)
		if m > 0.004*truth.T.Z || rad > 0.02 {
			t.Errorf("%+v: %g m and %g rad away", truth, m, rad)
		}
		if dz := math.Abs(a.Pose.T.Z - truth.T.Z); dz > 3*math.Sqrt(a.Covariance[2][2]) {
			t.Errorf("%+v: %g m off ahead, with a deviation of %g m", truth, dz, math.Sqrt(a.Covariance[2][2]))
		}
		was, _ := distance(s.Pose, truth)
		before, after = before+was, after+m
	}
	if after > before/3 {
		t.Errorf("the corners are %.1f mm wrong on average, aligned poses %.1f mm", before/cases*1000, after/cases*1000)
	}
}

func angleTo(a, b geom.Transform) float64 { _, rad := distance(a, b); return rad }

func TestWhatCannotBeAligned(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	truth := geom.Transform{T: geom.Vec3{Z: 1.5}, R: geom.FromRPY(0.4, 0, 0)}
	img, code := draw(rng, truth, 1)
	if _, ok := Align(camera, img, code, size, truth); !ok {
		t.Error("the truth was not aligned")
	}
	other, _ := tag36h11.Code(300)
	blank := image.NewGray(img.Rect)
	for name, tc := range map[string]struct {
		img  *image.Gray
		code uint64
		at   geom.Transform
	}{
		"another tag":    {img, other, truth},
		"nothing":        {blank, code, truth},
		"half outside":   {img, code, geom.Transform{T: geom.Vec3{X: 0.8, Z: 1.5}, R: truth.R}},
		"behind":         {img, code, geom.Transform{T: geom.Vec3{Z: -1.5}, R: truth.R}},
		"no image":       {image.NewGray(image.Rectangle{}), code, truth},
		"beside the tag": {img, code, geom.Transform{T: geom.Vec3{X: 0.3, Z: 1.5}, R: truth.R}},
	} {
		if s, ok := Align(camera, tc.img, tc.code, size, tc.at); ok {
			t.Errorf("%s was aligned: %+v", name, s)
		}
	}
}

func BenchmarkAlign(b *testing.B) {
	truth := geom.Transform{T: geom.Vec3{Z: 2}, R: geom.FromRPY(0.4, 0, 0)}
	img, code := draw(rand.New(rand.NewPCG(1, 1)), truth, 1)
	truth.T.X += 0.005
	for b.Loop() {
		if _, ok := Align(camera, img, code, size, truth); !ok {
			b.Fatal("not aligned")
		}
	}
}
