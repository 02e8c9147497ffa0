// Package geom holds the geometry every other package shares: planar and spatial vectors, rigid transforms, velocities,
// angles and polygons.
//
// Conventions, everywhere in Sarathi (REP 103): metres, radians, seconds; x forward, y left, z up; a positive angle turns
// counter-clockwise seen from above. A pose written `aTb` maps coordinates of frame b into frame a, so poses chain left to
// right: aTc = aTb.Mul(bTc).
//
// All types are plain values. No function allocates unless it returns a slice, and none reads a clock or a random source.
package geom
