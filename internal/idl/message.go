package idl

// Message is implemented by a pointer to every generated message, request,
// response, goal, result and feedback struct.
//
// The Append methods add the encoding of the message to dst and return the
// extended slice; they cannot fail and allocate nothing but the growth of dst.
// The Parse methods fill the message from src; on an error the message may be
// partly filled and must not be used. They never keep src.
type Message interface {
	// Type returns the description of the message's type.
	Type() *Type
	// AppendJSON appends rosbridge JSON: NaN and ±Inf are null, uint8 arrays
	// are base64, 64-bit integers keep every digit (design.md section 5).
	AppendJSON(dst []byte) []byte
	// ParseJSON accepts what AppendJSON writes, number arrays for uint8
	// arrays, {secs, nsecs} for times, and gives missing fields their defaults.
	// Unknown fields and values of a wrong kind or range are errors that name the field.
	ParseJSON(src []byte) error
	// AppendCDR appends the XCDR1 little-endian form that ROS 2 uses,
	// beginning with the 4-byte encapsulation header.
	AppendCDR(dst []byte) []byte
	// ParseCDR reads what AppendCDR writes, in either byte order.
	ParseCDR(src []byte) error
	// AppendROS1 appends the ROS 1 serialization of the ROS 1 flavour of the type.
	AppendROS1(dst []byte) []byte
	// ParseROS1 reads what AppendROS1 writes.
	ParseROS1(src []byte) error
}

// Type describes one message type. Values are generated and never changed.
type Type struct {
	Package string // ROS package, such as "geometry_msgs"
	Kind    string // "msg", "srv" or "action"
	Name    string // type name without package, such as "Twist" or "Trigger_Request"

	MD5            string // ROS 1 md5 sum of the ROS 1 flavour, 32 hex digits
	Definition     string // full ROS 2 definition text with dependencies after lines of 80 '='
	DefinitionROS1 string // the same for the ROS 1 flavour

	New func() Message // a new zero message (with the definition's default values)
}

// ROS1Name returns the ROS 1 spelling, such as "geometry_msgs/Twist".
func (t *Type) ROS1Name() string { return t.Package + "/" + t.Name }

// ROS2Name returns the ROS 2 spelling, such as "geometry_msgs/msg/Twist".
func (t *Type) ROS2Name() string { return t.Package + "/" + t.Kind + "/" + t.Name }

// ServiceType describes one service type. Values are generated and never changed.
type ServiceType struct {
	Package string // ROS package, such as "std_srvs"
	Name    string // service name without package, such as "Trigger"
	MD5     string // ROS 1 md5 sum of the service

	Request  *Type
	Response *Type
}

// ROS1Name returns the ROS 1 spelling, such as "std_srvs/Trigger".
func (s *ServiceType) ROS1Name() string { return s.Package + "/" + s.Name }

// ROS2Name returns the ROS 2 spelling, such as "std_srvs/srv/Trigger".
func (s *ServiceType) ROS2Name() string { return s.Package + "/srv/" + s.Name }

// ActionType describes one action type. Values are generated and never changed.
type ActionType struct {
	Package string // ROS package, such as "molly_interfaces"
	Name    string // action name without package, such as "FollowPath"

	Goal     *Type
	Result   *Type
	Feedback *Type
}

// ROS1Name returns the ROS 1 spelling, such as "molly_interfaces/FollowPath".
func (a *ActionType) ROS1Name() string { return a.Package + "/" + a.Name }

// ROS2Name returns the ROS 2 spelling, such as "molly_interfaces/action/FollowPath".
func (a *ActionType) ROS2Name() string { return a.Package + "/action/" + a.Name }
