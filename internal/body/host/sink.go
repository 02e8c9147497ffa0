package host

import (
	"sync/atomic"

	"sarathi/driver"
	"sarathi/internal/bus"
	"sarathi/internal/idl"
	"sarathi/internal/node"
	"sarathi/internal/topics"
	"sarathi/msg/diagnostic"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// sink takes what a body reports, from any goroutine. It publishes itself and posts the rest to the node's loop.
type sink struct {
	ctx  *node.Context
	node *Node

	odometry    *bus.Publisher[nav.Odometry]
	imu         *bus.Publisher[sensor.Imu]
	joints      *bus.Publisher[sensor.JointState]
	battery     *bus.Publisher[sensor.BatteryState]
	diagnostics *bus.Publisher[diagnostic.DiagnosticArray] // always there: faults go out on it
	scan        *bus.Publisher[sensor.LaserScan]
	points      *bus.Publisher[sensor.PointCloud2]
	image       *bus.Publisher[sensor.CompressedImage]
	cameraInfo  *bus.Publisher[sensor.CameraInfo]

	heard atomic.Uint64 // messages published
	wrong atomic.Uint64 // messages dropped: not listed in the capabilities, or of a wrong type
}

var _ driver.Sink = (*sink)(nil)

// newSink advertises the streams that the body has, and no others.
func newSink(c *node.Context, n *Node, caps driver.Capabilities) *sink {
	return &sink{
		ctx: c, node: n,
		odometry:    advertise(c, caps, driver.StreamOdometry, topics.BodyOdometry),
		imu:         advertise(c, caps, driver.StreamIMU, topics.BodyIMU),
		joints:      advertise(c, caps, driver.StreamJoints, topics.BodyJointStates),
		battery:     advertise(c, caps, driver.StreamBattery, topics.BodyBattery),
		diagnostics: bus.NewPublisher(c, topics.BodyDiagnostics),
		scan:        advertise(c, caps, driver.StreamScan, topics.BodyScan),
		points:      advertise(c, caps, driver.StreamPoints, topics.BodyPoints),
		image:       advertise(c, caps, driver.StreamImage, topics.BodyImage),
		cameraInfo:  advertise(c, caps, driver.StreamCameraInfo, topics.BodyCameraInfo),
	}
}

func advertise[T any](c *node.Context, caps driver.Capabilities, s driver.Stream, t *bus.Topic[T]) *bus.Publisher[T] {
	if !caps.Has(s) {
		return nil
	}
	return bus.NewPublisher(c, t)
}

// Publish implements driver.Sink.
func (s *sink) Publish(stream driver.Stream, m idl.Message) {
	if s.publish(stream, m) {
		s.heard.Add(1)
	} else {
		s.wrong.Add(1)
	}
}

func (s *sink) publish(stream driver.Stream, m idl.Message) bool {
	switch stream {
	case driver.StreamOdometry:
		return publish(s.odometry, m)
	case driver.StreamIMU:
		return publish(s.imu, m)
	case driver.StreamJoints:
		return publish(s.joints, m)
	case driver.StreamBattery:
		return publish(s.battery, m)
	case driver.StreamDiagnostics:
		return publish(s.diagnostics, m)
	case driver.StreamScan:
		return publish(s.scan, m)
	case driver.StreamPoints:
		return publish(s.points, m)
	case driver.StreamImage:
		return publish(s.image, m)
	case driver.StreamCameraInfo:
		return publish(s.cameraInfo, m)
	default:
		return false
	}
}

// publish reports whether the message could be published: the body lists the stream and the type is right.
func publish[T any](p *bus.Publisher[T], m idl.Message) bool {
	v, ok := any(m).(*T)
	if !ok || v == nil || p == nil {
		return false
	}
	p.Publish(*v)
	return true
}

// Wanted implements driver.Sink.
func (s *sink) Wanted(stream driver.Stream) bool {
	switch stream {
	case driver.StreamOdometry:
		return wanted(s.odometry)
	case driver.StreamIMU:
		return wanted(s.imu)
	case driver.StreamJoints:
		return wanted(s.joints)
	case driver.StreamBattery:
		return wanted(s.battery)
	case driver.StreamDiagnostics:
		return wanted(s.diagnostics)
	case driver.StreamScan:
		return wanted(s.scan)
	case driver.StreamPoints:
		return wanted(s.points)
	case driver.StreamImage:
		return wanted(s.image)
	case driver.StreamCameraInfo:
		return wanted(s.cameraInfo)
	default:
		return false
	}
}

func wanted[T any](p *bus.Publisher[T]) bool { return p != nil && p.Wanted() }

// SkillResult implements driver.Sink.
func (s *sink) SkillResult(r driver.SkillResult) { s.ctx.Post(func() { s.node.onSkillResult(r) }) }

// Fault implements driver.Sink.
func (s *sink) Fault(f driver.Fault) { s.ctx.Post(func() { s.node.onFault(f) }) }

// EStop implements driver.Sink.
func (s *sink) EStop(e driver.EStopState) { s.ctx.Post(func() { s.node.onBodyEStop(e) }) }
