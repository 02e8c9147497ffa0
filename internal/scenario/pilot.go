package scenario

import (
	"cmp"
	"fmt"
	"slices"
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

// callTimeout is how long the pilot waits for the answer of a service.
const callTimeout = time.Second

// Faults is how the pilot reaches what a robot has no topic for.
type Faults interface {
	// PanicNode makes a node panic in its next handler.
	PanicNode(name string) error
	// CrashDriver kills the body's driver.
	CrashDriver()
	// Silence keeps a stream of the body quiet for d.
	Silence(stream string, d time.Duration) error
	// HardwareEStop presses the button on the body, or pulls it out.
	HardwareEStop(pressed bool)
	// ClockJump moves the clock that nodes see.
	ClockJump(d time.Duration)
	// Person places somebody in the world.
	Person(p Person) error
	// Door moves a door.
	Door(d Door) error
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

// NewPilot returns a pilot of a scenario's expanded inputs.
func NewPilot(inputs []script.Input, events []Event, f Faults) *Pilot {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
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
	start := c.Now()
	p.playInputs(start)
	for _, e := range p.events {
		c.After(e.At, func(time.Time) { p.happen(e) })
	}
	return nil
}

// playInputs plays what is due and comes back for the next: one timer for the whole script, however long.
func (p *Pilot) playInputs(start time.Time) {
	elapsed := p.c.Now().Sub(start)
	for len(p.inputs) > 0 && p.inputs[0].At <= elapsed {
		p.play(p.inputs[0])
		p.inputs = p.inputs[1:]
	}
	if len(p.inputs) > 0 {
		p.c.After(p.inputs[0].At-elapsed, func(time.Time) { p.playInputs(start) })
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
		trigger(bus.NewCaller(p.c, topics.Skill(in.Cmd)))
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

func (p *Pilot) happen(e Event) {
	var err error
	switch {
	case e.PanicNode != "":
		err = p.faults.PanicNode(e.PanicNode)
	case e.CrashDriver:
		p.faults.CrashDriver()
	case e.Silence != nil:
		err = p.faults.Silence(e.Silence.Stream, e.Silence.For)
	case e.HardwareEStop != nil:
		p.faults.HardwareEStop(*e.HardwareEStop)
	case e.ClockJump != nil:
		p.faults.ClockJump(*e.ClockJump)
	case e.Person != nil:
		err = p.faults.Person(*e.Person)
	case e.Door != nil:
		err = p.faults.Door(*e.Door)
	case e.NavigationGoes:
		p.navGoes.Publish(std.String{Data: "start"})
	case e.Request != "":
		p.requests.Publish(std.String{Data: e.Request})
	}
	if err != nil {
		p.c.Fail(fmt.Errorf("scenario event at %v: %w", e.At, err))
	}
}
