// Package localization is localization_node: where the robot is in the map of the active site.
//
//	/Odometry, /{robot_ns}/odom ─┐                                   ┌─► /localization/status, tag_markers (latched)
//	/perception/tags ────────────┼─► internal/algo/localization ─────┼─► /localization/pose
//	/initialpose ────────────────┤                                   └─► map → odom on /tf, while localized
//	/tf_static ──────────────────┘
//	/localization/load_tags ◄─ site_manager_node      start, record_tags, assume_origin, reset ◄─ people
//
// Lidar odometry moves the estimate; the odometry of the body does while that is silent. A change between them is no motion. Tags are
// used at the time of their image, once odometry has got there.
//
// Tags are looked for, which costs the camera and the detector, while they can matter: when the site has tags, while the robot is
// localized, and during start and record_tags.
//
//   - A tag in view localizes the robot by itself. After localization was lost only start, a pose estimate, assume_origin or reset begins
//     anew, see the filter.
//   - start answers when a tag has localized the robot, or after 5 s with the reason why none has. The wish stays: the next
//     known tag in view localizes the robot.
//   - record_tags averages what the camera shows for 2 s, while the robot stands still and is localized, and merges it into tags.json of the
//     site whose tags are loaded. A tag that has two poses which fit, or is not steady, is not recorded; the answer says so.
//   - load_tags replaces the tags. When the file cannot be read the site has none: tags of another site would lie.
//
// The same message goes to the caller and, when something did not succeed, into the status.
package localization
