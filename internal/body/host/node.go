package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "robot_driver_node"

const (
	statusPeriod = time.Second            // of the status when nothing changes
	checkPeriod  = 200 * time.Millisecond // of looking whether the body still reports
)

// Node hosts one body. Its fields belong to its loop.
type Node struct {
	cfg    Config
	driver driver.Driver
	caps   driver.Capabilities

	ctx     *node.Context
	sink    *sink
	status  *bus.Publisher[dharma.BodyStatus]
	request *bus.Publisher[std.String]

	mirror   mirror
	faults   faultLog
	running  []*skill
	requests int

	since     time.Time // of Setup
	stopped   bool      // the last word is said
	connected bool
	refuses   string        // why the body took no command in the last second
	heard     uint64        // of the sink, at the last check
	silence   time.Duration // for how long nothing was heard
	refused   refusals
}

// refusals counts commands that the body did not take, to be logged once a second.
type refusals struct {
	count int
	last  error
}

var (
	_ node.Node    = (*Node)(nil)
	_ node.Stopper = (*Node)(nil)
	_ node.Runner  = (*runnerNode)(nil)
)

// New returns the node for a body. A driver.Runner gives a node.Runner, which needs real time; a driver.Connector a
// node.Preparer. The same driver may be given again to the node that replaces a failed one.
func New(cfg Config, d driver.Driver) (node.Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	n := &Node{cfg: cfg, driver: d, faults: faultLog{memory: cfg.FaultMemory}}
	runner, isRunner := d.(driver.Runner)
	_, isStepper := d.(driver.Stepper)
	connector, connects := d.(driver.Connector)
	switch {
	case isRunner == isStepper:
		return nil, fmt.Errorf("%T must be either a driver.Stepper or a driver.Runner", d)
	case isStepper && connects:
		return nil, fmt.Errorf("%T is a driver.Stepper with I/O: make it a driver.Runner", d)
	case connects:
		return &connectorNode{runnerNode{n, runner}, connector}, nil
	}
	if err := d.Capabilities().Validate(); err != nil {
		return nil, err
	}
	if isRunner {
		return &runnerNode{n, runner}, nil
	}
	return n, nil
}

// runnerNode hosts a driver that has I/O of its own.
type runnerNode struct {
	*Node
	runner driver.Runner
}

// Run serves the body until ctx ends or the body is lost.
func (n *runnerNode) Run(ctx context.Context) error {
	err := n.runner.Run(ctx)
	n.status.Publish(n.absent(n.ctx.Now()))
	if ctx.Err() == nil && err == nil {
		return errors.New("the body is lost")
	}
	return err
}

// connectorNode hosts a driver that makes contact before it knows what the body can do.
type connectorNode struct {
	runnerNode
	connector driver.Connector
}

var _ node.Preparer = (*connectorNode)(nil)

// Prepare makes contact with the body.
func (n *connectorNode) Prepare(ctx context.Context) error { return n.connector.Connect(ctx) }

// Close gives up the contact.
func (n *connectorNode) Close() error { return n.connector.Close() }

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx, n.caps = c, n.driver.Capabilities()
	if err := n.caps.Validate(); err != nil {
		return err
	}
	n.status = bus.NewPublisher(c, topics.BodyStatus)
	n.request = bus.NewPublisher(c, topics.EStopRequest)
	n.sink = newSink(c, n, n.caps)
	if err := n.driver.Start(c.Now(), n.sink); err != nil {
		return fmt.Errorf("start of body %s: %w", n.caps.Kind, err)
	}
	n.since = c.Now()
	c.Own(n.standStill)
	bus.Subscribe(c, topics.BodyCmdVel, n.onCommand)
	bus.Subscribe(c, topics.ControlStatus, n.onControl, bus.Urgent())
	for _, name := range services(n.caps) {
		if name == driver.SkillEmergencyStop {
			bus.Serve(c, topics.Skill(name), n.onEmergencyStop, bus.Urgent())
			continue
		}
		bus.ServeAsync(c, topics.Skill(name), func(_ stdsrvs.TriggerRequest, reply func(stdsrvs.TriggerResponse, error)) {
			n.begin(name, reply)
		})
	}
	if s, ok := n.driver.(driver.Stepper); ok {
		c.Every(s.Period(), s.Step)
	}
	c.Every(checkPeriod, n.check)
	c.Every(statusPeriod, n.tick)
	n.connected = true
	n.publishStatus()
	return nil
}

// Stop implements node.Stopper: the last command is zero.
func (n *Node) Stop(now time.Time) {
	if c, ok := n.driver.(driver.Canceler); ok {
		c.Cancel(now, "the robot is shut down")
	}
	n.command(driver.Velocity{})
	n.connected, n.stopped = false, true
	n.publishStatus()
}

// onCommand passes on what the mux asks for. A number that is not finite, also in a component that the body does not use, makes the
// whole command one that is not finite.
func (n *Node) onCommand(m geometry.Twist) {
	v := driver.Velocity{VX: m.Linear.X, VY: m.Linear.Y, WZ: m.Angular.Z}
	if rest := m.Linear.Z + m.Angular.X + m.Angular.Y; rest-rest != 0 {
		v.WZ = math.NaN()
	}
	n.command(v)
}

