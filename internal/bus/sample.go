package bus

import (
	"sync"
	"time"

	"sarathi/internal/idl"
)

// Sample is one published message without its Go type. It is shared by all who
// want it and immutable; each encoding is made at most once, by whoever asks first.
// Any goroutine may use it.
type Sample struct {
	Topic    string    // resolved name
	TypeName string    // ROS 1 spelling, such as "geometry_msgs/Twist"
	At       time.Time // when it was published

	msg     idl.Message // nil for a type that nobody here knows
	from    *pubEnd
	seq     uint64
	latched bool

	json, cdr, ros1 encoding
}

type encoding struct {
	once sync.Once
	data []byte
}

func (e *encoding) get(encode func([]byte) []byte) []byte {
	e.once.Do(func() { e.data = encode(nil) })
	return e.data
}

func (s *Sample) entry() *entry[*Sample] {
	return &entry[*Sample]{at: s.At, seq: s.seq, latched: s.latched, from: s.from, value: s}
}

// Message returns the message, or nil when its type is not known here. The caller must not change it.
func (s *Sample) Message() idl.Message { return s.msg }

// Node returns the name of the node that published the message: who mirrors a topic both ways knows its own messages by it.
func (s *Sample) Node() string { return s.from.node }

// Seq returns the number of the message on its topic, counted from 1.
func (s *Sample) Seq() uint64 { return s.seq }

// JSON returns the rosbridge JSON of the message. The caller must not change it.
func (s *Sample) JSON() []byte {
	if s.msg == nil {
		return s.json.data
	}
	return s.json.get(s.msg.AppendJSON)
}

// CDR returns the ROS 2 serialization, or nil when the type is not known here. The caller must not change it.
func (s *Sample) CDR() []byte {
	if s.msg == nil {
		return nil
	}
	return s.cdr.get(s.msg.AppendCDR)
}

// ROS1 returns the ROS 1 serialization, or nil when the type is not known here. The caller must not change it.
func (s *Sample) ROS1() []byte {
	if s.msg == nil {
		return nil
	}
	return s.ros1.get(s.msg.AppendROS1)
}
