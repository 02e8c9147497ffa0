package app

import (
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/sim/slamworld"
	"sarathi/internal/topics"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
)

const judgeName = "judge_node"

// judge compares what fusion and slam say with the truth.
type judge struct {
	progress func(at time.Duration, e slamworld.Errors)
	settled  chan struct{} // closed when the truth has been silent for settling

	began, last    time.Time     // of the truth
	at             time.Duration // between
	fused, matched slamworld.Score
}

// Setup implements node.Node.
func (j *judge) Setup(c *node.Context) error {
	bus.Subscribe(c, topics.GroundTruth, j.onTruth)
	bus.Subscribe(c, topics.FusedPose, func(m geometry.PoseWithCovarianceStamped) { j.onEstimate(&j.fused, &m) })
	bus.Subscribe(c, topics.ScanMatchPose, func(m geometry.PoseWithCovarianceStamped) { j.onEstimate(&j.matched, &m) })
	if j.progress != nil {
		c.Every(ProgressPeriod, func(time.Time) { j.progress(j.at, j.fused.Errors()) })
	}
	silent := false
	c.Every(settling/4, func(now time.Time) {
		if !silent && !j.last.IsZero() && now.Sub(j.last) >= settling {
			silent = true
			close(j.settled)
		}
	})
	return nil
}

func (j *judge) onTruth(m nav.Odometry) {
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return
	}
	at := rosconv.FromStamp(m.Header.Stamp)
	if j.began.IsZero() {
		j.began = at
	}
	j.last, j.at = at, at.Sub(j.began)
	for _, s := range []*slamworld.Score{&j.fused, &j.matched} {
		s.AddTruth(j.at, pose.Pose2())
	}
}

func (j *judge) onEstimate(s *slamworld.Score, m *geometry.PoseWithCovarianceStamped) {
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil || j.began.IsZero() {
		return
	}
	s.AddEstimate(rosconv.FromStamp(m.Header.Stamp).Sub(j.began), pose.Pose2())
}
