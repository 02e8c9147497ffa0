package teleop

import "slices"

// The commands that the session itself knows.
const (
	CommandEStop         = "estop"
	CommandEmergencyStop = "emergency_stop" // the robot driver's; it latches the software e-stop too
	commandGesture       = "gesture"
	commandSpeed         = "nav_speed"
	commandGetMap        = "get_map"
	commandGetSite       = "get_site"
	commandGetRoute      = "get_route"
)

// Names of the nodes that carry commands out, for messages.
const (
	nodeMux          = "control_mux_node"
	nodeSites        = "site_manager_node"
	nodeContent      = "site_content_node"
	nodeLocalization = "localization_node"
	nodeOdometry     = "odometry_monitor_node"
	nodeDocking      = "docking_node"
	nodeGuide        = "guide_node"
	nodePlanner      = "planner_node"
	nodeFollower     = "path_follower_node"
	nodeLoader       = "path_loader_node"
	nodeRecorder     = "route_recorder_node"
	nodeSpeech       = "speech_node"
	nodeInteraction  = "interaction_node"
	nodeConversation = "conversation_node"
	nodeInspection   = "anomaly_detector_node"
	nodePeople       = "person_detector_node"
)

func plain(node string, names ...string) []CommandSpec {
	var out []CommandSpec
	for _, name := range names {
		out = append(out, CommandSpec{Name: name, Node: node})
	}
	return out
}

func name(field string) ArgSpec { return ArgSpec{Name: field, Kind: KindText, Limit: MaxName} }

func required(s ArgSpec) ArgSpec {
	s.Required = true
	return s
}

func free(field string, limit int) ArgSpec { return ArgSpec{Name: field, Kind: KindText, Limit: limit} }

func id(field string) ArgSpec { return ArgSpec{Name: field, Kind: KindText, Form: FormID} }

func toggle(field string) ArgSpec { return ArgSpec{Name: field, Kind: KindFlag} }

func toggleOr(field string, absent bool) ArgSpec {
	return ArgSpec{Name: field, Kind: KindFlag, Default: Flag(absent)}
}

func number(field string, least, most float64, unit string) ArgSpec {
	return ArgSpec{Name: field, Kind: KindNumber, Min: least, Max: most, Unit: unit}
}

// farthest bounds coordinates [m]; a robot that is asked to walk farther was asked wrongly.
const farthest = 1e5

// mostTurns bounds angles [rad]; they are normalised later, but a huge one has no direction left.
const mostTurns = 1e3

const (
	longestDwell = 600  // [s] at a POI
	longestStop  = 3600 // [s] at a stop point
	mostStops    = 256  // POIs of a tour
	longestPath  = 512  // characters
)

// estops are the commands of both dialects that the mux carries out.
func estops() []CommandSpec {
	mode := required(ArgSpec{Name: "mode", Kind: KindText, OneOf: []string{"auto", "remote"}, Limit: MaxName})
	return append(plain(nodeMux, CommandEStop, "estop_release"), CommandSpec{Name: "set_mode", Node: nodeMux, Args: []ArgSpec{mode}})
}

func navSpeed() CommandSpec {
	// Only the sign is known beforehand: the session compares with state.speed.
	return CommandSpec{Name: commandSpeed, Node: nodeFollower, Args: []ArgSpec{required(number("speed", 0, 10, "m/s"))}}
}

func recording() []CommandSpec {
	dwell := number("dwell", 0, longestStop, "s")
	dwell.Default = Number(10) // what the public robots do
	file := required(ArgSpec{Name: "file", Kind: KindText, Form: FormRoute, Limit: longestPath})
	return slices.Concat(
		plain(nodeRecorder, "record_start", "record_stop"),
		[]CommandSpec{
			{Name: "mark_stop", Node: nodeRecorder, Args: []ArgSpec{dwell}},
			{Name: "list_routes", Node: nodeLoader},
			{Name: "load_route", Node: nodeLoader, Args: []ArgSpec{file}},
			{Name: commandGetRoute, Node: nodeFollower, Resend: StreamRoute},
		},
	)
}

func inspection() []CommandSpec {
	category := []ArgSpec{
		required(ArgSpec{Name: "name", Kind: KindText, Form: FormWord, Limit: MaxName}),
		{Name: "desc", Kind: KindText, Limit: 200, Empty: true},
		toggleOr("report", false),
	}
	set := CommandSpec{Name: "inspection_set", Node: nodeInspection, Args: []ArgSpec{
		toggle("enabled"),
		name("model"),
		number("interval", -86400, 86400, "s"),
		{Name: "categories", Kind: KindList, Min: 1, Max: 12, Fields: category},
	}, Check: func(a Args) error {
		if len(a) == 0 {
			return &ArgError{"", "give enabled, model, interval or categories"}
		}
		return nil
	}}
	return append([]CommandSpec{set}, plain(nodeInspection, "inspection_models", "inspection_categories")...)
}

// sites are Molly's commands about maps and places.
func sites() []CommandSpec {
	return slices.Concat(
		[]CommandSpec{
			{Name: "site_list", Node: nodeSites},
			{Name: "site_load", Node: nodeSites, Slow: true, Args: []ArgSpec{required(id("site"))}},
			{Name: "map_start", Node: nodeSites, Args: []ArgSpec{required(id("site")), toggleOr("reset", true)}},
		},
		plain(nodeSites, "map_stop", "map_save"),
		[]CommandSpec{
			{Name: commandGetMap, Node: nodeSites, Resend: StreamMap},
			{Name: commandGetSite, Node: nodeContent, Resend: StreamSite},
			{Name: "localize", Node: nodeLocalization},
		},
		plain(nodeDocking, "dock", "undock", "dock_cancel"),
		plain(nodeLocalization, "record_tags"),
	)
}

