package slamworld

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
)

func start(tb testing.TB, cfg Config) *World {
	tb.Helper()
	w, err := New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// Whatever the seed, the robot comes round every building without touching anything.
func TestTheRobotComesRound(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			w := start(t, Config{Building: name, Seed: 3, Laps: 1})
			var truth Sample
			for {
				s, ok := w.Next()
				if !ok {
					break
				}
				if s.Kind == Truth {
					truth = s
				}
				if s.At > 15*time.Minute {
					t.Fatalf("after %v at %v", s.At, truth.Truth.Pose)
				}
			}
			if c := w.Contacts(); len(c) > 0 {
				t.Errorf("collided %d times, first at %v after %v with %v", len(c), c[0].Point, c[0].At, c[0].Thing)
			}
			if d := truth.Truth.Pose.Position().Distance(w.Start().Position()); d > 2*arrived {
				t.Errorf("ended %g m from where it began", d)
			}
			if way := truth.Truth.Distance; math.Abs(way-w.building.length()) > 0.05*way {
				t.Errorf("drove %g m on a way of %g m", way, w.building.length())
			}
			t.Logf("%.0f m in %v", w.building.length(), truth.At)
		})
	}
}

func TestBothWaysRound(t *testing.T) {
	there, back := 0, 0
	for seed := range uint64(20) {
		w := start(t, Config{Building: "ring", Seed: seed})
		if w.route[1] == w.building.route[1] {
			there++
		} else {
			back++
		}
	}
	if there < 3 || back < 3 {
		t.Errorf("%d seeds one way, %d the other", there, back)
	}
}

func TestSensorsSayWhatTheSpecificationSays(t *testing.T) {
	w := start(t, Config{Building: "office", Seed: 1})
	count := map[Kind]int{}
	var last Sample
	var truth, odometry float64 // ways
	var lastTruth, lastOdometry geom.Pose2
	var gyro, turned float64
	for {
		s, ok := w.Next()
		if !ok || s.At > 40*time.Second {
			break
		}
		if s.At < last.At || s.At == last.At && s.Kind <= last.Kind && count[s.Kind] > 0 {
			t.Fatalf("%v at %v after %v at %v", s.Kind, s.At, last.Kind, last.At)
		}
		last = s
		count[s.Kind]++
		switch s.Kind {
		case Truth:
			truth += s.Truth.Pose.Position().Distance(lastTruth.Position())
			turned += geom.AngleDiff(s.Truth.Pose.Theta, lastTruth.Theta)
			if count[Truth] == 1 {
				truth, turned = 0, 0
			}
			lastTruth = s.Truth.Pose
		case Odometry:
			odometry += s.Odometry.Pose.Position().Distance(lastOdometry.Position())
			lastOdometry = s.Odometry.Pose
		case IMU:
			gyro += s.IMU.Rate.Z * IMUPeriod.Seconds()
		case Scan:
			if len(s.Scan.Ranges) != 180 {
				t.Fatalf("%d beams", len(s.Scan.Ranges))
			}
		}
	}
	want := map[Kind]int{Truth: 2001, IMU: 4001, Odometry: 2001, Scan: 401}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("%v samples in 40 s, want %v", count, want)
	}
	if slip := odometry/truth - 1; math.Abs(slip-0.03) > 0.015 {
		t.Errorf("odometry believes %.1f %% more than the way", 100*slip)
	}
	if bias := (gyro - turned) / 40; math.Abs(bias-GyroBias) > 0.005 {
		t.Errorf("the gyro's bias is %.4f rad/s", bias)
	}
	if math.Abs(w.GyroBias()-GyroBias) > 0.02 {
		t.Errorf("bias %.4f rad/s", w.GyroBias())
	}
}

func TestSameSeedSameSamples(t *testing.T) {
	a, b := start(t, Config{Building: "hotel", Seed: 5}), start(t, Config{Building: "hotel", Seed: 5})
	c := start(t, Config{Building: "hotel", Seed: 6})
	differs := false
	for range 2000 {
		x, _ := a.Next()
		y, _ := b.Next()
		z, _ := c.Next()
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("%+v and %+v", x, y)
		}
		differs = differs || !reflect.DeepEqual(x, z)
	}
	if !differs {
		t.Error("another seed gives the same")
	}
}

func TestWrongConfig(t *testing.T) {
	if _, err := New(Config{Building: "castle"}); err == nil || !strings.Contains(err.Error(), "ring, hotel") {
		t.Errorf("%v", err)
	}
	if _, err := New(Config{Building: "ring", Laps: -1}); err == nil || !strings.Contains(err.Error(), "-1 laps") {
		t.Errorf("%v", err)
	}
}

// A minute in a building, all sensors.
func BenchmarkMinute(b *testing.B) {
	for b.Loop() {
		w := start(b, Config{Building: "hotel", Seed: 1})
		for {
			if s, ok := w.Next(); !ok || s.At > time.Minute {
				break
			}
		}
	}
}
