package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
)

// Planning, following, teaching.
var (
	PlannerStatus = bus.NewTopic[dharma.PlannerStatus]("/planner/status", bus.Latched,
		"state, goal, remaining way, replans")
	PlannerPath = bus.NewTopic[nav.Path]("/planner/path", bus.Latched,
		"planned path, map")
	PlannerCostmap = bus.NewTopic[nav.OccupancyGrid]("/planner/costmap", bus.Latched,
		"costs the planner works on, map")
	Waypoints = bus.NewTopic[dharma.WaypointPath]("/navigation/waypoints", bus.Latched,
		"loaded route with its stop points, map")
	NavigationPath = bus.NewTopic[nav.Path]("/navigation/path", bus.Latched,
		"loaded route as a path, map")
	NavigationStatus = bus.NewTopic[dharma.NavigationStatus]("/navigation/status", bus.Latched,
		"state, pause reasons, index, remaining way")
	StopPoint = bus.NewTopic[dharma.StopPointEvent]("/navigation/stop_point", bus.Queue(16),
		"arrival, dwell and departure at stop points of the route")
	RouteStatus = bus.NewTopic[dharma.RouteStatus]("/route/status", bus.Latched,
		"route recording (Sarathi)")
	ScheduleStatus = bus.NewTopic[dharma.ScheduleStatus]("/schedule/status", bus.Latched,
		"patrols by the time of day: what runs, what is next, why the last was skipped (Sarathi)")

	GoTo = bus.NewService[dharma.GoToRequest, dharma.GoToResponse]("/planner/go_to", dharma.GoToService,
		"plan to a pose, load the path, start")
	PlanPath = bus.NewService[dharma.PlanPathRequest, dharma.PlanPathResponse]("/planner/plan", dharma.PlanPathService,
		"plan without moving")
	CancelPlan = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/planner/cancel", stdsrvs.TriggerService,
		"give up the goal")
	LoadPath = bus.NewService[dharma.LoadPathRequest, dharma.LoadPathResponse]("/navigation/load_path", dharma.LoadPathService,
		"load a route file inside the sites directory")
	SetPath = bus.NewService[dharma.SetPathRequest, dharma.SetPathResponse]("/navigation/set_path", dharma.SetPathService,
		"follow the given path")
	StartNavigation = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/navigation/start", stdsrvs.TriggerService,
		"start along the loaded path")
	StopNavigation = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/navigation/stop", stdsrvs.TriggerService,
		"stop and forget the progress")
	PauseNavigation = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/navigation/pause", stdsrvs.TriggerService,
		"hold, keeping the progress")
	ResumeNavigation = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/navigation/resume", stdsrvs.TriggerService,
		"go on after a pause")
	SetNavSpeed = bus.NewService[dharma.SetNavSpeedRequest, dharma.SetNavSpeedResponse]("/navigation/set_speed", dharma.SetNavSpeedService,
		"walking speed until the next restart (Sarathi)")
	ListRoutes = bus.NewService[dharma.ListRoutesRequest, dharma.ListRoutesResponse]("/navigation/list_routes", dharma.ListRoutesService,
		"taught routes of one site or all, newest first (Sarathi)")
	StartRoute = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/route/start", stdsrvs.TriggerService,
		"teach a route")
	StopRoute = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/route/stop", stdsrvs.TriggerService,
		"end teaching and keep the route")
	MarkStopPoint = bus.NewService[dharma.MarkStopPointRequest, dharma.MarkStopPointResponse]("/route/mark_stop_point", dharma.MarkStopPointService,
		"stop point at the present pose")

	DockingStatus = bus.NewTopic[dharma.DockingStatus]("/docking/status", bus.Latched,
		"state of docking, tag, charging")
	Dock = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/docking/dock", stdsrvs.TriggerService,
		"dock onto the charger in view")
	Undock = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/docking/undock", stdsrvs.TriggerService,
		"leave the charger")
	CancelDocking = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/docking/cancel", stdsrvs.TriggerService,
		"give up docking")
)
