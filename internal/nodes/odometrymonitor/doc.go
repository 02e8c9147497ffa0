// Package odometrymonitor is odometry_monitor_node: the trip meter, and the word on whether odometry arrives.
//
//	/Odometry ─────────┐
//	                   ├─► internal/algo/trip ─► /odometry/status   at 2 Hz, and at once when ok changes or the trip is reset
//	/{robot_ns}/odom ──┘                       ◄─ /odometry/trip_reset
//	 (only with fallback)    ▲
//	/tf_static ──────────────┘
//
// Lidar odometry is the better of the two. The odometry of the body is used while lidar odometry is silent, if the configuration allows
// it: wheels slip, and what they say sideways is worth nothing. A change between them adds no way. Lidar odometry reports where the
// lidar's IMU is, which swings around base_link when the robot turns; /tf_static says how far apart they are, so that turning on the spot is no way. While
// neither arrives, ok is false and the speed is 0; distance and times stand still.
package odometrymonitor
