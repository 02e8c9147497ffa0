package teleop_test

import (
	"slices"
	"strings"
	"testing"

	"sarathi/internal/bus"
	"sarathi/internal/idl"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/molly"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
	"sarathi/teleop"
)

// unserved are the commands for which package topics has no service yet.
var unserved = []string{"inspection_set", "inspection_models", "inspection_categories", "people_set"}

// asked is a request that a service got.
type asked struct{ service, request string }

// serve answers a service and notes its requests.
func serve[Req, Resp any](c *node.Context, log chan asked, s *bus.Service[Req, Resp], resp Resp) {
	bus.Serve(c, s, func(req Req) (Resp, error) {
		m := any(&req).(idl.Message)
		log <- asked{s.Info().Name, string(m.AppendJSON(nil))}
		return resp, nil
	})
}

// everything stands for the nodes of the whole robot but the mux.
func everything(log chan asked) func(c *node.Context) {
	return func(c *node.Context) {
		ok := stdsrvs.TriggerResponse{Success: true, Message: "done"}
		for _, s := range []*bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]{
			topics.TripReset, topics.StopMapping, topics.SaveMapping, topics.Localize, topics.RecordTags, topics.Dock, topics.Undock,
			topics.CancelDocking, topics.CancelPlan, topics.StartNavigation, topics.StopNavigation, topics.PauseNavigation,
			topics.ResumeNavigation, topics.StartRoute, topics.StopRoute, topics.StopSpeech, topics.Greet,
		} {
			serve(c, log, s, ok)
		}
		serve(c, log, topics.ListSites, dharma.ListSitesResponse{Success: true, Sites: []string{"attic", "lobby"}, Active: "lobby"})
		serve(c, log, topics.LoadSite, dharma.LoadSiteResponse{Success: true})
		serve(c, log, topics.StartMapping, dharma.StartMappingResponse{Success: true})
		desk := molly.Poi{ID: "desk", Name: "Desk", X: 1, Y: 2, Yaw: 0.5, Narration: "Hello", DwellSec: 4}
		serve(c, log, topics.SavePoi, molly.SavePoiResponse{Success: true, Poi: desk})
		serve(c, log, topics.DeletePoi, molly.DeleteByIdResponse{Success: true})
		all := molly.Tour{ID: "all", Name: "All", PoiIds: []string{"desk"}}
		serve(c, log, topics.SaveTour, molly.SaveTourResponse{Success: true, Tour: all})
		serve(c, log, topics.DeleteTour, molly.DeleteByIdResponse{Message: "no such tour"})
		serve(c, log, topics.TourControl, molly.TourControlResponse{Success: true})
		serve(c, log, topics.GoToPoi, molly.GoToPoiResponse{Success: true})
		serve(c, log, topics.GoTo, dharma.GoToResponse{Success: true})
		serve(c, log, topics.MarkStopPoint, dharma.MarkStopPointResponse{Success: true})
		serve(c, log, topics.LoadPath, dharma.LoadPathResponse{Success: true, Message: "smoothed by 2 cm"})
		serve(c, log, topics.ListRoutes, dharma.ListRoutesResponse{Success: true, Routes: []string{"lobby/routes/b.csv", "attic/routes/a.csv"}})
		serve(c, log, topics.SetNavSpeed, dharma.SetNavSpeedResponse{Success: true, Speed: 0.5})
		serve(c, log, topics.Say, molly.SayResponse{Success: true, ID: "17"})
		serve(c, log, topics.SetGreeter, stdsrvs.SetBoolResponse{Success: true})
		serve(c, log, topics.Gesture, molly.GestureResponse{Success: true})
		serve(c, log, topics.Ask, molly.AskResponse{Success: true, Answer: "42"})
		publish(c, topics.SitePois, molly.PoiArray{Site: "lobby", Pois: []molly.Poi{desk}})
		publish(c, topics.SiteTours, molly.TourArray{Site: "lobby", Tours: []molly.Tour{all}})
		publish(c, topics.SiteStatus, dharma.SiteStatus{Site: "lobby"})
		publish(c, topics.Waypoints, dharma.WaypointPath{})
		publish(c, topics.Map, nav.OccupancyGrid{})
	}
}

