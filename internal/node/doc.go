// Package node runs the robot's nodes. A node is an actor: its handlers, timers and
// service requests run one at a time on its loop, so that a node holds no mutex.
//
//	func New(cfg Config, deps Deps) (*Node, error)     // validates; cheap; no side effects
//	func (n *Node) Setup(c *node.Context) error {      // declares; never blocks; no goroutines
//		n.status = bus.NewPublisher(c, topics.ControlStatus)
//		n.scan = bus.NewReader(c, topics.SafetyScan)     // sampled by the tick
//		bus.Subscribe(c, topics.EStopRequest, n.onStop)  // when it arrives
//		c.Every(n.cfg.Period, n.tick)                    // tick(now time.Time)
//		return nil
//	}
//
// The same nodes run under two executors. [Realtime] gives each node a goroutine and
// the operating system's clock. [Lockstep] runs all of them in one goroutine in
// virtual time, in the order (time, sequence), so that the same seed gives the same
// bytes, as fast as the machine can.
//
// What a goroutine did before it published, posted or replied has happened, in the
// sense of the memory model, when the handler runs; what a loop runs happens one after
// the other. Items run in the order in which they became ready, urgent ones first;
// timers that are due take turns with them.
//
// Life of a node:
//
//	New ─► Prepare* ─► Setup ─► handlers, timers, Run* ─► Stop* ─► undo subscriptions ─► Close*
//	                     ▲                  │ error, panic            (* only where implemented)
//	                     └── back-off ◄─────┘ policy Restart; policy Halt ends the program
//
// Stages start in the order of their constants, bodies first, and stop in reverse:
// gateways, behaviours, navigation, perception, control (which publishes zero and
// latches), bodies last, each with a deadline. A loop that is told to stop first runs
// what is ready, so that it has heard the last words of the stages before it. Safety
// does not rest on that: every layer stops by itself when the one above is silent.
package node
