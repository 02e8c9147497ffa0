// Package app puts the robot together: which nodes there are, in wiring.go and nowhere
// else, and the two ways to run them.
//
//	Run       the real thing: wall clock, sockets, until the context ends
//	Simulate  one scenario in lockstep: virtual time, a trace, a verdict
//
// Both run the same nodes made by the same wiring. Gateways exist only in Run, the
// pilot and the observer of a scenario only in Simulate.
package app
