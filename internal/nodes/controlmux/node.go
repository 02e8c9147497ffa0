package controlmux

import (
	"fmt"
	"time"

	"sarathi/internal/algo/arbitration"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/builtin"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "control_mux_node"

const (
	statusPeriod  = 100 * time.Millisecond // of the status when nothing changes
	reportPeriod  = time.Second            // of log records about refused scans
	resumeTimeout = 2 * time.Second        // for the path follower to answer
)

// Reasons given to navigation when it must pause, as NavigationStatus lists them.
const (
	pauseRemote = dharma.NavigationStatusPauseRemote
	pauseEStop  = dharma.NavigationStatusPauseEstop
)

// Node is the control mux. Its fields belong to its loop.
type Node struct {
	frame string
	rate  float64
	mux   *arbitration.Arbiter

	ctx     *node.Context
	command *bus.Publisher[geometry.Twist]
	status  *bus.Publisher[dharma.ControlStatus]
	pause   *bus.Publisher[std.String]
	resume  *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]

	body       dharma.BodyStatus // its last one
	navigation string            // last state of the path follower
	told       time.Time         // when the status was last published
	shown      arbitration.Status

	refusedScans int
	refusal      error // of the last one
}

var (
	_ node.Node    = (*Node)(nil)
	_ node.Stopper = (*Node)(nil)
)

// New returns the node. frame is the name of base_link, in which scans must come.
func New(cfg Config, body arbitration.Body, frame string) (*Node, error) {
	mux, err := arbitration.New(cfg, body)
	if err != nil {
		return nil, err
	}
	return &Node{frame: frame, rate: cfg.Rate, mux: mux}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.ctx = c
	n.command = bus.NewPublisher(c, topics.BodyCmdVel)
	c.Own(func() { n.command.Publish(geometry.Twist{}) }) // also after a panic: the body need not wait for its own watchdog
	n.status = bus.NewPublisher(c, topics.ControlStatus)
	n.pause = bus.NewPublisher(c, topics.NavigationPause)
	n.resume = bus.NewCaller(c, topics.ResumeNavigation)

	bus.Subscribe(c, topics.EStopRequest, n.onEStopRequest, bus.Urgent())
	bus.Subscribe(c, topics.BodyStatus, n.onBodyStatus, bus.Urgent())
	bus.Serve(c, topics.EStopEngage, n.onEngage, bus.Urgent())
	// As urgent as engaging, so that a release never clears what was engaged after it was asked for.
	bus.Serve(c, topics.EStopRelease, n.onRelease, bus.Urgent())
	bus.Serve(c, topics.SetMode, n.onSetMode)
	bus.Subscribe(c, topics.NavCmdVel, n.onCommand(arbitration.Navigation))
	bus.Subscribe(c, topics.HandheldCmdVel, n.onCommand(arbitration.Handheld))
	bus.Subscribe(c, topics.DashboardCmdVel, n.onCommand(arbitration.Dashboard))
	bus.Subscribe(c, topics.SafetyScan, n.onScan)
	bus.Subscribe(c, topics.HealthStatus, n.onHealth)
	bus.Subscribe(c, topics.NavigationStarted, n.onNavigationStarted)
	bus.Subscribe(c, topics.NavigationStatus, n.onNavigationStatus)

	c.Every(time.Duration(float64(time.Second)/n.rate), n.tick)
	c.Every(reportPeriod, n.report)
	n.tick(c.Now())
	return nil
}

// Stop implements node.Stopper: the last word is a zero, and that it will stay so.
func (n *Node) Stop(now time.Time) {
	n.emit(now, n.mux.EngageEStop(now, "the robot's software is shutting down"))
}

func (n *Node) tick(now time.Time) { n.emit(now, n.mux.Tick(now)) }

func (n *Node) onCommand(from arbitration.Source) func(geometry.Twist) {
	return func(m geometry.Twist) {
		now := n.ctx.Now()
		n.emit(now, n.mux.Command(now, from, velocity(m)))
	}
}

func (n *Node) onEStopRequest(m std.String) {
	now := n.ctx.Now()
	n.emit(now, n.mux.EngageEStop(now, m.Data))
}

// onBodyStatus takes the causes that the body itself holds, such as its button. A latch without one is no cause: the body asks for the
// e-stop by a request, and the release at the mux is what releases the body.
func (n *Node) onBodyStatus(m dharma.BodyStatus) {
	now := n.ctx.Now()
	if (n.body.Connected && !m.Connected) || (n.body.Since != builtin.Time{} && n.body.Since != m.Since) {
		n.emit(now, n.mux.BodyLost(now))
	}
	n.body = m
	n.emit(now, n.mux.SetRefusal(now, m.Refuses))
	if m.EstopHeld {
		n.emit(now, n.mux.Hold(now, arbitration.HardwareEStop))
		return
	}
	n.emit(now, n.mux.Drop(now, arbitration.HardwareEStop))
}

