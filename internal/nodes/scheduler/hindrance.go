package scheduler

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sarathi/internal/algo/schedule"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/sensor"
)

// muxMaxAge is how old the status of the mux may be.
const muxMaxAge = time.Second

// senses is what the node looks at before it lets the robot go.
type senses struct {
	control      *bus.Reader[dharma.ControlStatus]
	localization *bus.Reader[dharma.LocalizationStatus]
	navigation   *bus.Reader[dharma.NavigationStatus]
	planner      *bus.Reader[dharma.PlannerStatus]
	mapping      *bus.Reader[dharma.MappingStatus]
	teaching     *bus.Reader[dharma.RouteStatus]
	docking      *bus.Reader[dharma.DockingStatus]
	tour         *bus.Reader[molly.TourState]
	site         *bus.Reader[dharma.SiteStatus]
	battery      *bus.Reader[sensor.BatteryState]
}

func newSenses(c *node.Context) senses {
	return senses{
		control:      bus.NewReader(c, topics.ControlStatus),
		localization: bus.NewReader(c, topics.LocalizationStatus),
		navigation:   bus.NewReader(c, topics.NavigationStatus),
		planner:      bus.NewReader(c, topics.PlannerStatus),
		mapping:      bus.NewReader(c, topics.MappingStatus),
		teaching:     bus.NewReader(c, topics.RouteStatus),
		docking:      bus.NewReader(c, topics.DockingStatus),
		tour:         bus.NewReader(c, topics.TourState),
		site:         bus.NewReader(c, topics.SiteStatus),
		battery:      bus.NewReader(c, topics.BodyBattery),
	}
}

// facts is what the schedule is told.
func (s *senses) facts(now time.Time, lowBattery float64) schedule.Facts {
	f := schedule.Facts{Now: now, Hindrance: s.person(now)}
	if m, _, ok := s.navigation.Get(); ok {
		f.Navigation = navigation(&m)
	}
	if f.Hindrance.Reason == "" {
		f.Hindrance = schedule.Hindrance{Reason: s.other(), Passes: false}
	}
	if f.Hindrance.Reason == "" {
		f.Hindrance = schedule.Hindrance{Reason: s.unready(lowBattery), Passes: true}
	}
	return f
}

// person is a person who has stopped or drives the robot.
func (s *senses) person(now time.Time) schedule.Hindrance {
	m, stamp, ok := s.control.Get()
	switch {
	case !ok || now.Sub(stamp) > muxMaxAge:
		return schedule.Hindrance{Reason: "the control mux says nothing", Passes: true}
	case m.Estop:
		return schedule.Hindrance{Reason: "the e-stop is engaged: release it"}
	case m.Mode != dharma.ControlStatusModeAuto:
		return schedule.Hindrance{Reason: "a person drives: the mode is " + m.Mode}
	}
	return schedule.Hindrance{}
}

// other is what the robot does already.
func (s *senses) other() string {
	if m, _, ok := s.navigation.Get(); ok {
		switch held := holds(&m); {
		case following(m.State):
			return fmt.Sprintf("another navigation is active: %q", m.Path)
		case len(held) > 0:
			return fmt.Sprintf("navigation is held by %s: start and resume it once by hand", strings.Join(held, ", "))
		}
	}
	if m, _, ok := s.planner.Get(); ok {
		switch m.State {
		case dharma.PlannerStatusStatePlanning, dharma.PlannerStatusStateFollowing, dharma.PlannerStatusStateReplanning:
			return "another navigation is active: the planner is " + m.State
		}
	}
	if m, _, ok := s.mapping.Get(); ok && m.Active {
		return "the site is being mapped"
	}
	if m, _, ok := s.teaching.Get(); ok && m.Recording {
		return "a route is being taught"
	}
	if m, _, ok := s.tour.Get(); ok && m.State != molly.TourStateStateIdle && m.State != molly.TourStateStateError {
		return "a tour is under way"
	}
	return ""
}

// unready is what the robot lacks, and may have later without a person.
func (s *senses) unready(lowBattery float64) string {
	localization, _, known := s.localization.Get()
	site, _, loaded := s.site.Get()
	battery, _, _ := s.battery.Get()
	docking, _, docks := s.docking.Get()
	_, _, follows := s.navigation.Get()
	switch {
	case !loaded || site.Site == "":
		return "no site is active: load one"
	case !known || localization.State != dharma.LocalizationStatusStateLocalized:
		return "the robot is not localized: start the localization"
	case !follows:
		return "the path follower says nothing"
	case docks && docking.State != dharma.DockingStatusStateIdle && docking.State != dharma.DockingStatusStateFailed:
		return "the robot is at its charger: docking is " + docking.State
	case battery.PowerSupplyStatus == sensor.BatteryStatePowerSupplyStatusCharging:
		return "the battery is being charged"
	case battery.PowerSupplyStatus != sensor.BatteryStatePowerSupplyStatusUnknown && float64(battery.Percentage) < lowBattery: // false for NaN
		return fmt.Sprintf("the battery is low: %.0f %%", 100*battery.Percentage)
	}
	return ""
}

// following reports whether the follower is under way, also when it is paused.
func following(state string) bool {
	switch state {
	case dharma.NavigationStatusStateJoining, dharma.NavigationStatusStateFollowing, dharma.NavigationStatusStateApproaching,
		dharma.NavigationStatusStateDwelling, dharma.NavigationStatusStatePaused, dharma.NavigationStatusStateBlocked:
		return true
	}
	return false
}

// holds are the reasons to pause that do not end by themselves, and that a start would not clear. A start clears the operator's.
func holds(m *dharma.NavigationStatus) []string {
	return slices.DeleteFunc(slices.Clone(m.PauseReasons), func(r string) bool {
		return r == "localization" || r == "avoidance" || r == dharma.NavigationStatusPauseOperator
	})
}

// navigation is how the follower does.
func navigation(m *dharma.NavigationStatus) schedule.Navigation {
	n := schedule.Navigation{Active: following(m.State), Path: m.Path, Lap: int(m.Lap)}
	for _, r := range m.PauseReasons {
		n.Held = n.Held || r == dharma.NavigationStatusPauseOperator || r == dharma.NavigationStatusPauseRemote || r == dharma.NavigationStatusPauseEstop
	}
	switch m.State {
	case dharma.NavigationStatusStateGoalReached:
		n.Outcome = "the route is walked to its end"
	case dharma.NavigationStatusStateFailed, dharma.NavigationStatusStateOffPath:
		n.Outcome = m.Message
	default:
		n.Outcome = "somebody stopped it"
	}
	return n
}
