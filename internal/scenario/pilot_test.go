package scenario_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/node/nodetest"
	"sarathi/internal/scenario"
	"sarathi/internal/script"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

const ms = time.Millisecond

// world remembers what happens in it.
type world struct {
	happened []scenario.Event
	refuse   error
}

func (w *world) Happen(e scenario.Event) error {
	w.happened = append(w.happened, e)
	return w.refuse
}

// fly runs a pilot and returns what it sends to the handheld's topic.
func fly(t *testing.T, inputs []script.Input, events []scenario.Event, w *world) (*nodetest.Rig, *nodetest.Collector[geometry.Twist]) {
	t.Helper()
	r := nodetest.New(t, nodetest.Options{})
	sticks := nodetest.Collect(r, topics.HandheldCmdVel)
	r.Run(scenario.PilotName, scenario.NewPilot(inputs, events, w))
	return r, sticks
}

func TestThePilotPlaysInputsOnTheTopicsOfTheirSources(t *testing.T) {
	step := func(as string, vx script.JoyValue) script.Step {
		return script.Step{At: 100 * ms, As: as, Joy: &script.Joy{vx, 0, 0}, For: 100 * ms, Rate: 20}
	}
	inputs := script.Inputs([]script.Step{
		step(script.Handheld, 1), step(script.Dashboard, 2), step(script.Navigation, 3),
		{At: 170 * ms, As: script.Handheld, Joy: &script.Joy{script.JoyValue(math.NaN()), 0, 0}, For: 50 * ms, Rate: 20},
	}, 0, nil)
	r, handheld := fly(t, inputs, nil, &world{})
	dashboard, navigation := nodetest.Collect(r, topics.DashboardCmdVel), nodetest.Collect(r, topics.NavCmdVel)
	r.Advance(time.Second)
	if got := handheld.All(); len(got) != 3 || got[0].At != 100*ms || got[0].Value.Linear.X != 1 || got[2].At != 170*ms || !math.IsNaN(got[2].Value.Linear.X) {
		t.Errorf("handheld: %+v", got)
	}
	if d, n := dashboard.Values(), navigation.Values(); len(d) != 2 || d[0].Linear.X != 2 || len(n) != 2 || n[0].Linear.X != 3 {
		t.Errorf("dashboard %+v, navigation %+v", d, n)
	}
}

// The pilot's time is that of the scenario: a clock that jumps neither hurries nor stops it.
func TestTheClockOfTheNodesDoesNotConcernThePilot(t *testing.T) {
	inputs := script.Inputs([]script.Step{{As: script.Handheld, Joy: &script.Joy{}, For: time.Second, Rate: 10}}, 0, nil)
	r, sticks := fly(t, inputs, nil, &world{})
	r.Advance(250 * ms)
	for _, jump := range []time.Duration{time.Hour, -3 * time.Hour} {
		sticks.Take()
		r.Exec.Jump(jump)
		r.Advance(300 * ms)
		if n := sticks.Len(); n != 3 {
			t.Errorf("%d inputs in 300 ms after a jump by %v, want 3", n, jump)
		}
	}
}

func TestCommandsReachTheirServices(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	var calls []string
	trigger := func(name string) func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
		return func(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
			calls = append(calls, name)
			return stdsrvs.TriggerResponse{Success: true}, nil
		}
	}
	nodetest.Serve(r, topics.EStopEngage, trigger("engage"))
	nodetest.Serve(r, topics.EStopRelease, trigger("release"))
	nodetest.Serve(r, topics.TripReset, trigger("trip"))
	nodetest.Serve(r, topics.Skill("stand_up"), trigger("stand_up"))
	nodetest.Serve(r, topics.SetMode, func(q dharma.SetModeRequest) (dharma.SetModeResponse, error) {
		calls = append(calls, q.Mode+" "+q.Source)
		return dharma.SetModeResponse{Success: true}, nil
	})
	requests := nodetest.Collect(r, topics.EStopRequest)
	var inputs []script.Input
	for i, in := range []script.Input{
		{Cmd: "set_mode", As: script.Dashboard, Args: map[string]string{"mode": "remote"}},
		{Cmd: "set_mode", As: script.Dashboard, Args: map[string]string{"mode": "remote", "source": "handheld"}},
		{Cmd: "estop", As: script.Handheld},
		{Cmd: "estop", As: script.Dashboard, Args: map[string]string{"reason": "smoke"}},
		{Cmd: "estop_release"},
		{Cmd: "trip_reset"},
		{Cmd: "stand_up"},
	} {
		in.At = time.Duration(i) * 10 * ms
		inputs = append(inputs, in)
	}
	r.Run(scenario.PilotName, scenario.NewPilot(inputs, nil, &world{}))
	r.Advance(2 * time.Second)
	if diff := cmp.Diff([]string{"remote dashboard", "remote handheld", "engage", "engage", "release", "trip", "stand_up"}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]std.String{{Data: "handheld: estop"}, {Data: "dashboard: smoke"}}, requests.Values()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestEventsHappenInTime(t *testing.T) {
	w := &world{}
	r, _ := fly(t, nil, []scenario.Event{
		{At: 100 * ms, CrashDriver: true}, {At: 200 * ms, NavigationGoes: true}, {At: 300 * ms, Request: "smoke"},
	}, w)
	goes, requests := nodetest.Collect(r, topics.NavigationStarted), nodetest.Collect(r, topics.EStopRequest)
	r.Advance(99 * ms)
	if len(w.happened) != 0 {
		t.Error("too early")
	}
	r.Advance(time.Second)
	if len(w.happened) != 1 || !w.happened[0].CrashDriver {
		t.Errorf("happened: %+v", w.happened)
	}
	if g, q := goes.All(), requests.All(); len(g) != 1 || g[0].At != 200*ms || len(q) != 1 || q[0].Value.Data != "smoke" {
		t.Errorf("navigation %+v, requests %+v", g, q)
	}
}

