// Package sensorlog reads recordings of a lidar and odometry from files: CARMEN logs (by [sarathi/internal/algo/carmen]), MCAP files and
// ROS 1 bags. [Load] tells the kind from the first bytes, whatever the file is called, and gives the same [Log] for each.
//
// Of MCAP files and bags it takes sensor_msgs/LaserScan, nav_msgs/Odometry and the transforms on /tf_static. The scans of one topic and the
// odometry of one topic are used: the ones that were named, or the only ones there are. Messages are put in order of their own stamps, not of
// the times at which they were recorded. The lidar's place on the robot is the chain of static transforms from the frame that odometry moves
// to the frame of the scans; without such a chain the lidar is taken to be at the centre, and [Log.About] says so.
//
// A message that makes no sense (it cannot be parsed, its stamp is zero, its pose is not finite) is left out and counted, as a line
// of a CARMEN log is. A file that makes no sense (it was cut short, a chunk cannot be decompressed, sums differ) is an error that
// says what to do: half a recording would make half a map that looks whole.
//
// Files are not trusted. A size in a file is believed when that many bytes are there, memory has written bounds, and the two libraries for
// the formats are called with records whose sizes were checked before, because both panic or allocate gigabytes for sizes that lie.
package sensorlog