// commandCases are what handhelds say, which request comes of it, and which data the ack has.
var commandCases = []struct{ words, service, request, data string }{
	{"trip_reset", "/odometry/trip_reset", `{}`, ``},
	{"site_list", "/site/list", `{}`, `{"sites":["attic","lobby"],"active":"lobby"}`},
	{"site_load site=attic", "/site/load", `{"site":"attic"}`, ``},
	{"map_start site=new", "/mapping/start", `{"site":"new","reset":true}`, ``},
	{"map_start site=old reset=false", "/mapping/start", `{"site":"old","reset":false}`, ``},
	{"map_stop", "/mapping/stop", `{}`, ``},
	{"map_save", "/mapping/save", `{}`, ``},
	{"localize", "/localization/start", `{}`, ``},
	{"record_tags", "/localization/record_tags", `{}`, ``},
	{"dock", "/docking/dock", `{}`, ``},
	{"undock", "/docking/undock", `{}`, ``},
	{"dock_cancel", "/docking/cancel", `{}`, ``},
	{
		`poi_add name=Door narration=Here language=en dwell=7`, "/site/save_poi",
		`{"poi":{"id":"","name":"Door","description":"","x":0,"y":0,"yaw":0,"narration":"Here","language":"en","gesture":"","dwell_sec":7},"at_robot_pose":true}`,
		`{"id":"desk","name":"Desk","description":"","x":1,"y":2,"yaw":0.5,"narration":"Hello","language":"","gesture":"","dwell":4}`,
	},
	{
		`poi_update poi={"id":"desk","narration":"","y":3,"here":false}`, "/site/save_poi",
		`{"poi":{"id":"desk","name":"Desk","description":"","x":1,"y":3,"yaw":0.5,"narration":"","language":"","gesture":"","dwell_sec":4},"at_robot_pose":false}`,
		`{"id":"desk","name":"Desk","description":"","x":1,"y":2,"yaw":0.5,"narration":"Hello","language":"","gesture":"","dwell":4}`,
	},
	{
		`poi_update poi={"id":"desk","name":"Table","here":true}`, "/site/save_poi",
		`{"poi":{"id":"desk","name":"Table","description":"","x":1,"y":2,"yaw":0.5,"narration":"Hello","language":"","gesture":"","dwell_sec":4},"at_robot_pose":true}`,
		`{"id":"desk","name":"Desk","description":"","x":1,"y":2,"yaw":0.5,"narration":"Hello","language":"","gesture":"","dwell":4}`,
	},
	{"poi_delete id=desk", "/site/delete_poi", `{"id":"desk"}`, ``},
	{
		`tour_save tour={"name":"New","poi_ids":["desk","desk"]}`, "/site/save_tour",
		`{"tour":{"id":"","name":"New","description":"","poi_ids":["desk","desk"],"return_poi_id":""}}`,
		`{"id":"all","name":"All","description":"","poi_ids":["desk"],"return_poi_id":""}`,
	},
	{
		`tour_save tour={"id":"all","return_poi_id":"desk"}`, "/site/save_tour",
		`{"tour":{"id":"all","name":"All","description":"","poi_ids":["desk"],"return_poi_id":"desk"}}`,
		`{"id":"all","name":"All","description":"","poi_ids":["desk"],"return_poi_id":""}`,
	},
	{"tour_start tour_id=all", "/tour/control", `{"kind":0,"tour_id":"all","poi_ids":[]}`, ``},
	{"tour_start poi_ids=desk,desk", "/tour/control", `{"kind":0,"tour_id":"","poi_ids":["desk","desk"]}`, ``},
	{"tour_pause", "/tour/control", `{"kind":1,"tour_id":"","poi_ids":[]}`, ``},
	{"tour_resume", "/tour/control", `{"kind":2,"tour_id":"","poi_ids":[]}`, ``},
	{"tour_stop", "/tour/control", `{"kind":3,"tour_id":"","poi_ids":[]}`, ``},
	{"tour_skip", "/tour/control", `{"kind":4,"tour_id":"","poi_ids":[]}`, ``},
	{"go_to_poi id=desk", "/guide/go_to_poi", `{"poi_id":"desk"}`, ``},
	{"go_to x=1.5 y=-2 yaw=3", "/planner/go_to", `{"x":1.5,"y":-2,"yaw":3,"goal":""}`, ``},
	{"go_cancel", "/planner/cancel", `{}`, ``},
	{"nav_start", "/navigation/start", `{}`, ``},
	{"nav_stop", "/navigation/stop", `{}`, ``},
	{"nav_pause", "/navigation/pause", `{}`, ``},
	{"nav_resume", "/navigation/resume", `{}`, ``},
	{"record_start", "/route/start", `{}`, ``},
	{"record_stop", "/route/stop", `{}`, ``},
	{"mark_stop dwell=30", "/route/mark_stop_point", `{"dwell_sec":30}`, ``},
	{"load_route file=lobby/routes/a.csv", "/navigation/load_path", `{"file":"lobby/routes/a.csv"}`, ``},
	{"list_routes", "/navigation/list_routes", `{"site":""}`, `["lobby/routes/b.csv","attic/routes/a.csv"]`},
	{"nav_speed speed=0.5", "/navigation/set_speed", `{"speed":0.5}`, ``},
	{"say text=hi lang=en interrupt=true", "/interaction/say", `{"text":"hi","language":"en","interrupt":true}`, `{"id":"17"}`},
	{"stop_speech", "/interaction/stop_speech", `{}`, ``},
	{"greet", "/interaction/greet", `{}`, ``},
	{"greeter_set enabled=true", "/interaction/set_greeter", `{"data":true}`, ``},
	{"gesture name=bow", "/interaction/gesture", `{"name":"bow"}`, ``},
	{"ask question=why?", "/interaction/ask", `{"question":"why?","language":"","speak":true}`, `{"answer":"42"}`},
}