func (n *Node) onEngage(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	now := n.ctx.Now()
	if n.mux.Status().EStop { // the request that came with this call has given the reason
		n.emit(now, n.mux.Tick(now))
	} else {
		n.emit(now, n.mux.EngageEStop(now, "asked for by "+topics.EStopEngage.Info().Name))
	}
	return stdsrvs.TriggerResponse{Success: true, Message: "e-stop engaged"}, nil
}

func (n *Node) onRelease(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	now := n.ctx.Now()
	out, err := n.mux.ReleaseEStop(now)
	n.emit(now, out)
	resp := stdsrvs.TriggerResponse{Success: err == nil, Message: n.mux.Status().Message}
	if err != nil {
		resp.Message = err.Error()
	}
	return resp, nil
}

func (n *Node) onSetMode(req dharma.SetModeRequest) (dharma.SetModeResponse, error) {
	now := n.ctx.Now()
	out, err := n.mux.SetMode(now, req.Mode, req.Source)
	n.emit(now, out)
	s := n.mux.Status()
	resp := dharma.SetModeResponse{Success: err == nil, Mode: s.Mode.String(), RemoteSource: s.RemoteSource.String()}
	if err != nil {
		resp.Message = err.Error()
	}
	return resp, nil
}

func (n *Node) onScan(m dharma.SectorScan) {
	now := n.ctx.Now()
	if m.Header.FrameID != n.frame {
		n.refuse(fmt.Errorf("safety scan is in frame %.40q, want %q", m.Header.FrameID, n.frame))
		return
	}
	out, err := n.mux.ObserveScan(now, scan(&m))
	if err != nil {
		n.refuse(err)
	}
	n.emit(now, out)
}

func (n *Node) refuse(err error) { n.refusedScans, n.refusal = n.refusedScans+1, err }

// report logs what came too often to be logged when it came.
func (n *Node) report(time.Time) {
	if n.refusedScans > 0 {
		n.ctx.Log().Warn("safety scans refused", "count", n.refusedScans, "last", n.refusal)
		n.refusedScans = 0
	}
}

func (n *Node) onHealth(m dharma.HealthStatus) {
	now := n.ctx.Now()
	n.emit(now, n.mux.SetSpeedScale(now, float64(m.SpeedScale)))
}

func (n *Node) onNavigationStarted(std.String) {
	now := n.ctx.Now()
	n.emit(now, n.mux.NavigationStarted(now))
}

// onNavigationStatus tells the mux when navigation ceases to drive. That it drives is told by /control/navigation_started only.
func (n *Node) onNavigationStatus(m dharma.NavigationStatus) {
	if m.State == n.navigation {
		return
	}
	n.navigation = m.State
	now := n.ctx.Now()
	switch m.State {
	case dharma.NavigationStatusStatePaused:
		n.emit(now, n.mux.NavigationPaused(now))
	case dharma.NavigationStatusStateInactive, dharma.NavigationStatusStateGoalReached, dharma.NavigationStatusStateFailed:
		n.emit(now, n.mux.NavigationStopped(now))
	}
}

// emit does what the mux wants done.
func (n *Node) emit(now time.Time, out arbitration.Output) {
	if out.Publish {
		n.command.Publish(rosconv.Twist(out.Velocity))
	}
	if out.StatusChanged || now.Sub(n.told) >= statusPeriod || now.Before(n.told) {
		n.tell(now)
	}
	if out.PauseNavigation {
		reason := pauseRemote
		if n.mux.Status().EStop {
			reason = pauseEStop
		}
		n.pause.Publish(std.String{Data: reason})
	}
	if out.ResumeNavigation && n.resume.Ready() {
		n.resume.Call(stdsrvs.TriggerRequest{}, resumeTimeout, n.resumed)
	}
}

func (n *Node) resumed(r stdsrvs.TriggerResponse, err error) {
	if err != nil || !r.Success {
		n.ctx.Log().Warn("navigation does not resume", "message", r.Message, "error", err)
	}
}

// tell publishes the status and logs what a person would ask about afterwards.
func (n *Node) tell(now time.Time) {
	s := n.mux.Status()
	n.status.Publish(status(now, n.frame, &s))
	if s.Mode != n.shown.Mode || s.RemoteSource != n.shown.RemoteSource {
		n.ctx.Log().Info("mode set", "mode", s.Mode.String(), "remote_source", s.RemoteSource.String())
	}
	if s.EStop != n.shown.EStop || len(s.Reasons) > len(n.shown.Reasons) {
		if s.EStop {
			n.ctx.Log().Warn("e-stop engaged", "reasons", s.Reasons)
		} else {
			n.ctx.Log().Info("e-stop released")
		}
	}
	if s.Field != n.shown.Field {
		n.ctx.Log().Debug("protective field", "state", s.Field.String(), "distance_m", s.FieldDistance)
	}
	n.told, n.shown = now, s
}
