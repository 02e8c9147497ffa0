// Package slamrun is what `sarathi slam launch` runs: the world of specification 004, fusion and slam on one bus, in virtual time.
//
//	world_node ──► /odom /imu ──► fusion_node ──► /fused_pose ──┐
//	     │                             ▲                        ├──► the error, and the map
//	     ├───────► /scan ─────────► slam_node ──► /map ─────────┤
//	     └───────► /ground_truth ───────────────────────────────┘
//
// It has its own clock, so the same world, engine and seed give the same result however fast it runs.
package slamrun
