// Package teleop speaks the handheld protocols Molly v1 and Pashupati v1: JSON datagrams and chunked binary streams over UDP.
//
// One core serves both. What differs between them (port, magic, commands, state fields, streams) is data in a [Dialect].
//
//	handheld                                          robot
//	Client ── ClientSession ──datagrams──► Session ──effects──► gateway
//	  UDP          pure       ◄─────────    pure   ◄──state, acks, streams──
//
// [Session] is the robot's side and [ClientSession] the handheld's. Both are pure: time, datagrams and typed values go in; datagrams
// to send and effects or events come out. They own no socket, goroutine, clock or random source, so that loss, delay and time-outs
// are tested in virtual time. [Client] and [Discover] put a socket around the handheld's side; the robot's socket belongs to the
// gateway. None of the pure types is safe for concurrent use: one loop owns each.
//
// Safety. A session ends in silence: after [Config].ClientTimeout without a datagram it is gone and its velocity is zero; a
// velocity alone expires after [Config].JoyTimeout. A value that is not a finite number is zero, and a joystick message that holds
// nothing but such values and zeros neither moves nor arms anything. An e-stop with a valid token is obeyed from any address.
//
// The protocols, the choices they leave and the tests that prove each sentence are in docs/protocols. Units are SI, angles radians,
// x forward, y left, counter-clockwise positive.
package teleop
