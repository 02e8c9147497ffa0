package rosrobot

import (
	"fmt"
	"time"

	"sarathi/driver"
	"sarathi/internal/idl"
	"sarathi/internal/rosconv"
	"sarathi/msg/diagnostic"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/rosbridge"
)

// stream is one that the robot has. Its fields are guarded by the driver's lock.
type stream struct {
	source
	sub      *rosbridge.Subscription // nil while nobody wants it
	limit    time.Duration           // age at which it is stale, 0 for never
	heard    time.Time               // last message, or since when it is subscribed or the link is there
	last     time.Time               // stamp of the last message
	reported bool                    // as stale
	strange  bool                    // it was reported that messages cannot be understood
}

// expensive reports whether the stream is subscribed only while somebody uses it.
func (s *stream) expensive() bool {
	return s.stream == driver.StreamPoints || s.stream == driver.StreamImage
}

func (s *stream) stale(now time.Time) bool {
	return s.limit > 0 && s.sub != nil && now.Sub(s.heard) >= s.limit
}

// newStreams returns the streams of a configuration; odometry is the first.
func newStreams(cfg Config) []*stream {
	var out []*stream
	for _, src := range cfg.sources() {
		if src.Topic.Topic == "" {
			continue
		}
		s := &stream{source: src, limit: src.Stale}
		if s.stream == driver.StreamOdometry {
			const periods = 3
			s.limit = max(s.limit, time.Duration(periods*float64(time.Second)/cfg.OdometryHz))
		}
		out = append(out, s)
	}
	return out
}

// followLocked subscribes what is wanted and gives up what is not.
func (d *Driver) followLocked(now time.Time) {
	for _, s := range d.streams {
		wanted := !s.expensive() || d.sink.Wanted(s.stream)
		switch {
		case wanted && s.sub == nil:
			d.subscribeLocked(now, s)
		case !wanted && s.sub != nil:
			s.sub.Close()
			s.sub, s.reported = nil, false
		}
	}
}

func (d *Driver) subscribeLocked(now time.Time, s *stream) {
	options := rosbridge.SubscribeOptions{
		Type: typeName(s.stream.Type(), d.cfg.dialect()), Throttle: s.Throttle, QueueLength: 1, Compression: s.Compression, Buffer: 4,
	}
	client := d.client
	sub, err := client.Subscribe(s.Topic.Topic, options, func(m rosbridge.Delivery) { d.receive(client, s, m) })
	if err != nil {
		d.deps.Log.Warn("stream not subscribed", "stream", s.stream.String(), "err", err) // tried again at the next look
		return
	}
	s.sub, s.heard = sub, now
}

// typeName returns how a ROS generation spells a type.
func typeName(t *idl.Type, dialect rosbridge.Dialect) string {
	if dialect == rosbridge.ROS1 {
		return t.ROS1Name()
	}
	return t.ROS2Name()
}

// receive takes one message of the robot.
func (d *Driver) receive(client *rosbridge.Client, s *stream, got rosbridge.Delivery) {
	m := s.stream.Type().New()
	err := client.Decode(got, m)
	odometry, isOdometry := m.(*nav.Odometry)
	if err == nil && isOdometry && !finite(odometry) {
		err = fmt.Errorf("message of %s holds numbers that are not finite", got.Topic)
	}
	now := d.now()
	d.mu.Lock()
	defer d.mu.Unlock()
	if client != d.client {
		return // from before Close
	}
	if err != nil {
		if !s.strange {
			s.strange = true
			d.sink.Fault(driver.Fault{Code: codeStrange + s.stream.String(), Message: err.Error(), Severity: driver.Error})
		}
		return // and it gets stale
	}
	s.heard, s.strange = now, false
	d.dress(now, s, m)
	d.sink.Publish(s.stream, m)
	if isOdometry {
		select {
		case <-d.first:
		default:
			close(d.first)
		}
	}
}

// dress gives a message the frames and the time of this computer.
func (d *Driver) dress(now time.Time, s *stream, m idl.Message) {
	h := header(m)
	if s.Frame != "" {
		h.FrameID = s.Frame
	}
	stamp := rosconv.FromStamp(h.Stamp)
	if o, ok := m.(*nav.Odometry); ok {
		h.FrameID, o.ChildFrameID = d.body.Odom, d.body.Base
		if stamp.Unix() != 0 {
			d.stamps.learn(now, stamp)
		}
	}
	at := d.stamps.local(now, stamp)
	if at.Before(s.last) && now.Sub(s.last) < stampLimit {
		at = s.last // what was learnt of the clocks has changed
	}
	s.last = at
	h.Stamp = rosconv.Stamp(at)
}

// header returns the header of a message of a stream.
func header(m idl.Message) *std.Header {
	switch m := m.(type) {
	case *nav.Odometry:
		return &m.Header
	case *sensor.Imu:
		return &m.Header
	case *sensor.JointState:
		return &m.Header
	case *sensor.BatteryState:
		return &m.Header
	case *diagnostic.DiagnosticArray:
		return &m.Header
	case *sensor.LaserScan:
		return &m.Header
	case *sensor.PointCloud2:
		return &m.Header
	case *sensor.CompressedImage:
		return &m.Header
	case *sensor.CameraInfo:
		return &m.Header
	default:
		panic(fmt.Sprintf("rosrobot: %T is of no stream", m)) // Stream.Type has no other
	}
}

func finite(o *nav.Odometry) bool {
	p, t := o.Pose.Pose, o.Twist.Twist
	sum := 0.0
	for _, v := range [...]float64{
		p.Position.X, p.Position.Y, p.Position.Z, p.Orientation.X, p.Orientation.Y, p.Orientation.Z, p.Orientation.W,
		t.Linear.X, t.Linear.Y, t.Linear.Z, t.Angular.X, t.Angular.Y, t.Angular.Z,
	} {
		sum += v - v
	}
	return sum == 0
}

// watchLocked reports streams that fall silent, and those that are heard again.
func (d *Driver) watchLocked(now time.Time) {
	for _, s := range d.streams {
		stale := s.stale(now)
		if stale == s.reported || !d.up {
			continue
		}
		s.reported = stale
		if !stale {
			d.sink.Fault(driver.Fault{
				Code: codeHeard + s.stream.String(), Message: fmt.Sprintf("%s of the robot is heard again", s.Topic.Topic), Severity: driver.Info,
			})
			continue
		}
		severity := driver.Warning
		if s.stream == driver.StreamOdometry {
			severity = driver.Error
			d.guard.Stop()
			d.sendLocked(now)
		}
		d.sink.Fault(driver.Fault{
			Code: codeStale + s.stream.String(), Message: fmt.Sprintf("%s of the robot is silent for %v", s.Topic.Topic, s.limit), Severity: severity,
		})
	}
}
