// Package sectors turns what range sensors see into the nearest obstacle per sector around base_link, without ever calling a place
// free that nobody looked at.
//
// A [View] keeps, for each of 720 directions from base_link (half a degree each), how far it is free and whether it was seen. Sources
// are added to it one after the other; then a [Layout] of any number of sectors is read from it: the nearest of its directions, or NaN
// when one of them was not seen.
//
// # A planar scan
//
// The sensor sits somewhere on the robot, also turned or upside down, so a beam's bearing and length as seen from base_link are others
// than the sensor's. What the scan proves free is the union of its beams, each as wide as the angle between two of them:
//
//	p⁻ ____ p⁺
//	  \    /   \  radial edge to a shorter neighbour
//	   \  /     \____
//	    \/ o     \  /     The outline of the wedges is walked once, and each edge shortens the directions it crosses to where it
//	              \/      crosses them. From base_link that is exact, whatever the offset of o, and never longer than what was seen.
//
// What a single reading means (REP 117, and the habits of devices that do not follow it):
//
//	+Inf, or beyond the sensor's range_max   no return: free up to range_max
//	at least range_min                       an obstacle
//	positive, below range_min                an obstacle at that distance, the device was too near to be sure
//	-Inf                                     an obstacle at range_min
//	NaN, zero, negative                      no reading: not seen
//	a return from inside the robot's outline the robot hides what is behind: not seen
//
// A beam ends where a tilted scan plane leaves the height band: beyond, it says nothing about what the robot could hit.
//
// Gaps of up to MaxGap between two beams that saw something are closed by the straight line between their ends. Beside a wider gap
// each beam vouches for half of MaxGap; the rest, from the robot's outline outwards, is not seen, whatever lies across it.
//
// # A cloud
//
// A cloud has no beams without a return, so a direction counts as seen when any point lies in it: the floor or the ceiling beyond the
// height band prove that the lidar looks there. Obstacles are the points in the band. Points on the robot prove nothing. A lidar that
// sees nothing but obstacles may be trusted on its word with SilenceIsFree. A cloud older than the scan is moved by how far the robot
// came since.
package sectors