// places are Molly's commands about POIs and tours.
func places() []CommandSpec {
	details := []ArgSpec{
		free("narration", MaxNarration), name("language"), name("gesture"),
		number("dwell", 0, longestDwell, "s"), free("description", MaxDescription),
	}
	// In an update "" empties a field.
	changed := slices.Clone(details)
	for i := range changed {
		changed[i].Empty = changed[i].Kind == KindText
	}
	poi := slices.Concat(
		[]ArgSpec{required(id("id")), name("name")}, changed,
		[]ArgSpec{
			number("x", -farthest, farthest, "m"), number("y", -farthest, farthest, "m"),
			number("yaw", -mostTurns, mostTurns, "rad"), toggleOr("here", false),
		},
	)
	stops := ArgSpec{Name: "poi_ids", Kind: KindList, Min: 0, Max: mostStops, Form: FormID}
	emptyID := func(field string) ArgSpec { return ArgSpec{Name: field, Kind: KindText, Form: FormID, Empty: true} }
	tour := []ArgSpec{
		emptyID("id"), name("name"),
		{Name: "description", Kind: KindText, Limit: MaxDescription, Empty: true},
		stops, emptyID("return_poi_id"),
	}
	return []CommandSpec{
		{Name: "poi_add", Node: nodeContent, Args: append([]ArgSpec{required(name("name"))}, details...)},
		{Name: "poi_update", Node: nodeContent, Args: []ArgSpec{{Name: "poi", Kind: KindObject, Required: true, Fields: poi}}},
		{Name: "poi_delete", Node: nodeContent, Args: []ArgSpec{required(id("id"))}},
		{Name: "tour_save", Node: nodeContent, Check: nameNewTour, Args: []ArgSpec{{Name: "tour", Kind: KindObject, Required: true, Fields: tour}}},
		{Name: "tour_delete", Node: nodeContent, Args: []ArgSpec{required(id("id"))}},
		{Name: "tour_start", Node: nodeGuide, Check: oneTour, Args: []ArgSpec{id("tour_id"), stops}},
	}
}

func nameNewTour(a Args) error {
	if tour := a.Object("tour"); tour.Text("id") == "" && tour.Text("name") == "" {
		return &ArgError{"tour.name", "is missing: a new tour needs a name"}
	}
	return nil
}

func oneTour(a Args) error {
	if given := a.Text("tour_id") != ""; given == (len(a.Texts("poi_ids")) > 0) {
		return &ArgError{"", "give either tour_id or poi_ids"}
	}
	return nil
}

// walking are Molly's commands that make the robot go.
func walking() []CommandSpec {
	pose := []ArgSpec{
		required(number("x", -farthest, farthest, "m")), required(number("y", -farthest, farthest, "m")),
		required(number("yaw", -mostTurns, mostTurns, "rad")),
	}
	return slices.Concat(
		plain(nodeGuide, "tour_pause", "tour_resume", "tour_stop", "tour_skip"),
		[]CommandSpec{
			{Name: "go_to_poi", Node: nodeGuide, Slow: true, Args: []ArgSpec{required(id("id"))}},
			{Name: "go_to", Node: nodePlanner, Args: pose},
			{Name: "go_cancel", Node: nodePlanner},
		},
	)
}

// interaction are Molly's commands for talking with visitors.
func interaction() []CommandSpec {
	return []CommandSpec{
		{Name: "say", Node: nodeSpeech, Args: []ArgSpec{required(free("text", MaxSay)), name("lang"), toggleOr("interrupt", false)}},
		{Name: "stop_speech", Node: nodeSpeech},
		{Name: "greet", Node: nodeInteraction},
		{Name: "greeter_set", Node: nodeInteraction, Args: []ArgSpec{required(toggle("enabled"))}},
		{Name: commandGesture, Node: nodeInteraction, Args: []ArgSpec{required(name("name"))}},
		{
			Name: "ask", Node: nodeConversation, Slow: true,
			Args: []ArgSpec{required(free("question", MaxQuestion)), name("lang"), toggleOr("speak", true)},
		},
	}
}

func mollyCommands() []CommandSpec {
	return slices.Concat(
		estops(), sites(), places(), walking(),
		plain(nodeFollower, "nav_start", "nav_stop", "nav_pause", "nav_resume"),
		[]CommandSpec{navSpeed()}, recording(), interaction(),
	)
}

func pashupatiCommands() []CommandSpec {
	return slices.Concat(
		estops(),
		plain(nodeFollower, "nav_start", "nav_stop", "nav_pause", "nav_resume"),
		recording(),
		plain(nodeLocalization, "localize", "record_tags"),
		inspection(),
		[]CommandSpec{{Name: "people_set", Node: nodePeople, Args: []ArgSpec{required(toggle("enabled"))}}, navSpeed()},
		plain(nodeOdometry, "trip_reset"),
		plain(nodeDocking, "dock", "undock"),
	)
}

// Molly returns the dialect of Molly v1: UDP 9880, magic MLY1.
func Molly() *Dialect {
	return &Dialect{
		Name: MollyName, Port: 9880, Magic: [4]byte([]byte("MLY1")), Protocol: "molly-1", Guide: true,
		Commands: mollyCommands(), fields: mollyFields(),
		Streams: []Stream{StreamCamera, StreamLidar, StreamRoute, StreamMap, StreamSite},
	}
}

// Pashupati returns the dialect of Pashupati v1: UDP 9870, magic PSH1.
func Pashupati() *Dialect {
	return &Dialect{
		Name: PashupatiName, Port: 9870, Magic: [4]byte([]byte("PSH1")),
		Commands: pashupatiCommands(), fields: pashupatiFields(),
		Streams: []Stream{StreamCamera, StreamLidar, StreamRoute},
	}
}
