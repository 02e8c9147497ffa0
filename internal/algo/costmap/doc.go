// Package costmap says for every cell of a map what it costs the robot's centre to be there: how near obstacles are, what is not known,
// where nobody may go.
//
// # Layers
//
//	static map ──► occupied, unknown ─┐
//	live scans ──► marks ─────────────┼─► obstacles ──► inflation ─┐
//	keep-out mask ────────────────────┘                            ├─► costs 0..255
//	people, where they will be ─► soft costs ──────────────────────┘
//	speed mask ──► how fast, for the follower
//
// A cost is, as in Nav2's costmap_2d:
//
//	255 [Unknown]    nobody knows what is there; survives every layer but an obstacle or its inscribed zone
//	254 [Lethal]     an obstacle
//	253 [Inscribed]  nearer to an obstacle than the robot's inscribed circle: the robot touches it however it turns
//	252…1            252·exp(-k·(d - inscribed)) at distance d, out to the inflation radius; or people who will pass
//	0 [Free]
//
// # Live marks
//
// A return in range marks its cell, unless the map has a wall in or beside that cell: then the map explains it. A mark goes when the beam
// that passes nearest to it proves free what lies beyond it, or when nobody has seen it for a while. What a reading proves is decided as in
// package sectors: no return (+Inf, or beyond range_max) is free up to range_max, NaN, zero and negative prove nothing, -Inf is an
// obstacle at range_min. Marks are never cleared by a beam that does not reach past them, so an obstacle that the robot leaves behind
// stays, whatever the limits for marking and clearing are.
//
// # Updates
//
// What changed is known cell by cell. A new obstacle only raises costs around it; where one went, costs are made anew from all obstacles
// that reach there. So nothing is left behind, and an update costs what it changes.
package costmap
