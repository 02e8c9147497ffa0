package slamworld_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"sarathi/internal/geom"
	"sarathi/internal/node/nodetest"
	world "sarathi/internal/nodes/slamworld"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
)

func TestSensorsArePublishedWhenTheySpeak(t *testing.T) {
	n, err := world.New(slamworld.Config{Building: "office", Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	odom, imu := nodetest.Collect(r, topics.Odom), nodetest.Collect(r, topics.IMU)
	scan, truth := nodetest.Collect(r, topics.Scan), nodetest.Collect(r, topics.GroundTruth)
	r.Run(world.Name, n)
	r.Advance(5 * time.Second)
	if o, i, s, g := odom.Len(), imu.Len(), scan.Len(), truth.Len(); o < 249 || i < 499 || s < 50 || g < 249 || s > 51 || i > 501 {
		t.Errorf("%d odometries, %d readings of the gyro, %d scans, %d truths in 5 s", o, i, s, g)
	}
	for _, m := range scan.All() {
		if late := m.At - rosconv.FromStamp(m.Value.Header.Stamp).Sub(r.Now().Add(-r.Elapsed())); late < 0 || late > 10*time.Millisecond {
			t.Fatalf("a scan came %v after its stamp", late)
		}
	}
	s := scan.Latest().Value
	if len(s.Ranges) != 180 || s.Header.FrameID != "base_link" || math.Abs(float64(s.AngleMax-s.AngleMin-179*s.AngleIncrement)) > 1e-5 {
		t.Errorf("%d beams from %g to %g by %g in %s", len(s.Ranges), s.AngleMin, s.AngleMax, s.AngleIncrement, s.Header.FrameID)
	}
	first, err := rosconv.FromPose(truth.All()[0].Value.Pose.Pose)
	if err != nil || first.Pose2() != (geom.Pose2{}) {
		t.Errorf("the robot begins at %v in the map (%v)", first, err)
	}
	if z := imu.Latest().Value.LinearAcceleration.Z; math.Abs(z-9.8) > 1 {
		t.Errorf("gravity is %g", z)
	}
}

func TestArrival(t *testing.T) {
	done := 0
	n, err := world.New(slamworld.Config{Building: "office", Seed: 1, Laps: 1}, func() { done++ })
	if err != nil {
		t.Fatal(err)
	}
	r := nodetest.New(t, nodetest.Options{})
	r.Run(world.Name, n)
	r.AdvanceUntil("the arrival", 5*time.Minute, func() bool { return done > 0 })
	scan := nodetest.Collect(r, topics.Scan)
	r.Advance(time.Second)
	if done != 1 || scan.Len() > 0 {
		t.Errorf("arrived %d times, %d scans after that", done, scan.Len())
	}
}

func TestUnknownBuilding(t *testing.T) {
	if _, err := world.New(slamworld.Config{Building: "tent"}, nil); err == nil || !strings.Contains(err.Error(), "tent") {
		t.Error(err)
	}
}
