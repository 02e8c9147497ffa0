// Package lidarsector is lidar_sector_node: it turns the scan, the cloud, or both into the nearest obstacle per sector around the robot.
//
//	/{robot_ns}/scan ────┐                       ┌─► /perception/sector_scan   the sectors ahead, for avoidance
//	/{robot_ns}/points ──┼─► internal/algo/sectors ─┤
//	/tf_static (mounts) ─┘                       └─► /perception/safety_scan   all around, for the protective field
//	/{robot_ns}/odom  (only with both: moves the cloud to the time of the scan)
//
// Both are published as soon as a scan arrives, or a cloud where there is no scan; there is no timer in between. They are stamped with
// the time of the pose that their bearings refer to: that of the scan, or of the cloud when there is none.
//
// # Silence is passed on
//
// Every source that the configuration names is needed. When one of them is missing, malformed or too old, nothing is published; the
// control mux notices that the scan is stale and stops the robot. With both sources, the cloud may be up to cloud_max_age older than the scan;
// it is then moved by the way that odometry says the robot came since. Without that odometry nothing is published either, unless the
// cloud is of the same time. What is wrong is logged when it begins and when it is over.
//
// # Which sectors
//
// The front scan has 32 sectors over 180 degrees, as avoidance expects. The safety scan has 120 of 3 degrees: the protective field takes
// a return for an obstacle along the whole arc of its sector, 5 cm at one metre, so that a doorway stays passable, and two beams of a
// scan with a beam every 2 degrees still fall into every sector or beside it.
//
// Where a sensor is mounted comes from /tf_static, under the frame that its messages name: one description of the robot for all.
package lidarsector
