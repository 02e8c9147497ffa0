package topics

import (
	"sarathi/internal/bus"
	"sarathi/msg/molly"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/visualization"
)

// Guiding and interaction.
var (
	Visitors = bus.NewTopic[molly.Visitors]("/perception/visitors", bus.Latest,
		"people around the robot")
	VisitorMarkers = bus.NewTopic[visualization.MarkerArray]("/perception/visitor_markers", bus.Latest,
		"people around the robot, for RViz")
	TourState = bus.NewTopic[molly.TourState]("/tour/state", bus.Latched,
		"state, tour, stop, activity, message")
	TourCommand = bus.NewTopic[molly.TourCommand]("/tour/cmd", bus.Queue(8),
		"like /tour/control, without an answer")
	SpeechStatus = bus.NewTopic[molly.SpeechStatus]("/interaction/speech_status", bus.Latched,
		"what is being said")
	GreeterStatus = bus.NewTopic[molly.GreeterStatus]("/interaction/greeter", bus.Latched,
		"automatic greeting")
	Conversation = bus.NewTopic[molly.Conversation]("/interaction/conversation", bus.Queue(8),
		"one for each question")

	TourControl = bus.NewService[molly.TourControlRequest, molly.TourControlResponse]("/tour/control", molly.TourControlService,
		"START, PAUSE, RESUME, STOP, SKIP")
	GetTourState = bus.NewService[molly.GetTourStateRequest, molly.GetTourStateResponse]("/tour/get_state", molly.GetTourStateService,
		"state of the tour")
	GoToPoi = bus.NewService[molly.GoToPoiRequest, molly.GoToPoiResponse]("/guide/go_to_poi", molly.GoToPoiService,
		"walk to one point of interest; refused during a tour")
	Say = bus.NewService[molly.SayRequest, molly.SayResponse]("/interaction/say", molly.SayService,
		"speak")
	StopSpeech = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/interaction/stop_speech", stdsrvs.TriggerService,
		"be silent and drop the queue")
	Gesture = bus.NewService[molly.GestureRequest, molly.GestureResponse]("/interaction/gesture", molly.GestureService,
		"robot gesture, only while standing still")
	Greet = bus.NewService[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]("/interaction/greet", stdsrvs.TriggerService,
		"greet the visitor in front now")
	SetGreeter = bus.NewService[stdsrvs.SetBoolRequest, stdsrvs.SetBoolResponse]("/interaction/set_greeter", stdsrvs.SetBoolService,
		"greet approaching visitors automatically, on or off")
	Ask = bus.NewService[molly.AskRequest, molly.AskResponse]("/interaction/ask", molly.AskService,
		"ask the conversation model")
)
