// Package frames is robot_state_publisher_node: it tells everybody where the parts of the robot are.
//
//	map ─ odom ─ camera_init ─ body ─ base_link ─┬─ livox_frame ─ livox_imu_frame
//	    ①      ②             ③      ②            ├─ front_camera_link ─ front_camera_optical_frame
//	                                             └─ legs, imu_link, ultrasound_*
//
//	① localization   ② this node, static   ③ lidar odometry
//
// The links below base_link are a list in the configuration. The two links marked ② follow from it (specification 002): lidar
// odometry reports the motion of one link, livox_imu_frame, from where that stood in the beginning. So odom → camera_init is where the
// link sits in base_link, which puts odom to where base_link began, and body → base_link is its inverse.
//
// Publishes:
//
//   - /tf_static: all links that never change, in one latched message, at the start
//   - /tf: links with a joint, at 20 Hz while /{robot_ns}/joint_states has news of them
//
// The tree is checked before anything runs: every frame has one parent, there is no loop, and all hang below base_link.
package frames
