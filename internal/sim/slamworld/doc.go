// Package slamworld is the world of specification 004: a robot with differential drive that drives through a building by itself and
// tells what its sensors say, so that SLAM can be run on it and compared with the truth.
//
// The sensors are those of [sim.Zelpi]: a lidar of 180 beams all around with 1 cm of noise, odometry that believes every motion 3 %
// larger than it is, with noise on top, and a gyro with a bias of 0.02 rad/s that wanders a little.
//
// The four buildings are what destroys maps: long corridors, rooms that are all the same, loops of a hundred metres that close
// where much looks alike.
//
//	ring        a corridor around a courtyard, 107 m long, the same pilaster every four metres
//	hotel       two corridors of 40 m and eighteen equal rooms with equal furniture between them
//	office      twelve equal rooms in a grid, each with doors to its neighbours
//	warehouse   a hall with two blocks of equal shelves
//
// Everything follows from the name, the seed and the number of laps; the seed gives the noise, the speed, and which way round the robot
// drives.
package slamworld
