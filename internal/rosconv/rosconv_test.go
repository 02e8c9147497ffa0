package rosconv

import (
	"errors"
	"math"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/msg/builtin"
	"sarathi/msg/geometry"
)

func TestStampRoundTrip(t *testing.T) {
	tests := []struct {
		name string
		in   time.Time
		want builtin.Time
	}{
		{"no time", time.Time{}, builtin.Time{}},
		{"today", time.Unix(1_800_000_000, 123_456_789), builtin.Time{Sec: 1_800_000_000, Nanosec: 123_456_789}},
		{"before the epoch", time.Unix(-2, 999_999_999), builtin.Time{Sec: -2, Nanosec: 999_999_999}},
		{"last", time.Unix(math.MaxInt32, 999_999_999), builtin.Time{Sec: math.MaxInt32, Nanosec: 999_999_999}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Stamp(tt.in)
			if got != tt.want {
				t.Errorf("Stamp(%v) = %v, want %v", tt.in, got, tt.want)
			}
			if back := FromStamp(got); !back.Equal(tt.in) {
				t.Errorf("FromStamp(%v) = %v, want %v", got, back, tt.in)
			}
		})
	}
}

func TestStampClamps(t *testing.T) {
	if got, want := Stamp(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)).Sec, int32(math.MaxInt32); got != want {
		t.Errorf("2100 becomes %d, want %d", got, want)
	}
	if got, want := Stamp(time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC)).Sec, int32(math.MinInt32); got != want {
		t.Errorf("1800 becomes %d, want %d", got, want)
	}
	if got, want := FromStamp(builtin.Time{Sec: 1, Nanosec: 1_500_000_000}), time.Unix(2, 500_000_000); !got.Equal(want) {
		t.Errorf("too many nanoseconds give %v, want %v", got, want)
	}
}

func TestDurationRoundTrip(t *testing.T) {
	for _, d := range []time.Duration{0, 1, -1, time.Second, -time.Second, 1500 * time.Millisecond, -1500 * time.Millisecond} {
		m := Duration(d)
		if m.Nanosec > 999_999_999 {
			t.Errorf("Duration(%v) has %d nanoseconds", d, m.Nanosec)
		}
		if got := FromDuration(m); got != d {
			t.Errorf("%v comes back as %v", d, got)
		}
	}
	if got := Duration(math.MaxInt64).Sec; got != math.MaxInt32 {
		t.Errorf("the longest duration has %d s, want it clamped", got)
	}
	if got := Duration(math.MinInt64).Sec; got != math.MinInt32 {
		t.Errorf("the most negative duration has %d s, want it clamped", got)
	}
}

func TestPoseRoundTrip(t *testing.T) {
	want := geom.Transform{T: geom.Vec3{X: 1, Y: -2, Z: 0.5}, R: geom.FromRPY(0.1, -0.2, 3)}
	fromPose, err := FromPose(Pose(want))
	if err != nil {
		t.Fatal(err)
	}
	fromTransform, err := FromTransform(Transform(want))
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []geom.Transform{fromPose, fromTransform} {
		d := want.Inverse().Mul(got)
		if d.T.Norm() > 1e-12 || d.R.Angle() > 1e-7 {
			t.Errorf("%v comes back as %v", want, got)
		}
	}
}

func TestReadingRefusesWhatIsNoNumber(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, m := range []geometry.Pose{
		{Position: geometry.Point{X: nan}},
		{Position: geometry.Point{Z: inf}},
		{Orientation: geometry.Quaternion{X: nan, W: 1}},
		{Orientation: geometry.Quaternion{W: -inf}},
	} {
		got, err := FromPose(m)
		if !errors.Is(err, ErrNotFinite) {
			t.Errorf("FromPose(%v) = %v, want ErrNotFinite", m, err)
		}
		if !got.IsFinite() {
			t.Errorf("FromPose(%v) returned %v with its error", m, got)
		}
	}
	if v := FromTwist(geometry.Twist{Linear: geometry.Vector3{X: nan}}); v.IsFinite() {
		t.Error("FromTwist hides a NaN, so that it would not stop the robot")
	}
}

func TestQuaternionsOfAnyLength(t *testing.T) {
	if q, err := FromQuaternion(geometry.Quaternion{}); err != nil || q != geom.IdentityQuat() {
		t.Errorf("the zero quaternion gives %v, %v; want no rotation", q, err)
	}
	q, err := FromQuaternion(geometry.Quaternion{Z: 20, W: 20})
	if err != nil || math.Abs(q.Yaw()-math.Pi/2) > 1e-12 {
		t.Errorf("a long quaternion gives yaw %v, %v; want a quarter turn", q.Yaw(), err)
	}
	if m := Quaternion(geom.Quat{}); m.W != 1 {
		t.Errorf("the zero rotation is published as %v, which other programs refuse", m)
	}
}

func TestTwistRoundTrip(t *testing.T) {
	want := geom.Velocity{VX: 1, VY: -2, WZ: 3}
	if got := FromTwist(Twist(want)); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCovarianceKeepsThePlanarPart(t *testing.T) {
	c := Planar{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}
	m := Covariance(c)
	if m[0] != 1 || m[1] != 2 || m[5] != 3 || m[7] != 4 || m[11] != 5 || m[35] != 6 || m[14] != 0 {
		t.Errorf("the planar part lies in the wrong places: %v", m)
	}
	if got := FromCovariance(m); got != c {
		t.Errorf("got %v, want %v", got, c)
	}
}

func TestOdometryNamesItsFrames(t *testing.T) {
	at := time.Unix(5, 0)
	m := Odometry(at, "odom", "base_link", geom.Pose2{X: 1, Theta: 2}.Transform(), geom.Velocity{VX: 3})
	p, err := FromPose(m.Pose.Pose)
	if err != nil || math.Abs(p.R.Yaw()-2) > 1e-12 || p.T.X != 1 || m.Twist.Twist.Linear.X != 3 {
		t.Errorf("pose or velocity is wrong: %+v (%v)", m, err)
	}
	if m.Header.FrameID != "odom" || m.ChildFrameID != "base_link" || !FromStamp(m.Header.Stamp).Equal(at) {
		t.Errorf("frames or time are wrong: %+v", m)
	}
	s := TransformStamped(at, "a", "b", geom.IdentityTransform())
	if s.Header.FrameID != "a" || s.ChildFrameID != "b" || s.Transform.Rotation.W != 1 {
		t.Errorf("transform is wrong: %+v", s)
	}
}
