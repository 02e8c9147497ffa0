// Package idl reads ROS interface definitions and describes message types.
//
// It has three users:
//
//   - the generator (internal/tools/msggen) loads the tree interfaces/ with [LoadTree]
//     and writes the Go packages below msg/ with [Emit];
//   - generated code describes itself with [Type], [ServiceType] and [ActionType], and
//     every generated struct is a [Message];
//   - gateways read definition text that clients send, with [ParseFullText].
//
// A definition exists in two dialects. [ROS2] is the source of truth. The [ROS1]
// flavour is what ROS 1 calls a type of the same name: it is read from a file in the
// folder ros1 of the package when there is one, and is derived by [DeriveROS1] otherwise.
//
// Sources: the ROS 2 "About ROS 2 interfaces" article for the syntax, genmsg for the
// ROS 1 syntax and md5 sums.
package idl
