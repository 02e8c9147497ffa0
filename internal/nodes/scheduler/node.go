package scheduler

import (
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/schedule"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/builtin"
	"sarathi/msg/dharma"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "scheduler_node"

const (
	period      = time.Second
	callTimeout = 5 * time.Second // loading reads a file
)

// Deps is what the node is told about the robot.
type Deps struct {
	Zone       *time.Location // of the host
	LowBattery float64        // charge below which the follower ends its lap
}

// Node runs the schedule. Use [New].
type Node struct {
	cfg    Config
	deps   Deps
	zone   *time.Location
	keeper *schedule.Keeper

	// set in Setup
	c      *node.Context
	senses senses
	status *bus.Publisher[dharma.ScheduleStatus]
	load   *bus.Caller[dharma.LoadPathRequest, dharma.LoadPathResponse]
	start  *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]
	stop   *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]

	// owned by the loop
	told  bool
	shown schedule.Status
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("scheduler: %w", err)
	}
	if deps.Zone == nil {
		return nil, errors.New("scheduler: no time zone was given")
	}
	z, err := zone(cfg.Zone, deps.Zone)
	if err != nil {
		return nil, fmt.Errorf("scheduler: %w", err)
	}
	return &Node{cfg: cfg, deps: deps, zone: z, keeper: schedule.New(cfg.entries(), z)}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.status = bus.NewPublisher(c, topics.ScheduleStatus)
	if len(n.cfg.Runs) == 0 {
		n.tell()
		return nil
	}
	n.senses = newSenses(c)
	n.load = bus.NewCaller(c, topics.LoadPath)
	n.start = bus.NewCaller(c, topics.StartNavigation)
	n.stop = bus.NewCaller(c, topics.StopNavigation)
	c.Every(period, n.tick)
	n.tell()
	return nil
}

func (n *Node) tick(now time.Time) {
	n.act(n.keeper.Step(n.senses.facts(now, n.deps.LowBattery)))
	n.tell()
}

// act does what the schedule asks for.
func (n *Node) act(effects []schedule.Effect) {
	for _, e := range effects {
		switch e.Kind {
		case schedule.Start:
			n.c.Log().Info("scheduled run starts", "run", e.Entry.Name, "route", e.Entry.Route)
			n.begin(e.Entry.Route)
		case schedule.Stop:
			n.c.Log().Info("scheduled run stops", "run", e.Entry.Name, "reason", e.Reason)
			n.halt()
		case schedule.Skipped:
			n.c.Log().Warn("scheduled run skipped", "run", e.Entry.Name, "reason", e.Reason)
		case schedule.Waits:
			n.c.Log().Info("scheduled run waits", "run", e.Entry.Name, "reason", e.Reason)
		case schedule.Ended:
			n.c.Log().Info("scheduled run ended", "run", e.Entry.Name, "reason", e.Reason)
		}
	}
}

// begin loads a route and starts, as a client does.
func (n *Node) begin(route string) {
	n.load.Call(dharma.LoadPathRequest{File: route}, callTimeout, func(r dharma.LoadPathResponse, err error) {
		// Loading takes a while, in which a person may have taken over.
		switch hindrance := n.senses.facts(n.c.Now(), n.deps.LowBattery).Hindrance; {
		case err != nil:
			n.started(fmt.Errorf("load the route: %w", err))
		case !r.Success:
			n.started(errors.New(r.Message))
		case hindrance.Reason != "":
			n.started(errors.New(hindrance.Reason))
		default:
			n.start.Call(stdsrvs.TriggerRequest{}, callTimeout, func(r stdsrvs.TriggerResponse, err error) {
				switch {
				case err != nil:
					n.halt() // nobody knows whether it was heard
					n.started(fmt.Errorf("start navigation: %w", err))
				case !r.Success:
					n.started(errors.New(r.Message))
				default:
					n.started(nil)
				}
			})
		}
	})
}

func (n *Node) started(err error) {
	n.act(n.keeper.Started(n.c.Now(), err))
	n.tell()
}

// halt stops following. The schedule asks again when that is not heard.
func (n *Node) halt() {
	n.stop.Call(stdsrvs.TriggerRequest{}, callTimeout, func(r stdsrvs.TriggerResponse, err error) {
		if err != nil || !r.Success {
			n.c.Log().Warn("navigation is not stopped", "answer", r.Message, "reason", err)
		}
	})
}

// tell publishes the status when it has changed.
func (n *Node) tell() {
	s := n.keeper.Status()
	if n.told && s == n.shown {
		return
	}
	n.told, n.shown = true, s
	n.status.Publish(dharma.ScheduleStatus{
		Header: rosconv.Header(n.c.Now(), ""), State: string(s.State), Message: s.Message, Zone: n.zone.String(),
		Running: s.Running, Route: s.Route, Until: stamp(s.Until),
		Next: s.Next, NextStart: stamp(s.NextStart), Skipped: s.Skipped, SkippedAt: stamp(s.SkippedAt), SkippedReason: s.Reason,
	})
}

// stamp is zero for no time.
func stamp(t time.Time) builtin.Time {
	if t.IsZero() {
		return builtin.Time{}
	}
	return rosconv.Stamp(t)
}
