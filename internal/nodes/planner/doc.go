// Package planner is planner_node: it finds paths, has the path follower walk them, and finds new ones when they are blocked.
//
//	/map ───────────────────┐                      ┌─► /planner/path, costmap, status (latched)
//	/{robot_ns}/scan ───────┼─► internal/algo/costmap │
//	/localization/pose ─────┤   internal/algo/planner ┼─► /navigation/set_path, start, stop
//	/navigation/status ─────┤                      │
//	/planner/go_to, plan ───┘                      │
//
// # States
//
//	idle ─go_to─► planning ─► following ─► arrived
//	                 │         │    ▲
//	                 ▼         ▼    │ a path
//	               failed ◄─ replanning        cancelled: by /planner/cancel, by whoever stops navigation or loads another path
//
// Arrived, failed and cancelled stay until the next goal. A new goal takes the place of the old one at any time; the robot goes on to it
// without stopping where the ways agree.
//
// # Replanning
//
// Every replan_period the piece of the path ahead is held against the costmap. When it is blocked a path from where the robot is
// takes its place. When there is none the robot keeps the old one, at whose obstacle it is stopped by the mux, and asks again until patience
// is over.
//
// Planning goes on beside the loop, on a copy of the costs, one request after the other.
package planner
