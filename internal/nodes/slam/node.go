package slam

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/builtin"
	"sarathi/msg/diagnostic"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// Name is the node's name on the bus.
const Name = "slam_node"

// jobCost is what a piece of back-end work is modelled to take in virtual time.
const jobCost = 50 * time.Millisecond

// Node matches scans and publishes the map. Use [New].
type Node struct {
	cfg    Config
	engine Engine

	// set in Setup
	c           *node.Context
	matches     *bus.Publisher[geometry.PoseWithCovarianceStamped]
	maps        *bus.Publisher[nav.OccupancyGrid]
	diagnostics *bus.Publisher[diagnostic.DiagnosticArray]
	frames      *tflistener.Listener

	// owned by the loop
	prior   prior
	queue   queue
	zero    time.Time  // of the engine's seconds
	pose    geom.Pose2 // of the last scan that was used
	job     Job        // that was started last
	running bool       // it has not ended
	changed bool       // the map, since it was published
	counts  counts
	warned  map[string]bool // frames that nobody knows
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config, engine Engine) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("slam: %w", err)
	}
	if engine == nil {
		return nil, errors.New("slam: no engine was given")
	}
	return &Node{cfg: cfg, engine: engine, warned: map[string]bool{}}, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.matches = bus.NewPublisher(c, topics.ScanMatchPose)
	n.maps = bus.NewPublisher(c, topics.Map)
	n.diagnostics = bus.NewPublisher(c, topics.SlamDiagnostics)
	n.frames = tflistener.Static(c, topics.TFStatic)
	bus.Subscribe(c, topics.FusedPose, n.onFused)
	bus.Subscribe(c, topics.Scan, n.onScan)
	c.Every(n.cfg.MapPeriod, n.publishMap)
	c.Every(time.Second, n.report)
	return nil
}

func (n *Node) onFused(m geometry.PoseWithCovarianceStamped) {
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil || m.Header.Stamp == (builtin.Time{}) {
		return
	}
	n.prior.add(stamped{rosconv.FromStamp(m.Header.Stamp), pose.Pose2()})
	n.drain()
}

func (n *Node) onScan(m sensor.LaserScan) {
	r, err := n.reading(&m)
	if err != nil {
		n.counts.malformed++
		return
	}
	at := n.c.Now()
	if m.Header.Stamp != (builtin.Time{}) {
		at = rosconv.FromStamp(m.Header.Stamp)
	}
	if n.queue.push(waiting{at: at, came: n.c.Now(), reading: r}) {
		n.counts.overrun++
	}
	n.c.After(n.cfg.MaxWait, func(time.Time) { n.drain() })
	n.drain()
}

// reading is a scan as the engine takes it.
func (n *Node) reading(m *sensor.LaserScan) (Reading, error) {
	beams := len(m.Ranges)
	r := Reading{
		AngleMin: float64(m.AngleMin), AngleIncrement: float64(m.AngleIncrement),
		RangeMin: float64(m.RangeMin), RangeMax: float64(m.RangeMax), Ranges: m.Ranges,
		Mount: n.mount(m.Header.FrameID),
	}
	if beams > 1 {
		if r.AngleIncrement == 0 {
			r.AngleIncrement = (float64(m.AngleMax) - r.AngleMin) / float64(beams-1)
		}
		r.Duration = max(0, float64(m.TimeIncrement)*float64(beams-1))
	}
	if beams == 0 || !geom.Finite(r.AngleMin, r.AngleIncrement, r.Duration) {
		return r, errors.New("no beams, or angles that are not finite")
	}
	if !geom.Finite(r.RangeMin, r.RangeMax) {
		r.RangeMin, r.RangeMax = 0, 0 // the device does not say
	}
	return r, nil
}

// drain gives the engine the scans whose turn it is.
func (n *Node) drain() {
	for {
		s, ok := n.queue.front()
		if !ok || n.running && n.engine.Due() || n.waits(s) {
			return
		}
		n.queue.pop()
		n.use(s)
	}
}

// listening is how long after the last fused pose another one is expected.
const listening = time.Second

// waits reports whether the fused pose at a scan's time is yet to come.
func (n *Node) waits(s *waiting) bool {
	if n.prior.covers(s.at) || n.c.Now().Sub(s.came) >= n.cfg.MaxWait {
		return false
	}
	heard := n.prior.heard()
	return !heard.IsZero() && s.at.Sub(heard) < listening
}

func (n *Node) use(s *waiting) {
	if n.zero.IsZero() {
		n.zero = s.at
	}
	t := s.at.Sub(n.zero).Seconds()
	if odo, ok := n.prior.odometry(s.at, n.pose); ok {
		n.engine.AddOdometry(t, odo)
	} else {
		n.counts.blind++
	}
	m := n.engine.AddScan(t, &s.reading)
	n.startJob()
	if !m.OK {
		n.counts.refused++
		n.prior.undo()
		return
	}
	n.counts.used++
	n.pose, n.changed = m.Pose, true
	n.matches.Publish(geometry.PoseWithCovarianceStamped{
		Header: rosconv.Header(s.at, n.cfg.MapFrame),
		Pose:   geometry.PoseWithCovariance{Pose: rosconv.Pose(m.Pose.Transform()), Covariance: rosconv.Covariance(m.Cov)},
	})
}

// startJob runs the engine's work beside the loop.
func (n *Node) startJob() {
	job := n.engine.Job()
	if job == nil || job == n.job {
		return
	}
	n.job, n.running = job, true
	work := func(context.Context) (struct{}, error) {
		job.Run()
		return struct{}{}, nil
	}
	node.Go(n.c, jobCost, work, func(struct{}, error) {
		n.running = false
		n.drain()
	})
}

func (n *Node) publishMap(now time.Time) {
	if !n.changed {
		return
	}
	n.changed = false
	g := n.engine.Map()
	n.maps.Publish(nav.OccupancyGrid{
		Header: rosconv.Header(now, n.cfg.MapFrame),
		Info: nav.MapMetaData{
			MapLoadTime: rosconv.Stamp(now), Resolution: float32(g.Resolution), Width: uint32(g.Width), Height: uint32(g.Height),
			Origin: rosconv.Pose(g.Origin.Transform()),
		},
		Data: g.Cells,
	})
}

// mount is where the lidar sits in base_link: at its origin, as long as nobody says otherwise.
func (n *Node) mount(frame string) geom.Transform {
	if frame == "" || frame == n.cfg.BaseFrame {
		return geom.IdentityTransform()
	}
	m, err := n.frames.Lookup(n.cfg.BaseFrame, frame, n.c.Now())
	if err == nil {
		return m
	}
	const most = 16 // frames to remember; a program may make them up
	if !n.warned[frame] && len(n.warned) < most {
		n.warned[frame] = true
		n.c.Log().Warn("the lidar counts as mounted upright at the middle of the robot", "frame", frame, "reason", err)
	}
	return geom.IdentityTransform()
}
