package routerecorder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sarathi/internal/algo/route"
	"sarathi/internal/algo/teach"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/stdsrvs"
)

// Name is the node's name on the bus.
const Name = "route_recorder_node"

const diskCost = 10 * time.Millisecond // in virtual time

// Deps is what the node needs from outside.
type Deps struct {
	Sites *site.Store
	Frame string         // of the map
	Zone  *time.Location // of the names of files
}

// Node teaches routes. Use [New].
type Node struct {
	cfg  Config
	deps Deps

	// set in Setup
	c            *node.Context
	status       *bus.Publisher[dharma.RouteStatus]
	localization *bus.Reader[dharma.LocalizationStatus]
	pose         *bus.Reader[geometry.PoseWithCovarianceStamped]

	// owned by the loop
	site    string // that is active
	lesson  *teach.Lesson
	on      bool
	file    string
	of      string // site that the lesson belongs to
	message string
	at      time.Time // of the last sample
	saved   int       // points that are on disk, with what is being written; stops that change count anew
	writing bool
	again   bool     // something changed while it was written
	after   []func() // when all is on disk
	failed  error    // of the last writing
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, deps Deps) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("route recorder: %w", err)
	}
	if deps.Sites == nil || deps.Frame == "" || deps.Zone == nil {
		return nil, errors.New("route recorder: no sites folder, no frame or no time zone was given")
	}
	return &Node{cfg: cfg, deps: deps, lesson: teach.New(teach.Default())}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.status = bus.NewPublisher(c, topics.RouteStatus)
	n.localization = bus.NewReader(c, topics.LocalizationStatus)
	n.pose = bus.NewReader(c, topics.LocalizationPose)
	bus.Subscribe(c, topics.SiteStatus, n.onSite)
	bus.Subscribe(c, topics.LocalizationPose, n.onPose)
	bus.ServeAsync(c, topics.StartRoute, n.onStart)
	bus.ServeAsync(c, topics.StopRoute, n.onStop)
	bus.Serve(c, topics.MarkStopPoint, n.onMark)
	c.Every(n.cfg.SavePeriod, func(time.Time) { n.save() })
	n.tell()
	return nil
}

func (n *Node) onSite(m dharma.SiteStatus) {
	n.site = m.Site
	if n.on && n.of != n.site {
		n.end("another site became active")
	}
}

// here is where the robot is now.
func (n *Node) here() (geom.Pose2, error) {
	l, _, known := n.localization.Get()
	if !known || l.State != dharma.LocalizationStatusStateLocalized {
		return geom.Pose2{}, errors.New("the robot is not localized: start the localization first")
	}
	m, _, ok := n.pose.Get()
	if !ok || n.c.Now().Sub(rosconv.FromStamp(m.Header.Stamp)) > n.cfg.PoseMaxAge {
		return geom.Pose2{}, errors.New("the pose of the robot is missing or old")
	}
	p, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return geom.Pose2{}, fmt.Errorf("the pose of the robot: %w", err)
	}
	return p.Pose2(), nil
}

func (n *Node) onStart(_ stdsrvs.TriggerRequest, reply func(stdsrvs.TriggerResponse, error)) {
	refuse := func(why string) {
		n.message = why
		n.tell()
		reply(stdsrvs.TriggerResponse{Message: why}, nil)
	}
	p, err := n.here()
	switch {
	case n.on:
		reply(stdsrvs.TriggerResponse{Message: "a route is being taught: end it first"}, nil)
	case n.writing:
		reply(stdsrvs.TriggerResponse{Message: "the last route is still being saved: try again"}, nil)
	case n.site == "":
		refuse("no site is active: load one first")
	case err != nil:
		refuse(err.Error())
	default:
		n.lesson = teach.New(teach.Config{Spacing: n.cfg.Spacing, MaxJump: n.cfg.MaxJump, MaxPoints: teach.Default().MaxPoints})
		n.on, n.of, n.saved, n.failed, n.message = true, n.site, 0, nil, ""
		n.file = fmt.Sprintf("%s/routes/%s.csv", n.site, n.c.Now().In(n.deps.Zone).Format("2006-01-02_15-04-05"))
		n.add(p)
		n.tell()
		reply(stdsrvs.TriggerResponse{Success: true, Message: n.file}, nil)
	}
}

