package teleop

import (
	"math"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/molly"
	"sarathi/msg/sensor"
	"sarathi/teleop"
)

// How old what comes at a rate may be before its source counts as silent. What comes when it changes only is believed as long as
// somebody publishes it.
const (
	statusAge     = time.Second      // of the mux, and of poses
	conditionAge  = 5 * time.Second  // of body and health, which come once a second
	batteryAge    = 10 * time.Second // of slow sensors
	visitorsAge   = 2 * time.Second
	noLimit       = time.Duration(math.MaxInt64)
	diagnosticAge = 5 * time.Second
)

// A source is one topic of which the state is made.
type source[T any] struct {
	*bus.Reader[T]
	topic string
	age   time.Duration
}

func newSource[T any](c *node.Context, t *bus.Topic[T], age time.Duration) source[T] {
	return source[T]{bus.NewReader(c, t), c.Bus().Resolve(t.Info().Name), age}
}

// now returns the last message, unless its source is silent or gone.
func (s source[T]) now(now time.Time, who *served) (v T, ok bool) {
	v, at, ok := s.Get()
	return v, ok && now.Sub(at) <= s.age && who.publishes(s.topic)
}

// sources are the topics of which the state is made.
type sources struct {
	control      source[dharma.ControlStatus]
	navigation   source[dharma.NavigationStatus]
	localization source[dharma.LocalizationStatus]
	pose         source[geometry.PoseWithCovarianceStamped]
	route        source[dharma.RouteStatus]
	body         source[dharma.BodyStatus]
	battery      source[sensor.BatteryState]
	diagnostics  source[diagnostic.DiagnosticArray]
	health       source[dharma.HealthStatus]
	trip         source[dharma.OdometryStatus]
	site         source[dharma.SiteStatus]
	pois         source[molly.PoiArray]
	tours        source[molly.TourArray]
	mapping      source[dharma.MappingStatus]
	planner      source[dharma.PlannerStatus]
	tour         source[molly.TourState]
	speech       source[molly.SpeechStatus]
	visitors     source[molly.Visitors]
	greeter      source[molly.GreeterStatus]
	docking      source[dharma.DockingStatus]
}

func newSources(c *node.Context) *sources {
	return &sources{
		control:      newSource(c, topics.ControlStatus, statusAge),
		navigation:   newSource(c, topics.NavigationStatus, noLimit),
		localization: newSource(c, topics.LocalizationStatus, noLimit),
		pose:         newSource(c, topics.LocalizationPose, statusAge),
		route:        newSource(c, topics.RouteStatus, noLimit),
		body:         newSource(c, topics.BodyStatus, conditionAge),
		battery:      newSource(c, topics.BodyBattery, batteryAge),
		diagnostics:  newSource(c, topics.BodyDiagnostics, diagnosticAge),
		health:       newSource(c, topics.HealthStatus, conditionAge),
		trip:         newSource(c, topics.OdometryStatus, conditionAge),
		site:         newSource(c, topics.SiteStatus, noLimit),
		pois:         newSource(c, topics.SitePois, noLimit),
		tours:        newSource(c, topics.SiteTours, noLimit),
		mapping:      newSource(c, topics.MappingStatus, noLimit),
		planner:      newSource(c, topics.PlannerStatus, noLimit),
		tour:         newSource(c, topics.TourState, noLimit),
		speech:       newSource(c, topics.SpeechStatus, noLimit),
		visitors:     newSource(c, topics.Visitors, visitorsAge),
		greeter:      newSource(c, topics.GreeterStatus, noLimit),
		docking:      newSource(c, topics.DockingStatus, noLimit),
	}
}

// state is what the robot reports now. Inspection, people and net have no topics yet.
func (s *sources) state(now time.Time, who *served) teleop.State {
	var st teleop.State
	if m, ok := s.control.now(now, who); ok {
		st.Mode, st.EStop, st.EStopReasons = teleop.Some(m.Mode), teleop.Some(m.Estop), list(m.EstopReasons)
		st.Field = teleop.Some(m.Field)
		st.Cmd = teleop.Some(rosconv.FromTwist(m.Command))
	}
	s.whereabouts(now, who, &st)
	if m, ok := s.battery.now(now, who); ok {
		st.Battery = teleop.Some(teleop.Battery{
			Percent: 100 * float64(m.Percentage), Volts: float64(m.Voltage), Amps: float64(m.Current), Temp: float64(m.Temperature),
		})
	}
	if m, ok := s.body.now(now, who); ok {
		faults, reported := s.diagnostics.now(now, who)
		st.Driver = teleop.Some(driverStatus(&m, faults, reported))
	}
	if m, ok := s.health.now(now, who); ok {
		st.Health = teleop.Some(teleop.Health{
			OK: m.Level == dharma.HealthStatusLevelOk, Issues: m.Issues, SpeedScale: float64(m.SpeedScale),
			CPU: float64(m.CPU), GPU: float64(m.GPU), RAM: float64(m.RAM), RAMUsed: float64(m.RAMUsed), RAMTotal: float64(m.RAMTotal),
			Temp: float64(m.Temp),
		})
	}
	if m, ok := s.trip.now(now, who); ok {
		st.Trip = teleop.Some(teleop.Trip{
			Metres: m.Distance, Moving: m.MovingTime, Speed: float64(m.Speed), Mean: float64(m.AverageSpeed), Top: float64(m.TopSpeed),
			Since: float64(m.Since.Sec) + float64(m.Since.Nanosec)/1e9,
		})
	}
	s.places(now, who, &st)
	s.interaction(now, who, &st)
	return st
}

