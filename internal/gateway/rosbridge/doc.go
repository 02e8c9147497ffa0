// Package rosbridge puts the robot's bus behind a rosbridge v2 broker, so that whatever speaks rosbridge (roslibjs, roslibpy, Foxglove,
// this program's own commands) sees its topics, services and nodes by their names and types of specification 002.
//
//	              ┌── topics that a client wants ◄── subscription, only while it is wanted ◄──┐
//	client ◄─► broker                                                                         bus
//	              └── topics and services that a client offers ──► publisher, server ────────►┘
//
// A topic of the robot is mirrored only while a client subscribes to it, so that nothing is computed for nobody; a latched one stays
// mirrored from then on. Its messages are encoded by the broker, once for all clients that want an encoding.
//
// Clients may publish what topics.ForClients lists and topics that the robot does not know. Every other topic of the robot belongs to its
// node: a client that could forge a scan, a status or a command to the body would drive past the control mux. What a client publishes goes
// to the bus from the connection's own goroutine: a stop waits for nothing. Services that a client offers are served on the bus, unless the
// robot itself has declared them.
//
// One service is the gateway's own, /sarathi/graph: what introspection by rosapi has no fields for (rates, losses, handler times,
// restarts), see package graph.
package rosbridge
