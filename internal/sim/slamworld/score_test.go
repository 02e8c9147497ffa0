package slamworld

import (
	"math"
	"testing"
	"time"

	"sarathi/internal/geom"
)

func TestScore(t *testing.T) {
	start := geom.Pose2{X: 3, Y: -2, Theta: 1}
	path := func(i int) geom.Pose2 {
		return geom.Pose2{X: 0.1 * float64(i), Y: 0.002 * float64(i*i), Theta: 0.01 * float64(i)}
	}
	at := func(i int) time.Duration { return time.Duration(i) * 100 * time.Millisecond }
	about := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	tests := []struct {
		name string
		off  geom.Pose2 // of the map, seen from the start
		want Errors
	}{
		{"exact", geom.Pose2{}, Errors{Poses: 100}},
		{"moved map", geom.Pose2{X: 0.3, Y: 0.4}, Errors{Poses: 100, RMS: 0.5, Worst: 0.5, Last: 0.5}},
		{"turned map", geom.Pose2{Theta: 0.1}, Errors{Poses: 100, RMS: -1, Worst: -1, Last: -1, HeadingRMS: 0.1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Score
			for i := range 101 {
				s.AddTruth(at(i), start.Mul(path(i)))
			}
			s.AddTruth(at(3), geom.Pose2{}) // out of order: ignored
			for i := range 100 {
				s.AddEstimate(at(i), tt.off.Mul(path(i)))
			}
			s.AddEstimate(at(-1), geom.Pose2{X: 99}) // the truth of these times is not known
			s.AddEstimate(at(102), geom.Pose2{X: 99})
			got := s.Errors()
			if got.Poses != tt.want.Poses || !about(got.AlignedRMS, 0) || !about(got.HeadingRMS, tt.want.HeadingRMS) {
				t.Errorf("%+v", got)
			}
			if tt.want.RMS >= 0 && !(about(got.RMS, tt.want.RMS) && about(got.Worst, tt.want.Worst) && about(got.Last, tt.want.Last)) {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			if tt.want.RMS < 0 && !(got.Worst > got.RMS && got.RMS > 0.1) {
				t.Errorf("%+v of a turned map", got)
			}
		})
	}
	if got := (&Score{}).Errors(); got != (Errors{}) {
		t.Errorf("of nothing: %+v", got)
	}
	var between Score
	between.AddTruth(0, start)
	between.AddTruth(time.Second, start.Mul(geom.Pose2{X: 1}))
	between.AddEstimate(250*time.Millisecond, geom.Pose2{X: 0.25})
	if got := between.Errors(); got.Poses != 1 || got.RMS > 1e-9 {
		t.Errorf("between two truths: %+v", got)
	}
}
