package planner

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/planner"
	"sarathi/internal/geom"
	"sarathi/msg/dharma"
)

// mission is what is done about the last goal.
type mission struct {
	state   string
	name    string // of the path, as the follower reports it
	poi     string
	goal    geom.Pose2
	path    planner.Path
	number  uint64 // of the goal; answers to earlier ones do not count
	replans int
	took    time.Duration // for the last plan
	left    float64       // [m]
	blocked time.Time     // since when the way is blocked without another; zero: it is not
	code    uint16
	message string
}

// under reports whether the mission is still going on.
func (m *mission) under() bool {
	switch m.state {
	case dharma.PlannerStatusStatePlanning, dharma.PlannerStatusStateFollowing, dharma.PlannerStatusStateReplanning:
		return true
	}
	return false
}

// walking reports whether the follower has its path.
func (m *mission) walking() bool {
	return m.state == dharma.PlannerStatusStateFollowing || m.state == dharma.PlannerStatusStateReplanning
}

// begin replaces the goal.
func (m *mission) begin(goal geom.Pose2, poi string) {
	name := poi
	if name == "" {
		name = fmt.Sprintf("%.2f, %.2f", goal.X, goal.Y)
	}
	*m = mission{state: dharma.PlannerStatusStatePlanning, name: name, poi: poi, goal: goal, number: m.number + 1, message: "planning to " + name}
}

// end ends it in one of the last states.
func (m *mission) end(state string, code uint16, message string) {
	m.state, m.code, m.message, m.number = state, code, message, m.number+1
	m.path, m.blocked = planner.Path{}, time.Time{}
}

// followed takes in how far the follower is.
func (m *mission) followed(s *dharma.NavigationStatus) {
	if !m.walking() {
		return
	}
	if s.Path != m.name {
		m.end(dharma.PlannerStatusStateCancelled, 0, "another path was loaded")
		return
	}
	m.left = float64(s.Remaining)
	switch s.State {
	case dharma.NavigationStatusStateGoalReached:
		m.left = 0
		m.end(dharma.PlannerStatusStateArrived, 0, "arrived: "+s.Message)
	case dharma.NavigationStatusStateInactive:
		m.end(dharma.PlannerStatusStateCancelled, 0, "navigation was stopped")
	case dharma.NavigationStatusStateFailed, dharma.NavigationStatusStateOffPath:
		m.end(dharma.PlannerStatusStateFailed, dharma.PlannerStatusErrorNoValidPath, s.Message)
	}
}

// code is Nav2's number for why there is no path.
func code(err error) uint16 {
	for _, c := range []struct {
		err  error
		code uint16
	}{
		{errNoPose, dharma.PlannerStatusErrorTf},
		{errNoMap, dharma.PlannerStatusErrorStartOutside},
		{planner.ErrStartOutside, dharma.PlannerStatusErrorStartOutside},
		{planner.ErrGoalOutside, dharma.PlannerStatusErrorGoalOutside},
		{planner.ErrStartOccupied, dharma.PlannerStatusErrorStartOccupied},
		{planner.ErrGoalOccupied, dharma.PlannerStatusErrorGoalOccupied},
		{planner.ErrGoalUnknown, dharma.PlannerStatusErrorGoalOccupied},
		{planner.ErrTooLong, dharma.PlannerStatusErrorTimeout},
	} {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return dharma.PlannerStatusErrorNoValidPath
}
