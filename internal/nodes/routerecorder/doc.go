// Package routerecorder is route_recorder_node: it writes the route that the robot is led along.
//
//	/route/start, stop, mark_stop_point ─┐
//	/localization/pose, status ──────────┼─► internal/algo/teach ─► <site>/routes/<date>_<time>.csv
//	/site/status ────────────────────────┘                       └► /route/status
//
// Teaching needs a site and a robot that is localized. While it goes on the file is replaced as a whole every save_period, so that a crash or
// an empty battery costs the last seconds and never the route. Poses that stop coming leave a gap no longer than a jump: then teaching ends
// by itself, says why, and what was taught is kept. A route of fewer than two points is not kept.
package routerecorder
