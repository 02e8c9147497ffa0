package topics

import "sarathi/internal/bus"

// Topics returns the declarations of all topics, in the order of the files.
func Topics() []bus.TopicInfo {
	all := []interface{ Info() bus.TopicInfo }{
		BodyCmdVel, BodyOdometry, BodyIMU, BodyJointStates, BodyBattery, BodyDiagnostics, BodyScan, BodyPoints,
		BodyImage, BodyCameraInfo, BodyStatus, GroundTruth, SimStatus, LidarOdometry, InitialPose, SayText,
		NavCmdVel, HandheldCmdVel, DashboardCmdVel, EStopRequest, NavigationStarted, NavigationPause,
		ControlStatus, SectorScan, SafetyScan, OdometryStatus, HealthStatus, Visitors, VisitorMarkers, TourState,
		TourCommand, SpeechStatus, GreeterStatus, Conversation, PlannerStatus, PlannerPath, PlannerCostmap,
		Waypoints, NavigationPath, NavigationStatus, StopPoint, RouteStatus, ScheduleStatus, DockingStatus, Map, SiteStatus,
		SitePois, SiteTours, MappingGrid, MappingStatus, LocalizationStatus, LocalizationPose, TagMarkers, Tags, TF,
		TFStatic, Rosout, IMU, Odom, Scan, FusedPose, ScanMatchPose, SlamDiagnostics, FusionDiagnostics,
	}
	out := make([]bus.TopicInfo, len(all))
	for i, t := range all {
		out[i] = t.Info()
	}
	return out
}

// Services returns the declarations of all services but the body's skills.
func Services() []bus.ServiceInfo {
	all := []interface{ Info() bus.ServiceInfo }{
		SimHardwareEStop, SetMode, EStopEngage, EStopRelease, TripReset, TourControl, GetTourState, GoToPoi, Say,
		StopSpeech, Gesture, Greet, SetGreeter, Ask, GoTo, PlanPath, CancelPlan, LoadPath, SetPath,
		StartNavigation, StopNavigation, PauseNavigation, ResumeNavigation, SetNavSpeed, ListRoutes, StartRoute, StopRoute, MarkStopPoint,
		Dock, Undock, CancelDocking, ListSites, LoadSite, SavePoi, DeletePoi, SaveTour, DeleteTour, StartMapping,
		StopMapping, SaveMapping, StartGrid, StopGrid, SaveGrid, Localize, RecordTags, LoadTags, AssumeOrigin, ResetLocalization,
	}
	out := make([]bus.ServiceInfo, len(all))
	for i, s := range all {
		out[i] = s.Info()
	}
	return out
}
