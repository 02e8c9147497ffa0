package teleop

import (
	"sarathi/internal/topics"
	"sarathi/internal/wire"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/stdsrvs"
	"sarathi/teleop"
)

// table maps the commands of both documents to services: the one place to look what a command does. Commands of the documents that
// are not here have no service in package topics; the session refuses them with the name of the node that is missing.
func table() map[string]builder {
	return map[string]builder{
		"estop":         trigger(topics.EStopEngage, callTimeout), // the request went out before, see EffectEStop
		"estop_release": trigger(topics.EStopRelease, callTimeout),
		"set_mode":      simple(topics.SetMode, callTimeout, setMode, func(r *dharma.SetModeResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"trip_reset":    trigger(topics.TripReset, callTimeout),

		"site_list": simple(topics.ListSites, callTimeout, func(teleop.Args) dharma.ListSitesRequest { return dharma.ListSitesRequest{} }, siteList),
		"site_load": simple(topics.LoadSite, slowTimeout,
			func(a teleop.Args) dharma.LoadSiteRequest { return dharma.LoadSiteRequest{Site: a.Text("site")} },
			func(r *dharma.LoadSiteResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"map_start": simple(topics.StartMapping, slowTimeout,
			func(a teleop.Args) dharma.StartMappingRequest {
				return dharma.StartMappingRequest{Site: a.Text("site"), Reset: a.Flag("reset")}
			},
			func(r *dharma.StartMappingResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"map_stop":    trigger(topics.StopMapping, callTimeout),
		"map_save":    trigger(topics.SaveMapping, slowTimeout),
		"get_map":     resent(topics.Map.Info().Name),
		"get_site":    resent(topics.SitePois.Info().Name),
		"get_route":   resent(topics.Waypoints.Info().Name),
		"localize":    trigger(topics.Localize, slowTimeout),
		"record_tags": trigger(topics.RecordTags, callTimeout),
		"dock":        trigger(topics.Dock, slowTimeout),
		"undock":      trigger(topics.Undock, slowTimeout),
		"dock_cancel": trigger(topics.CancelDocking, callTimeout),

		"poi_add":     call(topics.SavePoi, callTimeout, newPOI, savedPOI),
		"poi_update":  call(topics.SavePoi, callTimeout, changedPOI, savedPOI),
		"poi_delete":  simple(topics.DeletePoi, callTimeout, byID, deleted),
		"tour_save":   call(topics.SaveTour, callTimeout, changedTour, savedTour),
		"tour_delete": simple(topics.DeleteTour, callTimeout, byID, deleted),
		"tour_start":  tour(molly.TourControlRequestKindStart),
		"tour_pause":  tour(molly.TourControlRequestKindPause),
		"tour_resume": tour(molly.TourControlRequestKindResume),
		"tour_stop":   tour(molly.TourControlRequestKindStop),
		"tour_skip":   tour(molly.TourControlRequestKindSkip),
		"go_to_poi": simple(topics.GoToPoi, slowTimeout,
			func(a teleop.Args) molly.GoToPoiRequest { return molly.GoToPoiRequest{PoiID: a.Text("id")} },
			func(r *molly.GoToPoiResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"go_to":     simple(topics.GoTo, slowTimeout, goTo, func(r *dharma.GoToResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"go_cancel": trigger(topics.CancelPlan, callTimeout),

		"nav_start":    trigger(topics.StartNavigation, callTimeout),
		"nav_stop":     trigger(topics.StopNavigation, callTimeout),
		"nav_pause":    trigger(topics.PauseNavigation, callTimeout),
		"nav_resume":   trigger(topics.ResumeNavigation, callTimeout),
		"record_start": trigger(topics.StartRoute, callTimeout),
		"record_stop":  trigger(topics.StopRoute, callTimeout),
		"mark_stop": simple(topics.MarkStopPoint, callTimeout,
			func(a teleop.Args) dharma.MarkStopPointRequest {
				return dharma.MarkStopPointRequest{DwellSec: a.Number("dwell")}
			},
			func(r *dharma.MarkStopPointResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"load_route": simple(topics.LoadPath, slowTimeout,
			func(a teleop.Args) dharma.LoadPathRequest { return dharma.LoadPathRequest{File: a.Text("file")} },
			func(r *dharma.LoadPathResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"list_routes": simple(topics.ListRoutes, callTimeout, func(teleop.Args) dharma.ListRoutesRequest { return dharma.ListRoutesRequest{} }, routeList),
		"nav_speed": simple(topics.SetNavSpeed, callTimeout,
			func(a teleop.Args) dharma.SetNavSpeedRequest {
				return dharma.SetNavSpeedRequest{Speed: float32(a.Number("speed"))}
			},
			func(r *dharma.SetNavSpeedResponse) teleop.Result { return plain(r.Success, r.Message) }),

		"say":         simple(topics.Say, callTimeout, say, said),
		"stop_speech": trigger(topics.StopSpeech, callTimeout),
		"greet":       trigger(topics.Greet, callTimeout),
		"greeter_set": simple(topics.SetGreeter, callTimeout,
			func(a teleop.Args) stdsrvs.SetBoolRequest { return stdsrvs.SetBoolRequest{Data: a.Flag("enabled")} },
			func(r *stdsrvs.SetBoolResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"gesture": simple(topics.Gesture, slowTimeout,
			func(a teleop.Args) molly.GestureRequest { return molly.GestureRequest{Name: a.Text("name")} },
			func(r *molly.GestureResponse) teleop.Result { return plain(r.Success, r.Message) }),
		"ask": simple(topics.Ask, askTimeout, question, answer),
	}
}

func setMode(a teleop.Args) dharma.SetModeRequest {
	return dharma.SetModeRequest{Mode: a.Text("mode"), Source: dharma.SetModeRequestSourceHandheld}
}

func siteList(r *dharma.ListSitesResponse) teleop.Result {
	return withData(r.Success, r.Message, func(dst []byte) []byte {
		dst = wire.JSONStrings(append(dst, `{"sites":`...), r.Sites)
		return append(wire.JSONString(append(dst, `,"active":`...), r.Active), '}')
	})
}

func routeList(r *dharma.ListRoutesResponse) teleop.Result {
	return withData(r.Success, r.Message, func(dst []byte) []byte { return wire.JSONStrings(dst, r.Routes) })
}

func goTo(a teleop.Args) dharma.GoToRequest {
	return dharma.GoToRequest{X: a.Number("x"), Y: a.Number("y"), Yaw: a.Number("yaw")}
}

func say(a teleop.Args) molly.SayRequest {
	return molly.SayRequest{Text: a.Text("text"), Language: a.Text("lang"), Interrupt: a.Flag("interrupt")}
}

func said(r *molly.SayResponse) teleop.Result {
	return withData(r.Success, r.Message, field("id", r.ID))
}

func question(a teleop.Args) molly.AskRequest {
	return molly.AskRequest{Question: a.Text("question"), Language: a.Text("lang"), Speak: a.Flag("speak")}
}

func answer(r *molly.AskResponse) teleop.Result {
	return withData(r.Success, r.Message, field("answer", r.Answer))
}

// tour commands the guide.
func tour(kind uint8) builder {
	return simple(topics.TourControl, callTimeout, func(a teleop.Args) molly.TourControlRequest {
		return molly.TourControlRequest{Kind: kind, TourID: a.Text("tour_id"), PoiIds: a.Texts("poi_ids")}
	}, func(r *molly.TourControlResponse) teleop.Result { return plain(r.Success, r.Message) })
}
