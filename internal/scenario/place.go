package scenario

import (
	"fmt"
	"math"
	"time"

	"sarathi/internal/config"
	"sarathi/internal/geom"
	"sarathi/msg/dharma"
)

// Localization is what /localization/status says. Fields that are not given are not looked at.
type Localization struct {
	At     time.Duration `doc:"when"`
	State  string        `doc:"NONE or localized"`
	Source string        `doc:"of the last correction, such as tag:base_map or pose_estimate"`
	Within float64       `unit:"m" doc:"how far the pose may be from the truth"`
}

// Validate reports words that localization never says.
func (l Localization) Validate() error {
	var p config.Problems
	p.Require(l.State != "" || l.Source != "" || l.Within > 0, "", "says nothing about localization: give state, source or within")
	if l.State != "" {
		p.OneOf("state", l.State, dharma.LocalizationStatusStateNone, dharma.LocalizationStatusStateLocalized)
	}
	p.InRange("within", l.Within, 0, 100, "m")
	p.Require(l.Within == 0 || l.State != dharma.LocalizationStatusStateNone, "within", "belongs to a robot that is localized: remove it")
	return p.Err()
}

// Belief is one /localization/status in short.
type Belief struct {
	At      time.Duration
	State   string
	Source  string
	Message string
	Pose    geom.Pose2
}

func (r *Record) checkLocalization(w Localization) string {
	var last *Belief
	for i := range r.Beliefs {
		if r.Beliefs[i].At <= w.At {
			last = &r.Beliefs[i]
		}
	}
	if last == nil {
		return fmt.Sprintf("localization: says nothing before %v", w.At)
	}
	switch {
	case w.State != "" && last.State != w.State:
		return fmt.Sprintf("localization at %v: %s, wanted %s (%s)", w.At, last.State, w.State, last.Message)
	case w.Source != "" && last.Source != w.Source:
		return fmt.Sprintf("localization at %v: by %s, wanted %s", w.At, last.Source, w.Source)
	case w.Within == 0:
		return ""
	case last.State != dharma.LocalizationStatusStateLocalized:
		return fmt.Sprintf("localization at %v: %s, wanted a pose (%s)", w.At, last.State, last.Message)
	}
	truths := r.between(0, last.At)
	if len(truths) == 0 {
		return fmt.Sprintf("localization at %v: nothing is known of the robot", w.At)
	}
	truth := truths[len(truths)-1].Pose
	if off := math.Hypot(last.Pose.X-truth.X, last.Pose.Y-truth.Y); !(off <= w.Within) {
		return fmt.Sprintf("localization at %v: at (%.2f, %.2f), which is %.2f m from the truth, allowed %.2f m", w.At, last.Pose.X, last.Pose.Y, off, w.Within)
	}
	return ""
}
