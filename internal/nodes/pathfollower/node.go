package pathfollower

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sarathi/internal/algo/follower"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "path_follower_node"

// Deps is what the node is told about the robot.
type Deps struct {
	Frame     string // of the map
	Holonomic bool   // the body can move sideways
}

// Node walks paths. Use [New].
type Node struct {
	cfg    Config
	deps   Deps
	follow *follower.Follower
	advise adviser

	// set in Setup
	c            *node.Context
	command      *bus.Publisher[geometry.Twist]
	status       *bus.Publisher[dharma.NavigationStatus]
	stopPoint    *bus.Publisher[dharma.StopPointEvent]
	path         *bus.Publisher[nav.Path]
	waypoints    *bus.Publisher[dharma.WaypointPath]
	started      *bus.Publisher[std.String]
	pose         *bus.Reader[geometry.PoseWithCovarianceStamped]
	localization *bus.Reader[dharma.LocalizationStatus]
	sectors      *bus.Reader[dharma.SectorScan]

	// owned by the loop
	estop      bool // engaged
	remoteOver time.Time
	low        bool
	shown      dharma.NavigationStatus
	told       time.Time
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("path follower: %w", err)
	}
	if deps.Frame == "" {
		return nil, errors.New("path follower: no frame was given")
	}
	f, err := follower.New(cfg.follower(deps.Holonomic))
	if err != nil {
		return nil, fmt.Errorf("path follower: %w", err)
	}
	a, err := newAdviser(cfg)
	if err != nil {
		return nil, fmt.Errorf("path follower: %w", err)
	}
	return &Node{cfg: cfg, deps: deps, follow: f, advise: a}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.command = bus.NewPublisher(c, topics.NavCmdVel)
	n.status = bus.NewPublisher(c, topics.NavigationStatus)
	n.stopPoint = bus.NewPublisher(c, topics.StopPoint)
	n.path = bus.NewPublisher(c, topics.NavigationPath)
	n.waypoints = bus.NewPublisher(c, topics.Waypoints)
	n.started = bus.NewPublisher(c, topics.NavigationStarted)
	n.pose = bus.NewReader(c, topics.LocalizationPose)
	n.localization = bus.NewReader(c, topics.LocalizationStatus)
	n.sectors = bus.NewReader(c, topics.SectorScan)
	bus.Subscribe(c, topics.NavigationPause, n.onPauseRequest)
	bus.Subscribe(c, topics.ControlStatus, n.onControl)
	bus.Subscribe(c, topics.BodyBattery, n.onBattery)
	bus.Serve(c, topics.SetPath, n.onSetPath)
	bus.Serve(c, topics.StartNavigation, n.onStart)
	bus.Serve(c, topics.StopNavigation, n.onStop)
	bus.Serve(c, topics.PauseNavigation, n.onPause)
	bus.Serve(c, topics.ResumeNavigation, n.onResume)
	bus.Serve(c, topics.SetNavSpeed, n.onSpeed)
	c.Every(n.cfg.Period, n.tick)
	n.tell(c.Now())
	return nil
}

// localized reports whether the robot knows where it is.
func (n *Node) localized() bool {
	l, _, ok := n.localization.Get()
	return ok && l.State == dharma.LocalizationStatusStateLocalized
}

func (n *Node) tick(now time.Time) {
	in := follower.Input{Now: now, Localized: n.localized(), SpeedScale: 1}
	if m, _, ok := n.pose.Get(); ok {
		if p, err := rosconv.FromPose(m.Pose.Pose); err == nil {
			in.Pose, in.PoseStamp = p.Pose2(), rosconv.FromStamp(m.Header.Stamp)
		}
	}
	if m, _, ok := n.sectors.Get(); ok {
		n.advise.update(now, &m, n.follow, in.Pose)
	}
	in.Advice = n.advise.advice
	was := n.follow.Status().State
	out := n.follow.Step(in)
	for _, e := range out.Events {
		n.event(now, e)
	}
	is := n.follow.Status()
	if was == follower.Paused && is.State != was && n.follow.Active() {
		n.goOn("nothing holds it any more")
	}
	if is.State != was || !slices.Equal(is.Reasons, n.shown.PauseReasons) || now.Sub(n.told) >= n.cfg.StatusPeriod {
		n.tell(now)
	}
	if out.Send {
		n.command.Publish(rosconv.Twist(out.Velocity))
	}
}

// goOn tells the mux that velocities will come.
func (n *Node) goOn(why string) { n.started.Publish(std.String{Data: why}) }

func (n *Node) event(now time.Time, e follower.Event) {
	n.stopPoint.Publish(dharma.StopPointEvent{
		Header: rosconv.Header(now, n.deps.Frame), Index: uint32(e.Stop), Path: n.shown.Path,
		X: e.Point.X, Y: e.Point.Y, Yaw: e.Point.Yaw, DwellSec: e.Point.Dwell, Event: string(e.Kind), Message: e.Message,
	})
	n.c.Log().Info("stop point", "event", string(e.Kind), "stop", e.Stop, "message", e.Message)
}

// onPauseRequest is the mux: a person drives, or the e-stop is engaged.
func (n *Node) onPauseRequest(m std.String) {
	switch m.Data {
	case follower.ByRemote, follower.ByEStop:
		n.follow.Pause(m.Data)
		n.step()
	}
}

