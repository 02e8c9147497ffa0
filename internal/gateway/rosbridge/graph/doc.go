// Package graph describes a running robot to those who look at it from outside: which topics, nodes and services there are, how fast,
// and at what cost. Its values are plain and do not depend on the transport that brought them.
package graph
