// Package teach collects the points of a route while somebody leads the robot along it.
//
// A pose becomes a point when it is far enough from the point before. A stop point is where the robot stands when it is marked; marking
// again nearby changes that stop. A pose that jumps is a localization that was lost: what comes after it would join two places by a line
// through the walls, so teaching ends there and what was taught is kept.
package teach
