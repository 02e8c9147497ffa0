package sectors

import (
	"math"
	"math/rand/v2"
	"testing"

	"sarathi/internal/geom"
)

// room is a cloud of a lidar at height 0.2 m in base_link: floor and ceiling all around at 4 m, beyond the height band.
func room() []float32 {
	var xyz []float32
	for i := range 720 {
		s, c := math.Sincos(turn * float64(i) / 720)
		xyz = append(xyz, float32(4*c), float32(4*s), -0.55, float32(4*c), float32(4*s), 2)
	}
	return xyz
}

func lidar() geom.Transform {
	return geom.Transform{T: geom.Vec3{X: 0.2, Z: 0.2}, R: geom.IdentityQuat()}
}

func cloudRanges(v *View, l *Layout, moved geom.Pose2, mount geom.Transform, xyz ...float32) []float32 {
	var c Cloud
	v.ReadCloud(&c, xyz, mount)
	v.Begin()
	v.AddCloud(&c, moved)
	return v.Append(nil, l)
}

func TestCloudNeedsToSeeSomething(t *testing.T) {
	l := layout(t, 120, turn)
	v := New(testConfig())
	for i, r := range cloudRanges(v, l, geom.Pose2{}, lidar(), room()...) {
		if r != 8 {
			t.Fatalf("sector %d of a room with floor is %g, want free", i, r)
		}
	}
	for i, r := range cloudRanges(v, l, geom.Pose2{}, lidar()) {
		if !isNaN(r) {
			t.Fatalf("sector %d of an empty cloud is %g, want not seen", i, r)
		}
	}
	half := room()[:360*6]
	got := cloudRanges(v, l, geom.Pose2{}, geom.IdentityTransform(), half...)
	if left, right := got[at(l, 90)], got[at(l, -90)]; left != 8 || !isNaN(right) {
		t.Errorf("a cloud of the left half: left %g, right %g; want 8 and not seen", left, right)
	}
	trusting := testConfig()
	trusting.SilenceIsFree = true
	v = New(trusting)
	if got := cloudRanges(v, l, geom.Pose2{}, geom.IdentityTransform(), half...); got[at(l, -90)] != 8 {
		t.Errorf("the right half is %g although silence is free", got[at(l, -90)])
	}
	if got := cloudRanges(v, l, geom.Pose2{}, lidar()); !isNaN(got[0]) {
		t.Errorf("an empty cloud is free (%g): the lidar may be dead", got[0])
	}
}

func TestWhichPointsAreObstacles(t *testing.T) {
	l := layout(t, 120, turn)
	nan := float32(math.NaN())
	tests := []struct {
		name    string
		x, y, z float32 // in base_link
		want    float32
	}{
		{"in the band", 2, 0.05, 0.5, 2},
		{"low", 2, 0.05, -0.2, 2},
		{"floor", 2, 0.05, -0.3, 8},
		{"passes over", 2, 0.05, 1.3, 8},
		{"on the robot", 0.3, 0.01, 0.1, 8},
		{"close", 0.41, 0.02, 0.1, 0.41},
		{"not a number", nan, 0.05, 0.5, 8},
		{"endless", float32(math.Inf(1)), 0.05, 0.5, 8},
		{"no return", -0, 0, 0, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			xyz := append(room(), tt.x, tt.y, tt.z)
			got := cloudRanges(New(testConfig()), l, geom.Pose2{}, geom.IdentityTransform(), xyz...)[at(l, 1)]
			if math.Abs(float64(got-tt.want)) > 0.01 {
				t.Errorf("got %g, want %g", got, tt.want)
			}
		})
	}
}

func TestCloudIsMountedAnyWay(t *testing.T) {
	l := layout(t, 120, turn)
	mount := geom.Transform{T: geom.Vec3{X: 0.2, Z: 0.3}, R: geom.FromRPY(math.Pi, 0.2, 1)}
	post := mount.Inverse().Apply(geom.Vec3{X: -1, Y: 2, Z: 0.4})
	var xyz []float32
	for i := 0; i+2 < len(room()); i += 3 {
		p := mount.Inverse().Apply(geom.Vec3{X: float64(room()[i]), Y: float64(room()[i+1]), Z: -0.35})
		xyz = append(xyz, float32(p.X), float32(p.Y), float32(p.Z))
	}
	xyz = append(xyz, float32(post.X), float32(post.Y), float32(post.Z))
	got := cloudRanges(New(testConfig()), l, geom.Pose2{}, mount, xyz...)
	want := geom.Vec2{X: -1, Y: 2}
	if r := got[at(l, deg(want.Angle()))]; math.Abs(float64(r)-want.Norm()) > 0.01 {
		t.Errorf("the post is at %g m, want %g m", r, want.Norm())
	}
}

func TestOldCloudIsMoved(t *testing.T) {
	l := layout(t, 120, turn)
	moved := geom.Pose2{X: 0.3, Theta: 0.4}.Inverse() // the robot drove ahead and turned left since
	xyz := append(room(), 2, 0.5, 0.1)
	got := cloudRanges(New(testConfig()), l, moved, geom.IdentityTransform(), xyz...)
	want := moved.Apply(geom.Vec2{X: 2, Y: 0.5})
	if r := got[at(l, deg(want.Angle()))]; math.Abs(float64(r)-want.Norm()) > 0.01 {
		t.Errorf("the post is at %g m, want %g m", r, want.Norm())
	}
	free := 0
	for _, r := range got {
		if r == 8 {
			free++
		}
	}
	if free < 117 {
		t.Errorf("%d of 120 sectors are free beside one post", free)
	}
}

func TestScanAndCloudTogether(t *testing.T) {
	v := New(testConfig())
	l := layout(t, 120, turn)
	s := fullScan(360, 5, lidar())
	for i := range 90 {
		s.Ranges[i] = float32(math.NaN()) // behind to the right
	}
	var c Cloud
	v.ReadCloud(&c, append(room(), 2, 0.05, -0.1), geom.IdentityTransform()) // a box lower than the scan
	v.Begin()
	if err := v.AddScan(s); err != nil {
		t.Fatal(err)
	}
	v.AddCloud(&c, geom.Pose2{})
	got := v.Append(nil, l)
	if math.Abs(float64(got[at(l, 1)]-2)) > 0.01 {
		t.Errorf("the low box is at %g m, want 2 m", got[at(l, 1)])
	}
	if r := got[at(l, -135)]; r != 8 {
		t.Errorf("what only the cloud sees is %g, want free", r)
	}
	if r := got[at(l, 90)]; math.Abs(float64(r)-5) > 0.05 {
		t.Errorf("the wall of the scan is at %g m, want 5 m", r)
	}
}

func BenchmarkCloud(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	xyz := make([]float32, 0, 60_000)
	for range 20_000 {
		p := geom.Vec2{X: 0.5 + 10*r.Float64()}.Rotate(turn * r.Float64())
		xyz = append(xyz, float32(p.X), float32(p.Y), float32(2*r.Float64()-0.6))
	}
	v, front, around := New(testConfig()), layout(b, 32, math.Pi), layout(b, 120, turn)
	var c Cloud
	var out []float32
	b.ReportAllocs()
	for b.Loop() {
		v.ReadCloud(&c, xyz, lidar())
		v.Begin()
		v.AddCloud(&c, geom.Pose2{})
		out = v.Append(v.Append(out[:0], front), around)
	}
}
