// Package driver is the contract between Sarathi and a robot body.
//
// A body is driven by one velocity and a few skills, and reports what it senses.
// Whoever hosts it (the robot's body node, a HAL agent) calls [Driver] and receives
// its feedback through a [Sink]:
//
//	host ──Command, Skill, EStop, Release──► Driver ──Publish, SkillResult, Fault──► Sink
//
// Time is an argument, so that the same driver runs in real time and in lockstep
// simulation. A driver is one of two kinds:
//
//   - a [Stepper] has no goroutine: its host calls Step at a fixed period, and never
//     two methods at once. Simulated bodies are Steppers.
//   - a [Runner] owns I/O: Run serves a device or a connection until its context ends,
//     and every method may be called at any time from any goroutine.
//
// What only some bodies can do are optional interfaces: [Canceler], [PoseSetter], [Connector].
//
// The layers above may die at any instant, so a body protects itself: it stops
// [WatchdogTimeout] after the last valid command; a command that is not finite stops
// it and does not count as valid; an e-stop latches in the body too, and while it is
// latched a command that slips through moves nothing. [Guard] does all of that for a
// driver's author. Package drivertest proves it for any driver.
//
// Units are SI, angles in radians, counter-clockwise positive, x forward and y left
// (REP 103), whatever the body's own units are: see [Capabilities].
package driver
