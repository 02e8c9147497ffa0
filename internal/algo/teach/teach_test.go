package teach

import (
	"errors"
	"math"
	"testing"

	"sarathi/internal/algo/route"
	"sarathi/internal/geom"
)

func TestPointsAreSpaced(t *testing.T) {
	l := New(Default())
	for i := range 101 {
		if err := l.Add(geom.Pose2{X: 0.03 * float64(i), Theta: 7}); err != nil {
			t.Fatal(err)
		}
	}
	p := l.Points()
	if len(p) != 15 || math.Abs(l.Length()-2.94) > 1e-9 || p[3].Yaw > math.Pi || l.Stops() != 0 {
		t.Errorf("%d points, %g m, %+v", len(p), l.Length(), p[3])
	}
	for i := 1; i < len(p); i++ {
		if d := p[i].Position().Distance(p[i-1].Position()); d < 0.2-1e-9 || d > 0.24 {
			t.Errorf("points %d and %d are %g m apart", i-1, i, d)
		}
	}
}

func TestStopsAreWhereTheRobotStands(t *testing.T) {
	l := New(Default())
	mark := func(x, dwell float64, want int) {
		t.Helper()
		if got, err := l.Mark(geom.Pose2{X: x, Theta: 1}, dwell); err != nil || got != want {
			t.Errorf("stop %d, %v; want %d", got, err, want)
		}
	}
	mark(0, 5, 0)
	if err := l.Add(geom.Pose2{X: 0.5}); err != nil {
		t.Fatal(err)
	}
	mark(0.6, 10, 1)  // within the spacing of an ordinary point
	mark(0.65, 20, 1) // corrects it
	if p := l.Points()[2]; p != (route.Point{X: 0.65, Yaw: 1, Dwell: 20}) || l.Stops() != 2 || len(l.Points()) != 3 {
		t.Errorf("points %+v", l.Points())
	}
	mark(0.65, 0, 1) // takes it back
	if l.Stops() != 1 {
		t.Errorf("%d stops", l.Stops())
	}
	for _, dwell := range []float64{-1, 3601, math.NaN(), math.Inf(1)} {
		if _, err := l.Mark(geom.Pose2{X: 0.7}, dwell); !errors.Is(err, ErrDwell) {
			t.Errorf("a wait of %g s: %v", dwell, err)
		}
	}
}

func TestWhatEndsALesson(t *testing.T) {
	l := New(Config{Spacing: 0.2, MaxJump: 1, MaxPoints: 3})
	if err := l.Add(geom.Pose2{X: math.NaN()}); !errors.Is(err, ErrPose) {
		t.Errorf("NaN: %v", err)
	}
	for i := range 3 {
		if err := l.Add(geom.Pose2{X: 0.5 * float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Add(geom.Pose2{X: 3}); !errors.Is(err, ErrJump) {
		t.Errorf("a jump of 2 m: %v", err)
	}
	if err := l.Add(geom.Pose2{X: 1.5}); !errors.Is(err, ErrFull) {
		t.Errorf("a fourth point: %v", err)
	}
	if _, err := l.Mark(geom.Pose2{X: 1.1}, 5); !errors.Is(err, ErrFull) || len(l.Points()) != 3 {
		t.Errorf("a stop beyond the limit: %v", err)
	}
}