func (n *Node) onPose(m geometry.PoseWithCovarianceStamped) {
	if !n.on {
		return
	}
	l, _, known := n.localization.Get()
	if p, err := rosconv.FromPose(m.Pose.Pose); err == nil && known && l.State == dharma.LocalizationStatusStateLocalized {
		n.add(p.Pose2())
	}
}

// add takes in a pose.
func (n *Node) add(p geom.Pose2) {
	before := len(n.lesson.Points())
	err := n.lesson.Add(p)
	if err != nil {
		n.end(fmt.Sprintf("teaching ended: %s", err))
		return
	}
	if len(n.lesson.Points()) != before {
		n.at = n.c.Now()
		n.tell()
	}
}

func (n *Node) onMark(r dharma.MarkStopPointRequest) (dharma.MarkStopPointResponse, error) {
	if !n.on {
		return dharma.MarkStopPointResponse{Message: "no route is being taught"}, nil
	}
	p, err := n.here()
	stop := 0
	if err == nil {
		stop, err = n.lesson.Mark(p, r.DwellSec)
	}
	switch {
	case err == nil:
		n.saved, n.at = 0, n.c.Now()
		n.tell()
		return dharma.MarkStopPointResponse{Success: true, Message: fmt.Sprintf("stop %d", stop+1), Index: uint32(stop)}, nil
	case errors.Is(err, teach.ErrJump), errors.Is(err, teach.ErrFull):
		n.end(fmt.Sprintf("teaching ended: %s", err))
	}
	return dharma.MarkStopPointResponse{Message: err.Error()}, nil
}

func (n *Node) onStop(_ stdsrvs.TriggerRequest, reply func(stdsrvs.TriggerResponse, error)) {
	if !n.on {
		reply(stdsrvs.TriggerResponse{Message: "no route is being taught"}, nil)
		return
	}
	n.end("")
	n.after = append(n.after, func() {
		switch points := len(n.lesson.Points()); {
		case n.failed != nil:
			reply(stdsrvs.TriggerResponse{Message: n.failed.Error()}, nil)
		case points < 2:
			reply(stdsrvs.TriggerResponse{Message: n.message}, nil)
		default:
			reply(stdsrvs.TriggerResponse{
				Success: true, Message: fmt.Sprintf("%s: %.1f m, %d points, %d stops", n.file, n.lesson.Length(), points, n.lesson.Stops()),
			}, nil)
		}
	})
	n.finish()
}

// end ends teaching and saves what there is.
func (n *Node) end(why string) {
	n.on, n.message = false, why
	if len(n.lesson.Points()) < 2 {
		n.message = "the robot was not led anywhere: nothing is kept"
		if why != "" {
			n.message = why + ": " + n.message
		}
	}
	if why != "" {
		n.c.Log().Warn("teaching ended by itself", "reason", why)
	}
	n.save()
	n.tell()
}

// save writes the file, if there is something new.
func (n *Node) save() {
	points := n.lesson.Points()
	if len(points) < 2 || len(points) == n.saved {
		return
	}
	if n.writing {
		n.again = true
		return
	}
	n.writing, n.again, n.saved = true, false, len(points)
	file, data := n.file, route.Format(points)
	node.Go(n.c, diskCost, func(context.Context) (struct{}, error) { return struct{}{}, n.deps.Sites.SaveRoute(file, data) }, func(_ struct{}, err error) {
		n.writing = false
		if err != nil {
			n.c.Log().Error("route is not saved", "file", file, "reason", err)
			n.message, n.saved = err.Error(), 0
			n.tell()
		}
		n.failed = err
		if n.again {
			n.again = false
			n.save()
		}
		n.finish()
	})
}

// finish answers who waits for the file, once it is whole.
func (n *Node) finish() {
	if n.writing {
		return
	}
	after := n.after
	n.after = nil
	for _, f := range after {
		f()
	}
}

// tell publishes the status.
func (n *Node) tell() {
	n.status.Publish(dharma.RouteStatus{
		Header: rosconv.Header(n.at, n.deps.Frame), Recording: n.on, Site: n.of, File: n.file,
		Points: uint32(len(n.lesson.Points())), Stops: uint32(n.lesson.Stops()), Length: float32(n.lesson.Length()), Message: n.message,
	})
}
