package sim

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"testing"
	"time"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/geom"
	"sarathi/internal/sim/scenes"
)

// photographer is a robot with a camera at the origin of the room, and tag 2 on the wall ahead, 5 m away.
func photographer(t *testing.T, change func(s *scenes.Scene, r *RobotSpec)) (*player, *Robot) {
	t.Helper()
	s := roomScene()
	s.Tags = []scenes.Tag{{ID: 2, Size: 0.4, X: 4.98, Y: 0.3, Z: 0.5, YawDeg: 180}}
	spec := plain(geom.Pose2{})
	spec.Camera = &CameraSpec{Width: 640, Height: 480, FOV: 1.2, Mount: Mount{X: 0.2, Z: 0.3}, MinTag: 8}
	if change != nil {
		change(&s, &spec)
	}
	p := play(t, s, 1)
	return p, p.add(spec)
}

func grey(img *image.RGBA, p geom.Vec2) float64 {
	c := img.RGBAAt(int(p.X), int(p.Y))
	return (float64(c.R) + float64(c.G) + float64(c.B)) / 3
}

// readTag reads the 64 cells of a tag from an image, given its corners, row by row, the highest bit first.
func readTag(img *image.RGBA, corners [4]geom.Vec2) uint64 {
	bits := uint64(0)
	lowest, highest := math.Inf(1), math.Inf(-1)
	var cells [64]float64
	for i := range cells {
		x, y := (float64(i%8)+0.5)/8, (float64(i/8)+0.5)/8
		top := corners[3].Lerp(corners[2], x)
		bottom := corners[0].Lerp(corners[1], x)
		cells[i] = grey(img, top.Lerp(bottom, y))
		lowest, highest = min(lowest, cells[i]), max(highest, cells[i])
	}
	for _, c := range cells {
		bits <<= 1
		if c > (lowest+highest)/2 {
			bits |= 1
		}
	}
	return bits
}

// data takes the 36 bits of the inside out of the 64 cells; false when the frame is not black.
func data(cells uint64) (code uint64, framed bool) {
	framed = true
	for i := range 64 {
		bit := cells >> (63 - i) & 1
		if row, col := i/8, i%8; row == 0 || col == 0 || row == 7 || col == 7 {
			framed = framed && bit == 0
			continue
		}
		code = code<<1 | bit
	}
	return code, framed
}

func TestTagsCanBeRead(t *testing.T) {
	for _, id := range []int{0, 2, 4, 300, 586} {
		for _, at := range []geom.Pose2{{}, {X: 2.5, Y: 1.2, Theta: -0.3}, {X: 2, Y: -1.6, Theta: 0.5}} {
			_, r := photographer(t, func(s *scenes.Scene, spec *RobotSpec) { s.Tags[0].ID, spec.Start = id, &at })
			views, ok := r.VisibleTags()
			if !ok || len(views) != 1 || views[0].ID != id || views[0].Size != 0.4 {
				t.Fatalf("tag %d from %v: visible %+v", id, at, views)
			}
			img, ok := r.Image()
			if !ok {
				t.Fatal("no image")
			}
			code, framed := data(readTag(img, views[0].Corners))
			if want, _ := tag36h11.Code(id); !framed || code != want {
				t.Errorf("tag %d from %v reads %09x, want %09x; frame %t", id, at, code, want, framed)
			}
		}
	}
}

func TestTagPose(t *testing.T) {
	p, r := photographer(t, nil)
	truth := p.Tags()[0]
	for _, v := range []struct {
		what     string
		in, want geom.Vec3
	}{
		{"its x is right for who looks at it", geom.Vec3{X: 1}, geom.Vec3{X: 4.98, Y: -0.7, Z: 0.5}},
		{"its y is down", geom.Vec3{Y: 0.5}, geom.Vec3{X: 4.98, Y: 0.3, Z: 0}},
		{"its z leads into the wall", geom.Vec3{Z: 1}, geom.Vec3{X: 5.98, Y: 0.3, Z: 0.5}},
	} {
		if got := truth.Pose.Apply(v.in); got.Sub(v.want).Norm() > 1e-9 {
			t.Errorf("%s: %v, want %v", v.what, got, v.want)
		}
	}
	views, _ := r.VisibleTags()
	// Left of ahead by 0.3, above the lens by 0.2, 4.78 ahead; the tag is looked at straight.
	want := geom.Transform{T: geom.Vec3{X: -0.3, Y: -0.2, Z: 4.78}, R: geom.IdentityQuat()}
	got := views[0].Pose
	if got.T.Sub(want.T).Norm() > 1e-9 || got.R.Mul(want.R.Inverse()).Angle() > 1e-7 {
		t.Errorf("the tag is at %v in the camera, want %v", got, want)
	}
}

