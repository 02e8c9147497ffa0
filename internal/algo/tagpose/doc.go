// Package tagpose finds where a square tag is from the four corners that a camera sees of it.
//
// Four coplanar points have two poses that fit almost equally well when the tag is small or seen from afar: the right one and one that is
// flipped about the line of sight. Both are returned, since only somebody who knows where the robot was can tell them apart.
//
// The pair of rotations is that of infinitesimal plane-based pose estimation (T. Collins, A. Bartoli, "Infinitesimal Plane-Based Pose
// Estimation", IJCV 109, 2014); each is then refined by Levenberg-Marquardt on the distance of the projected corners in the image, and the
// Jacobian at the end gives the covariance.
package tagpose
