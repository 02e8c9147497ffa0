package driver

import (
	"fmt"
	"strings"

	"sarathi/internal/idl"
	"sarathi/msg/diagnostic"
	"sarathi/msg/nav"
	"sarathi/msg/sensor"
)

// Stream is one kind of message that a body reports.
type Stream int

// Streams with their message types.
const (
	StreamOdometry    Stream = iota // nav.Odometry: wheel or leg odometry; child frame base_link
	StreamIMU                       // sensor.Imu
	StreamJoints                    // sensor.JointState
	StreamBattery                   // sensor.BatteryState
	StreamDiagnostics               // diagnostic.DiagnosticArray
	StreamScan                      // sensor.LaserScan
	StreamPoints                    // sensor.PointCloud2
	StreamImage                     // sensor.CompressedImage
	StreamCameraInfo                // sensor.CameraInfo
	streams
)

// Streams returns all streams in order.
func Streams() []Stream {
	out := make([]Stream, streams)
	for i := range out {
		out[i] = Stream(i)
	}
	return out
}

// String returns the stream's name.
func (s Stream) String() string {
	names := [...]string{"odometry", "imu", "joints", "battery", "diagnostics", "scan", "points", "image", "camera_info"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("stream %d", int(s))
	}
	return names[s]
}

// ParseStream returns the stream of a name.
func ParseStream(name string) (Stream, error) {
	var known []string
	for _, s := range Streams() {
		if s.String() == name {
			return s, nil
		}
		known = append(known, s.String())
	}
	return 0, fmt.Errorf("stream %q does not exist: write one of %s", name, strings.Join(known, ", "))
}

// Type returns the message type of the stream, which must be one of Streams.
func (s Stream) Type() *idl.Type {
	types := [...]*idl.Type{
		StreamOdometry:    nav.OdometryType,
		StreamIMU:         sensor.ImuType,
		StreamJoints:      sensor.JointStateType,
		StreamBattery:     sensor.BatteryStateType,
		StreamDiagnostics: diagnostic.DiagnosticArrayType,
		StreamScan:        sensor.LaserScanType,
		StreamPoints:      sensor.PointCloud2Type,
		StreamImage:       sensor.CompressedImageType,
		StreamCameraInfo:  sensor.CameraInfoType,
	}
	return types[s]
}
