// Package scanmatch finds where a lidar scan fits a map, and keeps that map.
//
//	Reading ─ Set ─► Scan ─┬─ Insert ─► Grid ◄── Refine ──── pose, information
//	                       │             │
//	                       └──────────── Fill ─► Field ◄── Searcher.Best ── pose in a window
//
// A [Grid] is an occupancy grid in log-odds (Moravec, Elfes 1985) with exact ray updates. Beside its odds, a cell has the mean of the hits in
// it, and knows its nearest occupied cell: together a truncated exact Euclidean distance field, which is kept up to date while scans are added
// (compare Lau, Sprunk, Burgard, "Efficient grid-based spatial representations for robot navigation in dynamic environments", RAS 2013).
//
// [Refine] is Gauss-Newton in two stages with a prior, so that where the scan says nothing (along a corridor) the prediction stays. With the
// hits pᵢ of the scan, the pose x = (t, θ) and the prior (x₀, Λ) it minimises
//
//	F(x) = Σᵢ w ρ( r(R(θ) pᵢ + t) / σ ) + (x - x₀)ᵀ Λ (x - x₀)
//
// with ρ of Geman and McClure, which bounds what a hit on something new can do. The residual r is first the interpolated distance field, with
// a wide basin, then the distance across the wall that is nearest to the hit, or to the mean of the hits of a cell that is no wall, which
// does not know how large the cells are.
//
// [Searcher] looks in a whole window for the best pose of all: correlative matching (Olson, "Real-time correlative scan matching", ICRA 2009)
// by branch and bound (Hess, Kohler, Rapp, Andor, "Real-time loop closure in 2D LIDAR SLAM", ICRA 2016).
//
// Everything is in metres and radians. Nothing depends on the order of a map or on the clock: the same calls give the same bits.
package scanmatch