func (n *Node) onControl(m dharma.ControlStatus) {
	if m.Estop && !n.estop && n.follow.Active() {
		n.follow.Pause(follower.ByEStop)
		n.step()
	}
	n.estop = m.Estop
	if m.Mode == dharma.ControlStatusModeAuto && slices.Contains(n.follow.Status().Reasons, follower.ByRemote) {
		n.follow.Resume(follower.ByRemote)
		n.remoteOver = n.c.Now()
	}
}

// step acts on what was just told, without waiting for the tick: standing still is not put off.
func (n *Node) step() { n.tick(n.c.Now()) }

// onBattery latches a low battery: it recovers a little whenever the robot stands.
func (n *Node) onBattery(m sensor.BatteryState) {
	charging := m.PowerSupplyStatus == sensor.BatteryStatePowerSupplyStatusCharging
	switch p := float64(m.Percentage); {
	case charging && p > n.cfg.LowBattery:
		n.low = false
	case p < n.cfg.LowBattery: // false for NaN
		n.low = true
	}
	n.follow.SetBatteryLow(n.low)
}

func (n *Node) onSetPath(r dharma.SetPathRequest) (dharma.SetPathResponse, error) {
	if len(r.Path.Points) == 0 {
		n.follow.ClearPath()
		n.step()
		n.show(r.Path)
		n.tell(n.c.Now())
		return dharma.SetPathResponse{Success: true, Message: "no path is loaded any more"}, nil
	}
	p, err := n.readPath(&r.Path)
	if err == nil {
		err = n.follow.SetPath(p)
	}
	if err != nil {
		return notTaken(err), nil
	}
	n.show(r.Path)
	n.step() // the status of the path before must not go out under the new name
	n.tell(n.c.Now())
	return dharma.SetPathResponse{Success: true, Message: fmt.Sprintf("%d points", len(p.Points))}, nil
}

// A refusal is an answer, not a failed call.
func notTaken(err error) dharma.SetPathResponse { return dharma.SetPathResponse{Message: err.Error()} }

func refused(err error) stdsrvs.TriggerResponse { return stdsrvs.TriggerResponse{Message: err.Error()} }

// show publishes the path for who draws it.
func (n *Node) show(p dharma.WaypointPath) {
	n.waypoints.Publish(p)
	out := nav.Path{Header: p.Header}
	for _, w := range p.Points {
		pose := geom.Pose2{X: w.X, Y: w.Y, Theta: w.Yaw}
		out.Poses = append(out.Poses, geometry.PoseStamped{Header: p.Header, Pose: rosconv.Pose(pose.Transform())})
	}
	n.path.Publish(out)
}

func (n *Node) onStart(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	if err := n.follow.Start(n.localized()); err != nil {
		return refused(err), nil
	}
	n.goOn("started")
	n.step()
	n.tell(n.c.Now())
	return stdsrvs.TriggerResponse{Success: true, Message: n.going("follows " + n.follow.Status().Path)}, nil
}

// going is what a person is told who made it go: the way is free, or what still holds it.
func (n *Node) going(free string) string {
	if reasons := n.follow.Status().Reasons; len(reasons) > 0 {
		return fmt.Sprintf("paused: %s", reasons)
	}
	return free
}

func (n *Node) onStop(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	n.follow.Stop()
	n.step()
	return stdsrvs.TriggerResponse{Success: true, Message: "stopped"}, nil
}

func (n *Node) onPause(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	if !n.follow.Active() {
		return stdsrvs.TriggerResponse{Message: "nothing is being followed"}, nil
	}
	n.follow.Pause(follower.ByOperator)
	n.step()
	return stdsrvs.TriggerResponse{Success: true, Message: "paused"}, nil
}

// muxWindow is how soon after a return to auto a resume is the mux's.
const muxWindow = 200 * time.Millisecond

func (n *Node) onResume(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	if !n.follow.Active() {
		return stdsrvs.TriggerResponse{Message: "nothing is being followed: start it"}, nil
	}
	since := n.c.Now().Sub(n.remoteOver)
	switch ofMux := !n.remoteOver.IsZero() && since >= 0 && since <= muxWindow; {
	case ofMux:
		n.remoteOver = time.Time{}
	case slices.Contains(n.follow.Status().Reasons, follower.ByRemote): // the mux, before its status came
		n.follow.Resume(follower.ByRemote)
	case n.estop:
		n.follow.Resume(follower.ByOperator)
	default:
		n.follow.Resume(follower.ByOperator)
		n.follow.Resume(follower.ByEStop)
	}
	n.step()
	return stdsrvs.TriggerResponse{Success: true, Message: n.going("goes on")}, nil
}

func (n *Node) onSpeed(r dharma.SetNavSpeedRequest) (dharma.SetNavSpeedResponse, error) {
	err := n.follow.SetSpeed(math.Round(float64(r.Speed)*1e4) / 1e4) // what was meant before it became a float32
	out := dharma.SetNavSpeedResponse{Success: err == nil, Speed: float32(n.follow.Status().Speed)}
	if err != nil {
		out.Message = err.Error()
	}
	n.tell(n.c.Now())
	return out, nil
}
