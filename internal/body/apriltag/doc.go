// Package apriltag finds AprilTags in images with the library of the University of Michigan (E. Olson, "AprilTag: A robust and flexible
// visual fiducial system", ICRA 2011; J. Wang, E. Olson, "AprilTag 2", IROS 2016), which Debian ships as libapriltag3.
//
// The library is loaded when it is wanted, without cgo: where it is missing only this feature is. Its structs are mirrored here, and a newer
// library could lay them out otherwise, so [Open] looks whether the defaults of a new detector are where they must be before anything is
// believed. A program that is built with the tag static has no such feature.
package apriltag
