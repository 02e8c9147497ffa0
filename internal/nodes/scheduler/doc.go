// Package scheduler is scheduler_node: it starts and ends patrols by the time of day, as the profile says.
//
//	/control/status ────────────┐                               ┌─► /navigation/load_path, start, stop
//	/localization/status ───────┤                               │
//	/navigation/status ─────────┼─► internal/algo/schedule ─────┤
//	/planner, /mapping, /route, │                               │
//	/docking status, /tour/state┤                               └─► /schedule/status
//	/site/status, battery ──────┘
//
// It drives as a client does: it loads the route and starts, and stops in the end. A run begins only in auto, while the robot knows where
// it is, and while nothing else is under way: no e-stop, no person who drives, no mapping, no teaching, no goal, no tour, no docking. What
// held navigation before is not resumed: a person does that. Why a run was skipped is in the status, and once in the log.
//
// A run that an operator stops or replaces is over until the next start. A pause only holds it.
package scheduler
