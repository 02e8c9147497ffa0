package localization

import (
	"errors"
	"fmt"
	"time"

	algo "sarathi/internal/algo/localization"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/site"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/stdsrvs"
	"sarathi/msg/tf2"
	"sarathi/msg/visualization"
)

// Name is the node's name on the bus.
const Name = "localization_node"

// Deps is what the node needs from outside.
type Deps struct {
	Sites    *site.Store
	SitesDir string // where the sites folder is, for absolute paths
	Map      string // frame of the map
	Odom     string // frame of odometry
	Base     string // frame of the robot
	NoTags   error  // why no tag can be detected on this computer; nil: they can
}

// Node is localization_node. Use [New]. Its fields belong to its loop.
type Node struct {
	cfg    algo.Config
	deps   Deps
	filter *algo.Filter

	// set in Setup
	c       *node.Context
	frames  *tflistener.Listener
	status  *bus.Publisher[dharma.LocalizationStatus]
	pose    *bus.Publisher[geometry.PoseWithCovarianceStamped]
	tf      *bus.Publisher[tf2.TFMessage]
	markers *bus.Publisher[visualization.MarkerArray]

	odometry odometry
	tfDue    time.Time       // of map → odom
	warned   map[string]bool // links that the description of the robot lacks

	// tags
	file    string // of the site's tags, relative to the sites folder; "": none was loaded
	tags    map[string]geom.Transform
	loads   int                       // how many times tags were asked for
	images  *bus.Subscription         // while tags can matter
	waiting []dharma.TagDetections    // images that odometry has not got to
	view    view                      // what the camera shows
	start   *start                    // a start that waits for a tag
	record  *recording                // a recording that is going on
	message string                    // why the last start or recording did not succeed
	wished  bool                      // message is that of a start, which a tag can still grant
	told    dharma.LocalizationStatus // as published last
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg algo.Config, deps Deps) (*Node, error) {
	filter, err := algo.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("localization: %w", err)
	}
	if deps.Sites == nil || deps.SitesDir == "" || deps.Map == "" || deps.Odom == "" || deps.Base == "" {
		return nil, errors.New("localization: no sites folder or no frames were given")
	}
	return &Node{cfg: cfg, deps: deps, filter: filter, warned: map[string]bool{}}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.frames = tflistener.Static(c, topics.TFStatic)
	n.status = bus.NewPublisher(c, topics.LocalizationStatus)
	n.pose = bus.NewPublisher(c, topics.LocalizationPose)
	n.tf = bus.NewPublisher(c, topics.TF)
	n.markers = bus.NewPublisher(c, topics.TagMarkers)
	bus.Subscribe(c, topics.LidarOdometry, func(m nav.Odometry) { n.onOdometry(lidar, &m) })
	bus.Subscribe(c, topics.BodyOdometry, func(m nav.Odometry) { n.onOdometry(body, &m) })
	bus.Subscribe(c, topics.InitialPose, n.onInitialPose)
	bus.Subscribe(c, topics.SiteStatus, n.onSite)
	bus.ServeAsync(c, topics.Localize, n.onStart)
	bus.ServeAsync(c, topics.RecordTags, n.onRecord)
	bus.ServeAsync(c, topics.LoadTags, n.onLoad)
	bus.Serve(c, topics.AssumeOrigin, n.onOrigin)
	bus.Serve(c, topics.ResetLocalization, n.onReset)
	c.Every(lookPeriod, n.look)
	c.Every(statusPeriod, func(time.Time) { n.publish() })
	n.showTags()
	n.publish()
	return nil
}

// onInitialPose takes a pose that a person gives. Its stamp is that of another computer's clock: when odometry knows nothing of that
// time, the pose is meant for now.
func (n *Node) onInitialPose(m geometry.PoseWithCovarianceStamped) {
	p, err := rosconv.FromPose(m.Pose.Pose)
	switch {
	case err != nil:
		n.refuse("the pose estimate is not used: " + err.Error())
		return
	case m.Header.FrameID != "" && m.Header.FrameID != n.deps.Map:
		n.refuse(fmt.Sprintf("the pose estimate is not used: it is in frame %s, give it in %s", m.Header.FrameID, n.deps.Map))
		return
	}
	t, cov := rosconv.FromStamp(m.Header.Stamp), plausible(rosconv.FromCovariance(m.Pose.Covariance))
	err = n.filter.Set(t, p.Pose2(), cov, dharma.LocalizationStatusSourcePoseEstimate)
	if errors.Is(err, algo.ErrNoOdometry) {
		err = n.filter.Set(n.odometry.at, p.Pose2(), cov, dharma.LocalizationStatusSourcePoseEstimate)
	}
	if err != nil {
		n.refuse("the pose estimate is not used: " + n.noOdometry(err))
		return
	}
	n.placed("a pose estimate was given meanwhile")
}

// plausible returns a covariance that can be one; the zero covariance means unknown.
func plausible(c algo.Covariance) algo.Covariance {
	for i := range c {
		for k := range c[i] {
			if !geom.Finite(c[i][k]) || c[i][k]*c[i][k] > c[i][i]*c[k][k] {
				return algo.Covariance{}
			}
		}
	}
	return c
}

// Deviations of the origin, which is where the robot stands by definition [m, rad].
const originPlace, originHeading = 0.01, 0.01

func (n *Node) onOrigin(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	cov := algo.Covariance{{originPlace * originPlace}, {0, originPlace * originPlace}, {0, 0, originHeading * originHeading}}
	if err := n.filter.Set(n.odometry.at, geom.Pose2{}, cov, dharma.LocalizationStatusSourceOrigin); err != nil {
		text := "the origin cannot be here: " + n.noOdometry(err)
		n.refuse(text)
		return stdsrvs.TriggerResponse{Message: text}, nil
	}
	n.placed("the present pose became the origin meanwhile")
	return stdsrvs.TriggerResponse{Success: true, Message: "the origin of the map is where the robot stands"}, nil
}

func (n *Node) onReset(stdsrvs.TriggerRequest) (stdsrvs.TriggerResponse, error) {
	n.filter.Reset()
	n.placed("localization was reset meanwhile")
	return stdsrvs.TriggerResponse{Success: true, Message: "the robot does not know where it is; a known tag in view localizes it"}, nil
}

// noOdometry says in plain words why an estimate cannot begin.
func (n *Node) noOdometry(err error) string {
	if n.odometry.at.IsZero() {
		return "there is no odometry yet: wait for the robot, or see why its odometry is silent"
	}
	return err.Error()
}

// placed tells that a person has decided where the robot is; what waited for a tag or measured from the old pose ends.
func (n *Node) placed(why string) {
	n.message, n.wished = "", false
	n.endStart(false, why)
	n.endRecord(why)
	n.look(n.c.Now())
	n.publish()
}

// refuse tells in the status that something did not succeed.
func (n *Node) refuse(message string) {
	n.message, n.wished = message, false
	n.publish()
}
