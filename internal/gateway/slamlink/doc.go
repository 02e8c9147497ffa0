// Package slamlink carries topics between the bus and any rosbridge v2 server, for `sarathi slam`: what the sensors of a robot with ROS say
// comes in, what fusion and slam find out goes out.
//
//	rosbridge server ──► In:  /scan, /odom, /imu, /tf_static ──► bus
//	                 ◄── Out: /fused_pose, /scan_match_pose, /map ◄──
//
// Messages of one topic stay in order. The link is made again when it is lost; what is published meanwhile is lost too, but for latched
// topics, whose last message comes again.
package slamlink
