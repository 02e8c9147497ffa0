package sensorlog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sarathi/internal/algo/scanmatch"
	"sarathi/internal/algo/slam"
	"sarathi/internal/geom"
	"sarathi/internal/idl"
	"sarathi/internal/rosconv"
	"sarathi/msg/builtin"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/tf2"
)

// Bounds of what a log may hold: compressed files can promise more than any machine has.
const (
	maxBeams    = 1 << 15 // of a scan
	maxReadings = 1 << 29 // of all scans: 2 GiB
	maxMessages = 1 << 24 // of each kind
	maxFrames   = 1000    // of static transforms
	maxChannels = 1 << 16
	maxName     = 1 << 10 // [bytes] of a topic or type
)

// kind is what a message is to a log.
type kind int

const (
	other kind = iota
	scans
	odometry
	mounts
)

// typeName is the type of messages, for people.
func (k kind) typeName() string {
	return [...]string{"message", "sensor_msgs/LaserScan", "nav_msgs/Odometry", "tf2_msgs/TFMessage"}[k]
}

// channel is where messages of one topic and type come from.
type channel struct {
	kind     kind
	topic    string
	encoding string // cdr or ros1
}

// newChannel tells by its type what a channel carries. ROS 2 writes package/msg/Name, ROS 1 package/Name.
func newChannel(topic, typ, encoding string) (channel, error) {
	if max(len(topic), len(typ), len(encoding)) > maxName {
		return channel{}, damaged("a topic whose name, type or encoding has more than %d bytes", maxName)
	}
	ch := channel{topic: topic, encoding: encoding}
	switch strings.Replace(typ, "/msg/", "/", 1) {
	case "sensor_msgs/LaserScan":
		ch.kind = scans
	case "nav_msgs/Odometry":
		ch.kind = odometry
	case "tf2_msgs/TFMessage", "tf/tfMessage":
		if strings.TrimPrefix(topic, "/") == "tf_static" {
			ch.kind = mounts
		}
	}
	return ch, nil
}

// joint is a static transform to a frame from its parent.
type joint struct {
	parent string
	pose   geom.Transform
}

// collector makes a log of messages in any order.
type collector struct {
	log      *Log
	named    [mounts]string         // topics that were asked for, by kind
	used     [mounts]string         // topics that are used
	seen     [mounts]map[string]int // messages by topic
	readings int
	base     string // the frame that odometry moves
	lidar    string // the frame of the scans
	joints   map[string]joint
}

func newCollector(t Topics) *collector {
	c := &collector{log: new(Log), joints: map[string]joint{}}
	c.named[scans], c.named[odometry] = t.Scan, t.Odometry
	for k := range c.seen {
		c.seen[k] = map[string]int{}
	}
	return c
}

// add takes a message. The error is that of a log that is too large or of an encoding that is not read; a message that makes no sense is
// left out and counted. It keeps nothing of data.
func (c *collector) add(ch channel, data []byte) error {
	switch ch.kind {
	case scans, odometry:
		seen := c.seen[ch.kind]
		if len(seen) == 0 {
			c.used[ch.kind] = cmp.Or(c.named[ch.kind], ch.topic)
		}
		seen[ch.topic]++
		if ch.topic != c.used[ch.kind] {
			return nil
		}
		if seen[ch.topic] > maxMessages {
			return fmt.Errorf("more than %d messages on %s: cut the recording into parts", maxMessages, ch.topic)
		}
	case mounts:
	case other:
		return nil
	}
	if ch.encoding != "cdr" && ch.encoding != "ros1" {
		return fmt.Errorf("messages on %s are encoded as %.20q: record them in cdr (ROS 2) or ros1", ch.topic, ch.encoding)
	}
	var reason string
	var err error
	switch ch.kind {
	case scans:
		reason, err = c.addScan(ch, data)
	case odometry:
		reason = c.addOdometry(ch, data)
	case mounts:
		reason, err = c.addJoints(ch, data)
	case other:
	}
	if reason != "" {
		c.log.refuse("a message on " + ch.topic + ": " + reason)
	}
	return err
}

// parse fills m. The reason says why that cannot be.
func (ch channel) parse(data []byte, m idl.Message) (reason string) {
	if ch.encoding == "cdr" {
		return text(m.ParseCDR(data))
	}
	return text(m.ParseROS1(data))
}

// text is what an error says, or nothing.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// seconds is the time of a stamp; the reason says why it is none.
func seconds(t builtin.Time) (s float64, reason string) {
	switch {
	case t.Nanosec >= 1e9:
		return 0, fmt.Sprintf("a stamp with %d nanoseconds", t.Nanosec)
	case t.Sec < 0, t == builtin.Time{}:
		return 0, fmt.Sprintf("a stamp of %d s: nobody stamped it", t.Sec)
	}
	return float64(t.Sec) + float64(t.Nanosec)*1e-9, ""
}

func (c *collector) addScan(ch channel, data []byte) (reason string, err error) {
	var m sensor.LaserScan
	if reason = ch.parse(data, &m); reason != "" {
		return reason, nil
	}
	time, reason := seconds(m.Header.Stamp)
	first, step, between := float64(m.AngleMin), float64(m.AngleIncrement), float64(m.TimeIncrement)
	n := len(m.Ranges)
	switch {
	case reason != "":
		return reason, nil
	case n < 2 || n > maxBeams:
		return fmt.Sprintf("a scan of %d beams", n), nil
	case !geom.Finite(first, step) || step == 0:
		return fmt.Sprintf("beams from %g rad in steps of %g rad", first, step), nil
	}
	if c.readings += n; c.readings > maxReadings {
		return "", fmt.Errorf("more than %d readings on %s: cut the recording into parts", maxReadings, ch.topic)
	}
	if len(c.log.Scans) == 0 {
		c.lidar = frameName(m.Header.FrameID)
	}
	reading := scanmatch.Reading{
		AngleMin: first, AngleIncrement: step, RangeMin: limit(m.RangeMin), RangeMax: limit(m.RangeMax), Ranges: m.Ranges,
	}
	if turn := between * float64(n-1); turn > 0 && turn <= maxTurn {
		reading.Duration = turn
	}
	c.log.Scans = append(c.log.Scans, Scan{time, reading})
	return "", nil
}

