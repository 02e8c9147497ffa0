// Package teleop is the robot's side of the handheld: the UDP sockets of package sarathi/teleop's dialects, and the bus.
//
//	handheld ──► socket ──► reader ──► teleop.Session ──► velocity, e-stop request, at once
//	                           ▲            │  ▲     └──► commands, wishes ──► loop ──► services, subscriptions
//	                    deadline│           │  └── state, streams ◄─────────── loop ◄── topics
//	                            └─ datagrams ┘
//
// Each dialect has a socket, a reader that sleeps until a datagram or the session's next deadline, and a session. Sessions are guarded
// by one lock, which the readers and the node's loop share; nothing that waits is done under it, sending included. A velocity
// goes from the socket to the bus on the reader, without an allocation and without the loop, so that whatever the loop does delays
// neither driving nor stopping.
//
// One device drives, whichever dialect it speaks: a second device is busy at both ports. One device that speaks both is welcome at both;
// its last velocity counts, and losing either connection stops the robot until the other speaks.
//
// Which commands a handheld is offered depends on which services are served; that is looked at once a second while nobody is connected,
// since a welcome is a promise. A command whose node has gone meanwhile is answered with its name.
package teleop
