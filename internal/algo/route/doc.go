// Package route reads, writes and prepares taught routes: the CSV files of a site's routes folder.
//
//	# anything
//	x,y,yaw_deg,dwell_sec
//	1.2000,-0.4000,90.00,0.00
//	1.2000,0.6000,90.00,10.00     dwell above 0: a stop point
//
// Positions are metres in the map frame. The head may be missing; then the columns are those, and the last ones may be missing as in old
// files. Without a heading it is that of the way. A head may name the columns in any order, yaw_rad for radians, and others, which are
// ignored.
//
// [Prepare] makes of a file's points a path for the follower: points that are too near are dropped, the rest is put 0.1 m apart and
// smoothed. Ends and stop points never move, to the last bit.
package route
