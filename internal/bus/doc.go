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
//   - Publishing never waits for a subscriber and takes no lock. It allocates nothing,
//     but for the last message of a latched topic and for the erased form of a message
//     that raw subscribers or a tap want. A subscriber that is slow loses its own
//     oldest messages, which are counted.
//   - A message is published by value. What its slices and pointers lead to is
//     immutable from then on, for the publisher too.
//   - Handlers of one client run one at a time on its loop.
//   - A latched topic gives its last message to those who come later, once.
//   - A call has a deadline and is answered exactly once. A loop has only the
//     asynchronous form, so that a node cannot wait for itself.
//   - When a client ends, its publishers fall silent, its subscriptions end, and what
//     it has not answered is answered with [Stopped].
//   - Everything carries the name of its node: see [Bus.Graph].
//
// Order. What one goroutine publishes on one topic reaches each subscriber in that
// order, less what was dropped. Between topics, and between publishers, the order is
// that in which the loop is woken; under the lockstep executor it is always the same.
// What a goroutine did before it published happens before the handler runs. Handlers
// of one loop take turns, one message each, so that no topic starves another; urgent
// ones go first.
//
// Gateways, recorders and tools have no Go type for what passes. They use the
// erased side ([SubscribeRaw], [AdvertiseRaw], [Bus.CallRaw], [ServeRaw]), where a message
// is a [Sample] that is encoded at most once per encoding, however many want it. Types
// that nobody here knows pass through as JSON text, with every digit kept.
package bus
