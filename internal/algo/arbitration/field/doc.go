// Package field is the protective field: it looks at a sector scan around the robot and allows only motion that the body can still
// stop before it touches anything.
//
// # What it promises
//
// A body that follows a command after at most Latency, brakes at Deceleration and AngularDeceleration at least, and keeps its arc
// while it brakes, never touches an obstacle that stood in a scan when there was still room to stop. Three checks do it, each tick:
//
//	the motion under way   can it be stopped now?          else Stop or Blind: zero at once
//	the motion asked for   at what scale could it be?      Limited: that scale; no useful one: Stop or Blind
//	the command to send    stoppable if held for a tick?   else the caller brakes along the present arc
//
// Stopping from speed v takes v²/(2a) after the command reaches the body. The way a command needs to get there, v·Latency, is counted
// where it is known exactly: the scan is moved by what was sent since its time stamp and for Latency before it (motion.go). Then the
// induction is short. Let D be the free way at a tick and u the speed sent: u²/(2a) + u·T + margin ≤ D with T the tick. One tick
// later D' ≥ D - u·T ≥ u²/(2a) + margin: it can still stop. And u - a·T satisfies the inequality for D', so a ramp that brakes at
// a or harder never needs the hard zero in front of an obstacle that stands still. For a speed that stays the same the sum is the
// textbook v²/(2a) + v·latency + margin.
//
// Turning is treated alike: the footprint is swept along the arc of (vx, vy, wz), exactly, convex or not, so a rotation on the spot
// sees what its corners would hit, and driving away from a wall is free (sweep.go).
//
// # What the sectors mean
//
// A return is an obstacle along the whole arc of its sector. No return is free up to range_max, where the known world ends. A sector
// that was not observed (NaN), or bearings the scan does not cover, begin to be unknown just outside the footprint; motion that
// leads there is Blind.
//
// # States
//
//	         fresh scan, clear for ReleaseAfter
//	Stale ◄──────────────► Clear ◄──► Limited          Off: configured off
//	no scan for ScanTimeout  │           │
//	                         ▼           ▼
//	                  Stop or Blind, held: zero, except creeping away from what blocked,
//	                  until the motion asked for has been free for ReleaseAfter
//
// The trigger is never delayed, the release always is. A robot already in contact may creep where no point comes nearer than the
// nearest one is and nothing enters the footprint (escape.go).
//
// # Absent on purpose
//
// No obstacle velocity: a person who walks into a standing robot is not prevented. No exemption for docking: it will be a region of
// the scan's points that the docking behaviour vouches for, taken out in one place, where a scan becomes points (scan.go).
package field