func TestHiddenTags(t *testing.T) {
	tests := []struct {
		name   string
		change func(s *scenes.Scene, r *RobotSpec)
	}{
		{"from behind", func(s *scenes.Scene, _ *RobotSpec) { s.Tags[0].YawDeg, s.Tags[0].X = 0, 4 }},
		{"too slanted", func(s *scenes.Scene, _ *RobotSpec) { s.Tags[0].YawDeg = 100 }},
		{"outside the image", func(_ *scenes.Scene, r *RobotSpec) { r.Start = &geom.Pose2{Theta: 0.7} }},
		{"behind the camera", func(_ *scenes.Scene, r *RobotSpec) { r.Start = &geom.Pose2{Theta: math.Pi} }},
		{"too small", func(_ *scenes.Scene, r *RobotSpec) { r.Camera.MinTag = 60 }},
		{"person before it", func(s *scenes.Scene, _ *RobotSpec) { s.People = []scenes.Person{walker("a", geom.Vec2{X: 3, Y: 0.2})} }},
		{"pillar before it", func(s *scenes.Scene, _ *RobotSpec) {
			s.Circles = []scenes.Circle{{X: 3, Y: 0.1, Radius: 0.2, Height: 1}}
		}},
		{"box before its lower edge", func(s *scenes.Scene, _ *RobotSpec) {
			s.Boxes = []scenes.Box{{X: 4.5, Y: 0.3, Size: [2]float64{0.2, 1}, Height: 0.32}}
		}},
	}
	for _, tt := range tests {
		_, r := photographer(t, tt.change)
		if views, ok := r.VisibleTags(); !ok || len(views) != 0 {
			t.Errorf("%s: visible %v", tt.name, views)
		}
	}
	_, r := photographer(t, func(s *scenes.Scene, _ *RobotSpec) {
		s.Boxes = []scenes.Box{{X: 4.5, Y: 0.3, Size: [2]float64{0.2, 1}, Height: 0.25}}
	})
	if views, _ := r.VisibleTags(); len(views) != 1 {
		t.Error("a box below the line of sight hides the tag")
	}
}

func TestImage(t *testing.T) {
	p, r := photographer(t, func(s *scenes.Scene, _ *RobotSpec) {
		s.Tags = nil
		s.Boxes = []scenes.Box{{Name: "b", X: 2.2, Y: 0, Size: [2]float64{0.4, 1}, Height: 0.5}}
		s.People = []scenes.Person{walker("a", geom.Vec2{X: 4, Y: -1})}
	})
	img, _ := r.Image()
	k := r.spec.Camera.Intrinsics()
	optical := r.opticalPose().Inverse()
	shown := func(at geom.Vec3) [3]uint8 {
		u, ok := k.Project(optical.Apply(at))
		if !ok || !k.Contains(u) {
			t.Fatalf("%v is not in the image", at)
		}
		c := img.RGBAAt(int(u.X), int(u.Y))
		return [3]uint8{c.R, c.G, c.B}
	}
	reddish := func(c [3]uint8) bool { return c[0] > c[1]+c[1]/3 && c[0] > c[2]+c[2]/3 }
	box, wall, head := shown(geom.Vec3{X: 2, Y: 0, Z: 0.4}), shown(geom.Vec3{X: 5, Y: 0, Z: 1.2}), shown(geom.Vec3{X: 3.77, Y: -1, Z: 1.4})
	if !reddish(box) || reddish(wall) || !reddish(head) || box == head {
		t.Errorf("box %v, wall above it %v, person %v", box, wall, head)
	}
	// The upper edge of the box is where the pinhole puts it, to a pixel.
	edge, _ := k.Project(optical.Apply(geom.Vec3{X: 2, Y: 0, Z: 0.5}))
	above, below := img.RGBAAt(int(edge.X), int(edge.Y-1)), img.RGBAAt(int(edge.X), int(edge.Y+1))
	if above == below {
		t.Error("no edge where the top of the box is")
	}
	again, _ := r.Image()
	if !bytes.Equal(img.Pix, again.Pix) {
		t.Error("two images of one tick differ")
	}
	data, err := EncodeJPEG(img)
	if err != nil {
		t.Fatal(err)
	}
	if other, _ := EncodeJPEG(again); !bytes.Equal(data, other) {
		t.Error("two encodings of one image differ")
	}
	if back, err := jpeg.Decode(bytes.NewReader(data)); err != nil || back.Bounds() != img.Bounds() {
		t.Errorf("decoded %v: %v", back, err)
	}
	if _, err := EncodeJPEG(image.NewRGBA(image.Rect(0, 0, 1<<17, 1))); err == nil {
		t.Error("an image too large for JPEG was encoded")
	}
	p.run(time.Second)
}

func TestCameraFaults(t *testing.T) {
	_, r := photographer(t, nil)
	r.SetFault(SensorCamera, FaultSilent)
	_, ok := r.Image()
	_, tagsOK := r.VisibleTags()
	if ok || tagsOK {
		t.Error("a silent camera gives something")
	}
	r.SetFault(SensorCamera, FaultNaN)
	img, ok := r.Image()
	if !ok || grey(img, geom.Vec2{X: 100, Y: 100}) != 0 || img.RGBAAt(3, 3).A != 255 {
		t.Error("a faulty camera shows something")
	}
	if tags, ok := r.VisibleTags(); !ok || len(tags) != 0 {
		t.Errorf("a faulty camera shows tags %v", tags)
	}
}
