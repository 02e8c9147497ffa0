package scenario

import (
	"cmp"
	"fmt"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/script"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// PilotName is the pilot's name on the bus.
const PilotName = "pilot"

// callTimeout is how long the pilot waits for the answer of a service.
const callTimeout = time.Second

// Faults is how the pilot reaches what a robot has no topic for.
type Faults interface {
	// Happen makes an event happen that concerns the world, the body, the computer or the program. An error says
	// what is wrong with the event.
	Happen(e Event) error
}

// Pilot plays a script and its events on the bus, as gateways and the world would. Use [NewPilot].
type Pilot struct {
	inputs []script.Input
	events []Event
	faults Faults

	c        *node.Context
	joys     map[string]*bus.Publisher[geometry.Twist]
	requests *bus.Publisher[std.String]
	navGoes  *bus.Publisher[std.String]
	setMode  *bus.Caller[dharma.SetModeRequest, dharma.SetModeResponse]
	engage   *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]
	release  *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]
	trip     *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]
}

var _ node.Node = (*Pilot)(nil)

// NewPilot returns a pilot of a scenario's expanded inputs and of its events, see [Scenario.Play].
func NewPilot(inputs []script.Input, events []Event, f Faults) *Pilot {
	return &Pilot{inputs: inputs, events: events, faults: f}
}

// Setup implements node.Node.
func (p *Pilot) Setup(c *node.Context) error {
	p.c = c
	p.joys = map[string]*bus.Publisher[geometry.Twist]{
		script.Handheld:   bus.NewPublisher(c, topics.HandheldCmdVel),
		script.Dashboard:  bus.NewPublisher(c, topics.DashboardCmdVel),
		script.Navigation: bus.NewPublisher(c, topics.NavCmdVel),
	}
	p.requests = bus.NewPublisher(c, topics.EStopRequest)
	p.navGoes = bus.NewPublisher(c, topics.NavigationStarted)
	p.setMode = bus.NewCaller(c, topics.SetMode)
	p.engage = bus.NewCaller(c, topics.EStopEngage)
	p.release = bus.NewCaller(c, topics.EStopRelease)
	p.trip = bus.NewCaller(c, topics.TripReset)
	p.playInputs(0)
	for _, e := range p.events {
		c.After(e.At, func(time.Time) { p.happen(e) })
	}
	return nil
}

// playInputs plays what is due at a time since the start and comes back for the next: one timer for the whole script, however
// long. It asks no clock, which may jump; timers do not.
func (p *Pilot) playInputs(elapsed time.Duration) {
	for len(p.inputs) > 0 && p.inputs[0].At <= elapsed {
		p.play(p.inputs[0])
		p.inputs = p.inputs[1:]
	}
	if len(p.inputs) > 0 {
		next := p.inputs[0].At
		p.c.After(next-elapsed, func(time.Time) { p.playInputs(next) })
	}
}

func (p *Pilot) play(in script.Input) {
	if in.Cmd == "" {
		p.joys[in.As].Publish(rosconv.Twist(in.Velocity))
		return
	}
	trigger := func(c *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]) {
		c.Call(stdsrvs.TriggerRequest{}, callTimeout, func(r stdsrvs.TriggerResponse, err error) {
			p.answered(in.Cmd, r.Success, r.Message, err)
		})
	}
	switch in.Cmd {
	case "estop":
		p.requests.Publish(std.String{Data: in.As + ": " + cmp.Or(in.Args["reason"], "estop")})
		trigger(p.engage)
	case "estop_release":
		trigger(p.release)
	case "trip_reset":
		trigger(p.trip)
	case "set_mode":
		req := dharma.SetModeRequest{Mode: in.Args["mode"], Source: cmp.Or(in.Args["source"], in.As)}
		p.setMode.Call(req, callTimeout, func(r dharma.SetModeResponse, err error) {
			p.answered(in.Cmd, r.Success, r.Message, err)
		})
	default:
		if p.navigate(in) {
			return
		}
		skill := bus.NewCaller(p.c, topics.Skill(in.Cmd))
		if !skill.Ready() {
			p.c.Fail(fmt.Errorf("scenario command at %v: the robot has no %s: write a skill of its body, or one of "+
				"estop, estop_release, set_mode, trip_reset and the commands of navigation", in.At, in.Cmd))
			return
		}
		trigger(skill)
	}
}

// answered logs the answer of a command; what it should have been is the expectations' matter.
func (p *Pilot) answered(cmd string, success bool, message string, err error) {
	if err != nil {
		p.c.Log().Warn("command not answered", "cmd", cmd, "error", err)
		return
	}
	p.c.Log().Info("command answered", "cmd", cmd, "success", success, "message", message)
}

// happen makes an event happen. One that cannot happen fails the pilot: the scenario would prove nothing.
func (p *Pilot) happen(e Event) {
	switch {
	case e.NavigationGoes:
		p.navGoes.Publish(std.String{Data: "start"})
	case e.Request != "":
		p.requests.Publish(std.String{Data: e.Request})
	default:
		if err := p.faults.Happen(e); err != nil {
			p.c.Fail(fmt.Errorf("event at %v: %w", e.At, err))
		}
	}
}
