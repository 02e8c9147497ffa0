package scenario_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/idl"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/scenario"
	"sarathi/internal/script"
	"sarathi/internal/topics"
	"sarathi/msg/stdsrvs"
)

// note serves a service and writes down what it is asked.
func note[Req, Resp any](r *nodetest.Rig, calls *[]string, s *bus.Service[Req, Resp]) {
	nodetest.Serve(r, s, func(q Req) (resp Resp, err error) {
		*calls = append(*calls, s.Info().Name+" "+string(any(&q).(idl.Message).AppendJSON(nil)))
		return resp, nil
	})
}

func TestCommandsOfNavigationReachTheirServices(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	var calls []string
	for _, s := range []*bus.Service[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]{
		topics.StartNavigation, topics.StopNavigation, topics.PauseNavigation, topics.ResumeNavigation, topics.CancelPlan,
		topics.StartRoute, topics.StopRoute,
	} {
		note(r, &calls, s)
	}
	note(r, &calls, topics.GoTo)
	note(r, &calls, topics.LoadPath)
	note(r, &calls, topics.MarkStopPoint)
	note(r, &calls, topics.SetNavSpeed)
	var inputs []script.Input
	for i, in := range []script.Input{
		{Cmd: "go_to", Args: map[string]string{"x": "1.5", "y": "-2"}},
		{Cmd: "go_cancel"},
		{Cmd: "load_route", Args: map[string]string{"file": "hall/routes/a.csv"}},
		{Cmd: "nav_start"},
		{Cmd: "nav_pause"},
		{Cmd: "nav_resume"},
		{Cmd: "nav_speed", Args: map[string]string{"speed": "0.5"}},
		{Cmd: "nav_stop"},
		{Cmd: "record_start"},
		{Cmd: "mark_stop", Args: map[string]string{"dwell": "3"}},
		{Cmd: "record_stop"},
	} {
		in.At = time.Duration(i) * 10 * ms
		inputs = append(inputs, in)
	}
	r.Run(scenario.PilotName, scenario.NewPilot(inputs, nil, &world{}))
	r.Advance(2 * time.Second)
	want := []string{
		`/planner/go_to {"x":1.5,"y":-2,"yaw":0,"goal":""}`, `/planner/cancel {}`, `/navigation/load_path {"file":"hall/routes/a.csv"}`,
		`/navigation/start {}`, `/navigation/pause {}`, `/navigation/resume {}`, `/navigation/set_speed {"speed":0.5}`, `/navigation/stop {}`,
		`/route/start {}`, `/route/mark_stop_point {"dwell_sec":3}`, `/route/stop {}`,
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestAnArgumentThatIsNoNumberFailsThePilot(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	r.ExpectFailure(scenario.PilotName)
	inputs := []script.Input{{At: 100 * ms, Cmd: "go_to", Args: map[string]string{"x": "far"}}}
	r.Run(scenario.PilotName, scenario.NewPilot(inputs, nil, &world{}))
	r.Advance(time.Second)
	if e := r.Node(scenario.PilotName).LastError; !strings.Contains(e, `go_to: x is "far": write a number`) {
		t.Errorf("failed with %q", e)
	}
}
