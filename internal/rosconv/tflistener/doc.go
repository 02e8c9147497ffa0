// Package tflistener fills a transform buffer from the bus.
//
//	n.frames = tflistener.Subscribe(c, topics.TF, topics.TFStatic)
//	…
//	pose, err := n.frames.Lookup("map", "base_link", stamp)
//
// The buffer belongs to the loop of the client, as its subscriptions do. Who only needs links that never change, such as where a
// sensor is mounted, takes [Static], which does not wake up for every transform that moves.
//
// A transform that the buffer refuses is dropped: [Listener.Refused] tells how many, and why the last one was. A looping or malformed
// transform of one program must not blind those who look up others.
package tflistener
