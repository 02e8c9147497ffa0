package node

import (
	"fmt"
	"strings"
)

// Inject runs fn on the loop of a node soon, as its next handler: for tests that
// make a node fail. It is an error when no such node is running.
func (l *Lockstep) Inject(name string, fn func()) error {
	var known []string
	for _, n := range l.nodes {
		known = append(known, n.spec.Name)
		if n.spec.Name == name && n.state == Running {
			n.loop.ctx.Post(fn)
			return nil
		}
	}
	return fmt.Errorf("no node %s is running (nodes: %s)", name, strings.Join(known, ", "))
}
