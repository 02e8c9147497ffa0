package lidarsector

import (
	"errors"
	"fmt"
	"math"
	"time"

	"sarathi/internal/algo/sectors"
	"sarathi/internal/bus"
	"sarathi/internal/geom"
	"sarathi/internal/node"
	"sarathi/internal/rosconv"
	"sarathi/internal/rosconv/tflistener"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// Name is the node's name on the bus.
const Name = "lidar_sector_node"

// Node publishes the sector scans. Use [New].
type Node struct {
	cfg           Config
	view          *sectors.View
	front, around sectors.Layout
	old           oldCloud
	xyz           []float32 // scratch

	c        *node.Context
	began    time.Time // of Setup
	frames   *tflistener.Listener
	mounts   map[string]geom.Transform // by frame; valid while frames.Changes is mountsOf
	mountsOf uint64
	trouble  map[string]bool // sources that are logged as wrong

	sectorScan, safetyScan *bus.Publisher[dharma.SectorScan]
}

var _ node.Node = (*Node)(nil)

// New returns the node, or what is wrong with the configuration.
func New(cfg Config) (*Node, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("lidar sectors: %w", err)
	}
	n := &Node{cfg: cfg, view: sectors.New(cfg.obstacles()), old: newOldCloud(cfg.CloudMaxAge), mounts: map[string]geom.Transform{}, trouble: map[string]bool{}}
	var err error
	if n.front, err = sectors.NewLayout(cfg.FrontSectors, cfg.FrontFOVDeg*rad); err != nil {
		return nil, fmt.Errorf("front sectors: %w", err)
	}
	if n.around, err = sectors.NewLayout(cfg.SafetySectors, 2*math.Pi); err != nil {
		return nil, fmt.Errorf("safety sectors: %w", err)
	}
	return n, nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c, n.began = c, c.Now()
	n.sectorScan = bus.NewPublisher(c, topics.SectorScan)
	n.safetyScan = bus.NewPublisher(c, topics.SafetyScan)
	n.frames = tflistener.Static(c, topics.TFStatic)
	if n.cfg.Cloud {
		bus.Subscribe(c, topics.BodyPoints, n.onCloud)
	}
	if n.cfg.Scan {
		bus.Subscribe(c, topics.BodyScan, n.onScan)
	}
	if n.cfg.Scan && n.cfg.Cloud {
		bus.Subscribe(c, topics.BodyOdometry, n.onOdometry)
	}
	return nil
}

func (n *Node) onScan(m sensor.LaserScan) {
	stamp := rosconv.FromStamp(m.Header.Stamp)
	n.report("scan", n.useScan(&m, stamp))
}

func (n *Node) useScan(m *sensor.LaserScan, stamp time.Time) error {
	mount, err := n.mount(m.Header.FrameID)
	if err != nil {
		return err
	}
	n.view.Begin()
	err = n.view.AddScan(sectors.Scan{
		AngleMin: float64(m.AngleMin), AngleIncrement: float64(m.AngleIncrement),
		RangeMin: float64(m.RangeMin), RangeMax: float64(m.RangeMax), Ranges: m.Ranges, Mount: mount,
	})
	if err != nil {
		return err
	}
	if n.cfg.Cloud {
		moved, err := n.old.movedTo(stamp)
		if err != nil {
			return err
		}
		n.view.AddCloud(&n.old.points, moved)
	}
	n.publish(stamp)
	return nil
}

func (n *Node) onCloud(m sensor.PointCloud2) {
	stamp := rosconv.FromStamp(m.Header.Stamp)
	err := n.readCloud(&m, stamp)
	n.report("cloud", err)
	if err != nil {
		n.old.stamp = time.Time{} // no scan may rest on the cloud before
		return
	}
	if !n.cfg.Scan {
		n.view.Begin()
		n.view.AddCloud(&n.old.points, geom.Pose2{})
		n.publish(stamp)
	}
}

func (n *Node) readCloud(m *sensor.PointCloud2, stamp time.Time) error {
	mount, err := n.mount(m.Header.FrameID)
	if err != nil {
		return err
	}
	cloud, err := rosconv.NewCloud(m)
	if err != nil {
		return err
	}
	n.xyz = cloud.Append(n.xyz[:0])
	if n.view.ReadCloud(&n.old.points, n.xyz, mount) == 0 {
		return fmt.Errorf("none of the %d points of the cloud can be used", cloud.Len())
	}
	n.old.stamp = stamp
	return nil
}

func (n *Node) onOdometry(m nav.Odometry) {
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err == nil {
		err = n.old.drove(rosconv.FromStamp(m.Header.Stamp), pose)
	}
	n.report("odometry", err)
}

// mount returns where a sensor sits in base_link.
func (n *Node) mount(frame string) (geom.Transform, error) {
	if frame == n.cfg.BaseFrame {
		return geom.IdentityTransform(), nil
	}
	if n.mountsOf != n.frames.Changes() {
		clear(n.mounts)
		n.mountsOf = n.frames.Changes()
	}
	if m, ok := n.mounts[frame]; ok {
		return m, nil
	}
	m, err := n.frames.Lookup(n.cfg.BaseFrame, frame, n.c.Now())
	if err != nil {
		return m, fmt.Errorf("where the sensor is mounted: %w; add a link of that name to the frames", err)
	}
	const most = 16 // sensors; a source that makes up frames must not fill the memory
	if len(n.mounts) < most {
		n.mounts[frame] = m
	}
	return m, nil
}

func (n *Node) publish(stamp time.Time) {
	n.sectorScan.Publish(n.message(dharma.SectorScanKindFront, stamp, &n.front))
	n.safetyScan.Publish(n.message(dharma.SectorScanKindSafety, stamp, &n.around))
}

func (n *Node) message(kind string, stamp time.Time, l *sectors.Layout) dharma.SectorScan {
	return dharma.SectorScan{
		Header: rosconv.Header(stamp, n.cfg.BaseFrame), Kind: kind,
		AngleMin: float32(l.AngleMin), AngleIncrement: float32(l.Increment),
		RangeMin: float32(n.cfg.RangeMin), RangeMax: float32(n.view.RangeMax()),
		Ranges: n.view.Append(make([]float32, 0, l.Count), l),
	}
}

// startGrace is how long sources may take to come up before what is missing is worth a word.
const startGrace = time.Second

// report logs what is wrong with a source when it begins, and when it is over.
func (n *Node) report(source string, err error) {
	if (err != nil) == n.trouble[source] || (errors.Is(err, errNoCloud) && n.c.Now().Sub(n.began) < startGrace) {
		return
	}
	n.trouble[source] = err != nil
	if err != nil {
		n.c.Log().Error("sector scans are held back", "source", source, "reason", err)
	} else {
		n.c.Log().Info("source of sector scans is good again", "source", source)
	}
}