// list makes a list that is known to be empty different from one that is not known.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func (s *sources) whereabouts(now time.Time, who *served, st *teleop.State) {
	if m, ok := s.navigation.now(now, who); ok {
		st.Nav, st.NavMsg, st.Pause = teleop.Some(m.State), teleop.Some(m.Message), list(m.PauseReasons)
		if m.Total > 0 {
			st.Waypoint = teleop.Some(teleop.Waypoint{Index: int(m.Index) + 1, Total: int(m.Total)})
		}
		st.Speed = teleop.Some(teleop.Speed{Target: float64(m.SpeedTarget), Min: float64(m.SpeedMin), Max: float64(m.SpeedMax)})
	}
	if m, ok := s.localization.now(now, who); ok {
		st.Localization = teleop.Some(m.Source)
	}
	if m, ok := s.pose.now(now, who); ok {
		if p, err := rosconv.FromPose(m.Pose.Pose); err == nil {
			st.Pose = teleop.Some(teleop.Pose{X: p.T.X, Y: p.T.Y, Yaw: p.R.Yaw()})
		}
	}
	if m, ok := s.route.now(now, who); ok {
		st.Recording = teleop.Some(m.Recording)
	}
}

// driverStatus is the worst of what the body said of itself lately.
func driverStatus(m *dharma.BodyStatus, faults diagnostic.DiagnosticArray, reported bool) teleop.DriverStatus {
	out := teleop.DriverStatus{Level: int(diagnostic.DiagnosticStatusOk), Msg: "ok"}
	worse := func(level int, text string) {
		if level > out.Level {
			out = teleop.DriverStatus{Level: level, Msg: text}
		}
	}
	if !m.Connected {
		worse(int(diagnostic.DiagnosticStatusError), "the body is not connected")
	}
	if reported {
		for i := range faults.Status {
			worse(int(faults.Status[i].Level), faults.Status[i].Message)
		}
	}
	if m.Refuses != "" {
		worse(int(diagnostic.DiagnosticStatusWarn), m.Refuses)
	}
	if len(m.Faults) > 0 {
		worse(int(diagnostic.DiagnosticStatusWarn), m.Faults[0])
	}
	return out
}

func (s *sources) places(now time.Time, who *served, st *teleop.State) {
	if m, ok := s.site.now(now, who); ok {
		status := teleop.SiteStatus{Name: m.Site, Map: m.HasMap, Tags: len(m.Tags), Routes: len(m.Routes)}
		if pois, ok := s.pois.now(now, who); ok {
			status.POIs = len(pois.Pois)
		}
		if tours, ok := s.tours.now(now, who); ok {
			status.Tours = len(tours.Tours)
		}
		st.Site = teleop.Some(status)
	}
	if m, ok := s.mapping.now(now, who); ok {
		st.Mapping = teleop.Some(teleop.Mapping{Active: m.Active, Site: m.Site, Scans: int(m.Scans), Area: float64(m.Area)})
	}
	if m, ok := s.planner.now(now, who); ok {
		st.Planner = teleop.Some(teleop.Planner{State: m.State, Goal: m.Goal, Remaining: float64(m.Remaining), Msg: m.Message})
	}
	if m, ok := s.docking.now(now, who); ok {
		st.Docking = teleop.Some(teleop.Docking{State: m.State, Tag: m.Tag, Charging: m.Charging, Msg: m.Message})
	}
}

func (s *sources) interaction(now time.Time, who *served, st *teleop.State) {
	if m, ok := s.tour.now(now, who); ok {
		st.Tour = teleop.Some(teleop.TourStatus{
			State: tourState(m.State), TourID: m.TourID, Name: m.TourName, Index: int(m.CurrentPoiIndex), Total: int(m.TotalPois),
			POIID: m.CurrentPoiID, POIName: m.CurrentPoiName, Activity: m.Activity, Msg: m.Message,
		})
	}
	if m, ok := s.speech.now(now, who); ok {
		st.Speech = teleop.Some(teleop.Speech{State: m.State, Text: m.Text, Queued: int(m.Queued)})
	}
	if m, ok := s.visitors.now(now, who); ok {
		st.Visitors = teleop.Some(teleop.Visitors{
			Count: int(m.Count), Front: int(m.Front), Behind: int(m.Behind), Nearest: float64(m.Nearest),
		})
	}
	if m, ok := s.greeter.now(now, who); ok {
		st.Greeter = teleop.Some(teleop.Greeter{Enabled: m.Enabled, State: m.State})
	}
}

// tourState is the handheld's word for a state of the guide.
func tourState(state uint8) string {
	switch state {
	case molly.TourStateStateIdle:
		return "idle"
	case molly.TourStateStateStarting:
		return "starting"
	case molly.TourStateStateRunning:
		return "running"
	case molly.TourStateStatePaused:
		return "paused"
	case molly.TourStateStateStopping:
		return "stopping"
	default:
		return "error"
	}
}
