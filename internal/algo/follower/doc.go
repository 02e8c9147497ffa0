// Package follower decides what a robot does about the path it was given: it joins and follows it, stops where it should, waits while
// something holds it, and says when it is there. The velocities come from package pursuit.
//
//	             Start                 near                      at the stop
//	INACTIVE ─────────► JOINING ─► FOLLOWING ─► APPROACHING ─────────────► DWELLING
//	   ▲  Stop             │           │  ▲          │                        │
//	   │                   ▼           │  └──────────┼────────────────────────┘
//	   │               OFF_PATH ◄──────┤             ▼
//	   │                               ▼         GOAL_REACHED
//	   └─ PAUSED (any reason), BLOCKED (held for long), FAILED (no progress)
//
// # Reasons to pause
//
// Reasons are a set. Each is set and cleared by its owner, and the robot goes on when the last one is gone: resuming for one never clears
// another. Two are the follower's own, present for as long as they are true: localization (the pose is missing or old) and
// avoidance (what says whether the way is free is silent). Progress is kept: the robot never goes back to where it has passed.
//
// # Stops
//
// Within half a metre of a stop point, and of the end, the robot approaches its pose to 5 cm and 3 degrees, then waits there. What cannot be
// reached in time is taken as it is, and the event says how far off it was. A stop that was passed is skipped, never returned to.
package follower
