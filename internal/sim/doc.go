// Package sim is a world in which robots drive: rooms, doors, people and chargers in the floor plan with heights, bodies with
// motion limits and collisions, and models of their sensors.
//
//	w, err := sim.NewWorld(scene, seed)
//	r, err := w.AddRobot(sim.Molly())
//	for … { r.Command(v); w.Step(now); scan, ok := r.Scan() … }
//
// # Time
//
// World.Step advances the physics in steps of [Tick] up to a time that the caller gives; nothing here reads a clock. The same
// scene, seed and calls give the same bits on one architecture.
//
// # Randomness
//
// Every sensor and every person has its own generator, seeded with the world's seed and its name: adding a sensor changes no
// other. What a sensor adds to one measurement depends on the seed and the tick alone, not on what was asked before, so that a
// cloud or an image nobody wanted need not be computed. Only what accumulates (odometry, gyro bias) draws at every tick.
//
// # Collisions
//
// A body stops where its footprint would enter something, and a [Contact] says what and where. Things have heights; a shelf
// above the robot does not stop it. A person who walks into a robot stops too, and that contact is marked as theirs. Doors
// wait for whoever stands in them. So a footprint never overlaps anything.
//
// # Frames
//
// The ground truth is in the frame of the scene, map. Velocities are those of base_link. Sensors are mounted relative to
// base_link, BaseHeight above the floor. Images of walls are extrusions of the floor plan, without lids.
package sim
