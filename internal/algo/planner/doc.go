// Package planner finds a path that a robot can follow across a costmap.
//
//	start ─► escape ─► A* (package astar) ─► pulled straight ─► points 0.1 m apart ─► corners rounded ─► path with headings
//
// # Where it may lead
//
// Never through cells where the robot would touch something (cost 253, 254), and not through what nobody knows (255) unless that is
// allowed. Two exceptions let a robot out of where it should not be, never in:
//
//   - It may stand inside the inscribed zone of an obstacle, in a zone that is kept out, or, says the map, in a wall, after people
//     came close or localization jumped. The path then leads to the nearest cell where it may be, through such zones and through what lies under its
//     inscribed circle, but through nothing solid else.
//   - A goal that cannot be reached exactly is replaced by the nearest cell within the goal tolerance.
//
// # Straight, with clearance
//
// The grid's path turns by eighths of a circle. Pieces of it are replaced by straight lines that are no dearer by the same costs, so a
// shortcut never buys its length with clearance; corners are then rounded only to where the cost is no higher.
package planner
