// Package msg finds message, service and action types by name.
//
// The types themselves are in its subpackages, one for each ROS package: [sarathi/msg/geometry] holds geometry_msgs, and so on.
// All of that code and registry.go are generated from the definitions in interfaces/: change those, then run go generate ./msg.
//
// Every message has the same methods (see idl.Message): JSON as rosbridge speaks it, CDR as ROS 2 speaks it, and
// the ROS 1 serialization, each in both directions. The zero value of a struct is a message with zero fields; where the
// definition has default values (a quaternion's w is 1), New<Name> returns a message with them.
package msg

//go:generate go run sarathi/internal/tools/msggen -interfaces ../interfaces -out .