func TestAnEventThatCannotHappenFailsThePilot(t *testing.T) {
	w := &world{refuse: errors.New("there is no door x")}
	r, _ := fly(t, nil, []scenario.Event{{At: 100 * ms, Door: &scenario.Door{Name: "x"}}}, w)
	r.ExpectFailure(scenario.PilotName)
	r.Advance(time.Second)
	if s := r.Node(scenario.PilotName); s.State != node.Halted || !strings.Contains(s.LastError, "event at 100ms: there is no door x") {
		t.Errorf("got %+v", s)
	}
}

// A misspelt command would prove nothing, in silence.
func TestACommandThatNobodyKnowsFailsThePilot(t *testing.T) {
	r := nodetest.New(t, nodetest.Options{})
	r.ExpectFailure(scenario.PilotName)
	r.Run(scenario.PilotName, scenario.NewPilot([]script.Input{{At: 100 * ms, Cmd: "estop_relase"}}, nil, &world{}))
	r.Advance(time.Second)
	if e := r.Node(scenario.PilotName).LastError; !strings.Contains(e, "the robot has no estop_relase") {
		t.Errorf("failed with %q", e)
	}
}

func TestTheObserverWritesWhatItSees(t *testing.T) {
	record := &scenario.Record{}
	var observe func(*bus.Sample)
	r := nodetest.New(t, nodetest.Options{RobotNS: "zelpi", Tap: func(s *bus.Sample) {
		if observe != nil {
			observe(s)
		}
	}})
	o := scenario.NewObserver(record, r.Bus.Resolve)
	observe = func(s *bus.Sample) { o.Observe(r.Exec.Elapsed(), s) }

	speed := geometry.Twist{Linear: geometry.Vector3{X: 0.5}, Angular: geometry.Vector3{Z: -1}}
	truth := nav.NewOdometry()
	truth.Pose.Pose = geometry.Pose{Position: geometry.Point{X: 1, Y: 2}, Orientation: geometry.Quaternion{Z: math.Sin(0.25), W: math.Cos(0.25)}}
	truth.Twist.Twist = speed
	nodetest.Publish(r, topics.GroundTruth, *truth)
	r.Advance(20 * ms)
	nodetest.Publish(r, topics.HandheldCmdVel, speed)
	nodetest.Publish(r, topics.DashboardCmdVel, speed)
	nodetest.Publish(r, topics.NavCmdVel, speed)
	nodetest.Publish(r, topics.EStopRequest, std.String{Data: "smoke"})
	nodetest.Publish(r, topics.BodyCmdVel, speed)
	nodetest.Publish(r, topics.ControlStatus, dharma.ControlStatus{
		Mode: "remote", ActiveSource: "handheld", Armed: true, Estop: true, EstopReasons: []string{"smoke"}, Field: "clear", Message: "m",
	})
	nodetest.Publish(r, topics.LocalizationStatus, dharma.LocalizationStatus{
		State: "localized", Source: "origin", Message: "m", Pose: geometry.Pose2D{X: 1, Y: 2, Theta: 3},
	})
	r.Exec.Jump(-time.Hour) // the record goes on
	r.Advance(20 * ms)
	for _, s := range []dharma.SimStatus{
		{Collisions: 1, CollisionWith: `wall "x"`},
		{Collisions: 1, CollisionWith: `wall "x"`, Collision: true}, // goes on, no new one
		{Collisions: 1, PersonContacts: 1, PersonContactWith: "ann"},
		{Collisions: 1, PersonContacts: 1, PersonContact: true, PersonContactWith: "bob"}, // bob walked into the robot
	} {
		nodetest.Publish(r, topics.SimStatus, s)
	}

	v := record.Truths[0].Velocity
	if v.VX != 0.5 || v.WZ != -1 {
		t.Errorf("true velocity %+v", v)
	}
	if p := record.Truths[0].Pose; p.X != 1 || p.Y != 2 || math.Abs(p.Theta-0.5) > 1e-12 {
		t.Errorf("true pose %+v", p)
	}
	const soon = 20 * ms
	want := &scenario.Record{
		Truths: record.Truths,
		Asks: []scenario.Ask{
			{At: soon, Source: script.Handheld, Velocity: v}, {At: soon, Source: script.Dashboard, Velocity: v}, {At: soon, Source: script.Navigation, Velocity: v},
		},
		Requests: []scenario.Request{{At: soon, Order: 1, Reason: "smoke"}},
		Commands: []scenario.Command{{At: soon, Order: 2, Velocity: v}},
		Statuses: []scenario.Control{{
			At: soon, Order: 3, Mode: "remote", ActiveSource: "handheld", Armed: true, EStop: true, EStopReasons: []string{"smoke"}, Field: "clear", Message: "m",
		}},
		Beliefs:  []scenario.Belief{{At: soon, State: "localized", Source: "origin", Message: "m", Pose: geom.Pose2{X: 1, Y: 2, Theta: 3}}},
		Contacts: []scenario.Contact{{At: 2 * soon, With: `wall "x"`}, {At: 2 * soon, With: "ann", Person: true}},
	}
	if diff := cmp.Diff(want, record); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
