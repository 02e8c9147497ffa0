// Package localization estimates where the robot is in the map: an extended Kalman filter over the planar pose, moved by odometry and
// corrected by AprilTags, by matches of the scan with the map, and by poses that people give.
//
//	           Start, a tag in view                   contradicted for lost_after, nothing agrees
//	none ───────────────────────────────► localized ─────────────────────────────────────────────► lost (none, until Start)
//	  ▲      Set: pose estimate, origin        │  every correction passes two gates: jump and likelihood
//	  └────────────── Reset ───────────────────┘
//
// Three mistakes must not happen, since a robot that is wrong about its place walks into walls:
//
//   - A flipped pose. A tag has two poses that fit (package tagpose). While localized the one nearer to the estimate is used, and not if the
//     picture denies it. Without an estimate all candidates vote: the right pose of a tag stays where it is in the map while the robot moves
//     and when other tags come into view, the flipped one does not. A base that would not be level is no candidate.
//   - A wrong tag: copied, moved, mirrored. It cannot move an estimate that is better than the gates, however often it is seen.
//   - A silent loss. Somebody lifts the robot and puts it down elsewhere. Corrections are refused then; when they are refused for lost_after and
//     nothing agrees with the estimate any more, the estimate is given up, with a message, and only a person's Start begins anew.
//
// Corrections belong to the time of their image or scan: odometry tells where the robot was then.
package localization