func TestEveryCommandCallsItsService(t *testing.T) {
	log := make(chan asked, 16)
	cfg := config()
	cfg.Gestures = []string{"bow"}
	r := newRobot(t, cfg, everything(log))
	handhelds := map[*teleop.Dialect]*handheld{}
	proved := []string{"estop", "estop_release", "set_mode", "get_map", "get_route", "get_site", "tour_delete"} // elsewhere
	for _, d := range teleop.Dialects() {
		handhelds[d] = r.connect(d)
	}
	for d, h := range handhelds {
		for _, tc := range commandCases {
			words := strings.Fields(tc.words)
			if d.Command(words[0]) == nil {
				continue
			}
			args, err := d.ParseArgs(words[0], words[1:])
			if err != nil {
				t.Fatal(err)
			}
			proved = append(proved, words[0])
			a := h.must(words[0], args)
			if got := await(t, tc.words, log); got != (asked{tc.service, tc.request}) {
				t.Errorf("%s %s calls %s with %s, want %s", d.Name, tc.words, got.service, got.request, tc.request)
			}
			if string(a.Data) != tc.data {
				t.Errorf("%s %s: data %s, want %s", d.Name, tc.words, a.Data, tc.data)
			}
		}
		offered := h.Snapshot().Welcome.Commands
		for _, c := range d.Commands {
			if missing := slices.Contains(unserved, c.Name); missing == slices.Contains(offered, c.Name) {
				t.Errorf("%s: %s: offered %v", d.Name, c.Name, !missing)
			} else if !missing && !slices.Contains(proved, c.Name) {
				t.Errorf("%s: nothing proves what %s does", d.Name, c.Name)
			}
		}
	}
	h := r.connect(teleop.Molly())
	w := h.Snapshot().Welcome
	if got := strings.Join(w.Features, " "); got != "mapping planner guide speech greeter conversation docking" {
		t.Errorf("features %s", got)
	}
	if got := strings.Join(w.Gestures, " "); got != "bow" {
		t.Errorf("gestures %s", got)
	}
	id := func(id string) teleop.Args { return teleop.Args{{Name: "id", Value: teleop.Text(id)}} }
	if a := h.do("tour_delete", id("x")); a.OK || a.Msg != "no such tour" {
		t.Errorf("%+v", a)
	}
	await(t, "tour_delete", log)
	if a := h.do("poi_update", teleop.Args{{Name: "poi", Value: teleop.Object(id("attic"))}}); a.OK || !strings.Contains(a.Msg, `no POI "attic"`) {
		t.Errorf("%+v", a)
	}
}

func TestACommandWithoutItsNodeIsRefusedByName(t *testing.T) {
	r := newRobot(t, config(), nil)
	h := r.connect(teleop.Molly())
	offered := h.Snapshot().Welcome.Commands
	if got := strings.Join(offered, " "); got != "estop estop_release set_mode stand_up sit_down wave emergency_stop" {
		t.Errorf("welcome.commands are %s", got)
	}
	if w := h.Snapshot().Welcome; len(w.Features) != 0 || len(w.Gestures) != 0 {
		t.Errorf("%+v", w)
	}
	for command, server := range map[string]string{"dock": "docking_node", "site_list": "site_manager_node", "nav_start": "path_follower_node"} {
		if a := h.do(command, nil); a.OK || !strings.Contains(a.Msg, server) {
			t.Errorf("%s: %+v", command, a)
		}
	}
}

// The node of a command comes and goes while a handheld is connected.
func TestWhatIsOfferedFollowsTheRobot(t *testing.T) {
	log := make(chan asked, 4)
	r := newRobot(t, config(), nil)
	h := r.connect(teleop.Pashupati())
	end := make(chan func(), 1)
	r.fixture.ctx.Post(func() {
		s := &leaving{Context: r.fixture.ctx}
		serve(s.Context, log, topics.Dock, stdsrvs.TriggerResponse{Success: true})
		bus.Serve(s, topics.TripReset, func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
			return stdsrvs.TriggerResponse{Success: true}, nil
		})
		end <- s.end
	})
	leave := await(t, "the services", end)
	if a := h.do("trip_reset", nil); a.OK {
		t.Error("a command that was not offered is carried out")
	}
	h.leave()
	for range 100 { // its end is heard of a little later
		h = r.connect(teleop.Pashupati())
		if slices.Contains(h.Snapshot().Welcome.Commands, "trip_reset") {
			break
		}
		h.leave()
	}
	h.must("trip_reset", nil)
	leave()
	if a := h.do("trip_reset", nil); a.OK || a.Msg != "trip_reset needs odometry_monitor_node, which is not running" {
		t.Errorf("%+v", a)
	}
}

// leaving is a client of the bus that ends before its node does.
type leaving struct {
	*node.Context
	undo func()
}

func (l *leaving) Own(undo func()) (forget func()) {
	l.undo = undo
	return func() {}
}

func (l *leaving) end() { l.undo() }
