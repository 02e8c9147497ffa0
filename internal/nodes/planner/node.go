package planner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/costmap"
	"sarathi/internal/algo/planner"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "planner_node"

const (
	planCost    = 20 * time.Millisecond // in virtual time
	mapCost     = 50 * time.Millisecond
	callTimeout = 2 * time.Second
	maxJobs     = 8 // requests that wait for the planner
)

// Deps is what the node is told about the robot.
type Deps struct {
	Frame     string       // of the map
	BaseFrame string       // of the robot
	Footprint geom.Polygon // of the robot, in its frame
}

// job is one path to find.
type job struct {
	from, to geom.Pose2
	done     func(planner.Path, time.Duration, error)
}

// Node plans. Use [New].
type Node struct {
	cfg  Config
	deps Deps

	// set in Setup
	c            *node.Context
	status       *bus.Publisher[dharma.PlannerStatus]
	pathOut      *bus.Publisher[nav.Path]
	costmapOut   *bus.Publisher[nav.OccupancyGrid]
	localization *bus.Reader[dharma.LocalizationStatus]
	frames       *tflistener.Listener
	setPath      *bus.Caller[dharma.SetPathRequest, dharma.SetPathResponse]
	start, stop  *bus.Caller[stdsrvs.TriggerRequest, stdsrvs.TriggerResponse]

	// owned by the loop
	costs    *costmap.Map // nil: there is no map
	maps     int          // maps that came; an older one that is still read does not count
	track    track
	waiting  *sensor.LaserScan // for the pose of its time
	jobs     []job
	busy     bool // the planner works, and owns plan and snapshot
	plan     *planner.Planner
	snapshot *costmap.Map
	mission  mission
	trouble  string // with the scan, as logged
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	if deps.Frame == "" || deps.BaseFrame == "" {
		return nil, errors.New("planner: no frames were given")
	}
	if err := cfg.costmap(deps.Footprint).Validate(); err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	p, err := planner.New(cfg.planner())
	if err != nil {
		return nil, fmt.Errorf("planner: %w", err)
	}
	return &Node{cfg: cfg, deps: deps, plan: p, mission: mission{state: dharma.PlannerStatusStateIdle}}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.status = bus.NewPublisher(c, topics.PlannerStatus)
	n.pathOut = bus.NewPublisher(c, topics.PlannerPath)
	n.costmapOut = bus.NewPublisher(c, topics.PlannerCostmap)
	n.localization = bus.NewReader(c, topics.LocalizationStatus)
	n.frames = tflistener.Static(c, topics.TFStatic)
	n.setPath = bus.NewCaller(c, topics.SetPath)
	n.start, n.stop = bus.NewCaller(c, topics.StartNavigation), bus.NewCaller(c, topics.StopNavigation)
	bus.Subscribe(c, topics.Map, n.onMap)
	bus.Subscribe(c, topics.BodyScan, n.onScan)
	bus.Subscribe(c, topics.LocalizationPose, n.onPose)
	bus.Subscribe(c, topics.NavigationStatus, n.onNavigation)
	bus.ServeAsync(c, topics.GoTo, n.onGoTo)
	bus.ServeAsync(c, topics.PlanPath, n.onPlan)
	bus.Serve(c, topics.CancelPlan, n.onCancel)
	c.Every(n.cfg.ReplanPeriod, n.look)
	c.Every(n.cfg.CostmapPeriod, n.showCosts)
	n.tell()
	return nil
}

func (n *Node) onMap(m nav.OccupancyGrid) {
	n.maps++
	number, cfg := n.maps, n.cfg.costmap(n.deps.Footprint)
	node.Go(n.c, mapCost, func(context.Context) (*costmap.Map, error) { return readMap(&m, cfg) }, func(costs *costmap.Map, err error) {
		if number != n.maps {
			return
		}
		if n.costs = costs; err != nil && !errors.Is(err, errNoMap) {
			n.c.Log().Error("map cannot be used", "reason", err)
		}
		n.showCosts(n.c.Now())
	})
}

func (n *Node) onPose(m geometry.PoseWithCovarianceStamped) {
	n.track.add(&m)
	if s := n.waiting; s != nil {
		n.waiting = nil
		n.onScan(*s)
	}
}

