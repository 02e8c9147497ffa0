package rosconv

import (
	"math"
	"time"

	"sarathi/msg/builtin"
	"sarathi/msg/std"
)

// Stamp returns t as a message. The zero time, which means "no time", becomes the zero stamp, which means the same in ROS. Times
// that 32 bits of seconds cannot hold are clamped to the nearest that they can.
func Stamp(t time.Time) builtin.Time {
	if t.IsZero() {
		return builtin.Time{}
	}
	switch sec := t.Unix(); {
	case sec > math.MaxInt32:
		return builtin.Time{Sec: math.MaxInt32, Nanosec: 999_999_999}
	case sec < math.MinInt32:
		return builtin.Time{Sec: math.MinInt32}
	default:
		return builtin.Time{Sec: int32(sec), Nanosec: uint32(t.Nanosecond())}
	}
}

// FromStamp returns the time of a stamp in UTC, without a monotonic reading; the zero stamp gives the zero time.
func FromStamp(m builtin.Time) time.Time {
	if m == (builtin.Time{}) {
		return time.Time{}
	}
	return time.Unix(int64(m.Sec), int64(m.Nanosec)).UTC()
}

// Header returns a header: the frame of what follows, and when it was so.
func Header(t time.Time, frame string) std.Header {
	return std.Header{Stamp: Stamp(t), FrameID: frame}
}

// Duration returns d as a message, clamped to what 32 bits of seconds can hold.
func Duration(d time.Duration) builtin.Duration {
	sec, nsec := d/time.Second, d%time.Second
	if nsec < 0 { // ROS counts nanoseconds upwards, also of negative durations
		sec, nsec = sec-1, nsec+time.Second
	}
	switch {
	case sec > math.MaxInt32:
		return builtin.Duration{Sec: math.MaxInt32, Nanosec: 999_999_999}
	case sec < math.MinInt32:
		return builtin.Duration{Sec: math.MinInt32}
	default:
		return builtin.Duration{Sec: int32(sec), Nanosec: uint32(nsec)}
	}
}

// FromDuration returns the duration of a message.
func FromDuration(m builtin.Duration) time.Duration {
	return time.Duration(m.Sec)*time.Second + time.Duration(m.Nanosec)
}
