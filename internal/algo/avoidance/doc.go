// Package avoidance steers a robot that follows a path around what stands in its way, from the nearest obstacle in each sector ahead. It
// only advises: how fast to go on, and how far to turn aside. The protective field of the control mux is the last word.
//
//	front sectors ─► front distance ─► speed scale, emergency
//	where the path leads ─► gaps ────► an angle aside of that, smoothed
//
// While both cones, ahead and around where the path leads, are clear up to the safe distance it advises nothing. Then, by method:
//
//	vfh         the gap nearest to where the path leads, its near edge plus half of the least gap (Ulrich and Borenstein 1998, one ring)
//	follow_gap  the middle of the widest gap outside of a bubble around the nearest obstacle (Sezer and Gokasan 2012)
//
// A side that was chosen is kept until the other is clearly better, or the robot would waver before every post. A sector that nobody looked
// into (NaN) is no gap, and no obstacle either. An emergency is held until all has been clear for a while.
package avoidance
