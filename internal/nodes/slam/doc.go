// Package slam is slam_node: the map that scans make, and where each scan was in it (specification 004).
//
//	/scan ──────► when the fused pose is known at its time ─► Engine ─► /scan_match_pose    a scan's pose, at the scan's stamp
//	/fused_pose ─┘                                            │      ├► /map                latched, every Config.MapPeriod if it changed
//	/tf_static ── where the lidar sits                        │      └► /slam/diagnostics   latched, every second
//	                                                          └─ Job: loops, optimisation; beside the loop of the node
//
// The fused pose tells the engine where to look; without one, scans are matched to each other alone. A scan that comes before the fused
// pose of its time waits for it, [Config.MaxWait] at most, instead of being dropped. Every scan that is not used is counted, by the reason.
//
// The engine is internal/algo/slam; what the node needs of it is [Engine].
package slam
