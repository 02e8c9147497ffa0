// Package controlsocket lets tools on the robot's own computer look at the running robot and use it: `sarathi topic`, `node` and
// `service`. It is a Unix socket in the state folder that only the robot's user may open, and speaks the language of package protocol.
//
//	client ──► reader ──► requests ──► bus, on the node's loop
//	   ▲          └──────► calls, each with its deadline
//	   └────── writer ◄── replies, never lost, which make the reader wait
//	                  ◄── watched topics, one bounded queue each, the oldest sample goes first
//
// Whoever has the socket's folder is the one robot that runs there: a second one is refused before any of its nodes is set up, and
// the socket that a dead one left behind is replaced.
//
// A client never moves the body: velocities go to the control mux as those of any remote source do, and publishing what only the mux
// may publish is refused.
package controlsocket
