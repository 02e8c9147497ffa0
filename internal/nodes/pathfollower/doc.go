// Package pathfollower is path_follower_node: it walks the path that the planner or the path loader gave it.
//
//	/navigation/set_path ──────────┐
//	/navigation/start|stop|pause|resume, set_speed
//	/localization/pose, status ────┤                        ┌─► /control/nav_cmd_vel
//	/control/navigation_pause ─────┼─► internal/algo/follower ─┼─► /navigation/status, path, waypoints, stop_point
//	/control/status (mode, e-stop) ┤                        └─► /control/navigation_started
//	/perception/sector_scan ───────┤   internal/algo/avoidance
//	/{robot_ns}/battery ───────────┘
//
// It steers around obstacles itself, because which way around is right depends on where the path leads.
//
// # Who may make it go on
//
// Each reason to pause is cleared by its owner. /navigation/resume clears the operator's, and the e-stop's once that is released. The mux
// sets remote and estop; remote ends by itself when the mode is auto again. The mux then calls resume as well: that call is told from an
// operator's by its time and clears nothing else.
//
// Every time that it goes on, the mux is told before the first velocity.
package pathfollower