func (n *Node) command(v driver.Velocity) {
	if err := n.driver.Command(n.ctx.Now(), v); err != nil && v != (driver.Velocity{}) {
		n.refused.count++
		n.refused.last = err
		if n.refused.count == 1 { // the mux must not wait for the next second: a stick may be held
			n.refuses = err.Error()
			n.publishStatus()
		}
	}
}

// onEmergencyStop stops the body before anything else and tells the mux, in this order.
func (n *Node) onEmergencyStop(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	const reason = "emergency_stop of the body was called"
	n.driver.EStop(n.ctx.Now(), reason)
	n.mirror.ask()
	n.request.Publish(std.String{Data: reason})
	return stdsrvs.TriggerResponse{Success: true, Message: "e-stop engaged; release it with /control/estop/release"}, nil
}

// onControl mirrors the mux's latch into the body.
func (n *Node) onControl(m dharma.ControlStatus) {
	n.obey(n.mirror.onMux(m.Estop), "control mux: "+strings.Join(m.EstopReasons, ", "))
}

// onBodyEStop takes the body's latch.
func (n *Node) onBodyEStop(e driver.EStopState) {
	n.obey(n.mirror.onBody(e), "the e-stop is engaged in the control mux")
	n.publishStatus()
}

// obey does what the mirror wants. reason is for a latch of the body.
func (n *Node) obey(o order, reason string) {
	switch o {
	case nothing:
	case engageBody:
		n.driver.EStop(n.ctx.Now(), reason)
	case releaseBody:
		if err := n.driver.Release(n.ctx.Now()); err != nil {
			n.ctx.Log().Warn("body refuses the release", "err", err)
			n.obey(n.mirror.ask(), reason)
		}
	case askMux:
		n.request.Publish(std.String{Data: "body: " + n.mirror.body.Reason})
	}
}

// onFault remembers a fault and publishes it as a diagnostic.
func (n *Node) onFault(f driver.Fault) {
	now := n.ctx.Now()
	if !n.faults.add(now, f) {
		return
	}
	if f.Severity >= driver.Error {
		n.ctx.Log().Warn("body reports a fault", "code", f.Code, "severity", f.Severity.String(), "message", f.Message)
	}
	n.sink.diagnostics.Publish(diagnostic.DiagnosticArray{
		Header: rosconv.Header(now, ""), Status: []diagnostic.DiagnosticStatus{diagnostics(n.caps.Kind, f)},
	})
	n.publishStatus()
}

// check sees whether the body still reports. It counts its own ticks, so that a clock that jumps changes nothing.
func (n *Node) check(time.Time) {
	heard := n.sink.heard.Load()
	if heard != n.heard {
		n.heard, n.silence = heard, 0
	} else {
		n.silence += checkPeriod
	}
	limit := max(n.cfg.Silence, time.Duration(3*float64(time.Second)/n.caps.RateHz))
	if connected := n.silence < limit; connected != n.connected {
		n.connected = connected
		if !connected {
			n.onFault(driver.Fault{Code: "silent", Message: fmt.Sprintf("the body has reported nothing for %v", n.silence), Severity: driver.Critical})
		}
		n.publishStatus()
	}
}

// tick publishes what is due once a second.
func (n *Node) tick(now time.Time) {
	n.obey(n.mirror.onTick(), "")
	n.faults.expire(now)
	n.refuses = ""
	if n.refused.count > 0 {
		n.refuses = n.refused.last.Error()
		n.ctx.Log().Warn("body refuses commands", "count", n.refused.count, "err", n.refused.last)
		n.refused = refusals{}
	}
	if wrong := n.sink.wrong.Swap(0); wrong > 0 {
		n.ctx.Log().Error("body reports what its capabilities do not list", "dropped", wrong)
	}
	n.publishStatus()
}

// standStill is the end of a host that could not say its last word, by a panic: the body need not wait for its own watchdog.
func (n *Node) standStill() {
	if n.stopped {
		return
	}
	if err := n.driver.Command(n.ctx.Now(), driver.Velocity{}); err != nil && !errors.Is(err, driver.ErrEStopped) {
		n.ctx.Log().Warn("body refuses the last zero", "err", err)
	}
}

func (n *Node) publishStatus() {
	s := n.absent(n.ctx.Now())
	e := n.mirror.body
	s.Refuses = n.refuses
	s.Connected, s.Skill, s.Faults = n.connected, n.present(), n.faults.texts()
	s.Estop, s.EstopHeld, s.EstopReason = e.Engaged, e.Held, e.Reason
	n.status.Publish(s)
}

// absent is the status of a body that is not there. Any goroutine may call it after Setup.
func (n *Node) absent(now time.Time) dharma.BodyStatus {
	return dharma.BodyStatus{
		Header: rosconv.Header(now, ""), Since: rosconv.Stamp(n.since), Kind: n.caps.Kind, Drive: string(n.caps.Drive), Skills: slices.Clone(services(n.caps)),
	}
}
