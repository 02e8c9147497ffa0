// Package topics is the one table of every topic and service of the robot: name,
// type, quality of service and meaning. Names and types are those of the interface
// document (Molly 2.0 on Dharma 0.2); names that the document does not have are
// marked "Sarathi".
//
// {robot_ns} in a name stands for the profile's robot namespace.
package topics
