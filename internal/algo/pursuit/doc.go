// Package pursuit drives a robot along a path: where on the path it is, how fast it may go there, and which velocity leads along it.
//
//	points ─► [Track]     lengths, curvature, speed profile
//	pose   ─► [Progress]  how far along, never backwards
//	both   ─► [Pursuit]   velocity along the path (regulated pure pursuit)
//	near a stop ─► [Approach]  velocity to a pose, to 5 cm and 3 degrees
//
// # Progress
//
// A path may cross itself, or lead back beside where it came. So only a short piece ahead of the last progress is looked at, and of what is
// equally near the piece that heads like the robot counts. Progress never goes back: resuming after a pause continues where it was.
//
// # Speed profile
//
// Each point has the highest speed that keeps the lateral acceleration, v ≤ √(a/κ), and the turning rate; a pass from the end backwards keeps the braking,
// v[i]² ≤ v[i+1]² + 2·b·ds.
//
// # Regulated pure pursuit
//
// The robot steers on the arc through a point of the path a lookahead away (Coulter 1992): κ = 2·sin α / d. Speed yields to curvature, so that
// the arc can be driven (Macenski et al. 2023). When the point lies too far to the side the robot turns on the spot first.
package pursuit
