// Package slameval measures how exact a SLAM trajectory is, by relations: pairs of times for which somebody established how the robot moved
// between them. It is the metric of Kümmerle, Steder, Dornhege, Ruhnke, Grisetti, Stachniss and Kleiner, "On measuring the accuracy of SLAM
// algorithms", Autonomous Robots 27(4), 2009. It needs no alignment of the trajectory to a global frame.
//
// A relation file has lines `t1 t2 x y z roll pitch yaw`: the pose at t2 in the frame of the pose at t1. A trajectory file has lines
// `t x y theta`. In both, empty lines and lines that start with # are passed over.
//
// For each relation with the true motion z and the motion d of the trajectory the errors are |(d.x−z.x, d.y−z.y)| and |d.θ−z.θ|. The pose at a
// time is the nearest pose of the trajectory if it is within [Tolerance]; otherwise the nearest pose, carried to that time by odometry if there
// is any, and linear interpolation if not.
package slameval
