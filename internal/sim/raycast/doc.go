// Package raycast finds what a ray meets first among upright walls: line segments of the floor plan that reach from one
// height to another. It is exact. A uniform grid lists the walls of each cell, and a ray visits the cells it crosses in order
// (Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", Eurographics 1987); in each cell the crossing with
// every listed wall is computed, so that no step size, and no error that comes with one, exists.
//
// An occupancy map becomes the outline of its occupied cells, with collinear edges merged: the same caster serves scenes and
// maps, and a ray crosses large free areas in a few steps.
package raycast
