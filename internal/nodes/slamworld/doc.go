// Package slamworld is world_node: it lets the robot of [sarathi/internal/sim/slamworld] drive, and publishes what its sensors say
// (specification 004).
//
//	internal/sim/slamworld ─► /odom 50 Hz   odom to base_link, with 3 % of slip and noise
//	                        ├► /imu 100 Hz  gyro with a bias, accelerometer, in base_link
//	                        ├► /scan 10 Hz  180 beams all around, in base_link
//	                        └► /ground_truth 50 Hz  map to base_link; map is where the robot began
//
// Stamps are the moments at which things were true. When the robot has arrived, the node is silent.
package slamworld
