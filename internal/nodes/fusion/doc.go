// Package fusion is fusion_node: one pose from gyro, odometry and scan matches, and how far it can be trusted (specification 004).
//
//	/imu ─────────────┐
//	/odom ────────────┼─► internal/algo/ekf ─► /fused_pose          latched, with odometry, at most every Config.Period
//	/scan_match_pose ─┘                     └► /fusion/diagnostics  latched, every second
//	/tf_static ── where the IMU sits, which may be upside down, and which frame odometry moves
//
// Each input counts at the time of its stamp; one without a stamp, at its arrival. What comes late is put in its place. A scan match
// that contradicts the estimate is refused, unless several that agree say the same: then the map has moved, and the pose with it.
//
// Covariances of scan matches are taken at their word, but not below [Config.MinPosition] and [Config.MinHeading]: the matches of one
// map err together, so that many of them know less than as many independent ones. With 3 cm the closed loop with slam is better than with
// 1 cm, which follows every match. One without a covariance counts as [Config.DefaultPosition] and [Config.DefaultHeading]. Those of /imu and /odom
// are ignored, since hardly any driver gives meaningful ones.
package fusion
