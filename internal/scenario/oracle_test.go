package scenario_test

import (
	"testing"
	"time"

	"sarathi/internal/node/nodetest"
	"sarathi/internal/rosconv"
	"sarathi/internal/scenario"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
)

func TestTheOracleSaysWhatTheSimulatorKnows(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	poses, statuses := nodetest.Collect(r, topics.LocalizationPose), nodetest.Collect(r, topics.LocalizationStatus)
	r.Run(scenario.OracleName, scenario.NewOracle())
	r.Advance(time.Second)
	if poses.Len() != 0 || statuses.Len() != 0 {
		t.Fatal("it says more than it knows")
	}
	for x := range 3 {
		m := nav.NewOdometry()
		m.Header = rosconv.Header(time.Unix(int64(100+x), 0), "map")
		m.Pose.Pose.Position = geometry.Point{X: float64(x)}
		nodetest.Publish(r, topics.GroundTruth, *m)
		r.Advance(ms)
	}
	got := poses.Values()
	if len(got) != 3 || got[2].Header.FrameID != "map" || got[2].Header.Stamp.Sec != 102 || got[2].Pose.Pose.Position.X != 2 {
		t.Errorf("poses %+v", got)
	}
	if s := statuses.Values(); len(s) != 1 || s[0].State != dharma.LocalizationStatusStateLocalized {
		t.Errorf("statuses %+v", s)
	}
}
