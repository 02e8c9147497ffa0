package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sarathi/internal/config"
	"sarathi/msg/dharma"
)

// Navigation is what /navigation/status says. Fields that are not given are not looked at.
type Navigation struct {
	At       time.Duration `doc:"when"`
	State    []string      `doc:"any of these states of the path follower, such as PAUSED"`
	PausedBy []string      `doc:"exactly these pause reasons, in any order"`
	MinLap   int           `doc:"laps that are finished at least"`
}

// Passes wants the robot near a place.
type Passes struct {
	From   time.Duration `doc:"begin"`
	Until  time.Duration `doc:"end"`
	X      float64       `unit:"m" doc:"where"`
	Y      float64       `unit:"m" doc:"where"`
	Within float64       `unit:"m" doc:"tolerance"`
}

// Validate reports words that the path follower never says.
func (n Navigation) Validate() error {
	var p config.Problems
	p.Require(len(n.State) > 0 || len(n.PausedBy) > 0 || n.MinLap > 0, "", "says nothing about navigation: give state, paused_by or min_lap")
	for i, s := range n.State {
		p.OneOf(fmt.Sprintf("state[%d]", i), s, dharma.NavigationStatusStateInactive, dharma.NavigationStatusStateJoining,
			dharma.NavigationStatusStateFollowing, dharma.NavigationStatusStateApproaching, dharma.NavigationStatusStateDwelling,
			dharma.NavigationStatusStatePaused, dharma.NavigationStatusStateBlocked, dharma.NavigationStatusStateOffPath,
			dharma.NavigationStatusStateGoalReached, dharma.NavigationStatusStateFailed)
	}
	p.IntInRange("min_lap", n.MinLap, 0, 1000)
	return p.Err()
}

// Validate reports an empty interval and a place without a tolerance.
func (w Passes) Validate() error {
	var p config.Problems
	p.Nested("", interval(w.From, w.Until))
	p.Positive("within", w.Within, "m")
	return p.Err()
}

func (r *Record) checkNavigation(w Navigation) string {
	var last *Progress
	for i := range r.Progress {
		if r.Progress[i].At <= w.At {
			last = &r.Progress[i]
		}
	}
	if last == nil {
		return fmt.Sprintf("navigation: says nothing before %v", w.At)
	}
	has, want := slices.Sorted(slices.Values(last.PauseReasons)), slices.Sorted(slices.Values(w.PausedBy))
	switch {
	case len(w.State) > 0 && !slices.Contains(w.State, last.State):
		return fmt.Sprintf("navigation at %v: %s, wanted %s (%s)", w.At, last.State, strings.Join(w.State, " or "), last.Message)
	case len(want) > 0 && !slices.Equal(has, want):
		return fmt.Sprintf("navigation at %v: paused by %q, wanted %q", w.At, has, want)
	case last.Lap < w.MinLap:
		return fmt.Sprintf("navigation at %v: %d laps are finished, wanted %d", w.At, last.Lap, w.MinLap)
	}
	return ""
}

func (r *Record) checkPasses(w Passes) string {
	if s := r.watched(w.From, w.Until); s != "" {
		return "passes: " + s
	}
	nearest := math.Inf(1)
	for _, t := range r.between(w.From, w.Until) {
		nearest = min(nearest, math.Hypot(t.Pose.X-w.X, t.Pose.Y-w.Y))
	}
	if nearest > w.Within {
		return fmt.Sprintf("passes: %.2f m from (%.2f, %.2f) at best between %v and %v, wanted %.2f m", nearest, w.X, w.Y, w.From, w.Until, w.Within)
	}
	return ""
}