// onScan adds a scan as soon as the pose of its time is known.
func (n *Node) onScan(m sensor.LaserScan) {
	if n.costs == nil || !n.localized() {
		return
	}
	stamp := rosconv.FromStamp(m.Header.Stamp)
	base, ok := n.track.at(stamp)
	if !ok {
		if poses := n.track.poses; len(poses) > 0 && stamp.After(poses[len(poses)-1].at) {
			n.waiting = &m
		}
		return
	}
	mount, err := n.frames.Lookup(n.deps.BaseFrame, m.Header.FrameID, n.c.Now())
	if err == nil {
		err = n.costs.AddScan(stamp, readScan(&m, base, mount.Pose2()))
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != n.trouble && text != "" {
		n.c.Log().Warn("scan is not used for planning", "reason", text)
	}
	n.trouble = text
}

func (n *Node) localized() bool {
	l, _, ok := n.localization.Get()
	return ok && l.State == dharma.LocalizationStatusStateLocalized
}

// here is where the robot is.
func (n *Node) here() (geom.Pose2, error) {
	if !n.localized() {
		return geom.Pose2{}, errNoPose
	}
	return n.track.latest(n.c.Now(), n.cfg.PoseMaxAge)
}

// find plans beside the loop, after what was asked for before.
func (n *Node) find(j job) {
	switch {
	case n.costs == nil:
		j.done(planner.Path{}, 0, errNoMap)
	case len(n.jobs) == maxJobs:
		j.done(planner.Path{}, 0, fmt.Errorf("%w: too many requests wait", planner.ErrTooLong))
	default:
		n.jobs = append(n.jobs, j)
		n.next()
	}
}

// next begins the oldest job, if the planner is free.
func (n *Node) next() {
	if n.busy || len(n.jobs) == 0 {
		return
	}
	j := n.jobs[0]
	n.jobs = n.jobs[1:]
	if n.costs == nil {
		j.done(planner.Path{}, 0, errNoMap)
		n.next()
		return
	}
	n.busy = true
	n.snapshot = n.costs.Snapshot(n.snapshot)
	began, plan, costs := n.c.Now(), n.plan, n.snapshot
	node.Go(n.c, planCost, func(context.Context) (planner.Path, error) { return plan.Plan(costs, j.from, j.to) }, func(p planner.Path, err error) {
		n.busy = false
		j.done(p, n.c.Now().Sub(began), err)
		n.next()
	})
}

func (n *Node) onPlan(r dharma.PlanPathRequest, reply func(dharma.PlanPathResponse, error)) {
	refuse := func(err error) { reply(dharma.PlanPathResponse{Message: err.Error(), ErrorCode: code(err)}, nil) }
	from := geom.Pose2{X: r.Start.X, Y: r.Start.Y, Theta: r.Start.Theta}
	if !r.FromPose {
		var err error
		if from, err = n.here(); err != nil {
			refuse(err)
			return
		}
	}
	to := geom.Pose2{X: r.Goal.X, Y: r.Goal.Y, Theta: r.Goal.Theta}
	n.find(job{from, to, func(p planner.Path, took time.Duration, err error) {
		if err != nil {
			refuse(err)
			return
		}
		reply(dharma.PlanPathResponse{
			Success: true, Path: n.message(p.Poses), Length: float32(p.Length), PlanningTime: float32(took.Seconds()),
		}, nil)
	}})
}

func (n *Node) onCancel(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	if !n.mission.under() {
		return stdsrvs.TriggerResponse{Message: "there is no goal"}, nil
	}
	n.end(dharma.PlannerStatusStateCancelled, 0, "cancelled")
	return stdsrvs.TriggerResponse{Success: true, Message: "cancelled"}, nil
}

// end ends the mission and stops the robot if it is on its way.
func (n *Node) end(state string, code uint16, message string) {
	if n.mission.under() {
		n.stop.Call(stdsrvs.TriggerRequest{}, callTimeout, func(_ stdsrvs.TriggerResponse, err error) {
			if err != nil {
				n.c.Log().Warn("navigation does not stop", "reason", err)
			}
		})
	}
	n.mission.end(state, code, message)
	n.showPath()
	n.tell()
}

// tell publishes the status.
func (n *Node) tell() {
	m := &n.mission
	left := float32(m.left)
	if !m.walking() && m.state != dharma.PlannerStatusStateArrived {
		left = float32(math.NaN())
	}
	n.status.Publish(dharma.PlannerStatus{
		Header: rosconv.Header(n.c.Now(), n.deps.Frame), State: m.state, Goal: m.poi,
		GoalPose:  geometry.Pose2D{X: m.goal.X, Y: m.goal.Y, Theta: m.goal.Theta},
		Remaining: left, Replans: uint32(m.replans), PlanningTime: float32(m.took.Seconds()), ErrorCode: m.code, Message: m.message,
	})
}

// message is a path as ROS has it.
func (n *Node) message(poses []geom.Pose2) nav.Path {
	h := rosconv.Header(n.c.Now(), n.deps.Frame)
	out := nav.Path{Header: h, Poses: make([]geometry.PoseStamped, len(poses))}
	for i, p := range poses {
		out.Poses[i] = geometry.PoseStamped{Header: h, Pose: rosconv.Pose(p.Transform())}
	}
	return out
}

func (n *Node) showPath() { n.pathOut.Publish(n.message(n.mission.path.Poses)) }

// showCosts publishes the costmap, if somebody looks.
func (n *Node) showCosts(now time.Time) {
	if n.costs == nil || !n.costmapOut.Wanted() {
		return
	}
	g := n.costs.Geometry
	n.costmapOut.Publish(nav.OccupancyGrid{
		Header: rosconv.Header(now, n.deps.Frame),
		Info: nav.MapMetaData{
			Resolution: float32(g.Resolution), Width: uint32(g.Width), Height: uint32(g.Height), Origin: rosconv.Pose(g.Origin.Transform()),
		},
		Data: occupancy(n.costs.Costs()),
	})
}
