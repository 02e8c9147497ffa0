package bus

import (
	"fmt"
	"strings"

	"sarathi/internal/idl"
)

// QoS says how many messages wait for a slow subscriber. A positive value keeps
// that many; overflow drops the oldest and counts it.
type QoS int

const (
	// Latest keeps the newest message only: for state that is sampled.
	Latest QoS = 1
	// Latched keeps the newest message and gives it to those who subscribe later.
	Latched QoS = -1

	maxDepth = 4096
)

// Queue keeps the last n messages, 1 to 4096: for events that must not be merged.
func Queue(n int) QoS {
	if n < 1 || n > maxDepth {
		panic(fmt.Sprintf("bus.Queue(%d): depth must be 1..%d", n, maxDepth))
	}
	return QoS(n)
}

func (q QoS) depth() int {
	if q == Latched {
		return 1
	}
	return int(q)
}

// String returns "latest", "latched" or "queue(n)".
func (q QoS) String() string {
	switch q {
	case Latest:
		return "latest"
	case Latched:
		return "latched"
	default:
		return fmt.Sprintf("queue(%d)", int(q))
	}
}

// Topic declares a topic that carries messages of type T. Declarations are made
// in package topics and never change.
type Topic[T any] struct{ decl TopicInfo }

// TopicInfo is what is declared about a topic, without its Go type.
type TopicInfo struct {
	Name string // absolute; {robot_ns} stands for the profile's robot namespace
	Type *idl.Type
	QoS  QoS
	Doc  string // meaning, unit, frame and rate, for documents and introspection
}

// NewTopic declares a topic. T must be a generated message type. The name is
// absolute; the part {robot_ns} in it is replaced by the robot's namespace when the
// bus is made. Errors in a declaration are programming errors and panic.
func NewTopic[T any](name string, qos QoS, doc string) *Topic[T] {
	m, ok := any(new(T)).(idl.Message)
	if !ok {
		panic(fmt.Sprintf("bus.NewTopic(%q): %T is not a generated message type", name, *new(T)))
	}
	if !strings.HasPrefix(name, "/") {
		panic(fmt.Sprintf("bus.NewTopic(%q): the name must be absolute", name))
	}
	return &Topic[T]{decl: TopicInfo{Name: name, Type: m.Type(), QoS: qos, Doc: doc}}
}

// Info returns the declaration.
func (t *Topic[T]) Info() TopicInfo { return t.decl }

// Service declares a service with requests of type Req and responses of type Resp.
type Service[Req, Resp any] struct{ decl ServiceInfo }

// ServiceInfo is what is declared about a service, without its Go types.
type ServiceInfo struct {
	Name string // absolute; {robot_ns} stands for the profile's robot namespace
	Type *idl.ServiceType
	Doc  string
}

// NewService declares a service of type typ, whose request and response structs
// must be Req and Resp. Errors in a declaration are programming errors and panic.
func NewService[Req, Resp any](name string, typ *idl.ServiceType, doc string) *Service[Req, Resp] {
	if !strings.HasPrefix(name, "/") {
		panic(fmt.Sprintf("bus.NewService(%q): the name must be absolute", name))
	}
	req, ok := any(new(Req)).(idl.Message)
	if !ok || req.Type() != typ.Request {
		panic(fmt.Sprintf("bus.NewService(%q): %T is not the request of %s", name, *new(Req), typ.ROS1Name()))
	}
	resp, ok := any(new(Resp)).(idl.Message)
	if !ok || resp.Type() != typ.Response {
		panic(fmt.Sprintf("bus.NewService(%q): %T is not the response of %s", name, *new(Resp), typ.ROS1Name()))
	}
	return &Service[Req, Resp]{decl: ServiceInfo{Name: name, Type: typ, Doc: doc}}
}

// Info returns the declaration.
func (s *Service[Req, Resp]) Info() ServiceInfo { return s.decl }
