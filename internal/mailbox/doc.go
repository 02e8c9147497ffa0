// Package mailbox holds the queue of a node's loop: intrusive items that any
// goroutine may make ready without a lock, an allocation or a wait, and that one
// loop takes out in the order in which they became ready, urgent ones first.
//
// An [Item] stands for "this subscription (timer, service, call) has something to
// do", not for one message: the messages wait in the subscription's own bounded
// ring. An item is therefore in the queue at most once, and the queue is never
// longer than the number of items of a node, however fast others publish.
package mailbox
