package tagdetector

import (
	"context"
	"errors"
	"image"
	"time"

	"sarathi/internal/algo/tag36h11"
	"sarathi/internal/algo/tagpose"
	"sarathi/internal/bus"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/dharma"
	"sarathi/msg/sensor"
)

// Name is the node's name on the bus.
const Name = "tag_detector_node"

const (
	lookPeriod = 100 * time.Millisecond // of looking whether anybody wants tags
	cost       = 20 * time.Millisecond  // of an image in virtual time
	patience   = 10                     // images in a row that nothing can be made of before it is logged
)

// Detector finds tags in an image. It is used by one goroutine at a time.
type Detector interface {
	Detect(img *image.Gray) []tag36h11.Detection
	Close()
}

// Node is the detector on the bus. Its fields belong to its loop, the detector to the work that is under way.
type Node struct {
	cfg      Config
	open     func() (Detector, error)
	detector Detector

	c      *node.Context
	tags   *bus.Publisher[dharma.TagDetections]
	image  *bus.Subscription // while somebody wants tags
	info   *bus.Subscription
	camera sensor.CameraInfo // its last one; without a size before the first
	busy   bool
	next   time.Time // when an image is due
	failed int       // images in a row
}

var (
	_ node.Node     = (*Node)(nil)
	_ node.Preparer = (*Node)(nil)
)

// New returns a node that has no detector yet: open makes it when the node starts.
func New(cfg Config, open func() (Detector, error)) (*Node, error) {
	if open == nil {
		return nil, errors.New("tagdetector.New: a way to make a detector is required")
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Node{cfg: cfg, open: open}, nil
}

// Prepare implements node.Preparer.
func (n *Node) Prepare(context.Context) (err error) {
	n.detector, err = n.open()
	return err
}

// Close implements node.Preparer.
func (n *Node) Close() error {
	n.detector.Close()
	return nil
}

// Setup implements node.Node.
func (n *Node) Setup(c *node.Context) error {
	n.c = c
	n.tags = bus.NewPublisher(c, topics.Tags)
	c.Every(lookPeriod, n.look)
	return nil
}

// look subscribes to the camera while somebody wants tags.
func (n *Node) look(time.Time) {
	switch wanted := n.tags.Wanted(); {
	case wanted && n.image == nil:
		n.info = bus.Subscribe(n.c, topics.BodyCameraInfo, func(m sensor.CameraInfo) { n.camera = m })
		n.image = bus.Subscribe(n.c, topics.BodyImage, n.onImage)
	case !wanted && n.image != nil:
		n.image.Cancel()
		n.info.Cancel()
		n.image, n.info = nil, nil
	}
}

// onImage searches an image when one is due and the last one is done.
func (n *Node) onImage(m sensor.CompressedImage) {
	now := n.c.Now()
	if n.busy || now.Before(n.next) {
		return
	}
	n.next = now.Add(time.Duration(float64(time.Second) / n.cfg.Rate))
	n.busy = true
	camera := n.camera
	node.Go(n.c, cost, func(context.Context) (dharma.TagDetections, error) { return n.search(m, camera) },
		func(found dharma.TagDetections, err error) {
			n.busy = false
			n.report(err)
			if err == nil || len(found.Detections) > 0 {
				n.tags.Publish(found)
			}
		})
}

// search finds the tags in an image. Without a camera that could be understood they have corners and no pose, and the error says why.
func (n *Node) search(m sensor.CompressedImage, info sensor.CameraInfo) (dharma.TagDetections, error) {
	out := dharma.TagDetections{Header: m.Header}
	img, err := decode(m.Data)
	if err != nil {
		return out, err
	}
	size := img.Rect.Size()
	out.Width, out.Height = uint32(size.X), uint32(size.Y)
	camera, err := intrinsics(&info, size)
	var known *tagpose.Camera
	if err == nil {
		known = &camera
	}
	for _, d := range n.detector.Detect(img) {
		out.Detections = append(out.Detections, n.cfg.describe(img, known, d))
	}
	return out, err
}

func (n *Node) report(err error) {
	if err == nil {
		n.failed = 0
		return
	}
	if n.failed++; n.failed == patience {
		n.c.Log().Warn("no pose of a tag can be found", "err", err)
	}
}