// maxTurn is the longest turn of a lidar that is believed [s]: many drivers fill time_increment with something else.
const maxTurn = 1

// limit is a range limit, or 0 when it says nothing.
func limit(r float32) float64 {
	if v := float64(r); v > 0 && !math.IsInf(v, 1) {
		return v
	}
	return 0
}

func (c *collector) addOdometry(ch channel, data []byte) (reason string) {
	var m nav.Odometry
	if reason = ch.parse(data, &m); reason != "" {
		return reason
	}
	time, reason := seconds(m.Header.Stamp)
	if reason != "" {
		return reason
	}
	pose, err := rosconv.FromPose(m.Pose.Pose)
	if err != nil {
		return err.Error()
	}
	if len(c.log.Odometry) == 0 {
		c.base = frameName(m.ChildFrameID)
	}
	c.log.Odometry = append(c.log.Odometry, slam.Sample{Time: time, Pose: pose.Pose2()})
	return ""
}

func (c *collector) addJoints(ch channel, data []byte) (reason string, err error) {
	var m tf2.TFMessage
	if reason := ch.parse(data, &m); reason != "" {
		return reason, nil
	}
	for i := range m.Transforms {
		t := &m.Transforms[i]
		pose, fault := rosconv.FromTransform(t.Transform)
		if reason := text(fault); reason != "" {
			return reason, nil
		}
		if max(len(t.Header.FrameID), len(t.ChildFrameID)) > maxName {
			return fmt.Sprintf("a frame whose name has more than %d bytes", maxName), nil
		}
		if c.joints[frameName(t.ChildFrameID)] = (joint{frameName(t.Header.FrameID), pose}); len(c.joints) > maxFrames {
			return "", fmt.Errorf("more than %d frames on %s: record the transforms of one robot", maxFrames, ch.topic)
		}
	}
	return "", nil
}

// frameName is the name of a frame without the slash that old ROS 1 programs put before it. The copy lets go of the message.
func frameName(s string) string { return strings.Clone(strings.TrimPrefix(s, "/")) }

// finish checks that there is something to work with, and completes the log.
func (c *collector) finish() (*Log, error) {
	if err := errors.Join(c.check(scans, "--scan"), c.check(odometry, "--odom")); err != nil {
		return nil, err
	}
	switch {
	case len(c.seen[scans]) == 0:
		return nil, errors.New("no sensor_msgs/LaserScan in it: record the topic of a planar lidar")
	case len(c.log.Scans) == 0:
		return nil, fmt.Errorf("no scan of %s makes sense; first %s: look at what the lidar's driver publishes", c.used[scans], c.log.Reason)
	case len(c.seen[odometry]) > 0 && len(c.log.Odometry) == 0:
		return nil, fmt.Errorf("no odometry of %s makes sense; first %s: look at what the base's driver publishes", c.used[odometry], c.log.Reason)
	}
	mount, where := c.mount()
	for i := range c.log.Scans {
		c.log.Scans[i].Reading.Mount = mount
	}
	about := "scans of " + c.used[scans]
	if len(c.log.Odometry) > 0 {
		about += ", odometry of " + c.used[odometry]
	} else {
		about += ", no odometry"
	}
	c.log.About = about + ", lidar " + where
	c.log.order()
	return c.log, nil
}

// check reports a choice of topic that cannot be made.
func (c *collector) check(k kind, flag string) error {
	topics := slices.Sorted(maps.Keys(c.seen[k]))
	if named := c.named[k]; named != "" {
		if c.seen[k][named] > 0 {
			return nil
		}
		if len(topics) == 0 {
			return fmt.Errorf("no %s on %s, nor on any other topic: leave %s out", k.typeName(), named, flag)
		}
		return fmt.Errorf("no %s on %s: name one of %s with %s", k.typeName(), named, c.list(k, topics), flag)
	}
	if len(topics) > 1 {
		return fmt.Errorf("%s on several topics: name one of %s with %s", k.typeName(), c.list(k, topics), flag)
	}
	return nil
}

// maxListed is how many topics a message for people names.
const maxListed = 20

func (c *collector) list(k kind, topics []string) string {
	var names []string
	for _, t := range topics[:min(len(topics), maxListed)] {
		names = append(names, fmt.Sprintf("%s (%d)", t, c.seen[k][t]))
	}
	if len(topics) > maxListed {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// mount is the lidar in the frame that odometry moves, or in the usual base frames when there is no odometry.
func (c *collector) mount() (pose geom.Transform, where string) {
	pose = geom.IdentityTransform()
	frame := c.lidar
	for range len(c.joints) + 1 { // a chain that visits more frames than there are goes round in circles
		if frame == c.base || c.base == "" && (frame == "base_link" || frame == "base_footprint") {
			p := pose.Pose2()
			return pose, fmt.Sprintf("%s at x %.3f m, y %.3f m, %.1f° in %s", c.lidar, p.X, p.Y, p.Theta*180/math.Pi, frame)
		}
		j, ok := c.joints[frame]
		if !ok {
			break
		}
		pose, frame = j.pose.Mul(pose), j.parent
	}
	return geom.IdentityTransform(), fmt.Sprintf("%s taken to be at the centre: /tf_static does not say where it is", c.lidar)
}
