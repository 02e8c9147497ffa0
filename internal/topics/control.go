package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// Motion: what sources ask of the control mux, and what stops it.
var (
	NavCmdVel = bus.NewTopic[geometry.Twist]("/control/nav_cmd_vel", bus.Queue(8),
		"velocity asked by navigation, base_link; used in auto")
	HandheldCmdVel = bus.NewTopic[geometry.Twist]("/control/remote/handheld/cmd_vel", bus.Queue(8),
		"velocity asked by the handheld, base_link; used in remote with the handheld selected")
	DashboardCmdVel = bus.NewTopic[geometry.Twist]("/control/remote/dashboard/cmd_vel", bus.Queue(8),
		"velocity asked by the dashboard, base_link; used in remote with the dashboard selected")
	EStopRequest = bus.NewTopic[std.String]("/control/estop_request", bus.Queue(16),
		"engages the e-stop with a reason; anyone may")
	NavigationStarted = bus.NewTopic[std.String]("/control/navigation_started", bus.Queue(4),
		"navigation was started or resumed by a deliberate act; until then the mux ignores its commands (Sarathi)")
	NavigationPause = bus.NewTopic[std.String]("/control/navigation_pause", bus.Queue(4),
		"the mux asks navigation to pause, with the reason: remote or estop (Sarathi)")
	ControlStatus = bus.NewTopic[dharma.ControlStatus]("/control/status", bus.Latched,
		"mode, source, e-stop and reasons, protective field, speed scale, velocity sent")
)

// Services of the control mux.
var (
	SetMode = bus.NewService[dharma.SetModeRequest, dharma.SetModeResponse]("/control/set_mode", dharma.SetModeService,
		"auto, or remote with a source; stops the robot first")
	EStopEngage = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/control/estop/engage", stdsrvs.TriggerService,
		"engage the e-stop")
	EStopRelease = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/control/estop/release", stdsrvs.TriggerService,
		"release the e-stop; refused while a held cause is active")
)

// Perception and condition.
var (
	SectorScan = bus.NewTopic[dharma.SectorScan]("/perception/sector_scan", bus.Latest,
		"nearest return per front sector, base_link, for avoidance")
	SafetyScan = bus.NewTopic[dharma.SectorScan]("/perception/safety_scan", bus.Latest,
		"nearest return per sector all around, base_link, for the protective field")
	OdometryStatus = bus.NewTopic[dharma.OdometryStatus]("/odometry/status", bus.Latched,
		"trip meter: distance, moving time, speeds")
	TripReset = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/odometry/trip_reset", stdsrvs.TriggerService,
		"put the trip meter back to zero")
	HealthStatus = bus.NewTopic[dharma.HealthStatus]("/health/status", bus.Latched,
		"level, issues, sensor rates, computer load, speed scale")
)
