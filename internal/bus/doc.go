// Package bus carries typed messages and service calls between the nodes of one
// robot, inside one process.
//
// Topics and services are declared once, in package topics, and used through a
// [Client], which is the bus's view of a node:
//
//	pub := bus.NewPublisher(c, topics.ControlStatus)   // c is a *node.Context
//	scan := bus.NewReader(c, topics.SafetyScan)        // sampled: scan.Get()
//	bus.Subscribe(c, topics.EStopRequest, n.onRequest) // runs on the node's loop
//	bus.Serve(c, topics.SetMode, n.setMode)
//
// Rules that the rest of the program rests on:
//
//   - Publishing never blocks, takes no lock and allocates nothing. A subscriber
//     that is slow loses its own oldest messages, which are counted.
//   - A message is published by value. What its slices and pointers lead to is
//     immutable from then on, for the publisher too.
//   - Handlers of one client run one at a time on its loop.
//   - A latched topic gives its last message to those who come later.
//   - A call has a deadline and is answered exactly once. A loop has only the
//     asynchronous form, so that a node cannot wait for itself.
//   - Everything carries the name of its node: see [Bus.Graph].
//
// Gateways, recorders and tools have no Go type for what passes. They use the
// erased side ([SubscribeRaw], [AdvertiseRaw], [Bus.CallRaw]), where a message is a
// [Sample] that is encoded at most once per encoding, however many want it. Types
// that nobody here knows pass through as JSON text, with every digit kept.
package bus
