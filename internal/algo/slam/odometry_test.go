package slam

import (
	"math"
	"testing"

	"sarathi/internal/geom"
)

func TestTrack(t *testing.T) {
	var k track
	v := geom.Velocity{VX: 1, WZ: 0.5}
	for _, i := range []int{0, 2, 1, 3, 5, 4} { // out of order
		if !k.add(Sample{float64(i) / 2, v.Integrate(float64(i) / 2)}) {
			t.Errorf("reading %d was refused", i)
		}
	}
	for _, bad := range []Sample{{Time: 1}, {Time: math.NaN()}, {Time: 9, Pose: geom.Pose2{X: math.Inf(1)}}} {
		if k.add(bad) {
			t.Errorf("%+v was taken", bad)
		}
	}
	for _, at := range []float64{0, 0.3, 1, 2.2, 2.5, 3} { // 3 lies after the last reading
		want := v.Integrate(at)
		if got, ok := k.at(at); !ok || got.Position().Distance(want.Position()) > 1e-9 || math.Abs(got.Theta-want.Theta) > 1e-9 {
			t.Errorf("at %g: %+v, %v; want %+v", at, got, ok, want)
		}
	}
	for _, at := range []float64{-2, 4} {
		if got, ok := k.at(at); ok {
			t.Errorf("at %g: %+v", at, got)
		}
	}
	k.add(Sample{2.7, geom.Pose2{X: 40}})
	if d, ok := k.motion(2.5, 2.7); ok {
		t.Errorf("a jump is no motion: %+v", d)
	}
	if _, ok := k.motion(0, 2.5); !ok {
		t.Error("a motion is none")
	}
}

func TestTrackIsBounded(t *testing.T) {
	var k track
	for i := range 3 * odometryKept {
		k.add(Sample{Time: float64(i)})
	}
	if len(k.samples) > odometryKept || k.samples[len(k.samples)-1].Time != 3*odometryKept-1 {
		t.Errorf("%d readings up to %g", len(k.samples), k.samples[len(k.samples)-1].Time)
	}
}

func TestDense(t *testing.T) {
	v := geom.Velocity{VX: 0.5, WZ: 0.3}
	var odometry, scans []Sample
	for i := range 41 {
		at := 0.1 * float64(i)
		odometry = append(odometry, Sample{at, geom.Pose2{X: 3, Theta: 1}.Mul(v.Integrate(at))})
		if i%10 == 0 {
			scans = append(scans, Sample{at, v.Integrate(at)})
		}
	}
	got := Dense(scans, odometry)
	if len(got) != 41 {
		t.Fatalf("%d poses", len(got))
	}
	for _, s := range got {
		if want := v.Integrate(s.Time); s.Pose.Position().Distance(want.Position()) > 1e-9 {
			t.Errorf("at %g: %+v, not %+v", s.Time, s.Pose, want)
		}
	}
	// What odometry misses is spread over the time: half of it in the middle.
	end := &scans[1]
	end.Pose = end.Pose.Mul(geom.Pose2{X: 0.2})
	for _, s := range Dense(scans[:2], odometry) {
		off := s.Pose.Position().Distance(v.Integrate(s.Time).Position())
		if math.Abs(off-0.2*s.Time) > 0.01 {
			t.Errorf("%.3f m off at %g s", off, s.Time)
		}
	}
	if got := Dense(scans, nil); len(got) != len(scans) {
		t.Errorf("without odometry: %d poses", len(got))
	}
}
