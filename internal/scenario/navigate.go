package scenario

import (
	"fmt"
	"strconv"

	"sarathi/internal/bus"
	"sarathi/internal/script"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/stdsrvs"
)

// navigate carries out a command of navigation, by the names that handhelds use. It reports whether it is one.
func (p *Pilot) navigate(in script.Input) bool {
	if s, ok := map[string]*bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]{
		"nav_start": topics.StartNavigation, "nav_stop": topics.StopNavigation, "nav_pause": topics.PauseNavigation,
		"nav_resume": topics.ResumeNavigation, "go_cancel": topics.CancelPlan, "record_start": topics.StartRoute, "record_stop": topics.StopRoute,
	}[in.Cmd]; ok {
		ask(p, in, s, stdsrvs.TriggerRequest{}, func(r stdsrvs.TriggerResponse) (bool, string) { return r.Success, r.Message })
		return true
	}
	switch in.Cmd {
	case "go_to":
		ask(p, in, topics.GoTo, dharma.GoToRequest{X: p.number(in, "x"), Y: p.number(in, "y"), Yaw: p.number(in, "yaw")},
			func(r dharma.GoToResponse) (bool, string) { return r.Success, r.Message })
	case "load_route":
		ask(p, in, topics.LoadPath, dharma.LoadPathRequest{File: in.Args["file"]},
			func(r dharma.LoadPathResponse) (bool, string) { return r.Success, r.Message })
	case "mark_stop":
		ask(p, in, topics.MarkStopPoint, dharma.MarkStopPointRequest{DwellSec: p.number(in, "dwell")},
			func(r dharma.MarkStopPointResponse) (bool, string) { return r.Success, r.Message })
	case "nav_speed":
		ask(p, in, topics.SetNavSpeed, dharma.SetNavSpeedRequest{Speed: float32(p.number(in, "speed"))},
			func(r dharma.SetNavSpeedResponse) (bool, string) { return r.Success, r.Message })
	default:
		return false
	}
	return true
}

// number reads an argument; one that is missing is 0, one that is no number fails the pilot.
func (p *Pilot) number(in script.Input, name string) float64 {
	text, given := in.Args[name]
	if !given {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.c.Fail(fmt.Errorf("scenario command at %v: %s: %s is %q: write a number", in.At, in.Cmd, name, text))
	}
	return v
}

// ask calls a service of a command and logs its answer.
func ask[Req, Resp any](p *Pilot, in script.Input, s *bus.Service[Req, Resp], req Req, read func(Resp) (bool, string)) {
	bus.NewCaller(p.c, s).Call(req, callTimeout, func(r Resp, err error) {
		success, message := read(r)
		p.answered(in.Cmd, success, message, err)
	})
}
