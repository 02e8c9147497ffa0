package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/molly"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/visualization"
)

// Sites and mapping.
var (
	Map = bus.NewTopic[nav.OccupancyGrid]("/map", bus.Latched,
		"the live grid while mapping, the site map otherwise")
	SiteStatus = bus.NewTopic[dharma.SiteStatus]("/site/status", bus.Latched,
		"active site, sites, map, tags, routes")
	SitePois = bus.NewTopic[molly.PoiArray]("/site/pois", bus.Latched,
		"points of interest of the active site, in list order")
	SiteTours = bus.NewTopic[molly.TourArray]("/site/tours", bus.Latched,
		"tours of the active site")
	MappingGrid = bus.NewTopic[nav.OccupancyGrid]("/mapping/grid", bus.Latched,
		"grid under construction")
	MappingStatus = bus.NewTopic[dharma.MappingStatus]("/mapping/status", bus.Latched,
		"active, site, scans, known area")

	ListSites = bus.NewService[dharma.ListSitesRequest, dharma.ListSitesResponse]("/site/list", dharma.ListSitesService,
		"names of the sites, and the active one")
	LoadSite = bus.NewService[dharma.LoadSiteRequest, dharma.LoadSiteResponse]("/site/load", dharma.LoadSiteService,
		"make a site active")
	SavePoi = bus.NewService[molly.SavePoiRequest, molly.SavePoiResponse]("/site/save_poi", molly.SavePoiService,
		"create or change a point of interest")
	DeletePoi = bus.NewService[molly.DeleteByIdRequest, molly.DeleteByIdResponse]("/site/delete_poi", molly.DeleteByIdService,
		"remove a point of interest, also from the tours")
	SaveTour = bus.NewService[molly.SaveTourRequest, molly.SaveTourResponse]("/site/save_tour", molly.SaveTourService,
		"create or change a tour")
	DeleteTour = bus.NewService[molly.DeleteByIdRequest, molly.DeleteByIdResponse]("/site/delete_tour", molly.DeleteByIdService,
		"remove a tour")
	StartMapping = bus.NewService[dharma.StartMappingRequest, dharma.StartMappingResponse]("/mapping/start", dharma.StartMappingService,
		"map into a site, new or existing")
	StopMapping = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/mapping/stop", stdsrvs.TriggerService,
		"end the mapping session")
	SaveMapping = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/mapping/save", stdsrvs.TriggerService,
		"write the grid into the active site and reload it")

	// Sarathi: the site manager drives the grid mapper through these.
	StartGrid = bus.NewService[dharma.StartMappingRequest, dharma.StartMappingResponse]("/mapping/grid/start", dharma.StartMappingService,
		"integrate scans; reset begins with an empty grid, else the site's map goes on")
	StopGrid = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/mapping/grid/stop", stdsrvs.TriggerService,
		"integrate no more scans; the grid stays, so that it can be saved")
	SaveGrid = bus.NewService[dharma.LoadSiteRequest, dharma.LoadSiteResponse]("/mapping/grid/save", dharma.LoadSiteService,
		"write the grid and what mapping goes on with into a site")
)

// Localization.
var (
	LocalizationStatus = bus.NewTopic[dharma.LocalizationStatus]("/localization/status", bus.Latched,
		"state, source of the last correction, tags in view")
	LocalizationPose = bus.NewTopic[geometry.PoseWithCovarianceStamped]("/localization/pose", bus.Latest,
		"map to base_link while localized")
	Tags = bus.NewTopic[dharma.TagDetections]("/perception/tags", bus.Latest,
		"AprilTags in the camera's image, with both poses of each")
	TagMarkers = bus.NewTopic[visualization.MarkerArray]("/localization/tag_markers", bus.Latched,
		"AprilTags of the site, for RViz")

	Localize = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/localization/start", stdsrvs.TriggerService,
		"localize from a visible tag")
	RecordTags = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/localization/record_tags", stdsrvs.TriggerService,
		"save the visible tags into the active site")
	LoadTags = bus.NewService[dharma.LoadFileRequest, dharma.LoadFileResponse]("/localization/load_tags", dharma.LoadFileService,
		"use the tags of a file; the site manager calls it")
	AssumeOrigin = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/localization/assume_origin", stdsrvs.TriggerService,
		"take the present pose as the map origin")
	ResetLocalization = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/localization/reset", stdsrvs.TriggerService,
		"forget where the robot is")
)
