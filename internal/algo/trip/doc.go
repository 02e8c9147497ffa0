// Package trip is the trip meter: how far and how fast the robot went since the meter was last reset, from its odometry.
//
// Odometry is noisy, jumps, and stops. The meter is built so that none of it adds way that was not travelled:
//
//   - Distance is the length of a chain of steps. A step is counted, in full, when the position is at least [Config].Step away from
//     the end of the last one. Noise of a standing robot does not get that far, so it adds nothing however long it stands. Sideways
//     motion counts, turning on the spot does not.
//   - Speed is the slope of the position over the last [Config].Window, by least squares, which averages noise; below MinSpeed it is
//     0. Moving time is the time during which it is not.
//   - A position further away than MaxSpeed allows is a jump: odometry began anew. So is a stamp that goes back. The chain goes on
//     from there and the jump adds nothing.
//   - When odometry is silent for StaleAfter, the speed is 0 and the rest stands still. The way until it speaks again is not known,
//     and not counted.
//   - Numbers that are not finite are dropped and do not count as a sign of life. Neither does a stamp that stands still.
//
// A step of 6 cm cuts corners by at most that, and counts the noise across the way: 5 mm of noise make the way half a percent longer.
package trip
