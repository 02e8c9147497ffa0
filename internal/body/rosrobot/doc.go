// Package rosrobot drives a robot that runs ROS 1 or ROS 2, through its rosbridge server: Sarathi then is one more client of the robot, and
// needs nothing installed on it but rosbridge_server.
//
//	robot_driver_node ── Command, Skill, EStop ──► Driver ── cmd_vel, Trigger services ──► rosbridge_server ──► ROS
//	                  ◄─ streams, faults, latch ──        ◄─ odom, imu, scan, … ──────────
//
// # Safety
//
// A ROS base is not known to protect itself, so this driver does what a body owes, at its end of the link: velocities are sent again and
// again while commands are fresh, zero is sent 500 ms after the last one, at once for a command that is not finite, and all the time while
// the e-stop is latched. It cannot stop a robot that it does not reach: set the time-out of the robot's own base controller
// (cmd_vel_timeout of diff_drive_controller and its like) to 0.5 s or less.
//
// When the link is lost, or odometry gets stale, the host is told with a fault, commands are refused, and nothing that was commanded before
// is sent ever again. When the link is back zero is sent first, and the body moves only after a zero command and then a new one.
//
// # Streams
//
// Messages get the frames of the configuration, and the time of this computer: odometry tells how the robot's clock and this one differ,
// see [stamps]. Expensive streams (points, images) are subscribed while somebody uses them.
package rosrobot
