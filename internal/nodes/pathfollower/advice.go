package pathfollower

import (
	"fmt"
	"time"

	"sarathi/internal/algo/avoidance"
	"sarathi/internal/algo/follower"
	"sarathi/internal/geom"
	"sarathi/internal/rosconv"
	"sarathi/msg/dharma"
)

// adviser keeps the advice on obstacles up to date.
type adviser struct {
	avoid  *avoidance.Avoider // nil: obstacles are the mux's business
	advice follower.Advice
	why    string // in words, when it holds the robot back
}

func newAdviser(cfg Config) (adviser, error) {
	if cfg.Avoid == AvoidNothing {
		return adviser{}, nil
	}
	a, err := avoidance.New(cfg.avoidance())
	return adviser{avoid: a}, err
}

// update takes in sectors, if they are newer than what the advice rests on.
func (a *adviser) update(now time.Time, m *dharma.SectorScan, f *follower.Follower, pose geom.Pose2) {
	stamp := rosconv.FromStamp(m.Header.Stamp)
	if a.avoid == nil || !stamp.After(a.advice.Stamp) {
		return
	}
	aim, _ := f.Aim(pose)
	s := avoidance.Sectors{AngleMin: float64(m.AngleMin), Increment: float64(m.AngleIncrement), RangeMax: float64(m.RangeMax), Ranges: m.Ranges}
	got, err := a.avoid.Step(now, &s, aim)
	if err != nil {
		a.why = err.Error()
		return // as if they had not come: the follower waits
	}
	a.advice = follower.Advice{Stamp: stamp, Scale: got.Scale, Aside: got.Aside, Emergency: got.Emergency}
	switch {
	case got.Emergency:
		a.why = fmt.Sprintf("something is %.1f m ahead", got.Front)
	case got.Shut:
		a.why = "there is no way around"
	default:
		a.why = ""
	}
}
