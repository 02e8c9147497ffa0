// Package host is robot_driver_node: it puts any body that fulfils the contract of package driver on the bus.
//
//	/{robot_ns}/cmd_vel ──────► Command ┐                  ┌ Publish ──► /{robot_ns}/odom, imu, scan, battery, …
//	/{robot_ns}/<skill> ──────► Skill   ├─► driver ─► Sink ┤ SkillResult ──► answer of the service
//	/control/status (estop) ──► EStop,  ┘                  ├ Fault ──► /{robot_ns}/diagnostics
//	                            Release                    └ EStop ──► /{robot_ns}/status, /control/estop_request
//
// It decides nothing about motion. When the control mux falls silent it does nothing: the body's own watchdog stops it.
// It publishes no transforms: odom → base_link belongs to others.
//
// # Two latches
//
// The e-stop latches in the mux and in the body. The mux's latch is mirrored into the body: engaged when the mux's is,
// released when the mux's becomes released. A latch that begins in the body (its button, emergency_stop, whoever called
// it) is asked of the mux with /control/estop_request, so that both are always engaged together and one release, at the
// mux, releases both. What keeps a release from succeeding is estop_held in /{robot_ns}/status, not estop:
//
//	body latches ─► request ─► mux latches ─► … ─► release at the mux ─► mux released ─► Release of the body
//	                                                     │ refused while estop_held
//
// # Kinds of drivers
//
// A driver.Stepper is stepped by a timer of the node and runs under both executors. A driver.Runner makes the node a
// node.Runner, and a driver.Connector a node.Preparer; these need real time.
package host
