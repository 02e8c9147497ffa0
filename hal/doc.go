// Package hal speaks HAL v1, the protocol of robots without ROS: JSON frames {"v":1,"op":…} over one WebSocket.
//
//	controller                                              robot
//	stack ─► Controller ──cmd, skill, estop, release, ping──► Agent ─► driver.Driver
//	      ◄─ driver.Sink ◄─telemetry, skillResult, fault──── driver.Sink ◄─
//
// [Agent] runs on the robot and serves any driver.Driver to one controller at a time. [Controller] dials an agent and is a
// driver.Driver itself, so that a whole stack drives a robot at the other end of a wire. [Decode] and [Append] are the frames alone.
//
// # Safety
//
// Each end assumes that the other can die at any instant:
//
//   - Only a valid cmd or setJoints refreshes the motion watchdog of the agent, 500 ms; ping keeps the link alive and never motion.
//     A link that drops stops the body at once and cancels its skills.
//   - The e-stop latches in the agent and in the driver, each refuses motion by itself, and it outlives the controller that engaged it.
//   - A frame that is malformed is dropped and counted. If it was a cmd it stops the body, and if it was an estop it still latches.
//   - The controller holds its user's e-stop over a lost link and engages it again when the link is back. It seeds nothing else: after
//     a reconnect it passes on no motion before it was told to stand still once.
//
// HAL carries no scan, no image and no lateral motion: the capabilities of a Controller say so.
//
// Units on the wire are those that the robot's hello names; everything in Go is SI (see package driver). docs/protocols/hal.md has the
// byte tables, the timers, the choices that the document leaves, and the test that proves each of its sentences.
package hal
