package apriltag

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/algo/tagpose"
	"sarathi/internal/geom"
	"sarathi/internal/sim"
	"sarathi/internal/sim/scenes"
)

// open returns a detector; where the library is missing, the tests of it are skipped, except in CI, whose set-up installs it.
func open(tb testing.TB) *Detector {
	tb.Helper()
	d, err := Open()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(d.Close)
	return d
}

// studio is a robot with a camera, and a tag on the wall ahead.
type studio struct {
	*sim.Robot
	camera tagpose.Camera
}

const tagSize = 0.16

func newStudio(tb testing.TB, ids ...int) studio {
	tb.Helper()
	scene := scenes.Default()
	scene.Bounds = &[4]float64{-5, -4, 5, 4}
	for i, id := range ids {
		scene.Tags = append(scene.Tags, scenes.Tag{ID: id, Size: tagSize, X: 4.98, Y: 0.5 * float64(i), Z: 0.5, YawDeg: 180})
	}
	world, err := sim.NewWorld(scene, 1)
	if err != nil {
		tb.Fatal(err)
	}
	spec := sim.Molly()
	spec.Camera = &sim.CameraSpec{Width: 640, Height: 480, FOV: 1.2, Mount: sim.Mount{Z: 0.5 - spec.BaseHeight}, MinTag: 8}
	spec.Start = &geom.Pose2{}
	r, err := world.AddRobot(spec)
	if err != nil {
		tb.Fatal(err)
	}
	k := spec.Camera.Intrinsics()
	return studio{r, tagpose.Camera{FX: k.FX, FY: k.FY, CX: k.CX, CY: k.CY}}
}

// photo returns what the camera sees after a JPEG.
func (s studio) photo(tb testing.TB) *image.Gray {
	tb.Helper()
	img, ok := s.Image()
	if !ok {
		tb.Fatal("no image")
	}
	data, err := sim.EncodeJPEG(img)
	if err != nil {
		tb.Fatal(err)
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	return tagpose.Gray(decoded)
}

// Tags that the simulator renders are found where they are, exact to 1 % of the range. One of both poses is exact to 1° up to 2 m when the
// tag is seen from aside; seen from ahead, or less than 35 px wide, its picture says less.
func TestRenderedTags(t *testing.T) {
	d := open(t)
	s := newStudio(t, 2)
	seen := 0
	for _, distance := range []float64{0.5, 1, 2, 4} {
		for _, side := range []float64{-0.6, 0, 0.4} {
			at := geom.Pose2{X: 4.98 - distance, Y: side * distance, Theta: -math.Atan(side)}
			if err := s.Teleport(at); err != nil {
				continue // too near to the wall for the whole robot
			}
			views, ok := s.VisibleTags()
			if !ok || len(views) != 1 {
				t.Fatalf("%v: visible %+v", at, views)
			}
			photo := s.photo(t)
			found := d.Detect(photo)
			if len(found) != 1 || found[0].ID != 2 || found[0].Hamming != 0 {
				t.Errorf("%v: found %+v", at, found)
				continue
			}
			seen++
			poses, err := tagpose.Solve(s.camera, found[0].Corners, tagSize)
			if err != nil {
				t.Fatal(err)
			}
			truth := views[0].Pose
			pose := aligned(s.camera, photo, poses)
			off := pose.Pose.T.Sub(truth.T).Norm() / truth.T.Norm()
			turned := min(angle(pose.Pose, truth), angle(aligned(s.camera, photo, [2]tagpose.Solution{poses[1], poses[1]}).Pose, truth)) * 180 / math.Pi
			t.Logf("%.1f m, %+.0f° aside: %.2f %% of the range and %.2f° off", distance, math.Atan(side)*180/math.Pi, 100*off, turned)
			limit := 1.0
			if distance > 2 || side == 0 {
				limit = 5
			}
			if off > 0.01 || turned > limit {
				t.Errorf("%v: %.2f %% of the range and %.2f° off", at, 100*off, turned)
			}
			if deviation := math.Sqrt(pose.Covariance[2][2]); math.Abs(pose.Pose.T.Z-truth.T.Z) > 3*deviation {
				t.Errorf("%v: %g m off ahead, with a deviation of %g m", at, pose.Pose.T.Z-truth.T.Z, deviation)
			}
		}
	}
	if seen < 9 {
		t.Errorf("%d images had a tag", seen)
	}
}

// aligned returns the pose that suits the whole picture of the tag best; that of the corners where the picture does not help.
func aligned(c tagpose.Camera, photo *image.Gray, poses [2]tagpose.Solution) tagpose.Solution {
	code, _ := tag36h11.Code(2)
	best, found := poses[0], false
	for _, p := range poses {
		if a, ok := tagpose.Align(c, photo, code, tagSize, p.Pose); ok && (!found || a.Error < best.Error) {
			best, found = a, true
		}
	}
	return best
}

func angle(a, b geom.Transform) float64 { return a.R.Inverse().Mul(b.R).Angle() }

func TestSeveralTagsAreSortedByID(t *testing.T) {
	d := open(t)
	s := newStudio(t, 300, 7, 42)
	if err := s.Teleport(geom.Pose2{X: 3, Y: 0.5}); err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, f := range d.Detect(s.photo(t)) {
		ids = append(ids, f.ID)
	}
	if len(ids) != 3 || ids[0] != 7 || ids[1] != 42 || ids[2] != 300 {
		t.Errorf("found %v", ids)
	}
}

func TestNoiseHasNoTags(t *testing.T) {
	d := open(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []image.Point{{}, {1, 1}, {15, 200}, {16, 16}, {641, 479}} {
		img := image.NewGray(image.Rectangle{Max: size})
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.IntN(256))
		}
		if found := d.Detect(img); len(found) > 0 {
			t.Errorf("%v: found %+v", size, found)
		}
	}
}

// A part of an image is looked at with the coordinates of the part.
func TestPartOfAnImage(t *testing.T) {
	d := open(t)
	s := newStudio(t, 2)
	if err := s.Teleport(geom.Pose2{X: 3}); err != nil {
		t.Fatal(err)
	}
	whole := s.photo(t)
	all := d.Detect(whole)
	part, ok := whole.SubImage(image.Rect(200, 100, 640, 480)).(*image.Gray)
	if !ok {
		t.Fatal("no part")
	}
	some := d.Detect(part)
	if len(all) != 1 || len(some) != 1 {
		t.Fatalf("found %+v and %+v", all, some)
	}
	if shift := all[0].Corners[0].Sub(some[0].Corners[0]); shift.Sub(geom.Vec2{X: 200, Y: 100}).Norm() > 0.5 {
		t.Errorf("the part's corners are shifted by %v", shift)
	}
}

func BenchmarkDetect(b *testing.B) {
	d := open(b)
	s := newStudio(b, 2)
	if err := s.Teleport(geom.Pose2{X: 3}); err != nil {
		b.Fatal(err)
	}
	img := s.photo(b)
	for b.Loop() {
		if len(d.Detect(img)) != 1 {
			b.Fatal("no tag")
		}
	}
}
