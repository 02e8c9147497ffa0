// Package sensorlogtest writes logs as recordings of ROS programs, for tests of what reads them.
package sensorlogtest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/foxglove/go-rosbag"
	"github.com/foxglove/mcap/go/mcap"

	"sarathi/internal/geom"
	"sarathi/internal/idl"
	"sarathi/internal/rosconv"
	"sarathi/internal/sensorlog"
	"sarathi/msg/builtin"
	"sarathi/msg/geometry"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
	"sarathi/msg/std"
	"sarathi/msg/tf2"
)

// Message is a message of a recording.
type Message struct {
	Topic string
	Time  float64 // [s] when it was recorded
	Value idl.Message
}

// Messages are the scans of a log on /scan and its odometry on /odom, recorded in order of time.
func Messages(log *sensorlog.Log) []Message {
	var out []Message
	next := 0
	for _, s := range log.Scans {
		for ; next < len(log.Odometry) && log.Odometry[next].Time <= s.Time; next++ {
			o := log.Odometry[next]
			out = append(out, Message{"/odom", o.Time, Odometry(o.Time, o.Pose)})
		}
		r := &s.Reading
		out = append(out, Message{"/scan", s.Time, &sensor.LaserScan{
			Header: header(s.Time, "laser"), AngleMin: float32(r.AngleMin), AngleIncrement: float32(r.AngleIncrement),
			AngleMax: float32(r.AngleMin + float64(len(r.Ranges)-1)*r.AngleIncrement), RangeMax: float32(r.RangeMax), Ranges: r.Ranges,
		}})
	}
	return out
}

// Odometry is a message of a base_link in odom.
func Odometry(time float64, pose geom.Pose2) *nav.Odometry {
	m := nav.NewOdometry()
	m.Header, m.ChildFrameID, m.Pose.Pose = header(time, "odom"), "base_link", rosconv.Pose(pose.Transform())
	return m
}

// Static is a message of /tf_static: one transform.
func Static(parent, child string, t geom.Transform) Message {
	return Message{"/tf_static", 0, &tf2.TFMessage{Transforms: []geometry.TransformStamped{
		{Header: header(0, parent), ChildFrameID: child, Transform: rosconv.Transform(t)},
	}}}
}

func header(t float64, frame string) std.Header {
	sec := math.Floor(t)
	return std.Header{Stamp: builtin.Time{Sec: int32(sec), Nanosec: uint32(math.Round((t - sec) * 1e9))}, FrameID: frame}
}

// WriteMCAP writes messages in an encoding (cdr or ros1), in chunks with the given compression.
func WriteMCAP(w io.Writer, encoding string, compression mcap.CompressionFormat, messages []Message) error {
	out, err := mcap.NewWriter(w, &mcap.WriterOptions{Chunked: true, ChunkSize: 1 << 14, IncludeCRC: true, Compression: compression})
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&mcap.Header{}); err != nil {
		return err
	}
	channels := map[string]uint16{}
	for i, m := range messages {
		if _, ok := channels[m.Topic]; !ok {
			id := uint16(len(channels) + 1)
			channels[m.Topic] = id
			t := m.Value.Type()
			name := t.Package + "/msg/" + t.Name
			if encoding == "ros1" {
				name = t.Package + "/" + t.Name
			}
			if err := errors.Join(
				out.WriteSchema(&mcap.Schema{ID: id, Name: name, Encoding: "ros2msg", Data: []byte(t.Definition)}),
				out.WriteChannel(&mcap.Channel{ID: id, SchemaID: id, Topic: m.Topic, MessageEncoding: encoding}),
			); err != nil {
				return err
			}
		}
		data := m.Value.AppendCDR(nil)
		if encoding == "ros1" {
			data = m.Value.AppendROS1(nil)
		}
		at := uint64(m.Time * 1e9)
		if err := out.WriteMessage(&mcap.Message{
			ChannelID: channels[m.Topic], Sequence: uint32(i), LogTime: at, PublishTime: at, Data: data,
		}); err != nil {
			return err
		}
	}
	return out.Close()
}

// WriteBag writes messages as a ROS 1 bag, in chunks with a compression (lz4 or none).
func WriteBag(path, compression string, messages []Message) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out, err := rosbag.NewWriter(file, rosbag.WithChunksize(1<<14), rosbag.WithCompression(compression))
	if err != nil {
		return err
	}
	connections := map[string]uint32{}
	for _, m := range messages {
		if _, ok := connections[m.Topic]; !ok {
			id := uint32(len(connections))
			connections[m.Topic] = id
			t := m.Value.Type()
			if err := out.WriteConnection(&rosbag.Connection{Conn: id, Topic: m.Topic, Data: rosbag.ConnectionHeader{
				Topic: m.Topic, Type: t.Package + "/" + t.Name, MD5Sum: t.MD5, MessageDefinition: []byte(t.DefinitionROS1),
			}}); err != nil {
				return fmt.Errorf("connection %s: %w", m.Topic, err)
			}
		}
		if err := out.WriteMessage(&rosbag.Message{
			Conn: connections[m.Topic], Time: uint64(m.Time * 1e9), Data: m.Value.AppendROS1(nil),
		}); err != nil {
			return err
		}
	}
	return out.Close()
}

// Room is a CARMEN log of a robot that drives 2 m through a room of 6 m by 4 m, 10 cm a scan. Its angles and times have no digits that
// messages would lose.
func Room() string {
	var text strings.Builder
	for i := range 21 {
		x := 0.1 * float64(i)
		fmt.Fprintf(&text, "ODOM %.3f 0 0 0 0 0 %.2f host 0\n", x-0.05, float64(i)+0.5)
		text.WriteString("ROBOTLASER1 0 -1.5 3.0 0.015625 40 0.01 0 193")
		for k := range 193 {
			sin, cos := math.Sincos(-1.5 + float64(k)/64)
			fmt.Fprintf(&text, " %.3f", min(2/max(math.Abs(sin), 1e-9), (4-x)/cos))
		}
		fmt.Fprintf(&text, " 0 %.3f 0 0 %.3f 0 0 0 0 0.3 0.3 1000 %d host 0\n", x, x, i+1)
	}
	return text.String()
}
